"""Rods as equations: a loop of a crank, a rod and a chain of joints becomes an exact coupling in closed form.

    motor ─ crank ─ rod ─ foot          crank = f(pitch, roll), exact: no rod, no loop, no constraint
              └── shin ─ pitch ─ roll ┘

A single joint follows its crank instead, which may turn all the way round. Links stay bodies, with all of their forces.
A rod's mass goes to its two ends, so mass, centre of mass and weight are exact. Its kinetic energy is not: as two
points at its ends, a slender rod has three times its moment of inertia.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.couplings import Coupling, Couplings, Term, Through
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.joints.axes import AxisDynamics, Limits
from gearwright.model.mass.inertia import Inertia
from gearwright.model.parallel.assembly import Constraints
from gearwright.model.poses import IDENTITY, Array, Pose
from gearwright.model.transmissions.rod_linkage import ActuatorsFollow, RodLinkage, Screw
from gearwright.model.tree.kinematics import Configuration, carried, link_poses, subspace
from gearwright.model.tree.references import named_joints

if TYPE_CHECKING:
    from gearwright.model.links import Link
    from gearwright.model.mechanism import Mechanism

HOLDS_A_POINT = ("ball", "universal", "revolute", "continuous")  # joints at the end of a rod


@dataclass(frozen=True)
class Rod:
    """A rod from a crank to a link, and the joints that lead from the crank's carrier to that link."""

    link: Link
    crank_end: Joint
    link_end: Joint
    crank: Joint
    carrier: str
    chain: Sequence[Joint]

    @property
    def ends(self) -> tuple[Joint, Joint]:
        return self.crank_end, self.link_end

    def coupling(self, robot: Mechanism, q: Configuration) -> Coupling:
        """The crank follows the joints of the chain. Geometry is taken at the pose q, in the carrier's frame."""
        X_W = link_poses(robot.tree, q)
        X_CW = X_W[self.carrier].inverse()
        ends = [
            X_CW @ X_W[other_side(j, self.link.name)] @ on_link(j, other_side(j, self.link.name)) for j in self.ends
        ]
        walked, here = list[tuple[AxisRef, Screw, float]](), self.carrier
        for j in self.chain:
            walked += _walked(j, X_CW @ X_W[j.parent], q[j.name], here)
            here = other_side(j, here)
        ((axis, screw, at),) = _walked(self.crank, X_CW @ X_W[self.crank.parent], q[self.crank.name], self.carrier)
        linkage = RodLinkage(
            joint_screws=tuple(s for _, s, _ in walked), joint_references=tuple(x for *_, x in walked),
            crank_screws=(screw,), actuator_references=(at,),
            crank_ends=(tuple(ends[0].p.tolist()),), rod_ends=(tuple(ends[1].p.tolist()),),
        )  # fmt: skip
        return Coupling(
            name=str(axis), follower=axis, leaders=tuple(Term(ref, 1.0) for ref, *_ in walked),
            through=Through(f"rod {self.link.name}", ActuatorsFollow(map=linkage), 0), source=self.link.source,
        )  # fmt: skip


def with_rods_reduced(robot: Mechanism, rods: Sequence[str] | None = None) -> Mechanism:
    """See `Mechanism.with_rods_reduced`."""
    constraints = Constraints.of(robot)
    q = constraints.assembled(None)
    found, reasons = list[Rod](), list[str]()
    for link in robot.links.values() if rods is None else [robot.links[name] for name in rods]:
        try:
            found.append(_rod(constraints, link, found, strict=rods is None))
        except ModelError as error:
            if rods is not None:
                raise ModelError(f"rod {link.name!r} cannot be reduced: {error}") from None
            if len(_joints_at(robot, link.name)) == 2:
                reasons.append(f"{link.name!r}: {error}")
    if not found:
        raise ModelError(f"no rod can be reduced; {'; '.join(reasons) or 'no link is a rod'}")
    gone = {rod.link.name for rod in found}
    opened = {j.name for rod in found for j in rod.ends}
    links = dict(robot.links)
    for rod in found:
        for end, mass in zip(rod.ends, _masses(rod), strict=True):
            name = other_side(end, rod.link.name)
            if name in links:
                links[name] = _loaded(links[name], mass, on_link(end, name).p)
    kept = {n: j for n, j in robot.joints.items() if n not in opened}
    moving = {**kept, **robot.bases}
    initial = {n: x for n, x in q.items() if n in moving and x != moving[n].type.zero}
    couplings = Couplings([*robot.couplings.values(), *(rod.coupling(robot, q) for rod in found)])
    return replace(
        robot, links={n: link for n, link in links.items() if n not in gone}, joints=kept, couplings=couplings,
        cut=tuple(n for n in robot.cut if n not in opened), initial=initial,
        frames={n: f for n, f in robot.frames.items() if f.link not in gone}, reported=(),
    )  # fmt: skip


# --- which links are rods ---------------------------------------------------------------------------------------------


