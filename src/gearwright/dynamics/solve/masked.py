"""Sparse LDLᵀ in which a coordinate may be held: its pivot is masked, `1/d = 0`, and its column drops out.

With the coordinates C held at X and `H·u = b + λ`, λ zero but on C, the elimination of RBDA §6.5 is left as it is: a
held coordinate's column goes to the right-hand side instead of into the other columns, and what it takes to hold it is
the residual of its own row. So a solve costs the same whatever is held.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from gearwright.dynamics.algorithms import Matrix, Row
from gearwright.dynamics.factorise import adjacency
from gearwright.dynamics.scalar import (
    Scalar,
    greatest,
    is_zero,
    minus,
    plus,
    reciprocal,
    reciprocal_above,
    times,
    times_reciprocal,
    where,
)


class Pivot(NamedTuple):
    """What a law asks of its coordinate: `(d + slope)·u = w + constant`, or `u = value` where `held`.

    A pivot not above its floor belongs to a row that depends on those before it: `u = value` there, too, if `drops`;
    else the floor takes the pivot's place.
    """

    held: Scalar = False
    value: Scalar = 0.0  # 0 where it is not held
    constant: Scalar = 0.0
    slope: Scalar = 0.0
    floor: Scalar | None = None
    drops: bool = True


FREE = Pivot()


@dataclass(frozen=True)
class Masked:
    """The factors; of each pivot, in the order of elimination."""

    order: list[int]
    columns: dict[int, Row]  # A, as it stands when the pivot's turn comes
    factors: dict[int, Row]  # the same times the pivot's reciprocal: L
    inertias: dict[int, Scalar]  # the pivot without the law's slope: d
    reciprocals: dict[int, Scalar]
    pivots: Mapping[int, Pivot]

    def forward(self, b: Sequence[Scalar]) -> list[Scalar]:
        """`L⁻¹·b`, with what is held taken to the right-hand side."""
        x = list(b)
        for k in self.order:
            z = self.scaled(k, x[k])
            for i, a in self.columns[k].items():
                x[i] = minus(x[i], times(a, z))
        return x

    def scaled(self, k: int, w: Scalar) -> Scalar:
        """The coordinate, where nothing but w pushes it."""
        pivot = self.pivots.get(k, FREE)
        return plus(times_reciprocal(plus(w, pivot.constant), self.reciprocals[k]), pivot.value)

    def sparse_forward(self, J: Row) -> Row:
        """`L⁻¹·Jᵀ` in the space of what is not held: only where the branches of J's coordinates go."""
        y = dict(J)
        for k in self.order:
            if k in y:
                for i, factor in self.factors[k].items():
                    y[i] = minus(y.get(i, 0.0), times(factor, y[k]))
        return y

    def backward(self, x: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """The coordinates u, and what pushes each: `w = d·u − λ`."""
        u, w = list(x), list(x)
        for k in reversed(self.order):
            for i, a in self.columns[k].items():
                w[k] = minus(w[k], times(a, u[i]))
            u[k] = self.scaled(k, w[k])
        return u, w


def masked(H: Matrix, n: int, pivots: Mapping[int, Pivot], first: Collection[int] = ()) -> Masked:
    """Factorises H (its lower triangle); those of `first` are eliminated before all others."""
    A = dict(H)
    neighbours = adjacency(A, n)
    found = Masked([], {}, {}, {}, {}, pivots)
    while neighbours:
        k = _next(neighbours, [i for i in first if i in neighbours] or list(neighbours))
        near = sorted(neighbours.pop(k))
        d, r = _reciprocal(A[k, k], pivots.get(k, FREE))
        column = {i: A[max(i, k), min(i, k)] for i in near}
        factors = {i: times_reciprocal(a, r) for i, a in column.items()}
        for i in near:
            neighbours[i] = (neighbours[i] | set(near)) - {i, k}
            for j in near:
                if i >= j:
                    A[i, j] = minus(A.get((i, j), 0.0), times(factors[i], column[j]))
        found.order.append(k)
        found.columns[k], found.factors[k], found.inertias[k], found.reciprocals[k] = column, factors, d, r
    return found


def _reciprocal(d: Scalar, pivot: Pivot) -> tuple[Scalar, Scalar]:
    """The inertia, and 1/(d + slope), which is 0 where the coordinate is held."""
    if pivot.floor is not None and not pivot.drops:
        d = greatest(d, pivot.floor)
    whole = plus(d, pivot.slope)
    if pivot.floor is not None and pivot.drops:
        r = reciprocal_above(whole, pivot.floor)
    else:
        r = 0.0 if is_zero(whole) else reciprocal(whole)
    return d, where(pivot.held, 0.0, r)


def _next(neighbours: dict[int, set[int]], candidates: Sequence[int]) -> int:
    """The one that fills in least; the last one among equals, which lies nearest to a leaf."""
    best, least = -1, float("inf")
    for k in sorted(candidates, key=lambda k: (len(neighbours[k]), -k)):
        fill = sum(j not in neighbours[i] for i, j in combinations(neighbours[k], 2))
        if fill < least:
            best, least = k, fill
        if least == 0:
            break
    return best
