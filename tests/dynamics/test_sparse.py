"""Sparse rows: what rounding leaves of a sum is nothing."""

import numpy as np
import pytest

from gearwright.dynamics.algebra.sparse import add_congruent, combined


@pytest.mark.parametrize(("left", "kept"), [(1e-14, False), (4e-14, True)])
def test_a_sum_that_cancels_but_for_rounding_is_left_out(left, kept):
    """To fourteen digits of what is added up, 2 here."""
    row = combined({0: 1.0, 1: 1.0, 2: 1.0}, [{0: 1.0}, {0: -1.0 + left}, {1: 1.0}])
    assert (0 in row) == kept
    assert row[1] == 1.0


def test_a_congruence_is_added_whichever_order_is_shorter():
    """Columns of one, two and three numbers: the lower triangle of M + Jᵀ·G·J."""
    rng = np.random.default_rng(3)
    J = rng.normal(size=(3, 4)) * [[1, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1]]
    G = rng.normal(size=(3, 3))
    G = G + G.T
    M = {(0, 0): 2.0, (3, 1): 5.0}
    add_congruent(M, [{k: float(x) for k, x in enumerate(row) if x} for row in J], G.tolist())
    whole = np.zeros((4, 4))
    for (i, j), x in M.items():
        whole[i, j] = x
    start = np.zeros((4, 4))
    start[0, 0], start[3, 1] = 2.0, 5.0
    assert whole == pytest.approx(start + np.tril(J.T @ G @ J), abs=1e-14)
