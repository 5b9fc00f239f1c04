"""Closed loops and the couplings tied to them: errors, Jacobians and assembled poses, in numbers.

Six rows per loop, in the frame of the joint that closes it, over the velocities of the tree and of that joint; one row
per coupling. `mobility` decides by them which rows hold and what moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import isfinite
from typing import NamedTuple

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.poses import IDENTITY, Array, Pose
from gearwright.model.tree.kinematics import Configuration, carried, retract, small_twist, subspace
from gearwright.model.tree.topology import Components, Tree, TreeBranch

# Files write π/2 as 1.57, which is 8e-4 off, and no degree of freedom depends on an angle of a milliradian.
ALIGNED = 1e-3  # [rad, lengths of the loop] singular values below this, per unit of motion, are a file's rounding
POSES = 4  # assembled, in general directions
STRAY = 0.3  # [rad, lengths of the loop] how far a pose to be assembled is from the start
FAR = 3.0  # times STRAY: an assembled pose that is further from the start is another assembly
ATTEMPTS = 60  # Newton moves at most
STILL = 1e-10  # [rad, lengths of the loop] a Newton move that ends them


class Rows(NamedTuple):
    """Dimensionless: lengths by those of their loop, each velocity by what it moves there."""

    error: Array
    J: Array
    unit: Array  # of each velocity


class LoopPose(NamedTuple):
    """A pose at which loops are closed, and by joint, how far that is from the start [rad, lengths of the loop]."""

    pose: Configuration
    aimed: Mapping[str, float]  # where the pose was looked for
    went: Mapping[str, float]  # where it was found


@dataclass(frozen=True, kw_only=True)
class LoopSystem:
    """The joints on loops, those coupled with them, and followers of several couplings."""

    tree: Tree  # the branches that lead to the loops
    cuts: tuple[Joint, ...]
    couplings: list[Coupling]
    joints: list[Joint]  # columns
    first: dict[str, int]  # joint → its first column

    @staticmethod
    def of(tree: Tree, couplings: list[Coupling]) -> LoopSystem:
        by_link = {b.link: b for b in tree.branches}
        needed = {b.link for cut in tree.cuts for _, b in _around(by_link, cut)}
        names = {j.name for j in tree.cuts} | {by_link[link].joint.name for link in needed}
        followers = Counter(c.follower for c in couplings)
        names |= {a.joint for a, n in followers.items() if n > 1}
        names, inside = _with_coupled(names, couplings)
        joints = [j for j in (*tree.joints, *tree.cuts) if j.name in names]
        around = Tree(branches=tuple(b for b in tree.branches if b.link in needed), cuts=tree.cuts)
        return LoopSystem(tree=around, cuts=tree.cuts, couplings=inside, joints=joints, first=_first_columns(joints))

    def parts(self) -> Iterator[LoopSystem]:
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
            yield LoopSystem(
                tree=Tree(branches=tuple(b for b in self.tree.branches if b.link in links), cuts=cuts),
                cuts=cuts,
                couplings=[c for c in self.couplings if together.root(c.follower.joint) == root],
                joints=joints,
                first=_first_columns(joints),
            )

    def with_cuts(self, cuts: Sequence[Joint]) -> LoopSystem:
        """The same with other joints in the place of those that close loops, by name."""
        by_name = {cut.name: cut for cut in cuts}
        joints = [by_name.get(j.name, j) for j in self.joints]
        tree = Tree(branches=self.tree.branches, cuts=tuple(cuts))
        return replace(self, tree=tree, cuts=tuple(cuts), joints=joints, first=_first_columns(joints))

    @property
    def width(self) -> int:
        return sum(j.dof for j in self.joints)

    def column(self, axis: AxisRef) -> int:
        return self.first[axis.joint] + axis.index

    # --- poses -----------------------------------------------------------------------------------------------------

    def closed(self, q: Configuration, couplings: Sequence[Coupling]) -> Configuration | None:
        """The pose nearby where loops close and couplings hold, by Newton's method; None if it finds none.

        It moves only in the directions that the rows clearly constrain: in others, a file's rounding opens loops a
        little.
        """
        if self._is_closed(q, couplings):  # as most files have them: without a Jacobian
            return q
        for _ in range(ATTEMPTS):
            error, J, unit = self.scaled_rows(q, couplings)
            if not np.isfinite(error).all():
                return None
            dv = -least_squares(J, error)
            largest = np.abs(dv).max(initial=0.0)
            q = self.moved(q, dv / unit * min(1.0, STRAY / max(largest, STILL)))
            if largest < STILL:  # what is left is the file's rounding, or there is no way on
                return q if np.abs(error).max(initial=0.0) < ALIGNED else None
        return None

    def general_samples(self, start: Configuration, couplings: Sequence[Coupling]) -> list[LoopPose]:
        """Assembled poses away from symmetric ones: what holds in all of them holds everywhere."""
        return self.assembled_along(start, self.general_directions, couplings)

    @property
    def general_directions(self) -> list[Array]:
        rng = np.random.default_rng(7)
        return [rng.uniform(-1.0, 1.0, self.width) for _ in range(POSES)]

    def assembled_along(
        self, start: Configuration, directions: Sequence[Array], couplings: Sequence[Coupling],
        joints: Sequence[str] | None = None,
    ) -> list[LoopPose]:  # fmt: skip
        """Assembled poses near the start: along directions, until one of these joints has moved by STRAY; closed again.

        Directions are projected onto what the rows leave free at the start. A pose that is found far from there is
        another assembly, and is left out.
        """
        rows, size, found = self.scaled_rows(start, couplings), self.size(start), []
        free_at_start = null_space(rows.J)
        leading = self.mask([j.name for j in self.joints] if joints is None else joints)
        for direction in directions:
            free = direction @ free_at_start.T @ free_at_start
            largest = np.abs(free * leading).max(initial=0.0)
            if largest < STILL:
                continue
            aim = self.moved(start, free / rows.unit * (STRAY / largest))
            pose = self.closed(aim, couplings)
            aimed, went = (self._motions(start, q, size) if q is not None else {} for q in (aim, pose))
            if pose is not None and all(went[name] < FAR * max(STRAY, aimed[name]) for name in went):
                found.append(LoopPose(pose, aimed, went))
        return found

    def moved(self, q: Configuration, dv: Array) -> Configuration:
        """q ⊕ dv."""
        columns = ((j, self.first[j.name]) for j in self.joints)
        return dict(q) | {j.name: retract(j, q[j.name], dv[at : at + j.dof]) for j, at in columns}

    def _motions(self, one: Configuration, other: Configuration, size: float) -> dict[str, float]:
        """By joint, how far it goes from one pose to another [rad, lengths of that size]."""
        found = {}
        for j in self.joints:
            X = j.motion(one[j.name]).inverse() @ j.motion(other[j.name])
            turn = np.linalg.norm(X.R - np.eye(3)) / np.sqrt(2.0)  # twice the sine of half the angle
            found[j.name] = float(np.hypot(turn, np.linalg.norm(X.p) / size))
        return found

    @property
    def limited(self) -> list[str]:
        """Joints with stops at both ends."""
        return [j.name for j in self.joints if any(isfinite(a.limits.upper - a.limits.lower) for a in j.axes)]

    def within_limits(self, q: Configuration) -> bool:
        """Whether no axis is beyond its stops."""
        last = ((j, q[j.name][len(q[j.name]) - len(j.axes) :]) for j in self.joints)
        return all(a.limits.lower <= x <= a.limits.upper for j, own in last for a, x in zip(j.axes, own, strict=True))

    # --- joints of a loop ------------------------------------------------------------------------------------------

    def loop_joints(self, cut: Joint) -> list[str]:
        """The joints of the tree that a loop goes through."""
        return [b.joint.name for _, b in _around({b.link: b for b in self.tree.branches}, cut)]

    def mask(self, joints: Iterable[str]) -> Array:
        """1 at the velocities of these joints, 0 at others."""
        found = np.zeros(self.width)
        named = set(joints)
        for j in self.joints:
            found[self.first[j.name] : self.first[j.name] + j.dof] = float(j.name in named)
        return found

    # --- rows ------------------------------------------------------------------------------------------------------

    def scaled_rows(self, q: Configuration, couplings: Sequence[Coupling]) -> Rows:
        """Errors, six of each loop and one of each coupling, and their Jacobian over the velocities of `joints`."""
        blocks = [(error / scale, J / scale[:, None]) for error, J, scale in self._loop_rows(q)]
        errors, G = self._coupling_rows(q, couplings)
        unit = self._unit([J for _, J in blocks], self._coupling_rows(q, self.couplings)[1])
        length = np.linalg.norm(G / unit, axis=1)
        blocks.append((errors / length, G / length[:, None]))
        return Rows(np.concatenate([e for e, _ in blocks]), np.vstack([J for _, J in blocks]) / unit, unit)

    def _unit(self, loops: Sequence[Array], G: Array) -> Array:
        """Motion in the loops per velocity; of joints outside them, through couplings."""
        moves = [np.hypot(*np.linalg.norm(J.reshape(2, 3, -1), axis=1)) for J in loops]
        unit: Array = np.max(moves, axis=0, initial=0.0) * np.ones(self.width)
        for _ in range(len(G)):  # as often as couplings may follow each other
            for row in np.abs(G):
                known, others = (unit > 0) & (row > 0), (unit == 0) & (row > 0)
                if known.any() and others.any():
                    unit[others] = row[others] * np.max(unit[known] / row[known])
        return np.where(unit > 0, unit, 1.0)

    def closing_rows(self, q: Configuration, unit: Array) -> list[tuple[Array, Array]]:
        """By loop: the rows of `JointKind.closing`, and those that read the velocities of the joint that closes it.

        Dimensionless, over the velocities of `joints` by their unit. Together they say what the loop's six rows say.
        """
        found = []
        for cut, (_, J, scale) in zip(self.cuts, self._loop_rows(q), strict=True):
            R = cut.motion(q[cut.name]).R
            to_parent = np.kron(np.eye(2), R)  # axes
            rows = np.array([row.direction(R) / scale[3 * row.slides] for row in cut.type.closing(cut)])
            own = self.mask([cut.name]) > 0
            scaled = J / scale[:, None] / unit
            reading = np.linalg.pinv(scaled[:, own]) @ scaled
            found.append((rows.reshape(-1, 6) @ to_parent @ np.where(own, 0.0, J / unit), reading))
        return found

    def coupling_rows(self, q: Configuration, couplings: Sequence[Coupling], unit: Array) -> Array:
        """Rows of unit length, over the velocities of `joints` by their unit."""
        G = self._coupling_rows(q, couplings)[1] / unit
        rows: Array = G / np.linalg.norm(G, axis=1, keepdims=True)
        return rows

    def unit(self, q: Configuration) -> Array:
        """Motion in the loops per velocity [1, lengths of the loop]."""
        return self.scaled_rows(q, ()).unit

    def size(self, q: Configuration) -> float:
        """The largest loop's [m]."""
        return max(self.sizes(q).values(), default=1.0)

    def sizes(self, q: Configuration) -> dict[str, float]:
        """By joint that closes a loop: its largest lever [m]."""
        rows = zip(self.cuts, self._loop_rows(q), strict=True)
        return {cut.name: float(scale[-1]) for cut, (_, _, scale) in rows}

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


