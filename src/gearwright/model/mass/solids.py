"""Mass properties of homogeneous solids: `SOLIDS` maps a shape to its volume, its moments and its centre.

Moments are those about the centre of mass per unit of mass, in the shape's own axes; all of these bodies are symmetric
about them, so that there are no products. Meshes and heightmaps would need their files, planes have no volume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Shape, Sphere
from gearwright.model.mass.inertia import Inertia
from gearwright.model.poses import Array, Pose

WATER = 1000.0  # [kg/m³]: SDFormat's default density


@dataclass(frozen=True, kw_only=True)
class Solid:
    """A homogeneous body of unit mass."""

    volume: float  # [m³]
    moments: tuple[float, float, float]  # ixx, iyy, izz about the centre of mass, per kg [m²]
    center: float = 0.0  # of mass, along z [m]


def _box(s: Box) -> Solid:
    x, y, z = (c * c / 12 for c in s.size)
    return Solid(volume=s.size[0] * s.size[1] * s.size[2], moments=(y + z, x + z, x + y))


def _ellipsoid(radii: tuple[float, float, float]) -> Solid:
    a, b, c = (r * r / 5 for r in radii)
    return Solid(volume=4 / 3 * pi * radii[0] * radii[1] * radii[2], moments=(b + c, a + c, a + b))


def _cylinder(s: Cylinder) -> Solid:
    across = s.radius**2 / 4 + s.length**2 / 12
    return Solid(volume=pi * s.radius**2 * s.length, moments=(across, across, s.radius**2 / 2))


def _cone(s: Cone) -> Solid:
    """The centre of mass lies at a quarter of the height above the base, the middle at the origin."""
    across = 3 / 20 * s.radius**2 + 3 / 80 * s.length**2
    moments = (across, across, 3 / 10 * s.radius**2)
    return Solid(volume=pi / 3 * s.radius**2 * s.length, moments=moments, center=-s.length / 4)


def _capsule(s: Capsule) -> Solid:
    """A cylinder and two half spheres, whose centres of mass lie 3r/8 beyond its ends."""
    r, h = s.radius, s.length
    cylinder, ball = pi * r * r * h, 4 / 3 * pi * r**3
    along = cylinder * r * r / 2 + ball * 2 / 5 * r * r
    across = cylinder * (r * r / 4 + h * h / 12) + ball * (2 / 5 * r * r + h * h / 4 + 3 / 8 * h * r)
    volume = cylinder + ball
    return Solid(volume=volume, moments=(across / volume, across / volume, along / volume) if volume else (0, 0, 0))


SOLIDS: dict[type[Any], Callable[[Any], Solid]] = {
    Box: _box,
    Sphere: lambda s: _ellipsoid((s.radius, s.radius, s.radius)),
    Ellipsoid: lambda s: _ellipsoid(s.radii),
    Cylinder: _cylinder,
    Capsule: _capsule,
    Cone: _cone,
}


def solid(shape: Shape) -> Solid | None:
    """None where the shape alone does not say it."""
    make = SOLIDS.get(type(shape))
    return None if make is None else make(shape)


def combined(parts: Iterable[tuple[Solid, Pose, float]]) -> Inertia:
    """Inertia of solids in a link, each with its pose X_LG and its mass [kg]; axes are the link's."""
    placed = [(s, X.R, X.p + X.R[:, 2] * s.center, m) for s, X, m in parts]
    mass = sum(m for *_, m in placed)
    if mass <= 0:
        return Inertia(mass=0.0)
    center: Array = sum((m * p for *_, p, m in placed), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for s, R, p, m in placed:
        d = p - center
        total += m * (R @ np.diag(s.moments) @ R.T + (d @ d) * np.eye(3) - np.outer(d, d))  # Huygens, Steiner
    return Inertia(
        mass=float(mass),
        moments=(float(total[0, 0]), float(total[1, 1]), float(total[2, 2])),
        products=(float(total[0, 1]), float(total[0, 2]), float(total[1, 2])),
        pose=Pose(np.eye(3), center),
    )
