"""Responses of compliant couplings, with fronts and without: those of the mechanism's own mass matrix."""

from __future__ import annotations

import numpy as np
import pytest
from casadi import SX, Function

from gearwright.dynamics import Equations
from gearwright.dynamics.algebra.scalar import column, scalars
from gearwright.dynamics.steps.spring_responses import spring_responses
from gearwright.dynamics.tree.coordinates import State
from tests.dynamics.random_mechanisms import random_state
from tests.dynamics.test_fronts import chain
from tests.tolerances import ROUNDING


@pytest.mark.parametrize("fronts", [False, True])
def test_they_are_those_of_the_mass_matrix(fronts, rng):
    mechanism = chain(40)
    equations = Equations(mechanism)
    model = equations.model
    n, position = model.dof, SX.sym("q", len(model.reduction.positions))
    tree = model.tree(State(scalars(position), [0.0] * n))
    at = model.configuration(tree)
    M = model.inertia(at, tree, fronts=fronts)
    assert bool(M.fronts) == fronts
    response = spring_responses(model, equations.groups, M, tree)
    rows = [{k: 1.0, k + 1: -0.7} for k in range(n - 1)]
    full = SX(n, n)
    for (i, j), x in model.mass_matrix(at, tree).items():
        full[i, j] = full[j, i] = x
    q = random_state(mechanism, rng)[0]
    found, matrix = Function("f", [position], [column([response(J) for J in rows]), full])(
        [float(q[i]) for i in model.reduction.positions]
    )
    J = np.array([[row.get(k, 0.0) for k in range(n)] for row in rows])
    expected = np.diag(J @ np.linalg.solve(np.array(matrix), J.T))
    assert np.array(found)[:, 0] == pytest.approx(expected, rel=ROUNDING)
