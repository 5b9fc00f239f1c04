"""Compiled objects on disk, found by the hash of everything that decides them.

An entry is executed when it is loaded, so it must be ours: the directory is made for this user only, and entries that
belong to somebody else, or that others may write, are not touched. Entries carry their key and a checksum; one that
is damaged or stands under a wrong name is as good as none. Writers make a temporary file and rename it, so readers
never see half an entry. A directory that cannot be written means no caching, never an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gearwright.compiler.backend import Backend

MAGIC = b"gearwright object 1\n"
LARGEST_TOTAL = 512 * 2**20  # bytes; the least recently used entries go first
SUFFIX = ".gwo"


def directory() -> Path:
    """$GEARWRIGHT_CACHE, or the platform's place for caches."""
    if chosen := os.environ.get("GEARWRIGHT_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "gearwright" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "gearwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gearwright"


def key(identity: str, backend: Backend, precision: str, batch: int | None) -> str:
    """Hexadecimal digest of the program, the machine, the shape of the code and the compiler's own text."""
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
            return None
        with path.open("rb") as file:
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
    temporary = ""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(os.stat(folder)):
            return False
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")  # mode 0600
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + entry_key.encode() + hashlib.sha256(code).digest() + code)
        os.replace(temporary, folder / (entry_key + SUFFIX))
    except OSError:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return False
    prune(folder)
    return True


def prune(folder: Path, largest_total: int = LARGEST_TOTAL) -> None:
    """Removes the least recently used entries beyond the limit; other processes may be doing the same."""
    entries = []
    for path in folder.glob("*" + SUFFIX):
        with contextlib.suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries, key=lambda entry: entry[0]):
        if total <= largest_total:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def _is_ours(status: os.stat_result) -> bool:
    """Owned by this user, and nobody else may write."""
    if sys.platform == "win32":  # the user's profile has its own access list
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o022
