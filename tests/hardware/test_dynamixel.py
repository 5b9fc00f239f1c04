"""Dynamixel X servos: packets, registers, errors, and the mechanism seen through them."""

import pytest
from pytest import approx

from gearwright.hardware.protocols import dynamixel as dxl
from gearwright.hardware.protocols.dynamixel_packets import Finder, crc16, packet
from gearwright.hardware.protocols.dynamixel_servo import ACCESS_ERROR, ALERT, LIMIT_ERROR, RANGE_ERROR
from gearwright.hardware.rig import Rig

TORQUE, GOAL, POSITION, VELOCITY, CURRENT, MODE = 64, 116, 132, 128, 126, 11


class Host:
    def __init__(self, rig):
        self.rig = rig

    def send(self, servo, instruction, parameters=b""):
        return [(p.servo, p.parameters[0], p.parameters[1:]) for p in self.raw(packet(servo, instruction, parameters))]

    def raw(self, data):
        found = list(Finder().feed(self.rig.receive(data)))
        assert all(p.intact and p.instruction == 0x55 for p in found)
        return found

    def write(self, servo, address, value, size=1):
        data = address.to_bytes(2, "little") + value.to_bytes(size, "little", signed=value < 0)
        ((_, error, _),) = self.send(servo, dxl.WRITE, data)
        return error

    def read(self, servo, address, size=4):
        data = address.to_bytes(2, "little") + size.to_bytes(2, "little")
        ((_, _, data),) = self.send(servo, dxl.READ, data)
        return int.from_bytes(data, "little", signed=True)


@pytest.fixture
def host(desk_arm):
    return Host(Rig.of(desk_arm, "dynamixel"))


def test_the_crc_of_the_manual():
    """ROBOTIS' own example: a ping of id 1."""
    assert packet(1, dxl.PING) == bytes.fromhex("FFFFFD00010300011 94E".replace(" ", ""))
    assert crc16(b"") == 0


def test_a_broadcast_ping_is_answered_by_all(host):
    answers = host.send(dxl.BROADCAST, dxl.PING)
    assert [a[0] for a in answers] == [1, 2, 3, 4, 5, 6]
    assert {a[2] for a in answers} == {(1020).to_bytes(2, "little") + bytes((46,))}


def test_every_error_of_a_status_packet(host):
    assert host.write(1, POSITION, 0, 4) == ACCESS_ERROR
    assert host.write(1, GOAL, 4096, 4) == LIMIT_ERROR
    assert host.write(1, MODE, 2) == LIMIT_ERROR
    assert host.write(1, 250, 0, 4) == RANGE_ERROR
    assert host.send(1, 0x77) == [(1, 2, b"")]  # instruction
    assert host.send(1, dxl.READ, b"\0") == [(1, 5, b"")]  # length
    broken = bytearray(packet(1, dxl.PING))
    broken[-1] ^= 1
    assert host.raw(bytes(broken))[0].parameters == b"\x03"  # CRC
    host.write(1, TORQUE, 1)
    assert host.write(1, MODE, 1) == ACCESS_ERROR


def test_a_refused_write_changes_nothing(host):
    before = bytes(host.rig.devices["shoulder_pan"].table.image)
    assert host.write(1, GOAL, 4096, 4) == LIMIT_ERROR
    assert bytes(host.rig.devices["shoulder_pan"].table.image) == before


def test_position_and_reversed_direction(host):
    host.write(1, 10, 1)
    host.write(1, TORQUE, 1)
    host.write(1, GOAL, 2300, 4)
    host.rig.step(1500)
    assert host.read(1, POSITION) == approx(2300, abs=1)
    assert host.rig.plant.sim.position["shoulder_pan"] < -0.3


def test_homing_offset_moves_the_reading_and_the_goal(host):
    assert host.write(1, 20, 100, 4) == 0
    assert host.read(1, POSITION) == 2148
    host.write(1, TORQUE, 1)
    host.rig.step(200)
    assert host.read(1, POSITION) == approx(2148, abs=1)


def test_velocity_current_and_pwm_modes(host):
    host.write(5, MODE, 1)
    host.write(5, TORQUE, 1)
    host.write(5, 104, 20, 4)
    host.rig.step(700)
    assert host.read(5, VELOCITY) == approx(20, abs=1)
    host.write(5, TORQUE, 0)
    host.write(5, MODE, 0)
    host.write(5, TORQUE, 1)
    host.write(5, 102, -50, 2)
    host.rig.step(20)
    assert host.read(5, CURRENT, 2) == approx(-50, abs=1)
    host.write(5, TORQUE, 0)
    host.write(5, MODE, 16)
    host.write(5, TORQUE, 1)
    host.write(5, 100, 200, 2)
    host.rig.step(20)
    assert host.read(5, 124, 2) == 200


def test_current_based_position_holds_with_the_current_asked_for(host):
    host.write(6, MODE, 5)
    host.write(6, TORQUE, 1)
    host.write(6, 102, 100, 2)
    host.write(6, GOAL, 0, 4)  # beyond the stop of the gripper
    host.rig.step(1000)
    assert abs(host.read(6, CURRENT, 2)) == approx(100, abs=1)


def test_profile_velocity(host):
    host.write(1, TORQUE, 1)
    host.write(1, 112, 20, 4)
    host.write(1, GOAL, 3000, 4)
    host.rig.step(800)
    assert host.read(1, VELOCITY) == approx(20, abs=1)


def test_overload_shuts_down_until_a_reboot(host):
    host.write(6, TORQUE, 1)
    host.write(6, GOAL, 0, 4)
    host.rig.step(3000)
    assert host.read(6, 70, 1) == 32 and host.read(6, TORQUE, 1) == 0
    assert host.send(6, dxl.PING)[0][1] == ALERT
    host.write(6, TORQUE, 1)
    assert host.read(6, TORQUE, 1) == 0
    host.send(6, dxl.REBOOT)
    host.write(6, TORQUE, 1)
    assert host.read(6, TORQUE, 1) == 1


def test_the_bus_watchdog_stops_the_shaft(host):
    host.write(5, MODE, 1)
    host.write(5, TORQUE, 1)
    host.write(5, 98, 5)  # 100 ms
    host.write(5, 104, 20, 4)
    host.rig.step(90)
    assert host.read(5, VELOCITY) > 5
    host.rig.step(800)
    assert host.read(5, 98, 1) == -1 and abs(host.read(5, VELOCITY)) <= 1
    assert host.write(5, 104, 20, 4) == RANGE_ERROR
    host.write(5, 98, 0)
    assert host.write(5, 104, 20, 4) == 0


def test_indirect_registers_stand_for_others(host):
    for k in range(4):
        host.write(1, 168 + 2 * k, GOAL + k, 2)
        host.write(1, 176 + 2 * k, POSITION + k, 2)
    assert host.write(1, 224, 2100, 4) == 0
    assert host.read(1, GOAL) == 2100
    assert host.read(1, 228) == 2048


def test_registers_survive_a_power_cycle(host):
    device = host.rig.devices["shoulder_pan"]
    host.write(1, 7, 9)
    device.power_on(0.0)
    assert host.send(9, dxl.PING) and not host.send(1, dxl.PING)
    assert device.memory["id"] == 9
