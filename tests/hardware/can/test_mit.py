"""MIT-style drives frame by frame: the codec against a client's own, Damiao's registers, RobStride's parameters."""

from __future__ import annotations

import random
import struct

import pytest

from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.codec import MitCommand
from gearwright.hardware.protocols.mit.products import CUBEMARS, DAMIAO, MINI_CHEETAH, MitMotor
from tests.hardware.can.turntable import Turntable
from tests.tolerances import ROUNDING

ON, OFF, ZERO, CLEAR = (b"\xff" * 7 + bytes((code,)) for code in (0xFC, 0xFD, 0xFE, 0xFB))
MODELS = {**MINI_CHEETAH, **CUBEMARS, **DAMIAO}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_codec_is_exact_to_half_a_step(model):
    rng = random.Random(1)
    assert isinstance(model, MitMotor)
    wanted = MitCommand(
        *(rng.uniform(-m, m) for m in (model.position_range, model.velocity_range)),
        rng.uniform(0, model.kp_range), rng.uniform(0, model.kd_range), rng.uniform(-1, 1) * model.torque_range,
    )  # fmt: skip
    found = codec.unpack(codec.pack(wanted, model), model)
    for a, b, step in zip(wanted, found, steps_of(model), strict=True):
        assert abs(a - b) <= 0.5001 * step


def steps_of(model):
    return (2 * model.position_range / 65535, 2 * model.velocity_range / 4095, model.kp_range / 4095,
            model.kd_range / 4095, 2 * model.torque_range / 4095)  # fmt: skip


def test_the_codec_is_the_clients():
    """damiao-motor rounds down, so that its frames may be a step lower."""
    from damiao_motor import DaMiaoMotor

    model, motor = DAMIAO["4310"], DaMiaoMotor(1, 0x11, None, motor_type="4310")
    data = motor.encode_cmd_msg(1.5, -3.0, 2.0, 100.0, 1.0)
    for a, b, step in zip((1.5, -3.0, 100.0, 1.0, 2.0), codec.unpack(data, model), steps_of(model), strict=True):
        assert abs(a - b) <= step * 1.0001
    decoded = motor.decode_sensor_feedback(b"\x11" + codec.pack_state(1.5, -3.0, 2.0, DAMIAO["4310"]) + b"\x19\x1a")
    assert (decoded["pos"], decoded["vel"], decoded["torq"]) == pytest.approx((1.5, -3.0, 2.0), abs=0.01)  # 12 bits
    assert (decoded["status"], decoded["t_mos"], decoded["t_rotor"]) == ("ENABLED", 25.0, 26.0)


@pytest.mark.parametrize("name", ["mini_cheetah", "cubemars", "damiao"])
def test_spring_and_damper(name):
    """Against a load of 1 N·m a spring of 20 N·m/rad gives way by 0.05 rad."""
    table = Turntable(name)
    model = table.device.ranges
    frame = codec.pack(MitCommand(0.5, 0.0, 20.0, 1.0, 0.0), model)
    assert table.send(1, frame) and table.drive.torque == 0.0  # not enabled
    table.send(1, ON)
    table.load = -1.0
    table.send(1, frame)
    table.run(3.0)
    step = 2 * model.position_range / 65535 + (2 * model.velocity_range + 2 * model.torque_range) / 4095 / 20
    assert table.true[0] == pytest.approx(0.45, abs=step)
    table.send(1, OFF)
    table.run(0.01)
    assert table.drive.torque == 0.0


def test_answers_differ_by_product():
    small, ak, dm = (Turntable(name).send(1, ON)[0] for name in ("mini_cheetah", "cubemars", "damiao"))
    assert (small.id, len(small.data), small.data[0]) == (0, 6, 1)
    assert (ak.id, len(ak.data), ak.data[0], ak.data[6:]) == (0, 8, 1, bytes((65, 0)))
    assert (dm.id, len(dm.data), dm.data[0], dm.data[6:]) == (0x11, 8, 0x11, bytes((25, 25)))


