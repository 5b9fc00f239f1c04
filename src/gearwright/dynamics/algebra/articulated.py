"""Articulated-body inertia: what a body with freedoms behind it answers to an acceleration (RBDA §7.1).

A symmetric 6×6 matrix by its 3×3 blocks, `n = A·ω + B·v` and `f = Bᵀ·ω + C·v`. A rigid body's has ten numbers (`Mass`);
one of which freedoms have been eliminated has all 21.
"""

from __future__ import annotations

from operator import sub
from typing import NamedTuple

from gearwright.dynamics.algebra.rotation import Rows, Transform
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import Force, Mass, Motion, Symmetric, Vector


class ArticulatedInertia(NamedTuple):
    """About the origin of its frame."""

    A: Symmetric
    B: Rows
    C: Symmetric

    @staticmethod
    def of(mass: Mass) -> ArticulatedInertia:
        xx, yy, zz, xy, xz, yz = mass.S
        x, y, z = mass.h
        zero = 0.0
        A = Symmetric(yy + zz, xx + zz, xx + yy, zero - xy, zero - xz, zero - yz)
        B = (
            Vector(zero, zero - z, y),
            Vector(z, zero, zero - x),
            Vector(zero - y, x, zero),
        )
        return ArticulatedInertia(A, B, Symmetric(mass.m, mass.m, mass.m))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:  # type: ignore[override]
        B = tuple(a + b for a, b in zip(self.B, other.B, strict=True))
        return ArticulatedInertia(self.A + other.A, B, self.C + other.C)  # type: ignore[arg-type]

    def force(self, V: Motion) -> Force:
        """Force that accelerates it by V."""
        w, v = V
        n = Vector(*(a @ w + b @ v for a, b in zip(self.A.rows, self.B, strict=True)))
        columns = zip(*self.B, strict=True)
        f = Vector(*(Vector(*b) @ w + c @ v for b, c in zip(columns, self.C.rows, strict=True)))
        return Force(n, f)

    def without(self, F: Force, share: Scalar) -> ArticulatedInertia:
        """Less `share·F·Fᵀ`: a freedom eliminated along which a unit acceleration takes F."""
        n, f = F.moment * share, F.linear * share
        x, y, z = (row - F.linear * a for row, a in zip(self.B, n, strict=True))
        return ArticulatedInertia(_less_product(self.A, F.moment, n), (x, y, z), _less_product(self.C, F.linear, f))

    def moved(self, X: Transform) -> ArticulatedInertia:
        """From B to A, where frame B stands at X in frame A."""
        A, B, C = X.R.turn(self.A), X.R.turn_rows(self.B), X.R.turn(self.C)
        if X.r.zero:
            return ArticulatedInertia(A, B, C)
        shift = _cross_rows(X.r, C)  # r × C
        half = tuple(row + s * 0.5 for row, s in zip(B, shift, strict=True))
        Q = [X.r.cross(row) for row in half]
        twice = Symmetric(
            2.0 * Q[0].x, 2.0 * Q[1].y, 2.0 * Q[2].z,
            Q[0].y + Q[1].x, Q[0].z + Q[2].x, Q[1].z + Q[2].y,
        )  # fmt: skip
        B = tuple(row + s for row, s in zip(B, shift, strict=True))  # type: ignore[assignment]
        return ArticulatedInertia(A + twice, B, C)


def _less_product(S: Symmetric, a: Vector, b: Vector) -> Symmetric:
    """`S − a·bᵀ`, b along a."""
    products = (
        a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z,
    )  # fmt: skip
    return Symmetric(*map(sub, S, products))


def _cross_rows(r: Vector, C: Symmetric) -> Rows:
    """The rows of `[r]×·C`."""
    x, y, z = C.rows
    return z * r.y - y * r.z, x * r.z - z * r.x, y * r.x - x * r.y
