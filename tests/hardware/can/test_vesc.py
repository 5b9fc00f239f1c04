"""VESC's frames, and CubeMars' servo mode, by the bytes that their manuals print."""

from __future__ import annotations

from math import pi
from struct import pack, unpack

import pytest
from pytest import approx

from gearwright.hardware.setpoints import COAST, Current
from tests.hardware.can.turntable import Turntable

DUTY, CURRENT, BRAKE, RPM, POSITION, ORIGIN, POSITION_SPEED = range(7)
SETTLED = 0.8  # [s]


def send(table, packet, data):
    return table.send(packet << 8 | 1, data, extended=True)


def status(table):
    """Position [°], electrical rpm, current [A], temperature, error, as CubeMars uploads them."""
    (frame,) = table.run(0.0201)
    assert frame.id == 0x2901 and frame.extended
    position, speed, current, heat, error = unpack(">hhhbB", frame.data)
    return position * 0.1, speed * 10.0, current * 0.01, heat, error


def test_a_current_is_one_of_the_rotor():
    """An AK80-9 has 0.091 N·m/A before its 9:1 gear."""
    table = Turntable("cubemars_servo")
    send(table, CURRENT, bytes.fromhex("000007D0"))  # 2000 mA
    assert table.drive.setpoint == Current(2.0)
    assert table.drive.control(1e-3).torque_at(0.0, 0.0) == approx(2.0 * 0.091 * 9)
    assert status(table)[2] == approx(2.0, abs=0.01)


def test_positions_are_degrees_of_the_rotor():
    """The manual's bytes for 180°: 180·10⁶ of the rotor, a ninth of which is the shaft's."""
    table = Turntable("cubemars_servo")
    send(table, POSITION, (180_000_000).to_bytes(4, "big"))
    table.run(SETTLED)
    assert table.true[0] == approx(pi / 9, rel=0.01)
    assert status(table)[0] == approx(180.0, abs=1.0)
    send(table, ORIGIN, b"\0")
    assert status(table)[0] == approx(0.0, abs=0.2)


def test_speeds_are_electrical():
    table = Turntable("cubemars_servo")
    send(table, RPM, pack(">i", 21 * 9 * 60))  # one turn of the shaft in a second
    table.run(SETTLED)
    assert table.true[1] == approx(2 * pi, rel=0.02)
    assert status(table)[1] == approx(21 * 9 * 60, rel=0.02)


def test_the_speed_of_a_way_is_limited():
    table = Turntable("cubemars_servo")
    send(table, POSITION_SPEED, pack(">ihh", 3_000_000, 21 * 9 * 6, 3000))  # 300°, one turn of the shaft in a second
    table.run(0.05)
    assert abs(table.true[1]) < 2 * pi * 1.1


def test_frames_of_the_mit_mode_are_taken_without_effect():
    table = Turntable("cubemars_servo")
    send(table, DUTY, b"\xff" * 7 + b"\xfc")
    assert table.device.malformed == 0 and table.drive.setpoint is COAST


def test_a_vesc_stops_when_nobody_speaks():
    table = Turntable("vesc")
    send(table, RPM, pack(">i", 7 * 60))
    table.run(0.9)
    assert table.true[1] == approx(2 * pi, rel=0.05)
    table.run(0.2)
    assert table.drive.setpoint is COAST


def test_status_frames_of_a_vesc():
    table = Turntable("vesc")
    send(table, CURRENT, pack(">i", 100))
    frames = {f.id >> 8: f.data for f in table.run(0.0201)}
    assert set(frames) == {9, 16, 27}
    assert unpack(">ihh", frames[9])[1] == 1  # tenths of an ampere
    assert unpack(">ih", frames[27][:6])[1] == round(10 * table.drive.supply.voltage)


@pytest.mark.parametrize("length", range(9))
def test_packets_of_other_lengths_are_counted(length):
    table = Turntable("vesc")
    send(table, RPM, bytes(length))
    assert table.device.malformed == (length != 4)
