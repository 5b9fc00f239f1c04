"""A box and a ball or a capsule: the nearest point of the box, or its nearest face from inside."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar, maximum, maximum_of, minimum, where
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.capsules import clamped
from gearwright.dynamics.contact.frame import Touch, WorldFrame, chosen, unit
from gearwright.model.geometry import Box, Capsule, Sphere

LEVEL = 1e-9  # direction of a segment along an axis below which it counts as perpendicular to it
ON_TOP = 1e-9  # slope of the squared distance that counts as none [m]


class Outside(NamedTuple):
    """The way from a box to a point, in the box's frame."""

    distance: Scalar  # negative inside
    normal: Vector


def halves(box: Box) -> Vector:
    return Vector(*(0.5 * float(s) for s in box.size))


def outside(c: Vector, h: Vector) -> Outside:
    """Of a point in the frame of a box with these half sizes."""
    depth = [abs(x) - size for x, size in zip(c, h, strict=True)]
    least = maximum_of(depth)
    x_least, y_least = depth[0] >= least, depth[1] >= least
    sign = Vector(*(where(x < 0.0, -1.0, 1.0) for x in c))
    face = Vector(
        where(x_least, sign.x, 0.0),
        where(x_least, 0.0, where(y_least, sign.y, 0.0)),
        where(x_least, 0.0, where(y_least, 0.0, sign.z)),
    )
    beyond = Vector(*(x - clamped(x, size) for x, size in zip(c, h, strict=True)))
    direction, distance = unit(beyond, face)
    inside = least <= 0.0
    return Outside(where(inside, least, distance), chosen(inside, face, direction))


def ball_box(p: Vector, radius: Scalar, h: Vector, B: WorldFrame) -> Touch:
    found = outside(B.local_point(p), h)
    n = B.direction(found.normal)
    gap = found.distance - radius
    return Touch(gap, p - n * (radius + 0.5 * gap), n)


def nearest_of_box(p: Vector, h: Vector, B: WorldFrame) -> Vector:
    """The point of a box's surface that is nearest to p."""
    found = outside(B.local_point(p), h)
    return p - B.direction(found.normal) * found.distance


def sphere_box(a: Sphere, A: WorldFrame, b: Box, B: WorldFrame) -> list[Touch]:
    return [ball_box(A.p, a.radius, halves(b), B)]


def capsule_box(a: Capsule, A: WorldFrame, b: Box, B: WorldFrame) -> list[Touch]:
    """Where the segment is nearest, and both ends of the part of it that is over the nearest face."""
    h, half = halves(b), 0.5 * a.length
    c, u = B.local_point(A.p), B.local_direction(A.axis(2))
    nearest = nearest_on_segment(c, u, half, h)
    normal = outside(c + u * nearest, h).normal
    ends = over_face(c, u, half, h, normal, nearest)
    return [ball_box(A.p + A.axis(2) * s, a.radius, h, B) for s in (nearest, *ends)]


def nearest_on_segment(c: Vector, u: Vector, half: Scalar, h: Vector) -> Scalar:
    """s of the point c + s·u that is nearest to a box, |s| ≤ half: the middle of them if there are several.

    Half the derivative of the squared distance, g(s), rises and is linear between the six places where the line
    crosses a side's plane. Between the last one with g ≤ 0 and the first one with g ≥ 0 it is interpolated.
    """
    crossings = [clamped(s, half) for i in range(3) for s in _crossings(c[i], u[i], h[i])]
    low: Scalar = -half
    high: Scalar = half
    for s in (*crossings, -half, half):
        g = _slope(c, u, h, s)
        low = where(g <= ON_TOP, maximum(low, s), low)
        high = where(g >= -ON_TOP, minimum(high, s), high)
    at_low, at_high = _slope(c, u, h, low), _slope(c, u, h, high)
    rise = at_high - at_low
    between = low - at_low * (high - low) / where(rise > ON_TOP, rise, 1.0)
    return where((low < high) & (rise > ON_TOP), clamped(between, half), 0.5 * (low + high))


def _slope(c: Vector, u: Vector, h: Vector, s: Scalar) -> Scalar:
    p = c + u * s
    return Vector(*(x - clamped(x, size) for x, size in zip(p, h, strict=True))) @ u


def _crossings(c: Scalar, u: Scalar, h: Scalar) -> tuple[Scalar, Scalar]:
    """Where c + s·u is −h and h; in the order of s. Far away where it never is."""
    level = abs(u) < LEVEL
    inverse = 1.0 / where(level, LEVEL, u)
    s, t = (-h - c) * inverse, (h - c) * inverse
    return minimum(s, t), maximum(s, t)


def over_face(
    c: Vector, u: Vector, half: Scalar, h: Vector, normal: Vector, otherwise: Scalar
) -> tuple[Scalar, Scalar]:
    """Both ends of the part of a segment that is over the face with (about) this normal."""
    x, y, z = (abs(n) for n in normal)
    most = maximum(maximum(x, y), z)
    low: Scalar = -half
    high: Scalar = half
    for i, along in enumerate((x, y, z)):
        first, last = _crossings(c[i], u[i], h[i])
        low = where(along >= most, low, maximum(low, first))
        high = where(along >= most, high, minimum(high, last))
    beside = low > high
    return where(beside, otherwise, low), where(beside, otherwise, high)
