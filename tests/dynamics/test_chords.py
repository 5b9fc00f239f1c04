"""The coordinates in which a light base goes straight: velocities, momenta and forces, against finite differences."""

import casadi
import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.scalar import column, expression, scalars
from gearwright.dynamics.tree.coordinates import State
from tests.dynamics.random_mechanisms import flat
from tests.sim.light_bases import LIGHT

STEP = 1e-5  # of central differences


class Chords:
    """A model's functions of numbers."""

    def __init__(self, mechanism):
        model = Equations(mechanism, integrator="midpoint").model
        self.model, n = model, model.dof
        q, u, dt = SX.sym("q", len(model.reduction.positions)), SX.sym("u", n), SX.sym("dt")
        state = State(scalars(q), scalars(u))
        end = model.along_chords(state, expression(dt))
        tree, p, f = model.lagrangian_gradient(state)
        P, F = model.chord_gradient(state, [0.0] * len(tree.v))

        def made(*outputs):
            return casadi.Function("f", [q, u, dt], [column(list(x)) for x in outputs])

        self.along, self.own, self.chord = made(*end), made(p, f), made(P, F)
        self.velocities = made(model.chord_velocities(state))
        self.momenta = made(model.chord_forces(state.q, p), model.forces_of_chords(state.q, P))
        self.lagrangian = Equations(mechanism).observer("energy")

    def energy(self, q, u):
        kinetic, potential = (float(x) for x in self.lagrangian(q, u, []))
        return kinetic - potential

    def base(self, q, V):
        """A⁻¹·V, by inverting A numerically."""
        A = np.column_stack([flat(self.velocities(q, e, 0.0)) for e in np.eye(len(V))])
        return np.linalg.solve(A, V)


@pytest.fixture(scope="module", params=LIGHT)
def chords(request):
    return Chords(LIGHT[request.param].robot)


@pytest.fixture(name="state")
def state_fixture(chords):
    rng = np.random.default_rng(5)
    equations = chords.model
    q = 0.7 * rng.normal(size=len(equations.reduction.positions))
    for four, _ in equations.balls:
        q[four] /= np.linalg.norm(q[four])
    return q, rng.normal(size=equations.dof)


def test_there_is_a_chord(chords):
    assert len(chords.model.chords) == 1


def test_momenta_there_and_back(chords, state):
    """`P = A⁻ᵀ·p` has the same power, and leads back to p: to the rounding of momenta 1e4 times as large."""
    q, u = state
    p, _ = (flat(x) for x in chords.own(q, u, 0.0))
    P, back = (flat(x) for x in chords.momenta(q, u, 0.0))
    V = flat(chords.velocities(q, u, 0.0))
    assert pytest.approx(p @ u, rel=1e-11) == P @ V
    assert back == pytest.approx(p, rel=1e-11, abs=1e-13)


def test_velocities_stay_the_same_along_a_chord(chords, state):
    """To the rounding of matrices with inertias of 1e-6 and 1."""
    q, u = state
    end, there = (flat(x) for x in chords.along(q, u, 0.3))
    assert flat(chords.velocities(end, there, 0.0)) == pytest.approx(flat(chords.velocities(q, u, 0.0)), rel=1e-11)


def test_gradients_are_the_lagrangians(chords, state):
    """∂L/∂V at the same place, and ∂L/∂Q at the same V, by central differences along each chord coordinate,
    which are off by the rounding of energies over 1e-5 and by its square."""
    q, u = state
    V = flat(chords.velocities(q, u, 0.0))
    P, F = (flat(x) for x in chords.chord(q, u, 0.0))
    scale = np.abs([*P, *F]).max()
    for k, e in enumerate(np.eye(len(V))):
        more, less = (chords.energy(q, chords.base(q, V + s * STEP * e)) for s in (1, -1))
        assert P[k] == pytest.approx((more - less) / (2 * STEP), abs=1e-9 * scale)
        places = [flat(chords.along(q, chords.base(q, e), s * STEP)[0]) for s in (1, -1)]
        more, less = (chords.energy(place, chords.base(place, V)) for place in places)
        assert F[k] == pytest.approx((more - less) / (2 * STEP), abs=1e-9 * scale)
