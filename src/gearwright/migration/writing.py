"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from gearwright.errors import ModelError


def same_file(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:
        return os.path.realpath(a) == os.path.realpath(b)


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """The file holds the old bytes or the new ones, whenever the process ends. Links are followed, folders made."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise ModelError(f"{os.fspath(path)!r} is no ordinary file, and is not written")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.parent / f".gearwright-{secrets.token_hex(8)}.tmp"
    try:
        with temporary.open("xb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
