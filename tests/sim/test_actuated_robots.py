"""Actuators among everything else: followers, loops, free bases, other solvers, parameters, derivatives, precision."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics.parameters import actuator_numbers
from gearwright.model import ACTUATORS, AxisRef, Coupling, Couplings, Term
from gearwright.sim import compile
from tests.model.test_actuators import example
from tests.sim.driven import body, driven, motor, rigid, wheel
from tests.sim.robots import FREE
from tests.tolerances import ROUNDING

CURVE = {"stall_torque": 2.0, "no_load_speed": 40.0}


# --- followers, loops and free bases --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["exact", "hard", "compliant"])
def test_a_motor_on_a_follower_drives_its_leader(mode):
    """`I_L + m²·(I_F + n²·I_R)` is what m·n·τ moves; the curve is met at the motor's speed, m·n times the leader's."""
    m, n = -2.0, 5.0
    tie = Coupling(
        name="f", follower=AxisRef("f"), leaders=(Term(AxisRef("l"), m),), mode=mode,
        **({"natural_frequency": 2000.0, "damping_ratio": 1.0} if mode == "compliant" else {}),
    )  # fmt: skip
    robot = replace(rigid(body("l", 0.3), body("f", 0.05)), couplings=Couplings([tie]))
    robot = driven(robot, motor(**CURVE, rotor_inertia=1e-3), joints=("f",), through=gw.SimpleTransmission(reduction=n))
    sim = compile(robot)
    sim.step(command={"motor": 0.1}, n=100)
    moved = 0.3 + m**2 * (0.05 + n**2 * 1e-3)
    assert sim.velocity["l"] == pytest.approx(0.1 * m * n * 0.1 / moved, rel=ROUNDING)
    sim.step(command={"motor": 5.0}, n=20_000)
    assert sim.velocity["l"] == pytest.approx(40.0 / (m * n), rel=ROUNDING)


def test_a_motor_on_a_free_robot_changes_no_momentum():
    """Its torque acts on both links, and the step keeps both momenta to rounding.

    The rotor is an inertia along its axis alone, so that it is none here."""
    robot = gw.loads(FREE, base="floating")
    robot = replace(robot, gravity=(0.0, 0.0, 0.0), actuators={"m": gw.ElectricMotor(name="m", joint=AxisRef("spin"))})
    robot = replace(robot, actuators={**robot.actuators, "n": gw.ElectricMotor(name="n", joint=AxisRef("gimbal", 1))})
    drifts = []
    for dt in (1e-3, 5e-4):
        sim = compile(robot, dt=dt)
        sim.step(command={"m": 0.05, "n": -0.02}, n=round(0.3 / dt))
        assert np.abs(sim.momentum.linear).max() < ROUNDING * 0.05 * 0.3
        drifts.append(np.abs(sim.momentum.angular).max())
    assert abs(sim.velocity["spin"]) > 0.1 and abs(sim.velocity["gimbal.axis2"]) > 0.05
    assert max(drifts) < ROUNDING * 0.05 * 0.3  # of the momentum that the torque would have given; 2e-13 found


def test_a_body_that_is_a_rotor_agrees_where_its_axis_stands():
    """Reflected, or a link of its own behind the same gear: the same motion, the same reading of the motor's axis."""
    runs = []
    for kind in ("reflected", "body"):
        robot = wheel(motor(**CURVE, rotor_inertia=2e-4, rotor=kind), 0.05, 12.0)
        runs.append(compile(robot).run(0.5, command={"motor": lambda t: 3.0 * np.sin(11 * t)}))
    a, b = runs
    assert np.abs(a.velocity["j"] - b.velocity["j"]).max() < ROUNDING * np.abs(a.velocity["j"]).max()
    assert np.abs(a.actuator["motor"].position - b.actuator["motor"].position).max() < ROUNDING
    assert np.abs(a.actuator["motor"].torque - b.actuator["motor"].torque).max() < ROUNDING


# --- losses and curves together -------------------------------------------------------------------------------------


def test_a_steady_speed_with_a_curve_an_efficiency_and_a_load():
    """`η·n·τ_s·(1 − ω/ω₀) = load`: the operating point, to the last digits, since there nothing changes any more."""
    eta, n, load = 0.8, 10.0, 6.0
    sim = compile(wheel(motor(**CURVE, rotor_inertia=1e-4), 0.5, n, losses=gw.Losses(efficiency=eta)))
    sim.step(command={"motor": 9.0}, effort={"j": -load}, n=20_000)
    assert sim.actuator["motor"].velocity == pytest.approx(40.0 * (1 - load / (eta * n * 2.0)), rel=1e-12)
    assert sim.actuator["motor"].torque == pytest.approx(load / (eta * n), rel=1e-12)


