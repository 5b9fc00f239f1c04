"""The two sides of a cut joint, one as the other sees it, and what the joint's coordinates are then.

X is the child side in the parent side, with translation d and rotation R. Directions are in the parent side's axes.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi

from gearwright.dynamics.kinematics import Rows
from gearwright.dynamics.scalar import Scalar, divided, minus, plus, times
from gearwright.dynamics.spatial import Motion, Vector
from gearwright.model import Joint
from gearwright.model.joints import plane_basis


class Apart(NamedTuple):
    """The child side as the parent side sees it."""

    d: Vector
    R: Rows


def turned(R: Rows, a: Vector) -> Vector:
    return Vector(R[0] @ a, R[1] @ a, R[2] @ a)


def turned_back(R: Rows, a: Vector) -> Vector:
    x, y, z = (Vector(*row) for row in zip(*R, strict=True))
    return Vector(x @ a, y @ a, z @ a)


def axis_of(joint: Joint, i: int = 0) -> Vector:
    return Vector(*map(float, joint.axes[i].xyz))


def basis_of(joint: Joint) -> tuple[Vector, Vector]:
    """Two directions across the first axis, so that the three are right-handed."""
    e1, e2 = plane_basis(joint.axes[0].xyz)
    return Vector(*e1.tolist()), Vector(*e2.tolist())


def angle(joint: Joint, x: Apart, about: float = 0.0) -> Scalar:
    """By which the child side is turned about the joint's axis, within half a turn of `about`."""
    e1, e2 = basis_of(joint)
    return _angle_in(e1, e2, turned(x.R, e1), about)


def angle_rate(joint: Joint, x: Apart, V: Motion) -> Scalar:
    """The slope of that, also where the axes are not aligned."""
    e1, e2 = basis_of(joint)
    c = turned(x.R, e1)
    y, x1, moved = e2 @ c, e1 @ c, V.angular.cross(c)
    return divided(minus(times(x1, e2 @ moved), times(y, e1 @ moved)), plus(times(x1, x1), times(y, y)))


def _angle_in(e1: Vector, e2: Vector, a: Vector, about: float) -> Scalar:
    x, y = e1 @ a, e2 @ a
    if about:
        c, s = float(casadi.cos(about)), float(casadi.sin(about))
        x, y = plus(times(c, x), times(s, y)), minus(times(c, y), times(s, x))
    return plus(casadi.atan2(y, x), about)


# --- two axes: R = turn about a, then about b ----------------------------------------------------------------------


def two_angles(joint: Joint, i: int, x: Apart, about: float = 0.0) -> Scalar:
    """a's angle by where it has taken b, which its own turn leaves alone; b's by where a is as the child sees it."""
    a, b = axis_of(joint), axis_of(joint, 1)
    own, other, sees = (a, b, turned(x.R, b)) if i == 0 else (-b, a, turned_back(x.R, a))
    e1 = other - own * (own @ other)
    return _angle_in(e1, own.cross(e1), sees, about)


def two_rates(joint: Joint, i: int, x: Apart, V: Motion) -> Scalar:
    """`ω = q̇₁·a + q̇₂·R·b`, solved for one of them."""
    a, b = axis_of(joint), turned(x.R, axis_of(joint, 1))
    c = float(axis_of(joint) @ axis_of(joint, 1))
    own, other = (a, b) if i == 0 else (b, a)
    return times(1.0 / (1.0 - c * c), (own - other * c) @ V.angular)
