"""A link under construction: its shapes, and the inertia that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.given_numbers import number, numbers
from gearwright.model import Geometry, Inertia, Link, Pose
from gearwright.model.geometry import Shape, kind_name
from gearwright.model.given_poses import pose_of
from gearwright.model.mass.inertia import MASSLESS
from gearwright.model.mass.solids import WATER, combined, solid
from gearwright.model.poses import Vector3

Numbers = Sequence[float]


def vector(what: str, given: Any) -> Vector3:
    values = numbers(what, given)
    if values.shape != (3,):
        raise ModelError(f"{what} takes three numbers, not {given!r:.60}")
    return (float(values[0]), float(values[1]), float(values[2]))


@dataclass(kw_only=True)
class WeighedShape:
    """A shape with its share of the mass: a mass of its own [kg], or a density [kg/m³]."""

    shape: Shape
    pose: Pose
    mass: float | None
    density: float | None


@dataclass(kw_only=True)
class LinkDraft:
    """A link and what has been said of it so far."""

    name: str
    source: Source
    mass: float | None = None  # [kg] of the whole link
    density: float | None = None  # [kg/m³] of its shapes
    inertia: Inertia | None = None  # as given, instead of one from shapes
    gravity: bool = True
    solids: list[WeighedShape] = field(default_factory=list)
    visuals: list[Geometry] = field(default_factory=list)
    collisions: list[Geometry] = field(default_factory=list)

    def finish(self) -> Link:
        return Link(
            name=self.name, inertia=self._inertia(), visuals=tuple(self.visuals), collisions=tuple(self.collisions),
            gravity=self.gravity, source=self.source,
        )  # fmt: skip

    def _inertia(self) -> Inertia:
        """As given; or of the shapes, scaled to the link's mass where that is given."""
        if self.inertia is not None:
            return self.inertia
        if not self.solids:
            return MASSLESS if not self.mass else self._point()
        parts = []
        for s in self.solids:
            made = solid(s.shape)
            if made is None:
                raise ModelError(
                    f"link {self.name!r}: the volume of a {kind_name(s.shape)} is not known; give mass= and inertia="
                )
            density = s.density if s.density is not None else WATER if self.density is None else self.density
            parts.append((made, s.pose, made.volume * density if s.mass is None else s.mass))
        total = combined(parts)
        if self.mass is None or not total.mass:
            return total
        scale = self.mass / total.mass
        moments, products = (tuple(x * scale for x in each) for each in (total.moments, total.products))
        return replace(total, mass=self.mass, moments=moments, products=products)  # type: ignore[arg-type]

    def _point(self) -> Inertia:
        raise ModelError(
            f"link {self.name!r}: a mass alone gives no inertia: add a shape, or give inertia=(ixx, iyy, izz)"
        )


def given_inertia(link: str, mass: Any, inertia: Any, center: Any) -> Inertia:
    """Mass, moments (or moments and products xy, xz, yz) about the centre of mass, in the link's axes."""
    values = numbers(f"link {link!r}: inertia", inertia)
    if values.shape == (3, 3):
        if not np.allclose(values, values.T, rtol=1e-12, atol=0):
            raise ModelError(f"link {link!r}: an inertia must be symmetric, not {inertia!r:.80}")
        values = values[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    if values.shape not in ((3,), (6,)):
        raise ModelError(f"link {link!r}: inertia takes ixx, iyy, izz (and ixy, ixz, iyz), not {inertia!r:.60}")
    if mass is None:
        raise ModelError(f"link {link!r}: an inertia also needs a mass")
    xx, yy, zz, xy, xz, yz = (*values.tolist(), 0.0, 0.0, 0.0)[:6]
    X = pose_of(f"link {link!r}: center", center)
    mass = number(f"link {link!r}: mass", mass, low=0)
    return Inertia(mass=mass, moments=(xx, yy, zz), products=(xy, xz, yz), pose=X)
