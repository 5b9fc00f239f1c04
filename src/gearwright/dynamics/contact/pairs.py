"""`PAIRS` maps two kinds of shapes to the points where they may touch, one line per pair of kinds.

`model.contacts.counts` has the number of points: a compiled step has a slot for every one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.dynamics.contact.box_box import box_box
from gearwright.dynamics.contact.boxes import capsule_box, sphere_box
from gearwright.dynamics.contact.capsules import capsule_capsule, sphere_capsule
from gearwright.dynamics.contact.cylinders import cylinder_box, sphere_cylinder
from gearwright.dynamics.contact.frame import ContactPoint, Touch, WorldFrame
from gearwright.dynamics.contact.height_fields import box_terrain, capsule_terrain, sphere_terrain
from gearwright.dynamics.contact.hulls import hull_plane
from gearwright.dynamics.contact.planes import (
    box_plane,
    capsule_plane,
    cylinder_plane,
    ellipsoid_plane,
    sphere_plane,
)
from gearwright.dynamics.contact.spheres import sphere_sphere
from gearwright.dynamics.contact.tangents import tangents
from gearwright.model.contacts.pair import ContactPair
from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere
from gearwright.model.shapes.height_field import HeightField
from gearwright.model.shapes.hull import Hull

Touches = Callable[[Any, WorldFrame, Any, WorldFrame], list[Touch]]

PAIRS: dict[tuple[type[Any], type[Any]], Touches] = {
    (Sphere, Plane): sphere_plane,
    (Capsule, Plane): capsule_plane,
    (Box, Plane): box_plane,
    (Cylinder, Plane): cylinder_plane,
    (Ellipsoid, Plane): ellipsoid_plane,
    (Hull, Plane): hull_plane,
    (Sphere, Sphere): sphere_sphere,
    (Sphere, Capsule): sphere_capsule,
    (Sphere, Box): sphere_box,
    (Sphere, Cylinder): sphere_cylinder,
    (Capsule, Capsule): capsule_capsule,
    (Capsule, Box): capsule_box,
    (Box, Box): box_box,
    (Cylinder, Box): cylinder_box,
    (Sphere, HeightField): sphere_terrain,
    (Capsule, HeightField): capsule_terrain,
    (Box, HeightField): box_terrain,
}


def contact_points(pair: ContactPair, X_WA: WorldFrame, X_WB: WorldFrame) -> list[ContactPoint]:
    """All candidates of a pair, from the poses of its two *links*. Floats and expressions run the same lines."""
    A, B = X_WA.at(pair.a.pose), X_WB.at(pair.b.pose)
    found = touches(pair.a.shape, A, pair.b.shape, B)
    return [ContactPoint(t.gap, t.point, t.normal, tangents(t.normal, A, B, pair.surface)) for t in found]


def touches(a: Shape, A: WorldFrame, b: Shape, B: WorldFrame) -> list[Touch]:
    """Gap, point and normal of every candidate, from the poses of the two *shapes*."""
    if (type(a), type(b)) in PAIRS:
        return PAIRS[type(a), type(b)](a, A, b, B)
    return [t.reversed for t in PAIRS[type(b), type(a)](b, B, a, A)]
