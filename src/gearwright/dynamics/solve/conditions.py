"""Conditions on scalars: Python's `bool` where it is known while tracing, a CasADi comparison where it is not."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import casadi

from gearwright.dynamics.scalar import Scalar, either, equal, is_number, times, where


def as_number(condition: Scalar) -> Scalar:
    """1 where it holds, else 0; comparisons of symbols are that already."""
    return float(condition) if isinstance(condition, bool) else condition


def negated(condition: Scalar) -> Scalar:
    return not condition if isinstance(condition, bool) else casadi.logic_not(condition)


def differs(a: Scalar, b: Scalar) -> Scalar:
    return a != b if is_number(a) and is_number(b) else casadi.ne(a, b)


def one_of(piece: Scalar, wanted: Collection[int], known: Sequence[int]) -> Scalar:
    """Whether a piece, one of those known, is among those wanted: by the fewest comparisons."""
    inside, outside = [k for k in known if k in wanted], [k for k in known if k not in wanted]
    if not inside or not outside:
        return bool(inside)
    if max(inside) < min(outside):
        return piece < min(outside) - 0.5
    if min(inside) > max(outside):
        return piece > max(outside) + 0.5
    if len(outside) == 1:
        return differs(piece, float(outside[0]))
    for few, holds in ((inside, True), (outside, False)):
        if len(few) == 2 and few[0] == -few[1]:
            pair = equal(times(piece, piece), float(few[0] ** 2))
            return pair if holds else negated(pair)
    found: Scalar = False
    for k in inside:
        found = either(found, equal(piece, float(k)))
    return found


def chosen(piece: Scalar, values: Sequence[tuple[int, Scalar]]) -> Scalar:
    """The value that stands beside the piece; pieces ascend, one between two has the lower's."""
    if not values:
        return 0.0
    found = values[-1][1]
    after = values[-1][0]
    for k, value in reversed(values[:-1]):
        if value is not found and not (is_number(value) and is_number(found) and value == found):
            found = where(piece < after - 0.5, value, found)
        after = k
    return found
