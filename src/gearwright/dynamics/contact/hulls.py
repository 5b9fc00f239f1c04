"""Convex hulls: their extreme vertices towards a plane."""

from __future__ import annotations

from gearwright.dynamics.algebra.scalar import Scalar, where
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.frame import Touch, WorldFrame, chosen
from gearwright.dynamics.contact.planes import HalfSpace
from gearwright.dynamics.contact.tangents import across
from gearwright.model.contacts.counts import FEW
from gearwright.model.geometry import Plane
from gearwright.model.shapes.hull import Hull

TILT = 0.1  # [rad] by which a plane is tilted to find the outer ones of those that lie on it


def hull_plane(a: Hull, A: WorldFrame, b: Plane, B: WorldFrame) -> list[Touch]:
    """Every vertex of few; of many the lowest one, and the lowest for a plane that is tilted each of four ways."""
    below = HalfSpace.of(b, B)
    if len(a.vertices) <= FEW:
        return [below.touch(A.point(Vector(*v))) for v in a.vertices]
    n = A.local_direction(below.n)
    e = across(n)
    f = n.cross(e)
    return [below.touch(A.point(lowest(a, d))) for d in (n, n + e * TILT, n - e * TILT, n + f * TILT, n - f * TILT)]


def lowest(a: Hull, n: Vector) -> Vector:
    """The vertex that lies deepest along n."""
    first, *others = (Vector(*v) for v in a.vertices)
    found, height = first, n @ first
    for v in others:
        mine: Scalar = n @ v
        lower = mine < height
        found, height = chosen(lower, v, found), where(lower, mine, height)
    return found
