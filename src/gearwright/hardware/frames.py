"""Frames of a CAN bus."""

from __future__ import annotations

from typing import NamedTuple

STANDARD_IDS = 1 << 11
EXTENDED_IDS = 1 << 29
FD_LENGTHS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64)


class Frame(NamedTuple):
    """One frame, classic or FD. A remote frame asks for data and has none."""

    id: int
    data: bytes = b""
    extended: bool = False
    remote: bool = False
    fd: bool = False
    bitrate_switch: bool = False

    @property
    def valid(self) -> bool:
        """Whether a bus can carry it: transports drop others before a device sees them."""
        if not 0 <= self.id < (EXTENDED_IDS if self.extended else STANDARD_IDS):
            return False
        if self.fd:
            return not self.remote and len(self.data) in FD_LENGTHS
        return len(self.data) <= 8 and not self.bitrate_switch and not (self.remote and self.data)

    def __str__(self) -> str:
        name = f"{self.id:08X}" if self.extended else f"{self.id:03X}"
        return f"{name}#{'R' if self.remote else self.data.hex().upper()}"


def padded(data: bytes, fill: int = 0) -> bytes:
    """Data of an FD frame, filled up to the next length that FD has."""
    length = next((n for n in FD_LENGTHS if n >= len(data)), None)
    if length is None:
        raise ValueError(f"an FD frame has at most 64 bytes, not {len(data)}")
    return data + bytes([fill]) * (length - len(data))
