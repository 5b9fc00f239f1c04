"""How much time a run may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Effort:
    """The best of `slices` turns of about `seconds` each counts."""

    slices: int = 25
    seconds: float = 0.02
    processes: int = 3  # fresh ones to time a compilation
    sizes: tuple[int, ...] = (5, 10, 20, 30, 40, 60, 80, 100)  # degrees of freedom
    batches: tuple[int, ...] = (1, 2, 4, 8, 16, 64, 256, 1000, 4000, 16_000, 100_000)


FULL = Effort()
QUICK = Effort(
    slices=5, seconds=0.005, processes=1, sizes=(5, 10, 20), batches=(1, 8, 64, 1000)
)  # fmt: skip
