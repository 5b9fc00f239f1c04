"""Dynamixel 1.0: the manual's packets, AX and MX servos, and two clients as they are."""

from math import pi

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols import dynamixel1 as dxl
from gearwright.hardware.protocols.dynamixel1_servo import ANGLE_ERROR, CHECKSUM_ERROR, INSTRUCTION_ERROR, RANGE_ERROR
from gearwright.hardware.protocols.feetech_packets import packet
from gearwright.hardware.rig import Rig

from .vendors import output, running, wheels

LIMITS, TORQUE, GOAL, SPEED, LIMIT, POSITION, NOW, LOAD = 6, 24, 30, 32, 34, 36, 38, 40
AX_COUNT = 300 / 1024 * pi / 180


class Host:
    def __init__(self, rig):
        self.rig = rig

    def send(self, servo, instruction, parameters=b""):
        """Id, errors and data of each answer."""
        answer, found = self.rig.receive(packet(servo, instruction, bytes(parameters))), []
        while answer:
            size = 4 + answer[3]
            assert packet(answer[2], answer[4], answer[5 : size - 1]) == answer[:size]
            found.append((answer[2], answer[4], answer[5 : size - 1]))
            answer = answer[size:]
        return found

    def write(self, servo, address, *words):
        data = bytes((address,)) + b"".join(w.to_bytes(2, "little") for w in words)
        return self.send(servo, dxl.WRITE, data)[0][1]

    def byte(self, servo, address, value):
        return self.send(servo, dxl.WRITE, (address, value))[0][1]

    def read(self, servo, address, size=2):
        return int.from_bytes(self.send(servo, dxl.READ, (address, size))[0][2], "little")


@pytest.fixture(params=["ax-12a", "mx-28"])
def model(request):
    return request.param


@pytest.fixture
def host(model):
    return Host(Rig.of(gw.loads(wheels(3)), "dynamixel1", model=model))


def test_packets_of_the_manual():
    assert packet(1, dxl.PING) == bytes.fromhex("FFFF010201FB")
    assert packet(1, 0) == bytes.fromhex("FFFF010200FC")
    assert packet(1, 3, bytes.fromhex("0C64AA")) == bytes.fromhex("FFFF0105030C64AADC")


def test_errors(host):
    assert host.send(1, 0x77) == [(1, INSTRUCTION_ERROR, b"")]
    assert host.write(1, POSITION, 5) == RANGE_ERROR  # read-only
    assert host.byte(1, TORQUE, 7) == RANGE_ERROR
    assert host.write(1, LIMITS, 100, 900) == 0
    assert host.write(1, GOAL, 950) == ANGLE_ERROR
    assert host.send(1, dxl.ACTION) == [(1, INSTRUCTION_ERROR, b"")]
    broken = bytearray(packet(1, dxl.PING))
    broken[-1] ^= 1
    assert host.rig.receive(bytes(broken)) == packet(1, CHECKSUM_ERROR)


def test_a_goal_moves_the_servo_though_nobody_enabled_it(host, model):
    centre, count = (512, AX_COUNT) if model == "ax-12a" else (2048, 2 * pi / 4096)
    assert host.read(1, POSITION) == centre
    assert host.write(1, GOAL, centre + 200, 0) == 0
    host.rig.step(1500)
    assert host.read(1, POSITION) == approx(centre + 200, abs=2)
    assert host.rig.plant.sim.position["j1"] == approx(200 * count, abs=2 * count)
    assert host.read(1, TORQUE, 1) == 1


def test_wheel_mode(host, model):
    host.write(2, LIMITS, 0, 0)
    host.write(2, SPEED, 1024 + 300)
    host.rig.step(1500)
    assert host.rig.plant.sim.velocity["j2"] < -1.0
    if model == "mx-28":
        assert host.read(2, NOW) == approx(1024 + 300, abs=8)


def test_sync_write_and_bulk_read(host):
    goals = (2, 4, 1, 100, 2, 0, 1, 2, 200, 2, 0, 1)
    assert host.send(dxl.BROADCAST, dxl.SYNC_WRITE, (GOAL, *goals[1:])) == []
    host.rig.step(10)
    found = host.send(dxl.BROADCAST, dxl.BULK_READ, (0, 2, 1, GOAL, 2, 2, GOAL))
    assert [(i, int.from_bytes(d, "little")) for i, _, d in found] == [(1, 612), (2, 712)]


def test_overload_shuts_down_until_the_limit_is_set_again(host):
    host.rig.plant.drives["j1"].faults.stall = True
    host.write(1, GOAL, 900)
    host.rig.step(2500)
    assert host.send(1, dxl.PING)[0][1] == 32 and host.read(1, TORQUE, 1) == 0
    host.rig.plant.drives["j1"].faults.stall = False
    host.write(1, LIMIT, 800)
    assert host.send(1, dxl.PING)[0][1] == 0


SDK = """
import sys, time
import dynamixel_sdk as dxl
port, servos = dxl.PortHandler(sys.argv[1] if len(sys.argv) > 1 else "/dev/ttyUSB0"), dxl.PacketHandler(1.0)
port.openPort()
port.setBaudRate(1000000)
print(servos.ping(port, 1)[0])
while servos.write2ByteTxRx(port, 1, 30, 600)[0] != dxl.COMM_SUCCESS:
    pass
position = 0
while abs(position - 600) > 3:
    time.sleep(0.02)
    position, result, error = servos.read2ByteTxRx(port, 1, 36)
print(position)
"""
PYAX12 = """
import time
from pyax12.connection import Connection
servos = Connection(port="/dev/ttyUSB0", baudrate=1000000, timeout=0.5)
print([i for i in range(1, 5) if servos.ping(i)])
servos.goto(1, 30, speed=512, degrees=True)
end = time.monotonic() + 10
while abs(servos.get_present_position(1, degrees=True) - 30) > 1 and time.monotonic() < end:
    time.sleep(0.02)
print(servos.get_present_position(1, degrees=True))
servos.close()
"""


def test_dynamixel_sdk():
    pytest.importorskip("dynamixel_sdk")
    with (
        gw.serve(gw.loads(wheels(3)), protocol="dynamixel1") as bench,
        running(SDK, ports={"/dev/ttyUSB0": bench.port}) as client,
    ):
        number, position = map(int, output(client).split())
    assert number == 12 and position == approx(600, abs=3)


def test_pyax12():
    """It never switches the torque on."""
    pytest.importorskip("pyax12")
    with (
        gw.serve(gw.loads(wheels(3)), protocol="dynamixel1") as bench,
        running(PYAX12, ports={"/dev/ttyUSB0": bench.port}) as client,
    ):
        ids, angle = output(client).splitlines()
    assert ids == "[1, 2, 3]" and float(angle) == approx(30.0, abs=1.0)
