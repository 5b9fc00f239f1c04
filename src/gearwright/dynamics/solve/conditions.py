"""Conditions on scalars: Python's `bool` where it is known while tracing, a CasADi comparison where it is not."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import casadi
from casadi import SX

from gearwright.dynamics.algebra.scalar import Condition, Expression, Scalar, equal, is_number, is_zero, negated, where


def as_number(condition: Condition | Scalar) -> Scalar:
    """1 where it holds, else 0; comparisons of symbols are that already."""
    return float(condition) if isinstance(condition, bool) else condition


def only_where(condition: Scalar, value: Scalar) -> Scalar:
    """The value where the condition holds, else 0."""
    if isinstance(condition, bool) or is_zero(value):
        return value if condition is not False else 0.0
    return Expression(SX.binary(casadi.OP_IF_ELSE_ZERO, condition, value))


def differs(a: Scalar, b: Scalar) -> Condition:
    return a != b if is_number(a) and is_number(b) else Expression(casadi.ne(a, b))


def one_of(segment: Scalar, wanted: Collection[int], known: Sequence[int]) -> Condition:
    """Whether a segment, one of those known, is among those wanted: with the fewest comparisons."""
    inside, outside = [k for k in known if k in wanted], [k for k in known if k not in wanted]
    if not inside or not outside:
        return bool(inside)
    if max(inside) < min(outside):
        return segment < min(outside) - 0.5
    if min(inside) > max(outside):
        return segment > max(outside) + 0.5
    if len(outside) == 1:
        return differs(segment, float(outside[0]))
    for few, holds in ((inside, True), (outside, False)):
        if len(few) == 2 and few[0] == -few[1]:
            pair = equal(segment * segment, float(few[0] ** 2))
            return pair if holds else negated(pair)
    found: Condition = False
    for k in inside:
        found = found | equal(segment, float(k))
    return found


def chosen(segment: Scalar, values: Sequence[tuple[int, Scalar]]) -> Scalar:
    """The value given for the segment; segments ascend, and one between two has the lower one's value."""
    runs: list[tuple[int, Scalar]] = []
    for k, value in values:
        if not runs or not same(value, runs[-1][1]):
            runs.append((k, value))
    if not runs:
        return 0.0
    found = runs[-1][1]
    for (_, value), (after, _) in zip(runs[-2::-1], runs[:0:-1], strict=True):
        if is_zero(found):
            found = only_where(segment < after - 0.5, value)
        elif is_zero(value):
            found = only_where(segment > after - 0.5, found)
        else:
            found = where(segment < after - 0.5, value, found)
    return found


def same(a: Scalar, b: Scalar) -> bool:
    """Whether two scalars are known to be equal while tracing."""
    return a is b or (is_number(a) and is_number(b) and a == b)
