"""Which links may touch: everything and the environment, objects and everything, a robot and itself where asked for.

Links that fixed joints weld together are one body here, and so is everything that is welded to the world: the
environment. Links that joints connect are one assembly. Assemblies touch each other; links of one assembly touch only
where a file or a caller says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from typing import TYPE_CHECKING

from gearwright.errors import UnknownNameError
from gearwright.model.joints import WORLD
from gearwright.model.tree.topology import Components

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

Names = tuple[str, str]


class Assemblies:
    """Which links are welded together, which are neighbours, and which are connected at all."""

    def __init__(self, m: Mechanism) -> None:
        self._body, self._welded, self._assembly = Components(), Components(), Components()
        for j in (*m.joints.values(), *m.bases.values()):
            fixed, on_world = j.kind == "fixed", WORLD in (j.parent, j.child)
            if fixed:
                self._body.join(j.parent, j.child)
            if not on_world:
                self._assembly.join(j.parent, j.child)
            if fixed and not on_world:
                self._welded.join(j.parent, j.child)
        self._neighbours = {self._welds(j.parent, j.child) for j in m.joints.values()}

    def still(self, link: str) -> bool:
        """Part of the environment."""
        return self.one_body(link, WORLD)

    def one_body(self, a: str, b: str) -> bool:
        return self._body.root(a) == self._body.root(b)

    def neighbours(self, a: str, b: str) -> bool:
        """A joint connects them, or links that they are welded to."""
        return self._welds(a, b) in self._neighbours

    def _welds(self, a: str, b: str) -> frozenset[str]:
        return frozenset((self._welded.root(a), self._welded.root(b)))

    def connected(self, a: str, b: str) -> bool:
        return self._assembly.root(a) == self._assembly.root(b)


def pairs_by_rule(m: Mechanism) -> Iterator[Names]:
    """Pairs of links with collisions that touch by themselves."""
    apart, able = Assemblies(m), touching(m)
    collide, never = set(m.self_collide), {frozenset(pair) for pair in m.no_contact}
    for a, b in combinations(able, 2):
        if apart.one_body(a, b) or frozenset((a, b)) in never:
            continue
        if not apart.connected(a, b) or (a in collide and b in collide and not apart.neighbours(a, b)):
            yield (b, a) if apart.still(a) else (a, b)


def pairs_by_hand(m: Mechanism, wanted: Iterable[Names]) -> Iterator[Names]:
    """Pairs of links that two patterns name. Neighbours are left out unless both are named in full."""
    apart, able = Assemblies(m), touching(m)
    seen: set[frozenset[str]] = set()
    for first, second in wanted:
        in_full = first in m.links and second in m.links
        for a in matching(first, able, m):
            for b in matching(second, able, m):
                pair = frozenset((a, b))
                if apart.one_body(a, b) or pair in seen or (apart.neighbours(a, b) and not in_full):
                    continue
                seen.add(pair)
                yield (b, a) if apart.still(a) else (a, b)


def touching(m: Mechanism) -> list[str]:
    """Links that have a collision shape."""
    return [link.name for link in m.links.values() if link.collisions]


def matching(pattern: str, able: Sequence[str], m: Mechanism) -> list[str]:
    """Links by name, by a pattern such as `*_foot`, or by the model that they are in."""
    found = [name for name in able if fnmatchcase(name, pattern) or name.startswith(f"{pattern}::")]
    if not found:
        kind = "link with a collision shape" if pattern not in m.links else "collision shape of a link"
        raise UnknownNameError(kind, pattern, able)
    return found
