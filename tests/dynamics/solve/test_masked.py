"""Masked LDLᵀ: held coordinates keep their value, the others solve what is left; against dense NumPy."""

from itertools import product

import numpy as np
import pytest
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import column, scalars
from gearwright.dynamics.solve.masked import Pivot, masked
from tests.dynamics.solve.bench import random_matrices

N = 5


def lower(H):
    return {(i, j): float(H[i, j]) for i in range(len(H)) for j in range(i + 1)}


def dense(H, b, held, value, constant, slope):
    """`(H + diag(slope))·u = b + constant` where free, u = value where held; and w = d·u − λ by the residual."""
    u, free = np.where(held, value, 0.0), ~held
    A = H + np.diag(slope)
    u[free] = np.linalg.solve(A[np.ix_(free, free)], (b + constant - A @ u)[free])
    return u, H @ u - b  # λ


@pytest.mark.parametrize("held", list(product([False, True], repeat=3)))
def test_held_and_free(held, rng):
    """Rounding of a 5×5 solve: found 2e-14."""
    held = np.array([*held, False, True])
    (H,) = random_matrices(rng, 1, N)
    b, value, constant, slope = rng.normal(size=(4, N))
    value, slope = np.where(held, value, 0.0), np.abs(slope)
    numbers = zip(held.tolist(), value.tolist(), constant.tolist(), slope.tolist(), strict=True)
    pivots = {k: Pivot(*each) for k, each in enumerate(numbers)}
    factors = masked(lower(H), N, pivots)
    u, w = factors.backward(factors.forward(b.tolist()))
    expected, impulse = dense(H, b, held, value, constant, slope)
    assert u == pytest.approx(expected, abs=2e-13)
    found = [factors.inertias[k] * u[k] - w[k] for k in range(N)]
    assert found == pytest.approx(impulse, abs=2e-13)


def test_one_trace_serves_every_mask(rng):
    """`held` as a symbol: the same factors, the mask decided when they run."""
    (H,) = random_matrices(rng, 1, N)
    b, value = rng.normal(size=(2, N))
    mask = SX.sym("mask", N)
    pivots = {k: Pivot(m > 0.5, m * float(value[k])) for k, m in enumerate(scalars(mask))}
    factors = masked(lower(H), N, pivots)
    solved = Function("u", [mask], [column(factors.backward(factors.forward(b.tolist()))[0])])
    for held in rng.random((8, N)) < 0.5:
        expected, _ = dense(H, b, held, np.where(held, value, 0.0), np.zeros(N), np.zeros(N))
        assert np.array(solved(held)).ravel() == pytest.approx(expected, abs=2e-13)


def test_rows_go_through_the_same_factors(rng):
    """`J·H⁻¹·Jᵀ` of the free coordinates, from L⁻¹·Jᵀ and the pivots."""
    (H,) = random_matrices(rng, 1, N)
    held, J = np.array([False, True, False, False, True]), rng.normal(size=N)
    factors = masked(lower(H), N, {k: Pivot(bool(h)) for k, h in enumerate(held)})
    y = factors.sparse_forward(dict(enumerate(J.tolist())))
    found = sum(a * a * factors.reciprocals[k] for k, a in y.items())
    free = ~held
    assert found == pytest.approx(J[free] @ np.linalg.solve(H[np.ix_(free, free)], J[free]), rel=1e-13)


def test_a_floor_stands_for_a_pivot_that_rounding_leaves():
    """Two rows that are the same: the second pivot is 0, and its floor keeps the solution finite."""
    factors = masked({(0, 0): 1.0, (1, 0): 1.0, (1, 1): 1.0}, 2, {}, [1e-12, 1e-12])
    u, _ = factors.backward(factors.forward([1.0, 1.0]))
    assert u[0] + u[1] == 1.0
    assert sorted(factors.inertias.values()) == [1e-12, 1.0]