def test_zero_is_where_it_stands():
    table = Turntable("damiao")
    table.true[0] = 1.25
    table.run(0.002)
    (before,) = table.send(1, OFF)
    (after,) = table.send(1, ZERO)
    assert int.from_bytes(before.data[1:3], "big") > int.from_bytes(after.data[1:3], "big") == 0x8000
    assert table.device.memory["zero"] == 1.25


# --- Damiao -----------------------------------------------------------------------------------------------------------


def register(table: Turntable, request: int, number: int, data: bytes = bytes(4)) -> bytes:
    answers = table.send(0x7FF, bytes((1, 0, request, number)) + data)
    return answers[0].data if answers else b""


def test_refresh_answers_without_a_command():
    table = Turntable("damiao", model="8009")
    (answer,) = table.send(0x7FF, bytes((1, 0, 0xCC)))
    assert answer == table.device.answer() and not table.device.commanded
    assert table.send(0x7FF, bytes((2, 0, 0xCC))) == []


def test_damiao_answers_in_the_kind_of_frame_that_asks():
    """OpenArm's C++ library talks CAN FD, and reads nothing else."""
    table = Turntable("damiao", model="8009")
    for fd, switch in ((False, False), (True, False), (True, True)):
        for id, data in ((1, b"\xff" * 7 + b"\xfc"), (0x7FF, bytes((1, 0, 0xCC)) + bytes(5))):
            (answer,) = table.send(id, data, fd=fd, bitrate_switch=switch)
            assert (answer.fd, answer.bitrate_switch, len(answer.data)) == (fd, switch, 8) and answer.valid


def test_registers_are_read_written_and_checked():
    table = Turntable("damiao")
    assert register(table, 0x33, 10)[4:] == bytes((1, 0, 0, 0))
    assert register(table, 0x55, 10, struct.pack("<I", 3)) == bytes((1, 0, 0x55, 10, 3, 0, 0, 0))
    assert register(table, 0x55, 10, struct.pack("<I", 9))[4] == 3  # out of range: it says what it has
    assert register(table, 0x55, 60, struct.pack("<f", 1.0))[4:] == struct.pack("<f", 24.0)  # read-only
    assert register(table, 0x33, 77) == b"" and register(table, 0xAA, 1)[2] == 0xAA
    register(table, 0x55, 21, struct.pack("<f", 6.0))
    assert table.device.ranges.position_range == 6.0
    register(table, 0x55, 7, struct.pack("<I", 0x99))
    assert table.send(1, OFF)[0].id == 0x99


def test_frames_of_other_modes_are_answered_and_ignored():
    table = Turntable("damiao")
    table.send(1, ON)
    before = table.drive.setpoint
    assert table.send(0x101, struct.pack("<ff", 1.0, 1.0)) and table.drive.setpoint is before


def test_position_velocity_and_force_modes():
    table = Turntable("damiao")
    register(table, 0x55, 10, struct.pack("<I", 2))
    table.send(1, ON)
    table.send(0x101, struct.pack("<ff", 1.0, 2.0))
    table.run(0.25)
    assert table.true[1] == pytest.approx(2.0, abs=1e-5)  # the limit, after some time constants
    table.run(1.0)
    assert table.true[0] == pytest.approx(1.0, abs=4e-10)  # what a second leaves
    register(table, 0x55, 10, struct.pack("<I", 3))
    table.send(0x201, struct.pack("<f", -1.0))
    table.run(0.5)
    assert table.true[1] == pytest.approx(-1.0, abs=ROUNDING)
    register(table, 0x55, 10, struct.pack("<I", 4))
    table.jammed = True
    table.send(0x301, struct.pack("<fHH", 9.0, 500, 1000))  # a tenth of the torque range
    table.run(0.2)
    assert table.drive.torque == pytest.approx(1.0, rel=ROUNDING)


