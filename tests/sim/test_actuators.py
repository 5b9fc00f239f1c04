"""Actuators in the time step, against closed forms: motors, drives, magnets and cylinders; batches and states."""

from dataclasses import replace
from math import cos, exp, log, sqrt

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import ACTUATORS, AxisRef
from gearwright.model.actuators import Shaft
from gearwright.sim import compile
from tests.model.test_actuators import example
from tests.sim.driven import body, driven, motor, rigid, wheel
from tests.tolerances import ROUNDING

CURVE = {"stall_torque": 2.0, "no_load_speed": 40.0}
# joint inertia, ratio, rotor inertia: directly on the joint, behind 50 : 1 and behind 300 : 1
DRIVES = [(0.01, None, 0.0), (2.0, 50.0, 3e-4), (100.0, 300.0, 1e-7)]
drives = pytest.mark.parametrize(("inertia", "ratio", "rotor"), DRIVES)


def turned_inertia(inertia, ratio, rotor):
    """What the motor has to turn, on its own side [kg·m²]."""
    return rotor + inertia / (ratio or 1.0) ** 2


def halving(run, exact, steps=(1e-3, 5e-4, 2.5e-4)):
    """Errors at the end of runs with steps that are halved, one over the next: 2 of a method of first order, 4 of one
    of second."""
    errors = [abs(run(dt) - exact) for dt in steps]
    return np.array(errors[:-1]) / errors[1:]


# what is left is of the next order: dt·(a few rates), some per cent
NEXT = 0.05
ORDERS = pytest.mark.parametrize(("integrator", "order"), [("euler", 2.0), ("midpoint", 4.0)])


# --- motors ---------------------------------------------------------------------------------------------------------


@drives
def test_a_motor_settles_at_its_no_load_speed(inertia, ratio, rotor):
    """`T = I·ω₀/τ_s`; an implicit step takes 1/(1 + dt/T) of what is missing. After n steps 1e-12 of it is left."""
    T, dt = turned_inertia(inertia, ratio, rotor) * 40.0 / 2.0, 1e-3
    n = int(12 * log(10) / log(1 + dt / T)) + 1
    sim = compile(wheel(motor(**CURVE, rotor_inertia=rotor), inertia, ratio), dt=dt)
    sim.step(command={"motor": 2.0}, n=n)
    assert sim.actuator["motor"].velocity == pytest.approx(40.0, rel=5e-12)
    assert sim.velocity["j"] == pytest.approx(40.0 / (ratio or 1.0), rel=5e-12)
    assert sim.actuator["motor"].torque == pytest.approx(0.0, abs=1e-11)


@drives
def test_a_motor_stalls_at_its_stall_torque(inertia, ratio, rotor):
    """Against a stop, and against a load that just holds it: `n·τ_s`, so that nothing moves at all."""
    sim = compile(wheel(motor(**CURVE, rotor_inertia=rotor), inertia, ratio, limit=(-1, 0)))
    sim.step(command={"motor": 1e3}, n=200)
    assert sim.actuator["motor"].torque == pytest.approx(2.0, rel=ROUNDING)
    assert sim.position["j"] == pytest.approx(0.0, abs=ROUNDING)
    sim = compile(wheel(motor(**CURVE, rotor_inertia=rotor), inertia, ratio))
    sim.step(command={"motor": 1e3}, effort={"j": -2.0 * (ratio or 1.0)}, n=200)
    assert sim.actuator["motor"].torque == pytest.approx(2.0, rel=ROUNDING)
    assert sim.actuator["motor"].velocity == pytest.approx(0.0, abs=ROUNDING)


