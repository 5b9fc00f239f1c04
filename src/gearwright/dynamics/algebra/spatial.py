"""Vectors, mass distributions and acceleration fields, by components.

A spatial quantity is kept as its angular and linear halves, and a transform as a rotation and a translation: dense
6x6 matrices are mostly zeros, and this code is traced into straight-line arithmetic where each of them would count.

A mass distribution is (m, h, Σ): mass, first moment `h = ∫r dm` and second moment `Σ = ∫r·rᵀ dm` about the body's
origin. It adds and moves like the book's spatial inertia (Featherstone, RBDA, §2.13), to which it is equivalent
(`I = tr(Σ)·1 − Σ`), in fewer operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar, is_number, is_zero, total


class Vector(NamedTuple):
    """Three components. `a @ b` is the scalar product, `a.cross(b)` the vector product."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __add__(self, other: Vector) -> Vector:  # type: ignore[override]  # tuples would concatenate
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, k: Scalar) -> Vector:  # type: ignore[override]  # tuples would repeat
        return Vector(self.x * k, self.y * k, self.z * k)

    def __matmul__(self, other: Vector) -> Scalar:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, b: Vector) -> Vector:
        return Vector(
            self.y * b.z - self.z * b.y,
            self.z * b.x - self.x * b.z,
            self.x * b.y - self.y * b.x,
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
        return Symmetric(*map(add, self, other))

    @property
    def rows(self) -> tuple[Vector, Vector, Vector]:
        xx, yy, zz, xy, xz, yz = self
        return Vector(xx, xy, xz), Vector(xy, yy, yz), Vector(xz, yz, zz)

    def spread_of_moments(self) -> Scalar:
        """`(tr I/3)³/det I` with `I = tr(Σ)·1 − Σ`, Σ being this: 1 of a sphere. 1, too, of what has no extent."""
        xx, yy, zz, xy, xz, yz = self
        rows = Vector(yy + zz, -xy, -xz), Vector(-xy, xx + zz, -yz), Vector(-xz, -yz, xx + yy)
        third, det = 2.0 / 3.0 * total(xx, yy, zz), rows[0] @ rows[1].cross(rows[2])
        if is_number(det) and det <= 0.0:
            return 1.0
        return third * (third * third) / det


def twice_symmetric(a: Vector, b: Vector) -> Symmetric:
    """`a·bᵀ + b·aᵀ`."""
    return Symmetric(
        2.0 * a.x * b.x,
        2.0 * a.y * b.y,
        2.0 * a.z * b.z,
        a.x * b.y + a.y * b.x,
        a.x * b.z + a.z * b.x,
        a.y * b.z + a.z * b.y,
    )


class Motion(NamedTuple):
    """A spatial velocity or acceleration: of the body, at its origin."""

    angular: Vector
    linear: Vector

    def __add__(self, other: Motion) -> Motion:  # type: ignore[override]
        return Motion(self.angular + other.angular, self.linear + other.linear)

    def __mul__(self, k: Scalar) -> Motion:  # type: ignore[override]
        return Motion(self.angular * k, self.linear * k)

    def cross(self, S: Motion) -> Motion:
        """The rate of a motion S that this one carries along."""
        return Motion(self.angular.cross(S.angular), self.angular.cross(S.linear) + self.linear.cross(S.angular))

    def dot(self, force: Force) -> Scalar:
        """Power: what the force does along the motion."""
        return self.angular @ force.moment + self.linear @ force.linear


class Force(NamedTuple):
    """A spatial force or momentum: about the body's origin."""

    moment: Vector
    linear: Vector

    def __add__(self, other: Force) -> Force:  # type: ignore[override]
        return Force(self.moment + other.moment, self.linear + other.linear)

    def __sub__(self, other: Force) -> Force:
        return Force(self.moment - other.moment, self.linear - other.linear)

    def __mul__(self, k: Scalar) -> Force:  # type: ignore[override]
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
        xy, xz, yz = omega.x * omega.y, omega.x * omega.z, omega.y * omega.z
        return Field(
            xy - alpha.z,
            xz + alpha.y,
            xy + alpha.z,
            yz - alpha.x,
            xz - alpha.y,
            yz + alpha.x,
            Vector(omega.x * omega.x, omega.y * omega.y, omega.z * omega.z),
        )

    def at(self, r: Vector) -> Vector:
        """U·r."""
        s = self.squares
        return Vector(
            self.xy * r.y + self.xz * r.z - (s.y + s.z) * r.x,
            self.yx * r.x + self.yz * r.z - (s.x + s.z) * r.y,
            self.zx * r.x + self.zy * r.y - (s.x + s.y) * r.z,
        )

    def moment(self, S: Symmetric) -> Vector:
        """`∫ r × U·r dm`: the antisymmetric part of U·Σ."""
        s = self.squares
        return Vector(
            self.zx * S.xy + self.zy * S.yy + (s.z - s.y) * S.yz - (self.yx * S.xz + self.yz * S.zz),
            self.xy * S.yz + self.xz * S.zz + (s.x - s.z) * S.xz - (self.zx * S.xx + self.zy * S.xy),
            self.yx * S.xx + self.yz * S.xz + (s.y - s.x) * S.xy - (self.xy * S.yy + self.xz * S.yz),
        )


STILL = Field(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ZERO)


class Mass(NamedTuple):
    """A mass distribution about the origin of its frame."""

    m: Scalar = 0.0  # [kg]
    h: Vector = ZERO  # ∫r dm [kg·m]
    S: Symmetric = Symmetric()  # ∫r·rᵀ dm [kg·m²]

    def __add__(self, other: Mass) -> Mass:  # type: ignore[override]
        return Mass(self.m + other.m, self.h + other.h, self.S + other.S)

    def scaled(self, share: float) -> Mass:
        return Mass(share * self.m, self.h * share, Symmetric(*(share * x for x in self.S)))

    def shifted(self, r: Vector) -> Mass:
        """The same about another origin, r from the new one to the old one."""
        if r.zero:
            return self
        half = self.h + r * (0.5 * self.m)  # r·hᵀ + h·rᵀ + m·r·rᵀ in one product
        return Mass(self.m, self.h + r * self.m, self.S + twice_symmetric(r, half))

    def force(self, a: Vector, U: Field) -> Force:
        """Inertial force: `f = m·a + U·h`, `n = h × a + ∫r × U·r dm`."""
        return Force(self.h.cross(a) + U.moment(self.S), a * self.m + U.at(self.h))

    def momentum(self, V: Motion) -> Force:
        """I·V; also the force for the acceleration V from rest."""
        xx, yy, zz, xy, xz, yz = self.S
        w, v = V
        turning = Vector(
            (yy + zz) * w.x - (xy * w.y + xz * w.z),
            (xx + zz) * w.y - (xy * w.x + yz * w.z),
            (xx + yy) * w.z - (xz * w.x + yz * w.y),
        )
        return Force(self.h.cross(v) + turning, v * self.m + w.cross(self.h))
