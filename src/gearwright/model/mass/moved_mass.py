"""Coordinates that move no mass, alone or together with others: the mass matrix is singular along them.

A coordinate has an equation of motion if it moves mass in a way that other coordinates cannot undo. Only links without
a full inertia matter: a link with mass and three moments always resists motion, whatever is beyond it. Axes that fail
get a small armature; joints that have no axes cannot be simulated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gearwright.model.joints import WORLD, AxisRef, Joint
from gearwright.model.layout.layout import turns_body
from gearwright.model.mass.inertia import SMALLEST_RADIUS, Inertia
from gearwright.model.poses import Array, Pose
from gearwright.model.transmissions import LinearTransmission
from gearwright.model.tree.kinematics import Configuration, link_poses, retract, subspace
from gearwright.model.tree.topology import Components, TreeBranch

if TYPE_CHECKING:
    from gearwright.model.couplings import Coupling
    from gearwright.model.mechanism import Mechanism

ASSUMED_ARMATURE = 1e-6  # of such axes [kg·m², kg]: nothing pulls at them, so that any would let them stand
ON_AXIS = 1e-12  # [m] from a turning axis, where a point mass does not resist it
POINT = 3e-14  # of mass times distance squared: smaller moments are rounding where a frame is turned (`tree.frames`)
DEPENDENT = 1e-5  # share of a motion that others cannot undo: what angles of five digits leave
NOTABLE = 1e-3  # share of a motion from which a coordinate is named for undoing it
WIDEST = 1000  # links without a full inertia that hang together and are looked at: a second's work


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A velocity coordinate of a joint of the tree."""

    joint: Joint
    index: int  # among the joint's velocities

    @property
    def axis(self) -> int | None:
        """Index among the joint's axes; None where the coordinate has none, and so no armature."""
        indices = self.joint.type.axis_coordinates
        return indices.index(self.index) if self.index in indices else None


@dataclass(frozen=True)
class MasslessCoordinate:
    """A coordinate without an equation of motion."""

    coordinate: Coordinate
    link: str  # that its joint carries
    undone_by: tuple[Coordinate, ...] = ()  # others that undo its motion; none where it moves no mass by itself
    everywhere: bool = True  # in other positions than the start, too

    @property
    def joint(self) -> Joint:
        return self.coordinate.joint

    @property
    def names(self) -> tuple[str, ...]:
        """Its joint, after those of the others."""
        return tuple(dict.fromkeys(c.joint.name for c in (*self.undone_by, self.coordinate)))

    @property
    def can_be_simulated(self) -> bool:
        return self.coordinate.axis is not None

    @property
    def armatures(self) -> tuple[str, ...]:
        """Coordinates that get an armature: all that move, so that none of them has next to no inertia."""
        moving = ((c.joint, c.axis) for c in (*self.undone_by, self.coordinate))
        return tuple(joint.axis_coordinates[axis] for joint, axis in moving if axis is not None)


def massless_coordinates(m: Mechanism) -> list[MasslessCoordinate]:
    """Those without an equation of motion, in the order of the tree."""
    bodies = _Bodies(m)
    settled = _settled(m)
    found: list[MasslessCoordinate] = []
    for group in bodies.suspicious():
        motion = _Motion(m, bodies, group, settled)
        dependent = motion.dependent(m.configuration())
        moved = {b.joint.name: b.joint for b in group}
        elsewhere = motion.dependent(_moved(m.configuration(), moved)) if dependent else {}
        links = {b.joint.name: b.link for b in group}
        for c, undone_by in dependent.items():
            found.append(MasslessCoordinate(c, links[c.joint.name], undone_by, c in elsewhere))
    place = {b.joint.name: i for i, b in enumerate(m.tree.branches)}
    return sorted(found, key=lambda u: (place[u.joint.name], u.coordinate.index))


def _moved(q: Configuration, joints: Mapping[str, Joint]) -> Configuration:
    """A position without symmetries."""
    rng = np.random.default_rng(7)
    return {n: retract(joints[n], x, rng.uniform(0.2, 0.9, joints[n].dof)) if n in joints else x for n, x in q.items()}


# --- axes with an inertia of their own --------------------------------------------------------------------------------


def _settled(m: Mechanism) -> set[AxisRef]:
    """Axes with an armature or a rotor, and leaders of such axes."""
    found = set(_with_rotors(m)) | set(_behind_curves(m))
    for joint in m.tree.joints:
        found |= {AxisRef(joint.name, i) for i, axis in enumerate(joint.axes) if axis.dynamics.armature > 0}
    for c in reversed(_exact(m)):
        if c.follower in found:
            found |= {t.axis for t in c.leaders if t.multiplier or any(c.powers)}
    return found


def _exact(m: Mechanism) -> list[Coupling]:
    return [c for c in m.couplings.ordered if c.mode == "exact"]


