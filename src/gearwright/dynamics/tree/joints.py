"""Joints as chains of elementary freedoms: a turn (or screw), a slide, a ball.

A universal joint is two turns with a massless body between them, a planar joint two slides and a turn, a floating
one three slides and a ball. Each freedom's motion subspace S is constant in the axes of what it carries (of the
backward ball: its rate Ṡ·q̇ is q̇ × q̇ = 0), so no recursion ever needs a Ṡ·q̇ term. The chain is stated by the
joint's class in `gearwright.model.joints`.

Velocity coordinates mean what `gearwright.model.tree.kinematics.retract` says. Of a floating joint, x, y, z are the
rate of the child side's origin in the axes of the parent side; rx, ry, rz are the angular velocity in the axes of the
child side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from gearwright.dynamics.algebra.rotation import AboutAxis, Dense, Rotation, Transform, snapped
from gearwright.dynamics.algebra.scalar import TINY, Scalar, sine_cosine, sqrt, times_reciprocal
from gearwright.dynamics.algebra.spatial import UNIT, ZERO, Mass, Motion, Symmetric, Vector
from gearwright.dynamics.tree.symmetry import has_equal_moments, is_round
from gearwright.given_numbers import Array
from gearwright.model.joints import Joint
from gearwright.model.joints import motions as model

Quaternion = tuple[Scalar, ...]  # w, x, y, z
_STILL = Rotation()


class Freedom(Protocol):
    """An elementary motion between two frames that coincide at zero."""

    @property
    def positions(self) -> int: ...
    @property
    def velocities(self) -> int: ...
    def backward(self) -> Freedom:
        """The same coordinates, seen from the other side: T(q)⁻¹."""

    def framed(self, R: Array) -> tuple[Array, Freedom, Array]:
        """For a joint frame that stands at R in the parent body's axes: the orientation in which the freedom takes
        fewest operations, the freedom in those axes, and the joint frame as the carried body then sees it."""

    def transform(self, q: Sequence[Scalar]) -> Transform: ...
    def quaternion(self, q: Sequence[Scalar]) -> Quaternion:
        """The rotation of `transform`."""

    def subspace(self, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        """S, in the carried body's axes, at its origin."""

    def shared(self, mass: Mass) -> Mass:
        """The part of the carried mass that moves the same whether this body or its parent carries it."""

    def even(self, mass: Mass, *, alone: bool) -> bool:
        """Whether a body of this mass looks nearly the same at all positions; `alone`: it carries no others."""


