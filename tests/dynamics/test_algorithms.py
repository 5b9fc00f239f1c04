"""The recursions against Newton, Euler and d'Alembert on finite differences of the model's own kinematics."""

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.sparse import identity
from gearwright.dynamics.parameters import numbers
from gearwright.dynamics.tree.algorithms import inverse_dynamics, mass_matrix
from gearwright.dynamics.tree.bodies import assembled
from gearwright.dynamics.tree.frames import optimised, orient
from gearwright.dynamics.tree.kinematics import Configuration
from tests.dynamics.random_mechanisms import KINDS, Newton, flat, random_state, random_tree, relative_error
from tests.tolerances import ROUNDING

# Differences of fourth order at h = 2e-3 lose h⁴ = 2e-11 of the largest entry, and rounding over h² 3e-11 where they
# are of second derivatives; a wrong term is off by 1e-2.
DIFFERENCES = 5e-10
FIRST_DIFFERENCES = 1e-11

TREES = {
    **{kind: random_tree(n, kinds=(kind, "revolute", "prismatic")) for n, kind in enumerate(KINDS)},
    "every kind": random_tree(100),
    "every kind twice": random_tree(101, kinds=KINDS * 2),
    "walked backwards": random_tree(102, backward=KINDS),
    "gravity on some links": random_tree(103, weightless=(2, 3, 5, 8)),
}


@pytest.fixture(params=TREES.values(), ids=TREES.keys(), scope="module")
def case(request):
    mechanism = request.param
    q, v, by_joint = random_state(mechanism, np.random.default_rng(5))
    return Equations(mechanism), q, v, Newton(mechanism, by_joint, v)


def test_mass_matrix(case):
    equations, q, _, newton = case
    M = np.array(equations.observer("mass_matrix")(q, []))
    assert relative_error(M, newton.mass_matrix()) < FIRST_DIFFERENCES
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


def test_bias(case):
    equations, q, v, newton = case
    assert relative_error(flat(equations.observer("bias")(q, v, [])), newton.bias()) < DIFFERENCES


def test_kinetic_energy_is_half_v_M_v(case):
    equations, q, v, _ = case
    kinetic, _ = equations.observer("energy")(q, v, [])
    M = np.array(equations.observer("mass_matrix")(q, []))
    assert float(kinetic) == pytest.approx(v @ M @ v / 2, rel=ROUNDING)


def test_potential_energy(case):
    equations, q, v, newton = case
    axes, model = equations.model.bodies.axes, equations.model.bodies
    springs = zip(axes.stiffness, axes.reference, model.spring_positions, strict=True)
    stretched = [k * (q[i] - q0) ** 2 / 2 for k, q0, i in springs]
    _, potential = equations.observer("energy")(q, v, [])
    assert float(potential) == pytest.approx(newton.potential() + sum(stretched), rel=1e-12, abs=1e-12)


def test_momentum(case):
    equations, q, v, newton = case
    linear, angular = equations.observer("momentum")(q, v, [])
    P, L = newton.momentum()
    assert relative_error(flat(linear), P) < DIFFERENCES
    assert relative_error(flat(angular), L) < DIFFERENCES


def test_link_poses(case):
    equations, q, _, newton = case
    rows = np.array(equations.observer("link_poses")(q, []))
    for name, row in zip(equations.links, rows, strict=True):
        X_WL = newton.poses(0 * newton.v)[name]
        assert np.allclose(row[:9].reshape(3, 3), X_WL.R, atol=ROUNDING, rtol=ROUNDING)
        assert np.allclose(row[9:], X_WL.p, atol=ROUNDING, rtol=ROUNDING)


def test_forward_dynamics_undo_inverse_dynamics(case):
    """`M·v̇ + h = τ + passive` for the acceleration that the efforts cause."""
    equations, q, v, _ = case
    effort = np.random.default_rng(6).normal(size=len(v))
    acceleration = flat(equations.observer("observation")(q, v, effort, [])[2])
    axes, springs = equations.model.bodies.axes, equations.model.bodies.spring_positions
    passive = -np.array(axes.damping) * v - np.array(axes.stiffness) * (q[springs] - np.array(axes.reference))
    needed = np.array(equations.observer("mass_matrix")(q, [])) @ acceleration + flat(
        equations.observer("bias")(q, v, [])
    )
    assert relative_error(needed, effort + passive) < ROUNDING  # the condition of M, up to 1e4, times rounding


@pytest.mark.parametrize("name", ["every kind", "walked backwards", "gravity on some links"])
def test_power_balance(name):
    """The energy changes by the power of the efforts less what the dampers take, by central differences in time."""
    equations = Equations(TREES[name], integrator="rk4")
    q, v, _ = random_state(TREES[name], np.random.default_rng(8))
    effort, h = np.random.default_rng(6).normal(size=len(v)), 1e-5
    energies = [
        sum(map(float, equations.observer("energy")(*equations.step(q, v, effort, [], dt), []))) for dt in (h, -h)
    ]
    power = effort @ v - np.array(equations.model.bodies.axes.damping) @ v**2
    assert (energies[0] - energies[1]) / (2 * h) == pytest.approx(power, rel=7e-8)  # h² and 1e-16/h


@pytest.mark.parametrize("mechanism", TREES.values(), ids=TREES.keys())
def test_choice_of_frames_changes_nothing(mechanism):
    """On floats: the same lines run without a symbol, in the joints' own frames and in the chosen ones."""
    q, v, _ = random_state(mechanism, np.random.default_rng(9))
    plain, chosen = (assembled(mechanism, numbers(mechanism)) for _ in range(2))
    orient(plain)  # turns need their axis along z
    results = []
    for system in (plain, optimised(chosen)):
        at = Configuration.at(system, q.tolist())
        M = mass_matrix(at, identity(len(v)))
        results.append((M, inverse_dynamics(at, v.tolist(), [0.0] * len(v))))
    (M_plain, h_plain), (M_chosen, h_chosen) = results
    entries = sorted({*M_plain, *M_chosen})
    assert relative_error([M_chosen.get(e, 0.0) for e in entries], [M_plain.get(e, 0.0) for e in entries]) < ROUNDING
    assert relative_error(h_chosen, h_plain) < ROUNDING


def test_floats_and_symbols_agree():
    mechanism = TREES["every kind"]
    q, v, _ = random_state(mechanism, np.random.default_rng(10))
    equations = Equations(mechanism)
    at = equations.model.configuration_at(q.tolist())
    assert (
        relative_error(inverse_dynamics(at, v.tolist(), [0.0] * len(v)), flat(equations.observer("bias")(q, v, [])))
        < ROUNDING
    )
