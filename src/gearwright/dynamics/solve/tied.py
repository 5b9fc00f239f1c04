"""Equalities in the order of the tree: their impulses are eliminated among the coordinates that they connect.

    [H   Jᵀ] [ u]   [  b  ]
    [J  −C ]·[−λ] = [−bias]

Along a limb the Schur complement `J·H⁻¹·Jᵀ` is full: a finger of m mimics takes m³ operations. This matrix is as sparse
as the tree. It has LDLᵀ factors in every order (it is quasidefinite, Vanderbei 1995), and an impulse that comes after a
coordinate of its row has a pivot of that coordinate's size. After all of them is best. If an impulse comes after only
the first coordinate, and that one is held, its pivot is just its compliance E (`rows` explains why there is one), and
momentum is accurate to eps/E. In that case refinement uses the full residual of both lines, which squares this error as
well.

    C = cfm + E     and one step of refinement, as in `rows`
    C = cfm         where no coordinate is in two rows, and impulses come after all of theirs. A pivot is then above E
                    wherever a coordinate of its row moves, and E itself where none does: nothing is to be refined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import reduce
from random import Random

from gearwright.dynamics.algebra.fronts import FrontalMatrix, common
from gearwright.dynamics.algebra.scalar import Scalar, is_number, is_zero, total, where
from gearwright.dynamics.algebra.sparse import Matrix
from gearwright.dynamics.solve.masked import FREE, Masked, Pivot, eliminated_at, masked
from gearwright.dynamics.solve.rows import Equality, RowSolution, compliances, moves_nothing

EARLY = 0.8  # of the operations with impulses after all of their coordinates: then they may come after the first
ENTRY, FORCE = 2.0, 24.0  # operations: an entry of a column in a solution, and a force that goes on to the next front


@dataclass(frozen=True)
class Tied:
    """A problem's matrix with so many impulses beside its n coordinates; `after`: those that come before each."""

    n: int
    rows: Sequence[Equality]
    homes: Mapping[int, int]
    after: Mapping[int, AbstractSet[int]]
    early: bool = False  # an impulse may come before one of its coordinates

    @property
    def refined(self) -> bool:
        """Whether the compliance E is part of the matrix."""
        coordinates = [k for e in self.rows for k in e.J]
        return self.early or len(set(coordinates)) < len(coordinates)

    @staticmethod
    def all_before(H: FrontalMatrix, n: int, rows: Sequence[Equality]) -> Tied:
        """Impulses after all coordinates of their rows."""
        at = eliminated_at(H, n)
        homes = {n + i: reduce(lambda a, b: common(H.fronts, a, b), (at[k] for k in e.J)) for i, e in enumerate(rows)}
        return Tied(n, rows, homes, {n + i: set(e.J) for i, e in enumerate(rows)})

    @staticmethod
    def first_before(H: FrontalMatrix, n: int, rows: Sequence[Equality]) -> Tied:
        """Impulses of two coordinates after the one that is eliminated first, as far as branches allow."""
        late, at = Tied.all_before(H, n, rows), eliminated_at(H, n)
        order = [k for group in masked(placeholder(H), n, {}).groups.values() for k in group]
        first = {n + i: min(e.J, key=order.index) for i, e in enumerate(rows) if len(e.J) == 2}
        homes = {i: at[k] for i, k in first.items()}
        return Tied(n, rows, {**late.homes, **homes}, {**late.after, **{i: {k} for i, k in first.items()}}, True)

    def matrix(self, H: FrontalMatrix, E: Sequence[Scalar]) -> FrontalMatrix:
        entries: Matrix = dict(H.entries)
        for i, e in enumerate(self.rows, start=self.n):
            entries |= {(i, k): x for k, x in e.J.items()}
            entries[i, i] = -(e.cfm + (E[i - self.n] if self.refined else 0.0))
        return replace(H, entries=entries, homes={**H.homes, **self.homes})

    def factors(self, H: FrontalMatrix, pivots: Mapping[int, Pivot], E: Sequence[Scalar]) -> Masked:
        least = enumerate(() if self.refined else E, start=self.n)
        ceilings = {i: -e for i, e in least if not is_zero(e)}
        return masked(self.matrix(H, E), self.n + len(self.rows), pivots, after=self.after, ceilings=ceilings)

    def operations(self, H: FrontalMatrix) -> float:
        """About: of factors and solution, with the refinement."""
        E = [1.0] * len(self.rows)
        hard = any(is_zero(e.cfm) for e in self.rows)
        refined = 2 if self.early else hard and self.refined  # twice: a product with H, too
        return operations(self.factors(placeholder(H), {}, E), solutions=1 + refined)


