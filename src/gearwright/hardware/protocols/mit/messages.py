"""The frames of MIT-style drives, for DBC files."""

from __future__ import annotations

from gearwright.hardware.protocols.dbc import DbcSignal, Message
from gearwright.hardware.protocols.mit.products import MitMotor


def command(m: MitMotor) -> tuple[DbcSignal, ...]:
    """Position, velocity, gains and torque of a client."""
    return (
        _symmetric("Position", 0, 16, m.position_range, "rad"),
        _symmetric("Velocity", 16, 12, m.velocity_range, "rad/s"),
        DbcSignal("Kp", 28, 12, scale=m.kp_range / 4095, unit="N·m/rad", big_endian=True),
        DbcSignal("Kd", 40, 12, scale=m.kd_range / 4095, unit="N·m·s/rad", big_endian=True),
        _symmetric("Torque", 52, 12, m.torque_range, "N·m"),
    )


def state(m: MitMotor) -> tuple[DbcSignal, ...]:
    """Behind the first byte, which is each product's own."""
    return (
        _symmetric("Position", 8, 16, m.position_range, "rad"),
        _symmetric("Velocity", 24, 12, m.velocity_range, "rad/s"),
        _symmetric("Torque", 36, 12, m.torque_range, "N·m"),
    )


def _symmetric(name: str, start: int, bits: int, most: float, unit: str) -> DbcSignal:
    return DbcSignal(name, start, bits, scale=2.0 * most / ((1 << bits) - 1), offset=-most, unit=unit, big_endian=True)


def damiao(node: int, master: int, m: MitMotor) -> list[Message]:
    status = (DbcSignal("Node", 4, 4, big_endian=True), DbcSignal("Status", 0, 4, big_endian=True))
    heat = (DbcSignal("MOS_Temperature", 48, 8, unit="°C"), DbcSignal("Rotor_Temperature", 56, 8, unit="°C"))
    return [
        Message(node, f"Drive{node}_Command", 8, "Master", command(m)),
        Message(master, f"Drive{node}_State", 8, f"Drive{node}", (*status, *state(m), *heat)),
    ]


def mini_cheetah(node: int, m: MitMotor) -> list[Message]:
    """Its answers all have one id, so that a DBC file has no place for them."""
    return [Message(node, f"Drive{node}_Command", 8, "Master", command(m))]
