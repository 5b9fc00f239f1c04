"""Sparse LDLᵀ in which a coordinate may be held: its pivot is masked, `1/d = 0`, and its column drops out.

With the coordinates C held at X and `H·u = b + λ`, λ zero but on C, the elimination of RBDA §6.5 is left as it is: a
held coordinate's column goes to the right-hand side instead of into the other columns, and what it takes to hold it is
the residual of its own row. So a solve costs the same whatever is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gearwright.dynamics.algebra.factorise import adjacency, next_pivot
from gearwright.dynamics.algebra.scalar import (
    Scalar,
    divided,
    greatest,
    is_zero,
    minus,
    plus,
    reciprocal,
    times,
    times_reciprocal,
)
from gearwright.dynamics.algebra.sparse import Matrix, Sparse
from gearwright.dynamics.solve.conditions import as_number, negated


class Pivot(NamedTuple):
    """What a law asks of its coordinate: `(d + slope)·u = w + constant`, or `u = value` where `held`."""

    held: Scalar = False
    value: Scalar = 0.0  # 0 where it is not held
    constant: Scalar = 0.0
    slope: Scalar = 0.0


FREE = Pivot()


@dataclass(frozen=True)
class Masked:
    """The factors; of each pivot, in the order of elimination."""

    order: list[int]
    columns: dict[int, Sparse]  # A, as it stands when the pivot's turn comes
    factors: dict[int, Sparse]  # the same times the pivot's reciprocal: L
    inertias: dict[int, Scalar]  # the pivot without the law's slope: d
    reciprocals: dict[int, Scalar]
    pivots: Mapping[int, Pivot]

    def linear(self) -> Masked:
        """The same factors with nothing asked for: what is held has the value 0."""
        return replace(self, pivots={})

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

    def sparse_forward(self, J: Sparse) -> Sparse:
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


def masked(H: Matrix, n: int, pivots: Mapping[int, Pivot], floors: Sequence[Scalar] | None = None) -> Masked:
    """Factorises H (its lower triangle). A pivot is no less than its floor, which is what rounding leaves of 0."""
    A = dict(H)
    neighbours = adjacency(A, n)
    found = Masked([], {}, {}, {}, {}, pivots)
    while neighbours:
        k = next_pivot(neighbours)
        near = sorted(neighbours.pop(k))
        d = A[k, k] if floors is None else greatest(A[k, k], floors[k])
        r = _reciprocal(d, pivots.get(k, FREE), singular=floors is not None)
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


def _reciprocal(d: Scalar, pivot: Pivot, singular: bool) -> Scalar:
    """1/(d + slope), or 0 where the coordinate is held; `singular`: d may be 0 there.

    The mask is the numerator: of a choice CasADi would make one out of every product with it.
    """
    whole = plus(d, pivot.slope)
    if pivot.held is False:
        return 0.0 if is_zero(whole) else reciprocal(whole)
    free = as_number(negated(pivot.held))
    return divided(free, plus(whole, minus(1.0, free)) if singular else whole)
