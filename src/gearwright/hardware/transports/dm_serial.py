"""Damiao's USB adapter with a serial port: 30 bytes for each frame to the bus, 16 for each frame from it."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

from gearwright.hardware.frames import Frame
from gearwright.hardware.networks import CanNetwork

HEAD, LENGTH, SHORT = b"\x55\xaa", 30, 29  # bytes of a request; some clients leave its checksum out
SEND, SEND_SILENTLY, HANDSHAKE = 1, 3, 2  # requests
RECEIVED, END = 0x11, 0x55  # of what it passes on
# length, request, times, interval, whether the id is extended, id, whether it is remote, length of the data
_REQUEST = Struct("<2xBBIIBIBB2x8s")
_FRAME = Struct("<BBBI8sB")
EXTENDED, REMOTE = 0x40, 0x80  # beside the length of a frame that it passes on


class DmSerial:
    """One adapter: it finds requests in the bytes of its host, and passes on every classic frame of the bus."""

    client = 'motorbridge.Controller.from_dm_serial("{port}")'

    def __init__(self, network: CanNetwork) -> None:
        self._network, self._buffer = network, b""
        self.send: Callable[[bytes], None] = lambda data: None  # to the host; set by the transport
        network.attach(self)

    def clear(self) -> None:
        """The host has gone: a request that it began is forgotten."""
        self._buffer = b""

    def close(self) -> None:
        self._network.detach(self)

    def receive(self, data: bytes) -> None:
        """Bytes of the host, in any pieces."""
        buffer, at = self._buffer + data, 0
        while (head := buffer.find(HEAD, at)) >= 0:
            at = head
            size = buffer[head + 2] if len(buffer) > head + 2 else LENGTH
            if size not in (LENGTH, SHORT):
                self._network.malformed += 1
                at = head + 2
                continue
            if len(buffer) - head < SHORT:
                break
            self._serve(buffer[head : head + SHORT])
            whole = len(buffer) > head + SHORT and buffer[head + SHORT : head + SHORT + 2] != HEAD
            at = head + SHORT + whole
        else:
            at = max(at, len(buffer) - (buffer[-1:] == HEAD[:1]))
        self._buffer = buffer[at:]

    def _serve(self, request: bytes) -> None:
        _, kind, _, _, extended, name, remote, length, content = _REQUEST.unpack(request)
        frame = Frame(name, b"" if remote else content[: min(length, 8)], bool(extended), bool(remote))
        if kind not in (SEND, SEND_SILENTLY) or not frame.valid:
            self._network.malformed += kind != HANDSHAKE
            return
        self._network.transmit(frame, self)

    def deliver(self, frame: Frame, t: float) -> None:
        """Frames of CAN FD are more than it knows."""
        if not frame.fd:
            kind = len(frame.data) | EXTENDED * frame.extended | REMOTE * frame.remote
            self.send(_FRAME.pack(0xAA, RECEIVED, kind, frame.id, frame.data.ljust(8, b"\0"), END))


def request(frame: Frame) -> bytes:
    """What a host writes, for tests."""
    content = frame.data.ljust(8, b"\0")
    row = (LENGTH, SEND_SILENTLY, 1, 10, frame.extended, frame.id, frame.remote, len(frame.data), content)
    return HEAD + _REQUEST.pack(*row)[2:] + b"\0"
