"""Hobby servos behind the daemon of pigpio: its own client, and gpiozero, unmodified."""

import socket
import struct
from math import pi

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.rig import Rig

from .vendors import output, running, until, vendor, wheels

PIGPIO = """
import time
import pigpio
pi = pigpio.pi(port=PORT)
assert pi.connected and pi.get_hardware_revision() and pi.get_pigpio_version() >= 79
pi.set_mode(1, pigpio.OUTPUT)
pi.set_servo_pulsewidth(1, 2000)
pi.set_PWM_frequency(2, 50)
pi.set_PWM_range(2, 20000)
pi.set_PWM_dutycycle(2, 1000)
assert (pi.get_mode(1), pi.get_servo_pulsewidth(1), pi.get_PWM_dutycycle(2)) == (1, 2000, 1000)
for wrong in (lambda: pi.set_servo_pulsewidth(1, 3000), lambda: pi.set_servo_pulsewidth(99, 1500),
              lambda: pi.get_servo_pulsewidth(5), lambda: pi.i2c_open(1, 0x40)):
    try:
        wrong()
    except pigpio.error as error:
        print(error)
time.sleep(2)
pi.set_servo_pulsewidth(1, 0)
pi.stop()
"""
GPIOZERO = """
import time
from gpiozero import AngularServo
from gpiozero.pins.pigpio import PiGPIOFactory
servo = AngularServo(3, min_angle=-90, max_angle=90, min_pulse_width=0.0005, max_pulse_width=0.0025,
                     pin_factory=PiGPIOFactory(port=PORT))
servo.angle = 45
time.sleep(2)
"""


@pytest.fixture(scope="module")
def bench():
    with gw.serve(gw.loads(wheels(3, 0.01)), protocol="pigpio", model="mg996r") as made:
        yield made


def test_the_daemons_client(bench):
    pytest.importorskip("pigpio")
    with running(f"PORT = {bench.port}\n{PIGPIO}") as client:
        assert until(lambda: bench.rig.devices["j1"].state == "pulses of 2000 µs")
        text = output(client, 60.0)
    assert (bench.sim.position["j1"], bench.sim.position["j2"]) == approx((pi / 4, -pi / 4), abs=0.01)
    assert [line.split("'")[1] for line in text.splitlines()] == [
        "pulsewidth not 0 or 500-2500", "GPIO not 0-31", "GPIO is not in use for servo pulses", "unknown command",
    ]  # fmt: skip
    assert bench.rig.devices["j1"].state == "no pulses"


def test_gpiozero(bench):
    pytest.importorskip("pigpio")
    folders = vendor("gpiozero"), vendor("colorzero")
    with running(f"PORT = {bench.port}\n{GPIOZERO}", path=folders) as client:
        output(client, 60.0)
    assert bench.sim.position["j3"] == approx(pi / 4, abs=0.02)


def request(command, first=0, second=0, extension=b""):
    return struct.pack("<4I", command, first, second, len(extension)) + extension


def test_a_servo_turns_in_proportion_to_its_pulses_and_coasts_without():
    rig = Rig.of(gw.loads(wheels(1, 0.001)), "pigpio", nodes={"j1": 18}, options={"travel": "270"}, model="sg90")
    for width, angle in ((500, -135), (1500, 0), (2500, 135)):
        assert rig.receive(request(8, 18, width)) == struct.pack("<3Ii", 8, 18, width, 0)
        rig.step(2000)
        assert rig.plant.sim.position["j1"] * 180 / pi == approx(angle, abs=0.5)
    assert rig.receive(request(86, 18, 50, struct.pack("<I", 75000)))[12:] == bytes(4)  # hardware PWM: 1500 µs
    rig.step(2000)
    assert rig.plant.sim.position["j1"] == approx(0.0, abs=0.01)
    rig.receive(request(4, 18, 0))
    assert rig.devices["j1"].state == "no pulses"
    assert rig.receive(request(83, 18))[12:] == struct.pack("<i", -92)


def test_nothing_that_a_client_sends_breaks_the_daemon(bench, rng):
    at = ("127.0.0.1", int(bench.port))
    for data in (
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\0\1\0",
        request(8, 1, 1500)[:12] + b"\xff" * 4,
        b"{}\n" * 9,
    ):
        with socket.create_connection(at, timeout=10) as client:
            client.sendall(data)
            assert client.recv(100) == b""  # hung up
    with socket.create_connection(at, timeout=10) as client:
        for command in range(130):
            numbers = [int(x) for x in rng.integers(0, 2**32, 2)]
            extension = rng.bytes(int(rng.integers(0, 9)))
            whole = request(command, *numbers, extension)
            client.sendall(whole[:5])
            client.sendall(whole[5:])
            answer = client.recv(16, socket.MSG_WAITALL)
            assert answer[:12] == whole[:12]
    with socket.create_connection(at, timeout=10) as client:
        client.sendall(request(8, 1, 1500))
        assert client.recv(16, socket.MSG_WAITALL)[12:] == bytes(4)
    assert until(lambda: bench.loop.clients == 0)


def test_a_token_is_not_promised(bench):
    with pytest.raises(gw.GearwrightError, match="cannot send a token"):
        gw.serve(gw.loads(wheels(1)), protocol="pigpio", token="secret-secret-secret")
