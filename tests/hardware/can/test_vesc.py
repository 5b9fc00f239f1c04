"""VESC's frames, and CubeMars' servo mode, by the bytes that their manuals print."""

from __future__ import annotations

from binascii import crc_hqx
from math import pi
from struct import pack, unpack

import pytest
from pytest import approx

from gearwright.hardware.protocols.vesc_commands import commands, packet
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


def test_commands_of_its_serial_port_come_over_the_bus():
    """Short ones in a frame, longer ones in pieces; only the mode 0 wants an answer. The checksum is Xmodem's."""
    table = Turntable("vesc")
    assert not send(table, 8, bytes((42, 0, 8)) + pack(">i", 2100)[:4])  # COMM_SET_RPM: five bytes
    table.run(SETTLED)
    assert table.true[1] == approx(2100 / 7 * 2 * pi / 60, rel=0.02)
    *parts, end = send(table, 8, bytes((42, 0, 4)))  # COMM_GET_VALUES
    assert [f.id for f in parts] == [5 << 8 | 42] * len(parts) and end.id == 7 << 8 | 42
    answer = b"".join(f.data[1:] for f in parts)
    assert [f.data[0] for f in parts] == list(range(0, len(answer), 7))
    assert unpack(">BBHH", end.data) == (1, 1, len(answer), crc_hqx(answer, 0)) and len(answer) == 74
    values = unpack(">BhhiiiihihiiiiiiBiB", answer[:59])
    assert values[0] == 4 and values[8] == approx(2100, rel=0.02) and values[9] == 240 and values[-1] == 1
    assert not send(table, 8, bytes((42, 1, 4)))
    long = bytes((6,)) + pack(">i", 1500) + b"after"  # COMM_SET_CURRENT and more
    for k in range(0, len(long), 7):
        send(table, 5, bytes((k,)) + long[k : k + 7])
    send(table, 7, pack(">BBHH", 42, 0, len(long), 1 ^ crc_hqx(long, 0)))
    assert table.drive.setpoint != Current(1.5)
    send(table, 7, pack(">BBHH", 42, 0, len(long), crc_hqx(long, 0)))
    assert table.drive.setpoint == Current(1.5)


def test_a_serial_port_skips_bytes_of_no_packet():
    received, garbage = bytearray(), b"\x02\x05\x03\xff\x00\x02"
    whole = packet(bytes((30,))) + garbage + packet(bytes(300)) + garbage + packet(bytes((4,)))
    found = []
    for byte in whole + bytes(8):
        received.append(byte)
        found += commands(received)
    assert found[0] == bytes((30,)) and found[-1] == bytes((4,)) and len(received) < 8
