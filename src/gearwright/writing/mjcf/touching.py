"""Which shapes touch, as bits of MuJoCo's: everything and the environment, assemblies each other, links where asked.

bit 0            of all that moves, and the affinity of what stands still
one per assembly   of its shapes, and the affinity of all others; not needed where there is one
one per assembly   of its links that touch each other
"""

from __future__ import annotations

from functools import cached_property

from gearwright.model import Mechanism
from gearwright.model.contacts.choice import Assemblies, touching

MOST = 15  # assemblies that MuJoCo's 31 positive bits tell apart


class TouchBits:
    """`contype` and `conaffinity` by link, for shapes without bits of their own."""

    def __init__(self, robot: Mechanism) -> None:
        self._robot, self._assemblies = robot, Assemblies(robot)

    @cached_property
    def _firsts(self) -> list[str]:
        """A link of each assembly that moves."""
        found: list[str] = []
        for name in touching(self._robot):
            if not self._assemblies.still(name) and not any(self._assemblies.connected(name, f) for f in found):
                found.append(name)
        return found

    @property
    def too_many(self) -> bool:
        return len(self._firsts) > MOST

    def of(self, link: str) -> tuple[int, int]:
        if self._assemblies.still(link):
            return 1, 1
        own = next(i for i, f in enumerate(self._firsts) if self._assemblies.connected(link, f))
        kind, affinity = 1, 0
        if 1 < len(self._firsts) <= MOST:
            kind |= 2 << own
            affinity = sum(2 << i for i in range(len(self._firsts)) if i != own)
        if link in self._robot.self_collide and not self.too_many:
            kind, affinity = (bits | 2 << len(self._firsts) + own for bits in (kind, affinity))
        return kind, affinity
