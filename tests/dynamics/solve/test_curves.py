"""Laws that are curves, solved to their end: 10,000 random problems a motor against bisection, and together with laws.

The stages of a phase run on many problems side by side, as a program runs them on a batch.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics.actuation.actuator_unit import ActuatorUnit
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import expression
from gearwright.dynamics.solve.curves import Curve, inertia
from gearwright.dynamics.solve.laws import friction_and_stops
from gearwright.dynamics.solve.terms import Collected, Polyline
from gearwright.dynamics.steps.builder import Repeat, StepBuilder, Unless
from gearwright.dynamics.steps.direct import POINTS, DirectSolver
from gearwright.model import Actuator, ElectricMotor
from gearwright.model.actuators import Shaft
from tests.dynamics.solve.bench import random_matrices
from tests.tolerances import ROUNDING

EPS = 2.0**-52
COUNT = 10_000
SIZE = 7  # arguments of a law without states: command, position, speed, ahead, share, span, dt


MOTORS = {
    "effort within a curve": ElectricMotor(name="m", stall_torque=2.0, no_load_speed=3.0, effort_limit=1.2),
    "curve as a table": ElectricMotor(name="m", curve=((0.0, 2.0), (1.0, 1.9), (2.0, 0.0))),
    "velocity limit": Actuator(name="m", velocity_limit=1.5),
    "stiff drive within limits": Actuator(
        name="m", command="position", stiffness=1e6, damping_gain=1e3, effort_limit=1.0
    ),
    "stiff drive on a curve": ElectricMotor(
        name="m", command="velocity", damping_gain=1e5, stall_torque=2.0, no_load_speed=3.0, effort_limit=1.2,
        velocity_limit=2.5,
    ),
}  # fmt: skip


def unit_of(actuator):
    return ActuatorUnit(actuator, None, 0.0, 0.0, 0.0, 1.0, 0, ())


class Phase:
    """One phase: curves along the first axes, friction along the last."""

    def __init__(self, unit, n, curves, eps=EPS):
        sizes = {
            "H": n * (n + 1) // 2, "b": n, "given": SIZE * curves, "segment_tried": n - curves, "velocity": n,
            "impulse": n - curves, "dt": 1,
        }  # fmt: skip
        self.build = StepBuilder({slot: SX.sym(slot, size) for slot, size in sizes.items()})
        pairs = [(i, j) for i in range(n) for j in range(i + 1)]
        H, given = dict(zip(pairs, self.build["H"], strict=True)), self.build["given"]
        motors = [
            Curve({k: 1.0}, unit.sampled, given[SIZE * k : SIZE * (k + 1)], unit.newton_steps) for k in range(curves)
        ]
        rest = [Polyline({k: 1.0}, friction_and_stops(0.3, None, None)) for k in range(curves, n)]
        acting = Collected([], rest, [], motors, [("polyline", i) for i in range(n - curves)])
        solver = DirectSolver(self.build, SimpleNamespace(dof=n), eps)
        solver.solved(FrontalMatrix.of(H), self.build["b"], acting, "segment", self.build["segment_tried"], [0.0] * n)
        self.stages = self.build.body

    def run(self, H, b, given):
        """Columns are problems; the slots at the end, and how many solutions it took."""
        n, count = b.shape[1], len(b)
        pairs = [(i, j) for i in range(n) for j in range(i + 1)]
        slots = {"H": np.array([H[:, i, j] for i, j in pairs]), "b": b.T, "given": given.T}
        for slot in ("segment_tried", "velocity", "impulse", "dt"):
            slots[slot] = np.zeros((len(self.build[slot]), count))
        return slots, run_stages(self.stages, slots, count)


def run_stages(body, slots, count):
    """Number of solutions."""
    solutions = 0
    for node in body:
        if isinstance(node, Repeat | Unless):
            for _ in range(1 if isinstance(node, Unless) else node.count):
                if slots[node.unless if isinstance(node, Unless) else node.until].all():
                    break
                solutions += run_stages(node.body, slots, count)
            continue
        for k, name in enumerate(node.name_in()):
            slots.setdefault(name, np.zeros((node.size1_in(k), count)))  # of a stage that was left out
        outputs = node.map(count).call([slots[name] for name in node.name_in()])
        slots |= {name: np.array(x) for name, x in zip(node.name_out(), outputs, strict=True)}
        solutions += node.name() == "switch"
    return solutions


def problems(rng, n, curves, count, decades):
    """Any push, command and position; steps of `decades`, and with them the steepness."""
    H = random_matrices(rng, count, n)
    b = rng.normal(size=(count, n)) * 2.0
    dt = 10.0 ** rng.uniform(*decades, (count, 1)) * np.ones(curves)
    given = np.zeros((count, curves, SIZE))
    given[:, :, 0], given[:, :, 1] = rng.normal(size=(2, count, curves))
    given[:, :, 3], given[:, :, 4], given[:, :, 5], given[:, :, 6] = dt, 1.0, dt, dt
    return H, b, given.reshape(count, -1)


def law(unit, rate, given):
    """The actuator's own impulse, in NumPy."""
    command, position, speed, ahead, share, span, dt = given.T
    effort, _ = unit.actuator.respond(command, Shaft(position + ahead * rate, speed + share * rate, dt))
    return span * effort


