"""Cylinders on balls and boxes: the side, both rims, and corners of a box on the flat ends."""

from __future__ import annotations

from gearwright.dynamics.algebra.scalar import Scalar, maximum, sqrt, where
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.boxes import ball_box, halves, nearest_of_box, nearest_on_segment, outside, over_face
from gearwright.dynamics.contact.frame import Touch, WorldFrame, chosen, unit
from gearwright.dynamics.contact.rim_on_edge import rim_on_edge
from gearwright.model.geometry import Box, Cylinder, Sphere

UPRIGHT = 1e-6  # sine of the tilt below which the lowest point of a rim is taken along the cylinder's x axis


def ball_cylinder(p: Vector, radius: Scalar, b: Cylinder, B: WorldFrame) -> Touch:
    """In the plane of the axis and the ball, the cylinder is a rectangle."""
    c, half = B.local_point(p), 0.5 * b.length
    out, r = unit(Vector(c.x, c.y, 0.0), Vector(1.0, 0.0, 0.0))
    past_side, past_end = r - b.radius, abs(c.z) - half
    end = Vector(0.0, 0.0, where(c.z < 0.0, -1.0, 1.0))
    least = maximum(past_side, past_end)
    face = chosen(past_side >= past_end, out, end)
    beyond = out * maximum(past_side, 0.0) + end * maximum(past_end, 0.0)
    direction, distance = unit(beyond, face)
    inside = least <= 0.0
    n = B.direction(chosen(inside, face, direction))
    gap = where(inside, least, distance) - radius
    return Touch(gap, p - n * (radius + 0.5 * gap), n)


def sphere_cylinder(a: Sphere, A: WorldFrame, b: Cylinder, B: WorldFrame) -> list[Touch]:
    return [ball_cylinder(A.p, a.radius, b, B)]


def cylinder_box(a: Cylinder, A: WorldFrame, b: Box, B: WorldFrame) -> list[Touch]:
    """The box's nearest points to the axis and four of its corners, four points of a rim, and a rim's crossing."""
    h, half = halves(b), 0.5 * a.length
    c, u = B.local_point(A.p), B.local_direction(A.axis(2))
    nearest = nearest_on_segment(c, u, half, h)
    normal = outside(c + u * nearest, h).normal
    ends = over_face(c, u, half, h, normal, nearest)
    side = [nearest_of_box(A.p + A.axis(2) * s, h, B) for s in (nearest, *ends)]
    face = _face_between(c, u, a, h)
    rim = [ball_box(p, 0.0, h, B) for p in _rim_points(a, A, B.direction(face))]
    points = [ball_cylinder(p, 0.0, a, A).reversed for p in (*side, *_corners(face, h, B))]
    return [*points, *rim, rim_on_edge(c, u, a, h, B)]


def _face_between(c: Vector, u: Vector, a: Cylinder, h: Vector) -> Vector:
    """The outward normal of the face that is farthest from the cylinder, or goes into it least; in the box's frame."""
    extent = [0.5 * a.length * abs(x) + a.radius * sqrt(maximum(1.0 - x * x, 0.0)) for x in u]
    x, y, z = (abs(p) - size - e for p, size, e in zip(c, h, extent, strict=True))
    of_x, of_y = (x >= y) & (x >= z), y >= z
    sign = Vector(*(where(p < 0.0, -1.0, 1.0) for p in c))
    return Vector(
        where(of_x, sign.x, 0.0), where(of_x, 0.0, where(of_y, sign.y, 0.0)),
        where(of_x, 0.0, where(of_y, 0.0, sign.z)),
    )  # fmt: skip


def _rim_points(a: Cylinder, A: WorldFrame, n: Vector) -> list[Vector]:
    """Four of the rim that is lower along n: the lowest, the highest, and two between."""
    axis = A.axis(2)
    down = axis * (n @ axis) - n
    u, _ = unit(down, A.axis(0))
    u = chosen(down @ down < UPRIGHT * UPRIGHT, A.axis(0), u) * a.radius
    w, end = axis.cross(u), axis * where(n @ axis > 0.0, -0.5 * a.length, 0.5 * a.length)
    return [A.p + end + r for r in (u, -u, w, -w)]


def _corners(face: Vector, h: Vector, B: WorldFrame) -> list[Vector]:
    """The four corners of a face."""
    out = Vector(*(f * s for f, s in zip(face, h, strict=True)))
    u = Vector(h.x * (1.0 - abs(face.x)), h.y * abs(face.x), 0.0)
    v = Vector(0.0, h.y * abs(face.z), h.z * (1.0 - abs(face.z)))
    return [B.point(out + u * s + v * t) for s in (1.0, -1.0) for t in (1.0, -1.0)]
