"""A tendon's way around a sphere or a cylinder: the shortest line over it, in closed form.

Both are a circle in a plane: through both ends and the middle of a sphere, across the axis of a cylinder. From an end
at distance l of the middle the tangent has the length √(l² − r²), and touches the circle at arccos(r/l) from
the end's direction. The tendon takes one of two ways round, or is straight where that does not meet the circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np

TINY = 1e-30  # below roots and divisors where a branch has no meaning, so that it has no NaN either
CROSSED = -1e4  # merit of a way whose two tangents cross
Plane = tuple[Any, Any]


def wrapped_length(
    a: Sequence[Any], b: Sequence[Any], radius: float, *, sphere: bool, side: Sequence[float] | None
) -> Any:
    """From a to b, both in the frame of the shape: x, y across a cylinder's axis. `side` is where it is to pass."""
    straight = np.sqrt(_square([y - x for x, y in zip(a, b, strict=True)]))
    ends, beside = _around_sphere(a, b, side) if sphere else (((a[0], a[1]), (b[0], b[1])), side and side[:2])
    around, length = _around_circle(*ends, radius, beside)
    if not sphere:
        length = np.sqrt(length * length + (b[2] - a[2]) * (b[2] - a[2]))
    return np.where(around, length, straight)


def _around_sphere(
    a: Sequence[Any], b: Sequence[Any], side: Sequence[float] | None
) -> tuple[tuple[Plane, Plane], Plane | None]:
    """In the plane through both ends, x towards a."""
    distance = np.sqrt(np.maximum(_square(a), TINY))
    x = [c / distance for c in a]
    along = _dot(b, x)
    across = np.sqrt(np.maximum(_square(b) - along * along, TINY))
    if side is None:
        return ((distance, 0.0), (along, across)), None
    y = [(c - along * e) / across for c, e in zip(b, x, strict=True)]
    return ((distance, 0.0), (along, across)), (_dot(side, x), _dot(side, y))


def _around_circle(a: Plane, b: Plane, r: float, side: Sequence[Any] | None) -> tuple[Any, Any]:
    """Whether it goes round, and how long it is then."""
    la, lb = _square(a), _square(b)
    ta, tb = (np.sqrt(np.maximum(x - r * r, TINY)) for x in (la, lb))
    outside = np.logical_and(la >= r * r, lb >= r * r)
    ways = [_way(a, b, (la, lb), (ta, tb), r, turn, side) for turn in (1.0, -1.0)]
    (merit, arc), (other, back) = ways
    first = merit > other
    found = np.where(first, merit, other) > CROSSED / 2
    around = np.logical_and(np.logical_and(outside, _meets(a, b, r, side)), found)
    return around, ta + tb + r * np.where(first, arc, back)


def _way(a: Plane, b: Plane, squares: Plane, tangents: Plane, r: float, turn: float, side: Any) -> tuple[Any, Any]:
    """Merit and angle of one way: clockwise from a to b, or (turn −1) the other way round."""
    (la, lb), (ta, tb) = squares, tangents
    p = ((a[0] * r * r + turn * r * a[1] * ta) / la, (a[1] * r * r - turn * r * a[0] * ta) / la)
    q = ((b[0] * r * r - turn * r * b[1] * tb) / lb, (b[1] * r * r + turn * r * b[0] * tb) / lb)
    angle = -turn * np.arctan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1])
    angle = np.where(angle < 0.0, angle + 2 * pi, angle)
    if side is None:
        merit = -_square((p[0] - q[0], p[1] - q[1]))
    else:
        middle = (p[0] + q[0], p[1] + q[1])
        merit = _dot(middle, side) / np.sqrt(np.maximum(_square(middle), TINY))
    return np.where(_cross(a, p, b, q), CROSSED, merit), angle


def _meets(a: Plane, b: Plane, r: float, side: Any) -> Any:
    """Whether the straight line meets the circle, or passes on the wrong side of it."""
    d = (b[0] - a[0], b[1] - a[1])
    share = np.minimum(np.maximum(-_dot(a, d) / np.maximum(_square(d), TINY), 0.0), 1.0)
    nearest = (a[0] + share * d[0], a[1] + share * d[1])
    meets = _square(nearest) <= r * r
    return meets if side is None else np.logical_or(meets, _dot(side, nearest) < 0.0)


def _cross(a: Plane, p: Plane, b: Plane, q: Plane) -> Any:
    """Whether the lines a–p and b–q cross between their ends."""
    u, v, w = (p[0] - a[0], p[1] - a[1]), (q[0] - b[0], q[1] - b[1]), (a[0] - b[0], a[1] - b[1])
    det = v[1] * u[0] - v[0] * u[1]
    safe = np.where(abs(det) < TINY, 1.0, det)
    s, t = (v[0] * w[1] - v[1] * w[0]) / safe, (u[0] * w[1] - u[1] * w[0]) / safe
    within = np.logical_and(np.logical_and(s >= 0.0, s <= 1.0), np.logical_and(t >= 0.0, t <= 1.0))
    return np.logical_and(abs(det) >= TINY, within)


def _square(v: Sequence[Any]) -> Any:
    return sum(x * x for x in v)


def _dot(u: Sequence[Any], v: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(u, v, strict=True))
