"""An order in which packs can be computed: each when the arguments of all its members are there."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from gearwright.compiler.backends.cpu.superword.packs import Packs
from gearwright.compiler.tape import Tape


def acyclic_order(tape: Tape, packs: Packs, priority: Callable[[int], object]) -> list[int]:
    """All values, members of a pack one after the other; those with a small `priority` first among those that can be.

    Two packs that wait for each other (of two values each, of which one needs the other's) cannot be: the one whose
    members are ready first is taken apart.
    """
    return _Order(tape, packs, priority).order


class _Order:
    def __init__(self, tape: Tape, packs: Packs, priority: Callable[[int], object]) -> None:
        self.packs, self.priority = packs, priority
        n = len(tape.instructions)
        self.users: list[list[int]] = [[] for _ in range(n)]
        self.missing = [0] * n  # arguments that are not there yet
        for i, (_, args, _) in enumerate(tape.instructions):
            for a in {*args}:
                self.users[a].append(i)
                self.missing[i] += 1
        self.members_missing = {pack: len(pack) for pack in packs.all()}
        self.ready: list[tuple[object, int]] = []
        self.waiting: list[tuple[object, int]] = []  # for other members of their pack
        self.order: list[int] = []
        for i in range(n):
            if not self.missing[i]:
                heappush(self.ready, (priority(i), i))
        while self.ready or self._take_apart():
            self._next(heappop(self.ready)[1])

    def _next(self, value: int) -> None:
        pack = self.packs.by_value.get(value)
        if pack is None:
            self._emit(value)
            return
        self.members_missing[pack] -= 1
        if self.members_missing[pack]:
            heappush(self.waiting, (self.priority(value), value))
            return
        for m in pack:
            self._emit(m)

    def _emit(self, value: int) -> None:
        self.order.append(value)
        for u in self.users[value]:
            self.missing[u] -= 1
            if not self.missing[u]:
                heappush(self.ready, (self.priority(u), u))

    def _take_apart(self) -> bool:
        """Gives up the pack of a value that still waits; False if none does."""
        while self.waiting:
            pack = self.packs.by_value.get(heappop(self.waiting)[1])
            if pack is not None and self.members_missing[pack]:
                self.packs.remove(pack)
                for m in pack:
                    if not self.missing[m]:
                        heappush(self.ready, (self.priority(m), m))
                return True
        return False
