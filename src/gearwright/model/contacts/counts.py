"""How many points two shapes may touch at: `POINTS`, one line per pair of kinds that are simulated.

The number is known before any pose is. `dynamics.contact.pairs` has the points themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Mesh, Plane, Shape, Sphere
from gearwright.model.shapes.height_field import HeightField
from gearwright.model.shapes.hull import Hull

FEW = 8  # vertices of a hull that are all candidates
POINTS: dict[tuple[type[Any], type[Any]], int | Callable[[Any, Any], int]] = {
    (Sphere, Plane): 1,
    (Capsule, Plane): 2,
    (Box, Plane): 4,
    (Cylinder, Plane): 4,
    (Ellipsoid, Plane): 1,
    (Hull, Plane): lambda hull, _: len(hull.vertices) if len(hull.vertices) <= FEW else 5,
    (Sphere, Sphere): 1,
    (Sphere, Capsule): 1,
    (Sphere, Box): 1,
    (Sphere, Cylinder): 1,
    (Capsule, Capsule): 3,
    (Capsule, Box): 3,
    (Box, Box): 4,
    (Cylinder, Box): 12,
    (Sphere, HeightField): 1,
    (Capsule, HeightField): 3,
    (Box, HeightField): 8,
}


def is_simulated(a: Shape, b: Shape) -> bool:
    """Whether two shapes can touch each other here."""
    return (type(a), type(b)) in POINTS or (type(b), type(a)) in POINTS


ONCE_READ: dict[type[Any], type[Any]] = {Mesh: Hull, Heightmap: HeightField}


def is_simulated_once_read(a: Shape, b: Shape) -> bool:
    """The same where what a shape's file holds stands for it."""
    kinds = tuple(ONCE_READ.get(type(s), type(s)) for s in (a, b))
    return kinds in POINTS or kinds[::-1] in POINTS


def point_count(a: Shape, b: Shape) -> int:
    """0 where the contact is not simulated."""
    if (type(a), type(b)) not in POINTS:
        a, b = b, a
    count = POINTS.get((type(a), type(b)), 0)
    return count(a, b) if callable(count) else count
