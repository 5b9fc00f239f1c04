"""Scenes of free bodies of one shape each, and of shapes that stand still."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.model import Joint, Mechanism
from gearwright.model.geometry import Geometry, Plane, Shape
from gearwright.model.joints import WORLD
from gearwright.model.links import Link
from gearwright.model.mass.inertia import Inertia
from gearwright.model.mass.solids import solid
from gearwright.model.poses import IDENTITY, Pose
from gearwright.model.shapes.surface import Surface

G = 9.81


def body(name: str, shape: Shape, mass: float = 1.0, **surface: Any) -> Link:
    """A homogeneous solid."""
    known = solid(shape)
    assert known is not None
    moments = tuple(mass * x for x in known.moments)
    own = Geometry(name=name, shape=shape, surface=Surface(**surface))
    return Link(name=name, inertia=Inertia(mass=mass, moments=moments), collisions=(own,))  # type: ignore[arg-type]


def still(name: str, shape: Shape | None = None, **surface: Any) -> Link:
    """Of the environment: a plane, if nothing else is given."""
    own = Geometry(name=name, shape=shape or Plane(), surface=Surface(**surface))
    return Link(name=name, collisions=(own,))


def scene(
    free: Sequence[Link],
    environment: Sequence[Link | tuple[Link, Pose]] = (),
    *,
    slope: float = 0.0,
    heading: float = 0.0,
) -> Mechanism:
    """A free body has the coordinates `name.x` … `name.qz`.

    `slope`: instead of the plane, gravity is tilted, downhill along `heading` [rad].
    """
    placed = [e if isinstance(e, tuple) else (e, IDENTITY) for e in environment]
    bases = {link.name: Joint(name=link.name, kind="floating", parent=WORLD, child=link.name) for link in free}
    for link, X in placed:
        name = f"base_{link.name}"
        bases[name] = Joint(name=name, kind="fixed", parent=WORLD, child=link.name, X_PJ=X)
    along = np.sin(slope) * np.array([np.cos(heading), np.sin(heading)])
    gravity = tuple((G * np.array([*along, -np.cos(slope)])).tolist())
    links = {link.name: link for link in (*free, *(link for link, _ in placed))}
    return Mechanism(name="scene", links=links, joints={}, bases=bases, gravity=gravity)
