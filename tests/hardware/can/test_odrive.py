"""CANSimple frame by frame."""

from __future__ import annotations

import struct

import pytest

from tests.hardware.can.turntable import Turntable
from tests.tolerances import ROUNDING

NODE = 2


class Axis:
    def __init__(self, **options: str) -> None:
        self.table = Turntable("odrive", NODE, **options)

    def send(self, command: int, format: str = "", *values: float) -> None:
        self.table.send(NODE << 5 | command, struct.pack("<" + format, *values))

    def ask(self, command: int, format: str, *, remote: bool = True) -> tuple:
        (answer,) = self.table.send(NODE << 5 | command, remote=remote)
        return struct.unpack("<" + format, answer.data)

    def arm(self, control: int = 3, input_mode: int = 1) -> None:
        self.send(0x0B, "II", control, input_mode)
        self.send(0x07, "I", 8)
        assert self.ask(0x01, "IBBBB")[1] == 8

    @property
    def position(self) -> float:
        return self.ask(0x09, "ff")[0]


@pytest.fixture
def axis() -> Axis:
    return Axis()


def test_heartbeat_and_encoder_are_cyclic(axis):
    sent = axis.table.run(1.0)
    assert [sum(f.id & 0x1F == c for f in sent) for c in (0x01, 0x09)] == [10, 100]


def test_a_query_is_a_remote_frame_or_an_empty_one(axis):
    assert axis.ask(0x17, "ff") == axis.ask(0x17, "ff", remote=False) == (24.0, 0.0)
    assert axis.ask(0x00, "8B")[0] == 2
    for command in (0x03, 0x06, 0x14, 0x15, 0x1C, 0x1D):
        assert axis.table.send(NODE << 5 | command, remote=True)


def test_position(axis):
    axis.arm()
    axis.send(0x0C, "fhh", 0.05, 0, 0)
    axis.table.run(1.0)
    assert axis.position == pytest.approx(0.05, abs=4e-9)  # single precision


def test_trapezoid_takes_its_time_and_says_when_it_is_done(axis):
    axis.send(0x11, "f", 2.0)
    axis.send(0x12, "ff", 10.0, 5.0)
    axis.arm(3, 5)
    axis.send(0x0C, "fhh", 2.0, 0, 0)
    axis.table.run(1.0)  # 2/10 s and 2/5 s of ramps: 1.3 s in all
    assert axis.ask(0x01, "IBBBB")[3] == 0
    axis.table.run(0.35)
    assert axis.ask(0x01, "IBBBB")[3] == 1
    axis.table.run(0.3)
    assert axis.position == pytest.approx(2.0, abs=1e-6)  # single precision


def test_velocity_ramp(axis):
    axis.arm(2, 2)  # 10 turn/s²
    axis.send(0x0D, "ff", 2.0, 0.0)
    axis.table.run(0.1)
    assert axis.ask(0x09, "ff")[1] == pytest.approx(1.0, abs=5e-3)  # half a step of the ramp
    axis.table.run(0.5)
    assert axis.ask(0x09, "ff")[1] == pytest.approx(2.0, rel=ROUNDING)


def test_torque_and_its_limit(axis):
    axis.arm(1, 1)
    axis.send(0x0E, "f", 0.5)
    axis.table.run(0.05)
    assert axis.ask(0x1C, "ff") == pytest.approx((0.5, 0.5), rel=ROUNDING)
    axis.send(0x0F, "ff", 100.0, 0.2)
    axis.table.run(0.01)
    assert axis.ask(0x14, "ff")[1] == pytest.approx(0.2, rel=1e-7)  # single precision


def test_position_filter_arrives_without_overshoot(axis):
    axis.arm(3, 3)
    axis.send(0x0C, "fhh", 0.1, 0, 0)
    highest = 0.0
    for _ in range(100):
        axis.table.run(0.01)
        highest = max(highest, axis.position)
    assert axis.position == pytest.approx(0.1, abs=5e-8) and highest < 0.1 + 5e-8  # the filter's tail


def test_set_absolute_position_does_not_move_it(axis):
    axis.arm()
    axis.table.run(0.1)
    axis.send(0x19, "f", 5.0)
    axis.table.run(0.2)
    assert axis.position == pytest.approx(5.0, abs=ROUNDING) and axis.table.true[0] == pytest.approx(0.0, abs=ROUNDING)


def test_states_that_it_does_not_have(axis):
    axis.send(0x07, "I", 99)
    assert axis.ask(0x01, "IBBBB")[1:3] == (1, 13)
    axis.send(0x07, "I", 11)
    assert axis.ask(0x01, "IBBBB")[1:3] == (1, 12)  # homing without an end stop
    axis.send(0x07, "I", 3)
    assert axis.ask(0x01, "IBBBB")[1:3] == (3, 1)
    axis.table.run(1.0)
    assert axis.ask(0x01, "IBBBB")[1:3] == (1, 0)


def test_estop_disarms_until_it_is_cleared(axis):
    axis.arm()
    axis.send(0x02)
    axis.send(0x07, "I", 8)
    assert axis.ask(0x03, "II") == (0x02000000, 0x02000000)
    assert axis.ask(0x01, "IBBBB")[1:3] == (1, 3)
    axis.send(0x18, "B", 0)
    axis.arm()


def test_the_watchdog_coasts():
    axis = Axis(watchdog="0.1")
    axis.arm(1, 1)
    axis.send(0x0E, "f", 0.1)
    axis.table.run(0.2)
    assert axis.ask(0x01, "IBBBB")[:2] == (0x01000000, 1)
    assert axis.table.drive.torque == 0.0


def test_overspeed(axis):
    axis.send(0x0F, "ff", 1.0, 10.0)
    axis.arm(1, 1)
    axis.send(0x0E, "f", 1.0)
    axis.table.run(0.5)
    assert axis.ask(0x03, "II")[1] == 0x00008000


def test_nonsense_is_counted(axis):
    axis.arm()
    before = axis.table.drive.setpoint
    axis.send(0x0C, "fhh", float("nan"), 0, 0)
    axis.send(0x0C, "f", 1.0)
    axis.send(0x0B, "II", 9, 9)
    axis.send(0x1F)
    assert axis.table.drive.setpoint is before and axis.table.device.malformed == 4


def test_the_id_is_changed_for_the_right_serial_number(axis):
    (answer,) = axis.table.send(NODE << 5 | 0x06, remote=True)
    axis.table.send(NODE << 5 | 0x06, bytes((7,)) + b"\1" * 6)
    assert axis.table.device.node == NODE
    axis.table.send(NODE << 5 | 0x06, bytes((7,)) + answer.data[1:7])
    assert axis.table.device.node == 7
    assert axis.table.device.memory["node"] == 7


def test_addresses_are_asked_for_by_broadcast(axis):
    """As a client enumerates a bus of drives that it does not know, and gives one of them another node."""
    (answer,) = axis.table.send(0x3F << 5 | 0x06, remote=True)
    assert answer.id == 2 << 5 | 0x06 and answer.data[0] == 2
    assert axis.table.send(0x3F << 5 | 0x09, remote=True) == []  # nothing else is for all
    axis.table.send(0x3F << 5 | 0x06, bytes([9]) + answer.data[1:7] + b"\0")
    (moved,) = axis.table.send(0x3F << 5 | 0x06, remote=True)
    assert moved.id == 9 << 5 | 0x06 and moved.data[0] == 9 and moved.data[1:7] == answer.data[1:7]
