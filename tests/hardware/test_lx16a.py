"""LX-16A servos: the manual's packets, and two clients as they are."""

from math import pi

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols import lx16a
from gearwright.hardware.rig import Rig

from .vendors import output, running, wheels

COUNT = 240 * pi / 180 / 1000


class Host:
    def __init__(self):
        self.rig = Rig.of(gw.loads(wheels(2)), "lx16a")

    def send(self, servo, command, parameters=b""):
        return self.rig.receive(lx16a.packet(servo, command, bytes(parameters)))

    def read(self, servo, command, signed=False):
        answer = self.send(servo, command)
        return int.from_bytes(answer[5:-1], "little", signed=signed)


@pytest.fixture
def host():
    return Host()


def test_a_packet_of_the_manual():
    """Id 1 to 500 counts in 1000 ms."""
    assert lx16a.packet(1, 1, bytes.fromhex("F401E803")) == bytes.fromhex("5555010701F401E80316")


def test_a_move_takes_its_time(host):
    host.send(1, 1, (200, 2, 0xE8, 3))  # 712 counts in 1 s
    host.rig.step(500)
    assert host.read(1, 28) == approx(606, abs=25)
    host.rig.step(1000)
    assert host.read(1, 28) == approx(712, abs=2)
    assert host.rig.plant.sim.position["j1"] == approx(212 * COUNT, abs=2 * COUNT)


def test_moves_that_wait_start_together(host):
    for servo in (1, 2):
        host.send(servo, 7, (88, 2, 0, 0))
    host.rig.step(100)
    assert host.read(1, 28) == 500
    host.send(lx16a.BROADCAST, 11)
    host.rig.step(800)
    assert [host.read(s, 28) for s in (1, 2)] == approx([600, 600], abs=2)


def test_motor_mode_unload_and_readings(host):
    host.send(1, 29, (1, 0, 0xF4, 1))  # half of the voltage
    host.rig.step(1000)
    assert host.rig.plant.sim.velocity["j1"] == approx(0.5 * 62.5 * pi / 30, rel=0.02)
    host.send(1, 31, (0,))
    assert host.read(1, 32) == 0
    assert host.read(1, 27) == 7400 and host.read(1, 26) == 25


def test_limits_offset_and_id_are_kept(host):
    host.send(1, 20, (100, 0, 132, 3))
    host.send(1, 17, (20,))
    host.send(1, 18)
    host.send(1, 13, (9,))
    device = host.rig.devices["j1"]
    device.power_on(0.0)
    assert host.read(9, 28, signed=True) == 480 and device.memory["high"] == 900
    assert host.send(1, 28) == b""


def test_a_locked_rotor_unloads(host):
    host.rig.plant.drives["j1"].faults.stall = True
    host.send(1, 1, (232, 3, 0, 0))
    host.rig.step(2000)
    assert host.rig.devices["j1"].errors == ("locked rotor",) and host.read(1, 32) == 0


PYLX16A = """
import time
from pylx16a.lx16a import LX16A
LX16A.initialize("/dev/ttyUSB0", 0.5)
servo = LX16A(1)
servo.set_angle_limits(0, 240)
servo.move(150, time=300)
end = time.monotonic() + 10
while abs(servo.get_physical_angle() - 150) > 0.5 and time.monotonic() < end:
    time.sleep(0.02)
print(servo.get_physical_angle(), servo.get_vin(), servo.get_temp())
"""
LEWANSOUL = """
import serial, time
import lewansoul_lx16a
servos = lewansoul_lx16a.ServoController(serial.Serial("/dev/ttyUSB0", 115200, timeout=1))
servos.move(2, 625, 300)
end = time.monotonic() + 10
while abs(servos.get_position(2) - 625) > 2 and time.monotonic() < end:
    time.sleep(0.02)
print(servos.get_position(2) * 0.24, 7400, 25)
"""


@pytest.mark.parametrize(("package", "script"), [("pylx16a", PYLX16A), ("lewansoul_lx16a", LEWANSOUL)])
def test_clients(package, script):
    pytest.importorskip(package)
    with (
        gw.serve(gw.loads(wheels(2)), protocol="lx16a") as bench,
        running(script, ports={"/dev/ttyUSB0": bench.port}) as client,
    ):
        assert [float(x) for x in output(client).split()] == approx([150, 7400, 25], abs=1.0)
