"""Two directions across a normal: constant for a constant normal, and continuous but for turns of more than 45°."""

from __future__ import annotations

from gearwright.dynamics.algebra.scalar import Scalar, where
from gearwright.dynamics.algebra.spatial import UNIT, Vector
from gearwright.dynamics.contact.frame import WorldFrame, chosen, unit
from gearwright.model.contacts.pair import ContactSurface


def tangents(n: Vector, A: WorldFrame, B: WorldFrame, surface: ContactSurface) -> tuple[Vector, Vector]:
    """Along a direction that one of the surfaces gives, or else fixed in b's frame. World axes."""
    local = B.local_direction(n)
    first = B.direction(across(local))
    for side, direction in ((A, surface.direction_a), (B, surface.direction_b)):
        if direction is not None:
            d = side.direction(Vector(*direction))
            first, _ = unit(d - n * (n @ d), first)
    return first, n.cross(first)


def across(n: Vector) -> Vector:
    """A unit vector across n: the coordinate axis after the one that n is nearest to, made perpendicular."""
    x, y, z = (abs(c) for c in n)
    x_most, y_most = (x >= y) & (x >= z), y >= z
    e = chosen(x_most, UNIT[1], chosen(y_most, UNIT[2], UNIT[0]))
    along: Scalar = where(x_most, n.y, where(y_most, n.z, n.x))
    return unit(e - n * along, UNIT[0])[0]
