"""Columns of scalars, with the operators of linear algebra: `push = M @ w - residual`.

Each operator applies the scalar's own to every element, so that structural zeros and ones cost nothing here, either.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algebra.scalar import Condition, Scalar, total, where


class Column(list[Scalar]):
    """A list whose operators are those of a column: `a + b`, `a - b`, `s * a`, `a / s`, and `a @ b`, the inner product.

    `*` and `/` take a scalar. Lists are joined by `[*a, *b]`.
    """

    __slots__ = ()

    @staticmethod
    def zeros(n: int) -> Column:
        return Column([0.0] * n)

    def __add__(self, b: Sequence[Scalar]) -> Column:  # type: ignore[override]
        return Column(x + y for x, y in zip(self, b, strict=True))

    def __radd__(self, a: Sequence[Scalar]) -> Column:
        return Column(x + y for x, y in zip(a, self, strict=True))

    def __sub__(self, b: Sequence[Scalar]) -> Column:
        return Column(x - y for x, y in zip(self, b, strict=True))

    def __rsub__(self, a: Sequence[Scalar]) -> Column:
        return Column(x - y for x, y in zip(a, self, strict=True))

    def __rmul__(self, s: Scalar) -> Column:  # type: ignore[override]
        return Column(s * x for x in self)

    def __truediv__(self, s: Scalar) -> Column:
        return Column(x / s for x in self)

    def __matmul__(self, b: Sequence[Scalar]) -> Scalar:
        return total(*(x * y for x, y in zip(self, b, strict=True)))

    def __neg__(self) -> Column:
        return Column(-x for x in self)

    def __abs__(self) -> Column:
        return Column(abs(x) for x in self)


def select(condition: Condition | Scalar, a: Sequence[Scalar], b: Sequence[Scalar]) -> Column:
    """a where the condition holds, else b: element by element."""
    return Column(where(condition, x, y) for x, y in zip(a, b, strict=True))
