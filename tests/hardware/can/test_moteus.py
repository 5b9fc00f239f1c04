"""Multiplex frames, made and read by moteus' own codec."""

from __future__ import annotations

import math
import struct

import moteus
import pytest
from moteus import Mode, Register
from moteus.protocol import parse_reply

from gearwright.hardware.frames import Frame
from tests.hardware.can.turntable import Turntable
from tests.tolerances import ROUNDING


class Controller:
    """The client's frame maker around one device."""

    def __init__(self) -> None:
        self.table = Turntable("moteus")
        self.client = moteus.Controller(id=1, transport=object())

    def send(self, command) -> dict:
        id = command.destination | command.source << 8 | (0x8000 if command.reply_required else 0)
        data = bytes(command.data)
        length = next(n for n in (*range(9), 12, 16, 20, 24, 32, 48, 64) if n >= len(data))
        frame = Frame(id, data.ljust(length, b"\x50"), id > 0x7FF, False, True, True)
        answers = self.table.device.on_frame(frame, self.table.time)
        if not answers:
            return {}
        assert answers[0].id == 0x100 and answers[0].fd
        return parse_reply(answers[0].data)

    def position(self, **values) -> dict:
        return self.send(self.client.make_position(query=True, **values))

    def query(self) -> dict:
        return self.send(self.client.make_query())


@pytest.fixture
def controller() -> Controller:
    return Controller()


def test_query(controller):
    values = controller.query()
    assert (
        values[Register.MODE] == Mode.STOPPED
        and values[Register.VOLTAGE] == 24.0
        and values[Register.TEMPERATURE] == 25.0
    )


@pytest.mark.parametrize("resolution", [moteus.INT8, moteus.INT16, moteus.INT32, moteus.F32])
def test_resolutions(controller, resolution):
    controller.table.true[:] = [0.6, 0.0]
    controller.table.run(0.001)
    query = moteus.QueryResolution()
    query.position = query.velocity = query.torque = resolution
    values = controller.send(controller.client.make_query(query_override=query))
    step = {moteus.INT8: 0.01, moteus.INT16: 1e-4, moteus.INT32: 1e-5, moteus.F32: 1e-7}[resolution]
    assert values[Register.POSITION] == pytest.approx(0.6 / math.tau, abs=step)


def test_position_with_a_trajectory(controller):
    for _ in range(40):
        controller.position(position=1.0, velocity_limit=2.0, accel_limit=10.0)
        controller.table.run(0.01)
    assert controller.table.true[1] / math.tau == pytest.approx(2.0, abs=4e-7)  # single precision
    for _ in range(80):
        values = controller.position(position=1.0, velocity_limit=2.0, accel_limit=10.0)
        controller.table.run(0.01)
    assert values[Register.POSITION] == pytest.approx(1.0, abs=ROUNDING)
    assert controller.table.device.servo.complete


def test_velocity_until_the_stop_position(controller):
    for _ in range(100):
        values = controller.position(position=math.nan, velocity=1.0, stop_position=0.5)
        controller.table.run(0.01)
    assert values[Register.POSITION] == pytest.approx(0.5, abs=5e-3)  # it is braked there


def test_the_torque_limit_holds(controller):
    controller.table.jammed = True
    controller.position(position=10.0, maximum_torque=0.3)
    controller.table.run(0.05)
    assert controller.query()[Register.TORQUE] == pytest.approx(0.3, abs=1e-7)  # single precision


def test_a_command_times_out_and_is_left_by_stopping(controller):
    controller.position(position=0.0)
    controller.table.run(0.15)
    assert controller.query()[Register.MODE] == Mode.TIMEOUT
    controller.position(position=0.0)
    assert controller.query()[Register.MODE] == Mode.TIMEOUT
    controller.send(controller.client.make_stop())
    controller.position(position=0.0, watchdog_timeout=math.nan)
    controller.table.run(5.0)
    assert controller.query()[Register.MODE] == Mode.POSITION


def test_other_modes(controller):
    make = controller.client
    controller.table.true[1] = 10.0
    controller.table.run(0.001)
    controller.send(make.make_brake())
    assert controller.query()[Register.MODE] == Mode.BRAKE
    controller.send(make.make_stop())
    controller.send(make.make_current(d_A=0.0, q_A=1.5))
    controller.table.run(0.01)
    assert controller.query()[Register.TORQUE] == pytest.approx(1.5, abs=ROUNDING)
    controller.table.true[:] = [0.0, 0.0]
    for _ in range(50):
        controller.send(make.make_stay_within(lower_bound=0.2, upper_bound=0.3))
        controller.table.run(0.01)
    assert 0.19 < controller.table.true[0] / math.tau < 0.31  # free in between


def test_outputs_are_set(controller):
    controller.table.true[0] = 3.3 * math.tau
    controller.table.run(0.001)
    controller.send(controller.client.make_set_output_exact(position=7.0))
    assert controller.query()[Register.POSITION] == pytest.approx(7.0, abs=ROUNDING)
    controller.send(controller.client.make_set_output_nearest(position=0.1))
    assert controller.query()[Register.POSITION] == pytest.approx(0.0, abs=ROUNDING)


def test_faults_stop_it(controller):
    controller.position(position=0.0)
    controller.table.drive.faults.over_temperature = 150.0
    controller.table.run(0.01)
    values = controller.query()
    assert (values[Register.MODE], values[Register.FAULT]) == (Mode.FAULT, 38)
    controller.send(controller.client.make_stop())
    controller.table.drive.faults.over_temperature = None
    controller.table.run(0.01)
    assert controller.position(position=0.0)[Register.MODE] == Mode.POSITION


def test_an_unknown_register_is_a_read_error(controller):
    (answer,) = controller.table.send(0x8001, bytes((0x11, 0x3F)), extended=True, fd=True)
    assert answer.data == bytes((0x31, 0x3F, 0x01))


def test_a_frame_for_another_uuid_is_ignored(controller):
    device = controller.table.device
    own = struct.unpack("<i", device.uuid[:4])[0]
    for value, answers in ((own, 1), (own + 1, 0)):
        data = bytes((0x09, 0xD4, 0x02)) + struct.pack("<i", value) + bytes((0x11, 0x00, 0x50, 0x50, 0x50))
        assert len(controller.table.send(0x807F, data, extended=True, fd=True)) == answers


def test_malformed_frames_do_nothing(controller):
    for data in (b"\x01", b"\x0d\x20\x00", b"\x60", b"\x40\x01\xff", b"\x01\xff\xff\xff\xff\xff\xff"):
        assert controller.table.send(0x8001, data, extended=True, fd=True) == []
    assert controller.table.device.malformed == 5