def _with_rotors(m: Mechanism) -> Iterator[AxisRef]:
    """Axes that a rotor turns with at a constant ratio; behind a backlash, it turns without them."""
    loose = {ref for t in m.acting.values() if t.backlash is not None for ref in t.joints}
    firm = {ref for t in m.acting.values() if t.backlash is None for ref in t.joints}
    firm |= {a.joint for a in m.actuators.values() if a.joint is not None and a.name not in m.acting}
    for axis, inertia in m.reflected_inertia().items():
        if inertia > 0 and (axis not in loose or axis in firm):
            yield axis


def _behind_curves(m: Mechanism) -> Iterator[AxisRef]:
    """Axes that a rotor turns with at a ratio that is not constant."""
    for name, t in m.acting.items():
        a, constant = m.actuators[name], isinstance(t.map, LinearTransmission)
        if a.rotor_inertia > 0 and not turns_body(a) and t.backlash is None and not constant:
            yield from t.joints


# --- links ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Resistance:
    """Mass and principal moments that a link surely has; their axes are those of a frame of its own."""

    mass: float
    moments: tuple[float, float, float]
    center: Array  # (3,), in the link's frame
    axes: Array  # (3, 3), a column each, in the link's frame

    @staticmethod
    def of(inertias: Sequence[Inertia]) -> list[_Resistance]:
        if not inertias:
            return []
        principal, axes = np.linalg.eigh(np.array([i.own_tensor() for i in inertias]))
        each = zip(inertias, principal.tolist(), axes, strict=True)
        return [_Resistance(i.mass, _sure(i, moments), i.center, i.pose.R @ R) for i, moments, R in each]

    @property
    def full(self) -> bool:
        return self.mass > 0 and min(self.moments) > 0

    @property
    def none(self) -> bool:
        return self.mass == 0 and not any(self.moments)


def _sure(inertia: Inertia, principal: list[float]) -> tuple[float, float, float]:
    """Principal moments without those that are rounding. Negative ones, reported elsewhere, count by their size."""
    x, y, z = inertia.center.tolist()
    least = max(POINT * (x * x + y * y + z * z), SMALLEST_RADIUS**2) * inertia.mass
    if max(inertia.moments) <= least:  # products alone are no inertia
        return (0.0, 0.0, 0.0)
    a, b, c = (abs(moment) if abs(moment) > least else 0.0 for moment in principal)
    return (a, b, c)


