"""The user's key: `Simulation.save` signs files with it, and `gearwright.open` runs the code of files that it signed.

The key is 32 random bytes in a file that only its user may read, made when a simulation is first saved. Whoever can
read it can run code as the user anyway.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import sys
from pathlib import Path

from gearwright.errors import CacheWarning, warn
from gearwright.files import open_regular

SIZE = 32  # bytes of a key, and of a signature
OTHERS = 0o077  # permissions that nobody else may have


def key_file() -> Path | None:
    """The platform's place for a user's data; None for a user without a home."""
    try:
        if sys.platform == "win32":
            folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            folder = Path.home() / "Library" / "Application Support"
        else:
            folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    except RuntimeError:
        return None
    return folder / "gearwright" / "key" if folder.is_absolute() else None


def signature(content: bytes) -> bytes:
    """The user's signature of a content; zeros, with a warning, where no key can be kept."""
    path = key_file()
    key = None if path is None else _read(path) or _made(path)
    if key is None:
        warn(
            f"the saved simulation is not signed, since no key can be kept in {path or 'a home folder'}: it opens with "
            "trust=True only",
            CacheWarning,
        )
        return bytes(SIZE)
    return hmac.digest(key, content, "sha256")


def is_signed(content: bytes, given: bytes) -> bool:
    """Whether this user has signed the content."""
    path = key_file()
    key = None if path is None else _read(path)
    return key is not None and hmac.compare_digest(hmac.digest(key, content, "sha256"), given)


def _read(path: Path) -> bytes | None:
    """The key, if nobody else can have read or written it."""
    try:
        with open_regular(path) as file:
            status, key = os.fstat(file.fileno()), file.read(SIZE + 1)
    except OSError:
        return None
    ours = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & OTHERS)
    return key if ours and len(key) == SIZE else None


def _made(path: Path) -> bytes | None:
    """A new key, or the one that another process has made meanwhile; None where there is a file that is not a key."""
    temporary = path.with_name(f"key.{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(SIZE))
        os.link(temporary, path)  # fails where the name is taken
    with contextlib.suppress(OSError):
        temporary.unlink()
    return _read(path)
