"""Feetech servos: packets, registers, and the mechanism seen through them."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from pytest import approx

from gearwright.hardware.protocols import feetech
from gearwright.hardware.protocols.feetech_products import IDENTIFIED
from gearwright.hardware.protocols.feetech_table import CURRENT, CURRENT_UNIT, MOST_DUTY, OVERLOAD, TEMPERATURE
from gearwright.hardware.rig import Rig
from tests.tolerances import ROUNDING

from .servos import Host

COUNT = 2 * pi / 4096
LIFT, GRIPPER = 2, 6
P, TORQUE, GOAL, POSITION, VELOCITY, LOAD, VOLTAGE, MODEL, CURRENT_NOW = 21, 40, 42, 56, 58, 60, 62, 3, 69


@pytest.fixture
def host(rig):
    return Host(rig)


def test_a_broadcast_ping_is_answered_by_all_in_one_burst(host):
    answer = host.send(feetech.BROADCAST, feetech.PING)
    assert answer == b"".join(feetech.packet(i, 0) for i in range(1, 7))


def test_all_servos_report_the_same_model_and_firmware(host):
    assert {host.read(i, MODEL) for i in range(1, 7)} == {777}
    assert {host.read(i, 0) for i in range(1, 7)} == {3 + 256 * 10}


def test_sync_read_answers_in_the_order_asked(host):
    answer = host.send(feetech.BROADCAST, feetech.SYNC_READ, (POSITION, 2, 3, 1, 99))
    assert answer == feetech.packet(3, 0, (2048).to_bytes(2, "little")) + feetech.packet(
        1, 0, (2048).to_bytes(2, "little")
    )


def test_bytes_in_any_pieces(host):
    whole = feetech.packet(1, feetech.PING)
    assert b"".join(host.rig.receive(whole[k : k + 1]) for k in range(len(whole))) == feetech.packet(1, 0)


def test_reg_write_waits_for_action(host):
    host.send(1, feetech.REG_WRITE, (P, 7))
    assert host.read(1, P, 1) == 32 and host.read(1, 64, 1) == 1
    host.send(feetech.BROADCAST, feetech.ACTION)
    assert host.read(1, P, 1) == 7 and host.read(1, 64, 1) == 0


def test_writes_to_read_only_registers_change_nothing(host):
    host.write(1, POSITION, 7, 2)
    assert host.read(1, POSITION) == 2048
    assert host.rig.devices["shoulder_pan"].malformed == 1


def test_locked_registers_are_forgotten_at_power_off(host):
    device = host.rig.devices["shoulder_pan"]
    host.write(1, P, 7)
    device.power_on(0.0)
    assert host.read(1, P, 1) == 32
    host.write(1, 55, 0)
    host.write(1, P, 7)
    device.power_on(0.0)
    assert host.read(1, P, 1) == 7


def test_torque_128_makes_the_present_position_the_centre(host):
    host.rig.plant.hold("shoulder_pan", 0.5)
    host.rig.step(1500)
    assert host.read(1, POSITION) == approx(2048 + 0.5 / COUNT, abs=0.5)  # half a count
    host.write(1, TORQUE, 128)
    assert host.read(1, POSITION) == approx(2048, abs=1)


def test_a_goal_is_approached_with_the_velocity_and_acceleration_asked_for(host):
    host.write(1, TORQUE, 1)
    host.write(1, 46, 500, 2)  # counts/s
    host.write(1, 41, 20)  # 2000 counts/s²
    host.write(1, GOAL, 2548, 2)
    host.rig.step(500)
    assert host.read(1, VELOCITY) == approx(500, rel=0.1)  # it has not settled
    host.rig.step(2000)
    assert host.read(1, POSITION) == approx(2548, abs=1)  # friction: 0.0524 N·m of 17.8 N·m/rad is 2 counts


def test_goals_stay_within_the_limits_of_the_servo(host):
    host.write(1, 9, 2000, 2)
    host.write(1, TORQUE, 1)
    host.write(1, GOAL, 1500, 2)
    host.rig.step(1500)
    assert host.read(1, POSITION) == approx(2000, abs=8)


@pytest.mark.parametrize(("mode", "register", "value"), [(1, 46, 300), (2, 44, 250)])
def test_wheel_and_pwm_mode(host, mode, register, value):
    host.write(5, 33, mode)
    host.write(5, TORQUE, 1)
    host.write(5, register, value, 2)
    host.rig.step(400)
    speed = host.read(5, VELOCITY)
    k, R = IDENTIFIED.torque_constant, IDENTIFIED.resistance
    # k·(V − k·ω)/R = friction + damping·ω
    free = (k * 0.25 * 7.4 / R - 0.0524) / (k * k / R + 0.0591) / COUNT
    assert speed == approx(300 if mode == 1 else free, abs=1)


# --- physics through the bus ----------------------------------------------------------------------------------------


def frictionless(robot):
    for actuator in robot.actuators.values():
        robot = robot.with_actuator(replace(actuator, friction=0.0))
    return robot


def gravity_torque(rig, joint):
    """About the joint's axis: `Σ m·g × r` of the links beyond it, from the links' poses alone."""
    sim, robot = rig.plant.sim, rig.plant.sim.robot
    X = robot.forward_kinematics({n: sim.position[n] for n in sim.coordinates})
    beyond = list(robot.links)[list(robot.joints).index(joint) + 1 :]
    pivot, axis = X[beyond[0]][:3, 3], X[beyond[0]][:3, :3] @ np.array([0.0, 1.0, 0.0])
    total = np.zeros(3)
    for name in beyond:
        inertia = robot.links[name].inertia
        r = X[name][:3, :3] @ np.asarray(inertia.center) + X[name][:3, 3] - pivot
        total += np.cross(r, [0.0, 0.0, -9.81 * inertia.mass])
    return float(total @ axis)


def test_the_shoulder_droops_as_its_stiffness_predicts(desk_arm):
    """Without friction, which would let it rest anywhere in ±0.003 rad: `K·(goal − q) = −τ_g(q)`, K = duty·V·k/R."""
    rig = Rig.of(frictionless(desk_arm))
    host = Host(rig)
    for servo in range(1, 7):
        host.write(servo, P, 16)
        host.write(servo, 26, 0, 2)  # no dead zone
        host.write(servo, TORQUE, 1)
    host.write(LIFT, GOAL, 2048 + 512, 2)
    rig.step(4000)
    K = 0.166 * 16 * 7.4 * IDENTIFIED.torque_constant / IDENTIFIED.resistance
    droop = gravity_torque(rig, "shoulder_lift") / K
    assert droop > 0.05
    q = rig.plant.sim.position["shoulder_lift"]
    assert q - 512 * COUNT == approx(droop, rel=1e-9)  # what its swing leaves after 4 s
    assert (host.read(LIFT, POSITION) - 2560) * COUNT == approx(droop, rel=0.01)  # a count is 0.7 % of it


def test_a_stalled_gripper_shows_the_limit_of_its_current(host):
    host.write(GRIPPER, 16, 500, 2)
    host.write(GRIPPER, 48, 500, 2)
    host.write(GRIPPER, TORQUE, 1)
    host.write(GRIPPER, GOAL, 1000, 2)  # the stop is at 1937
    host.rig.step(1000)
    limit = 0.5 * MOST_DUTY * 7.4 / IDENTIFIED.resistance
    assert host.read(GRIPPER, CURRENT_NOW) & 0x7FFF == approx(limit / CURRENT_UNIT, rel=0.01)  # 6.5 mA a count
    assert host.read(GRIPPER, LOAD) & 0x3FF == approx(500 * MOST_DUTY, abs=1)


def test_overload_leaves_the_protection_torque(host):
    host.write(GRIPPER, 36, 25)
    host.write(GRIPPER, 16, 500, 2)
    host.write(GRIPPER, 48, 500, 2)
    host.write(GRIPPER, TORQUE, 1)
    host.write(GRIPPER, GOAL, 1000, 2)
    host.rig.step(3000)
    assert host.error(GRIPPER) == OVERLOAD
    assert host.read(GRIPPER, LOAD) & 0x3FF == approx(200 * MOST_DUTY, abs=1)
    host.write(GRIPPER, GOAL, 2048, 2)
    assert host.error(GRIPPER) == 0


def test_overload_acts_on_a_client_that_streams_goals(host):
    """As real arms lock up in a teleoperation: only a goal in the other direction, or torque anew, ends it."""
    host.write(GRIPPER, 36, 25)
    host.write(GRIPPER, 16, 500, 2)
    host.write(GRIPPER, 48, 500, 2)
    host.write(GRIPPER, TORQUE, 1)
    seen = []  # two seconds pass, after the way there
    for _ in range(100):
        host.write(GRIPPER, GOAL, 1000, 2)
        host.rig.step(33)
        seen.append(host.error(GRIPPER))
    assert 60 <= seen.index(OVERLOAD) <= 64 and set(seen[seen.index(OVERLOAD) :]) == {OVERLOAD}
    host.write(GRIPPER, GOAL, 900, 2)
    assert host.error(GRIPPER) == OVERLOAD
    host.write(GRIPPER, GOAL, 2048, 2)
    assert host.error(GRIPPER) == 0


def test_torque_anew_ends_an_overload(host):
    host.write(GRIPPER, 36, 25)
    host.write(GRIPPER, TORQUE, 1)
    host.write(GRIPPER, GOAL, 1000, 2)
    host.rig.step(3000)
    assert host.error(GRIPPER) == OVERLOAD
    host.write(GRIPPER, TORQUE, 1)
    assert host.error(GRIPPER) == 0


def test_protection_current_switches_the_torque_off(host):
    host.write(GRIPPER, 28, 100, 2)
    host.write(GRIPPER, 38, 20)
    host.write(GRIPPER, TORQUE, 1)
    host.write(GRIPPER, GOAL, 1000, 2)
    host.rig.step(1000)
    assert host.error(GRIPPER) == CURRENT and host.read(GRIPPER, TORQUE, 1) == 0
    assert host.read(GRIPPER, CURRENT_NOW) == 0


def test_torque_off_lets_the_arm_fall(host):
    for servo in range(1, 7):
        host.write(servo, TORQUE, 1)
    host.rig.step(500)
    held = host.read(LIFT, POSITION)
    assert held == approx(2048, abs=30)
    for servo in range(1, 7):
        host.write(servo, TORQUE, 0)
    host.rig.step(2000)
    assert host.read(LIFT, POSITION) > held + 300


def test_heat_switches_the_torque_off(host):
    host.write(1, TORQUE, 1)
    host.rig.plant.drives["shoulder_pan"].faults.over_temperature = 90.0
    host.rig.step(20)
    assert host.error(1) == TEMPERATURE and host.read(1, TORQUE, 1) == 0 and host.read(1, 63, 1) == 90


def test_a_stalled_winding_warms_up_as_its_heat_capacity_says(host):
    host.write(GRIPPER, 36, 100)
    host.write(GRIPPER, TORQUE, 1)
    host.write(GRIPPER, GOAL, 0, 2)
    host.rig.step(2000)
    drive = host.rig.plant.drives["gripper"]
    watts = IDENTIFIED.resistance * drive.sample.current**2
    start = drive.sample.temperature
    host.rig.step(1000)
    lost = (drive.sample.temperature + start - 50.0) / 2 / IDENTIFIED.thermal_resistance
    assert drive.sample.temperature - start == approx(
        (watts - lost) / IDENTIFIED.thermal_capacitance, rel=1e-4
    )  # heat is lost along a curve


def test_the_supply_sags_under_the_load_of_all(desk_arm):
    rig = Rig.of(desk_arm, supply_resistance=0.2)
    host = Host(rig)
    host.write(GRIPPER, TORQUE, 1)
    host.write(GRIPPER, GOAL, 0, 2)
    rig.step(1000)
    supply, drive = rig.plant.supply, rig.plant.drives["gripper"]
    watts = IDENTIFIED.resistance * drive.sample.current**2
    assert watts > 10.0
    assert supply.voltage == approx(7.4 - 0.2 * watts / supply.voltage, rel=ROUNDING)
    assert host.read(GRIPPER, VOLTAGE, 1) == round(10 * supply.voltage)