class _Bodies:
    """Links that fixed joints weld together, by the first of them."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self.of_link: dict[str, str] = {WORLD: WORLD}
        for b in m.tree.branches:
            self.of_link[b.link] = b.link if b.joint.dof else self.of_link[b.parent]
        names = [n for n in self.of_link if n != WORLD]
        self.resistances = dict(zip(names, _Resistance.of([m.links[n].inertia for n in names]), strict=True))
        self.full = {self.of_link[n] for n, r in self.resistances.items() if r.full} | {WORLD}
        self.above = {b.link: b for b in m.tree.branches if b.joint.dof}  # by body, what moves it

    def suspicious(self) -> Iterator[list[TreeBranch]]:
        """Joints around bodies without a full inertia, and those that exact couplings tie to them."""
        if self.above.keys() <= self.full:
            return
        together = Components()
        doubtful: set[str] = set()
        for b in self.above.values():
            for body in (b.link, self.of_link[b.parent]):
                if body not in self.full:
                    together.join(f"link {body}", b.joint.name)
                    doubtful.add(b.joint.name)
        for c in _exact(self.m):
            for t in c.leaders:
                together.join(c.follower.joint, t.axis.joint)
        roots = {together.root(name) for name in doubtful}
        groups: dict[str, list[TreeBranch]] = {}
        for b in self.above.values():
            root = together.root(b.joint.name)
            if root in roots:
                groups.setdefault(root, []).append(b)
        yield from (group for group in groups.values() if len(group) <= WIDEST)

    def resisting(self, group: list[TreeBranch]) -> dict[str, list[str]]:
        """Links with an inertia at either end of the joints, by body."""
        ends = {body for b in group for body in (b.link, self.of_link[b.parent])}
        found: dict[str, list[str]] = {}
        for link, body in self.of_link.items():
            if body in ends and body != WORLD and not self.resistances[link].none:
                found.setdefault(body, []).append(link)
        return found

    def path(self, body: str) -> Iterator[TreeBranch]:
        """Joints that move a body, down to the world."""
        while body != WORLD:
            yield self.above[body]
            body = self.of_link[self.above[body].parent]


# --- motions of a group -----------------------------------------------------------------------------------------------


class _Motion:
    """Velocities of the links around a group of joints, weighted by the square roots of their inertias."""

    def __init__(self, m: Mechanism, bodies: _Bodies, group: list[TreeBranch], settled: set[AxisRef]) -> None:
        self.m, self.bodies, self.group, self.settled = m, bodies, group, settled
        self.links = bodies.resisting(group)
        names = {b.joint.name for b in group}
        self.paths = {body: [b for b in bodies.path(body) if b.joint.name in names] for body in self.links}
        self.couplings = [c for c in _exact(m) if c.follower.joint in names]
        self.coordinates = {(b.joint.name, i): Coordinate(b.joint, i) for b in group for i in range(b.joint.dof)}

    def dependent(self, q: Configuration) -> dict[Coordinate, tuple[Coordinate, ...]]:
        """Coordinates whose motion others undo, with those; the ones that have an axis are asked last."""
        motions = self._independent(self._motions(q), q)
        kept: dict[Coordinate, Array] = {}  # with what the ones before leave of them, of length 1
        found: dict[Coordinate, tuple[Coordinate, ...]] = {}
        for c in sorted(motions, key=lambda c: c.axis is not None):
            left = motions[c]
            for _ in range(2):  # twice: what rounding leaves the first time
                for e in kept.values():
                    left = left - (e @ left) * e
            size = float(np.linalg.norm(left))
            if size > DEPENDENT * float(np.linalg.norm(motions[c])):
                kept[c] = left / size
            else:
                found[c] = _undone_by({k: motions[k] for k in kept}, motions[c])
        return found

    def _motions(self, q: Configuration) -> dict[Coordinate, Array]:
        """By coordinate, the velocities of all links at unit speed."""
        poses = link_poses(self.m.tree, q)
        links = [(link, body) for body, links in self.links.items() for link in links]
        motions = {c: np.zeros(6 * len(links)) for c in self.coordinates.values()}
        twists = {b.joint.name: _twists(b, poses, q) for b in self.group}
        for row, (link, body) in enumerate(links):
            for b in self.paths[body]:
                shares = _weighted(self.bodies.resistances[link], poses[link], *twists[b.joint.name])
                for i, share in enumerate(shares.T):
                    motions[self.coordinates[b.joint.name, i]][6 * row : 6 * row + 6] = share
        return motions

    def _independent(self, motions: dict[Coordinate, Array], q: Configuration) -> dict[Coordinate, Array]:
        """Without followers, whose motion is their leaders', and without axes that have an inertia of their own.

        Each of size 1: masses may be of any size.
        """
        by_axis = {AxisRef(c.joint.name, c.axis): c for c in motions if c.axis is not None}
        for coupling in reversed(self.couplings):
            if not by_axis.keys() >= {coupling.follower, *(t.axis for t in coupling.leaders)}:
                continue  # of a loop-closing joint, which is no coordinate
            slopes = coupling.slopes([q[t.axis.joint][t.axis.index] for t in coupling.leaders])
            follower = motions.pop(by_axis[coupling.follower])
            for t, slope in zip(coupling.leaders, slopes, strict=True):
                at_dead_point = not coupling.linear and not slope  # elsewhere it moves
                ratio = 1.0 if at_dead_point else float(slope)
                motions[by_axis[t.axis]] = motions[by_axis[t.axis]] + ratio * follower
        own = {by_axis[axis] for axis in self.settled if axis in by_axis}
        sizes = {c: float(np.abs(motion).max(initial=0.0)) for c, motion in motions.items() if c not in own}
        return {c: motions[c] / size if size else motions[c] for c, size in sizes.items()}


def _undone_by(others: Mapping[Coordinate, Array], motion: Array) -> tuple[Coordinate, ...]:
    """Those that it takes to make the same motion, with more than rounding."""
    whole = float(np.linalg.norm(motion))
    if not others or not whole:
        return ()
    A = np.stack(list(others.values()), axis=1)
    shares = np.linalg.lstsq(A, motion, rcond=None)[0] * np.linalg.norm(A, axis=0)
    return tuple(c for c, x in zip(others, shares, strict=True) if abs(x) > NOTABLE * whole)


def _twists(b: TreeBranch, poses: Mapping[str, Pose], q: Configuration) -> tuple[Array, Array, Array]:
    """Angular velocities by coordinate of a joint, and velocities of its origin, (3, dof); the origin. World axes."""
    X_WJ = poses[b.joint.parent] @ b.joint.X_PJ
    S = subspace(b.joint, q[b.joint.name])
    return X_WJ.R @ S[:3], X_WJ.R @ S[3:], X_WJ.p


def _weighted(r: _Resistance, X_WL: Pose, spin: Array, velocity: Array, origin: Array) -> Array:
    """Velocity of the centre of mass and angular velocity of a link, (6, dof); what is rounding is zero."""
    arm = X_WL.R @ r.center + X_WL.p - origin
    v = velocity + np.cross(spin, arm, axis=0)
    w = (X_WL.R @ r.axes).T @ spin
    v = np.where(np.linalg.norm(v, axis=0) > ON_AXIS, v, 0.0)
    w = np.where(np.abs(w) > ON_AXIS, w, 0.0)
    return np.vstack([np.sqrt(r.mass) * v, np.sqrt(np.array(r.moments))[:, None] * w])
