"""Actuators as laws: effort and memory of one step, by the formulas of each kind, and what every kind has to keep."""

from dataclasses import MISSING, fields, replace
from math import exp, inf, pi

import casadi
import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import ModelError, TracingError
from gearwright.model.actuators import ACTUATORS, Shaft
from gearwright.tracing import trace

POINTS = ((0.0, 3.0), (0.4, 2.0), (1.0, 0.5))
RICH = {
    "electric_motor": ({"stall_torque": 2.0, "no_load_speed": 30.0}, {"curve": ((0.0, 2.0), (10.0, 1.8), (30.0, 0.0))}),
    "dc_motor": (
        {
            "supply_voltage": 12.0, "inductance": 1e-3, "thermal_resistance": 5.0, "thermal_capacitance": 2.0,
            "temperature_coefficient": 0.0039,
        },
    ),
}  # fmt: skip
ALWAYS = {"effort_limit": 1.5, "velocity_limit": 40.0, "stiffness": 20.0, "damping_gain": 0.8}


def example(kind, **more):
    """Whatever fields a kind needs are filled by their types, so that a new kind needs no line here."""
    needed = [f for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING and f.name != "name"]
    values = {f.name: POINTS if "tuple" in str(f.type) else 0.5 for f in needed}
    return kind(name="a", **(values | ALWAYS | more))


def examples():
    for name, kind in ACTUATORS.items():
        for command in kind.commands:
            for i, more in enumerate(({}, *RICH.get(name, ()))):
                yield pytest.param(example(kind, command=command, **more), id=f"{name}-{command}-{i}")


every_kind = pytest.mark.parametrize("actuator", [*examples()])


# --- what every kind keeps ------------------------------------------------------------------------------------------


@every_kind
def test_a_steady_effort_is_finite(actuator, rng):
    """At any command, speed and position, beyond every limit too; arrays give what floats give."""
    command, speed, position = rng.normal(size=(3, 50)) * [[5.0], [30.0], [1.0]]
    efforts = actuator.effort_at(command, speed, position)
    assert np.shape(efforts) == (50,) and np.isfinite(efforts).all()
    singly = [actuator.effort_at(*map(float, x)) for x in zip(command, speed, position, strict=True)]
    assert np.allclose(efforts, singly, rtol=1e-14, atol=0)


@every_kind
def test_floats_arrays_and_the_traced_law_agree(actuator, rng):
    """One `respond` is the documentation, the plot and the machine code. The same operations: a few roundings."""
    n = len(actuator.states)

    def law(command, speed, position, dt, state):
        effort, after = actuator.respond(command, Shaft(position, speed, dt), tuple(state))
        return [effort], list(after)

    traced = trace(law, [None, None, None, None, n], returns=[1, n])
    start = np.array(actuator.initial)
    for command, speed, position in rng.normal(size=(20, 3)) * [5.0, 30.0, 1.0]:
        state, dt = start + rng.normal(size=n), 10 ** rng.uniform(-5, -2)
        plain = actuator.respond(command, Shaft(position, speed, dt), tuple(state))
        arrays = actuator.respond(np.full(3, command), Shaft(position, speed, dt), tuple(state))
        effort, after = (np.array(x).ravel() for x in traced(command, speed, position, dt, state))
        assert effort[0] == pytest.approx(plain[0], rel=1e-12, abs=1e-14)
        assert after == pytest.approx(np.array(plain[1]), rel=1e-12, abs=1e-14)
        assert np.allclose(arrays[0], plain[0], rtol=1e-14, atol=0)


@every_kind
def test_what_it_remembers_keeps_its_number(actuator):
    _, after = actuator.respond(0.3, Shaft(0.1, 2.0, 1e-3), actuator.initial)
    assert len(after) == len(actuator.initial) == len(actuator.states)


@every_kind
def test_without_a_command_it_gives_no_energy(actuator):
    """At rest in memory and told 0 it may brake, never push: `τ·ω ≤ 0` at either sign of any speed."""
    speed = np.linspace(-100, 100, 201)
    effort, _ = actuator.respond(0.0, Shaft(0.0 * speed, speed, 1e-3), actuator.initial)
    assert (effort * speed <= 0).all()