@ORDERS
@drives
def test_the_way_there_is_the_closed_form(inertia, ratio, rotor, integrator, order):
    """`ω = ω₀·(1 − e^(−t/T))`, and `θ = ω₀·(t − T·(1 − e^(−t/T)))`, at t = T in steps of T/200 and less."""
    T = turned_inertia(inertia, ratio, rotor) * 40.0 / 2.0

    def speed(dt, what="velocity"):
        sim = compile(wheel(motor(**CURVE, rotor_inertia=rotor), inertia, ratio), dt=dt, integrator=integrator)
        sim.step(command={"motor": 2.0}, n=round(T / dt))
        return getattr(sim.actuator["motor"], what)

    steps = (T / 200, T / 400, T / 800)
    assert halving(speed, 40.0 * (1 - exp(-1.0)), steps) == pytest.approx(order, abs=NEXT)
    turned = halving(lambda dt: speed(dt, "position"), 40.0 * T * exp(-1.0), steps)
    assert turned == pytest.approx(order, abs=NEXT)


def test_each_euler_step_is_the_implicit_one():
    """`ω⁺ = (ω + dt·τ_s/I)/(1 + dt/T)`, to rounding, from standing still to four time constants."""
    dt, T = 1e-3, 0.01 * 40.0 / 2.0
    rec = compile(wheel(motor(**CURVE)), dt=dt, integrator="euler").run(4 * T, command={"motor": 5.0})
    expected = 40.0 * (1 - (1 + dt / T) ** -np.arange(float(len(rec))))
    assert np.abs(rec.velocity["j"] - expected).max() < ROUNDING * 40
    assert np.abs(rec.actuator["motor"].torque - 2.0 * (1 - expected / 40.0))[1:].max() < ROUNDING * 2


@pytest.mark.parametrize("z", [0.005, 0.5, 50.0, 5e6])
def test_each_midpoint_step_decays_to_second_order_at_any_step(z):
    """`ω₀ − ω` falls by `1/(1 + z + z²/2)`, z = dt/T, and the torque shown is what has accelerated the wheel."""
    dt = z * 0.01 * 40.0 / 2.0
    sim = compile(wheel(motor(**CURVE)), dt=dt)
    rec = sim.run(8 * dt, command={"motor": 5.0})
    expected = 40.0 * (1 - (1 + z + z * z / 2) ** -np.arange(9.0))
    assert np.abs(rec.velocity["j"] - expected).max() < ROUNDING * 40
    acted = 0.01 * np.diff(rec.velocity["j"]) / dt
    assert np.abs(rec.actuator["motor"].torque[1:] - acted).max() < ROUNDING * 2


@ORDERS
def test_a_part_of_the_torque_until_the_curve_is_met(integrator, order):
    """Half of the stall torque: a straight line up to ω₀/2, from there on `ω₀ − ω` falls by `e^(−t/T)`."""
    T = 0.01 * 40.0 / 2.0
    corner = 0.01 * 20.0 / 1.0  # I·(ω₀/2)/(τ_s/2) [s]
    t = corner + T

    def speed(dt):
        sim = compile(wheel(motor(**CURVE)), dt=dt, integrator=integrator)
        sim.step(command={"motor": 1.0}, n=round(t / dt))
        return sim.velocity["j"]

    assert halving(speed, 40.0 - 20.0 * exp(-1.0)) == pytest.approx(order, abs=NEXT)


def explicit_motor(inertia, dt, n, stall=0.05, no_load=1000.0):
    """The same motor as a loop of read, compute, act has it: the torque of the speed one step before."""
    w = 0.0
    for _ in range(n):
        w += dt * stall * (1 - w / no_load) / inertia
    return w


