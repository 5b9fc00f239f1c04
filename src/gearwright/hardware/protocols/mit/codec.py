"""Numbers in the frames of the family: whole numbers of 12 or 16 bits that span a range."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.hardware.protocols.mit.products import MitMotor

ENABLE, DISABLE, ZERO, CLEAR = 0xFC, 0xFD, 0xFE, 0xFB
SPECIAL = b"\xff" * 7  # followed by one of these


def to_whole(value: float, low: float, high: float, bits: int) -> int:
    """The nearest whole number; outside of the range, its end."""
    most = (1 << bits) - 1
    return round((min(max(value, low), high) - low) * most / (high - low))


def to_float(whole: int, low: float, high: float, bits: int) -> float:
    return low + whole * (high - low) / ((1 << bits) - 1)


class MitCommand(NamedTuple):
    """`τ = kp·(position − x) + kd·(velocity − ẋ) + torque`."""

    position: float
    velocity: float
    kp: float
    kd: float
    torque: float


def unpack(data: bytes, m: MitMotor) -> MitCommand:
    """Eight bytes, big-endian: position 16 bits, velocity, kp, kd and torque 12 bits each."""
    n = int.from_bytes(data, "big")
    return MitCommand(
        to_float(n >> 48, -m.position_range, m.position_range, 16),
        to_float(n >> 36 & 0xFFF, -m.velocity_range, m.velocity_range, 12),
        to_float(n >> 24 & 0xFFF, 0.0, m.kp_range, 12),
        to_float(n >> 12 & 0xFFF, 0.0, m.kd_range, 12),
        to_float(n & 0xFFF, -m.torque_range, m.torque_range, 12),
    )


def pack(command: MitCommand, m: MitMotor) -> bytes:
    """The frame of a client, for tests and examples."""
    p = to_whole(command.position, -m.position_range, m.position_range, 16)
    v = to_whole(command.velocity, -m.velocity_range, m.velocity_range, 12)
    kp = to_whole(command.kp, 0.0, m.kp_range, 12)
    kd = to_whole(command.kd, 0.0, m.kd_range, 12)
    t = to_whole(command.torque, -m.torque_range, m.torque_range, 12)
    return (p << 48 | v << 36 | kp << 24 | kd << 12 | t).to_bytes(8, "big")


def pack_state(position: float, velocity: float, torque: float, m: MitMotor) -> bytes:
    """Five bytes of an answer: position 16 bits, velocity and torque 12 bits each."""
    p = to_whole(position, -m.position_range, m.position_range, 16)
    v = to_whole(velocity, -m.velocity_range, m.velocity_range, 12)
    t = to_whole(torque, -m.torque_range, m.torque_range, 12)
    return (p << 24 | v << 12 | t).to_bytes(5, "big")
