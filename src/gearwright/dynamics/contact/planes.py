"""Shapes on a plane: their lowest points, in closed form."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.contact.frame import Touch, WorldFrame, chosen, length, unit
from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere

UPRIGHT = 1e-6  # sine of the tilt below which a cylinder's lowest rim point is taken along its x axis


class HalfSpace(NamedTuple):
    """What lies below a plane through p with the unit normal n."""

    n: Vector
    p: Vector

    @staticmethod
    def of(plane: Plane, X: WorldFrame) -> HalfSpace:
        n = Vector(*map(float, plane.normal))
        return HalfSpace(X.direction(n * (1.0 / float(n @ n) ** 0.5)), X.p)

    def touch(self, p: Vector, radius: Scalar = 0.0) -> Touch:
        """A point, or a ball around it."""
        gap = self.n @ (p - self.p) - radius
        return Touch(gap, p - self.n * (radius + 0.5 * gap), self.n)

    def lower_end(self, p: Vector, d: Vector) -> Touch:
        """The lower one of the points p + d and p − d."""
        return self.touch(p + chosen(self.n @ d > 0.0, -d, d))


def sphere_plane(a: Sphere, A: WorldFrame, b: Plane, B: WorldFrame) -> list[Touch]:
    return [HalfSpace.of(b, B).touch(A.p, a.radius)]


def capsule_plane(a: Capsule, A: WorldFrame, b: Plane, B: WorldFrame) -> list[Touch]:
    """Both ends."""
    below, half = HalfSpace.of(b, B), A.axis(2) * (0.5 * a.length)
    return [below.touch(A.p + half, a.radius), below.touch(A.p - half, a.radius)]


def box_plane(a: Box, A: WorldFrame, b: Plane, B: WorldFrame) -> list[Touch]:
    """The lower end of each of the four diagonals through the middle.

    They are the corners of the lowest face. A corner gives way to the opposite one when both are level with the
    middle, and so never while it touches.
    """
    below = HalfSpace.of(b, B)
    x, y, z = (A.axis(k) * (0.5 * s) for k, s in enumerate(a.size))
    return [below.lower_end(A.p, d) for d in (x + y + z, y + z - x, x + z - y, x + y - z)]


def cylinder_plane(a: Cylinder, A: WorldFrame, b: Plane, B: WorldFrame) -> list[Touch]:
    """The lower end of four diagonals: two in the plane of the axis and the normal, two across it.

    The first two are the lowest points of both rims while the cylinder lies or rolls. All four are on the lower rim
    while it stands.
    """
    below, axis = HalfSpace.of(b, B), A.axis(2)
    down = axis * (below.n @ axis) - below.n
    upright = down @ down < UPRIGHT * UPRIGHT
    u = chosen(upright, A.axis(0), unit(down, A.axis(0))[0]) * a.radius
    w, half = axis.cross(u), axis * (0.5 * a.length)
    return [below.lower_end(A.p, d) for d in (half + u, half - u, half + w, half - w)]


def ellipsoid_plane(a: Ellipsoid, A: WorldFrame, b: Plane, B: WorldFrame) -> list[Touch]:
    """The lowest point `−S·n/√(nᵀ·S·n)`, `S = R·diag(r²)·Rᵀ`."""
    below = HalfSpace.of(b, B)
    stretched = [r * c for r, c in zip(a.radii, A.local_direction(below.n), strict=True)]
    size = length(Vector(*stretched))
    lowest = Vector(*(-r * c / size for r, c in zip(a.radii, stretched, strict=True)))
    return [below.touch(A.point(lowest))]