def test_stable_at_300_to_1_and_ten_milliseconds_where_the_explicit_form_explodes():
    """Rotor 1e-7 kg·m², 1 g·m² behind 300 : 1; T = 2.2 ms, so that dt/T = 4.5 and |1 − dt/T| = 3.5 a step."""
    robot = wheel(motor(stall_torque=0.05, no_load_speed=1000.0, rotor_inertia=1e-7), 1e-3, 300.0)
    rec = compile(robot, dt=1e-2).run(1.0, command={"motor": 1.0})
    speeds = rec.actuator["motor"].velocity
    assert (np.diff(speeds) > -ROUNDING * 1000).all() and speeds.max() <= 1000.0 * (1 + 1e-12)  # no overshoot either
    assert speeds[-1] == pytest.approx(1000.0, rel=ROUNDING)
    with np.errstate(over="ignore"):
        assert abs(explicit_motor(1e-7 + 1e-3 / 300**2, 1e-2, 100)) > 1e50


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("ratio", [1.0, 300.0, 1e4])
def test_stable_at_any_step_and_ratio(dt, ratio):
    """A reversal at full speed, the steepest that a curve gets: bounded by no-load speed all the way, and settles."""
    robot = wheel(motor(stall_torque=0.05, no_load_speed=1000.0, rotor_inertia=1e-7), 1e-3, ratio)
    sim = compile(robot, dt=dt)
    sim.step(command={"motor": 1.0}, n=200)
    before = sim.actuator["motor"].velocity
    rec = sim.run(200 * dt, command={"motor": -1.0})
    speeds = rec.actuator["motor"].velocity
    assert (np.diff(speeds) <= ROUNDING * 1000).all() and before <= 1000.0 * (1 + ROUNDING)
    assert speeds.min() >= -1000.0 * (1 + ROUNDING)


@pytest.mark.parametrize(("integrator", "second"), [("euler", 0.0), ("midpoint", 0.5)])
def test_beyond_no_load_speed_it_brakes(integrator, second):
    """From 3·ω₀, without a command: `ω − ω₀` falls by 1/(1 + z), z = dt/T, or 1/(1 + z + z²/2) a step, and the brake
    lets go at ω₀."""
    sim = compile(wheel(motor(**CURVE)), integrator=integrator)
    sim.reset(velocity={"j": 120.0})
    z = 1e-3 / (0.01 * 40.0 / 2.0)
    rec = sim.run(1.0)
    expected = 40.0 + 80.0 * (1 + z + second * z * z) ** -np.arange(1001.0)
    assert np.abs(rec.velocity["j"] - expected).max() < ROUNDING * 120


def test_a_table_of_torques():
    """Two lines: 2 N·m down to 1.5 at 30 rad/s, then down to nothing at 40; each a time constant of its own.

    The step in which the corner is passed is of second order as a whole, wherever in it the corner lies: errors are
    below those of Euler by 100, and fall with dt² but for that.
    """
    table = motor(curve=((0.0, 2.0), (30.0, 1.5), (40.0, 0.0)))
    first, second = 0.01 * 30 / 0.5, 0.01 * 10 / 1.5  # I/|slope|
    corner = first * log(2.0 / 1.5)  # 2 − ω/60 falls from 2 to 1.5
    t = corner + second

    def speed(dt, integrator="euler"):
        sim = compile(wheel(table), dt=dt, integrator=integrator)
        sim.step(command={"motor": 9.0}, n=round(t / dt))
        return sim.velocity["j"] + (t - round(t / dt) * dt) * 100 * 1.5 * exp(-1.0)  # the part of a step that is left

    exact = 40.0 - 10.0 * exp(-1.0)
    assert halving(speed, exact) == pytest.approx(2.0, abs=0.005)
    for dt in (1e-3, 5e-4, 2.5e-4):
        assert abs(speed(dt, "midpoint") - exact) < 300 * dt**2  # Euler's: 35·dt
    sim = compile(wheel(table))
    sim.step(command={"motor": 9.0}, n=round(corner / 1e-3 + 28 * second / 1e-3))
    assert sim.velocity["j"] == pytest.approx(40.0, rel=ROUNDING)


def test_a_torque_limit_holds_below_the_curve():
    sim = compile(wheel(motor(**CURVE, effort_limit=0.5)))
    sim.step(command={"motor": 9.0}, n=100)
    assert sim.velocity["j"] == pytest.approx(100 * 1e-3 * 0.5 / 0.01, rel=1e-12)
    sim.step(n=5000)
    assert sim.velocity["j"] == pytest.approx(40.0, rel=2e-10)  # what 25 time constants leave