def tied(H: FrontalMatrix, n: int, rows: Sequence[Equality]) -> Tied | None:
    """The order that takes the fewest operations; None where the Schur complement does, or has to be taken."""
    usual = all(e.group is None and is_zero(e.give) and not moves_nothing(e.J) for e in rows)
    if not rows or not usual or in_rings(rows):
        return None
    best = Tied.all_before(H, n, rows)
    least = best.operations(H)
    if best.refined:
        early = Tied.first_before(H, n, rows)
        count = early.operations(H)
        best, least = (early, count) if count < EARLY * least else (best, least)
    return best if least < schur_operations(H, n, rows, least) else None


def in_rings(rows: Sequence[Equality]) -> bool:
    """Whether rows may depend on each other: coordinates are tied in more than one way."""
    part: dict[int, int] = {}
    for e in rows:
        parts = [part.setdefault(k, k) for k in e.J]
        if len(set(parts)) < len(parts):
            return True
        part = {k: parts[0] if p in parts else p for k, p in part.items()}
    return False


def solve_tied(
    ties: Tied, H: FrontalMatrix, pivots: Mapping[int, Pivot], b: Sequence[Scalar]
) -> tuple[Masked, list[Scalar], list[Scalar], RowSolution]:
    """The factors, the coordinates, what pushes each, and the rows."""
    n, rows = ties.n, ties.rows
    E = compliances(rows, H.diagonal(n), [ties.after[n + i] if ties.early else () for i in range(len(rows))])
    factors = ties.factors(H, pivots, E)
    x = factors.forward([*b, *(-e.bias for e in rows)])
    coordinates = sorted({k for e in rows for k in e.J})
    unchanged = [factors.scaled(k, x[k]) for k in coordinates]
    u, w = factors.backward(x)
    if ties.early or (ties.refined and not all(map(is_zero, E))):
        left = _left(ties, H, b, u, w, factors) if ties.early else [*[0.0] * n, *map(_negative_product, E, u[n:])]
        linear = factors.linear()
        more, further = linear.backward(linear.forward(left))
        u, w = u + more, w + further
    return factors, u[:n], w[:n], RowSolution([-x for x in u[n:]], [], [], {}, unchanged)


def _left(
    ties: Tied, H: FrontalMatrix, b: Sequence[Scalar], u: Sequence[Scalar], w: Sequence[Scalar], factors: Masked
) -> list[Scalar]:
    """Residuals of momentum and of rates."""
    n = ties.n
    own = H @ u[:n]
    left = [b[k] - own[k] + _law_impulse(k, factors, u[k], w[k]) for k in range(n)]
    for e, impulse in zip(ties.rows, u[n:], strict=True):
        left.append(e.cfm * impulse - (e.bias + total(*(x * u[k] for k, x in e.J.items()))))
        for k, x in e.J.items():
            left[k] = left[k] - x * impulse
    return left


def _law_impulse(k: int, factors: Masked, u: Scalar, w: Scalar) -> Scalar:
    """By the law's line where it has one; `d·u − w` would be the difference of large numbers there."""
    pivot = factors.pivots.get(k, FREE)
    by_line = pivot.constant - pivot.slope * u
    if pivot.held is False:
        return by_line
    return where(pivot.held, factors.inertias[k] * u - w, by_line)


def _negative_product(e: Scalar, x: Scalar) -> Scalar:
    return -(e * x)


# --- counted operations ---------------------------------------------------------------------------------------------


def placeholder(H: FrontalMatrix) -> FrontalMatrix:
    """The same pattern with numbers that are as good as any."""
    random = Random(0)
    return H.mapped(lambda x: x if is_number(x) else random.uniform(1.0, 2.0))


def operations(factors: Masked, solutions: int) -> float:
    """Operations of the factors' elimination and of so many solutions."""
    count = 0.0
    for k, column in factors.columns.items():
        near, force = len(column), FORCE if k in factors.forces else 0.0
        count += 0.5 * near * (near + 1) + near + 1 + (force + 6 * near if force else 0.0)
        count += solutions * (ENTRY * near + 1 + force / 2)
    return count


def schur_operations(H: FrontalMatrix, n: int, rows: Sequence[Equality], enough: float) -> float:
    """With the rows as a system of their own; counted as far as it takes to be more than enough."""
    factors = masked(placeholder(H), n, {})
    reached = [factors.sparse_forward(dict.fromkeys(e.J, 1.0)).keys() for e in rows]
    count = operations(factors, solutions=1)
    S: Matrix = {(i, i): 1.0 for i in range(len(rows))}
    for i, own in enumerate(reached):
        count += sum(ENTRY * len(factors.columns[k]) + FORCE / 2 * (k in factors.forces) for k in own) + 2 * len(own)
        for j in range(i):
            if shared := len(own & reached[j]):
                count, S[i, j] = count + 2 * shared, 0.01
        if count > enough:
            return count
    hard = any(is_zero(e.cfm) for e in rows)
    return count + operations(masked(S, len(rows), {}), solutions=1 + hard)
