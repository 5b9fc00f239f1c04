"""Rigid poses: `X_AB` is the pose of frame B in frame A, and takes points of B to points of A."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gearwright.errors import ModelError

Array: TypeAlias = NDArray[np.float64]
Vector3: TypeAlias = tuple[float, float, float]


def frozen(values: Sequence[Sequence[float]] | Sequence[float] | Array) -> Array:
    """A read-only copy."""
    a = np.array(values, dtype=np.float64)
    a.flags.writeable = False
    return a


class Pose:
    """A rotation R and a translation p [m], immutable: `X_AC = X_AB @ X_BC`."""

    __slots__ = ("R", "p")
    R: Array  # (3, 3)
    p: Array  # (3,) [m]

    def __init__(self, R: Array, p: Sequence[float] | Array) -> None:
        object.__setattr__(self, "R", R if not R.flags.writeable else frozen(R))
        object.__setattr__(self, "p", frozen(p))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Pose is immutable")

    def __matmul__(self, other: Pose) -> Pose:
        if self is IDENTITY:
            return other
        if other is IDENTITY:
            return self
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self) -> Pose:
        if self is IDENTITY:
            return self
        return Pose(self.R.T, -(self.R.T @ self.p))

    @property
    def matrix(self) -> Array:
        """The homogeneous 4x4 matrix."""
        X = np.eye(4)
        X[:3, :3] = self.R
        X[:3, 3] = self.p
        return X

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """The rotation as a unit quaternion w, x, y, z with w ≥ 0."""
        return quaternion_of_matrix(self.R)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and np.array_equal(self.R, other.R) and np.array_equal(self.p, other.p)

    def __hash__(self) -> int:
        return hash((self.R.tobytes(), self.p.tobytes()))

    def __reduce__(self) -> tuple[object, ...]:
        return (Pose, (self.R, self.p))

    def __repr__(self) -> str:
        return f"Pose(p={self.p.tolist()}, R={self.R.tolist()})"

    @staticmethod
    def from_rpy(xyz: Sequence[float], rpy: Sequence[float]) -> Pose:
        """Translation [m] and roll, pitch, yaw [rad] about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll)."""
        if not any(rpy):
            return IDENTITY if not any(xyz) else Pose(IDENTITY.R, xyz)
        return Pose(rotation_rpy(*rpy), xyz)

    @staticmethod
    def from_quaternion(xyz: Sequence[float], wxyz: Sequence[float]) -> Pose:
        """Translation [m] and a quaternion w, x, y, z, which is normalised."""
        return Pose(rotation_quaternion(*wxyz), xyz)


def quaternion_of_matrix(R: Array) -> tuple[float, float, float, float]:
    """w, x, y, z of a rotation matrix, with w ≥ 0 (Shepperd: divides by the largest component)."""
    squares = np.array([1 + R[0, 0] + R[1, 1] + R[2, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2],
                        1 - R[0, 0] + R[1, 1] - R[2, 2], 1 - R[0, 0] - R[1, 1] + R[2, 2]])  # fmt: skip
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    a, b, c = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    rows = ((squares[0], x, y, z), (x, squares[1], a, b), (y, a, squares[2], c), (z, b, c, squares[3]))
    q = np.array(rows[int(np.argmax(squares))])
    q /= np.linalg.norm(q) * (1 if q[0] >= 0 else -1)
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def rotation_rpy(r: float, p: float, y: float) -> Array:
    cr, sr, cp, sp, cy, sy = cos(r), sin(r), cos(p), sin(p), cos(y), sin(y)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rotation_quaternion(w: float, x: float, y: float, z: float) -> Array:
    largest = max(abs(w), abs(x), abs(y), abs(z))  # divided by first, since squares overflow and underflow
    if largest == 0.0:
        raise ModelError("a quaternion of length zero is not a rotation")
    w, x, y, z = w / largest, x / largest, y / largest, z / largest
    n = sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotation_about(axis: Sequence[float], angle: float) -> Array:
    """Rodrigues' formula: the rotation by `angle` [rad] about the unit vector `axis`."""
    x, y, z = axis
    c, s = cos(angle), sin(angle)
    k = 1.0 - c
    return np.array(
        [
            [c + x * x * k, x * y * k - z * s, x * z * k + y * s],
            [y * x * k + z * s, c + y * y * k, y * z * k - x * s],
            [z * x * k - y * s, z * y * k + x * s, c + z * z * k],
        ]
    )


IDENTITY = Pose.__new__(Pose)
object.__setattr__(IDENTITY, "R", frozen(np.eye(3)))
object.__setattr__(IDENTITY, "p", frozen(np.zeros(3)))
