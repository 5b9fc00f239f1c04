"""A drive by itself: limits, loops, heat, supply, profiles; and on a wheel, against closed forms."""

from dataclasses import replace
from math import exp, sqrt

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.drive import DriveSample, MotorDrive
from gearwright.hardware.motors import BusSupply, Motor, motor_of
from gearwright.hardware.plant import Plant, compiled
from gearwright.hardware.profiles import Profile
from gearwright.hardware.rig import Rig
from gearwright.hardware.setpoints import COAST, Brake, Cascade, Current, Duty, Impedance, Torque
from gearwright.hardware.shafts import shaft_loads
from tests.hardware.can.turntable import driven
from tests.hardware.conftest import WHEEL
from tests.tolerances import ROUNDING

MOTOR = Motor(torque_constant=0.5, resistance=2.0, supply_voltage=10.0, current_limit=3.0)


def drive(**changes):
    return MotorDrive(name="m", motor=replace(MOTOR, **changes), supply=BusSupply(10.0))


def at(d, **numbers):
    d.latch(DriveSample(torque=d.torque, **numbers))
    return driven(d.motor, d.control(1e-3), d.sample.velocity, d.sample.position)


@pytest.mark.parametrize(
    ("setpoint", "velocity", "torque"),
    [
        (Torque(1.0), 0.0, 1.0),
        (Torque(9.0), 0.0, 1.5),  # 3 A
        (Torque(9.0), 18.0, 0.25),  # k·(V − k·ω)/R
        (Torque(-9.0), -25.0, 0.625),  # faster than its no-load speed: it brakes whatever is asked for
        (Current(2.0), 0.0, 1.0),
        (Duty(0.2), 0.0, 0.5),
        (Duty(0.2), 4.0, 0.0),
        (Brake(), 4.0, -0.5),
        (COAST, 4.0, 0.0),
        (COAST, 100.0, 0.0),
        (Impedance(position=0.1, velocity=1.0, kp=5.0, kd=0.1, feedforward=0.05), 0.5, 0.6),
    ],
)
def test_the_torque_of_a_setpoint(setpoint, velocity, torque):
    d = drive()
    d.write(setpoint)
    assert at(d, velocity=velocity) == approx(torque, rel=ROUNDING)


def test_registers_limit_beside_the_motor():
    d = drive()
    d.current_limit = 1.0
    d.write(Torque(9.0))
    assert at(d) == approx(0.5, rel=ROUNDING)
    d.current_limit, d.duty_limit = 99.0, 0.1
    assert at(d, time=0.001) == approx(0.25, rel=ROUNDING)


def test_open_winding_and_no_power_give_no_torque():
    d = drive()
    d.write(Torque(1.0))
    d.faults.open_winding = True
    assert at(d) == 0.0
    d.faults.open_winding, d.powered = False, False
    assert at(d, time=0.001) == 0.0


def test_loops_run_at_their_own_rate():
    d, torques = drive(loop_rate=100.0), []
    d.write(Impedance(kp=1.0))
    for k in range(30):
        torques.append(at(d, time=1e-3 * k, position=-1e-3 * k))
    assert torques == approx([1e-3 * (k - k % 10) for k in range(30)], rel=ROUNDING)


def test_the_integral_stops_at_the_limit_and_is_cleared():
    d = drive()
    d.write(Cascade(velocity=1.0, velocity_gain=0.1, integral_gain=10.0))
    for k in range(3000):
        at(d, time=1e-3 * k)
    assert d.saturated and d.integral == approx(1.4, abs=ROUNDING)  # 1.5 N·m less the gain's 0.1
    d.write(COAST)
    assert d.integral == 0.0


def test_a_supply_sags_by_its_resistance():
    supply = BusSupply(10.0, 0.5)
    supply.settle(18.0)
    assert supply.voltage == approx(9.0, rel=ROUNDING)  # 2 A
    supply.settle(1e6)
    assert supply.voltage == 5.0  # no more power can be drawn
    supply.settle(-18.0)
    assert supply.voltage > 10.0  # fed back


def test_numbers_of_the_file_go_before_those_of_the_product():
    dc = gw.DCMotor(name="m", resistance=3.0, torque_constant=0.2, supply_voltage=12.0, effort_limit=0.4)
    found = motor_of(dc, MOTOR)
    assert (found.resistance, found.torque_constant, found.supply_voltage) == (3.0, 0.2, 12.0)
    assert found.rated_torque == 0.4 and found.current_limit == approx(2.0, rel=ROUNDING)
    curve = motor_of(gw.ElectricMotor(name="m", stall_torque=2.0, no_load_speed=20.0), MOTOR)
    assert curve.torque_constant == 0.5 and curve.resistance == approx(2.5, rel=ROUNDING)  # at the product's 10 V
    assert motor_of(gw.Actuator(name="m"), MOTOR) == MOTOR


