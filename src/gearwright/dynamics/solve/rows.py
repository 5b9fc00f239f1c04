"""Rows over several coordinates: the Schur complement `S = J·H⁻¹·Jᵀ` on the masked factors, and laws seen from there.

With the rates `g = J·u` that no row has changed, impulses λ give the rates `S·λ + g`. That is the same problem once
more with rates and impulses exchanged: a law's flat piece holds λ, its vertical piece asks for a rate, a slope s is a
compliance 1/s. So the same masked elimination solves it. Equalities come first: where a law depends on them, they win.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algorithms import Matrix, Row
from gearwright.dynamics.scalar import (
    Scalar,
    divided,
    either,
    greatest,
    is_zero,
    magnitude,
    minus,
    plus,
    times,
    total,
    where,
)
from gearwright.dynamics.solve.laws import Line
from gearwright.dynamics.solve.masked import Masked, Pivot, masked
from gearwright.dynamics.solver import DOUBLE, Floors


class Equality(NamedTuple):
    """`J·u + bias + cfm·λ = 0`, always. A row that depends on others has λ = 0.

    `conflicting`: whether its bias may contradict the others' (see `solver.Floors`); rows of one `group` are told
    from rounding by the largest of them.
    """

    J: Row
    bias: Scalar = 0.0
    cfm: Scalar = 0.0
    conflicting: bool = False
    group: str | None = None


class RowLine(NamedTuple):
    """A law's line along a direction over several coordinates."""

    J: Row
    line: Line


class RowSolution(NamedTuple):
    """Impulses of the rows, what pushes them and how they answer, equalities first; and the change of `L⁻¹·b`."""

    impulses: list[Scalar]
    pushes: list[Scalar]
    compliances: list[Scalar]  # the pivots of S
    change: Row


def solve_rows(
    equalities: Sequence[Equality], laws: Sequence[RowLine], factors: Masked, x: Sequence[Scalar],
    floors: Floors = DOUBLE,
) -> RowSolution:  # fmt: skip
    """x is `L⁻¹·b`."""
    count = len(equalities) + len(laws)
    y = [factors.sparse_forward(J) for J in (*(e.J for e in equalities), *(law.J for law in laws))]
    scaled = {k: factors.scaled(k, x[k]) for row in y for k in row}
    g = [total(*(times(a, scaled[k]) for k, a in row.items())) for row in y]
    S: Matrix = {}
    for i in range(count):
        left = {k: times(a, factors.reciprocals[k]) for k, a in y[i].items()}
        for j in range(i + 1):
            if shared := left.keys() & y[j].keys():
                S[i, j] = total(*(times(left[k], y[j][k]) for k in sorted(shared)))
        S.setdefault((i, i), 0.0)
    own = [S[i, i] for i in range(count)]
    pivots = {i: _equality_pivot(e, _floor(equalities, own, i, floors)) for i, e in enumerate(equalities)}
    for i, law in enumerate(laws, start=len(equalities)):
        pivots[i] = _law_pivot(law.line, times(floors.conflicting, own[i]))
    dual = masked(S, count, pivots, first=range(len(equalities)))
    impulses, pushes = dual.backward(dual.forward([minus(0.0, rate) for rate in g]))
    change: Row = {}
    for row, impulse in zip(y, impulses, strict=True):
        for k, a in row.items():
            change[k] = plus(change.get(k, 0.0), times(a, impulse))
    return RowSolution(impulses, pushes, [dual.inertias[i] for i in range(count)], change)


def _equality_pivot(row: Equality, floor: Scalar) -> Pivot:
    return Pivot(constant=minus(0.0, row.bias), slope=row.cfm, floor=floor)


def _law_pivot(line: Line, floor: Scalar) -> Pivot:
    """Vertical: the rate is asked for. Flat: λ is held. Sloped: `(S + 1/s)·λ = rate + impulse/s − g`."""
    if is_zero(line.slope):
        value = 0.0 if line.flat is False else where(line.flat, line.impulse, 0.0)
        return Pivot(line.flat, value, line.rate, 0.0, floor, drops=False)
    straight = either(line.flat, line.vertical)
    slope = where(straight, 1.0, line.slope)
    compliance = where(straight, 0.0, divided(1.0, slope))
    constant = plus(line.rate, times(compliance, line.impulse))
    value = 0.0 if line.flat is False else where(line.flat, line.impulse, 0.0)
    return Pivot(line.flat, value, constant, compliance, floor, drops=False)


def _floor(rows: Sequence[Equality], own: Sequence[Scalar], k: int, floors: Floors) -> Scalar:
    floor = times(floors.conflicting if rows[k].conflicting else floors.dependent, own[k])
    if rows[k].group is None:
        return floor
    largest: Scalar = 0.0
    for row, response in zip(rows, own, strict=False):
        if row.group == rows[k].group:
            largest = greatest(largest, response)
    return greatest(floor, times(floors.noise, largest))


def size(J: Row) -> Scalar:
    """Σ|J|: how much faster than the fastest coordinate the row may be."""
    return total(*(magnitude(a) for a in J.values()))
