"""Exact couplings: closed forms, chains, polynomials, and the reaction that they transmit."""

from dataclasses import replace

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.model import (
    WORLD,
    Axis,
    AxisDynamics,
    AxisRef,
    Coupling,
    Couplings,
    Inertia,
    Joint,
    Link,
    Mechanism,
    Term,
)  # fmt: skip
from tests.dynamics.random_mechanisms import flat, random_state, random_tree
from tests.dynamics.steps.test_unconstrained import rolled_out
from tests.tolerances import ROUNDING


def wheels(inertias, couplings, damping=0.0, stiffness=0.0, armature=0.0):
    """Wheels about the vertical, w0, w1, …, each on the world."""
    axis = Axis(dynamics=AxisDynamics(damping=damping, spring_stiffness=stiffness, armature=armature))
    names = [f"w{n}" for n in range(len(inertias))]
    return Mechanism(
        name="wheels",
        links={f"{n}_link": Link(name=f"{n}_link", inertia=Inertia(mass=1.0, moments=(max(1.0, i), max(1.0, i), i)))
               for n, i in zip(names, inertias, strict=True)},
        joints={n: Joint(name=n, kind="continuous", parent=WORLD, child=f"{n}_link", axes=(axis,)) for n in names},
        couplings=Couplings(couplings),
    )  # fmt: skip


def follow(follower, *leaders, **options):
    terms = tuple(Term(AxisRef(name), m) for name, m in leaders)
    return Coupling(name=follower, follower=AxisRef(follower), leaders=terms, **options)


def accelerations(mechanism, effort, q=(0.3,), v=(0.0,)):
    observed = Equations(mechanism).observer("observation")(q, v, effort, [])
    return [flat(x) for x in observed]


def test_the_leader_sees_the_followers_inertia():
    """I_L + m²·I_F."""
    _, _, vd, _, _ = accelerations(wheels([0.5, 0.2], [follow("w1", ("w0", -3.0))]), [1.0, 0.0])
    assert vd == pytest.approx([1 / (0.5 + 9 * 0.2), -3 / (0.5 + 9 * 0.2)], rel=1e-14)


def test_an_effort_on_the_follower_reaches_the_leader():
    _, _, vd, _, _ = accelerations(wheels([0.5, 0.2], [follow("w1", ("w0", -3.0))]), [0.0, 1.0])
    assert vd[0] == pytest.approx(-3 / (0.5 + 9 * 0.2), rel=1e-14)


def test_chains_compose_whatever_their_order():
    chain = [follow("w2", ("w1", 2.0), offset=0.1), follow("w1", ("w0", -3.0), reference=0.2)]
    for couplings in (chain, chain[::-1]):
        q, _, vd, error, _ = accelerations(wheels([0.5, 0.2, 0.1], couplings), [1.0, 0.0, 0.0])
        assert q == pytest.approx([0.3, -0.3, -0.5], rel=1e-14)
        assert vd[0] == pytest.approx(1 / (0.5 + 9 * 0.2 + 36 * 0.1), rel=1e-14)
        assert np.array_equal(error, [0, 0])


def test_damping_springs_and_armature_of_followers_reach_the_leader():
    mechanism = wheels([0.5, 0.2], [follow("w1", ("w0", 2.0), offset=0.4)], damping=0.3, stiffness=0.7, armature=0.05)
    _, _, vd, _, _ = accelerations(mechanism, [0.0, 0.0], v=[1.5])
    effort = -0.3 * (1.5 + 4 * 1.5) - 0.7 * (0.3 + 2 * (2 * 0.3 + 0.4))
    assert vd[0] == pytest.approx(effort / (0.55 + 4 * 0.25), rel=1e-14)


def test_several_leaders():
    """A differential: w2 = (w0 + w1)/2."""
    mechanism = wheels([0.5, 0.4, 0.2], [follow("w2", ("w0", 0.5), ("w1", 0.5))])
    _, _, vd, _, _ = accelerations(mechanism, [1.0, 2.0, 0.0], q=(0.1, 0.2), v=(0.0, 0.0))
    M = np.array([[0.5 + 0.05, 0.05], [0.05, 0.4 + 0.05]])
    assert vd[:2] == pytest.approx(np.linalg.solve(M, [1.0, 2.0]), rel=1e-13)
    assert vd[2] == pytest.approx((vd[0] + vd[1]) / 2, rel=1e-13)


def test_the_effort_a_coupling_transmits():
    """Down a chain: each follower needs its own share and what it hands on."""
    mechanism = wheels([0.5, 0.2, 0.1], [follow("w1", ("w0", -3.0)), follow("w2", ("w1", 2.0))])
    _, _, vd, _, effort = accelerations(mechanism, [1.0, 0.0, 0.0])
    last = 0.1 * vd[2]
    assert effort == pytest.approx([0.2 * vd[1] + 2.0 * last, last], rel=1e-13)
    assert 1.0 - (-3.0 * effort[0]) == pytest.approx(0.5 * vd[0], rel=1e-13)  # what is left moves the leader