# --- profiles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("velocity", "acceleration"), [(0.5, 2.0), (0.5, 0.0), (0.0, 2.0), (5.0, 2.0), (0.0, 0.0)])
def test_a_profile_takes_the_time_of_a_trapezium(velocity, acceleration):
    profile, dt, goal, steps, fastest, last = Profile(), 1e-3, 1.0, 0, 0.0, 0.0
    while profile.position != goal and steps < 10_000:
        profile.follow(goal, dt, velocity, acceleration)
        steps += 1
        fastest = max(fastest, abs(profile.velocity))
        if acceleration and profile.position != goal:
            assert abs(profile.velocity - last) <= acceleration * dt * (1 + ROUNDING)
        last = profile.velocity
    if acceleration:
        top = min(velocity or 1e9, sqrt(goal * acceleration))
        expected = goal / top + top / acceleration
    else:
        top, expected = velocity, goal / velocity if velocity else dt
    assert steps * dt == approx(expected, abs=dt)
    if velocity:
        assert fastest <= velocity * (1 + ROUNDING)


def test_a_profile_turns_round():
    profile = Profile()
    for _ in range(300):
        profile.follow(1.0, 1e-3, 0.5, 2.0)
    for _ in range(3000):
        profile.follow(-0.5, 1e-3, 0.5, 2.0)
    assert profile.position == -0.5 and profile.velocity == 0.0


# --- on a mechanism --------------------------------------------------------------------------------------------------


def on_a_wheel(wheel, **changes):
    motor = replace(MOTOR, **changes)
    return Plant(compiled(wheel, {"motor": motor}), {"motor": motor}, BusSupply(10.0))


def test_a_wheel_on_a_duty_approaches_its_no_load_speed(wheel):
    """`ω = V/k·(1 − exp(−t/T))` with T = J·R/k²; the step has the back-EMF, to second order: (dt/T)²/12 of it."""
    plant = on_a_wheel(wheel, current_limit=99.0, rated_torque=99.0)
    assert plant.drives["motor"].load.inertia == approx(0.01, rel=ROUNDING)
    plant.drives["motor"].write(Duty(0.1))
    for _ in range(80):
        plant.step()
    time_constant = 0.01 * 2.0 / 0.5**2  # 80 ms
    assert plant.drives["motor"].sample.velocity == approx(1.0 / 0.5 * (1.0 - exp(-0.08 / time_constant)), rel=2e-5)


def test_back_emf_of_a_light_shaft_is_stable(wheel):
    """A wheel of 10⁻⁶ kg·m² has a time constant of 8 µs, far below the step: it is at once as fast as its voltage."""
    light = gw.loads(WHEEL.format(inertia=1e-6))
    plant = Plant(compiled(light, {"motor": MOTOR}), {"motor": MOTOR}, BusSupply(10.0))
    plant.drives["motor"].write(Duty(0.1))
    for _ in range(20):
        plant.step()
    assert plant.drives["motor"].sample.velocity == approx(2.0, rel=1e-3)
    plant.drives["motor"].write(Brake())
    for _ in range(20):
        plant.step()
    assert abs(plant.drives["motor"].sample.velocity) < 2e-3  # [rad/s]


def test_a_stalled_winding_warms_up_exponentially_and_draws_its_power(wheel):
    """2 A in 2 Ω are 8 W: 32 K above ambient in the end, with 4 K/W and 5 J/K in 20 s. To dt/T."""
    plant = on_a_wheel(wheel, thermal_resistance=4.0, thermal_capacitance=5.0)
    drive = plant.drives["motor"]
    drive.faults.stall = True
    drive.write(Current(2.0))
    for _ in range(20_000):
        plant.step()
    assert drive.sample.temperature == approx(25.0 + 32.0 * (1.0 - exp(-1.0)), abs=0.02)  # [K]
    assert drive.sample.power == approx(8.0, rel=1e-3)  # the hand that holds the shaft gives way a little


def test_power_is_what_moves_the_wheel_and_warms_the_winding(wheel):
    plant = on_a_wheel(wheel, current_limit=99.0, rated_torque=99.0)
    drive, heat, work = plant.drives["motor"], 0.0, 0.0
    drive.write(Duty(1.0))
    for _ in range(200):
        plant.step()
        heat += 2.0 * drive.sample.current**2 * 1e-3
        work += drive.sample.power * 1e-3
    assert work == approx(heat + 0.5 * 0.01 * drive.sample.velocity**2, rel=1e-4)  # the speed of the step's middle


def test_inertia_through_a_transmission():
    robot = gw.load(gw.__path__[0] + "/robots/scara.sdf")
    loads = shaft_loads(gw.compile(robot), robot.actuators)
    for name, load in loads.items():
        assert load.inertia >= 0.99 * robot.actuators[name].rotor_inertia


def test_a_hand_at_a_stop_does_not_wind_up():
    """Beyond the joint's limit it feels the stop: it is back as soon as it turns round."""
    rig = Rig.of(gw.load("desk_arm"))
    plant, (low, high) = rig.plant, rig.plant.drives["gripper"].travel
    plant.hold("gripper", high + 10.0)
    rig.step(4000)
    assert plant.sim.position["gripper"] == approx(high, abs=1e-3)
    plant.hold("gripper", 0.5 * (low + high))
    rig.step(1500)
    assert plant.sim.position["gripper"] == approx(0.5 * (low + high), abs=0.02)
