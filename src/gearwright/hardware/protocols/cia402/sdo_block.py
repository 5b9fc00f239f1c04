"""Block transfers of CiA 301: up to 127 segments of seven bytes between two acknowledgements, with a checksum."""

from __future__ import annotations

from binascii import crc_hqx

from gearwright.hardware.protocols.cia402 import aborts
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError

LONGEST_BLOCK = 127  # segments
PART = 7  # bytes of a segment
LAST = 0x80  # with the number of a segment: no more follow
ACKNOWLEDGE, START, END = 2, 3, 1  # subcommands
UPLOAD, DOWNLOAD = 5 << 5, 6 << 5  # client commands; the server's are the other way round
WITH_CHECKSUM = 4


class BlockUpload:
    """The server's bytes to the client."""

    def __init__(self, data: bytes, request: bytes) -> None:
        self._data, self._checked = data, request[0] & WITH_CHECKSUM
        self._first = 0  # byte of the block that is on its way
        self._size = _block_size(request[4])
        self._sent = 0  # segments of it

    def begin(self, request: bytes) -> bytes:
        return bytes([DOWNLOAD | WITH_CHECKSUM | 2]) + request[1:4] + len(self._data).to_bytes(4, "little")

    def answer(self, request: bytes) -> list[bytes] | None:
        """Frames; None when the client has ended the transfer."""
        step = request[0] & 3
        if step == END:
            return None
        if step == ACKNOWLEDGE:
            if request[1] > self._sent:
                raise SdoAbortError(aborts.SEQUENCE)
            self._first += request[1] * PART
            self._size = _block_size(request[2])
            if self._first >= max(len(self._data), 1):
                return [self._end()]
        elif step != START:
            raise SdoAbortError(aborts.COMMAND)
        return self._block()

    def _block(self) -> list[bytes]:
        data = self._data[self._first : self._first + self._size * PART]
        parts = [data[k : k + PART] for k in range(0, len(data), PART)] or [b""]
        last = self._first + len(data) >= len(self._data)
        self._sent = len(parts)
        return [
            bytes([n | (LAST if last and n == len(parts) else 0)]) + part.ljust(PART, b"\0")
            for n, part in enumerate(parts, 1)
        ]

    def _end(self) -> bytes:
        unused = -len(self._data) % PART if self._data else PART
        check = crc_hqx(self._data, 0) if self._checked else 0
        return bytes([DOWNLOAD | unused << 2 | END]) + check.to_bytes(2, "little") + bytes(5)


class BlockDownload:
    """The client's bytes to the server. `data` holds them all once the transfer has ended."""

    def __init__(self, request: bytes, longest: int) -> None:
        if request[0] & 2 and int.from_bytes(request[4:8], "little") > longest:
            raise SdoAbortError(aborts.TOO_LONG)
        self._checked, self._longest = request[0] & WITH_CHECKSUM, longest
        self._received = bytearray()
        self._count = 0  # segments of this block that came in their order
        self._complete = False  # the last segment has come: the end follows
        self.data: bytes | None = None

    def begin(self, request: bytes) -> bytes:
        return bytes([UPLOAD | WITH_CHECKSUM]) + request[1:4] + bytes([LONGEST_BLOCK, 0, 0, 0])

    def answer(self, request: bytes) -> list[bytes]:
        return [self._end(request)] if self._complete else self._segment(request)

    def _segment(self, request: bytes) -> list[bytes]:
        number, last = request[0] & 0x7F, bool(request[0] & LAST)
        if number == self._count + 1:
            self._count = number
            self._received += request[1:8]
            self._complete = last
        if not last and number < LONGEST_BLOCK:
            return []
        if len(self._received) > self._longest + PART:
            raise SdoAbortError(aborts.TOO_LONG)
        taken, self._count = self._count, 0  # what is missing is sent again
        return [bytes([UPLOAD | ACKNOWLEDGE, taken, LONGEST_BLOCK]) + bytes(5)]

    def _end(self, request: bytes) -> bytes:
        if request[0] & 0xE3 != DOWNLOAD | END:
            raise SdoAbortError(aborts.COMMAND)
        data = bytes(self._received[: len(self._received) - (request[0] >> 2 & 7)])
        if self._checked and crc_hqx(data, 0) != int.from_bytes(request[1:3], "little"):
            raise SdoAbortError(aborts.CHECKSUM)
        self.data = data
        return bytes([UPLOAD | END]) + bytes(7)


def _block_size(segments: int) -> int:
    if not 0 < segments <= LONGEST_BLOCK:
        raise SdoAbortError(aborts.BLOCK_SIZE)
    return segments
