"""A VESC's own commands: packets of its serial port, which arrive in pieces over CAN."""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterator

from gearwright.hardware.frames import Frame

FILL, PROCESS, SHORT = 5, 7, 8  # CAN packets: seven bytes of a command; its length and checksum; one of six bytes
FIRMWARE, VALUES, SET_DUTY, SET_POSITION, ALIVE, FORWARD, SCAN = 0, 4, 5, 9, 30, 34, 62  # commands
VERSION = bytes((6, 2)) + b"gearwright\0" + bytes(12 + 4)  # of the firmware, name and serial number of the hardware
ANSWER = 0  # wanted, in a command over CAN
MOST = 255  # bytes whose place one byte can say


def pieces(command: bytes, sender: int, receiver: int, mode: int) -> list[Frame]:
    """A command as frames."""
    head = bytes((sender, mode))
    if len(command) <= 6:
        return [Frame(SHORT << 8 | receiver, head + command, extended=True)]
    parts = [bytes((k,)) + command[k : k + 7] for k in range(0, len(command), 7)]
    end = head + len(command).to_bytes(2, "big") + crc_hqx(command, 0).to_bytes(2, "big")
    return [
        *(Frame(FILL << 8 | receiver, part, extended=True) for part in parts),
        Frame(PROCESS << 8 | receiver, end, extended=True),
    ]


class Pieces:
    """What has arrived of a command."""

    def __init__(self) -> None:
        self._buffer = bytearray(MOST + 7)

    def whole(self, packet: int, data: bytes) -> tuple[int, int, bytes] | None:
        """Sender, mode and command, once its last frame is there."""
        if packet == SHORT and len(data) > 2:
            return data[0], data[1], data[2:]
        if packet == FILL:
            self._buffer[data[0] : data[0] + len(data) - 1] = data[1:]
        elif packet == PROCESS and len(data) == 6:
            command = bytes(self._buffer[: int.from_bytes(data[2:4], "big")])
            if crc_hqx(command, 0) == int.from_bytes(data[4:], "big"):
                return data[0], data[1], command
        return None


def packet(command: bytes) -> bytes:
    """A command on a serial port."""
    long = len(command) > 255
    head = bytes((2 + long,)) + len(command).to_bytes(1 + long, "big")
    return head + command + crc_hqx(command, 0).to_bytes(2, "big") + b"\3"


def commands(buffer: bytearray) -> Iterator[bytes]:
    """Whole commands at the head of what a serial port received, which it loses; bytes of no packet are skipped."""
    while buffer:
        long = buffer[0] == 3
        start = 2 + long
        if buffer[0] not in (2, 3):
            del buffer[0]
            continue
        if len(buffer) < start:
            return
        end = start + int.from_bytes(buffer[1:start], "big")
        if end - start > MOST + 1:
            del buffer[0]
            continue
        if len(buffer) < end + 3:
            return
        command = bytes(buffer[start:end])
        if packet(command) == buffer[: end + 3]:
            del buffer[: end + 3]
            yield command
        else:
            del buffer[0]
