"""Integrators: order, energy, momentum, unit quaternions, and stability of what is taken at the end of the step."""

from itertools import pairwise

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.dynamics.steps.unconstrained import RK4
from gearwright.model import WORLD, Axis, AxisDynamics, Inertia, Joint, Link, Mechanism, Pose
from tests.dynamics.random_mechanisms import KINDS, flat, random_inertia, random_state, random_tree
from tests.tolerances import ROUNDING


def rolled_out(equations, q, v, effort, dt, n):
    """n steps with the effort held."""
    run = equations.step.mapaccum("run", n, ["position", "velocity"], ["next_position", "next_velocity"])
    after_q, after_v = run(q, v, np.tile(np.reshape(effort, (-1, 1)), n), np.zeros((0, n)), dt * np.ones((1, n)))
    return np.array(after_q), np.array(after_v)


def pendulum(links=2, length=0.5, **dynamics):
    """Bars that hang from each other on axes across gravity."""
    inertia = Inertia(mass=1.0, moments=(0.02, 0.02, 0.001), pose=Pose.from_rpy((0, 0, -length / 2), (0, 0, 0)))
    axis = Axis(xyz=(0.0, 1.0, 0.0), dynamics=AxisDynamics(**dynamics))
    joints, names = {}, [WORLD]
    for n in range(links):
        at = Pose.from_rpy((0, 0, -length if n else 0.0), (0, 0, 0))
        joints[f"j{n}"] = Joint(name=f"j{n}", kind="revolute", parent=names[-1], child=f"l{n}", X_PJ=at, axes=(axis,))
        names.append(f"l{n}")
    return Mechanism(name="pendulum", links={n: Link(name=n, inertia=inertia) for n in names[1:]}, joints=joints)


def wheel(inertia=0.5, **dynamics):
    """One turn about the vertical."""
    link = Link(name="wheel", inertia=Inertia(mass=1.0, moments=(1.0, 1.0, inertia)))
    joint = Joint(name="hub", kind="continuous", parent=WORLD, child="wheel",
                  axes=(Axis(dynamics=AxisDynamics(**dynamics)),))  # fmt: skip
    return Mechanism(name="wheel", links={"wheel": link}, joints={"hub": joint})


def test_rk4_keeps_the_energy_of_a_double_pendulum():
    """To 1e-9 of what it exchanges, over 10 s at dt = 1 ms, as promised (semi-implicit Euler: 1e-2)."""
    start = [1.2, -0.6]
    equations = Equations(pendulum(length=1.0), integrator="rk4")
    q, v = rolled_out(equations, start, [0.0, 0.0], [0.0, 0.0], 1e-3, 10_000)
    energies = [sum(map(float, equations.observer("energy")(q[:, k], v[:, k], []))) for k in range(0, 10_000, 500)]
    before = sum(map(float, equations.observer("energy")(start, [0.0, 0.0], [])))
    exchanged = max(float(equations.observer("energy")(q[:, k], v[:, k], [])[0]) for k in range(0, 10_000, 500))
    assert np.abs(np.array(energies) - before).max() < 1e-9 * exchanged
    assert np.ptp(q[0]) > 1.0  # it did swing


@pytest.mark.parametrize(("integrator", "order"), [("euler", 1), ("rk4", 4)])
def test_order(integrator, order):
    """Halving dt divides the error by 2^order. All kinds of joints; ball and floating turn on the sphere."""
    mechanism = random_tree(7, kinds=("floating", "ball", "universal", "planar", "screw", "revolute"))
    equations = Equations(mechanism, integrator=integrator)
    q, v, _ = random_state(mechanism, np.random.default_rng(2), spread=0.5)
    effort = np.zeros(len(v))
    coarse, fine, finer = (
        np.concatenate([x[:, -1] for x in rolled_out(equations, q, v, effort, 0.04 / n, n)]) for n in (8, 16, 32)
    )
    ratio = np.linalg.norm(coarse - fine) / np.linalg.norm(fine - finer)
    assert np.log2(ratio) == pytest.approx(order, abs=0.02)  # found 3e-3


def test_momentum_of_a_floating_tree():
    """No gravity, nothing outside: inner efforts and dampers change neither momentum. RK4's own error is 1e-10 here."""
    free = random_tree(11, kinds=("revolute", "ball", "prismatic", "universal"), gravity=False)
    inner = {n: j for n, j in free.joints.items() if j.parent != WORLD}
    root = next(j.child for j in free.joints.values() if j.parent == WORLD)
    inner |= {j.name: Joint(name=j.name, kind="fixed", parent=root, child=j.child) for j in free.joints.values()
              if j.parent == WORLD and j.child != root}  # fmt: skip
    base = Joint(name="base", kind="floating", parent=WORLD, child=root)
    mechanism = Mechanism(name="free", links=free.links, joints=inner, bases={"base": base}, gravity=(0, 0, 0))
    equations = Equations(mechanism, integrator="rk4")
    q, v, _ = random_state(mechanism, np.random.default_rng(3))
    effort = np.where([name.startswith("base.") for name in equations.coordinates], 0.0, 0.5)
    after_q, after_v = rolled_out(equations, q, v, effort, 1e-3, 300)
    for part in (0, 1):
        before = flat(equations.observer("momentum")(q, v, [])[part])
        after = flat(equations.observer("momentum")(after_q[:, -1], after_v[:, -1], [])[part])
        assert np.abs(after - before).max() < ROUNDING * np.abs(before).max()
    assert np.abs(after_v[:, -1] - v).max() > 0.1  # it did move


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_quaternions_stay_unit(integrator):
    mechanism = random_tree(12, kinds=("ball", "floating"), gravity=False)
    equations = Equations(mechanism, integrator=integrator)
    q, v, _ = random_state(mechanism, np.random.default_rng(4), spread=3.0)
    after, _ = rolled_out(equations, q, v, np.zeros(len(v)), 5e-3, 200)
    for joint in {name.rpartition(".")[0] for name in equations.positions}:
        four = [i for i, name in enumerate(equations.positions) if name.startswith(f"{joint}.q")]
        assert np.abs(np.linalg.norm(after[four], axis=0) - 1.0).max() < 2e-15