def coupled_tree(powers=(0.3, -0.2)):
    """A random arm whose third joint follows the first by a polynomial, and whose fifth follows the third."""
    free = random_tree(21, kinds=("revolute", "prismatic", "continuous", "revolute", "screw", "ball"), passive=False)
    scalar = [n for n, j in free.joints.items() if j.dof == 1]
    bent = follow(scalar[2], (scalar[0], 0.7), powers=powers, offset=0.1, reference=-0.2)
    last = follow(scalar[4], (scalar[2], -0.8))
    return Mechanism(name="coupled", links=free.links, joints=free.joints, couplings=Couplings([last, bent]),
                     gravity=free.gravity)  # fmt: skip


def test_reduced_equations_are_the_projected_ones():
    """With v̇ = G·u̇ + Ġ·u known from the couplings alone: `Gᵀ·(M·v̇ + h − τ) = 0` in the tree's own M and h."""
    mechanism = coupled_tree()
    equations = Equations(mechanism)
    rng = np.random.default_rng(3)
    tree_q, tree_v, _ = random_state(mechanism, rng)
    q = [tree_q[i] for i in equations.model.reduction.positions]
    u, effort = rng.normal(size=len(equations.velocities)), rng.normal(size=len(tree_v))
    q_tree, v_tree, vd, error, reaction = (flat(x) for x in equations.observer("observation")(q, u, effort, []))
    missing = (
        np.array(equations.observer("mass_matrix")(q_tree, [])) @ vd
        + flat(equations.observer("bias")(q_tree, v_tree, []))
        - effort
    )
    J = np.zeros((2, len(v_tree)))  # rows ∂C/∂v, by hand
    order = [equations.coordinates.index(n) for n in equations.couplings]
    names = {c.name: c for c in mechanism.couplings.values()}
    for row, name in enumerate(equations.couplings):
        c = names[name]
        leader = equations.coordinates.index(c.leader.joint)
        x = q_tree[equations.tree_positions.index(c.leader.joint)] - c.reference
        slope = c.multiplier + sum(k * p * x ** (k - 1) for k, p in enumerate(c.powers, start=2))
        J[row, order[row]], J[row, leader] = 1.0, -slope
        bend = sum(k * (k - 1) * p * x ** (k - 2) for k, p in enumerate(c.powers, start=2))
        assert vd[order[row]] == pytest.approx(slope * vd[leader] + bend * v_tree[leader] ** 2, rel=1e-12)
        assert v_tree[order[row]] == pytest.approx(slope * v_tree[leader], rel=1e-13)
    assert np.abs(missing - J.T @ reaction).max() < ROUNDING * np.abs(effort).max()  # reactions, no more
    assert np.abs(error).max() < 1e-15


@pytest.mark.parametrize("armature", [0.0, 0.5])
def test_a_polynomial_coupling_keeps_the_energy(armature):
    """Only with the Ġ·u term, of the rotors too; without it 0.3 s of this lose some 1e-2."""
    mechanism = coupled_tree()
    joints = {
        n: replace(j, axes=tuple(replace(a, dynamics=replace(a.dynamics, armature=armature)) for a in j.axes))
        for n, j in mechanism.joints.items()
    }
    equations = Equations(replace(mechanism, joints=joints), integrator="rk4")
    rng = np.random.default_rng(4)
    n = len(equations.velocities)
    q = np.array([1.0 if name.endswith("qw") else 0.2 if "." not in name else 0.0 for name in equations.positions])
    u = 0.5 * rng.normal(size=n)
    after_q, after_u = rolled_out(equations, q, u, np.zeros(len(equations.coordinates)), 5e-4, 600)
    before, after = (
        sum(map(float, equations.observer("energy")(*x, []))) for x in ((q, u), (after_q[:, -1], after_u[:, -1]))
    )
    kinetic = float(equations.observer("energy")(after_q[:, -1], after_u[:, -1], [])[0])
    assert abs(after - before) < ROUNDING * kinetic


@pytest.mark.parametrize("mode", ["hard", "compliant"])
def test_only_exact_couplings_take_a_coordinate_off(mode):
    mechanism = wheels([0.5, 0.2], [follow("w1", ("w0", -3.0), mode=mode, natural_frequency=9.0, damping_ratio=1.0)])
    equations = Equations(mechanism)
    assert equations.velocities == ("w0", "w1")
    assert equations.rows == ("w1",)
