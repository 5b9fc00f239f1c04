"""The bundled arms through their buses: gears, screw, follower, gravity, and lockstep without SYNC."""

from __future__ import annotations

import struct
from itertools import pairwise
from math import tau

import pytest

import gearwright as gw
from gearwright import robots
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.mit import codec
from gearwright.hardware.protocols.mit.codec import MitCommand
from gearwright.hardware.rig import Rig
from tests.tolerances import ROUNDING

ON = b"\xff" * 7 + b"\xfc"


@pytest.fixture(scope="module")
def canopen_arm():
    return gw.load(robots.path("canopen_arm"))


def enabled(robot, mode: int) -> Rig:
    """All five drives in a mode."""
    rig = Rig.of(robot)
    rig.step(30)
    rig.send(Frame(0, b"\x01\0"))
    for node in range(1, 6):
        for word in (6, 7, 15):
            rig.send(Frame(0x200 + node, struct.pack("<Hb", word, mode)))
    assert {device.state for device in rig.devices.values()} == {"operation enabled"}
    return rig


def write(rig: Rig, node: int, index: int, value: int, size: int = 4) -> None:
    head = struct.pack("<BHB", 0x23 | (4 - size) << 2, index, 0)
    (answer, *_) = rig.send(
        Frame(0x600 + node, head + (value & (1 << 8 * size) - 1).to_bytes(size, "little").ljust(4, b"\0"))
    )
    assert answer.data[0] == 0x60, answer


def position(rig: Rig, joint: str) -> float:
    return float(rig.plant.sim.position[joint])


def test_counts_are_those_of_the_rotor(canopen_arm):
    """A turn of the motor is a fiftieth of a turn of the joint, and 4 mm of the jaws."""
    rig = enabled(canopen_arm, 1)
    for node in (1, 5):
        for index, value in ((0x607A, 4 * 4096), (0x6081, 20 * 4096), (0x6083, 100 * 4096), (0x6084, 100 * 4096)):
            write(rig, node, index, value)
        rig.send(Frame(0x200 + node, struct.pack("<Hb", 0x1F, 1)))
    rig.step(1500)
    assert position(rig, "turn") == pytest.approx(4 * tau / 50, abs=ROUNDING)
    assert position(rig, "right_jaw") == pytest.approx(0.016, abs=ROUNDING)
    assert position(rig, "left_jaw") == pytest.approx(position(rig, "right_jaw"), abs=1e-12)


def test_a_stalled_gripper_shows_the_current_limit(canopen_arm):
    rig = enabled(canopen_arm, 9)
    write(rig, 5, 0x6073, 300, 2)
    write(rig, 5, 0x60FF, 10 * 4096)  # opens, until it is at its stop of 40 mm
    rig.step(1900)
    jaw = rig.devices["right_jaw_motor"]
    assert position(rig, "right_jaw") == pytest.approx(0.04, abs=ROUNDING)
    assert jaw.drive.sample.current == pytest.approx(0.3 * jaw.drive.motor.current_rating, rel=ROUNDING)
    assert jaw.power.statusword() & 0x0800
    rig.step(1000)
    assert jaw.errors == ("motor blocked",)


def test_a_drive_holds_the_arm_and_lets_it_fall(canopen_arm):
    """The shoulder's torque is gravity's over the gear: 5.2 N·m at the horizontal, over 50."""
    rig = enabled(canopen_arm, 8)
    rig.step(800)
    gravity = 9.81 * (1.2 * 0.12 + 0.7 * 0.34 + 0.25 * 0.465 + 0.06 * 0.51)  # N·m, links and the place of their masses
    shoulder = rig.devices["shoulder_motor"]
    held = position(rig, "shoulder")
    assert abs(held) < 0.02
    assert -shoulder.drive.sample.torque * 50 == pytest.approx(gravity, abs=0.1 + 0.01 * gravity)  # 0.1 N·m of friction
    rig.send(Frame(0x202, struct.pack("<Hb", 0, 8)))
    rig.step(300)
    assert position(rig, "shoulder") > held + 0.2


def test_lockstep_waits_for_every_drive():
    """One step for each round of commands; a refresh request is none."""
    with gw.serve("damiao_arm", clock="lockstep") as bench, bench.can() as bus:
        import can

        def send(node: int, data: bytes) -> None:
            bus.send(can.Message(arbitration_id=node, data=data, is_extended_id=False))

        ranges = [device.ranges for device in bench.rig.devices.values()]
        for node in range(1, 9):
            send(node, ON)
        times = []
        for _ in range(20):
            for node, model in enumerate(ranges, 1):
                send(0x7FF, bytes((node, 0, 0xCC, 0, 0, 0, 0, 0)))
                send(node, codec.pack(MitCommand(0.1, 0.0, 20.0, 1.0, 0.0), model))
            times.append(bench.rig.time)
        steps = {round((b - a) / bench.rig.plant.dt) for a, b in pairwise(times)}
        assert steps == {1}


def test_a_drive_keeps_its_zero_in_a_file(tmp_path):
    kept = tmp_path / "eeprom.json"
    with gw.serve("damiao_arm", clock="lockstep", eeprom=kept) as bench, bench.lock:
        bench.sim.reset(position={"joint_1": 0.7})
        bench.rig.plant.latch()
        bench.rig.send(Frame(1, b"\xff" * 7 + b"\xfe"))
        bench.rig.send(Frame(0x7FF, bytes((1, 0, 0x55, 9)) + struct.pack("<I", 2000)))
    with gw.serve("damiao_arm", clock="lockstep", eeprom=kept) as bench:
        drive = bench.rig.devices["joint_1_drive"]
        assert drive.zero == pytest.approx(0.7, rel=ROUNDING) and drive.timeout == pytest.approx(0.1, rel=ROUNDING)
