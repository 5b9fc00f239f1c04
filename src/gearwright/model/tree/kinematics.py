"""Where the links are: forward kinematics of the tree, and its Jacobian, in plain NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gearwright.model.joints import WORLD, Joint
from gearwright.model.poses import IDENTITY, Array, Pose
from gearwright.model.tree.topology import Tree

Configuration = Mapping[str, tuple[float, ...]]  # joint → its position coordinates


def link_poses(tree: Tree, q: Configuration) -> dict[str, Pose]:
    """X_WL of every link."""
    X_W = {WORLD: IDENTITY}
    for b in tree.branches:
        X_W[b.link] = X_W[b.parent] @ b.X_PL(q[b.joint.name])
    return X_W


def retract(joint: Joint, q: Sequence[float], dv: Sequence[float] | Array) -> tuple[float, ...]:
    """q ⊕ dv: the position after the small motion dv in velocity coordinates; quaternions stay unit."""
    return joint.type.retract(joint, q, dv)


def subspace(joint: Joint, q: Sequence[float]) -> Array:
    """S(q): the twist of the child side of the joint, in the parent side's frame, per velocity coordinate, (6, dof).

    Rows are angular, then linear about the parent side's origin.
    """
    X, at, columns = IDENTITY, 0, [np.zeros((6, 0))]
    for m in joint.motions:
        own = q[at : at + m.size[0]]
        columns.append(carried(X, m.twist(own)))
        X, at = X @ m.pose(own), at + m.size[0]
    return np.hstack(columns)


def small_twist(X: Pose) -> Array:
    """The twist, angular then linear, that a pose near the identity comes to."""
    R = X.R
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], *(2 * X.p)]) / 2


def carried(X: Pose, twist: Array) -> Array:
    """Ad_X: twists (6, n) from B's frame to A's, with X = X_AB."""
    if X is IDENTITY:
        return twist
    w = X.R @ twist[:3]
    x, y, z = X.p.tolist()
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.concatenate([w, X.R @ twist[3:] + skew @ w])
