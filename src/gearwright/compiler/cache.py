"""Compiled objects on disk, keyed by a hash of all their inputs.

An entry is executed when it is loaded, so it must be ours: the directory is made for this user only, and a directory
or an entry that belongs to somebody else, or that others may write, is not touched. Entries carry their key and a
checksum, which find damage and not forgery: whoever can write as this user can run code as this user anyway. Writers
make a temporary file and rename it, so readers never see half an entry.

A user without a home, or whose home cannot be written, gets a directory of his own among the temporary files. Where
nothing is kept, a `CacheWarning` says so once; it is never an error.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from gearwright.errors import CacheWarning, warn
from gearwright.files import ABANDONED, ENDING, is_special, open_regular, replacing

if TYPE_CHECKING:
    from gearwright.compiler.backend import Backend

MAGIC = b"gearwright object 1\n"
LARGEST_TOTAL = 512 * 2**20  # bytes; the least recently used entries go first
SUFFIX = ".gwo"
PRUNED_EVERY = LARGEST_TOTAL // 32  # bytes that a process writes before it looks at the folder again
_unpruned: dict[Path, int] = {}  # bytes written to a folder since this process last pruned it
_NOT_OURS = "compiled code is not kept in {0}: others may write there, or own it; chmod go-w {0}"


def directory() -> Path:
    """$GEARWRIGHT_CACHE, or the platform's place for caches, or among the temporary files where there is none."""
    if chosen := os.environ.get("GEARWRIGHT_CACHE"):
        return Path(chosen)
    usual = _usual()
    if usual is not None and _usable(usual):
        return usual
    return _temporary(str(usual or "a home folder"))


def _usual() -> Path | None:
    """The platform's place for caches; None for a user without a home."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "gearwright" / "cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "gearwright"
        place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return place / "gearwright" if place.is_absolute() else None  # HOME may hold anything


def _usable(folder: Path) -> bool:
    """Whether it is there to be read and written, or can be made."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    except OSError:
        return False


@cache
def _temporary(missing: str) -> Path:
    """The same for all processes of this user; one that only this process knows, if somebody took that name."""
    folder = Path(tempfile.gettempdir()) / f"gearwright-{getattr(os, 'getuid', lambda: 'cache')()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    if not _is_real_folder_of_ours(folder):
        folder = Path(tempfile.mkdtemp(prefix="gearwright-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _note(f"compiled code is kept in {folder}, since {missing} cannot be used; $GEARWRIGHT_CACHE names a better place")
    return folder


def _is_real_folder_of_ours(folder: Path) -> bool:
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _is_ours(status)


@cache
def _note(text: str) -> None:
    """Once."""
    warn(text, CacheWarning)


def entry_key(identity: str, backend: Backend, precision: str, batch: int | None) -> str:
    """Hexadecimal digest of the program, the machine, the shape of the code and the compiler's own text.

    `identity` says which program it is: its content, or what it is made from (`sim.programs.keys.identity`).
    """
    parts = (identity, backend.name, backend.identity(precision, batch), precision, _compiler())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def _compiler() -> str:
    """A digest of this package's source: any change makes new entries."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def load(entry_key: str) -> bytes | None:
    """The object stored under this key, or None if there is none that can be trusted."""
    path = directory() / (entry_key + SUFFIX)
    try:
        if not _is_ours(os.stat(path.parent)):
            _note(_NOT_OURS.format(path.parent))
            return None
        with open_regular(path) as file:
            if not _is_ours(os.fstat(file.fileno())):
                return None
            content = file.read()
    except OSError:
        return None
    head = MAGIC + entry_key.encode()
    start = len(head) + 32
    if not content.startswith(head) or content[len(head) : start] != hashlib.sha256(content[start:]).digest():
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # for the pruning: used just now
    return content[start:]


def save(entry_key: str, code: bytes) -> bool:
    """Stores an object; False if the directory does not allow it."""
    folder = directory()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(os.stat(folder)):
            _note(_NOT_OURS.format(folder))
            return False
        entry = folder / (entry_key + SUFFIX)
        if is_special(entry):  # a pipe would be written to, and not replaced
            entry.unlink()
        with replacing(entry, mode=0o600, tidy=False, durable=False) as temporary:
            temporary.write_bytes(MAGIC + entry_key.encode() + hashlib.sha256(code).digest() + code)
    except OSError as error:
        _note(f"compiled code is not kept: {folder} cannot be written ({error.strerror or error})")
        return False
    _prune_at_times(folder, len(code))
    return True


def _prune_at_times(folder: Path, written: int) -> None:
    """At the first entry of a process and after every `PRUNED_EVERY` bytes: a full folder takes 15 ms to look at."""
    _unpruned[folder] = _unpruned.get(folder, PRUNED_EVERY) + written
    if _unpruned[folder] >= PRUNED_EVERY:
        _unpruned[folder] = 0
        prune(folder)


def prune(folder: Path, largest_total: int = LARGEST_TOTAL) -> None:
    """Removes the least recently used entries beyond the limit, and incomplete files of killed processes."""
    entries = []
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(SUFFIX):
                    entries.append((status.st_mtime, status.st_size, entry.path))
                elif entry.name.endswith(ENDING) and time() - status.st_mtime > ABANDONED:
                    os.unlink(entry.path)
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= largest_total:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size


def _is_ours(status: os.stat_result) -> bool:
    """Owned by this user, and nobody else may write."""
    if not hasattr(os, "getuid"):  # Windows: the user's profile has its own access list
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o022
