"""How many independent freedoms a mechanism has, and whether its loops close.

The rows of all loop closures and couplings are stacked over the velocities of the tree and of the cut joints;
freedoms are the columns less the rank. At a special pose (a flat four-bar) the rank drops, so that it is taken at
a nearby pose in general position that Newton's method assembles.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.kinematics import Configuration, carried, jacobians, link_poses, retract, subspace
from gearwright.model.poses import Array, Pose
from gearwright.model.topology import Tree

_RANK_TOLERANCE = 1e-7  # relative; central differences are good to 1e-10


def degrees_of_freedom(tree: Tree, couplings: Iterable[Coupling], q: Configuration) -> int:
    couplings = list(couplings)
    joints = [*tree.joints, *tree.cuts]
    columns = sum(j.dof for j in joints)
    if not couplings and not tree.cuts:
        return columns
    poses = [q]
    if tree.cuts:
        poses.append(_general_position(tree, couplings, joints, q))
    return columns - max(_rank(_rows(tree, couplings, joints, pose)[1]) for pose in poses)


def _rank(J: Array) -> int:
    if not J.size:
        return 0
    scale = np.linalg.norm(J, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(J / np.where(scale > 0, scale, 1.0), tol=_RANK_TOLERANCE))


def _general_position(tree: Tree, couplings: list[Coupling], joints: list[Joint], q: Configuration) -> Configuration:
    """A pose away from symmetric ones, as nearly closed as Newton's method gets it."""
    rng = np.random.default_rng(7)
    moved = {j.name: retract(j, q[j.name], 0.05 * rng.standard_normal(j.dof)) for j in joints}
    for _ in range(20):
        error, J = _rows(tree, couplings, joints, moved)
        if np.abs(error).max(initial=0.0) < 1e-12:
            break
        dv = -np.linalg.lstsq(J, error, rcond=1e-9)[0]
        start = 0
        for j in joints:
            moved[j.name] = retract(j, moved[j.name], dv[start : start + j.dof])
            start += j.dof
    return moved


def _rows(tree: Tree, couplings: list[Coupling], joints: list[Joint], q: Configuration) -> tuple[Array, Array]:
    """Errors and their Jacobian over the velocities of `joints`: six rows a loop, one a coupling."""
    first: dict[str, int] = {}
    columns = 0
    for j in joints:
        first[j.name] = columns
        columns += j.dof
    blocks = [_loop_rows(tree, q, columns, first)] if tree.cuts else []
    blocks.append(_coupling_rows(couplings, q, columns, first))
    return np.concatenate([e for e, _ in blocks]), np.vstack([J for _, J in blocks])


def _loop_rows(tree: Tree, q: Configuration, columns: int, first: dict[str, int]) -> tuple[Array, Array]:
    X_W = link_poses(tree, q)
    J_W = jacobians(tree, q, X_W)
    errors, rows = [], []
    for j in tree.cuts:
        X_WJ = X_W[j.parent] @ j.X_PJ
        reached, wanted = X_W[j.child] @ j.X_CJ, X_WJ @ j.motion(q[j.name])
        errors.append(_twist_between(wanted, reached))
        row = np.zeros((6, columns))
        nv = next(iter(J_W.values())).shape[1]
        row[:, :nv] = J_W[j.child] - J_W[j.parent]
        row[:, first[j.name] : first[j.name] + j.dof] -= carried(X_WJ, subspace(j, q[j.name]))
        rows.append(row)
    return np.concatenate(errors), np.vstack(rows)


def _twist_between(wanted: Pose, reached: Pose) -> Array:
    """The small world twist that carries `wanted` to `reached`."""
    X = reached @ wanted.inverse()
    R = X.R
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], *(2 * X.p)]) / 2


def _coupling_rows(
    couplings: list[Coupling], q: Configuration, columns: int, first: dict[str, int]
) -> tuple[Array, Array]:
    J = np.zeros((len(couplings), columns))
    errors = np.zeros(len(couplings))

    def at(axis: AxisRef) -> float:
        return q[axis.joint][axis.index]

    for i, c in enumerate(couplings):
        errors[i] = at(c.follower) - c.position([at(t.axis) for t in c.leaders])
        for axis, g in c.row[0].items():
            J[i, first[axis.joint] + axis.index] += g
        if c.powers:
            x = at(c.leader) - c.reference
            slope = sum(k * p * x ** (k - 1) for k, p in enumerate(c.powers, start=2))
            J[i, first[c.leader.joint] + c.leader.index] -= slope
    return errors, J
