"""Mass and principal moments of a geom, filled or as a shell, as MuJoCo computes them.

Sizes are half sizes: radius, half length of the straight part; half axes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import NamedTuple

from gearwright.formats.mjcf.parts import GeomPart
from gearwright.formats.mjcf.values import real, truth

LEAST_VOLUME = 1e-14  # [m³, m²] below which a given mass is not used
WATER = 1000.0  # [kg/m³]: MuJoCo's density
THOMSEN = 1.6075  # exponent in Thomsen's formula for the surface of an ellipsoid
SKIN = 1e-6  # [m] thickness of the shell of an ellipsoid
Moments = tuple[float, float, float]


class UnitBody(NamedTuple):
    """Of unit density: a volume [m³], or a surface [m²], and moments per unit of mass [m²]."""

    amount: float
    moments: Moments


def mass_of(g: GeomPart) -> tuple[float, Moments]:
    """Mass [kg] and principal moments [kg·m²]; nothing of planes and height fields."""
    e, shell, mesh = g.element, truth(g.element, "shellinertia"), g.mesh
    if mesh is not None:
        if shell:
            e.error("inertia-auto", 'shellinertia of a mesh is set in its <mesh>, by inertia="shell"')
        found = mesh.inertia
        body = None if found is None else UnitBody(found.amount, found.moments)
    else:
        make = (SHELLS if shell else SOLIDS).get(g.kind)
        body = None if make is None else make(*g.size)
    mass, density = (real(e, "mass") if "mass" in e.attributes else None), real(e, "density", WATER)
    if (mass or 0.0) < 0 or density < 0:
        e.error("inertia-invalid", f"<geom>: neither mass nor density can be negative ({mass or density:g})")
        return 0.0, (0.0, 0.0, 0.0)
    if body is None or (mass is not None and body.amount <= LEAST_VOLUME):
        return 0.0, (0.0, 0.0, 0.0)
    m = density * body.amount if mass is None else mass
    x, y, z = body.moments
    return m, (m * x, m * y, m * z)


# --- filled -----------------------------------------------------------------------------------------------------------


def _ellipsoid(a: float, b: float, c: float) -> UnitBody:
    return UnitBody(4 / 3 * pi * a * b * c, ((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5))


def _box(a: float, b: float, c: float) -> UnitBody:
    return UnitBody(8 * a * b * c, ((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3))


def _cylinder(r: float, h: float, _: float) -> UnitBody:
    across = (3 * r * r + 4 * h * h) / 12
    return UnitBody(2 * pi * r * r * h, (across, across, r * r / 2))


def _capsule(r: float, h: float, _: float) -> UnitBody:
    """A cylinder, and two half balls beyond its ends."""
    ball = 4 * r / (4 * r + 6 * h)  # share of the mass
    across = (1 - ball) * (3 * r * r + 4 * h * h) / 12 + ball * (2 * r * r / 5 + h * (3 * r + 4 * h) / 4)
    return UnitBody(
        pi * (2 * r * r * h + 4 * r**3 / 3), (across, across, (1 - ball) * r * r / 2 + ball * 2 * r * r / 5)
    )


# --- shells -----------------------------------------------------------------------------------------------------------


def _sphere_shell(r: float, *_: float) -> UnitBody:
    return UnitBody(4 * pi * r * r, (2 * r * r / 3,) * 3)


def _capsule_shell(r: float, h: float, _: float) -> UnitBody:
    """The centre of mass of half a ball's shell is half a radius from its middle."""
    area = 4 * pi * r * r + 4 * pi * r * h
    ball = 4 * pi * r * r / area
    across = (1 - ball) * (6 * r * r + 4 * h * h) / 12 + ball * (2 * r * r / 3 + (h + r / 2) ** 2 - (r / 2) ** 2)
    return UnitBody(area, (across, across, (1 - ball) * r * r + ball * 2 * r * r / 3))


def _cylinder_shell(r: float, h: float, _: float) -> UnitBody:
    area = 2 * pi * r * r + 4 * pi * r * h
    lid = pi * r * r / area
    across = (1 - 2 * lid) * (6 * r * r + 4 * h * h) / 12 + 2 * lid * (r * r / 4 + h * h)
    return UnitBody(area, (across, across, (1 - 2 * lid) * r * r + lid * r * r))


def _ellipsoid_shell(a: float, b: float, c: float) -> UnitBody:
    """The difference of two ellipsoids; its surface by Thomsen's formula."""
    powers = sum((x * y) ** THOMSEN for x, y in ((a, b), (b, c), (c, a)))
    inner, outer = _ellipsoid(a, b, c), _ellipsoid(a + SKIN, b + SKIN, c + SKIN)
    density = 1 / (outer.amount - inner.amount)
    x, y, z = (
        density * (outer.amount * o - inner.amount * i) for o, i in zip(outer.moments, inner.moments, strict=True)
    )
    return UnitBody(4 * pi * (powers / 3) ** (1 / THOMSEN), (x, y, z))


def _box_shell(a: float, b: float, c: float) -> UnitBody:
    """Three pairs of faces, each at half a side from the middle."""
    areas = {"z": 4 * a * b, "x": 4 * b * c, "y": 4 * c * a}
    total = 2 * sum(areas.values())
    x, y, z = (2 * areas[axis] / total for axis in "xyz")  # shares of the pairs across each axis
    return UnitBody(
        total,
        (
            z * (c * c + b * b / 3) + y * (b * b + c * c / 3) + x * (b * b + c * c) / 3,
            z * (c * c + a * a / 3) + x * (a * a + c * c / 3) + y * (a * a + c * c) / 3,
            x * (a * a + b * b / 3) + y * (b * b + a * a / 3) + z * (a * a + b * b) / 3,
        ),
    )


SOLIDS: dict[str, Callable[..., UnitBody]] = {
    "sphere": lambda r, *_: _ellipsoid(r, r, r),
    "ellipsoid": _ellipsoid,
    "box": _box,
    "cylinder": _cylinder,
    "capsule": _capsule,
}
SHELLS: dict[str, Callable[..., UnitBody]] = {
    "sphere": _sphere_shell,
    "ellipsoid": _ellipsoid_shell,
    "box": _box_shell,
    "cylinder": _cylinder_shell,
    "capsule": _capsule_shell,
}
