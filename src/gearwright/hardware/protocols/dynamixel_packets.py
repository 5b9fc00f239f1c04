"""Packets of Dynamixel protocol 2.0: `FF FF FD 00 id length instruction parameters CRC`, with stuffed bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

HEAD = b"\xff\xff\xfd"
STUFFED = b"\xff\xff\xfd\xfd"
LONGEST = 1024  # bytes after the length field
STATUS = 0x55
BROADCAST = 0xFE
_POLYNOMIAL = 0x8005


def _row(byte: int) -> int:
    crc = byte << 8
    for _ in range(8):
        crc = (crc << 1 ^ _POLYNOMIAL if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


_TABLE = [_row(byte) for byte in range(256)]


def crc16(data: bytes) -> int:
    """CRC-16 of polynomial 0x8005, from 0, most significant bit first."""
    crc, table = 0, _TABLE
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ table[crc >> 8 ^ byte]
    return crc


def packet(servo: int, instruction: int, parameters: bytes = b"") -> bytes:
    """A whole packet."""
    body = (bytes((instruction,)) + parameters).replace(HEAD, STUFFED)
    data = HEAD + bytes((0, servo)) + (len(body) + 2).to_bytes(2, "little") + body
    return data + crc16(data).to_bytes(2, "little")


def status(servo: int, error: int, parameters: bytes = b"") -> bytes:
    return packet(servo, STATUS, bytes((error,)) + parameters)


def fast_status(parts: list[tuple[int, int, bytes]], length: int) -> bytes:
    """One packet that several servos write in turn: of each its error, its id, its data and the CRC up to there.

    `length` is that of all the servos asked, so that a host waits for those that say nothing. Nothing is stuffed.
    """
    data = HEAD + bytes((0, BROADCAST)) + (length + 1).to_bytes(2, "little") + bytes((STATUS,))
    for error, servo, content in parts:
        data += bytes((error, servo)) + content
        data += crc16(data).to_bytes(2, "little")
    return data


class Packet(NamedTuple):
    servo: int
    instruction: int
    parameters: bytes
    intact: bool  # whether its CRC is right


class Finder:
    """Finds packets in bytes that arrive in any pieces; other bytes are skipped and counted."""

    def __init__(self) -> None:
        self._buffer = b""
        self.malformed = 0

    def clear(self) -> None:
        self._buffer = b""

    @property
    def waiting(self) -> bool:
        return bool(self._buffer)

    def feed(self, data: bytes) -> Iterator[Packet]:
        buffer, at = self._buffer + data, 0
        while True:
            head = buffer.find(HEAD, at)
            if head < 0:
                at = max(at, len(buffer) - 2)
                break
            at = head
            if len(buffer) - head < 8:
                break
            length = int.from_bytes(buffer[head + 5 : head + 7], "little")
            if buffer[head + 3] != 0 or not 3 <= length <= LONGEST:
                self.malformed += 1
                at = head + 3
                continue
            end = head + 7 + length
            if len(buffer) < end:
                break
            intact = crc16(buffer[head : end - 2]) == int.from_bytes(buffer[end - 2 : end], "little")
            body = buffer[head + 7 : end - 2].replace(STUFFED, HEAD)
            self.malformed += not intact
            at = end  # also of one whose CRC is wrong: each byte is looked at once
            yield Packet(buffer[head + 4], body[0], body[1:], intact)
        self._buffer = buffer[at:]
