"""Rows that close loops, as one small system: how they respond to each other, and which of them others imply.

    A = J·M⁻¹·Jᵀ

Positions are closed by it (`steps.projection`), and so are accelerations (`observers.loop_forces`).
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algebra.scalar import Scalar, is_zero, maximum
from gearwright.dynamics.algebra.sparse import Matrix, Sparse
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.sweeps import dot


def responses(J: Sequence[Sparse], Y: Sequence[list[Scalar]]) -> Matrix:
    """`J·Y`, with `Y = M⁻¹·Jᵀ` by columns."""
    A: Matrix = {}
    for i, each in enumerate(J):
        for j in range(i + 1):
            value = dot(each, Y[j])
            if not is_zero(value) or i == j:
                A[i, j] = value
    return A


def least_pivots(A: Matrix, loops: Sequence[str | None], floors: Floors) -> list[Scalar]:
    """By row, a share of its own response and of the largest in its loop: below that, others imply it."""
    found = []
    for k, loop in enumerate(loops):
        largest: Scalar = 0.0
        for i, other in enumerate(loops):
            largest = maximum(largest, A[i, i]) if other == loop is not None else largest
        found.append(maximum(floors.dependent * A[k, k], floors.noise * largest))
    return found
