"""The two sides of a cut joint, one as the other sees it, and what the joint's coordinates are then.

X is the child side in the parent side, with translation d and rotation R. Directions are in the parent side's axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi

from gearwright.dynamics.algebra.rotation import Rows, rotate, rotate_inverse
from gearwright.dynamics.algebra.scalar import Scalar, divided, minus, plus, times
from gearwright.dynamics.algebra.spatial import Motion, Vector
from gearwright.model import Joint
from gearwright.model.joints import plane_basis
from gearwright.model.joints.closing import Angle, AngleOfTwo, Reading, Travel


class RelativePose(NamedTuple):
    """The child side as the parent side sees it."""

    d: Vector
    R: Rows


def axis_of(joint: Joint, i: int = 0) -> Vector:
    return Vector(*map(float, joint.axes[i].xyz))


def basis_of(joint: Joint) -> tuple[Vector, Vector]:
    """Two directions across the first axis, so that the three are right-handed."""
    return _basis(joint.axes[0].xyz)


def _basis(axis: Sequence[float]) -> tuple[Vector, Vector]:
    e1, e2 = plane_basis(axis)
    return Vector(*e1.tolist()), Vector(*e2.tolist())


def angle(joint: Joint, x: RelativePose, about: float = 0.0) -> Scalar:
    """By which the child side is turned about the joint's axis, within half a turn of `about`."""
    return angle_about(joint.axes[0].xyz, x, about)


def angle_rate(joint: Joint, x: RelativePose, V: Motion) -> Scalar:
    """The slope of that, also where the axes are not aligned."""
    return angle_rate_about(joint.axes[0].xyz, x, V)


def angle_about(axis: Sequence[float], x: RelativePose, about: float = 0.0) -> Scalar:
    e1, e2 = _basis(axis)
    return _angle_in(e1, e2, rotate(x.R, e1), about)


def angle_rate_about(axis: Sequence[float], x: RelativePose, V: Motion) -> Scalar:
    e1, e2 = _basis(axis)
    c = rotate(x.R, e1)
    y, x1, moved = e2 @ c, e1 @ c, V.angular.cross(c)
    return divided(minus(times(x1, e2 @ moved), times(y, e1 @ moved)), plus(times(x1, x1), times(y, y)))


def _angle_in(e1: Vector, e2: Vector, a: Vector, about: float) -> Scalar:
    x, y = e1 @ a, e2 @ a
    if about:
        c, s = float(casadi.cos(about)), float(casadi.sin(about))
        x, y = plus(times(c, x), times(s, y)), minus(times(c, y), times(s, x))
    return plus(casadi.atan2(y, x), about)


# --- two axes: R = turn about a, then about b ----------------------------------------------------------------------


def two_angles(joint: Joint, i: int, x: RelativePose, about: float = 0.0) -> Scalar:
    return _two_angles(axis_of(joint), axis_of(joint, 1), i, x, about)


def two_rates(joint: Joint, i: int, x: RelativePose, V: Motion) -> Scalar:
    return _two_rates(axis_of(joint), axis_of(joint, 1), i, x, V)


def _two_angles(a: Vector, b: Vector, i: int, x: RelativePose, about: float) -> Scalar:
    """a's angle by where it has taken b, which its own turn leaves alone; b's by where a is as the child sees it."""
    own, other, sees = (a, b, rotate(x.R, b)) if i == 0 else (-b, a, rotate_inverse(x.R, a))
    e1 = other - own * (own @ other)
    return _angle_in(e1, own.cross(e1), sees, about)


def _two_rates(a: Vector, b: Vector, i: int, x: RelativePose, V: Motion) -> Scalar:
    """`ω = q̇₁·a + q̇₂·R·b`, solved for one of them."""
    c = float(a @ b)
    b = rotate(x.R, b)
    own, other = (a, b) if i == 0 else (b, a)
    return times(1.0 / (1.0 - c * c), (own - other * c) @ V.angular)


# --- the coordinates of a joint that closes a loop, as its class says to read them -----------------------------------


class Coordinate(NamedTuple):
    """A reading in symbols: its value within half a turn of an angle, and its rate for a relative twist."""

    value: Callable[[RelativePose, float], Scalar]
    rate: Callable[[RelativePose, Motion], Scalar]


def _travel(reading: Travel) -> Coordinate:
    a = Vector(*reading.axis)
    return Coordinate(lambda x, about: times(reading.factor, a @ x.d), lambda x, V: times(reading.factor, a @ V.linear))


def _turn(reading: Angle) -> Coordinate:
    return Coordinate(
        lambda x, about: angle_about(reading.axis, x, about), lambda x, V: angle_rate_about(reading.axis, x, V)
    )


def _turn_of_two(reading: AngleOfTwo) -> Coordinate:
    a, b, i = Vector(*reading.first), Vector(*reading.second), reading.which
    return Coordinate(lambda x, about: _two_angles(a, b, i, x, about), lambda x, V: _two_rates(a, b, i, x, V))


READINGS: dict[type[Reading], Callable[[Any], Coordinate]] = {Travel: _travel, Angle: _turn, AngleOfTwo: _turn_of_two}


def loop_coordinate(joint: Joint, index: int) -> Coordinate:
    """The coordinate of one axis of a joint that closes a loop."""
    reading = joint.type.reading(joint, index)
    return READINGS[type(reading)](reading)
