"""How many independent freedoms a mechanism has, and whether its loops close.

The rows of all loop closures and couplings are stacked over the velocities of the tree and of the cut joints;
freedoms are the columns less the rank. At a special pose (a flat four-bar) the rank drops, so that it is taken at
a nearby pose in general position that Newton's method assembles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.kinematics import Configuration, carried, link_poses, retract, small_twist, subspace
from gearwright.model.poses import Array
from gearwright.model.topology import Branch, Tree

_RANK_TOLERANCE = 1e-7  # relative; central differences are good to 1e-10


def degrees_of_freedom(tree: Tree, couplings: Iterable[Coupling], q: Configuration) -> int:
    rows = list(couplings)
    columns = sum(j.dof for j in (*tree.joints, *tree.cuts))
    tangled = _Tangle.of(tree, rows)
    free = [c for c in rows if c.follower.joint not in tangled.first]  # each takes off its follower, and no more
    if not tangled.joints:
        return columns - len(free)
    poses = [q, tangled.general_position(q)] if tangled.cuts else [q]
    return columns - len(free) - max(_rank(tangled.rows(pose)[1]) for pose in poses)


def _rank(J: Array) -> int:
    if not J.size:
        return 0
    scale = np.linalg.norm(J, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(J / np.where(scale > 0, scale, 1.0), tol=_RANK_TOLERANCE))


@dataclass(frozen=True, kw_only=True)
class _Tangle:
    """What a rank is needed for: the joints on loops, those coupled with them, and followers of several couplings."""

    tree: Tree  # the branches that lead to the loops
    cuts: tuple[Joint, ...]
    couplings: list[Coupling]
    joints: list[Joint]  # columns
    first: dict[str, int]  # joint → its first column

    @staticmethod
    def of(tree: Tree, couplings: list[Coupling]) -> _Tangle:
        by_link = {b.link: b for b in tree.branches}
        ends = [end for cut in tree.cuts for end in (cut.parent, cut.child)]
        needed = {b.link for end in ends for b in _path(by_link, end)}
        names = {j.name for j in tree.cuts} | {by_link[link].joint.name for link in needed}
        followers = Counter(c.follower for c in couplings)
        names |= {a.joint for a, n in followers.items() if n > 1}
        names, inside = _with_coupled(names, couplings)
        joints = [j for j in (*tree.joints, *tree.cuts) if j.name in names]
        first = dict(zip((j.name for j in joints), accumulate((j.dof for j in joints), initial=0), strict=False))
        branches = tuple(b for b in tree.branches if b.link in needed)
        leading = Tree(branches=branches, cuts=tree.cuts)
        return _Tangle(tree=leading, cuts=tree.cuts, couplings=inside, joints=joints, first=first)

    def general_position(self, q: Configuration) -> Configuration:
        """A pose away from symmetric ones, as nearly closed as Newton's method gets it."""
        rng = np.random.default_rng(7)
        moved = dict(q) | {j.name: retract(j, q[j.name], 0.05 * rng.standard_normal(j.dof)) for j in self.joints}
        for _ in range(20):
            error, J = self.rows(moved)
            if np.abs(error).max(initial=0.0) < 1e-12:
                break
            dv: Array = np.asarray(-np.linalg.lstsq(J, error, rcond=1e-9)[0], dtype=np.float64)
            for j in self.joints:
                at = self.first[j.name]
                moved[j.name] = retract(j, moved[j.name], dv[at : at + j.dof])
        return moved

    def rows(self, q: Configuration) -> tuple[Array, Array]:
        """Errors and their Jacobian over the velocities of `joints`: six rows a loop, one a coupling."""
        blocks = [*self._loop_rows(q), self._coupling_rows(q)]
        return np.concatenate([e for e, _ in blocks]), np.vstack([J for _, J in blocks])

    def _loop_rows(self, q: Configuration) -> Iterator[tuple[Array, Array]]:
        X_W = link_poses(self.tree, q)
        by_link = {b.link: b for b in self.tree.branches}
        width = sum(j.dof for j in self.joints)
        for cut in self.cuts:
            X_WJ = X_W[cut.parent] @ cut.X_PJ
            J = np.zeros((6, width))
            for end, sign in ((cut.child, 1.0), (cut.parent, -1.0)):
                for b in _path(by_link, end):  # what both ends share cancels
                    j = b.joint
                    S = carried(X_W[j.parent] @ j.X_PJ, subspace(j, q[j.name]))
                    J[:, self.first[j.name] : self.first[j.name] + j.dof] += -sign * S if b.backward else sign * S
            J[:, self.first[cut.name] : self.first[cut.name] + cut.dof] -= carried(X_WJ, subspace(cut, q[cut.name]))
            yield small_twist((X_W[cut.child] @ cut.X_CJ) @ (X_WJ @ cut.motion(q[cut.name])).inverse()), J

    def _coupling_rows(self, q: Configuration) -> tuple[Array, Array]:
        J = np.zeros((len(self.couplings), sum(j.dof for j in self.joints)))
        errors = np.zeros(len(self.couplings))

        def at(axis: AxisRef) -> float:
            return q[axis.joint][axis.index]

        for i, c in enumerate(self.couplings):
            errors[i] = at(c.follower) - c.position([at(t.axis) for t in c.leaders])
            for axis, g in c.row[0].items():
                J[i, self.first[axis.joint] + axis.index] += g
            if c.powers:
                x = at(c.leader) - c.reference
                J[i, self.first[c.leader.joint] + c.leader.index] -= c.slope(x)
        return errors, J


def _path(by_link: Mapping[str, Branch], link: str) -> Iterator[Branch]:
    """The branches from a link to the world."""
    while link in by_link:
        yield by_link[link]
        link = by_link[link].parent


def _with_coupled(names: set[str], couplings: list[Coupling]) -> tuple[set[str], list[Coupling]]:
    """Adds all joints that couplings tie to these, however far; and those couplings."""
    touching: dict[str, list[Coupling]] = {}
    for c in couplings:
        for axis in (c.follower, *(t.axis for t in c.leaders)):
            touching.setdefault(axis.joint, []).append(c)
    found, todo, inside = set(names), list(names), {}
    while todo:
        for c in touching.get(todo.pop(), ()):
            inside[c.name] = c
            for axis in (c.follower, *(t.axis for t in c.leaders)):
                if axis.joint not in found:
                    found.add(axis.joint)
                    todo.append(axis.joint)
    return found, list(inside.values())
