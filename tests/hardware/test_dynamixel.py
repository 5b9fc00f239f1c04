"""Dynamixel X servos: packets, registers, errors, and the mechanism seen through them."""

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.protocols import dynamixel as dxl
from gearwright.hardware.protocols.dynamixel_packets import Finder, crc16, fast_status, packet
from gearwright.hardware.protocols.dynamixel_servo import ACCESS_ERROR, ALERT, LIMIT_ERROR, RANGE_ERROR, RESULT_FAIL
from gearwright.hardware.rig import Rig
from gearwright.model.hardware.device_bindings import DeviceBinding

from .vendors import wheels

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
    assert host.write(1, 660, 0, 4) == RANGE_ERROR
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


MANUAL = """
8A FFFFFD00FE0A008A8400040003070420F2
   FFFFFD00FE1900550003A60000008408 00071F08000016CA 0004FF030000D19E
9A FFFFFD00FE12009A03840004 00077C000200049200 0100DA2D
   FFFFFD00FE1400550003A600000067A4 0007A5012474
"""


def test_fast_reads_are_one_packet_as_in_the_manual():
    """ROBOTIS' example: 166, 2079 and 1023 of ids 3, 7 and 4; each part has the CRC of all before it."""
    asked, answer = (bytes.fromhex(line[3:].replace(" ", "")) for line in MANUAL.splitlines()[1:3])
    parts = [(0, i, v.to_bytes(4, "little")) for i, v in ((3, 166), (7, 2079), (4, 1023))]
    assert fast_status(parts, 24) == answer
    assert packet(0xFE, dxl.FAST_SYNC_READ, bytes.fromhex("8400040003 0704")) == asked
    asked, answer = (bytes.fromhex(line[3:].replace(" ", "")) for line in MANUAL.splitlines()[3:5])
    parts = [(0, 3, (166).to_bytes(4, "little")), (0, 7, (421).to_bytes(2, "little"))]
    assert fast_status(parts, 4 + 4 + 2 + 4 + 1 + 4) == answer
    assert packet(0xFE, dxl.FAST_BULK_READ, bytes.fromhex("0384000400 077C000200 0492000100")) == asked


def test_fast_reads_break_off_at_a_servo_that_is_silent(host):
    asked = packet(0xFE, dxl.FAST_SYNC_READ, bytes((132, 0, 4, 0, 1, 99, 2)))
    found = host.rig.receive(asked)
    assert len(found) == 8 + 1 + 4 + 4 - 1 + 0 and found[5] == 3 * 8 + 1
    whole = host.rig.receive(packet(0xFE, dxl.FAST_SYNC_READ, bytes((132, 0, 4, 0, 1, 2))))
    assert len(whole) == 7 + 1 + 2 * 8 and crc16(whole[:-2]) == int.from_bytes(whole[-2:], "little")


def test_a_position_is_reduced_to_one_turn_where_the_manual_says_so(wheel):
    """On the change to position mode, on torque in it, on a reboot and on Clear, which needs a shaft that stands."""
    host = Host(Rig.of(wheel, "dynamixel", model="xm430-w350"))

    def three_turns():
        host.write(1, MODE, 4)
        host.write(1, TORQUE, 1)
        host.write(1, GOAL, 2048 + 3 * 4096, 4)
        host.rig.step(7000)
        assert host.read(1, POSITION) == approx(2048 + 3 * 4096, abs=20)
        host.write(1, TORQUE, 0)

    three_turns()
    assert host.write(1, MODE, 3) == 0
    assert host.read(1, POSITION) == approx(2048, abs=20)
    host.write(1, TORQUE, 1)
    host.write(1, GOAL, 2048, 4)
    before = host.rig.plant.sim.position["axle"]
    host.rig.step(500)
    assert host.rig.plant.sim.position["axle"] == approx(before, abs=0.05)  # it does not turn back
    host.write(1, TORQUE, 0)
    host.write(1, MODE, 4)
    host.write(1, TORQUE, 1)
    host.write(1, GOAL, 2048 + 4096, 4)
    host.rig.step(200)
    assert host.send(1, dxl.CLEAR, dxl.CLEAR_TURNS)[0][1] == RESULT_FAIL  # it is turning
    host.rig.step(4000)
    assert host.send(1, dxl.CLEAR, dxl.CLEAR_TURNS)[0][1] == 0
    assert host.read(1, POSITION) == approx(2048, abs=20)


