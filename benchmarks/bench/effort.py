"""How much time a run may take."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.model import MODES


@dataclass(frozen=True, kw_only=True)
class Effort:
    """The best of `slices` turns of about `seconds` each counts."""

    slices: int = 25
    seconds: float = 0.02
    modes: tuple[str, ...] = MODES  # of the couplings of robots with stops and friction
    states: int = 16  # that one robot with stops and friction is put into in turn
    processes: int = 3  # fresh ones to time a compilation
    sizes: tuple[int, ...] = (5, 10, 20, 30, 40, 60, 80, 100)  # degrees of freedom
    followers: tuple[int, ...] = (10, 25, 50, 100)  # joints of a chain of mimics
    batches: tuple[int, ...] = (1, 2, 4, 8, 16, 64, 256, 1000, 4000, 16_000, 100_000)


FULL = Effort()
QUICK = Effort(
    slices=5, seconds=0.005, modes=("exact",), states=4, processes=1, sizes=(5, 10, 20), followers=(10, 25),
    batches=(1, 8, 64, 1000),
)  # fmt: skip