def test_lost_communication():
    table = Turntable("damiao")
    register(table, 0x55, 9, struct.pack("<I", 1000))  # 50 ms
    table.send(1, ON)
    table.run(0.1)
    assert table.device.errors == ("LOST_COMM",) and table.drive.torque == 0.0
    assert table.send(1, ON)[0].data[0] >> 4 == 0xD  # not before it is cleared
    assert table.send(1, CLEAR)[0].data[0] >> 4 == 0
    assert table.send(1, ON)[0].data[0] >> 4 == 1


# --- RobStride --------------------------------------------------------------------------------------------------------


class RobStride:
    def __init__(self) -> None:
        self.table = Turntable("robstride")

    def send(self, kind: int, data: bytes = bytes(8), field: int = 0xFD) -> list:
        return self.table.send(kind << 24 | field << 8 | 1, data, extended=True)

    def write(self, index: int, packed: bytes) -> None:
        self.send(18, struct.pack("<HH", index, 0) + packed.ljust(4, b"\0"))

    def read(self, index: int) -> bytes:
        return self.send(17, struct.pack("<HHI", index, 0, 0))[0].data[4:]


def test_robstride_operation_mode():
    drive = RobStride()
    (answer,) = drive.send(3)
    assert answer.id == 2 << 24 | 2 << 22 | 1 << 8 | 0xFD
    m = drive.table.device.ranges
    whole = [codec.to_whole(x, -r, r, 16) for x, r in ((0.5, m.position_range), (0.0, m.velocity_range))]
    gains = [codec.to_whole(x, 0, r, 16) for x, r in ((20.0, m.kp_range), (1.0, m.kd_range))]
    drive.send(1, struct.pack(">HHHH", *whole, *gains), field=0x8000)
    drive.table.run(2.0)
    assert drive.table.true[0] == pytest.approx(0.5, abs=2e-4)  # half a step of 16 bits
    (answer,) = drive.send(4)
    assert answer.id >> 22 & 3 == 0
    p, _v, _t, heat = struct.unpack(">HHHH", answer.data)
    # 16 bits
    assert codec.to_float(p, -m.position_range, m.position_range, 16) == pytest.approx(0.5, abs=2e-4) and heat == 250


@pytest.mark.parametrize(("mode", "reference", "value"), [(1, 0x7016, 1.0), (5, 0x7016, 1.0), (2, 0x700A, 2.0)])
def test_robstride_modes(mode, reference, value):
    drive = RobStride()
    drive.write(0x7005, bytes((mode,)))
    drive.send(3)
    drive.write(0x7017, struct.pack("<f", 5.0))
    drive.write(reference, struct.pack("<f", value))
    drive.table.run(2.0)
    assert drive.table.true[1 if mode == 2 else 0] == pytest.approx(value, abs=ROUNDING)
    assert drive.read(0x7005)[0] == mode
    assert struct.unpack("<f", drive.read(0x7019 if mode != 2 else 0x701B))[0] == pytest.approx(value, abs=ROUNDING)


def test_robstride_faults_are_reported_and_cleared():
    drive = RobStride()
    drive.send(3)
    drive.table.drive.faults.over_temperature = 150.0
    (report,) = drive.table.run(0.01)
    assert report.id >> 24 == 21 and report.data[0] == 4
    assert drive.send(3)[0].id >> 16 & 0x3F == 4
    drive.table.drive.faults.over_temperature = None
    drive.table.run(0.01)
    assert drive.send(4, b"\1" + bytes(7))[0].id >> 16 & 0x3F == 0


def test_robstride_says_who_it_is_and_what_it_does_not_have():
    drive = RobStride()
    assert drive.send(0)[0].id == 1 << 8 | 0xFE
    assert drive.send(17, struct.pack("<HHI", 0x1234, 0, 0))[0].id >> 16 & 1
    assert drive.send(31) == [] and drive.table.device.malformed == 2


@pytest.mark.parametrize(("options", "byte"), [({}, 65), ({"temperature_offset": "0"}, 25)])
def test_the_temperature_of_cubemars_is_counted_from_where_its_firmware_does(options, byte):
    (answer,) = Turntable("cubemars", **options).send(1, bytes(8))
    assert answer.data[6] == byte