@pytest.mark.parametrize("dt", [1e-3, 1e-1])
def test_a_velocity_limit_is_kept_at_any_step(dt):
    """An ideal source pushes up to the last thousandth of its limit and not beyond; a load can take it further."""
    sim = compile(wheel(motor(velocity_limit=10.0)), dt=dt)
    rec = sim.run(200 * dt, command={"motor": 3.0})
    assert rec.velocity["j"].max() <= 10.0 * (1 + ROUNDING)
    assert 9.99 <= rec.velocity["j"][-1] <= 10.0 * (1 + ROUNDING)
    sim.step(effort={"j": 1.0}, n=10)
    assert sim.velocity["j"] > 10.0 and sim.actuator["motor"].torque == pytest.approx(0.0, abs=ROUNDING)
    before = sim.velocity["j"]
    sim.step(command={"motor": -1.5}, effort={"j": 0.0})  # braking is not limited
    assert sim.velocity["j"] == pytest.approx(before - dt * 1.5 / 0.01, rel=ROUNDING)


# --- commands -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gain", [1.0, 1e6])
def test_a_velocity_command_is_followed_to_its_load(gain):
    """`τ = d·(command − ω)`, so that a load of L costs L/d of the speed; at any gain."""
    sim = compile(wheel(motor(command="velocity", damping_gain=gain), ratio=20.0), dt=1e-2)
    sim.step(command={"motor": 7.0}, effort={"j": -3.0}, n=500)
    assert sim.actuator["motor"].velocity == pytest.approx(7.0 - 3.0 / 20.0 / gain, rel=ROUNDING)


@pytest.mark.parametrize("gain", [1e-2, 1e6])
def test_a_position_command_is_followed_to_its_load(gain):
    """`τ = k·(command − a) − d·ω`: a load of L stretches the drive by L/(n·k)."""
    drive = motor(command="position", stiffness=gain, damping_gain=gain / 5)
    sim = compile(wheel(drive, ratio=20.0), dt=1e-2)
    sim.step(command={"motor": 4.0}, effort={"j": -3.0}, n=5000)
    assert sim.actuator["motor"].position == pytest.approx(4.0 - 3.0 / 20.0 / gain, rel=ROUNDING)


def test_an_euler_step_of_a_position_drive_is_the_implicit_one():
    k, d, dt, n = 3.0, 0.2, 1e-3, 5.0
    drive = motor(command="position", stiffness=k, damping_gain=d, rotor_inertia=1e-4)
    sim = compile(wheel(drive, ratio=n), integrator="euler")
    sim.reset(position={"j": 0.1}, velocity={"j": 0.3})
    sim.step(command={"motor": 2.0})
    a, w, inertia = 0.1 * n, 0.3 * n, 0.01 / n**2 + 1e-4
    after = (inertia * w + dt * k * (2.0 - a)) / (inertia + dt * d + dt**2 * k)
    assert sim.actuator["motor"].velocity == pytest.approx(after, rel=1e-12)


def test_a_position_drive_holds_where_it_starts():
    robot = wheel(motor(command="position", stiffness=50.0, damping_gain=1.0), ratio=20.0)
    sim = compile(robot, batch=2)
    sim.reset(position={"j": [0.3, -0.2]})
    sim.step(n=500)
    assert sim.position["j"] == pytest.approx([0.3, -0.2], abs=1e-12)


def test_a_drive_is_bounded_by_its_motor():
    """Far from its target a position drive is a motor at full command, whatever its gain.

    What it wants, 1e8 N·m here, is worked out and taken back: of 2 N·m that leaves 1e8·1e-16/2, a few times 1e-9.
    """
    sim = compile(wheel(motor(**CURVE, command="position", stiffness=1e5, damping_gain=10.0)))
    full = compile(wheel(motor(**CURVE)))
    sim.step(command={"motor": 1e3}, n=300)
    full.step(command={"motor": 2.0}, n=300)
    assert sim.velocity["j"] == pytest.approx(full.velocity["j"], rel=ROUNDING)


