"""The middle of a step: weights against polynomials, when a step is of fourth order, and what ends that."""

from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics.steps import middle
from gearwright.dynamics.steps.middle import Midpoint, Multistep
from tests.sim.robots import DOUBLE_PENDULUM


def cubic(rng):
    """A velocity over time, its integral, and its means over steps of length 1: from 0 on, and the four before."""
    v = np.polynomial.Polynomial(rng.normal(size=4))
    q = v.integ()
    return v, q, [q(1.0 - i) - q(-i) for i in range(5)]


def test_weights_are_exact_for_cubics(rng):
    v, q, means = cubic(rng)
    assert np.dot(middle.POSITION, means[:4]) == pytest.approx(q(0.5) - q(0.0), rel=1e-12)
    assert np.dot(middle.VELOCITY, means[:4]) == pytest.approx(v(0.5), rel=1e-12)
    forces = [v(0.5 - i) for i in range(4)]
    assert np.dot(middle.HALF, forces) == pytest.approx(q(0.5) - q(0.0), rel=1e-12)
    assert np.dot(middle.WHOLE, forces) == pytest.approx(q(1.0) - q(0.0), rel=1e-12)


def test_guesses_are_exact_for_cubics_and_lines(rng):
    v, _, means = cubic(rng)
    assert np.dot(middle.CUBIC, [v(0.0), *means[1:]]) == pytest.approx(means[0], rel=1e-12)
    assert np.dot(middle.FROM_VELOCITY, [v(0.0), *means[1:]]) == pytest.approx(means[0], rel=1e-12)
    assert np.dot(middle.LINE[:2], [3.0, 2.5]) == 3.5


@pytest.mark.parametrize(("smooth", "passes", "after"), [(0.0, 3.0, 1.0), (2.0, 4.0, 0.0), (4.0, 1.0, 4.0)])
def test_smooth_steps_are_counted(smooth, passes, after):
    build = SimpleNamespace(smooth=[smooth], round=[passes])
    Midpoint(build, None, 1e-3).count_smooth()
    assert build.smooth == [after]


@pytest.mark.parametrize(
    ("before", "passes", "curved", "after"),
    [
        ((3.0, 0.0), 3.0, 0.0, [4.0, 0.0]),
        ((3.0, 0.0), 4.0, 0.0, [0.0, 0.0]),
        ((4.0, 7.0), 1.0, 0.0, [4.0, 6.0]),  # rests
        ((7.0, 0.0), 5.0, 1.0, [8.0, 0.0]),
        ((8.0, 0.0), 1.0, 1.0, [8.0, 0.0]),
        ((8.0, 0.0), 3.0, 0.0, [1.0, 2000.0]),  # a kink
        ((8.0, 0.0), 6.0, 1.0, [1.0, 2000.0]),  # so many passes are one, too
    ],
)
def test_smooth_steps_and_rest_are_counted(before, passes, curved, after):
    build = SimpleNamespace(smooth=list(before), round=[passes], curved=[curved])
    Multistep(build, None, 1e-3).count_smooth()
    assert build.smooth == after


@pytest.mark.parametrize(("effort", "rest"), [(1e-4, 0.0), (2e-3, 0.0), (1e-2, 2000.0)])
def test_an_effort_that_jumps_is_a_kink(effort, rest):
    """Guesses are off by its change of the mean velocity: 2e-5 and 1e-4 rad/s."""
    sim = gw.compile(gw.loads(DOUBLE_PENDULUM))
    sim.reset(position={"shoulder": 0.5})
    sim.step(n=20)
    assert sim.batch_state.get("smooth").tolist() == [[8.0, 0.0]]
    sim.step(effort={"elbow": effort})
    assert sim.batch_state.get("smooth").tolist() == [[1.0 if rest else 8.0, rest]]


def test_passes_settle_to_less_where_a_step_is_of_fourth_order():
    build = SimpleNamespace(curved=[1.0])
    step = Multistep(build, None, 1e-3)
    assert step.settled == pytest.approx(1e-6, rel=1e-9)
    build.curved = [0.0]
    assert step.settled == Midpoint(build, None, 1e-3).settled == 2e-5


def test_kinks_cost_no_accuracy():
    """Efforts that jump at every fifth step, by little or much, against Runge and Kutta: 3e-6 found."""
    rng = np.random.default_rng(5)
    efforts = np.repeat(rng.normal(size=(40, 2)) * np.logspace(-3, 0.5, 40)[:, None], 5, axis=0)
    ends = []
    for integrator, dt in (("midpoint", 1e-3), ("rk4", 1e-4)):
        sim = gw.compile(gw.loads(DOUBLE_PENDULUM), dt=dt, integrator=integrator)
        sim.reset(position={"shoulder": 0.5, "elbow": 0.3})
        for shoulder, elbow in efforts:
            sim.step(effort={"shoulder": shoulder, "elbow": elbow}, n=round(1e-3 / dt))
        ends.append([sim.position[n] for n in ("shoulder", "elbow")])
    assert ends[0] == pytest.approx(ends[1], abs=1e-5)


@pytest.mark.parametrize(("dt", "most"), [(1e-3, 1e-4), (2e-3, 3e-3), (3e-3, 2e-2), (4e-3, 4e-2)])
def test_energy_in_a_minute_of_fast_motion(dt, most):
    """It is not symplectic: it gains 3e-5 of m·g·l in a minute at 1 ms, 8e-4 at 2 ms. The midpoint's band is 6e-4 and
    3e-3 there; from 3 ms on, 5e-3 and 9e-3, steps are the midpoint's."""
    sim = gw.compile(gw.loads(DOUBLE_PENDULUM), dt=dt)
    sim.reset(position={"shoulder": 2.5, "elbow": 1.0})
    energy = sim.run(60.0).energy
    assert np.abs(energy - energy[0]).max() < most * 9.81 * 0.5


def test_robots_of_a_batch_are_as_exact_as_alone():
    """One that has to be made in parts makes its neighbours repeat: they keep what they knew of earlier steps."""
    robot = gw.loads(DOUBLE_PENDULUM)
    both, alone = gw.compile(robot, dt=2e-3, batch=2), gw.compile(robot, dt=2e-3)
    both.reset(
        position={"shoulder": 0.5}, velocity={"shoulder": np.array([0.0, 300.0]), "elbow": np.array([0.0, -400.0])}
    )
    alone.reset(position={"shoulder": 0.5})
    for sim in (both, alone):
        sim.step(n=100)
    assert (both.batch_state.get("parts")[:, 0] > 0.0).tolist() == [False, True]
    np.testing.assert_array_equal(both.state[0], alone.state)
