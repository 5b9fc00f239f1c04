"""Files on disk: replaced atomically when they are written, and read only where they are regular files.

A file is written beside its target under a temporary name and then renamed. On a full disk, after a signal or a kill,
the target holds either its old content or all of the new one. Missing folders are made.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from time import time
from typing import IO, Any

from gearwright.errors import ModelError

StrPath = str | os.PathLike[str]
ENDING = ".partial"
ABANDONED = 3600.0  # [s] age of a temporary file whose writer is considered gone


def checked_path(path: Any, what: str = "a file") -> StrPath:
    """A path that a caller gives. Raises ModelError for what is not one."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise ModelError(f"{what} must be given by its path, not {path!r:.60}")
    if "\0" in os.fsdecode(path):
        raise ModelError(f"the path of {what} must not contain a null character: {path!r:.60}")
    return path


def write_whole(path: StrPath, content: str | bytes, *, mode: int | None = None) -> None:
    """Replaces a file by this content; text is written as UTF-8. Raises OSError that names `path`."""
    with replacing(path, mode=mode) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def write_together(contents: Mapping[Path, str]) -> None:
    """Replaces several files that belong together, once all of them are on the disk."""
    with ExitStack() as stack:
        temporaries = [stack.enter_context(replacing(path)) for path in contents]
        for temporary, content in zip(temporaries, contents.values(), strict=True):
            temporary.write_text(content, encoding="utf-8")


@contextmanager
def replacing(
    path: StrPath, *, mode: int | None = None, tidy: bool = True, durable: bool = True
) -> Iterator[Path]:  # fmt: skip
    """Yields a temporary name to write to; at the end of the block that file takes the place of `path`.

    The new file has the permissions `mode`, by default those of the file that it replaces. `tidy` removes temporary
    files of the same target that killed processes have left behind. `durable` waits until the content is on the disk.
    """
    path = Path(path)
    with naming(path):
        if is_special(path) or path.name.endswith(ENDING):  # a pipe is written to; a temporary file is replaced later
            yield path
            return
        target = Path(os.path.realpath(path))  # a link stays a link
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        target.parent.mkdir(parents=True, exist_ok=True)
        if tidy:
            remove_abandoned(target)
        temporary = target.parent / f"{_prefix(target)}{os.getpid()}.{token_hex(4)}{ENDING}"
        try:
            permissions = 0o666 if mode is None else mode
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, permissions))  # less the user's mask
            yield temporary
            if durable:
                _flush(temporary)
            with contextlib.suppress(FileNotFoundError):
                temporary.chmod(target.stat().st_mode & 0o777 if mode is None else mode)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise


@contextmanager
def making_folder(path: Path) -> Iterator[Path]:
    """Yields a temporary folder to fill; at the end of the block it takes the place of `path`, which must be empty."""
    temporary = path.absolute().with_name(f"{_prefix(path)}{os.getpid()}.{token_hex(4)}{ENDING}")
    with naming(path):
        temporary.mkdir(parents=True)
        try:
            yield temporary
            if path.exists():
                path.rmdir()
            os.replace(temporary, path)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


@contextmanager
def naming(path: StrPath) -> Iterator[None]:
    """An OSError of the block names `path`, also where a write failed and the system names no file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from error


def is_special(path: Path) -> bool:
    """Whether the path is a device, a pipe or a socket."""
    try:
        kind = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def open_regular(path: StrPath) -> IO[bytes]:
    """Opens a file for reading. Raises OSError for a pipe, which would be waited for, and for a device."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    return os.fdopen(handle, "rb")


def remove_abandoned(target: Path) -> None:
    """Removes temporary files of processes that were killed while they wrote `target`."""
    for path in target.parent.iterdir() if target.parent.is_dir() else ():
        name = path.name.removesuffix(".journal")
        if not (name.startswith(_prefix(target)) and name.endswith(ENDING)):
            continue
        with contextlib.suppress(OSError, ValueError):
            if not _is_alive(int(name.split(".")[-3])) or time() - path.stat().st_mtime > ABANDONED:
                path.unlink()


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _prefix(target: Path) -> str:
    return f".{target.name[:80]}."  # a name may have 255 bytes, and a letter four


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