@pytest.mark.parametrize("limits", [{}, {"velocity_limit": 30.0}])
@pytest.mark.parametrize(("dt", "gain"), [(1e-3, 1e5), (1e-2, 10.0), (1e-2, 1e3), (5e-2, 1e5)])
def test_limited_drives_that_share_their_joints_are_solved_together(dt, gain, limits, rng):
    """A differential with a drive on each motor, thrown about: in every Euler step `M·Δv = dt·Aᵀ·τ` with the efforts
    shown.

    The wanted efforts, up to 1e6 N·m, are worked out and taken back; curves are met to 1e-10 of their rates.
    """
    gear = gw.DifferentialTransmission(actuator_reduction=(5.0, 4.0), joint_reduction=(1.0, 1.5))
    drives = [
        gw.ElectricMotor(
            name=n, command="position", stiffness=gain, damping_gain=gain / 20, effort_limit=1.0, rotor_inertia=1e-4,
            **limits,
        )
        for n in ("m0", "m1")
    ]  # fmt: skip
    robot = driven(rigid(body("a", 0.01), body("b", 0.03)), *drives, joints=("a", "b"), through=gear)
    sim, A = compile(robot, dt=dt, integrator="euler"), gear.actuator_per_joint
    M = sim.mass_matrix()
    for _ in range(10):
        q, v = rng.normal(size=2), 3 * rng.normal(size=2)
        sim.reset({"a": q[0], "b": q[1]}, {"a": v[0], "b": v[1]})
        for _ in range(20):
            sim.step(command={"m0": 5 * rng.normal(), "m1": 5 * rng.normal()})
            moved = np.array([sim.velocity["a"], sim.velocity["b"]]) - v
            v = v + moved
            shown = np.array([sim.actuator[n].torque for n in ("m0", "m1")])
            assert M @ moved / dt == pytest.approx(A.T @ shown, abs=max(3e-9, 2e-13 * gain))


@pytest.mark.parametrize("integrator", ["euler", "midpoint"])
@pytest.mark.parametrize("dt", [1e-2, 3e-2, 1e-1])
def test_a_limited_drive_arrives_at_any_step(dt, integrator):
    """Steep between its limits: `k·dt² + d·dt` is up to 11,000 times the inertia. Euler's effort is what acted."""
    drive = motor(command="position", stiffness=1e4, damping_gain=100.0, effort_limit=5.0)
    rec = compile(wheel(drive), dt=dt, integrator=integrator).run(400 * dt, command={"motor": 1.0})
    assert rec.position["j"][-1] == pytest.approx(1.0, abs=ROUNDING) and rec.position["j"].max() < 2.0
    if integrator == "euler":
        acted = np.diff(rec.velocity["j"], prepend=0.0) * 0.01 / dt
        assert rec.actuator["motor"].torque == pytest.approx(acted, abs=1e-11)  # rounding over dt


def test_commands_are_held_cleared_and_known_by_name():
    sim = compile(wheel(motor()))
    sim.step(command={"motor": 1.0})
    sim.step(n=4)
    assert sim.velocity["j"] == pytest.approx(5 * 1e-3 / 0.01, rel=1e-12) and sim.actuator["motor"].command == 1.0
    sim.reset()
    sim.step()
    assert sim.velocity["j"] == 0.0 == sim.actuator["motor"].command
    with pytest.raises(gw.GearwrightError, match="'motor'"):
        sim.step(command={"moter": 1.0})


