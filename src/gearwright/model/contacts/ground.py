"""The ground: a plane that stands still."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gearwright.errors import ModelError
from gearwright.given_numbers import as_float
from gearwright.model.geometry import Geometry, Plane
from gearwright.model.joints import WORLD, Joint
from gearwright.model.poses import IDENTITY, Pose
from gearwright.model.shapes.surface import Surface

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

GROUND = "ground"
EXTENT = 10.0  # [m] of what is drawn; the plane itself has no end


def with_ground(m: Mechanism, ground: object = True, X_WG: Pose = IDENTITY) -> Mechanism:
    """A copy with the plane z = 0 as environment. A number is its friction coefficient.

    Raises ModelError if the mechanism has a link of that name, or the coefficient is negative.
    """
    from gearwright.model.mechanism import Link

    if GROUND in m.links:
        raise ModelError(f"{m.name!r} already has a link {GROUND!r}; leave ground= out, or rename the link")
    friction = None if ground is True else as_float(ground)
    if ground is not True and (friction is None or isinstance(ground, bool)):
        raise ModelError(f"ground must be True or a friction coefficient, not {ground!r:.60}")
    plane = Geometry(
        name=GROUND, shape=Plane(size=(EXTENT, EXTENT)), rgba=(0.8, 0.8, 0.8, 1.0), surface=Surface(friction=friction)
    )
    link = Link(name=GROUND, visuals=(plane,), collisions=(plane,))
    name = f"base_{GROUND}"
    while name in m.joints or name in m.bases:
        name += "_"
    base = Joint(name=name, kind="fixed", parent=WORLD, child=GROUND, X_PJ=X_WG)
    return replace(m, links={**m.links, GROUND: link}, bases={**m.bases, name: base})
