"""A mechanism that stands elsewhere, and mechanisms side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gearwright.errors import ModelError
from gearwright.model.couplings import Couplings
from gearwright.model.joints import WORLD, Joint
from gearwright.model.links import Link
from gearwright.model.mechanism import Mechanism
from gearwright.model.poses import IDENTITY, Pose

FAMILIES = (
    "links", "joints", "transmissions", "actuators", "sensors", "hardware", "frames", "bases", "initial", "keyframes",
)  # fmt: skip
LISTS = ("cut", "contradicted", "self_collide", "no_contact", "reported")


def moved(m: Mechanism, X: Pose) -> Mechanism:
    """A copy that stands at X in the world: what is tied to the world moves, and where free parts start."""
    if X is IDENTITY:
        return m
    initial = dict(m.initial)
    for base in m.bases.values():
        if base.kind == "floating":
            q = initial.get(base.name, base.type.zero)
            start = X @ Pose.from_quaternion(q[:3], q[3:])
            initial[base.name] = (*start.p.tolist(), *start.quaternion)
    free = {b.name for b in m.bases.values() if b.kind == "floating"}
    frames = {n: replace(f, X_LF=X @ f.X_LF) if f.link == WORLD else f for n, f in m.frames.items()}
    joints = {n: _moved_joint(j, X) for n, j in m.joints.items()}
    bases = {n: j if n in free else _moved_joint(j, X) for n, j in m.bases.items()}
    links = {n: _moved_shapes(link, X) if n == WORLD else link for n, link in m.links.items()}
    return replace(m, initial=initial, frames=frames, joints=joints, bases=bases, links=links)


def _moved_shapes(link: Link, X: Pose) -> Link:
    visuals, collisions = (
        tuple(replace(g, pose=X @ g.pose) for g in shapes) for shapes in (link.visuals, link.collisions)
    )
    return replace(link, visuals=visuals, collisions=collisions)


def _moved_joint(j: Joint, X: Pose) -> Joint:
    if j.parent == WORLD:
        return replace(j, X_PJ=X @ j.X_PJ)
    return replace(j, X_CJ=X @ j.X_CJ) if j.child == WORLD else j


def side_by_side(name: str, parts: Sequence[Mechanism], gravity: Sequence[float]) -> Mechanism:
    """One mechanism of several. Raises ModelError where two parts have one name."""
    together: dict[str, Any] = {family: _together([getattr(m, family) for m in parts], family) for family in FAMILIES}
    together |= {what: tuple(x for m in parts for x in getattr(m, what)) for what in LISTS}
    couplings = Couplings(c for m in parts for c in m.couplings.values())
    x, y, z = (float(g) for g in gravity)
    return Mechanism(name=name, couplings=couplings, gravity=(x, y, z), **together)


def _both(a: Link | None, b: Link) -> Link:
    """The world itself, where files have a link of that name: the shapes of both stand in it."""
    if a is None:
        return b
    return replace(a, visuals=a.visuals + b.visuals, collisions=a.collisions + b.collisions)


def _together(maps: Sequence[Mapping[str, Any]], family: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in maps:
        for name, part in each.items():
            if name == WORLD and family == "links":
                found[name] = _both(found.get(name), part)
                continue
            if name in found:
                kind = family.removesuffix("s")
                raise ModelError(f"there are two parts named {name!r} ({kind}): give the second another name=")
            found[name] = part
    return found