# --- solvers, precision ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
def test_every_solver_settles_at_the_operating_point(solver):
    robot = wheel(motor(**CURVE, rotor_inertia=1e-4, friction=0.1), 0.5, 10.0)
    sim = compile(robot, solver=solver)
    sim.step(command={"motor": 9.0}, effort={"j": -6.0}, n=20_000)
    assert sim.actuator["motor"].velocity == pytest.approx(40.0 * (1 - (6.0 / 10 + 0.1) / 2.0), rel=1e-12)


def test_single_precision_has_the_same_motors():
    """Seven digits, of which a thousand steps cost two or so."""
    robot = wheel(motor(**CURVE, rotor_inertia=1e-4), 0.5, 10.0)
    runs = [compile(robot, precision=p).run(1.0, command={"motor": 1.5}).velocity["j"] for p in ("double", "single")]
    assert runs[1] == pytest.approx(runs[0], rel=2e-5)  # found 1e-5


# --- parameters -----------------------------------------------------------------------------------------------------


def kinds():
    """Every kind, told in the first and in the last way that it can be."""
    for kind, cls in ACTUATORS.items():
        for command in dict.fromkeys((cls.commands[0], cls.commands[-1])):
            a = replace(example(cls, command=command), name="motor", damping=0.01, rotor_inertia=1e-3)
            yield pytest.param(a, id=f"{kind}-{command}")


@pytest.mark.parametrize("compared", [2, pytest.param(None, marks=pytest.mark.slow)], ids=["two", "all"])
@pytest.mark.parametrize("actuator", [*kinds()])
def test_every_number_of_every_kind_is_a_parameter(actuator, compared):
    """All of them inputs, each robot of a batch with another one changed, against robots compiled with that number.

    The first and the last number, or all: each is a robot to compile.
    """
    nominal = actuator_numbers(actuator)
    changed = {field: 0.8 if field == "duty_limit" else 1.3 * x or 0.02 for field, x in nominal.items()}
    parameters = [f"motor.{field}" for field in nominal]
    batch = compile(wheel(actuator, 0.05, ratio=3.0), parameters=parameters, batch=len(nominal), integrator="euler")
    for i, (field, x) in enumerate(changed.items()):
        batch.set_parameters({f"motor.{field}": np.where(np.arange(len(nominal)) == i, x, nominal[field])})
    batch.reset()
    batch.step(command={"motor": 0.9}, n=20)
    batch.step(command={"motor": -30.0}, n=20)
    each = [*enumerate(changed.items())]
    for i, (field, x) in each if compared is None else (each[0], each[-1]):
        sim = compile(wheel(replace(actuator, **{field: x}), 0.05, ratio=3.0), integrator="euler")
        sim.step(command={"motor": 0.9}, n=20)
        sim.step(command={"motor": -30.0}, n=20)
        assert batch.velocity["j"][i] == pytest.approx(sim.velocity["j"], rel=ROUNDING, abs=ROUNDING), field
        assert batch.actuator["motor"].torque[i] == pytest.approx(
            sim.actuator["motor"].torque, rel=ROUNDING, abs=ROUNDING
        )


# --- what the equations say -----------------------------------------------------------------------------------------


def test_the_acceleration_shown_is_the_motors():
    sim = compile(wheel(motor(rotor_inertia=1e-3), 0.05, 3.0))
    sim.step(command={"motor": 0.2})
    assert sim.acceleration["j"] == pytest.approx(3.0 * 0.2 / (0.05 + 9 * 1e-3), rel=1e-12)


@pytest.mark.parametrize("command", [0.3, 9.0])
def test_derivatives_go_through_the_motor(command):
    """Of a step over state, effort and command, inside the curve and on it, against central differences."""
    robot = wheel(motor(**CURVE, rotor_inertia=1e-3, damping=0.01), 0.05, 3.0)
    sim = compile(robot, dt=5e-3)
    start = np.array([0.2, 4.0])  # the motor turns at 12 rad/s, where its curve has 1.4 N·m

    def after(state, told, effort=0.0):
        sim.reset({"j": state[0]}, {"j": state[1]})
        sim.step(command={"motor": told}, effort={"j": effort})
        return np.array([sim.position["j"], sim.velocity["j"]])

    h = 1e-5
    columns = [(after(start + h * e, command) - after(start - h * e, command)) / (2 * h) for e in np.eye(2)]
    efforts = (after(start, command, h) - after(start, command, -h)) / (2 * h)
    commands = (after(start, command + h) - after(start, command - h)) / (2 * h)
    sim.reset({"j": start[0]}, {"j": start[1]})
    sim.step(command={"motor": command}, n=0)
    over_state, over_inputs = sim.linearize()
    assert over_state == pytest.approx(np.array(columns).T, abs=3e-10)  # found 6e-11
    assert over_inputs == pytest.approx(np.array([efforts, commands]).T, abs=2e-10)  # found 3e-11
    assert (over_inputs[1, 1] != 0.0) == (command < 1.0)  # on its curve the motor does not heed the command
