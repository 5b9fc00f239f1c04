"""Writing the migrated file."""

from __future__ import annotations

import os

from gearwright import files
from gearwright.errors import ModelError


def same_file(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:
        return os.path.realpath(a) == os.path.realpath(b)


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Replaces an ordinary file, or makes one."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ModelError(f"{os.fspath(path)!r} is not an ordinary file, and is not written")
    files.write_whole(path, data)
