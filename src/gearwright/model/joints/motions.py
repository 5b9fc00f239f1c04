"""Elementary motions: a joint is a chain of turns, slides and balls, from its parent side to its child side.

Here they are in numbers; `gearwright.dynamics.tree.joints` has the same three in symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gearwright.model.poses import IDENTITY, Array, Pose, Vector3, rotation_about, rotation_quaternion


class Turn(NamedTuple):
    """About a direction; with a pitch, a screw."""

    direction: Vector3
    pitch: float = 0.0  # travel [m/rad]

    @property
    def size(self) -> tuple[int, int]:
        """Positions and velocities."""
        return 1, 1

    def pose(self, q: Sequence[float]) -> Pose:
        travel = np.multiply(self.direction, q[0] * self.pitch) if self.pitch else IDENTITY.p
        return Pose(rotation_about(self.direction, q[0]), travel)

    def twist(self, q: Sequence[float]) -> Array:
        """S: angular, then linear, in the parent side's axes, about its origin, (6, velocities)."""
        axis = np.array(self.direction)
        return np.concatenate([axis, self.pitch * axis])[:, None]

    def retract(self, q: Sequence[float], dv: Sequence[float] | Array) -> tuple[float, ...]:
        return (q[0] + dv[0],)


class Slide(NamedTuple):
    """Along a direction."""

    direction: Vector3

    @property
    def size(self) -> tuple[int, int]:
        return 1, 1

    def pose(self, q: Sequence[float]) -> Pose:
        return Pose(IDENTITY.R, np.multiply(self.direction, q[0]))

    def twist(self, q: Sequence[float]) -> Array:
        return np.concatenate([np.zeros(3), self.direction])[:, None]

    def retract(self, q: Sequence[float], dv: Sequence[float] | Array) -> tuple[float, ...]:
        return (q[0] + dv[0],)


class FreeRotation(NamedTuple):
    """All rotations: a unit quaternion w, x, y, z; velocities are in the axes of the child side."""

    @property
    def size(self) -> tuple[int, int]:
        return 4, 3

    def pose(self, q: Sequence[float]) -> Pose:
        return Pose(rotation_quaternion(q[0], q[1], q[2], q[3]), IDENTITY.p)

    def twist(self, q: Sequence[float]) -> Array:
        return np.vstack([self.pose(q).R, np.zeros((3, 3))])

    def retract(self, q: Sequence[float], dv: Sequence[float] | Array) -> tuple[float, ...]:
        w = np.array(dv)
        angle = float(np.linalg.norm(w))
        s = np.sinc(angle / (2 * np.pi)) / 2  # sin(angle/2)/angle
        turned = _quaternion_product(q, (np.cos(angle / 2), *(s * w)))
        n = float(np.linalg.norm(turned))
        return tuple(float(c) / n for c in turned)


Motion = Turn | Slide | FreeRotation


def _quaternion_product(a: Sequence[float], b: Sequence[float]) -> Array:
    w, x, y, z = a
    p, i, j, k = b
    return np.array(
        [
            w * p - x * i - y * j - z * k,
            w * i + x * p + y * k - z * j,
            w * j - x * k + y * p + z * i,
            w * k + x * j - y * i + z * p,
        ]
    )


def plane_basis(normal: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that span the plane normal to `normal`, right-handed; x and y when the normal is z.

    The first is the x axis with its share along the normal taken off (the y axis where x is the normal).
    """
    n = np.array(normal)
    seed = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    e1 = seed - n * (n @ seed)
    e1 /= np.linalg.norm(e1)
    return e1, np.cross(n, e1)
