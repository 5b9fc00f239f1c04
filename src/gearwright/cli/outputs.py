"""Files that commands write: their folders are made where they are missing."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import GearwrightError


def make_folders(*files: str | None) -> None:
    """The folder of each file, before anything is computed for it; None is no file."""
    for file in files:
        if file is None:
            continue
        try:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise GearwrightError(f"cannot write {file}: its folder cannot be made: {why}") from None
