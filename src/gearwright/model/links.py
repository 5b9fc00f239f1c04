"""Links and the named frames on them."""

from __future__ import annotations

from dataclasses import dataclass, field

from gearwright.diagnostics import Source
from gearwright.model.geometry import Geometry
from gearwright.model.mass.inertia import MASSLESS, Inertia
from gearwright.model.poses import IDENTITY, Pose


@dataclass(frozen=True, kw_only=True)
class Link:
    """A rigid body."""

    name: str
    inertia: Inertia = MASSLESS  # mass, centre of mass, moments
    visuals: tuple[Geometry, ...] = ()  # what is seen
    collisions: tuple[Geometry, ...] = ()  # what would collide
    gravity: bool = True  # False: gravity does not act on it
    share: float = 1.0  # of the inertia that it has, where a loop is cut through it
    same_as: str | None = None  # the link whose inertia it has a share of
    source: Source | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class NamedFrame:
    """A named frame on a link, or on the world."""

    name: str
    link: str  # or "world"
    X_LF: Pose = IDENTITY
    source: Source | None = field(default=None, compare=False, repr=False)