@every_kind
def test_more_command_is_no_less_effort(actuator):
    command = np.linspace(-10, 10, 201)
    for speed in (-50.0, -3.0, 0.0, 3.0, 50.0):
        effort, _ = actuator.respond(command, Shaft(0.2, speed, 1e-3), actuator.initial)
        assert (np.diff(effort) >= -1e-12).all()


@every_kind
def test_limits_of_effort_and_speed_hold(actuator):
    """Up to the speeds at which it brakes of itself; beyond the velocity limit nothing pushes on."""
    command = np.linspace(-1e3, 1e3, 101)
    for speed in (-0.5, 0.0, 0.5):
        assert (np.abs(actuator.effort_at(command, speed, 0.2)) <= 1.5 * (1 + 1e-15)).all()
    for speed in (-40.0, 40.0, 1e3):
        assert (actuator.effort_at(command, speed, 0.2) * speed <= 0).all()


@every_kind
def test_effort_falls_with_speed_at_every_instant(actuator):
    """No kind pushes harder for going faster: what makes the implicit step stable at any gain and ratio.

    Of a velocity limit only what drives falls, so that an effort that brakes is left out by its sign.
    """
    actuator = replace(actuator, velocity_limit=inf)
    speed = np.linspace(-100, 100, 401)
    for command in (-20.0, -0.5, 0.0, 0.5, 20.0):
        effort, _ = actuator.respond(command, Shaft(0.2, speed, 1e-3), actuator.initial)
        assert (np.diff(effort + 0 * speed) <= 1e-12).all()


# --- torque and speed -----------------------------------------------------------------------------------------------


def test_an_ideal_source_gives_what_it_is_told():
    assert gw.Actuator(name="a").effort_at(3.7, speed=1e6) == 3.7


def test_a_line_from_stall_to_no_load():
    motor = gw.ElectricMotor(name="m", stall_torque=2.0, no_load_speed=30.0)
    assert motor.effort_at(9.0, 0.0) == 2.0
    assert motor.effort_at(9.0, 15.0) == pytest.approx(1.0, rel=1e-15)
    assert motor.effort_at(9.0, 30.0) == 0.0
    assert motor.effort_at(-9.0, -15.0) == pytest.approx(-1.0, rel=1e-15)
    assert motor.effort_at(0.7, 15.0) == 0.7  # inside, what it is told


def test_driven_beyond_no_load_speed_it_brakes():
    """`τ_s·(1 − ω/ω₀)` goes on below zero; whatever the command, as a bridge of diodes does."""
    motor = gw.ElectricMotor(name="m", stall_torque=2.0, no_load_speed=30.0)
    for command in (9.0, 0.0):
        assert motor.effort_at(command, 45.0) == pytest.approx(-1.0, rel=1e-15)
        assert motor.effort_at(-command, -45.0) == pytest.approx(1.0, rel=1e-15)


def test_braking_is_stronger_than_driving_at_the_same_speed():
    """Against the motion the curve offers `τ_s·(1 + ω/ω₀)`, which a peak limit cuts."""
    motor = gw.ElectricMotor(name="m", stall_torque=2.0, no_load_speed=30.0)
    assert motor.effort_at(-9.0, 15.0) == pytest.approx(-3.0, rel=1e-15)
    assert replace(motor, effort_limit=2.5).effort_at(-9.0, 15.0) == -2.5
    assert replace(motor, effort_limit=0.5).effort_at(9.0, 0.0) == 0.5


def test_a_table_is_followed_and_goes_on():
    motor = gw.ElectricMotor(name="m", curve=((0.0, 2.0), (10.0, 1.8), (30.0, 0.0)))
    speeds = np.array([-5.0, 0.0, 5.0, 10.0, 20.0, 30.0, 40.0])
    assert motor.effort_at(9.0, speeds) == pytest.approx(np.array([2.1, 2.0, 1.9, 1.8, 0.9, 0.0, -0.9]), abs=1e-15)
    assert motor.effort_at(-9.0, -speeds) == pytest.approx(-motor.effort_at(9.0, speeds), abs=1e-15)


def test_a_velocity_limit_gives_up_over_its_last_part():
    """From full effort to none over the last thousandth of the limit; effort against the motion is left."""
    motor = gw.Actuator(name="m", velocity_limit=10.0)
    assert motor.effort_at(4.0, 9.98) == 4.0
    assert motor.effort_at(4.0, 9.995) == pytest.approx(2.0, rel=1e-12)
    assert motor.effort_at(4.0, 10.0) == 0.0 == motor.effort_at(4.0, 12.0)
    assert motor.effort_at(-4.0, 12.0) == -4.0


