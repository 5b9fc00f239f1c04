"""The file of a saved simulation: a line that says so, a checksum, a signature, a head in JSON, and parts as bytes.

    gearwright simulation 2 ⏎ | SHA-256 of the rest | signature | length of the head | head | parts, one after the other

The checksum finds damage. Code in a file runs as the user who opens it, as that of a program does: so the signature
must be this user's own (`user_key`), unless he says that he trusts the file. The owner of a file says nothing about its
origin: a file belongs to whoever has downloaded it.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from typing import Any

from gearwright.diagnostics import Diagnostic
from gearwright.errors import GearwrightError, LoadError, SimulationError
from gearwright.files import checked_path, open_regular, write_whole
from gearwright.sim.saving.user_key import SIZE, is_signed, signature

NAME = b"gearwright simulation "
FORMAT = 2
MAGIC = NAME + b"%d\n" % FORMAT
DIGEST = 32  # bytes
BEGIN = len(MAGIC) + DIGEST + SIZE  # of what the checksum is of
LARGEST = 2**34  # bytes of a file: the states of a large batch
LARGEST_HEAD = 2**28  # bytes


def refused(path: str | os.PathLike[str], message: str) -> LoadError:
    return LoadError([Diagnostic(severity="error", code="saved-code", message=message, file=os.fspath(path))])


def packed(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> bytes:
    """All of a file."""
    sizes = [[name, len(content)] for name, content in parts.items()]
    text = json.dumps({**head, "parts": sizes}, separators=(",", ":"), allow_nan=False).encode()
    rest = b"".join([struct.pack("<Q", len(text)), text, *parts.values()])
    digest = hashlib.sha256(rest).digest()
    return MAGIC + digest + signature(MAGIC + digest) + rest


def unpacked(content: bytes, *, trust: bool) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Head and parts. Raises ValueError that says what is damaged, GearwrightError for a file that this user or this
    version did not write."""
    if not content.startswith(NAME):
        meant = "; this looks like a robot's file: did you mean gearwright.load?" if _is_xml(content) else ""
        raise GearwrightError(f"this is not a saved simulation, as `Simulation.save` writes them{meant}")
    if not content.startswith(MAGIC):
        found = content[len(NAME) : len(NAME) + 8].partition(b"\n")[0].decode("ascii", "replace")
        raise GearwrightError(
            f"the file has format {found!r}, and this version reads {FORMAT}: save the simulation again"
        )
    digest, signed = (content[at : at + size] for at, size in ((len(MAGIC), DIGEST), (len(MAGIC) + DIGEST, SIZE)))
    rest = memoryview(content)[BEGIN:]
    if hashlib.sha256(rest).digest() != digest:
        raise ValueError("its checksum is wrong. Copy it again, or save it again")
    if not (trust or is_signed(MAGIC + digest, signed)):
        raise GearwrightError(
            "the file was not saved by you on this machine, and its code would run as you: if you trust where it comes "
            "from, open it with trust=True"
        )
    (length,) = struct.unpack_from("<Q", rest)
    if not 0 <= length <= min(LARGEST_HEAD, len(rest) - 8):
        raise ValueError("its header is longer than the file")
    head = json.loads(bytes(rest[8 : 8 + length]))
    if not isinstance(head, dict):
        raise ValueError("its header is not a table")
    return head, _parts(head.pop("parts", None), rest[8 + length :])


def _is_xml(content: bytes) -> bool:
    return content[:64].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _parts(sizes: Any, content: memoryview) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    at = 0
    for name, size in sizes:
        if not isinstance(name, str) or type(size) is not int or not 0 <= size <= len(content) - at or name in found:
            raise ValueError("its parts do not fit")
        found[name] = bytes(content[at : at + size])
        at += size
    if at != len(content):
        raise ValueError("it has data after its last part")
    return found


def written(path: str | os.PathLike[str], content: bytes) -> None:
    """Others may read the file, and not write it."""
    try:
        write_whole(path, content, mode=0o644)
    except OSError as error:
        raise SimulationError(f"{os.fspath(path)} cannot be written: {error.strerror or error}") from error


def read(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, bounded."""
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
        return file.read(status.st_size)
