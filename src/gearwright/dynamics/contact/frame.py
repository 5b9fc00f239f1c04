"""Poses of shapes, and the points where two of them may touch."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.dynamics.algebra.rotation import Rows, composed, factored, rotate, rotate_inverse
from gearwright.dynamics.algebra.scalar import TINY, Scalar, maximum, sqrt, where
from gearwright.dynamics.algebra.spatial import UNIT, ZERO, Vector
from gearwright.model import Pose


class WorldFrame(NamedTuple):
    """A pose X_WF: the rows of its rotation, and its origin. `tree.kinematics.link_poses` has the same form."""

    R: Rows = UNIT
    p: Vector = ZERO

    def point(self, r: Vector) -> Vector:
        """A point of the frame, in the world."""
        return rotate(self.R, r) + self.p

    def direction(self, d: Vector) -> Vector:
        """A direction of the frame, in the world's axes."""
        return rotate(self.R, d)

    def local_point(self, r: Vector) -> Vector:
        """A point of the world, in the frame."""
        return rotate_inverse(self.R, r - self.p)

    def local_direction(self, d: Vector) -> Vector:
        return rotate_inverse(self.R, d)

    def at(self, X: Pose) -> WorldFrame:
        """The frame that stands at a constant pose in this one."""
        return WorldFrame(*composed(self.R, self.p, factored(X.R), Vector(*X.p.tolist())))

    def axis(self, k: int) -> Vector:
        """Its k-th axis, in the world's axes."""
        return Vector(*(row[k] for row in self.R))


class ContactPoint(NamedTuple):
    """One candidate: where two shapes touch if their gap is zero. All in the world's axes.

    The point lies midway between the two surfaces. The rate of the gap is `normal · (v_a − v_b)`, with the velocities
    of the two bodies at the point. The normal and the two tangents are right-handed.
    """

    gap: Scalar  # signed distance between the surfaces [m]; negative where the shapes overlap
    point: Vector
    normal: Vector  # unit vector from b to a
    tangents: tuple[Vector, Vector]


class Touch(NamedTuple):
    """A candidate before it has tangents: gap, point and normal."""

    gap: Scalar
    point: Vector
    normal: Vector

    @property
    def reversed(self) -> Touch:
        """The same with a and b exchanged."""
        return Touch(self.gap, self.point, -self.normal)


def scaled(v: Vector, k: Scalar) -> Vector:
    """k·v; the operator of `Vector` has the factor behind."""
    return v * k


def length(v: Vector) -> Scalar:
    return sqrt(v @ v)


def unit(v: Vector, otherwise: Vector) -> tuple[Vector, Scalar]:
    """v/|v| and |v|; the other direction, which is a unit vector, where v has no length."""
    size = sqrt(maximum(v @ v, TINY))
    short = size * size < 4.0 * TINY
    direction = v * (1.0 / size)
    return chosen(short, otherwise, direction), where(short, 0.0, size)


def chosen(condition: Scalar | bool, a: Vector, b: Vector) -> Vector:
    """a where the condition holds, else b."""
    return Vector(*(where(condition, x, y) for x, y in zip(a, b, strict=True)))