# --- every kind -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["direct", "pgs"])
@pytest.mark.parametrize("kind", [*ACTUATORS])
def test_every_kind_acts_at_the_end_of_the_step(kind, solver):
    """The effort of an Euler step is `respond` at the speed and position that it ends with, and moves the joint.

    1e-9: sweeps end when velocities change by 1e-10 rad/s, which a slope of 1 N·m·s/rad turns into 1e-10 N·m.
    """
    cls = ACTUATORS[kind]
    for command in cls.commands if solver == "direct" else cls.commands[-1:]:
        actuator = replace(example(cls, command=command), name="motor", rotor_inertia=1e-3)
        dt = 5e-3
        sim = compile(wheel(actuator, 0.05, ratio=3.0), dt=dt, solver=solver, integrator="euler")
        view, inertia = sim.actuator["motor"], 1e-3 + 0.05 / 9
        for value in (0.7, 5.0, -8.0, 0.0, 30.0):
            for _ in range(5):
                state, before = tuple(getattr(view, s) for s in cls.states), view.velocity
                sim.step(command={"motor": value})
                effort, after = actuator.respond(value, Shaft(view.position, view.velocity, dt), state)
                assert view.torque == pytest.approx(effort, rel=ROUNDING, abs=ROUNDING)
                assert [getattr(view, s) for s in cls.states] == pytest.approx(after, rel=ROUNDING, abs=ROUNDING)
                assert inertia * (view.velocity - before) == pytest.approx(dt * view.torque, rel=ROUNDING, abs=ROUNDING)


@pytest.mark.parametrize("kind", [*ACTUATORS])
def test_every_kind_shows_the_effort_that_acted(kind):
    """With the default step, however stiff it is: the effort shown is the change of momentum over dt."""
    cls = ACTUATORS[kind]
    for command in cls.commands:
        actuator = replace(example(cls, command=command), name="motor", rotor_inertia=1e-3)
        sim, dt = compile(wheel(actuator, 0.05, ratio=3.0), dt=5e-3), 5e-3
        view, inertia = sim.actuator["motor"], 1e-3 + 0.05 / 9
        for value in (0.7, 5.0, -8.0, 0.0, 30.0):
            for _ in range(5):
                before = view.velocity
                sim.step(command={"motor": value})
                assert inertia * (view.velocity - before) == pytest.approx(dt * view.torque, rel=ROUNDING, abs=ROUNDING)


def test_friction_and_damping_of_its_own():
    """Viscous: terminal speed `τ/d`. Coulomb: it stands until the torque is above it, then what is above moves it."""
    sim = compile(wheel(motor(damping=0.02), ratio=10.0))
    sim.step(command={"motor": 0.5}, n=20000)
    assert sim.actuator["motor"].velocity == pytest.approx(25.0, rel=ROUNDING)
    sim = compile(wheel(motor(friction=0.02), ratio=10.0))
    sim.step(command={"motor": 0.0199}, n=100)
    assert sim.velocity["j"] == pytest.approx(0.0, abs=1e-12)
    sim.step(command={"motor": 0.05}, n=100)
    assert sim.velocity["j"] == pytest.approx(0.1 * 10.0 * 0.03 / 0.01, rel=ROUNDING)


# --- magnets and cylinders ------------------------------------------------------------------------------------------


@ORDERS
def test_a_solenoid_on_a_falling_line_is_an_oscillator(integrator, order):
    """`m·ẍ = F₀ − c·x` from rest: `x = F₀/c·(1 − cos ωt)`; here half a swing, the far end at 2·F₀/c = 8 mm."""
    magnet = gw.Solenoid(name="motor", force_stroke=((0.0, 8.0), (0.02, -32.0)))
    m, c, t = 0.1, 2000.0, 0.01

    def place(dt):
        sim = compile(wheel(magnet, m, kind="prismatic"), dt=dt, integrator=integrator)
        sim.step(command={"motor": 1.0}, n=round(t / dt))
        return sim.position["j"]

    exact = 8.0 / c * (1 - cos(sqrt(c / m) * t))
    assert halving(place, exact, (1e-4, 5e-5, 2.5e-5)) == pytest.approx(order, abs=2 * NEXT)


