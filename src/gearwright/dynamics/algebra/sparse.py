"""Sparse rows and symmetric matrices of scalars: only what is not zero is there."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import Scalar, is_number, is_zero, total

ROUNDING = 1e-14  # of the numbers that are added up
Sparse = dict[int, Scalar]  # a row or column
Matrix = dict[tuple[int, int], Scalar]  # the lower triangle, row ≥ column, zeros left out


def accumulate(M: Matrix, left: Sparse, right: Sparse, twice: bool = True) -> None:
    """Adds `left·rightᵀ`, and its transpose if twice, to a symmetric matrix."""
    for a, x in left.items():
        for b, y in right.items():
            product = x * y
            if a == b and twice:
                product = 2.0 * product
            if a >= b or twice:
                entry = (max(a, b), min(a, b))
                M[entry] = M.get(entry, 0.0) + product


def add_congruent(M: Matrix, rows: Sequence[Sparse], G: Sequence[Sequence[Scalar]]) -> None:
    """Adds `Jᵀ·G·J` of a symmetric G. Of the two orders in which an entry can be summed up, takes the shorter one."""
    right: list[Sparse] = [{} for _ in rows]
    columns: dict[int, Sparse] = {}  # of J
    for i, J in enumerate(rows):
        for u, x in J.items():
            columns.setdefault(u, {})[i] = x
            for product, factors in zip(right, G, strict=True):
                product[u] = product.get(u, 0.0) + factors[i] * x
    for a, one in columns.items():
        for b, other in columns.items():
            if a >= b:
                short, long = (one, b) if len(one) <= len(other) else (other, a)
                M[a, b] = M.get((a, b), 0.0) + total(*(x * right[i][long] for i, x in short.items()))


def identity(n: int) -> list[Sparse]:
    return [{i: 1.0} for i in range(n)]


def combined(J: Sparse, G: list[Sparse]) -> Sparse:
    """A row over the tree's velocities as one over the independent ones: `J·G`, without what rounding leaves."""
    parts: dict[int, list[Scalar]] = {}
    for k, x in J.items():
        for n, g in G[k].items():
            parts.setdefault(n, []).append(x * g)
    row = {n: total(*each) for n, each in parts.items()}
    return {n: x for n, x in row.items() if not (is_zero(x) or _is_rounding(x, parts[n]))}


def _is_rounding(x: Scalar, parts: Sequence[Scalar]) -> bool:
    """Whether a sum of numbers is nothing beside them."""
    numbers = [p for p in parts if is_number(p)]
    return is_number(x) and abs(x) <= ROUNDING * sum(map(abs, numbers))


def transposed(G: list[Sparse], x: Sequence[Scalar], n: int) -> Column:
    """Gᵀ·x."""
    y = Column.zeros(n)
    for row, value in zip(G, x, strict=True):
        for u, g in row.items():
            y[u] = y[u] + g * value
    return y


def add_diagonal(M: Matrix, G: list[Sparse], d: list[Scalar]) -> Matrix:
    """`M + Gᵀ·diag(d)·G`."""
    M = dict(M)
    for row, value in zip(G, d, strict=True):
        if not is_zero(value):
            accumulate(M, row, {u: g * value for u, g in row.items()}, twice=False)
    return M
