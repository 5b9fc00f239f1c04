"""Whether a body of constant mass looks the same from all sides: its inertia does not depend on its angle then."""

from __future__ import annotations

import numpy as np

from gearwright.dynamics.algebra.spatial import Mass, Vector
from gearwright.given_numbers import Array

NEARLY = 0.01  # of the moment of inertia about the axis: a wheel that is out of round by less counts as round


@np.errstate(over="ignore", invalid="ignore")  # numbers that are too large are named later
def is_round(mass: Mass, axis: Vector) -> bool:
    """From all sides of an axis through the body's origin."""
    z, tensor, offset = np.array(axis), _tensor(mass), _cross(mass.h, axis)
    across = np.linalg.svd(z[None])[2][1:]  # (2, 3)
    (xx, xy), (_, yy) = across @ tensor @ across.T
    about = NEARLY * (z @ tensor @ z)
    even = max(abs(xx - yy), abs(2 * xy), *abs(across @ tensor @ z)) <= about
    return bool(even and offset @ offset <= about * np.array(mass.m))


def has_equal_moments(mass: Mass) -> bool:
    """Whether two principal moments about the origin are the same: such a body turns evenly in its own axes."""
    tensor = _tensor(mass)
    if not np.isfinite(tensor).all():
        return False
    a, b, c = np.linalg.eigvalsh(tensor)
    return bool(min(b - a, c - b) <= NEARLY * c)


def _cross(a: Vector, b: Vector) -> Array:
    return np.cross(np.array(a), np.array(b))


def _tensor(mass: Mass) -> Array:
    """Moments of inertia about the origin, (3, 3)."""
    second = np.array(mass.S.rows)
    tensor: Array = np.trace(second) * np.eye(3) - second
    return tensor