def bisected(unit, d, push, given):
    """`d·r − f(r) = push` by 120 halvings of ±1e4; the left side rises."""
    low, high = np.full(len(d), -1e4), np.full(len(d), 1e4)
    for _ in range(120):
        middle = 0.5 * (low + high)
        short = d * middle - law(unit, middle, given) < push
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return 0.5 * (low + high)


@pytest.mark.parametrize("name", MOTORS)
def test_ten_thousand_rates_by_bisection(name, rng):
    """To rounding, although a phase takes rates within POINTS·eps = 1e-10 for the same point."""
    unit = unit_of(MOTORS[name])
    H, b, given = problems(rng, 1, 1, COUNT, (-4, 0))
    slots, solutions = Phase(unit, 1, 1).run(H, b, given)
    assert slots["settled"].all()
    assert solutions == 2  # one finds the point, and one comes back to it
    expected = bisected(unit, H[:, 0, 0], b[:, 0], given)
    error = np.abs(slots["u"][0] - expected) / np.maximum(1.0, np.abs(expected))
    assert error.max() < ROUNDING
    assert np.median(error) < 1e-14


@pytest.mark.parametrize("name", MOTORS)
def test_curves_beside_friction(name, rng):
    """Two motors and two axes with friction, coupled by H: momentum is balanced, and every impulse is its law's.

    Steps of up to 1 ms. Where motors stop each other within a step, some do not settle: 0.4 % at 10 ms, 7 % at 1 s.
    """
    unit = unit_of(MOTORS[name])
    H, b, given = problems(rng, 4, 2, 500, (-4, -3))
    slots, _ = Phase(unit, 4, 2).run(H, b, given)
    assert slots["settled"].all()
    u, impulses = slots["u"], np.vstack([slots["curve"], slots["polyline"]])
    left = np.einsum("kij,jk->ik", H, u) - b.T - impulses
    size = np.einsum("kij,jk->ik", np.abs(H), np.abs(u)) + np.abs(b.T) + np.abs(impulses)
    assert (np.abs(left) / size).max() < 1e-13
    for k in range(2):
        own, low, high = (
            law(unit, u[k] + x * np.maximum(1.0, np.abs(u[k])), given[:, SIZE * k : SIZE * (k + 1)])
            for x in (0.0, -POINTS * EPS, POINTS * EPS)
        )
        error, steepness = np.abs(slots["curve"][k] - own), np.abs(high - low)
        assert (error <= steepness + 1e-13).all()  # the rate is known to POINTS·eps
    for k in (2, 3):
        friction = np.abs(slots["polyline"][k - 2])
        assert (friction <= 0.3 + 1e-12).all()
        assert np.abs(friction[np.abs(u[k]) > 1e-12] - 0.3).max(initial=0.0) < 1e-12


def test_inertia_along_a_direction():
    assert inertia({0: 2.0, 1: 1.0}, [4.0, 0.5]) == pytest.approx(1 / (4 / 4 + 1 / 0.5), rel=1e-12)
    assert inertia({}, []) == 1.0


@pytest.mark.parametrize("rate", [1e3, 0.0, -7.0])
def test_a_curve_is_met_where_its_point_is_the_rate_to_a_share_of_it(rate):
    curve = Curve({0: 1.0}, unit_of(MOTORS["effort within a curve"]).sampled, [5.0, 0.0, 0.0, 0.01, 1.0, 0.01, 0.01])
    off = 1e-6 * max(1.0, abs(rate))  # of 1 rad/s at least
    for impulse in float(curve.value(expression(rate))) + 0.3 * off * np.array([1.0, -1.0]):
        moved = abs(float(curve.point(expression(rate), expression(impulse), 0.3)) - rate)
        assert 0.5 * off < moved < 1.5 * off
        assert float(curve.is_met(expression(rate), expression(impulse), 0.3, 1e-6 * moved / off * 1.001))
        assert not float(curve.is_met(expression(rate), expression(impulse), 0.3, 1e-6 * moved / off * 0.999))


def test_a_line_touches_its_curve():
    motor = MOTORS["effort within a curve"]
    curve = Curve({0: 1.0}, unit_of(motor).sampled, [5.0, 0.0, 0.0, 0.01, 1.0, 0.01, 0.01])
    constant, slope = (float(x) for x in curve.line(expression(2.0)))
    assert constant - 2.0 * slope == pytest.approx(0.01 * motor.effort_at(5.0, 2.0), rel=1e-14)
    assert slope == pytest.approx(0.01 * 2.0 / 3.0, rel=1e-14)


@pytest.mark.parametrize("name", ["stiff drive within limits", "stiff drive on a curve"])
def test_a_robot_alone_has_the_bits_that_it_has_beside_others(name, rng):
    """Laws of others may still switch where only its curves have not settled."""
    phase = Phase(unit_of(MOTORS[name]), 10, 5)
    H, b, given = problems(rng, 10, 5, 150, (-2, 0))
    together, _ = phase.run(H, b, given)
    for k in range(len(b)):
        alone, _ = phase.run(H[k : k + 1], b[k : k + 1], given[k : k + 1])
        assert (alone["u"][:, 0] == together["u"][:, k]).all(), k
