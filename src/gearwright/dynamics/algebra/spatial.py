"""Vectors, mass distributions and acceleration fields, by components.

A spatial quantity is kept as its angular and linear halves, and a transform as a rotation and a translation: dense
6x6 matrices are mostly zeros, and this code is traced into straight-line arithmetic where each of them would count.

A mass distribution is (m, h, Σ): mass, first moment `h = ∫r dm` and second moment `Σ = ∫r·rᵀ dm` about the body's
origin. It adds and moves like the book's spatial inertia (Featherstone, RBDA, §2.13), to which it is equivalent
(`I = tr(Σ)·1 − Σ`), in fewer operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar, divided, is_number, is_zero, minus, plus, times, total


class Vector(NamedTuple):
    """Three components. `a @ b` is the scalar product, `a.cross(b)` the vector product."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __add__(self, other: Vector) -> Vector:  # type: ignore[override]  # tuples would concatenate
        return Vector(plus(self.x, other.x), plus(self.y, other.y), plus(self.z, other.z))

    def __sub__(self, other: Vector) -> Vector:
        return Vector(minus(self.x, other.x), minus(self.y, other.y), minus(self.z, other.z))

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, k: Scalar) -> Vector:  # tuples would repeat
        return Vector(times(self.x, k), times(self.y, k), times(self.z, k))

    def __matmul__(self, other: Vector) -> Scalar:
        return plus(plus(times(self.x, other.x), times(self.y, other.y)), times(self.z, other.z))

    def cross(self, b: Vector) -> Vector:
        return Vector(
            minus(times(self.y, b.z), times(self.z, b.y)),
            minus(times(self.z, b.x), times(self.x, b.z)),
            minus(times(self.x, b.y), times(self.y, b.x)),
        )

    @property
    def zero(self) -> bool:
        """Zero by structure."""
        return is_zero(self.x) and is_zero(self.y) and is_zero(self.z)


ZERO = Vector(0.0, 0.0, 0.0)
UNIT = (Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 1.0))


class Symmetric(NamedTuple):
    """A symmetric 3x3 matrix."""

    xx: Scalar = 0.0
    yy: Scalar = 0.0
    zz: Scalar = 0.0
    xy: Scalar = 0.0
    xz: Scalar = 0.0
    yz: Scalar = 0.0

    def __add__(self, other: Symmetric) -> Symmetric:  # type: ignore[override]
        return Symmetric(*map(plus, self, other))

    @property
    def rows(self) -> tuple[Vector, Vector, Vector]:
        xx, yy, zz, xy, xz, yz = self
        return Vector(xx, xy, xz), Vector(xy, yy, yz), Vector(xz, yz, zz)

    def spread_of_moments(self) -> Scalar:
        """`(tr I/3)³/det I` with `I = tr(Σ)·1 − Σ`, Σ being this: 1 of a sphere. 1, too, of what has no extent."""
        xx, yy, zz, xy, xz, yz = self
        rows = Vector(plus(yy, zz), -xy, -xz), Vector(-xy, plus(xx, zz), -yz), Vector(-xz, -yz, plus(xx, yy))
        third, det = times(2.0 / 3.0, total(xx, yy, zz)), rows[0] @ rows[1].cross(rows[2])
        if is_number(det) and det <= 0.0:
            return 1.0
        return divided(times(third, times(third, third)), det)


def twice_symmetric(a: Vector, b: Vector) -> Symmetric:
    """`a·bᵀ + b·aᵀ`."""
    return Symmetric(
        times(times(2.0, a.x), b.x),
        times(times(2.0, a.y), b.y),
        times(times(2.0, a.z), b.z),
        plus(times(a.x, b.y), times(a.y, b.x)),
        plus(times(a.x, b.z), times(a.z, b.x)),
        plus(times(a.y, b.z), times(a.z, b.y)),
    )


class Motion(NamedTuple):
    """A spatial velocity or acceleration: of the body, at its origin."""

    angular: Vector
    linear: Vector

    def __add__(self, other: Motion) -> Motion:  # type: ignore[override]
        return Motion(self.angular + other.angular, self.linear + other.linear)

    def __mul__(self, k: Scalar) -> Motion:
        return Motion(self.angular * k, self.linear * k)

    def cross(self, S: Motion) -> Motion:
        """The rate of a motion S that this one carries along."""
        return Motion(self.angular.cross(S.angular), self.angular.cross(S.linear) + self.linear.cross(S.angular))

    def dot(self, force: Force) -> Scalar:
        """Power: what the force does along the motion."""
        return plus(self.angular @ force.moment, self.linear @ force.linear)