def _rod(constraints: Constraints, link: Link, found: Sequence[Rod], strict: bool) -> Rod:
    """Raises ModelError with the reason why a link is not a rod that can be reduced."""
    robot, ends = constraints.robot, _joints_at(constraints.robot, link.name)
    if len(ends) != 2 or any(j.kind not in HOLDS_A_POINT for j in ends):
        raise ModelError(f"it does not have two ends of {', '.join(HOLDS_A_POINT)} joints")
    if used := {j.name for j in ends} & named_joints(robot):
        raise ModelError(f"joint {min(used)!r} is driven, read or coupled")
    if any(getattr(s, "link", None) == link.name for s in robot.sensors.values()):
        raise ModelError("a sensor is on it")
    for j in ends if strict else ():
        if j.damping or any(a.dynamics != AxisDynamics() or a.limits != Limits() for a in j.axes):
            raise ModelError(f"joint {j.name!r} has stops or passive forces; name the rod to leave them out")
    opened = {j.name for rod in found for j in rod.ends} | {j.name for j in ends}
    driven = {axis.joint for a in robot.actuators for axis in constraints.driven_axes(a)}
    followers = {c.follower.joint for c in robot.couplings.values()} | {rod.crank.name for rod in found}
    outwards = {b.joint.name: b.link for b in robot.tree.branches}
    rods = []
    for crank_end, link_end in (ends, ends[::-1]):
        here, end = (other_side(j, link.name) for j in (crank_end, link_end))
        path = _path(robot, here, end, opened)
        while path and not path[0].dof:  # welded to the crank
            here = other_side(path.pop(0), here)
        if not path or len(path[0].refs) != 1 or path[0].name in followers or outwards.get(path[0].name) != here:
            continue
        crank, *chain = path
        if any(j.dof for j in chain) and all(len(j.refs) == j.dof for j in chain):
            rods.append(Rod(link, crank_end, link_end, crank, other_side(crank, here), chain))
    if not rods:
        raise ModelError("no crank of one axis is at one of its ends, with joints from its carrier to the other end")
    # a crank that is driven follows several joints; it leads a single one, which may turn back while the crank goes on
    return min(rods, key=lambda rod: (rod.crank.name in driven) == (sum(j.dof for j in rod.chain) == 1))


def _joints_at(robot: Mechanism, link: str) -> list[Joint]:
    return [j for j in (*robot.joints.values(), *robot.bases.values()) if link in (j.parent, j.child)]


def _path(robot: Mechanism, start: str, end: str, without: Collection[str]) -> list[Joint]:
    """Joints from one link to another, as few as there are; none where no way leads there."""
    ways: dict[str, list[Joint]] = {start: []}
    todo = [start]
    while todo and end not in ways:
        here = todo.pop(0)
        for j in _joints_at(robot, here):
            there = other_side(j, here)
            if j.name not in without and there not in ways:
                ways[there] = [*ways[here], j]
                todo.append(there)
    return ways.get(end, [])


# --- geometry and mass ------------------------------------------------------------------------------------------------


def other_side(joint: Joint, link: str) -> str:
    return joint.child if link == joint.parent else joint.parent


def on_link(joint: Joint, link: str) -> Pose:
    """The joint's frame in the frame of one of its links."""
    return joint.X_PJ if link == joint.parent else joint.X_CJ


def _walked(joint: Joint, X_P: Pose, q: Sequence[float], here: str) -> list[tuple[AxisRef, Screw, float]]:
    """Axis, screw and position of each of its coordinates, in the order in which the joint is walked from a link."""
    S: Array = carried(X_P @ joint.X_PJ, subspace(joint, q))
    forward = here == joint.parent
    columns = (S if forward else -S).T.tolist()
    found = [(ref, tuple(s), float(x)) for ref, s, x in zip(joint.refs, columns, q, strict=True)]
    return found if forward else found[::-1]


def _masses(rod: Rod) -> tuple[float, float]:
    """At the ends, with the same mass and centre of mass."""
    A, B = (on_link(j, rod.link.name).p for j in rod.ends)
    share = float((rod.link.inertia.center - A) @ (B - A) / ((B - A) @ (B - A)))
    if not 0.0 <= share <= 1.0:
        raise ModelError(f"rod {rod.link.name!r} cannot be reduced: its centre of mass is not between its ends")
    return (1.0 - share) * rod.link.inertia.mass, share * rod.link.inertia.mass


def _loaded(link: Link, mass: float, point: Array) -> Link:
    """With a point mass."""
    own = link.inertia
    if not mass:
        return link
    center = (own.mass * own.center + mass * point) / (own.mass + mass)
    tensor = own.tensor + sum(
        m * ((d @ d) * np.eye(3) - np.outer(d, d)) for m, d in ((own.mass, own.center - center), (mass, point - center))
    )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    whole = Inertia(
        mass=own.mass + mass, moments=(xx, yy, zz), products=(xy, xz, yz), pose=Pose(IDENTITY.R, center)
    )  # fmt: skip
    return replace(link, inertia=whole)