@pytest.mark.parametrize(
    ("command", "expected"),
    [("effort", 3.0), ("velocity", 0.8 * (3.0 - 2.0)), ("position", 20.0 * (3.0 - 0.1) - 0.8 * 2.0)],
)
def test_kinds_of_commands(command, expected):
    motor = gw.ElectricMotor(name="m", command=command, stiffness=20.0, damping_gain=0.8)
    assert motor.effort_at(3.0, speed=2.0, position=0.1) == pytest.approx(expected, rel=1e-15)


# --- brushed motors -------------------------------------------------------------------------------------------------

DC = gw.DCMotor(name="m", resistance=2.0, torque_constant=0.05, inductance=0.01, command="voltage")


def test_a_step_of_the_current_solves_its_own_equation(rng):
    """`L·(i⁺ − i)/dt = V − R·i⁺ − k·ω⁺`, at any step, and the voltage that it remembers is the one across it."""
    for _ in range(20):
        V, w, i, dt = rng.normal(size=4) * [12.0, 100.0, 3.0, 0] + [0, 0, 0, 10 ** rng.uniform(-6, 0)]
        torque, (after, _, voltage) = DC.respond(V, Shaft(0.0, w, dt), (i, 25.0, 0.0))
        assert 0.01 * (after - i) / dt == pytest.approx(V - 2.0 * after - 0.05 * w, rel=5e-12, abs=5e-12)  # found 1e-12
        assert voltage == pytest.approx(V, rel=5e-12, abs=5e-12) and torque == 0.05 * after


def test_a_step_of_second_order_has_the_mean_current(rng):
    """`L·(i⁺ − i) = dt·(V − R·ī − k·ω)` at a constant speed; the torque is ī's, without an inductance the end's."""
    for _ in range(20):
        V, w, i, dt = rng.normal(size=4) * [12.0, 100.0, 3.0, 0] + [0, 0, 0, 10 ** rng.uniform(-6, 0)]
        torque, (after, _, voltage) = DC.respond(V, Shaft(0.0, w, dt, w), (i, 25.0, 0.0))
        change = V - 2.0 * torque / 0.05 - 0.05 * w
        assert 0.01 * (after - i) / dt == pytest.approx(change, rel=1e-9, abs=1e-9)  # a difference of large numbers
        assert voltage == pytest.approx(V, rel=5e-12, abs=5e-12)
        plain = replace(DC, inductance=0.0)
        assert plain.respond(V, Shaft(0.0, w, dt, 9.0), (i, 25.0, 0.0))[0] == pytest.approx(plain.effort_at(V, w))


@pytest.mark.parametrize("inductance", [1e-12, 1e-6])
def test_a_fast_winding_is_steady_at_the_end_of_a_step(inductance):
    """L/R far below dt: the current of the voltage and of the speed at the end, without ringing."""
    torque, (after, _, _) = replace(DC, inductance=inductance).respond(
        12.0, Shaft(0.0, 40.0, 1e-2, 50.0), (3.0, 25.0, 0.0)
    )
    assert after == pytest.approx((12.0 - 0.05 * 50.0) / 2.0, rel=200 * inductance / 2.0 + 1e-12)
    assert torque == pytest.approx(0.05 * (12.0 - 0.05 * 40.0) / 2.0, rel=200 * inductance / 2.0 + 1e-12)


def test_steady_torque_is_the_motor_constant_line():
    assert DC.effort_at(12.0, speed=3.0) == pytest.approx(0.05 / 2.0 * (12.0 - 0.05 * 3.0), rel=1e-15)
    assert DC.effort_at(12.0, speed=240.0) == pytest.approx(0.0, abs=1e-16)


def test_the_supply_bounds_the_voltage_whatever_is_asked_for():
    """12 V across 2 Ω and 0.05 V·s/rad: stall 0.3 N·m; at 240 rad/s nothing is left; beyond it brakes."""
    for command in ("effort", "voltage"):
        motor = replace(DC, supply_voltage=12.0, inductance=0.0, command=command)
        speeds = np.array([0.0, 120.0, 240.0, 300.0])
        assert motor.effort_at(1e3, speeds) == pytest.approx(0.3 * (1 - speeds / 240.0), abs=1e-15)
        _, (_, _, voltage) = motor.respond(1e3, Shaft(0.0, 50.0, 1e-3), motor.initial)
        assert voltage == pytest.approx(12.0, rel=1e-15)


