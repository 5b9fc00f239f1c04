"""Files written whole or not at all: into a file beside it first, which then takes its place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from time import time

ENDING = ".partial"
ABANDONED = 3600.0  # [s] after which nobody is writing any more


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to; what stands there at the end is at `path`, all at once.

    Killed at any moment, a process leaves the old file or the new one. What it leaves beside it is removed the next
    time that `path` is written.
    """
    if path.exists() and not path.is_file():  # a device or a pipe is written to, not replaced
        yield path
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    remove_abandoned(target)
    temporary = target.parent / f"{_prefix(target)}{os.getpid()}.{token_hex(4)}{ENDING}"
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # less the user's mask
        yield temporary
        _settle(temporary, target)
    except OSError as error:
        _remove(temporary)
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    except BaseException:
        _remove(temporary)
        raise


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _settle(temporary: Path, target: Path) -> None:
    """Onto the disk first, then under its name, with the mode that the old file had."""
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    with contextlib.suppress(FileNotFoundError):
        temporary.chmod(target.stat().st_mode & 0o777)
    os.replace(temporary, target)


def _prefix(target: Path) -> str:
    return f".{target.name[:80]}."  # a name may have 255 bytes, and a letter four


def remove_abandoned(target: Path) -> None:
    """Files that a process left which was killed while it wrote `target`."""
    for path in target.parent.iterdir() if target.parent.is_dir() else ():
        name = path.name.removesuffix(".journal")
        if not (name.startswith(_prefix(target)) and name.endswith(ENDING)):
            continue
        with contextlib.suppress(OSError, ValueError):
            if not _writing(int(name.split(".")[-3])) or time() - path.stat().st_mtime > ABANDONED:
                path.unlink()


def _writing(process: int) -> bool:
    """Whether that process is alive."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
