"""MyActuator's RMD drives, by the bytes of their manual, and a client as it is."""

from __future__ import annotations

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.setpoints import COAST, Current
from tests.hardware.can.turntable import Turntable
from tests.hardware.vendors import output, running, wheels

DEGREE = 3.141592653589793 / 180


def ask(table, data, id=0x141):
    answers = table.send(id, bytes.fromhex(data.replace(" ", "")))
    return answers[0].data if answers else None


def signed(data, start, end):
    return int.from_bytes(data[start:end], "little", signed=True)


def test_the_manuals_torque_command():
    """1 A is 0x0064; the answer has temperature, current, speed and angle."""
    table = Turntable("rmd")
    answer = ask(table, "A1 00 00 00 64 00 00 00")
    assert table.drive.setpoint == Current(1.0) and answer[0] == 0xA1 and answer[1] == 25
    table.run(0.01)
    assert signed(ask(table, "9C 00 00 00 00 00 00 00"), 2, 4) == 100


def test_the_manuals_speed_command():
    """100 °/s is 0x2710 hundredths."""
    table = Turntable("rmd")
    ask(table, "A2 00 00 00 10 27 00 00")
    table.run(0.5)
    assert table.true[1] == approx(100 * DEGREE, rel=0.01)
    assert signed(ask(table, "9C 00 00 00 00 00 00 00"), 4, 6) == approx(100, abs=1)


def test_the_manuals_position_command():
    """360° is 0x8CA0 hundredths, at 500 °/s at most."""
    table = Turntable("rmd")
    ask(table, "A4 00 F4 01 A0 8C 00 00")
    table.run(0.3)
    assert 0.0 < table.true[1] < 501 * DEGREE
    table.run(1.5)
    assert signed(ask(table, "92 00 00 00 00 00 00 00"), 4, 8) == approx(36000, abs=20)
    ask(table, "A8 00 F4 01 28 23 00 00")  # 90° further
    table.run(1.0)
    assert table.true[0] == approx(450 * DEGREE, abs=0.01)


def test_off_zero_and_status():
    table = Turntable("rmd")
    ask(table, "A1 00 00 00 64 00 00 00")
    assert ask(table, "80 00 00 00 00 00 00 00") == bytes.fromhex("8000000000000000")
    assert table.drive.setpoint is COAST
    table.true[0] = 0.5
    table.run(0.01)
    ask(table, "64 00 00 00 00 00 00 00")
    assert signed(ask(table, "92 00 00 00 00 00 00 00"), 4, 8) == approx(0, abs=1)
    status = ask(table, "9A 00 00 00 00 00 00 00")
    assert int.from_bytes(status[4:6], "little") == round(10 * table.drive.supply.voltage)


def test_silence_stops_the_motor():
    table = Turntable("rmd")
    ask(table, "B3 00 00 00 64 00 00 00")  # 100 ms
    ask(table, "A1 00 00 00 64 00 00 00")
    table.run(0.2)
    assert table.device.errors == ("communication lost",) and table.drive.setpoint is COAST
    ask(table, "A1 00 00 00 64 00 00 00")
    assert table.drive.setpoint == Current(1.0)


def test_all_motors_are_asked_at_once():
    assert Turntable("rmd").send(0x280, bytes((0x9C, *bytes(7))))[0].id == 0x241


MOTORBRIDGE = """
import time
from motorbridge import Controller
controller = Controller("can0")
motor = controller.add_myactuator_motor(1, 0x241, "X8")
motor.enable()
end = time.monotonic() + 2
while time.monotonic() < end:
    motor.send_pos_vel(0.5, 3.0)
    time.sleep(0.01)
    controller.poll_feedback_once()
print(motor.get_state().can_id)
controller.close()
"""


def test_motorbridge():
    """It takes the whole degrees of an answer for hundredths: the robot itself is looked at."""
    pytest.importorskip("motorbridge")
    with (
        gw.serve(gw.loads(wheels(1, 0.01)), protocol="rmd") as bench,
        running(MOTORBRIDGE, channels={"can0": bench.channel}, preload=True) as client,
    ):
        assert output(client).split()[-1] == "1"
        assert bench.rig.devices["j1"].degrees * DEGREE == approx(0.5, abs=0.01)
