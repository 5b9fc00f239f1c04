"""The balance of momentum against the discrete Lagrangian itself, and the axes of a ball's momentum."""

import casadi
import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import column, scalars
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.steps.variational_midpoint import balance, momentum_after, rotate_inverse
from gearwright.model import WORLD, Inertia, Joint, Link, Mechanism
from gearwright.model.poses import rotation_about
from tests.dynamics.random_mechanisms import flat, random_tree
from tests.dynamics.stepping import run, started

DT = 0.01
AXES = ("revolute", "prismatic", "screw", "universal")


def functions(equations):
    """(q, p, w) → residual, force; and (p, w, force, impulse) → p⁺."""
    model = equations.model
    n = model.dof
    q, p, w, f, kick = (SX.sym(s, n) for s in "qpwfk")
    at = balance(model, scalars(q), scalars(p), scalars(w), [0.0] * n, DT)
    places = [0.0] * n, [0.0] * n  # matter to light bases alone
    after = momentum_after(
        model, places[0], Column(scalars(p)), scalars(w), places[1], Column(scalars(f)), Column(scalars(kick)), DT
    )
    return (
        casadi.Function("balance", [q, p, w], [column(at.residual), column(at.force)]),
        casadi.Function("after", [p, w, f, kick], [column(after)]),
    )


@pytest.mark.parametrize("seed", range(3))
def test_momentum_at_both_ends_is_the_discrete_lagrangians(seed, rng):
    """`p = −∂Ld/∂q`, `p⁺ = ∂Ld/∂q⁺` of Ld(q, q⁺) = dt·L((q + q⁺)/2, (q⁺ − q)/dt), by differences of fourth order."""
    mechanism = random_tree(seed, kinds=AXES, passive=False)
    equations = Equations(mechanism)
    residual, after = functions(equations)
    n = equations.model.dof
    q, w = 0.5 * rng.normal(size=(2, n))

    def lagrangian(start, end):
        kinetic, potential = (float(x) for x in equations.observer("energy")((start + end) / 2, (end - start) / DT, []))
        return DT * (kinetic - potential)

    def slope(of):
        h = 1e-4
        found = [sum(c * of(k * h * e) for k, c in ((-2, 1), (-1, -8), (1, 8), (2, -1))) / (12 * h) for e in np.eye(n)]
        return np.array(found)

    q_after = q + DT * w
    before = -slope(lambda d: lagrangian(q + d, q_after))
    behind = slope(lambda d: lagrangian(q, q_after + d))
    missing, force = (flat(x) for x in residual(q, before, w))
    scale = np.abs(before).max()
    assert np.abs(missing).max() < 4e-12 * scale  # rounding of the energies over h
    assert np.abs(flat(after(before, w, force, np.zeros(n))) - behind).max() < 4e-12 * scale


def test_an_impulse_comes_on_top(rng):
    equations = Equations(random_tree(1, kinds=AXES, passive=False))
    _, after = functions(equations)
    p, w, f, kick = rng.normal(size=(4, equations.model.dof))
    assert flat(after(p, w, f, kick)) == pytest.approx(p + DT * f + kick, rel=1e-13)


def test_turned_back():
    rng = np.random.default_rng(3)
    for x in (*rng.normal(size=(5, 3)), np.zeros(3)):
        a, angle = rng.normal(size=3), np.linalg.norm(x)
        R = rotation_about(x / angle, -angle) if angle else np.eye(3)
        found = rotate_inverse(Vector(*x.tolist()), Vector(*a.tolist()))
        assert [float(c) for c in found] == pytest.approx(R @ a, abs=1e-14)


def test_a_free_turn_keeps_its_momentum_in_space():
    """An asymmetric body on a ball joint, fast: R·I·ω is the same after a hundred steps of 10 ms, to rounding."""
    body = Link(name="b", inertia=Inertia(mass=1.0, moments=(0.1, 0.2, 0.25)))
    ball = Joint(name="j", kind="ball", parent=WORLD, child="b")
    equations = Equations(
        Mechanism(name="top", links={"b": body}, joints={"j": ball}, gravity=(0, 0, 0)), integrator="midpoint"
    )
    slots = started(equations, [1, 0, 0, 0], [3.0, 8.0, -2.0], dt=DT)
    start = flat(equations.observer("momentum")(slots["position"], slots["velocity"], [])[1])
    for _ in range(100):
        run(equations.stages, slots)
    end = flat(equations.observer("momentum")(slots["position"], slots["velocity"], [])[1])
    assert np.linalg.norm(end - start) < 4e-14 * np.linalg.norm(start)  # found 4e-15
    assert np.abs(slots["velocity"] - [3.0, 8.0, -2.0]).max() > 1.0
