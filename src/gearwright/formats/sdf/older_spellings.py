"""Gearbox joints and the draft mimic joint, read as couplings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gearwright.formats.draft import Draft
from gearwright.formats.parts.actuation import add_coupling
from gearwright.formats.parts.mimic_text import inline, mimic_lines
from gearwright.formats.sdf.joints import JointEnds, axis_direction
from gearwright.formats.sdf.scope import Fragment, Scope
from gearwright.formats.xml.located_xml import Element
from gearwright.model import AxisRef, Joint, Term
from gearwright.model.poses import Array
from gearwright.model.tree.topology import Components

PARALLEL = 1e-3  # how far 1 − |cos| of two axes may be from parallel: files write right angles as 1.57


def read_older_spellings(
    joints: list[Element], scope: Scope, draft: Draft, fragment: Fragment, welds: Callable[[], Welds]
) -> None:
    """Couplings that are written as joints. `welds` are those of all joints, made when the first gearbox asks."""
    for e in joints:
        kind = e.attributes.get("type", "")
        if kind == "mimic":
            _read_draft_mimic(e, scope, draft)
        elif kind == "gearbox":
            _read_gearbox(e, scope, draft, fragment, welds())


def _read_draft_mimic(e: Element, scope: Scope, draft: Draft) -> None:
    """Parent and child name joints; the child follows with −gearbox_ratio, as the gearbox it stands for."""
    name = e.get("name") or ""
    leader, follower = (scope.full(e.child_text(end)) for end in ("parent", "child"))
    e.get("type")
    ratio = e.child_number("gearbox_ratio", 1.0)
    for what, joint in (("parent", leader), ("child", follower)):
        if joint not in draft.joints:
            near = e.report.near(joint, draft.joints)
            e.error("joint-not-found", f"mimic joint {name!r}: its {what} joint {joint!r} does not exist{near}")
            return
    if leader == follower:
        e.error("mimic-self", f"joint {leader!r} cannot mimic itself")
        return
    message = f"joint {name!r} of type mimic is deprecated, a draft of SDFormat; it is read as <mimic> of {follower!r}"
    e.warning("mimic-joint-deprecated", f"{message}; {_to_write(scope, follower, leader, -ratio)}")
    add_coupling(
        draft, e, name=follower, follower=AxisRef(follower), leaders=(Term(AxisRef(leader), -ratio),),
        spelling="mimic joint", alias=scope.full(name),
    )  # fmt: skip


def _to_write(scope: Scope, follower: str, leader: str, multiplier: float) -> str:
    """The text that replaces an older joint, with names as in its model."""
    follower, leader = (name.removeprefix(scope.prefix) for name in (follower, leader))
    mimic = inline(mimic_lines(leader, multiplier))
    return f"in <axis> of joint {follower!r} write {mimic} instead (gearwright migrate does)"


@dataclass(frozen=True, kw_only=True)
class _Turn:
    """The joint that turns a link against the reference body, and with which sign it counts."""

    joint: Joint
    sign: int


def _read_gearbox(e: Element, scope: Scope, draft: Draft, fragment: Fragment, welds: Welds) -> None:
    """θ₁: the parent link against the reference body about <axis>; θ₂: the child link about <axis2>; θ₂ = −ratio·θ₁."""
    name = e.get("name") or ""
    e.get("type")
    ratio = e.child_number("gearbox_ratio", 1.0)
    reference = e.child_text("gearbox_reference_body")
    ends = JointEnds.read(e, scope, name, fragment)
    if ends is None:
        e.consume()
        return
    body = scope.link(reference, e) if reference else None
    if body is None:
        near = e.report.near(reference, draft.links)
        say = e.error if reference else e.warning
        what = f"its reference body {reference!r} is not declared{near}" if reference else "it has no reference body"
        say("gearbox-unresolved", f"gearbox {name!r}: {what}; no coupling is made")
        e.consume()
        return
    turns = []
    for link, tag in ((ends.parent, "axis"), (ends.child, "axis2")):
        axis = e.child(tag) or e.child("axis")
        if axis is None:
            e.error("axis-missing", f"gearbox {name!r} has no <{tag}>")
            return
        a_J = np.array(axis_direction(axis, scope, ends.X_MJ, name, fragment))
        turn = welds.turn(link, body, scope.X_WM.R @ ends.X_MJ.R @ a_J)
        axis.consume()
        if turn is None:
            message = f"gearbox {name!r}: no revolute joint about its {tag} joins {link!r} with its reference {body!r}"
            e.error("gearbox-unresolved", message)
            return
        turns.append(turn)
    leader, follower = turns
    if leader.joint is follower.joint:
        e.error("gearbox-unresolved", f"gearbox {name!r}: joint {leader.joint.name!r} turns both of its links")
        return
    multiplier = -ratio * leader.sign / follower.sign + 0.0  # no negative zero
    formula = f"{follower.joint.name} = {multiplier:g}·{leader.joint.name}"
    to_write = _to_write(scope, follower.joint.name, leader.joint.name, multiplier)
    e.warning("gearbox-deprecated", f"gearbox joints are deprecated; {name!r} is read as: {formula}; {to_write}")
    add_coupling(
        draft, e, name=follower.joint.name, follower=AxisRef(follower.joint.name),
        leaders=(Term(AxisRef(leader.joint.name), multiplier),), spelling="gearbox", alias=scope.full(name),
    )  # fmt: skip


class Welds:
    """Groups of links that fixed joints tie together, and the revolute joints between groups."""

    def __init__(self, draft: Draft) -> None:
        self.X_WL = draft.X_WL
        self.groups = Components()
        for j in draft.joints.values():
            if j.kind == "fixed":
                self.groups.join(j.parent, j.child)
        self._axes: dict[frozenset[str], Array] = {}  # of those joints, in the world
        self.between: dict[frozenset[str], list[Joint]] = {}
        for j in draft.joints.values():
            if j.kind in ("revolute", "continuous"):
                self.between.setdefault(self._pair(j.parent, j.child), []).append(j)

    def _pair(self, a: str, b: str) -> frozenset[str]:
        return frozenset((self.groups.root(a), self.groups.root(b)))

    def turn(self, link: str, reference: str, axis_W: Array) -> _Turn | None:
        """The joint between the two about a parallel or anti-parallel axis.

        A joint's position is its child's rotation against its parent: it counts backwards where the reference is
        at its child's end.
        """
        pair = self._pair(link, reference)
        if pair not in self.between:
            return None
        cosines = self._axes_W(pair) @ axis_W
        parallel = np.flatnonzero(np.abs(cosines) > 1 - PARALLEL)
        if not parallel.size:
            return None
        j = self.between[pair][parallel[0]]
        end = 1 if self.groups.root(j.child) == self.groups.root(link) else -1
        return _Turn(joint=j, sign=end if cosines[parallel[0]] > 0 else -end)

    def _axes_W(self, pair: frozenset[str]) -> Array:
        if pair not in self._axes:
            joints = self.between[pair]
            self._axes[pair] = np.array([(self.X_WL[j.child] @ j.X_CJ).R @ j.axes[0].xyz for j in joints])  # (n, 3)
        return self._axes[pair]
