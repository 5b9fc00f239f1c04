"""Sparse LDLᵀ of a symmetric positive definite matrix, eliminated from the leaves of the tree inwards.

A mechanism's mass matrix has the sparsity of its branches and fills in nowhere if every coordinate is eliminated
before those that carry it (RBDA §6.5). Couplings tie branches together, so that the order is found from the sparsity
itself: a coordinate whose neighbours are all neighbours of each other, if there is one, fills nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import Scalar, reciprocal_above, times_reciprocal
from gearwright.dynamics.algebra.sparse import Matrix, Sparse

Unknowns = TypeVar("Unknowns", Column, Sparse)


@dataclass(frozen=True)
class Factors:
    """`A = L·D·Lᵀ`: of each pivot, in the order of elimination, its reciprocal and its column of L.

    A column begins with the unknowns that are found first: a sum over it waits for the last one only.
    """

    order: list[int]
    reciprocals: dict[int, Scalar]
    columns: dict[int, dict[int, Scalar]]

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Factors:
        """The same pattern with other numbers."""
        columns = {k: {i: change(x) for i, x in column.items()} for k, column in self.columns.items()}
        return Factors(self.order, {k: change(r) for k, r in self.reciprocals.items()}, columns)

    def solve(self, b: Sequence[Scalar]) -> Column:
        """A⁻¹·b."""
        return self.backward(self.forward(b))

    def forward(self, b: Sequence[Scalar]) -> Column:
        """`L⁻¹·b`."""
        x = Column(b)
        for k in self.order:
            for i, factor in self.columns[k].items():
                x[i] = x[i] - factor * x[k]
        return x

    def backward(self, x: Unknowns) -> Unknowns:
        """`L⁻ᵀ·D⁻¹·x`, in place."""
        for k in reversed(self.order):
            x[k] = times_reciprocal(x[k], self.reciprocals[k])
            for i, factor in self.columns[k].items():
                x[k] = x[k] - factor * x[i]
        return x

    def sparse_forward(self, J: Sparse) -> Sparse:
        """`L⁻¹·Jᵀ`: only where the columns of J's unknowns lead."""
        y = dict(J)
        for k in self.order:
            if k in y:
                for i, factor in self.columns[k].items():
                    y[i] = y.get(i, 0.0) - factor * y[k]
        return y


def factorise(A: Matrix, n: int, floors: list[Scalar] | None = None, last: AbstractSet[int] = frozenset()) -> Factors:
    """One division a pivot; the rest are multiplications. Unknowns in `last` are eliminated after all others.

    A pivot that is not above its floor belongs to a row that depends on those before it: its unknown becomes 0.
    """
    A = dict(A)
    neighbours = adjacency(A, n)
    factors = Factors([], {}, {})
    while neighbours:
        k = next_pivot(neighbours, (neighbours.keys() - last) or neighbours)
        near = neighbours.pop(k)
        factors.order.append(k)
        d = 1.0 / A[k, k] if floors is None else reciprocal_above(A[k, k], floors[k])
        factors.reciprocals[k] = d
        column = {i: times_reciprocal(A[max(i, k), min(i, k)], d) for i in sorted(near)}
        factors.columns[k] = column
        for i, factor in column.items():
            neighbours[i] = (neighbours[i] | near) - {i, k}
            for j in near:
                if i >= j:
                    A[i, j] = A.get((i, j), 0.0) - factor * A[max(j, k), min(j, k)]
    return Factors(factors.order, factors.reciprocals, found_first(factors.columns, factors.order))


def found_first(columns: Mapping[int, Sparse], order: Iterable[int]) -> dict[int, Sparse]:
    """Columns in the order in which backward substitution finds their unknowns, which are eliminated in that one."""
    place = {k: n for n, k in enumerate(order)}
    return {
        k: {i: column[i] for i in sorted(column, key=place.__getitem__, reverse=True)} for k, column in columns.items()
    }


def adjacency(A: Matrix, n: int) -> dict[int, set[int]]:
    neighbours: dict[int, set[int]] = {i: set() for i in range(n)}
    for i, j in A:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    return neighbours


def next_pivot(neighbours: Mapping[int, set[int]], among: Iterable[int]) -> int:
    """The coordinate that fills in least; the last one among equals, which lies nearest to a leaf."""
    best, least = -1, float("inf")
    for k in sorted(among, key=lambda k: (len(neighbours[k]), -k)):
        fill = sum(j not in neighbours[i] for i, j in combinations(neighbours[k], 2))
        if fill < least:
            best, least = k, fill
        if least == 0:
            break
    return best
