"""Robotiq's grippers by the requests of their manual, and a client as it is."""

import random

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols.modbus import crc16, framed
from gearwright.hardware.rig import Rig

from .vendors import output, running

GRIPPER = """<robot name="gripper"><link name="base"/><link name="finger"><inertial><mass value="0.2"/>
  <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="fingers" type="prismatic"><parent link="base"/><child link="finger"/><axis xyz="1 0 0"/>
  <limit lower="0" upper="0.085" effort="235" velocity="0.15"/></joint></robot>"""


def hexed(text):
    return bytes.fromhex(text.replace(" ", ""))


@pytest.fixture
def rig():
    return Rig.of(gw.loads(GRIPPER), "robotiq")


def status(rig):
    """gOBJ, gSTA, gGTO, gACT, fault, echo, position, current: registers 2000 to 2002."""
    answer = rig.receive(hexed("09 03 07 D0 00 03 04 0E"))
    assert answer[:3] == b"\x09\x03\x06" and crc16(answer[:-2]).to_bytes(2, "little") == answer[-2:]
    bits = answer[3]
    return bits >> 6, bits >> 4 & 3, bits >> 3 & 1, bits & 1, answer[5], answer[6], answer[7], answer[8]


def activate(rig):
    assert rig.receive(hexed("09 10 03 E8 00 03 06 01 00 00 00 00 00 72 E1")) == hexed("09 10 03 E8 00 03 01 30")
    for _ in range(50):
        rig.step(100)
        if status(rig)[1] == 3:
            return
    raise AssertionError(status(rig))


def test_the_manuals_activation_and_closing(rig):
    assert status(rig)[:4] == (0, 0, 0, 0)
    activate(rig)
    close = "09 10 03 E8 00 03 06 09 00 00 FF FF FF 42 29"
    assert rig.receive(hexed(close)) == hexed("09 10 03 E8 00 03 01 30")
    rig.step(100)
    assert status(rig)[0] == 0  # on its way
    rig.step(1500)
    found = status(rig)
    assert found[0] == 3 and found[5] == 255 and found[6] == approx(255, abs=2)
    assert rig.plant.sim.position["fingers"] == approx(0.085, abs=1e-3)


def test_an_object_stops_it(rig):
    activate(rig)
    rig.receive(framed(hexed("09 10 03 E8 00 03 06 09 00 00 FF 80 00")))
    rig.step(150)
    rig.plant.drives["fingers"].faults.stall = True
    rig.step(400)
    assert status(rig)[0] == 2 and 5 < status(rig)[6] < 250


def test_going_without_activation_is_a_fault(rig):
    rig.receive(framed(hexed("09 10 03 E8 00 01 02 08 00")))
    assert status(rig)[4] == 7


def test_requests_that_are_refused(rig):
    assert rig.receive(framed(hexed("09 03 00 00 00 01"))) == framed(hexed("09 83 02"))  # address
    assert rig.receive(framed(hexed("09 03 07 D0 00 00"))) == framed(hexed("09 83 03"))  # number
    assert rig.receive(framed(hexed("09 06 07 D0 00 01"))) == framed(hexed("09 86 02"))  # inputs are read-only
    assert rig.receive(framed(hexed("08 03 07 D0 00 03"))) == b""  # another unit
    assert rig.receive(framed(hexed("09 17 07 D0 00 03 03 E8 00 01 02 00 00")))[:3] == b"\x09\x17\x06"


@pytest.mark.parametrize("kind", ["random", "nearly right"])
def test_the_line_survives(rig, kind):
    rng, before = random.Random(3), rig.plant.sim.state.copy()
    for _ in range(3000):
        data = rng.randbytes(rng.randrange(1, 60))
        if kind == "nearly right":
            function = rng.choice((3, 4, rng.randrange(256)))
            data = framed(bytes((9, 3 if function in (6, 16, 23) else function)) + data[:6])
        rig.receive(data)
    assert (rig.plant.sim.state == before).all()
    rig.lines["robotiq"].clear()
    assert status(rig)


CLIENT = """
import pyrobotiqgripper as rq
gripper = rq.RobotiqGripper(com_port="/dev/ttyUSB0", device_id=9)
gripper.connect()
gripper.activate()
gripper.start()
gripper.close()
print(gripper.position())
gripper.move(100)
print(gripper.position())
gripper.open()
print(gripper.position())
"""


def test_pyrobotiqgripper():
    pytest.importorskip("pyrobotiqgripper")
    with (
        gw.serve(gw.loads(GRIPPER), protocol="robotiq") as bench,
        running(CLIENT, ports={"/dev/ttyUSB0": bench.port}) as client,
    ):
        assert [int(line) for line in output(client, 60).split()] == approx([255, 100, 0], abs=3)
