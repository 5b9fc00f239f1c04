"""Constraints of a joint that closes a loop, and how its own coordinates are read then.

With X the child side of the joint as its parent side sees it, translation d and rotation R. Elementary rows, which a
joint's class lists; `gearwright.dynamics.constraints.closures` has each of them in symbols. Directions are in
the parent side's axes. `direction` is a row's Jacobian over the twist of the child side, angular and then linear at its
origin; `slides` whether its error is a length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.model.joints.motions import plane_basis
from gearwright.model.poses import Array, Vector3


class NoSlide(NamedTuple):
    """`e·d = 0`."""

    along: Vector3

    @property
    def slides(self) -> bool:
        return True

    def direction(self, R: Array) -> Array:
        return np.concatenate([np.zeros(3), self.along])


class NoTurn(NamedTuple):
    """A component of the rotation vector is zero."""

    component: int

    @property
    def slides(self) -> bool:
        return False

    def direction(self, R: Array) -> Array:
        """Half of R − Rᵀ changes by `e·(ω × a) = ω·(a × e)` in each of its two entries."""
        j, k = (self.component + 1) % 3, (self.component + 2) % 3
        turning = np.cross(R[:, j], np.eye(3)[k]) - np.cross(R[:, k], np.eye(3)[j])
        return np.concatenate([0.5 * turning, np.zeros(3)])


class Across(NamedTuple):
    """`e·R·a` stays what it is at zero."""

    along: Vector3  # e
    axis: Vector3  # a
    constant: float = 0.0

    @property
    def slides(self) -> bool:
        return False

    def direction(self, R: Array) -> Array:
        return np.concatenate([np.cross(R @ np.array(self.axis), self.along), np.zeros(3)])


class Thread(NamedTuple):
    """The travel along an axis is the lead times the angle about it."""

    axis: Vector3
    lead: float  # [m/rad]

    @property
    def slides(self) -> bool:
        return True

    def direction(self, R: Array) -> Array:
        """Where the axis is the same on both sides, as the joint's other rows keep it."""
        return np.concatenate([-self.lead * np.array(self.axis), self.axis])


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


def x_axis_to(axis: Vector3) -> Array:
    """A rotation whose first column is the axis."""
    if axis == (1.0, 0.0, 0.0):
        return np.eye(3)
    y, z = basis(axis)
    R = np.column_stack([axis, y, z])
    return R if np.linalg.det(R) > 0 else np.column_stack([axis, z, y])


def no_slides_across(axis: Vector3) -> tuple[Condition, ...]:
    return tuple(NoSlide(e) for e in basis(axis))


def aligned(axis: Vector3) -> tuple[Condition, ...]:
    """An axis keeps its direction."""
    return tuple(Across(e, axis) for e in basis(axis))


def _vector(values: list[float]) -> Vector3:
    x, y, z = values
    return (x, y, z)
