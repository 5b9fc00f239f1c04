"""The socket between the python-can plugin and a server: its place by channel name, and how frames cross it.

A record: id and flags, length, time, data; little-endian. Server and client write the same.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gearwright.errors import GearwrightError
from gearwright.hardware.frames import Frame
from gearwright.hardware.transports import system

HELLO = b"gearwright can 1\n"
_HEAD = struct.Struct("<IBBd")
_EXTENDED, _REMOTE, _FD, _SWITCH = 1, 2, 4, 8
BRIDGE = ".bridge"  # at the end of a channel's name: its clients' frames go to bridged buses, too
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def folder() -> Path:
    """Where sockets of this user are."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    user = os.getuid() if system.UNIX_SOCKETS else "user"
    place = Path(runtime) / "gearwright" if runtime else Path(tempfile.gettempdir()) / f"gearwright-{user}"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if system.UNIX_SOCKETS and (place.is_symlink() or place.stat().st_uid != user):
        raise GearwrightError(f"{place} belongs to another user: set XDG_RUNTIME_DIR to a folder of yours")
    return place


def path_of(channel: str) -> Path:
    """The socket of a channel."""
    if not _NAME.fullmatch(channel) or channel in (".", ".."):
        raise GearwrightError(
            f"a channel must be a name like can0: letters, digits, '_', '-' and '.', not {channel!r:.80}"
        )
    return folder() / f"{channel}.sock"


def is_bridged(channel: str) -> bool:
    """Whether a client that opens this channel asks for bridged buses."""
    return channel.endswith(BRIDGE)


def channels() -> list[str]:
    """Channels that have a socket."""
    return sorted(p.stem for p in folder().glob("*.sock"))


def free_channel() -> str:
    """can0, or the first after it that no server has."""
    if not system.UNIX_SOCKETS:
        return "can0"
    taken = {channel for channel in channels() if _is_served(channel)}
    return next(f"can{k}" for k in range(len(taken) + 1) if f"can{k}" not in taken)


def _is_served(channel: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path_of(channel)))
        except OSError:
            return False
    return True


def listen(channel: str) -> socket.socket:
    """A listening socket. One that a dead server left is replaced; one of a server that lives raises."""
    path = path_of(channel)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if path.exists():
            if _is_served(channel):
                raise GearwrightError(f"channel {channel!r} is served by another process: give another --channel")
            path.unlink(missing_ok=True)
        listening.bind(str(path))
        listening.listen(64)
    except BaseException:
        listening.close()
        raise
    return listening


def packed(frame: Frame, t: float) -> bytes:
    flags = _EXTENDED * frame.extended | _REMOTE * frame.remote | _FD * frame.fd | _SWITCH * frame.bitrate_switch
    return _HEAD.pack(frame.id, flags, len(frame.data), t) + frame.data


class Unpacker:
    """Frames out of a stream of bytes. What cannot be a frame raises ValueError."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[tuple[Frame, float]]:
        buffer, at = self._buffer + data, 0
        try:
            while len(buffer) - at >= _HEAD.size:
                number, flags, length, t = _HEAD.unpack_from(buffer, at)
                end = at + _HEAD.size + length
                if length > 64 or flags > 15:
                    raise ValueError(f"no frame: {length} bytes, flags {flags}")
                if len(buffer) < end:
                    break
                content = buffer[at + _HEAD.size : end]
                at = end
                yield Frame(number, content, *(bool(flags & bit) for bit in (1, 2, 4, 8))), t
        finally:
            self._buffer = buffer[at:]
