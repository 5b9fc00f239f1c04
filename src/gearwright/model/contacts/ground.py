"""The ground: a plane that stands still."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gearwright.errors import ModelError
from gearwright.given_numbers import as_float
from gearwright.model.geometry import Geometry, Plane
from gearwright.model.joints import WORLD, Joint
from gearwright.model.poses import Vector3
from gearwright.model.shapes.surface import Surface

if TYPE_CHECKING:
    from gearwright.model.links import Link
    from gearwright.model.mechanism import Mechanism

GROUND = "ground"
UP: Vector3 = (0.0, 0.0, 1.0)
EXTENT = 10.0  # [m] of what is drawn; the plane itself has no end


def with_ground(m: Mechanism, ground: object = True) -> Mechanism:
    """A copy with the plane z = 0 as environment. A number is its friction coefficient.

    Raises ModelError if the mechanism has a link of that name, or the coefficient is negative.
    """
    if GROUND in m.links:
        raise ModelError(f"{m.name!r} already has a link {GROUND!r}; leave ground= out, or rename the link")
    friction = None if ground is True else as_float(ground)
    if ground is not True and (friction is None or isinstance(ground, bool)):
        raise ModelError(f"ground must be True or a friction coefficient, not {ground!r:.60}")
    name = f"base_{GROUND}"
    while name in m.joints or name in m.bases:
        name += "_"
    base = Joint(name=name, kind="fixed", parent=WORLD, child=GROUND)
    link = _link(Surface(friction=friction), UP)
    return replace(m, links={**m.links, GROUND: link}, bases={**m.bases, name: base})


def ground_mechanism(surface: Surface, normal: Vector3 = UP) -> Mechanism:
    """A ground alone."""
    from gearwright.model.mechanism import Mechanism

    base = Joint(name=GROUND, kind="fixed", parent=WORLD, child=GROUND)
    return Mechanism(name=GROUND, links={GROUND: _link(surface, normal)}, joints={}, bases={GROUND: base})


def _link(surface: Surface, normal: Vector3) -> Link:
    from gearwright.model.links import Link

    shape = Plane(normal=normal, size=(EXTENT, EXTENT))
    plane = Geometry(name=GROUND, shape=shape, rgba=(0.8, 0.8, 0.8, 1.0), surface=surface)
    return Link(name=GROUND, visuals=(plane,), collisions=(plane,))
