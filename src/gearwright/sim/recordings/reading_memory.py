"""Memory that reading a recording takes, compared with what is free before it is taken."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import GearwrightError
from gearwright.sim.recorder.free_memory import require_memory


def check_memory(path: Path, numbers: int) -> None:
    """Raises GearwrightError if so many numbers do not fit: a small file may unpack to many times its size."""
    require_memory(8 * numbers, f"{path}: opening it", "open it where more is", GearwrightError)
