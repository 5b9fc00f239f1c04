"""Loops opened in a link, because something drives, reads or couples the joint that would close them.

The joint keeps its coordinate in the tree. It carries one half of a link; a weld to the other half closes the loop.
Both halves together have the link's inertia, so that the mechanism is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gearwright.model.joints import WORLD, Joint
from gearwright.model.poses import IDENTITY, Pose
from gearwright.model.tree.references import named_joints, spanned

if TYPE_CHECKING:
    from gearwright.model.links import Link
    from gearwright.model.mechanism import Mechanism


class Half(NamedTuple):
    """The end of a joint that closes a loop, moved to a link with mass that it is welded to."""

    joint: Joint
    link: Link  # the one that is halved
    X_ML: Pose  # the joint's own link in that one's frame
    at_child: bool


def with_split_links(mechanism: Mechanism, driven: Collection[str] = ()) -> Mechanism:
    """A copy in which every joint that is named, or driven, has coordinates in the tree.

    A joint between links without any mass stays loop-closing; the checks report it.
    """
    wanted = named_joints(mechanism) | set(driven)
    halves = [half for j in spanned(mechanism)[1] if j.name in wanted for half in _halves(mechanism, j)]
    if not halves:
        return mechanism
    links, joints = dict(mechanism.links), dict(mechanism.joints)
    copies = Counter(half.link.name for half in halves)
    cut = [name for name in mechanism.cut if name not in {half.joint.name for half in halves}]
    for name, n in copies.items():
        links[name] = replace(links[name], share=1 / (n + 1))
    for half in halves:
        other, weld = _free(f"{half.joint.name}.half", links), _free(f"{half.joint.name}.weld", joints)
        links[other] = replace(links[half.link.name], name=other, same_as=half.link.name, visuals=(), collisions=())
        joints[half.joint.name] = _moved(half, other)
        joints[weld] = Joint(name=weld, kind="fixed", parent=half.link.name, child=other, source=half.joint.source)
        cut.append(weld)
    return replace(mechanism, links=links, joints=joints, cut=tuple(cut))


def can_split(mechanism: Mechanism, joint: Joint) -> bool:
    """Whether one of its links has mass, or is welded to one that has."""
    return any(True for _ in _halves(mechanism, joint))


def _halves(mechanism: Mechanism, joint: Joint) -> Iterator[Half]:
    """One, if there is any: on the child's side if that has mass."""
    welds: dict[str, list[Joint]] = {}
    for j in mechanism.joints.values():
        for end in (j.parent, j.child) if j.kind == "fixed" else ():
            welds.setdefault(end, []).append(j)
    for end, at_child in ((joint.child, True), (joint.parent, False)):
        for name, X_ML in _welded(welds, end):
            link = mechanism.links[name]
            if link.inertia.mass > 0 and any(link.inertia.moments):
                yield Half(joint, link, X_ML, at_child)
                return


def _welded(welds: Mapping[str, list[Joint]], link: str) -> Iterator[tuple[str, Pose]]:
    """The links that fixed joints weld to a link, itself first, each with that link's pose in its own frame."""
    reached = {WORLD, link}
    todo = [(link, IDENTITY)] if link != WORLD else []
    while todo:
        name, X = todo.pop(0)
        yield name, X
        for j in welds.get(name, ()):
            there = j.child if name == j.parent else j.parent
            X_TH = j.X_PC(()).inverse() if name == j.parent else j.X_PC(())
            if there not in reached:
                reached.add(there)
                todo.append((there, X_TH @ X))


def _moved(half: Half, link: str) -> Joint:
    if half.at_child:
        return replace(half.joint, child=link, X_CJ=half.X_ML @ half.joint.X_CJ)
    return replace(half.joint, parent=link, X_PJ=half.X_ML @ half.joint.X_PJ)


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "'"
    return name
