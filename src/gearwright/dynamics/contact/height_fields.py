"""Terrain: what touches the plane that fits it below a point.

Heights are `h(x, y) = Σ hᵢⱼ·φᵢ(x)·φⱼ(y)` with hat functions φ, so that any cell takes the same arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar, maximum, minimum, sqrt, total, where
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.boxes import halves
from gearwright.dynamics.contact.frame import Touch, WorldFrame
from gearwright.model.geometry import Box, Capsule, Sphere
from gearwright.model.shapes.height_field import HeightField

LAST = 1e-9  # of a cell, by which a place beyond the last node is taken before it


class Hats(NamedTuple):
    """Weights of all nodes along an axis at one place, and their slopes [1/m]."""

    weights: list[Scalar]
    slopes: list[Scalar]


def hats(x: Scalar, size: float, nodes: int) -> Hats:
    cells = nodes - 1
    at = maximum(minimum((x / size + 0.5) * cells, cells - LAST), 0.0)
    inside = [(at >= float(k)) & (at < float(k + 1)) for k in range(cells)]
    slope = cells / size
    falling = [where(i, -slope, 0.0) for i in inside] + [0.0]
    rising = [0.0] + [where(i, slope, 0.0) for i in inside]
    weights = [maximum(0.0, 1.0 - abs(at - float(k))) for k in range(nodes)]
    return Hats(weights, [f + r for f, r in zip(falling, rising, strict=True)])


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return total(*(x * y for x, y in zip(a, b, strict=True)))


def plane_below(p: Vector, field: HeightField) -> tuple[Vector, Vector]:
    """A point of the surface below (or above) p, and the normal there; in the field's frame."""
    along_x = hats(p.x, field.size[0], len(field.heights[0]))
    along_y = hats(p.y, field.size[1], len(field.heights))
    rows = [dot(row, along_x.weights) for row in field.heights]
    h, dy = dot(rows, along_y.weights), dot(rows, along_y.slopes)
    dx = dot([dot(row, along_x.slopes) for row in field.heights], along_y.weights)
    n = Vector(-dx, -dy, 1.0)
    return Vector(p.x, p.y, h), n * (1.0 / sqrt(n @ n))


def ball_terrain(p: Vector, radius: Scalar, field: HeightField, B: WorldFrame) -> Touch:
    """The plane is taken below the ball, and of a ball with a radius once more where it would touch that plane."""
    c = B.local_point(p)
    q, n = plane_below(c, field)
    if not (isinstance(radius, float) and radius == 0.0):
        q, n = plane_below(c - n * (n @ (c - q)), field)
    gap = n @ (c - q) - radius
    n = B.direction(n)
    return Touch(gap, p - n * (radius + 0.5 * gap), n)


def sphere_terrain(a: Sphere, A: WorldFrame, b: HeightField, B: WorldFrame) -> list[Touch]:
    return [ball_terrain(A.p, a.radius, b, B)]


def capsule_terrain(a: Capsule, A: WorldFrame, b: HeightField, B: WorldFrame) -> list[Touch]:
    """Both ends, and the middle."""
    half = A.axis(2) * (0.5 * a.length)
    return [ball_terrain(p, a.radius, b, B) for p in (A.p + half, A.p - half, A.p)]


def box_terrain(a: Box, A: WorldFrame, b: HeightField, B: WorldFrame) -> list[Touch]:
    """All corners."""
    h = halves(a)
    signs = (1.0, -1.0)
    corners = [A.point(Vector(h.x * i, h.y * j, h.z * k)) for i in signs for j in signs for k in signs]
    return [ball_terrain(p, 0.0, b, B) for p in corners]
