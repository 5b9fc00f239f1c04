"""Indirect data of a Dynamixel servo: bytes that stand for others, whose addresses clients write to a table."""

from __future__ import annotations

from gearwright.hardware.protocols.dynamixel_table import BLOCKS, INDIRECT


def targets(image: bytearray) -> dict[int, int]:
    """Addresses of indirect data that stand for others, and those."""
    found = dict[int, int]()
    for at, data in BLOCKS:
        if data < len(image):
            for k in range(INDIRECT):
                target = image[at + 2 * k] | image[at + 2 * k + 1] << 8
                if target < BLOCKS[0][0]:
                    found[data + k] = target
    return found


def direct_writes(image: bytearray, address: int, data: bytes) -> list[tuple[int, bytes]]:
    """A write as writes of the registers themselves: neighbours in indirect data may be far apart."""
    indirect, runs = targets(image), list[tuple[int, bytes]]()
    if not any(address + k in indirect for k in range(len(data))):
        return [(address, data)]
    for k, byte in enumerate(data, start=address):
        target = indirect.get(k, k)
        if runs and runs[-1][0] + len(runs[-1][1]) == target:
            runs[-1] = (runs[-1][0], runs[-1][1] + bytes((byte,)))
        else:
            runs.append((target, bytes((byte,))))
    return runs
