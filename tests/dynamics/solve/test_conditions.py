"""Conditions that are known while tracing are Python's; others are comparisons, and both mean the same."""

from itertools import combinations

import pytest
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import Expression, expression
from gearwright.dynamics.solve.conditions import chosen, one_of, only_where

KNOWN = range(-2, 3)


def at_every_segment(make):
    """An expression of a segment, evaluated at each, traced and on floats."""
    segment = SX.sym("segment")
    traced = Function("f", [segment], [SX(make(expression(segment)))])
    for k in KNOWN:
        on_float = make(float(k))
        assert float(traced(k)) == float(on_float)
        yield k, float(on_float)


@pytest.mark.parametrize("size", range(len(KNOWN) + 1))
def test_one_of_every_subset(size):
    for wanted in combinations(KNOWN, size):
        for k, found in at_every_segment(lambda segment, wanted=wanted: one_of(segment, wanted, KNOWN)):
            assert found == (k in wanted)


def test_the_value_beside_a_piece():
    for values in ([0.0, 0.0, 3.0, 3.0, 0.0], [1.0, 2.0, 2.0, 0.0, -1.0], [5.0] * 5):
        pairs = list(zip(KNOWN, values, strict=True))
        for k, found in at_every_segment(lambda segment, pairs=pairs: chosen(segment, pairs)):
            assert found == dict(pairs)[k]
    assert chosen(Expression.symbol("segment"), []) == 0.0


def test_only_where():
    x = SX.sym("x")
    found = Function("f", [x], [only_where(expression(x) > 1.0, 7.0)])
    assert [float(found(v)) for v in (0.0, 2.0)] == [0.0, 7.0]
    assert (only_where(True, 7.0), only_where(False, 7.0)) == (7.0, 0.0)