@dataclass(frozen=True, slots=True)
class TurnFreedom:
    """About a direction, which is the carried body's z axis once framed; with a pitch, a screw."""

    direction: Vector
    pitch: float = 0.0  # travel [m/rad]
    offset: float = 0.0  # the angle between the two frames at q = 0, where another x axis was chosen [rad]
    positions = velocities = 1

    def backward(self) -> TurnFreedom:
        return replace(self, direction=-self.direction)

    def framed(self, R: Array) -> tuple[Array, TurnFreedom, Array]:
        A = across(R @ np.array(self.direction))
        return A, replace(self, direction=UNIT[2]), A.T @ R

    def transform(self, q: Sequence[Scalar]) -> Transform:
        s, c = sine_cosine(q[0] + self.offset)
        return Transform(Rotation((AboutAxis(2, c, s),)), Vector(0.0, 0.0, self.pitch * q[0]))

    def quaternion(self, q: Sequence[Scalar]) -> Quaternion:
        s, c = sine_cosine(0.5 * (q[0] + self.offset))
        return c, 0.0, 0.0, s

    def subspace(self, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        return (Motion(UNIT[2], Vector(0.0, 0.0, self.pitch)),)

    def shared(self, mass: Mass) -> Mass:
        """The part that lies on the axis: m, h_z and Σ_zz. Khalil and Dombre's regrouped parameters, in terms of Σ."""
        if self.pitch:
            return Mass()
        return Mass(mass.m, Vector(0.0, 0.0, mass.h.z), Symmetric(zz=mass.S.zz))

    def even(self, mass: Mass, *, alone: bool) -> bool:
        return alone and is_round(mass, self.direction)


@dataclass(frozen=True, slots=True)
class SlideFreedom:
    """Along a direction; the carried body keeps its parent's axes."""

    direction: Vector
    positions = velocities = 1

    def backward(self) -> SlideFreedom:
        return SlideFreedom(-self.direction)

    def framed(self, R: Array) -> tuple[Array, SlideFreedom, Array]:
        return np.eye(3), SlideFreedom(Vector(*snapped(R @ np.array(self.direction)).tolist())), R

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(_STILL, self.direction * q[0])

    def quaternion(self, q: Sequence[Scalar]) -> Quaternion:
        return 1.0, 0.0, 0.0, 0.0

    def subspace(self, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        return (Motion(ZERO, self.direction),)

    def shared(self, mass: Mass) -> Mass:
        """Both bodies turn alike, so that the second moment is the same in either."""
        return Mass(S=mass.S)

    def even(self, mass: Mass, *, alone: bool) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class BallFreedom:
    """All rotations, by a unit quaternion w, x, y, z; velocities are in the axes of the joint's child side."""

    reversed: bool = False  # the child side is the one nearer to the world
    positions, velocities = 4, 3

    def backward(self) -> BallFreedom:
        return BallFreedom(not self.reversed)

    def framed(self, R: Array) -> tuple[Array, BallFreedom, Array]:
        return R, self, np.eye(3)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        R = quaternion_matrix(q)
        return Transform(Rotation((Dense(R.columns if self.reversed else R.rows),)), ZERO)

    def quaternion(self, q: Sequence[Scalar]) -> Quaternion:
        return quaternion_conjugate(q) if self.reversed else tuple(q)

    def subspace(self, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        if self.reversed:
            return tuple(Motion(-column, ZERO) for column in quaternion_matrix(q).columns)
        return tuple(Motion(e, ZERO) for e in UNIT)

    def shared(self, mass: Mass) -> Mass:
        """The mass in the centre."""
        return Mass(mass.m)

    def even(self, mass: Mass, *, alone: bool) -> bool:
        return alone and has_equal_moments(mass)


def across(z: Array) -> Array:
    """Axes with the given z, and an x that makes the turn cost least: a coordinate axis if one is across z, else
    one across both z's.

    Of unit length again: along a chain each frame is made from the last, and what rounding leaves would grow.
    """
    z = snapped(z)
    z = z / np.linalg.norm(z)
    if np.array_equal(z, (0.0, 0.0, 1.0)):
        return np.eye(3)
    still = np.flatnonzero(z == 0.0)
    x = np.eye(3)[still[0]] if len(still) else np.cross((0.0, 0.0, 1.0), z) / np.hypot(z[0], z[1])
    return snapped(np.column_stack([x, np.cross(z, x), z]))


def quaternion_matrix(q: Sequence[Scalar]) -> Dense:
    w, x, y, z = q
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz, wx, wy, wz = x * y, x * z, y * z, w * x, w * y, w * z
    return Dense(
        (
            Vector(1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)),
            Vector(2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)),
            Vector(2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)),
        )
    )


def quaternion_product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Quaternion:
    (w, x, y, z), (p, i, j, k) = a, b
    u, v = Vector(x, y, z), Vector(i, j, k)
    return (w * p) - u @ v, *(v * w + u * p + u.cross(v))


def quaternion_conjugate(q: Sequence[Scalar]) -> Quaternion:
    return q[0], *(-x for x in q[1:])


def quaternion_normalised(q: Sequence[Scalar]) -> Quaternion:
    w, x, y, z = q
    k = 1.0 / sqrt(w * w + Vector(x, y, z) @ Vector(x, y, z))
    return tuple(times_reciprocal(c, k) for c in q)


def quaternion_advanced(q: Sequence[Scalar], turn: Vector) -> Quaternion:
    """`q·exp(turn/2)`, the turn [rad] being in the child side's axes.

    TINY keeps sin(θ/2)/θ and its derivatives finite at rest; it is below the rounding of any θ² that matters.
    """
    angle = sqrt(turn @ turn + TINY)
    s, c = sine_cosine(0.5 * angle)
    return quaternion_normalised(quaternion_product(q, (c, *(turn * (s / angle)))))


# the elementary motions of `gearwright.model.joints`, in symbols
MOTIONS: dict[type[model.Motion], Callable[[Any], Freedom]] = {
    model.Turn: lambda motion: TurnFreedom(_vector(motion.direction), pitch=motion.pitch),
    model.Slide: lambda motion: SlideFreedom(_vector(motion.direction)),
    model.FreeRotation: lambda motion: BallFreedom(),
}


def freedoms(joint: Joint) -> tuple[Freedom, ...]:
    """The chain of elementary freedoms that the joint's class states."""
    return tuple(MOTIONS[type(motion)](motion) for motion in joint.motions)


def _vector(xyz: Sequence[float]) -> Vector:
    return Vector(*map(float, xyz))
