"""Memory that reading a recording takes, compared with what is free before it is taken."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import GearwrightError
from gearwright.sim.free_memory import available_memory


def check_memory(path: Path, numbers: int) -> None:
    """Raises GearwrightError if so many numbers do not fit: a small file may unpack to many times its size."""
    size, free = 8 * numbers, available_memory()
    if size > free:
        raise GearwrightError(
            f"{path}: opening it takes {size / 1e9:.3g} GB of memory, and {free / 1e9:.3g} GB are free"
        )
