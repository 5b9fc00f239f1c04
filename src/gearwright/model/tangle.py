"""The joints of closed loops and what couplings tie to them: errors and Jacobians of all their rows, in numbers.

Six rows a loop, in the frame of the joint where it is cut, over the velocities of the tree and of that joint; one row a
coupling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.kinematics import Configuration, carried, retract, small_twist, subspace
from gearwright.model.poses import IDENTITY, Array, Pose
from gearwright.model.topology import Branch, Components, Tree

# Files write π/2 as 1.57, which is 8e-4 off, and no mechanism's freedom hangs on an angle of a milliradian.
ALIGNED = 1e-3  # of the unit that a joint moves by [rad, or lengths of the loop]
POSES = 4  # in general position: what holds in all of them holds everywhere
STRAY = 0.3  # how far they are from the start [rad, lengths of the loop]
ATTEMPTS = 60
STILL = 1e-10  # a Newton move that ends them


@dataclass(frozen=True, kw_only=True)
class Tangle:
    """The joints on loops, those coupled with them, and followers of several couplings."""

    tree: Tree  # the branches that lead to the loops
    cuts: tuple[Joint, ...]
    couplings: list[Coupling]
    joints: list[Joint]  # columns
    first: dict[str, int]  # joint → its first column

    @staticmethod
    def of(tree: Tree, couplings: list[Coupling]) -> Tangle:
        by_link = {b.link: b for b in tree.branches}
        needed = {b.link for cut in tree.cuts for _, b in _around(by_link, cut)}
        names = {j.name for j in tree.cuts} | {by_link[link].joint.name for link in needed}
        followers = Counter(c.follower for c in couplings)
        names |= {a.joint for a, n in followers.items() if n > 1}
        names, inside = _with_coupled(names, couplings)
        joints = [j for j in (*tree.joints, *tree.cuts) if j.name in names]
        first = dict(zip((j.name for j in joints), accumulate((j.dof for j in joints), initial=0), strict=False))
        around = Tree(branches=tuple(b for b in tree.branches if b.link in needed), cuts=tree.cuts)
        return Tangle(tree=around, cuts=tree.cuts, couplings=inside, joints=joints, first=first)

    def parts(self) -> Iterator[Tangle]:
        """Independent parts: loops that share joints, or are coupled, stay together."""
        together = Components()
        by_link = {b.link: b for b in self.tree.branches}
        around = {cut.name: [b for _, b in _around(by_link, cut)] for cut in self.cuts}
        for cut in self.cuts:
            for b in around[cut.name]:
                together.join(cut.name, b.joint.name)
        for c in self.couplings:
            for t in c.leaders:
                together.join(c.follower.joint, t.axis.joint)
        for root in dict.fromkeys(together.root(j.name) for j in self.joints):
            joints = [j for j in self.joints if together.root(j.name) == root]
            cuts = tuple(cut for cut in self.cuts if together.root(cut.name) == root)
            links = {b.link for cut in cuts for b in around[cut.name]}
            yield Tangle(
                tree=Tree(branches=tuple(b for b in self.tree.branches if b.link in links), cuts=cuts),
                cuts=cuts,
                couplings=[c for c in self.couplings if together.root(c.follower.joint) == root],
                joints=joints,
                first=dict(zip((j.name for j in joints), accumulate((j.dof for j in joints), initial=0), strict=False)),
            )

    @property
    def width(self) -> int:
        return sum(j.dof for j in self.joints)

    def column(self, axis: AxisRef) -> int:
        return self.first[axis.joint] + axis.index

    # --- poses -----------------------------------------------------------------------------------------------------

    def closed(self, q: Configuration, couplings: Sequence[Coupling]) -> Configuration | None:
        """The pose nearby where loops close and couplings hold, by Newton's method; None if it finds none.

        It moves in the directions that the rows surely look along: a file's rounding opens loops a little in others.
        """
        if self._is_closed(q, couplings):  # as most files have them: without a Jacobian
            return q
        for _ in range(ATTEMPTS):
            error, J, unit = self.scaled_rows(q, couplings)
            if not np.isfinite(error).all():
                return None
            dv = -np.linalg.lstsq(J, error, rcond=ALIGNED)[0]
            largest = np.abs(dv).max(initial=0.0)
            q = self.moved(q, dv / unit * min(1.0, STRAY / max(largest, STILL)))
            if largest < STILL:  # what is left is the file's rounding, or there is no way on
                return q if np.abs(error).max(initial=0.0) < ALIGNED else None
        return None

    def general_positions(self, start: Configuration, couplings: Sequence[Coupling]) -> list[Configuration]:
        """The start, where loops are closed, and poses away from symmetric ones where they are, too."""
        rng = np.random.default_rng(7)
        found = [start]
        _, J, unit = self.scaled_rows(start, couplings)
        for _ in range(POSES):
            away = rng.uniform(-STRAY, STRAY, self.width)
            away -= np.linalg.lstsq(J, J @ away, rcond=ALIGNED)[0]
            away *= STRAY / max(np.abs(away).max(initial=0.0), STILL)
            pose = self.closed(self.moved(start, away / unit), couplings)
            found += [pose] if pose is not None else []
        return found

    def moved(self, q: Configuration, dv: Array) -> Configuration:
        """q ⊕ dv."""
        columns = ((j, self.first[j.name]) for j in self.joints)
        return dict(q) | {j.name: retract(j, q[j.name], dv[at : at + j.dof]) for j, at in columns}

    # --- rows ------------------------------------------------------------------------------------------------------

    def scaled_rows(self, q: Configuration, couplings: Sequence[Coupling]) -> tuple[Array, Array, Array]:
        """Errors, six of each loop and one of each coupling, and their Jacobian over the velocities of `joints`.

        Without units: lengths by those of their loop, each velocity by what it moves there, which is given, too.
        """
        blocks = [(error / scale, J / scale[:, None]) for error, J, scale in self._loop_rows(q)]
        unit = np.max([np.hypot(*np.linalg.norm(J.reshape(2, 3, -1), axis=1)) for _, J in blocks], axis=0, initial=0.0)
        unit = np.where(unit > 0, unit, 1.0) * np.ones(self.width)
        errors, G = self._coupling_rows(q, couplings)
        G = G / unit
        length = np.linalg.norm(G, axis=1)
        blocks.append((errors / length, G * unit / length[:, None]))
        return np.concatenate([e for e, _ in blocks]), np.vstack([J for _, J in blocks]) / unit, unit

    def size(self, q: Configuration) -> float:
        """The largest loop's [m]."""
        return max((float(scale[-1]) for _, _, scale in self._loop_rows(q)), default=1.0)

    def _is_closed(self, q: Configuration, couplings: Sequence[Coupling]) -> bool:
        X = self._link_poses(q)
        apart = (small_twist(self._across(X, cut, q)) for cut in self.cuts)
        loops = all(np.abs(error).max() < STILL for error in apart)
        return loops and all(abs(coupling_error(c, q)) < STILL for c in couplings)

    def _link_poses(self, q: Configuration) -> dict[str, Pose]:
        """In the frame of the link that carries the whole loop."""
        X: dict[str, Pose] = {}
        for b in self.tree.branches:
            X[b.link] = X.get(b.parent, IDENTITY) @ b.X_PL(q[b.joint.name])
        return X

    def _across(self, X: Mapping[str, Pose], cut: Joint, q: Configuration) -> Pose:
        """From one side of a cut to the other; the identity where the loop is closed."""
        X_K = X.get(cut.parent, IDENTITY) @ cut.X_PJ @ cut.motion(q[cut.name])
        return X_K.inverse() @ (X.get(cut.child, IDENTITY) @ cut.X_CJ)

    def _loop_rows(self, q: Configuration) -> Iterator[tuple[Array, Array, Array]]:
        """By loop: errors, rows and their units: three angles, then three lengths, in its cut's frame."""
        X = self._link_poses(q)
        by_link = {b.link: b for b in self.tree.branches}
        for cut in self.cuts:
            X_J = X.get(cut.parent, IDENTITY) @ cut.X_PJ
            X_K = (X_J @ cut.motion(q[cut.name])).inverse()
            J = np.zeros((6, self.width))
            for sign, b in _around(by_link, cut):
                j = b.joint
                S = carried(X.get(j.parent, IDENTITY) @ j.X_PJ, subspace(j, q[j.name]))
                J[:, self.first[j.name] : self.first[j.name] + j.dof] += -sign * S if b.backward else sign * S
            J[:, self.first[cut.name] : self.first[cut.name] + cut.dof] -= carried(X_J, subspace(cut, q[cut.name]))
            J, error = carried(X_K, J), small_twist(self._across(X, cut, q))
            turning, sliding = np.linalg.norm(J.reshape(2, 3, -1), axis=1)
            size = float(sliding[turning > 0].max(initial=0.0)) or 1.0
            yield error, J, np.repeat([1.0, size], 3)

    def _coupling_rows(self, q: Configuration, couplings: Sequence[Coupling]) -> tuple[Array, Array]:
        J = np.zeros((len(couplings), self.width))
        errors = np.zeros(len(couplings))
        for i, c in enumerate(couplings):
            errors[i] = coupling_error(c, q)
            J[i, self.column(c.follower)] += 1.0
            slopes = c.slopes([q[t.axis.joint][t.axis.index] for t in c.leaders])
            for t, slope in zip(c.leaders, slopes, strict=True):
                J[i, self.column(t.axis)] -= slope
        return errors, J


def coupling_error(c: Coupling, q: Configuration) -> float:
    """C."""

    def at(axis: AxisRef) -> float:
        return q[axis.joint][axis.index]

    return at(c.follower) - float(c.position([at(t.axis) for t in c.leaders]))


def _around(by_link: Mapping[str, Branch], cut: Joint) -> list[tuple[float, Branch]]:
    """The branches of a loop from its cut to the link that carries both sides: the child's positive."""
    sides = [list(_path(by_link, end)) for end in (cut.parent, cut.child)]
    while sides[0] and sides[1] and sides[0][-1] is sides[1][-1]:  # what both sides share moves them alike
        for side in sides:
            side.pop()
    return [*((-1.0, b) for b in sides[0]), *((1.0, b) for b in sides[1])]


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
    order = {c.name: i for i, c in enumerate(couplings)}
    return found, sorted(inside.values(), key=lambda c: order[c.name])
