"""The smallest move, measured by masses M, that removes the errors C of rows J:

    δ = −M⁻¹·Jᵀ·(J·M⁻¹·Jᵀ + E)⁻¹·C

E are compliances: rows that have one may keep part of their error. This move closes loops (`steps.projection`) and
brings axes back from beyond their stops (`steps.stop_recovery`), and its impulses keep accelerations along the loops
(`observers.loop_forces`). Velocities along the rows are found with the same factors (`LeastMove.velocities`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.factorise import Factors, factorise
from gearwright.dynamics.algebra.scalar import Scalar, is_zero, maximum, times_reciprocal, total
from gearwright.dynamics.algebra.sparse import Matrix, Sparse
from gearwright.dynamics.solve.floors import Floors


@dataclass(frozen=True)
class LeastMove:
    """Factors of M and of the rows."""

    metric: Factors  # M = L·D·Lᵀ
    y: list[Sparse]  # L⁻¹·Jᵀ, by rows
    rows: Factors  # of J·M⁻¹·Jᵀ + E
    E: list[Scalar] = field(default_factory=list)  # the compliances that velocities are refined from

    @staticmethod
    def of(
        J: Sequence[Sparse], groups: Sequence[str | None], metric: Factors, E: Sequence[Scalar], floors: Floors
    ) -> LeastMove:
        """`groups`: rows that may depend on each other; the largest says what is rounding."""
        y = [metric.sparse_forward(row) for row in J]
        A = _responses(y, metric)
        least = _least_pivots(A, groups, floors)
        for k, compliance in enumerate(E):
            A[k, k] = A[k, k] + compliance
        return LeastMove(metric, y, factorise(A, len(y), least))

    def mapped(self, change: Callable[[Scalar], Scalar]) -> LeastMove:
        """The same pattern with other numbers."""
        y = [{n: change(x) for n, x in row.items()} for row in self.y]
        return LeastMove(self.metric.mapped(change), y, self.rows.mapped(change), [change(e) for e in self.E])

    def impulses(self, errors: Sequence[Scalar]) -> Column:
        """Along the rows; of rows that others imply, zero."""
        return -self.rows.solve(errors)

    def move(self, errors: Sequence[Scalar]) -> Sparse:
        """δ, by coordinates."""
        x: Sparse = dict.fromkeys(self.metric.order, 0.0)
        for row, impulse in zip(self.y, self.impulses(errors), strict=True):
            for k, a in row.items():
                x[k] = x[k] + a * impulse
        return self.metric.backward(x)

    def velocities(self, b: Sequence[Scalar], bias: Sequence[Scalar]) -> tuple[Column, Column]:
        """u and impulses λ with `M·u = b + Jᵀ·λ` and `J·u + bias = 0`; what E leaves of that is refined once."""
        x = self.metric.forward(b)
        free = {k: times_reciprocal(x[k], self.metric.reciprocals[k]) for k in sorted({k for y in self.y for k in y})}
        opening = [total(c, *(a * free[k] for k, a in y.items())) for y, c in zip(self.y, bias, strict=True)]
        impulses = self.impulses(opening)
        impulses = impulses + self.rows.solve([e * impulse for e, impulse in zip(self.E, impulses, strict=True)])
        for y, impulse in zip(self.y, impulses, strict=True):
            for k, a in y.items():
                x[k] = x[k] + a * impulse
        return self.metric.backward(x), impulses


def own_responses(J: Sequence[Sparse], metric: Factors) -> list[Scalar]:
    """The diagonal of `J·M⁻¹·Jᵀ`."""
    return [_product(y, y, metric) for y in map(metric.sparse_forward, J)]


def _responses(y: Sequence[Sparse], metric: Factors) -> Matrix:
    """`J·M⁻¹·Jᵀ`, where rows share coordinates."""
    A: Matrix = {}
    for i, row in enumerate(y):
        for j in range(i + 1):
            value = _product(row, y[j], metric)
            if not is_zero(value) or i == j:
                A[i, j] = value
    return A


def _product(a: Sparse, b: Sparse, metric: Factors) -> Scalar:
    shared = [k for k in a if k in b]
    return total(*(times_reciprocal(a[k], metric.reciprocals[k]) * b[k] for k in shared))


def _least_pivots(A: Matrix, loops: Sequence[str | None], floors: Floors) -> list[Scalar]:
    """By row, a share of its own response and of the largest in its loop: below that, others imply it."""
    found = []
    for k, loop in enumerate(loops):
        largest: Scalar = 0.0
        for i, other in enumerate(loops):
            largest = maximum(largest, A[i, i]) if other == loop is not None else largest
        found.append(maximum(floors.dependent * A[k, k], floors.noise * largest))
    return found
