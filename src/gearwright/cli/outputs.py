"""Files that commands write: checked before anything is computed for them."""

from __future__ import annotations

import os
from pathlib import Path

from gearwright.errors import GearwrightError


def check_writable(*files: str | None) -> None:
    """Raises where a file could not be written. Nothing is made yet: writing makes missing folders. None is no file."""
    for file in files:
        if file is not None and (why := _obstacle(Path(file))):
            raise GearwrightError(f"cannot write {file}: {why}")


def not_written(error: OSError) -> str:
    """The message after a write that failed."""
    what = "the output" if error.filename is None else error.filename
    return f"cannot write {what}: {error.strerror or error}"


def _obstacle(path: Path) -> str:
    """Why a file cannot be written there; empty if it can."""
    if "\0" in str(path):
        return "its name has a null character"
    if path.is_dir():
        return "it is a folder"
    if path.exists():
        return "" if os.access(path, os.W_OK) else "permission denied"
    folder = path.absolute().parent
    above = next(f for f in (folder, *folder.parents) if os.path.lexists(f))
    if not above.is_dir():
        return f"its folder cannot be created: {above} is not a folder"
    return "" if os.access(above, os.W_OK | os.X_OK) else f"{above} may not be written"
