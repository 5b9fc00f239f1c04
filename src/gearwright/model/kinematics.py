"""Where the links are: forward kinematics of the tree, and its Jacobian, in plain NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi

import numpy as np

from gearwright.model.joints import WORLD, Joint
from gearwright.model.poses import IDENTITY, Array, Pose
from gearwright.model.topology import Tree

Configuration = Mapping[str, tuple[float, ...]]  # joint → its position coordinates


def link_poses(tree: Tree, q: Configuration) -> dict[str, Pose]:
    """X_WL of every link."""
    X_W = {WORLD: IDENTITY}
    for b in tree.branches:
        X_W[b.link] = X_W[b.parent] @ b.X_PL(q[b.joint.name])
    return X_W


def retract(joint: Joint, q: Sequence[float], dv: Sequence[float] | Array) -> tuple[float, ...]:
    """q ⊕ dv: the position after the small motion dv in velocity coordinates; quaternions stay unit."""
    k = joint.type.quaternion
    if k is None:
        return tuple(x + d for x, d in zip(q, dv, strict=True))
    w = np.array(dv[k:])
    angle = float(np.linalg.norm(w))
    s = np.sinc(angle / (2 * np.pi)) / 2  # sin(angle/2)/angle
    turned = _quaternion_product(q[k:], (np.cos(angle / 2), *(s * w)))
    n = float(np.linalg.norm(turned))
    return (*(x + d for x, d in zip(q[:k], dv[:k], strict=True)), *(float(c) / n for c in turned))


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


def subspace(joint: Joint, q: Sequence[float]) -> Array:
    """S(q): the twist of the child side of the joint, in the parent side's frame, per velocity coordinate, (6, dof).

    Rows are angular, then linear about the parent side's origin.
    """
    if joint.dof == 1:  # the axis stands still
        axis = np.array(joint.axes[0].xyz)
        travel = joint.thread_pitch / (2 * pi) if joint.kind == "screw" else float(joint.type.prismatic)
        return np.concatenate([0.0 * axis if joint.type.prismatic else axis, travel * axis])[:, None]
    if joint.kind == "ball":
        return np.vstack([joint.motion(q).R, np.zeros((3, 3))])
    return subspace_by_differences(joint, q)


def subspace_by_differences(joint: Joint, q: Sequence[float], h: float = 1e-6) -> Array:
    """Central differences: exact to 1e-10, enough for ranks and for Newton's method, which needs no better."""
    S = np.zeros((6, joint.dof))
    X_inverse = joint.motion(q).inverse()
    for i in range(joint.dof):
        dv = np.zeros(joint.dof)
        dv[i] = h
        ahead, behind = joint.motion(retract(joint, q, dv)), joint.motion(retract(joint, q, -dv))
        S[:, i] = (small_twist(ahead @ X_inverse) - small_twist(behind @ X_inverse)) / (2 * h)
    return S


def small_twist(X: Pose) -> Array:
    """The twist, angular then linear, that a pose near the identity comes to."""
    R = X.R
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], *(2 * X.p)]) / 2


def carried(X: Pose, twist: Array) -> Array:
    """Ad_X: twists (6, n) from B's frame to A's, with X = X_AB."""
    w = X.R @ twist[:3]
    x, y, z = X.p.tolist()
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.concatenate([w, X.R @ twist[3:] + skew @ w])
