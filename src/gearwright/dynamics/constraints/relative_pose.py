"""The two sides of a cut joint, one as the other sees it, and what the joint's coordinates are then.

X is the child side in the parent side, with translation d and rotation R. Directions are in the parent side's axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gearwright.dynamics.algebra.rotation import Rows, rotate, rotate_inverse
from gearwright.dynamics.algebra.scalar import TINY, Scalar, atan2, maximum, sine_cosine, sqrt, where
from gearwright.dynamics.algebra.spatial import Motion, Vector
from gearwright.model import Joint
from gearwright.model.joints import plane_basis
from gearwright.model.joints.closing import Angle, AngleOfTwo, Orientation, Reading, Travel


class RelativePose(NamedTuple):
    """The child side as the parent side sees it."""

    d: Vector
    R: Rows


def _basis(axis: Sequence[float]) -> tuple[Vector, Vector]:
    """Two directions across an axis, so that the three are right-handed."""
    e1, e2 = plane_basis(axis)
    return Vector(*e1.tolist()), Vector(*e2.tolist())


def angle_about(axis: Sequence[float], x: RelativePose, about: float = 0.0) -> Scalar:
    """By which the child side is turned about an axis, within half a turn of `about`."""
    e1, e2 = _basis(axis)
    return _angle_in(e1, e2, rotate(x.R, e1), about)


def angle_rate_about(axis: Sequence[float], x: RelativePose, V: Motion) -> Scalar:
    """The slope of that, also where the axes are not aligned."""
    e1, e2 = _basis(axis)
    c = rotate(x.R, e1)
    y, x1, moved = e2 @ c, e1 @ c, V.angular.cross(c)
    return (x1 * (e2 @ moved) - y * (e1 @ moved)) / (x1 * x1 + y * y)


def _angle_in(e1: Vector, e2: Vector, a: Vector, about: float) -> Scalar:
    x, y = e1 @ a, e2 @ a
    if about:
        s, c = sine_cosine(about)
        x, y = c * x + s * y, c * y - s * x
    return atan2(y, x) + about


# --- two axes: R = turn about a, then about b ----------------------------------------------------------------------


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
    return 1.0 / (1.0 - c * c) * ((own - other * c) @ V.angular)


# --- the coordinates of a joint that closes a loop, as its class says to read them -----------------------------------


class LoopCoordinate(NamedTuple):
    """A reading in symbols: values, angles within half a turn of the one given, and rates for a relative twist."""

    values: Callable[[RelativePose, float], list[Scalar]]
    rates: Callable[[RelativePose, Motion], list[Scalar]]


def _travel(reading: Travel) -> LoopCoordinate:
    a, factor = Vector(*reading.axis), reading.factor
    return LoopCoordinate(lambda x, about: [factor * (a @ x.d)], lambda x, V: [factor * (a @ V.linear)])


def _angle(reading: Angle) -> LoopCoordinate:
    axis = reading.axis
    return LoopCoordinate(lambda x, about: [angle_about(axis, x, about)], lambda x, V: [angle_rate_about(axis, x, V)])


def _angle_of_two(reading: AngleOfTwo) -> LoopCoordinate:
    a, b, i = Vector(*reading.first), Vector(*reading.second), reading.which
    return LoopCoordinate(lambda x, about: [_two_angles(a, b, i, x, about)], lambda x, V: [_two_rates(a, b, i, x, V)])


def _orientation(reading: Orientation) -> LoopCoordinate:
    """Velocities are in the child side's axes."""
    return LoopCoordinate(lambda x, about: quaternion_of(x.R), lambda x, V: list(rotate_inverse(x.R, V.angular)))


# the readings of `gearwright.model.joints.closing`, in symbols
READINGS: dict[type[Reading], Callable[[Any], LoopCoordinate]] = {
    Travel: _travel,
    Angle: _angle,
    AngleOfTwo: _angle_of_two,
    Orientation: _orientation,
}


def loop_coordinates(joint: Joint) -> list[LoopCoordinate]:
    """Those of a joint that closes a loop, as its class says to read them; those of its axes are the last."""
    return [READINGS[type(reading)](reading) for reading in joint.type.readings(joint)]


def quaternion_of(R: Rows) -> list[Scalar]:
    """(w, x, y, z) with w ≥ 0, by the largest of the four (Shepperd, 1978), so that nothing small is divided by."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    squares = [1.0 + t for t in (xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy)]  # four times each
    half = [sqrt(maximum(s, TINY)) * 0.5 for s in squares]
    a, b, c = zy - yz, xz - zx, yx - xy  # 4·w·(x, y, z)
    d, e, f = xy + yx, xz + zx, yz + zy  # 4·xy, 4·xz, 4·yz
    by = [
        [half[0], *(n / (4.0 * half[0]) for n in (a, b, c))],
        [n / (4.0 * half[1]) for n in (a, squares[1], d, e)],
        [n / (4.0 * half[2]) for n in (b, d, squares[2], f)],
        [n / (4.0 * half[3]) for n in (c, e, f, squares[3])],
    ]
    best, found = squares[0], by[0]
    for square, own in zip(squares[1:], by[1:], strict=True):
        larger = square > best
        found = [where(larger, new, old) for new, old in zip(own, found, strict=True)]
        best = maximum(best, square)
    negative = found[0] < 0.0
    return [where(negative, -n, n) for n in found]
