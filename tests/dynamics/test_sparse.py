"""Sparse rows: what rounding leaves of a sum is nothing."""

import pytest

from gearwright.dynamics.algebra.sparse import combined


@pytest.mark.parametrize(("left", "kept"), [(1e-14, False), (4e-14, True)])
def test_a_sum_that_cancels_but_for_rounding_is_left_out(left, kept):
    """To fourteen digits of what is added up, 2 here."""
    row = combined({0: 1.0, 1: 1.0, 2: 1.0}, [{0: 1.0}, {0: -1.0 + left}, {1: 1.0}])
    assert (0 in row) == kept
    assert row[1] == 1.0