class Force(NamedTuple):
    """A spatial force or momentum: about the body's origin."""

    moment: Vector
    linear: Vector

    def __add__(self, other: Force) -> Force:  # type: ignore[override]
        return Force(self.moment + other.moment, self.linear + other.linear)

    def __sub__(self, other: Force) -> Force:
        return Force(self.moment - other.moment, self.linear - other.linear)

    def __mul__(self, k: Scalar) -> Force:
        return Force(self.moment * k, self.linear * k)

    @property
    def zero(self) -> bool:
        return self.moment.zero and self.linear.zero


REST = Motion(ZERO, ZERO)
NO_FORCE = Force(ZERO, ZERO)


@dataclass(frozen=True, slots=True)
class Field:
    """Accelerations of a turning body's points against its origin: `U·r`, with `U = [α]× + [ω]×²`.

    Kept as the off-diagonal entries and the squares of ω, from which both U's diagonal and its differences follow.
    """

    xy: Scalar
    xz: Scalar
    yx: Scalar
    yz: Scalar
    zx: Scalar
    zy: Scalar
    squares: Vector

    @staticmethod
    def of(omega: Vector, alpha: Vector) -> Field:
        xy, xz, yz = times(omega.x, omega.y), times(omega.x, omega.z), times(omega.y, omega.z)
        return Field(
            minus(xy, alpha.z),
            plus(xz, alpha.y),
            plus(xy, alpha.z),
            minus(yz, alpha.x),
            minus(xz, alpha.y),
            plus(yz, alpha.x),
            Vector(times(omega.x, omega.x), times(omega.y, omega.y), times(omega.z, omega.z)),
        )

    def at(self, r: Vector) -> Vector:
        """U·r."""
        s = self.squares
        return Vector(
            minus(plus(times(self.xy, r.y), times(self.xz, r.z)), times(plus(s.y, s.z), r.x)),
            minus(plus(times(self.yx, r.x), times(self.yz, r.z)), times(plus(s.x, s.z), r.y)),
            minus(plus(times(self.zx, r.x), times(self.zy, r.y)), times(plus(s.x, s.y), r.z)),
        )

    def moment(self, S: Symmetric) -> Vector:
        """`∫ r × U·r dm`: the antisymmetric part of U·Σ."""
        s = self.squares
        return Vector(
            minus(
                plus(plus(times(self.zx, S.xy), times(self.zy, S.yy)), times(minus(s.z, s.y), S.yz)),
                plus(times(self.yx, S.xz), times(self.yz, S.zz)),
            ),
            minus(
                plus(plus(times(self.xy, S.yz), times(self.xz, S.zz)), times(minus(s.x, s.z), S.xz)),
                plus(times(self.zx, S.xx), times(self.zy, S.xy)),
            ),
            minus(
                plus(plus(times(self.yx, S.xx), times(self.yz, S.xz)), times(minus(s.y, s.x), S.xy)),
                plus(times(self.xy, S.yy), times(self.xz, S.yz)),
            ),
        )


STILL = Field(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ZERO)


class Mass(NamedTuple):
    """A mass distribution about the origin of its frame."""

    m: Scalar = 0.0  # [kg]
    h: Vector = ZERO  # ∫r dm [kg·m]
    S: Symmetric = Symmetric()  # ∫r·rᵀ dm [kg·m²]

    def __add__(self, other: Mass) -> Mass:  # type: ignore[override]
        return Mass(plus(self.m, other.m), self.h + other.h, self.S + other.S)

    def scaled(self, share: float) -> Mass:
        return Mass(times(share, self.m), self.h * share, Symmetric(*(times(share, x) for x in self.S)))

    def shifted(self, r: Vector) -> Mass:
        """The same about another origin, r from the new one to the old one."""
        if r.zero:
            return self
        half = self.h + r * times(0.5, self.m)  # r·hᵀ + h·rᵀ + m·r·rᵀ in one product
        return Mass(self.m, self.h + r * self.m, self.S + twice_symmetric(r, half))

    def force(self, a: Vector, U: Field) -> Force:
        """Inertial force: `f = m·a + U·h`, `n = h × a + ∫r × U·r dm`."""
        return Force(self.h.cross(a) + U.moment(self.S), a * self.m + U.at(self.h))

    def momentum(self, V: Motion) -> Force:
        """I·V; also the force for the acceleration V from rest."""
        xx, yy, zz, xy, xz, yz = self.S
        w, v = V
        turning = Vector(
            minus(times(plus(yy, zz), w.x), plus(times(xy, w.y), times(xz, w.z))),
            minus(times(plus(xx, zz), w.y), plus(times(xy, w.x), times(yz, w.z))),
            minus(times(plus(xx, yy), w.z), plus(times(xz, w.x), times(yz, w.y))),
        )
        return Force(self.h.cross(v) + turning, v * self.m + w.cross(self.h))