def test_inductance_slows_what_the_supply_can_do():
    """One step from rest: the current rises by at most dt·V/(L + dt·R), however much torque is asked for."""
    motor = replace(DC, supply_voltage=12.0, command="effort")
    torque, _ = motor.respond(1.0, Shaft(0.0, 0.0, 1e-4), motor.initial)
    assert torque == pytest.approx(0.05 * 12.0 * 1e-4 / (0.01 + 1e-4 * 2.0), rel=1e-12)


def test_a_warm_winding_resists_more():
    motor = replace(DC, temperature_coefficient=0.004)
    _, (cold, _, _) = motor.respond(12.0, Shaft(0.0, 0.0, inf), (0.0, 25.0, 0.0))
    _, (warm, _, _) = motor.respond(12.0, Shaft(0.0, 0.0, inf), (0.0, 75.0, 0.0))
    assert (cold, warm) == pytest.approx((6.0, 12.0 / (2.0 * 1.2)), rel=1e-12)


def test_warmth_without_a_capacitance_is_at_once_and_without_a_path_it_stays():
    at_once = replace(DC, thermal_resistance=5.0, inductance=0.0)
    assert at_once.respond(2.0, Shaft(0.0, 0.0, 1e-3), at_once.initial)[1][1] == pytest.approx(
        25.0 + 5.0 * 2.0, rel=1e-12
    )
    kept = replace(DC, thermal_capacitance=4.0, inductance=0.0)
    assert kept.respond(2.0, Shaft(0.0, 0.0, 1e-3), kept.initial)[1][1] == pytest.approx(
        25.0 + 1e-3 * 2.0 / 4.0, rel=1e-12
    )
    none = replace(DC, inductance=0.0)
    assert none.respond(2.0, Shaft(0.0, 0.0, 1e-3), none.initial)[1][1] == 25.0


# --- along a line ---------------------------------------------------------------------------------------------------


def test_a_solenoid_pulls_by_its_table():
    magnet = gw.Solenoid(name="s", force_stroke=((0.0, 20.0), (0.004, 8.0), (0.01, 2.0)))
    strokes = np.array([-0.001, 0.0, 0.002, 0.004, 0.007, 0.01, 0.02])
    full = np.array([20.0, 20.0, 14.0, 8.0, 5.0, 2.0, 2.0])
    assert magnet.effort_at(1.0, 0.0, strokes) == pytest.approx(full, rel=1e-12)
    assert magnet.effort_at(0.25, 0.0, strokes) == pytest.approx(full / 4, rel=1e-12)
    assert (
        magnet.effort_at(7.0, 0.0, 0.002) == pytest.approx(14.0, rel=1e-12)
        and magnet.effort_at(-1.0, 0.0, 0.002) == 0.0
    )


def test_a_pneumatic_cylinder_fills_with_its_time_constant():
    cylinder = gw.PneumaticCylinder(name="p", bore_area=pi * 0.016**2, supply_pressure=6e5, time_constant=0.05)
    assert cylinder.effort_at(1.0, 0.0) == pytest.approx(6e5 * pi * 0.016**2, rel=1e-15)
    force, (pressure,) = cylinder.respond(-0.5, Shaft(0.0, 0.0, 0.01), (1e5,))
    assert pressure == pytest.approx(-3e5 + 4e5 * exp(-0.2), rel=1e-13)
    mean = -3e5 + 4e5 * (1 - exp(-0.2)) / 0.2  # what the force does in 10 ms is that of the mean pressure
    assert force == pytest.approx(mean * pi * 0.016**2, rel=1e-13)
    assert cylinder.respond(9.0, Shaft(0.0, 0.0, inf), (0.0,))[1][0] == 6e5


# --- one's own ------------------------------------------------------------------------------------------------------


def test_ones_own_function_with_memory_and_dt():
    def lagging(command, speed, state, dt):
        felt = state["felt"] + dt / (0.1 + dt) * (command - state["felt"])
        return felt - 0.2 * speed, {"felt": felt}

    actuator = gw.CustomActuator(name="c", function=lagging, memory={"felt": 1})
    assert actuator.states == ("felt",) and actuator.initial == (1.0,)
    effort, (felt,) = actuator.respond(3.0, Shaft(0.0, 2.0, 0.1), actuator.initial)
    assert felt == 2.0 and effort == pytest.approx(1.6, rel=1e-12)


