"""The spanning tree of a mechanism and the joints that close its loops.

Every link takes the first joint, in document order, that has it as a child; then joints walked backwards connect
what is still apart; what remains closes loops and is cut. Where that would cut a joint that a coupling, a transmission,
an actuator or a sensor names, joints that nothing names are cut instead, if the loop has one. A part that nothing ties
to the world gets a base.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gearwright.errors import ModelError
from gearwright.model.joints import WORLD, Joint
from gearwright.model.poses import Pose


@dataclass(frozen=True, kw_only=True)
class TreeBranch:
    """A link in the tree, and the joint that carries it."""

    link: str
    parent: str  # the link nearer to the world, or "world"
    joint: Joint
    backward: bool = False  # the joint names this link as its parent, and is walked from child to parent

    def X_PL(self, q: tuple[float, ...]) -> Pose:
        """This link's pose in its tree parent's frame."""
        X = self.joint.X_PC(q)
        return X.inverse() if self.backward else X


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Branches, parents before children, and the joints that were cut."""

    branches: tuple[TreeBranch, ...]
    cuts: tuple[Joint, ...]

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The tree's joints in the order of its branches: the order of tree coordinates."""
        return tuple(b.joint for b in self.branches)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the velocity coordinates."""
        return tuple(name for j in self.joints for name in j.coordinates)


class Components:
    """Union-find over link names."""

    def __init__(self) -> None:
        self._up: dict[str, str] = {}

    def root(self, a: str) -> str:
        path = []
        while (up := self._up.get(a, a)) != a:
            path.append(a)
            a = up
        for b in path:
            self._up[b] = a
        return a

    def join(self, a: str, b: str) -> bool:
        """True if they were apart."""
        a, b = self.root(a), self.root(b)
        self._up[b] = a
        return a != b


def span(
    joints: Mapping[str, Joint], cut: Iterable[str] = (), wanted: Collection[str] = ()
) -> tuple[list[Joint], list[Joint]]:
    """Splits the joints into those of the tree and those that close loops; `cut` names some of the latter.

    `wanted` joints have a coordinate that something reads or drives: they come first where a loop would be cut at one.
    """
    named = set(cut)
    candidates = [j for j in joints.values() if j.name not in named]
    kept = _spanned([candidates])
    if any(j.name in wanted and j.name not in kept for j in candidates):
        first = [j for j in candidates if j.name in wanted]
        kept = _spanned([first, [j for j in candidates if j.name not in wanted]])
    return [j for j in joints.values() if j.name in kept], [j for j in joints.values() if j.name not in kept]


def _spanned(groups: Iterable[Sequence[Joint]]) -> set[str]:
    """The tree's joints, those of the first group before all others."""
    components = Components()
    parented: set[str] = {WORLD}
    kept: set[str] = set()
    for candidates in groups:
        for j in candidates:
            if j.child not in parented and components.join(j.parent, j.child):
                parented.add(j.child)
                kept.add(j.name)
        for j in candidates:
            if j.name not in kept and components.join(j.parent, j.child):
                kept.add(j.name)
    return kept


def roots(links: Iterable[str], tree_joints: Iterable[Joint]) -> list[str]:
    """One link of each part that is not tied to the world: its first in document order that is no joint's child."""
    components = Components()
    children: set[str] = set()
    for j in tree_joints:
        components.join(j.parent, j.child)
        children.add(j.child)
    found: dict[str, str] = {}
    world = components.root(WORLD)
    for link in links:
        part = components.root(link)
        if part != world and (part not in found or (found[part] in children and link not in children)):
            found[part] = link
    return list(found.values())


def grow(links: Collection[str], joints: Iterable[Joint], cuts: Iterable[Joint]) -> Tree:
    """Orders the tree's joints outwards from the world, depth first in document order."""
    at: dict[str, list[Joint]] = {}
    for j in joints:
        at.setdefault(j.parent, []).append(j)
        at.setdefault(j.child, []).append(j)
    branches: list[TreeBranch] = []
    reached = {WORLD}
    todo = [(WORLD, j) for j in reversed(at.get(WORLD, []))]
    while todo:
        parent, j = todo.pop()
        backward = j.child == parent
        link = j.parent if backward else j.child
        if link in reached:
            continue
        reached.add(link)
        branches.append(TreeBranch(link=link, parent=parent, joint=j, backward=backward))
        todo += [(link, k) for k in reversed(at[link]) if k is not j]
    apart = set(links) - reached
    if apart:
        raise ModelError(f"links that nothing ties to the world: {sorted(apart)}")
    return Tree(branches=tuple(branches), cuts=tuple(cuts))


def forward(branch: TreeBranch) -> TreeBranch:
    """The same branch walked forwards, where the joint has one axis or none: frames swapped, axis turned round.

    The coordinate keeps its sign and meaning, since turning by q about an axis undoes turning by q about its opposite.
    """
    j = branch.joint
    if not branch.backward or j.dof > 1:
        return branch
    return replace(branch, joint=backward(j), backward=False)


def backward(j: Joint) -> Joint:
    """The same joint from its child to its parent."""
    axes = tuple(replace(a, xyz=(0.0 - a.xyz[0], 0.0 - a.xyz[1], 0.0 - a.xyz[2])) for a in j.axes)
    return replace(j, parent=j.child, child=j.parent, X_PJ=j.X_CJ, X_CJ=j.X_PJ, axes=axes)