def test_a_pneumatic_cylinder_pushes_by_its_filling():
    """`v = A·p/m·(t − T·(1 − e^(−t/T)))`, and the pressure itself."""
    cylinder = gw.PneumaticCylinder(name="motor", bore_area=8e-4, supply_pressure=6e5, time_constant=0.05)
    force, t = 0.4 * 8e-4 * 6e5, 0.1

    def run(dt, read):
        sim = compile(wheel(cylinder, 3.0, kind="prismatic"), dt=dt)
        sim.step(command={"motor": 0.4}, n=round(t / dt))
        return read(sim)

    lag = 1 - exp(-t / 0.05)
    for dt in (1e-3, 1e-2):  # exact at any step: the command is constant
        assert run(dt, lambda s: s.velocity["j"]) == pytest.approx(force / 3.0 * (t - 0.05 * lag), rel=1e-12)
        assert run(dt, lambda s: s.actuator["motor"].pressure) == pytest.approx(0.4 * 6e5 * lag, rel=1e-12)


# --- parameters, batches, state -------------------------------------------------------------------------------------

NAMES = ("motor.stall_torque", "motor.no_load_speed", "motor.rotor_inertia", "motor.damping", "gear.reduction")


def test_parameters_are_what_compiling_with_them_gives():
    """Every number of a motor and its gear as an input, one robot of a batch each, against robots compiled so."""
    nominal = dict(zip(NAMES, (2.0, 40.0, 1e-4, 1e-3, 20.0), strict=True))

    def robot(v):
        m = motor(stall_torque=v[NAMES[0]], no_load_speed=v[NAMES[1]], rotor_inertia=v[NAMES[2]], damping=v[NAMES[3]])
        return wheel(m, 0.3, v[NAMES[4]])

    changed = [nominal] + [nominal | {name: 1.7 * nominal[name]} for name in NAMES]
    sim = compile(robot(nominal), parameters=NAMES, batch=len(changed))
    sim.set_parameters({name: [c[name] for c in changed] for name in NAMES})
    rec = sim.run(0.2, command={"motor": 1.5})
    for i, c in enumerate(changed):
        own = compile(robot(c)).run(0.2, command={"motor": 1.5})
        assert rec.velocity["j"][:, i] == pytest.approx(own.velocity["j"], rel=ROUNDING)
        assert rec.actuator["motor"].torque[:, i] == pytest.approx(own.actuator["motor"].torque, rel=ROUNDING)
    assert len(set(np.round(rec.velocity["j"][-1], 9))) == len(changed)  # every one of them matters


def test_parameters_of_a_linkage_and_of_a_brushed_motor():
    names = ("gear.coupler", "motor.resistance", "motor.inductance")
    base = {"gear.coupler": 0.4, "motor.resistance": 2.0, "motor.inductance": 0.01}

    def robot(v):
        dc = gw.DCMotor(
            name="motor", resistance=v[names[1]], torque_constant=0.05, inductance=v[names[2]], command="voltage"
        )
        bars = gw.FourBarLinkage(ground=0.4, input=0.1, coupler=v[names[0]], output=0.3)
        return driven(rigid(body("j", 0.01)), dc, through=bars)

    for name in names:
        c = base | {name: 1.1 * base[name]}
        sim = compile(robot(base), parameters=names)
        sim.set_parameters(c)
        own = compile(robot(c))
        for s in (sim, own):
            s.reset(position={"j": 1.9})
            s.step(command={"motor": 3.0}, n=50)
        assert sim.state == pytest.approx(own.state, rel=ROUNDING)


def everything():
    """A brushed motor behind a gear, a motor with a curve, and a cylinder."""
    robot = rigid(body("j1"), body("j2"), body("j3", 2.0, "prismatic"))
    dc = gw.DCMotor(name="a", resistance=1.0, torque_constant=0.1, inductance=1e-2, thermal_resistance=2.0,
                    thermal_capacitance=1.0, supply_voltage=20.0)  # fmt: skip
    curve = gw.ElectricMotor(name="b", stall_torque=1.0, no_load_speed=20.0)
    cylinder = gw.PneumaticCylinder(name="c", bore_area=1e-3, supply_pressure=1e5, time_constant=0.02)
    return driven(robot, dc, curve, cylinder, joints=("j1", "j2", "j3"))


