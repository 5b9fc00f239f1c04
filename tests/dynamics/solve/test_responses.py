"""Responses of all rows at once are those of one solution each, wherever fronts are."""

from __future__ import annotations

import numpy as np
import pytest
from casadi import SX, Function

from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.factorise import factorise
from gearwright.dynamics.algebra.scalar import column, scalars
from gearwright.dynamics.solve.masked import masked
from gearwright.dynamics.solve.responses import Responses, better_last, responses, squared
from gearwright.dynamics.solve.sweeps import dense, dot
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.front_choice import coordinates_carried
from gearwright.dynamics.tree.fronts import inertia
from tests.dynamics.random_mechanisms import random_state
from tests.dynamics.test_fronts import chain, coupled_tree


@pytest.mark.parametrize("threshold", [1, 2, 4])
@pytest.mark.parametrize("make", [lambda: chain(8), lambda: coupled_tree(3), lambda: coupled_tree(5)])
def test_every_pair_along_a_limb(make, threshold, rng):
    """Found: 5e-16. Pairs across branches are the solution itself."""
    mechanism = make()
    model = Equations(mechanism).model
    n, position = model.dof, SX.sym("q", len(model.reduction.positions))
    tree = model.tree(State(scalars(position), [0.0] * n))
    at = model.configuration(tree)
    fronts = [i for i, own in enumerate(coordinates_carried(model.bodies.bodies, tree.G)) if len(own) >= threshold]
    factors = masked(inertia(at, tree.G, fronts).with_lines([({k: 1.0}, 0.1) for k in range(n)]), n, {})
    together = Responses(factors)
    rows = [{i: 1.0, j: -0.7} if i != j else {i: 1.3} for i in range(n) for j in range(i + 1)]
    along = [J for J in rows if together.along_a_limb(J)]
    assert len(along) > 2 * n
    any_row = responses(factors, 100)
    found = column([together.of(J) for J in along] + [any_row(J) for J in rows])
    expected = column([dot(J, factors.solve(dense(J, n))) for J in (*along, *rows)])
    q = random_state(mechanism, rng)[0]
    a, b = Function("f", [position], [found, expected])([float(q[i]) for i in model.reduction.positions])
    assert np.array(a) == pytest.approx(np.array(b), rel=5e-15)


def test_coordinates_of_rows_come_last_where_that_takes_less(rng):
    """Two fingers on an arm of seven joints: all of the arm comes first. Four fingers of three joints on one wrist
    would fill each other in."""
    arm = {(i, j) for i in range(9) for j in range(i + 1)} - {(8, 7)}
    hand = {(i, j) for i in range(13) for j in range(i + 1) if j in (i, 0) or (i - 1) // 3 == (j - 1) // 3}
    bends = [{k: 1.0, k - 1: -0.7} for k in (3, 6, 9, 12)]
    for pattern, n, rows, last in ((arm, 9, [{7: -1.0, 8: 1.0}], {7, 8}), (hand, 13, bends, set())):
        assert better_last(dict.fromkeys(pattern, 1.0), n, rows) == last
        M = {(i, j): float(rng.normal() + 9.0 * (i == j)) for i, j in sorted(pattern)}
        dense_M = np.array([[M.get((max(i, j), min(i, j)), 0.0) for j in range(n)] for i in range(n)])
        J = np.array(dense(rows[0], n))
        for order in (frozenset(), frozenset(rows[0])):
            found = squared(factorise(M, n, last=order), rows[0])
            assert found == pytest.approx(J @ np.linalg.solve(dense_M, J), rel=1e-13)
