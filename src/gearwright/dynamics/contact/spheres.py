"""A sphere and another shape: its centre's nearest point there."""

from __future__ import annotations

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.frame import Touch, WorldFrame, unit
from gearwright.model.geometry import Sphere


def balls(p_a: Vector, radius_a: Scalar, p_b: Vector, radius_b: Scalar, otherwise: Vector) -> Touch:
    """Two balls; `otherwise` is the normal where their centres coincide."""
    n, distance = unit(p_a - p_b, otherwise)
    gap = distance - radius_a - radius_b
    return Touch(gap, p_b + n * (radius_b + 0.5 * gap), n)


def sphere_sphere(a: Sphere, A: WorldFrame, b: Sphere, B: WorldFrame) -> list[Touch]:
    return [balls(A.p, a.radius, B.p, b.radius, B.axis(2))]
