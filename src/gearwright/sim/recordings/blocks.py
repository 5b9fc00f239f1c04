"""Columns of numbers as compact bytes, exactly: what changes smoothly takes a fraction of its eight bytes.

Doubles are seen as integers. Of a smooth signal their differences of a higher order are small; each column takes the
order that suits it. These are laid out byte by byte, so that empty high bytes stand together, and compressed.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.sim.recordings.columns import Array

HEAD = struct.Struct("<II")  # rows, columns; then an order for each column
CHECKSUM = struct.Struct("<I")  # CRC-32 of all before it, at the end
HIGHEST = 5  # order of differences: beyond it rounding grows faster than the signal shrinks
SAMPLE = 256  # rows that decide the order
LEVEL = 1  # of zlib: three times as fast as its default, and a twentieth larger
MOST_BYTES = 1 << 31  # of a block that is read


def encode(table: Array) -> bytes:
    """(rows, columns) of doubles."""
    numbers = np.ascontiguousarray(table, "<f8")
    whole = numbers.T.copy(order="C").view("<i8")  # (columns, rows)
    orders = _orders(whole)
    for order in range(HIGHEST):
        whole[orders > order, 1:] = np.diff(whole[orders > order], axis=1)  # they wrap around, and so do their sums
    folded = (whole << 1) ^ (whole >> 63)  # small numbers of either sign have empty high bytes
    planes = np.ascontiguousarray(folded.view(np.uint8).reshape(-1, 8).T)
    block = HEAD.pack(*numbers.shape) + orders.tobytes() + zlib.compress(planes.tobytes(), LEVEL)
    return block + CHECKSUM.pack(zlib.crc32(block))


def rows(data: bytes) -> int:
    """How many rows a block claims to have."""
    found: int = HEAD.unpack_from(data)[0] if len(data) >= HEAD.size else 0
    return found


def decode(data: bytes, columns: int) -> Array:
    """The table of so many columns that was encoded. Raises GearwrightError if it is not one."""
    try:
        rows, found = HEAD.unpack_from(data)
        size, start = 8 * rows * columns, HEAD.size + columns
        if found != columns or size > MOST_BYTES or len(data) < start:
            raise ValueError
        orders = np.frombuffer(data, np.uint8, columns, HEAD.size)
        checksum, unpacking = CHECKSUM.pack(zlib.crc32(data[: -CHECKSUM.size])), zlib.decompressobj()
        raw = unpacking.decompress(data[start:], size + 1)
        if len(raw) != size or orders.max(initial=0) > HIGHEST or unpacking.unused_data != checksum:
            raise ValueError
    except (ValueError, struct.error, zlib.error):
        raise GearwrightError("a block of numbers is damaged") from None
    planes = np.frombuffer(raw, np.uint8).reshape(8, columns * rows)
    folded = np.ascontiguousarray(planes.T).view("<u8").reshape(columns, rows)
    whole = (folded >> np.uint64(1)).view("<i8") ^ -(folded & np.uint64(1)).view("<i8")
    for order in range(HIGHEST):
        whole[orders > order] = whole[orders > order].cumsum(axis=1, dtype=np.int64)
    return np.ascontiguousarray(whole.T).view("<f8")


def _orders(whole: Array) -> Array:
    """For each column the order whose differences have the fewest digits in some rows in the middle."""
    first = max(0, (whole.shape[1] - SAMPLE) // 2)
    part = whole[:, first : first + SAMPLE]
    digits = []
    for _ in range(HIGHEST + 1):
        size = np.log2(np.abs(part.astype(np.float64)) + 1.0)
        digits.append(size.mean(axis=1) if part.shape[1] else np.full(len(part), np.inf))
        part = np.diff(part, axis=1)
    orders: Array = np.argmin(digits, axis=0).astype(np.uint8)
    return orders