COMMANDS = {"a": 0.4, "b": 3.0, "c": 0.7}


def test_a_state_is_restored_to_the_bit():
    sim = compile(everything())
    sim.step(command=COMMANDS, n=57)
    kept = sim.state
    first = [sim.step(n=20), sim.state][1]
    sim.reset()
    assert (
        sim.actuator["a"].current == 0.0 and sim.actuator["a"].temperature == 25.0 and sim.actuator["c"].pressure == 0
    )
    sim.state = kept
    sim.step(command=COMMANDS, n=20)
    assert (sim.state == first).all()


def test_a_robot_of_a_batch_is_the_robot_alone():
    batch = compile(everything(), batch=5)
    spread = np.linspace(0.2, 1.0, 5)
    rec = batch.run(0.1, command={n: x * spread for n, x in COMMANDS.items()})
    for i, x in enumerate(spread):
        one = compile(everything()).run(0.1, command={n: x * c for n, c in COMMANDS.items()})
        for name, state in (("a", "current"), ("a", "temperature"), ("b", "torque"), ("c", "pressure")):
            # the same operations; a batch may fuse multiplications and additions where a single robot does not
            assert getattr(rec.actuator[name], state)[:, i] == pytest.approx(
                getattr(one.actuator[name], state), rel=1e-12, abs=1e-15
            )


def test_recordings_are_what_the_simulation_shows():
    """Row k of a run in machine code is the simulation after step k; commands are those of the step."""
    told = 3.0 * np.sin(np.arange(50) / 7)
    rec = compile(everything()).run(0.05, command={"b": told, "a": 0.2})
    sim = compile(everything())
    for k, u in enumerate(told, start=1):
        sim.step(command={"b": u, "a": 0.2})
        for what in ("torque", "velocity", "position", "command"):
            assert getattr(rec.actuator["b"], what)[k] == getattr(sim.actuator["b"], what)
        assert rec.actuator["a"].current[k] == sim.actuator["a"].current
    assert (rec.command["b"][1:] == told).all() and (rec.command["c"] == 0).all()


def test_a_controller_sees_this_step_and_acts_in_the_next():
    seen = []

    def controller(sim):
        seen.append(sim.actuator["b"].velocity)
        return {"b": 0.5 - 0.1 * seen[-1]}

    rec = compile(everything()).run(0.02, controller=controller)
    assert seen == pytest.approx(rec.actuator["b"].velocity[:-1].tolist(), rel=1e-15)
    assert rec.command["b"][1:] == pytest.approx([0.5 - 0.1 * w for w in seen], rel=1e-15)


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
def test_other_integrators_refuse_commands_and_say_so():
    sim = compile(wheel(motor(rotor_inertia=0.03)), integrator="rk4")
    assert any("rk4" in d.message and "motor" in d.message for d in sim.diagnostics)
    with pytest.raises(gw.GearwrightError, match="'rk4': take the default"):
        sim.step(command={"motor": 1.0})
    sim.step(effort={"j": 1.0}, n=10)  # the rotor is there
    assert sim.velocity["j"] == pytest.approx(10 * 1e-3 / 0.04, rel=ROUNDING)


@pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
def test_what_is_not_connected_is_told():
    robot = replace(rigid(body("j")), actuators={"lonely": gw.ElectricMotor(name="lonely")})
    sim = compile(robot)
    (told,) = [d for d in sim.diagnostics if "lonely" in d.message]
    assert told.severity == "warning" and "do nothing" in told.message
    with pytest.raises(gw.GearwrightError, match="connected"):
        sim.step(command={"lonely": 1.0})
    beside = replace(robot, actuators={"lonely": robot.actuators["lonely"], "motor": motor(joint=AxisRef("j"))})
    sim = compile(beside)
    sim.step(command={"lonely": 1.0})
    assert sim.velocity["j"] == 0.0 == sim.actuator["lonely"].velocity