def _first_columns(joints: Sequence[Joint]) -> dict[str, int]:
    return dict(zip((j.name for j in joints), accumulate((j.dof for j in joints), initial=0), strict=False))


# --- rank ------------------------------------------------------------------------------------------------------------


def least_squares(J: Array, error: Array) -> Array:
    """The smallest move with `J·move = error`, in the directions that the rows clearly constrain."""
    U, s, V = np.linalg.svd(J, full_matrices=False)
    sure = _sure(s)
    move: Array = V[sure].T @ ((U[:, sure].T @ error) / s[sure])
    return move


def null_space(J: Array) -> Array:
    """Directions that the rows leave free up to a file's rounding, as rows of unit length."""
    _, s, V = np.linalg.svd(J)
    free: Array = V[int(_sure(s).sum()) :]
    return free


def rank(J: Array) -> int:
    """Number of directions that the rows clearly constrain."""
    return int(J.shape[1]) - len(null_space(J))


def _sure(singular: Array) -> Array:
    sure: Array = singular > ALIGNED * max(1.0, singular.max(initial=0.0))
    return sure


def coupling_error(c: Coupling, q: Configuration) -> float:
    """C."""

    def at(axis: AxisRef) -> float:
        return q[axis.joint][axis.index]

    return at(c.follower) - float(c.position([at(t.axis) for t in c.leaders]))


def _around(by_link: Mapping[str, TreeBranch], cut: Joint) -> list[tuple[float, TreeBranch]]:
    """The branches of a loop from its cut to the link that carries both sides: the child's positive."""
    sides = [list(_path(by_link, end)) for end in (cut.parent, cut.child)]
    while sides[0] and sides[1] and sides[0][-1] is sides[1][-1]:  # what both sides share moves them alike
        for side in sides:
            side.pop()
    return [*((-1.0, b) for b in sides[0]), *((1.0, b) for b in sides[1])]


def _path(by_link: Mapping[str, TreeBranch], link: str) -> Iterator[TreeBranch]:
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
