"""Scalar arithmetic that never multiplies by a structural 0 or 1: numbers are floats, unknowns CasADi `SX` scalars.

Every algorithm is written on these few functions, so that the same lines run on floats and trace symbols. A float
is a constant of the mechanism: what is zero in the mechanism stays the float 0.0 and costs nothing further on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import casadi
from casadi import SX, GlobalOptions

Scalar: TypeAlias = Any  # float, or an SX of shape (1, 1)

TINY = 1e-30  # keeps quotients of nothing finite; a normal number in single precision, too

# SX.binary reaches CasADi's own simplifications (x·1, x + 0, x − (−y)) without the seven times slower overload
# resolution of the operators; tracing is nothing but these calls.
_binary = SX.binary
_ADD, _SUB, _MUL = casadi.OP_ADD, casadi.OP_SUB, casadi.OP_MUL


def times(a: Scalar, b: Scalar) -> Scalar:
    if type(a) is float:
        if type(b) is float:
            return a * b
        if a == 0.0:
            return 0.0
        if a == 1.0:
            return b
    elif type(b) is float:
        if b == 0.0:
            return 0.0
        if b == 1.0:
            return a
    return _binary(_MUL, a, b)


def plus(a: Scalar, b: Scalar) -> Scalar:
    if type(a) is float:
        if type(b) is float:
            return a + b
        if a == 0.0:
            return b
    elif type(b) is float and b == 0.0:
        return a
    return _binary(_ADD, a, b)


def minus(a: Scalar, b: Scalar) -> Scalar:
    if type(b) is float:
        if type(a) is float:
            return a - b
        if b == 0.0:
            return a
    elif type(a) is float and a == 0.0:
        return -b
    return _binary(_SUB, a, b)


def total(*terms: Scalar) -> Scalar:
    """The sum, 0.0 if there is nothing to add."""
    result: Scalar = 0.0
    for term in terms:
        result = plus(result, term)
    return result


def reciprocal(a: Scalar) -> Scalar:
    return 1.0 / a


def reciprocal_above(a: Scalar, floor: Scalar) -> Scalar:
    """1/a, or 0 where a is not above the floor, which is not negative."""
    if is_zero(a):
        return 0.0
    if type(a) is float and type(floor) is float:
        return 1.0 / a if a > floor else 0.0
    return casadi.if_else(casadi.gt(a, floor), 1.0 / a, 0.0)


def divided(a: Scalar, b: Scalar) -> Scalar:
    return 0.0 if is_zero(a) else a / b


@contextmanager
def without_simplification() -> Iterator[None]:
    """Keeps CasADi from rewriting expressions: it turns `x·(1/d)` back into a division, which costs ten products."""
    GlobalOptions.setSimplificationOnTheFly(False)
    try:
        yield
    finally:
        GlobalOptions.setSimplificationOnTheFly(True)


def times_reciprocal(a: Scalar, r: Scalar) -> Scalar:
    """`a·r` for a reciprocal r, as a product."""
    if type(a) is float or type(r) is float:
        return times(a, r)
    with without_simplification():
        return _binary(_MUL, a, r)


def least(a: Scalar, b: Scalar) -> Scalar:
    return min(a, b) if type(a) is float and type(b) is float else casadi.fmin(a, b)


def greatest(a: Scalar, b: Scalar) -> Scalar:
    return max(a, b) if type(a) is float and type(b) is float else casadi.fmax(a, b)


def greatest_of(values: Sequence[Scalar]) -> Scalar:
    """The greatest of several."""
    return _in_pairs(greatest, values)


def greatest_number(values: Sequence[Scalar]) -> Scalar:
    """The same, but what is not a number may get lost: a comparison is then one instruction instead of three."""
    return _in_pairs(lambda a, b: where(a > b, a, b), values)


def _in_pairs(chosen: Callable[[Scalar, Scalar], Scalar], values: Sequence[Scalar]) -> Scalar:
    """One of several, found in pairs: no comparison waits for all others."""
    left = list(values)
    while len(left) > 1:
        pairs = (left[i : i + 2] for i in range(0, len(left), 2))
        left = [chosen(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return left[0]


def magnitude(a: Scalar) -> Scalar:
    return abs(a) if type(a) is float else casadi.fabs(a)


def where(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition, a comparison of scalars, holds; else b."""
    if isinstance(condition, bool | float):
        return a if condition else b
    return casadi.if_else(condition, a, b)


def both(a: Scalar, b: Scalar) -> Scalar:
    """Whether two comparisons hold."""
    if isinstance(a, bool) or isinstance(b, bool):
        return b if a is True else a if b is True else False
    return casadi.logic_and(a, b)


def either(a: Scalar, b: Scalar) -> Scalar:
    """Whether one of two comparisons holds."""
    if isinstance(a, bool) or isinstance(b, bool):
        return b if a is False else a if b is False else True
    return casadi.logic_or(a, b)


def equal(a: Scalar, b: Scalar) -> Scalar:
    """Whether two scalars are the same."""
    return a == b if type(a) is float and type(b) is float else casadi.eq(a, b)


def sine_cosine(angle: Scalar) -> tuple[Scalar, Scalar]:
    return casadi.sin(angle), casadi.cos(angle)


def square_root(a: Scalar) -> Scalar:
    return casadi.sqrt(a)


def is_zero(a: Scalar) -> bool:
    """Zero by the mechanism's structure, whatever its state."""
    return type(a) is float and a == 0.0


def is_number(a: Scalar) -> bool:
    return type(a) is float


def scalars(values: Any) -> list[Scalar]:
    """The elements of an SX column, or of anything that iterates over numbers."""
    if isinstance(values, SX):
        return list(casadi.vertsplit(values)) if values.numel() else []
    return [v if isinstance(v, SX) else float(v) for v in values]


def column(values: Any) -> SX:
    """A list of scalars as a column; a matrix as it is."""
    if not isinstance(values, list):
        return SX(values)
    return casadi.vertcat(*(SX(x) for x in values)) if values else SX(0, 1)
