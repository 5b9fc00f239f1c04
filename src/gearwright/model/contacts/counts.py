"""How many points two shapes may touch at: `POINTS`, one line per pair of kinds that are simulated.

The number is known before any pose is. `dynamics.contact.pairs` has the points themselves.
"""

from __future__ import annotations

from typing import Any

from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere

POINTS: dict[tuple[type[Any], type[Any]], int] = {
    (Sphere, Plane): 1,
    (Capsule, Plane): 2,
    (Box, Plane): 4,
    (Cylinder, Plane): 4,
    (Ellipsoid, Plane): 1,
    (Sphere, Sphere): 1,
}


def is_simulated(a: Shape, b: Shape) -> bool:
    """Whether two shapes can touch each other here."""
    return (type(a), type(b)) in POINTS or (type(b), type(a)) in POINTS


def point_count(a: Shape, b: Shape) -> int:
    """0 where the contact is not simulated."""
    return POINTS.get((type(a), type(b))) or POINTS.get((type(b), type(a)), 0)
