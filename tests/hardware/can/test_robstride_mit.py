"""RobStride's MIT dialect, by the frames that LeRobot's bus sends."""

from __future__ import annotations

from struct import pack

from pytest import approx

from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.codec import MitCommand
from tests.hardware.can.turntable import Turntable

CLEAR, ENABLE, DISABLE, ZERO = (b"\xff" * 7 + bytes((c,)) for c in (0xFB, 0xFC, 0xFD, 0xFE))


def mode(number):
    return b"\xff" * 6 + bytes((number, 0xFC))


def decoded(frame, ranges):
    """As the client decodes it: id, position, velocity, torque, temperature."""
    d = frame.data
    p, v, t = d[1] << 8 | d[2], d[3] << 4 | d[4] >> 4, (d[4] & 15) << 8 | d[5]
    return (
        d[0], codec.to_float(p, -ranges.position_range, ranges.position_range, 16),
        codec.to_float(v, -ranges.velocity_range, ranges.velocity_range, 12),
        codec.to_float(t, -ranges.torque_range, ranges.torque_range, 12), (d[6] << 8 | d[7]) / 10,
    )  # fmt: skip


def test_the_handshake_and_a_move():
    table = Turntable("robstride_mit")
    ranges = table.device.ranges
    (frame,) = table.send(1, CLEAR)
    assert frame.id == 0xFD and decoded(frame, ranges) == approx((1, 0.0, 0.0, 0.0, 25.0), abs=0.02)  # half a step
    table.send(1, ENABLE)
    for _ in range(100):
        table.send(1, codec.pack(MitCommand(0.5, 0.0, 30.0, 1.0, 0.0), ranges))
        table.run(0.01)
    (frame,) = table.send(1, CLEAR)  # LeRobot asks for states so
    assert decoded(frame, ranges)[1] == approx(0.5, abs=0.01)
    assert table.device.enabled
    table.send(1, DISABLE)
    assert not table.device.enabled


def test_velocity_and_position_mode():
    table = Turntable("robstride_mit")
    table.send(1, mode(2))
    assert table.device.mode == "velocity" and not table.device.enabled
    table.send(1, ENABLE)
    table.send(1, pack("<ff", 2.0, 10.0))
    table.run(0.5)
    assert table.true[1] == approx(2.0, rel=0.02)
    table.send(1, mode(1))
    table.send(1, pack("<ff", 1.0, 1.0))
    table.run(4.0)
    assert table.true[0] == approx(1.0, abs=0.01)


def test_a_fault_is_said_before_it_is_cleared():
    table = Turntable("robstride_mit", timeout="0.05")
    table.send(1, ENABLE)
    table.run(0.1)
    assert table.device.errors == ("communication lost",)
    (frame,) = table.send(1, CLEAR)
    assert int.from_bytes(frame.data[1:5], "little") and frame.data[5:] == bytes(3)
    assert not table.device.errors


def test_zero():
    table = Turntable("robstride_mit")
    table.true[0] = 0.7
    table.run(0.01)
    (frame,) = table.send(1, ZERO)
    assert decoded(frame, table.device.ranges)[1] == approx(0.0, abs=1e-3)