def test_ones_own_function_without_memory():
    actuator = gw.CustomActuator(name="c", function=lambda command, speed, state: command - speed, effort_limit=2.0)
    assert actuator.effort_at(5.0, speed=1.0) == 2.0 and actuator.effort_at(1.5, speed=1.0) == 0.5


def test_a_function_that_forgets_is_told():
    actuator = gw.CustomActuator(name="c", function=lambda u, w, s: (u, {}), memory={"heat": 0.0})
    with pytest.raises(ModelError, match="heat"):
        actuator.effort_at(1.0, 0.0)


def test_a_branch_on_an_unknown_is_a_clear_error():
    def branching(command, speed, state):
        return command if speed < 3.0 else 0.0

    actuator = gw.CustomActuator(name="c", function=branching)
    assert actuator.effort_at(1.0, speed=2.0) == 1.0  # on numbers it may
    with pytest.raises(TracingError, match=r"np\.where"):
        trace(lambda u, w: actuator.respond(u, Shaft(0.0, w, 1e-3))[0], [None, None])


# --- what cannot be -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (gw.ElectricMotor, {"stall_torque": 1.0}, "must be given together"),
        (gw.ElectricMotor, {"stall_torque": 0.0, "no_load_speed": 3.0}, "must be positive"),
        (gw.ElectricMotor, {"curve": ((0.0, 1.0), (0.0, 2.0))}, "rising speeds"),
        (gw.ElectricMotor, {"curve": ((0.0, 1.0), (2.0, -1.0))}, "not negative"),
        (gw.ElectricMotor, {"curve": POINTS, "stall_torque": 1.0, "no_load_speed": 1.0}, "not both"),
        (gw.ElectricMotor, {"command": "voltage"}, "takes no voltage"),
        (gw.ElectricMotor, {"command": "position"}, "needs <stiffness>"),
        (gw.ElectricMotor, {"command": "velocity"}, "needs <damping_gain>"),
        (gw.ElectricMotor, {"rotor_inertia": -1.0}, "cannot be negative"),
        (gw.ElectricMotor, {"effort_limit": float("nan")}, "cannot be negative"),
        (gw.DCMotor, {"resistance": 0.0, "torque_constant": 0.1}, "resistance must be positive"),
        (gw.DCMotor, {"resistance": 1.0, "torque_constant": 0.1, "inductance": -1.0}, "inductance cannot"),
        (gw.Solenoid, {"force_stroke": ((0.0, 1.0),)}, "two or more"),
        (gw.PneumaticCylinder, {"bore_area": 1.0, "supply_pressure": 1.0, "time_constant": 0.0}, "time_constant"),
        (gw.CustomActuator, {"function": 3}, "cannot be called"),
        (gw.CustomActuator, {"function": lambda u, w, s: u, "rotor_inertia": -1.0}, "cannot be negative"),
    ],
)
def test_impossible_numbers_are_refused(kind, values, said):
    with pytest.raises(ModelError, match=said):
        kind(name="a", **values)


def test_whole_numbers_are_numbers():
    """`rotor_inertia=0` or `resistance=2` as people type them."""
    motor = gw.DCMotor(name="m", resistance=2, torque_constant=1, thermal_capacitance=0, rotor_inertia=0)
    assert motor == gw.DCMotor(name="m", resistance=2.0, torque_constant=1.0)
    assert all(not isinstance(getattr(motor, f.name), int) for f in fields(motor))


def test_the_law_is_smooth_where_it_is_straight():
    """Exact slopes for the implicit step: of the line from stall to no-load speed −τ_s/ω₀."""
    motor = gw.ElectricMotor(name="m", stall_torque=2.0, no_load_speed=30.0)
    law = trace(motor.effort_at, [None, None])
    u, w = casadi.SX.sym("u"), casadi.SX.sym("w")
    slope = casadi.Function("slope", [u, w], [casadi.jacobian(law(u, w), w)])
    assert float(slope(9.0, 10.0)) == pytest.approx(-2.0 / 30.0, rel=1e-12) and float(slope(0.3, 10.0)) == 0.0