def test_a_backup_is_restored_with_a_reboot(host):
    """The manual's own packets."""
    assert packet(1, dxl.BACKUP, dxl.STORE)[-2:] == bytes.fromhex("16F5")
    assert packet(1, dxl.BACKUP, dxl.RESTORE)[-2:] == bytes.fromhex("9EF5")
    assert packet(1, dxl.CLEAR, dxl.CLEAR_TURNS)[-2:] == bytes.fromhex("B1DC")
    host.write(1, 44, 111, 4)
    assert host.send(1, dxl.BACKUP, dxl.STORE)[0][1] == 0
    host.write(1, 44, 99, 4)
    assert host.send(1, dxl.BACKUP, dxl.RESTORE)[0][1] == 0
    assert host.read(1, 44) == 111
    host.write(1, TORQUE, 1)
    assert host.send(1, dxl.BACKUP, dxl.STORE)[0][1] == RESULT_FAIL


def test_the_time_of_a_profile_and_of_its_acceleration(wheel):
    """1 s in all, 0.3 s of it ramps: the top speed is d/(T − t)."""
    host = Host(Rig.of(wheel, "dynamixel"))
    host.write(1, 10, 4)
    host.write(1, TORQUE, 1)
    host.write(1, 108, 300, 4)
    host.write(1, 112, 1000, 4)
    host.write(1, GOAL, 3072, 4)
    host.rig.step(500)
    assert host.read(1, 136) * 0.229 / 60 == approx(0.25 / 0.7, rel=0.01)
    host.rig.step(490)
    assert host.read(1, 140) == approx(3072, abs=2)


@pytest.mark.parametrize("mode", [0, 5])
def test_an_xl430_has_no_current(wheel, mode):
    host = Host(Rig.of(wheel, "dynamixel", model="xl430-w250"))
    assert host.write(1, MODE, mode) == LIMIT_ERROR
    assert host.read(1, 84, 2) == 640


def test_an_xl330_counts_milliamperes(wheel):
    host = Host(Rig.of(wheel, "dynamixel", model="xl330-m288"))
    host.write(1, MODE, 0)
    host.write(1, TORQUE, 1)
    host.write(1, 102, 400, 2)
    host.rig.step(20)
    assert host.rig.plant.drives["motor"].sample.current == approx(0.4, rel=1e-6)
    assert host.read(1, CURRENT, 2) == 400


def test_products_of_two_voltages_share_a_line_and_a_supply(tmp_path):
    """A Koch arm: XL430 at 12 V and XL330 at 5 V. Both sag together."""
    bindings = {
        f"j{k}": DeviceBinding(protocol="dynamixel", node=k, model=model)
        for k, model in ((1, "xl430-w250"), (2, "xl330-m288"))
    }
    host = Host(Rig.of(gw.loads(wheels(2)), written=bindings))
    host.rig.step(10)
    assert [host.read(i, 144, 2) for i in (1, 2)] == [120, 50]
    assert [host.read(i, 70, 1) for i in (1, 2)] == [0, 0]
    for i, rpm in ((1, 61), (2, 103)):
        host.write(i, MODE, 16)
        host.write(i, TORQUE, 1)
        host.write(i, 100, 885, 2)
        host.rig.step(1000)
        assert host.read(i, VELOCITY) * 0.229 == approx(rpm, rel=0.03)
    host.rig.plant.supply.forced = 9.0
    host.rig.step(10)
    assert [host.read(i, 144, 2) for i in (1, 2)] == [90, 38]


def test_a_goal_switches_the_torque_on_where_the_drive_mode_says_so(host):
    host.write(1, 10, 8)
    host.write(1, GOAL, 2300, 4)
    assert host.read(1, TORQUE, 1) == 1
    host.rig.step(1500)
    assert host.read(1, POSITION) == approx(2300, abs=1)


def test_indirect_registers_of_the_second_block(host):
    for k in range(4):
        host.write(1, 578 + 2 * k, POSITION + k, 2)
    assert host.read(1, 634) == 2048


def test_registers_survive_a_power_cycle(host):
    device = host.rig.devices["shoulder_pan"]
    host.write(1, 7, 9)
    device.power_on(0.0)
    assert host.send(9, dxl.PING) and not host.send(1, dxl.PING)
    assert device.memory["id"] == 9