def test_a_turning_ball_is_exact():
    """A sphere at constant ω turns by the exponential map: no error at any dt; and no motion at ω = 0."""
    rng = np.random.default_rng(5)
    sphere = Link(name="s", inertia=Inertia(mass=1.0, moments=(0.1, 0.1, 0.1)))
    joint = Joint(name="j", kind="ball", parent=WORLD, child="s")
    equations = Equations(Mechanism(name="sphere", links={"s": sphere}, joints={"j": joint}))
    w = rng.normal(size=3)
    q, _ = equations.step([1, 0, 0, 0], w, [0, 0, 0], [], 0.7)
    half = 0.35 * np.linalg.norm(w)
    assert np.allclose(flat(q), [np.cos(half), *(np.sin(half) * w / np.linalg.norm(w))], atol=ROUNDING, rtol=ROUNDING)
    assert np.array_equal(flat(equations.step([1, 0, 0, 0], [0, 0, 0], [0, 0, 0], [], 0.7)[0]), [1, 0, 0, 0])


def test_dampers_and_springs_are_implicit():
    """`u⁺ = (I·u + dt·(τ − K·(q − q₀)))/(I + dt·D + dt²·K)`, to rounding, however stiff."""
    inertia, D, K, q0, dt, q, u, tau = 0.5, 1e4, 1e6, 0.2, 0.1, 0.7, 3.0, 2.0
    equations = Equations(wheel(inertia, damping=D, spring_stiffness=K, spring_reference=q0))
    after_q, after_u = (float(x) for x in equations.step([q], [u], [tau], [], dt))
    expected = (inertia * u + dt * (tau - K * (q - q0))) / (inertia + dt * D + dt**2 * K)
    assert after_u == pytest.approx(expected, rel=1e-13)
    assert after_q == pytest.approx(q + dt * expected, rel=1e-13)


def test_stiff_dampers_and_springs_do_not_blow_up():
    """At a hundred times the step at which an explicit method diverges, on a chain, where axes act on each other."""
    equations = Equations(pendulum(4, damping=50.0, spring_stiffness=5e4))
    q, v = rolled_out(equations, [0.5, -0.4, 0.3, -0.2], [1.0, -2.0, 3.0, 0.0], np.zeros(4), 0.05, 200)
    assert np.abs(q).max() < 0.1
    assert np.abs(v[:, -1]).max() < ROUNDING


def test_energy_of_the_implicit_step_falls():
    """A damped mechanism of all kinds without gravity loses energy in every step, at a step too long to be accurate."""
    mechanism = random_tree(13, kinds=("revolute", "prismatic", "universal"), gravity=False)
    equations = Equations(mechanism)
    q, v, _ = random_state(mechanism, np.random.default_rng(6), spread=0.3)
    after_q, after_v = rolled_out(equations, q, v, np.zeros(len(v)), 2e-3, 400)
    energies = [
        sum(map(float, equations.observer("energy")(after_q[:, k], after_v[:, k], []))) for k in range(0, 400, 40)
    ]
    assert all(b < a for a, b in pairwise(energies))


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_no_time_goes_nowhere(kind):
    mechanism = random_tree(14, kinds=(kind,))
    q, v, _ = random_state(mechanism, np.random.default_rng(7))
    for integrator in ("euler", "rk4"):
        after_q, after_v = Equations(mechanism, integrator=integrator).step(q, v, np.ones(len(v)), [], 0.0)
        assert np.allclose(flat(after_q), q, atol=ROUNDING, rtol=ROUNDING)
        assert np.array_equal(flat(after_v), v)


def test_free_fall():
    """A floating body with any inertia falls by `g·t`, turning or not at its centre of mass."""
    inertia = random_inertia(np.random.default_rng(8))
    base = Joint(name="base", kind="floating", parent=WORLD, child="body")
    body = Mechanism(name="stone", links={"body": Link(name="body", inertia=inertia)}, joints={}, bases={"base": base})
    equations = Equations(body)
    acceleration = flat(equations.observer("observation")([0, 0, 1, 1, 0, 0, 0], np.zeros(6), np.zeros(6), [])[2])
    assert np.allclose(acceleration, [*body.gravity, 0, 0, 0], atol=ROUNDING, rtol=ROUNDING)


def test_butchers_conditions_of_fourth_order():
    """`Σb = 1`, `Σb·c = 1/2`, `Σb·c² = 1/3`, `Σb·A·c = 1/6`, …; c are the sums of A's rows."""
    n = len(RK4.b)
    A, b = np.array([(*row, *[0.0] * (n - len(row))) for row in RK4.a]), np.array(RK4.b)
    c = A.sum(axis=1)
    found = [b.sum(), b @ c, b @ c**2, b @ A @ c, b @ c**3, (b * c) @ A @ c, b @ A @ c**2, b @ A @ A @ c]
    assert found == pytest.approx([1, 1 / 2, 1 / 3, 1 / 6, 1 / 4, 1 / 8, 1 / 12, 1 / 24], rel=ROUNDING)
