"""Coordinates that move no mass: they have no equation of motion. Axes among them get a small armature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gearwright.model.inertia import Inertia
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.kinematics import link_poses
from gearwright.model.layout import turns_body
from gearwright.model.poses import Array, Pose
from gearwright.model.topology import Branch
from gearwright.model.transmissions import LinearTransmission

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

ASSUMED_ARMATURE = 1e-6  # of such axes [kg·m², kg]: nothing pulls at them, so that any would let them stand
ON_AXIS = 1e-12  # [m] from a turning axis, where a point mass does not resist it
POINT = 3e-14  # of mass times distance squared: smaller moments are rounding where a frame is turned (`tree.frames`)


def massless_joints(m: Mechanism) -> Iterator[tuple[Joint, str]]:
    """Joints of the tree with a coordinate that moves no mass, and the link that each carries."""
    found: dict[str, tuple[Joint, str]] = {}
    moved = set(_with_rotors(m)) | set(_behind_curves(m))
    carried = _Carried(m)
    for b in m.tree.branches:
        if b.link in carried.standing:
            continue
        turns, slides = carried.resists(b)
        if turns and slides:
            moved |= set(b.joint.refs)
            continue
        for i, part in enumerate(b.joint.type.velocities):
            sliding = b.joint.type.slides(part)
            own = [a for a, k in zip(b.joint.axes, b.joint.type.axis_coordinates, strict=True) if k == i]
            armature = any(axis.dynamics.armature > 0 for axis in own)
            screws = b.joint.type.travels and b.joint.thread_pitch and slides
            if (slides if sliding else turns) or armature or screws:
                moved |= set(b.joint.refs[i : i + 1])
            elif not (b.joint.refs and b.joint.refs[i] in moved):
                found.setdefault(b.joint.name, (b.joint, b.link))
    moving = _with_leaders(m, moved)
    for joint, link in found.values():
        if not joint.refs or not all(ref in moving for ref in joint.refs):
            yield joint, link


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


def _with_leaders(m: Mechanism, moved: set[AxisRef]) -> set[AxisRef]:
    """With the leaders of exact couplings, whose followers' mass they move; a follower has no equation of its own."""
    moving = set(moved)
    exact = [c for c in m.couplings.values() if c.mode == "exact"]
    for _ in exact:
        leaders = {t.axis for c in exact if c.follower in moving for t in c.leaders if t.multiplier or any(c.powers)}
        if leaders <= moving:
            break
        moving |= leaders
    return moving | {c.follower for c in exact}


def _standing_rotors(m: Mechanism) -> Iterator[str]:
    """Rotors without gears on the link that their joint moves: they turn against it, and stand."""
    parents = {b.link: b.parent for b in m.tree.branches}
    carried = {b.joint.name: b.link for b in m.tree.branches}
    for ref in m.layout.rotors.values():
        c = m.couplings.get(ref.joint)  # a rotor's link, joint and coupling have one name
        direct = c is not None and [t.multiplier for t in c.leaders] == [1.0]
        if c is not None and direct and carried.get(c.leaders[0].axis.joint) == parents.get(ref.joint):
            yield ref.joint


def _has_moments(inertia: Inertia) -> bool:
    """Whether a link is more than a point mass."""
    arm = sum(x * x for x in inertia.center)
    return any(x > POINT * inertia.mass * arm for x in inertia.moments)


class _Carried:
    """Descendants of each link of the tree."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self.mass = {n: link.inertia.mass > 0 for n, link in m.links.items()}
        self.moment = {n: _has_moments(link.inertia) for n, link in m.links.items()}
        self.children: dict[str, list[str]] = {}
        for b in reversed(m.tree.branches):
            self.children.setdefault(b.parent, []).append(b.link)
            for carried in (self.mass, self.moment):
                carried[b.parent] = carried.get(b.parent, False) or carried[b.link]
        self.standing = set(_standing_rotors(m))
        self._poses: dict[str, Pose] | None = None

    def resists(self, b: Branch) -> tuple[bool, bool]:
        """Whether what the branch carries resists turning, and sliding."""
        moment = self.moment[b.link]
        if any(name in self.standing for name in self.children.get(b.link, ())):
            rest = (name for name in self.children[b.link] if name not in self.standing)
            moment = _has_moments(self.m.links[b.link].inertia) or any(self.moment[name] for name in rest)
        if moment or not self.mass[b.link]:
            return moment, self.mass[b.link]
        return self._off_axis(b), True

    def _off_axis(self, b: Branch) -> bool:
        """Whether one of the point masses that it carries is beside each of the joint's axes, at the start."""
        if self._poses is None:
            self._poses = link_poses(self.m.tree, self.m.configuration())
        X_WJ = self._poses[b.joint.parent] @ b.joint.X_PJ
        arms = [X_WJ.inverse().R @ (p - X_WJ.p) for p in self._points(b.link)]
        if not b.joint.axes:  # it turns about anything: the masses must not stand in one line with what they turn about
            about = np.mean(arms, axis=0) if any(map(b.joint.type.slides, b.joint.type.velocities)) else np.zeros(3)
            return int(np.linalg.matrix_rank(np.array(arms) - about, tol=ON_AXIS)) > 1
        axes = [np.array(a.xyz) for a in b.joint.axes]
        return all(any(np.linalg.norm(np.cross(axis, arm)) > ON_AXIS for arm in arms) for axis in axes)

    def _points(self, link: str) -> Iterator[Array]:
        assert self._poses is not None
        todo = [link]
        while todo:
            name = todo.pop()
            inertia = self.m.links[name].inertia
            if inertia.mass > 0:
                yield self._poses[name].R @ inertia.center + self._poses[name].p
            todo += self.children.get(name, [])
