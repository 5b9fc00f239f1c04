"""Constraints of a joint that closes a loop, and how its own coordinates are read then.

With X the child side of the joint as its parent side sees it, translation d and rotation R. Elementary rows, which a
joint's class lists; `gearwright.dynamics.constraints.closures` has each of them in symbols. Directions are in
the parent side's axes.
"""

from __future__ import annotations

from typing import NamedTuple

from gearwright.model.joints.motions import plane_basis
from gearwright.model.poses import Vector3


class NoSlide(NamedTuple):
    """`e·d = 0`."""

    along: Vector3


class NoTurn(NamedTuple):
    """A component of the rotation vector is zero."""

    component: int


class Across(NamedTuple):
    """`e·R·a` stays what it is at zero."""

    direction: Vector3  # e
    axis: Vector3  # a
    constant: float = 0.0


class Thread(NamedTuple):
    """The travel along an axis is the lead times the angle about it."""

    axis: Vector3
    lead: float  # [m/rad]


Condition = NoSlide | NoTurn | Across | Thread


class Travel(NamedTuple):
    """A coordinate read by the distance along an axis, times a factor."""

    axis: Vector3
    factor: float = 1.0


class Angle(NamedTuple):
    """A coordinate read by the angle about an axis."""

    axis: Vector3


class AngleOfTwo(NamedTuple):
    """One of two angles: about `first`, then about `second`."""

    first: Vector3
    second: Vector3
    which: int  # 0: the first


class Orientation(NamedTuple):
    """Four coordinates read at once: the rotation as a unit quaternion w, x, y, z."""


Reading = Travel | Angle | AngleOfTwo | Orientation

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NO_SLIDES: tuple[Condition, ...] = (NoSlide(X), NoSlide(Y), NoSlide(Z))
NO_TURNS: tuple[Condition, ...] = (NoTurn(0), NoTurn(1), NoTurn(2))


def basis(axis: Vector3) -> tuple[Vector3, Vector3]:
    """Two directions across an axis."""
    e1, e2 = plane_basis(axis)
    return _vector(e1.tolist()), _vector(e2.tolist())


def no_slides_across(axis: Vector3) -> tuple[Condition, ...]:
    return tuple(NoSlide(e) for e in basis(axis))


def aligned(axis: Vector3) -> tuple[Condition, ...]:
    """An axis keeps its direction."""
    return tuple(Across(e, axis) for e in basis(axis))


def _vector(values: list[float]) -> Vector3:
    x, y, z = values
    return (x, y, z)
