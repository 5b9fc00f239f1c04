"""Rows that close loops: their responses, and the pivots below which others imply them."""

import numpy as np

from gearwright.dynamics.solve.closing import least_pivots, responses
from gearwright.dynamics.solve.floors import Floors

FLOORS = Floors(dependent=1e-3, noise=1e-2)


def test_responses(rng):
    """The lower triangle of J·Y in NumPy; rows that share nothing have no entry."""
    J = np.array([[1.0, 2.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 3.0]])
    M = np.diag(rng.uniform(1.0, 2.0, 3))
    Y = np.linalg.solve(M, J.T)
    A = responses([{k: x for k, x in enumerate(row) if x} for row in J.tolist()], Y.T.tolist())
    assert set(A) == {(0, 0), (1, 0), (1, 1), (2, 2)}
    np.testing.assert_allclose([A[key] for key in sorted(A)], [(J @ Y)[key] for key in sorted(A)], rtol=1e-15)


def test_least_pivots():
    """A small row of a loop is measured by the largest one of it, and a row of no loop by itself."""
    A = {(0, 0): 1.0, (1, 1): 100.0, (2, 2): 1.0, (3, 3): 1.0, (4, 4): 100.0}
    assert least_pivots(A, ["a", "a", "b", None, None], FLOORS) == [1.0, 1.0, 0.01, 0.001, 0.1]
