"""The file of a saved simulation: a line that says so, a checksum, a head in JSON, and parts as bytes.

    gearwright simulation 1 ⏎ | SHA-256 of the rest | length of the head | head | parts one behind the other

The checksum finds damage and not forgery. Code in a file runs as the user who opens it, as that of a program does: so
the file must be his or the administrator's, and nobody else may write it, unless he says that he trusts it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from collections.abc import Mapping
from typing import Any

from gearwright.diagnostics import Diagnostic
from gearwright.errors import GearwrightError, LoadError, SimulationError
from gearwright.files import checked_path, open_regular, write_whole

NAME = b"gearwright simulation "
FORMAT = 1
MAGIC = NAME + b"%d\n" % FORMAT
DIGEST = 32  # bytes
ADMINISTRATOR = 0  # may write everything anyway
LARGEST = 2**34  # bytes of a file: the states of a large batch
LARGEST_HEAD = 2**28  # bytes


def refused(path: str | os.PathLike[str], message: str) -> LoadError:
    return LoadError([Diagnostic(severity="error", code="saved-code", message=message, file=os.fspath(path))])


def packed(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> bytes:
    """All of a file."""
    sizes = [[name, len(content)] for name, content in parts.items()]
    text = json.dumps({**head, "parts": sizes}, separators=(",", ":"), allow_nan=False).encode()
    rest = b"".join([struct.pack("<Q", len(text)), text, *parts.values()])
    return MAGIC + hashlib.sha256(rest).digest() + rest


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Head and parts. Raises ValueError that says what is wrong."""
    if not content.startswith(NAME):
        meant = "; this looks like a robot's file: did you mean gearwright.load?" if _is_xml(content) else ""
        raise GearwrightError(f"this is no saved simulation: `Simulation.save` writes them{meant}")
    if not content.startswith(MAGIC):
        found = content[len(NAME) : len(NAME) + 8].partition(b"\n")[0].decode("ascii", "replace")
        raise ValueError(f"the file has format {found!r}, and this version reads {FORMAT}: save the simulation again")
    rest = memoryview(content)[len(MAGIC) + DIGEST :]
    if hashlib.sha256(rest).digest() != content[len(MAGIC) : len(MAGIC) + DIGEST]:
        raise ValueError("the file is damaged, or was cut off: its checksum is wrong. Copy it again, or save it again")
    (length,) = struct.unpack_from("<Q", rest)
    if not 0 <= length <= min(LARGEST_HEAD, len(rest) - 8):
        raise ValueError("the file is damaged: its head is longer than the file")
    head = json.loads(bytes(rest[8 : 8 + length]))
    if not isinstance(head, dict):
        raise ValueError("the file is damaged: its head is no table")
    return head, _parts(head.pop("parts", None), rest[8 + length :])


def _is_xml(content: bytes) -> bool:
    return content[:64].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _parts(sizes: Any, content: memoryview) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    at = 0
    for name, size in sizes:
        if not isinstance(name, str) or type(size) is not int or not 0 <= size <= len(content) - at or name in found:
            raise ValueError("the file is damaged: its parts do not fit")
        found[name] = bytes(content[at : at + size])
        at += size
    if at != len(content):
        raise ValueError("the file is damaged: it has more than its parts")
    return found


def written(path: str | os.PathLike[str], content: bytes) -> None:
    """Others may read the file, and not write it."""
    try:
        write_whole(path, content, mode=0o644)
    except OSError as error:
        raise SimulationError(f"{os.fspath(path)} cannot be written: {error.strerror or error}") from error


def read(path: str | os.PathLike[str], *, trust: bool) -> bytes:
    """The bytes of a file that this user may run code from."""
    try:
        file = open_regular(checked_path(path, "a saved simulation"))
    except OSError as error:
        raise refused(path, f"the file cannot be read: {error.strerror or error}") from error
    with file:
        status = os.fstat(file.fileno())
        if not status.st_size:
            raise refused(path, "the file is empty")
        if status.st_size > LARGEST:
            raise refused(path, f"the file has {status.st_size:,} bytes; saved simulations have {LARGEST:,} at most")
        if not trust and (why := _not_ours(status)):
            raise refused(path, f"{why}, and its code would run as you: if you trust it, open it with trust=True")
        return file.read(status.st_size)


def _not_ours(status: os.stat_result) -> str:
    """Why somebody else might have written it; empty if nobody could."""
    if not hasattr(os, "getuid"):  # Windows: access lists protect a user's files
        return ""
    if status.st_uid not in (os.getuid(), ADMINISTRATOR):
        return f"the file belongs to another user (number {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others may write the file (chmod go-w would end that)"
    return ""
