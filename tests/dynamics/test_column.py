"""Columns against NumPy, of floats and of expressions."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from casadi import SX

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.scalar import Expression, Scalar, column, scalars

N = 5


def columns(count: int) -> tuple[list[SX], list[Column]]:
    symbols = [SX.sym(name, N) for name in "abc"[:count]]
    return symbols, [Column(scalars(x)) for x in symbols]


@pytest.mark.parametrize(
    "formula",
    [
        lambda a, b, s: a + b,
        lambda a, b, s: a - s * b,
        lambda a, b, s: list(a) + b,
        lambda a, b, s: list(a) - b,
        lambda a, b, s: -a / s,
        lambda a, b, s: abs(a - b),
        lambda a, b, s: [a @ b + s * (b @ b)],
    ],
)
def test_operators_are_those_of_linear_algebra(formula: object) -> None:
    """The same formula on NumPy's arrays, to the bit."""
    rng = np.random.default_rng(3)
    a, b, s = rng.normal(size=N), rng.normal(size=N), rng.normal()
    (x, y), (p, q) = columns(2)
    t = Expression.symbol("s")
    traced = casadi.Function("f", [x, y, t.sx], [column(list(formula(p, q, t)))])  # type: ignore[operator]
    plain = formula(Column(a.tolist()), Column(b.tolist()), float(s))  # type: ignore[operator]
    wanted = formula(np.array(a), np.array(b), s)  # type: ignore[operator]
    assert np.asarray(traced(a, b, s)).ravel() == pytest.approx(np.asarray(wanted, float), rel=1e-15)
    assert [*plain] == pytest.approx(np.asarray(wanted, float), rel=1e-15)


def test_structural_zeros_cost_nothing() -> None:
    _, (p,) = columns(1)
    found: list[Scalar] = [*(p + Column.zeros(N)), *(0.0 * p), Column.zeros(N) @ p]
    assert all(e is own for e, own in zip(found, p, strict=False)) and found[N:] == [0.0] * (N + 1)


def test_a_selection_is_made_element_by_element() -> None:
    flag = Expression.symbol("flag")
    (x, y), (p, q) = columns(2)
    chosen = casadi.Function("f", [flag.sx, x, y], [column(list(select(flag, p, q)))])
    assert np.asarray(chosen(1.0, range(N), [9.0] * N)).ravel().tolist() == [*range(N)]
    assert select(False, [1.0], [2.0]) == [2.0]


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="longer"):
        Column([1.0]) + Column([1.0, 2.0])
