"""Packs of a tape's values: vectors in the making, with the arguments of their lanes side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gearwright.compiler.backends.cpu.superword.isomorphic import Likeness, commutes, in_order

Pack = tuple[int, ...]  # values side by side


class Packs:
    """The packs so far. A value is in one at most."""

    def __init__(self, likeness: Likeness, order: int, near: int) -> None:
        self.likeness, self.instructions = likeness, likeness.instructions
        self.by_value: dict[int, Pack] = {}
        self.lanes: dict[int, int] = {}
        self.wanted: Counter[Pack] = Counter()  # vectors of arguments, by how many packs want them
        self.scalar_users = [*likeness.use_counts]  # users of each value that are in no pack
        self._order, self._near = likeness.shapes[order], likeness.shapes[near]
        self._arguments: dict[Pack, list[Pack]] = {}

    def all(self) -> list[Pack]:
        return [*self._arguments]

    def add(self, pack: Pack, arguments: list[Pack] | None = None) -> None:
        """`arguments`: as `remove` gave them back."""
        for lane, m in enumerate(pack):
            self.by_value[m], self.lanes[m] = pack, lane
            for a in self.instructions[m][1]:
                self.scalar_users[a] -= 1
        if arguments is None:
            arguments = [*zip(*self._aligned(pack), strict=True)]
        self._arguments[pack] = arguments
        for vector in arguments:
            self.wanted[vector] += 1

    def remove(self, pack: Pack) -> list[Pack]:
        for m in pack:
            del self.by_value[m], self.lanes[m]
            for a in self.instructions[m][1]:
                self.scalar_users[a] += 1
        arguments = self._arguments.pop(pack)
        for vector in arguments:
            self.wanted[vector] -= 1
            if not self.wanted[vector]:
                del self.wanted[vector]
        return arguments

    def arguments(self, pack: Pack) -> list[Pack]:
        """The arguments of a pack's members, side by side."""
        return self._arguments[pack]

    def neighbours(self, pack: Pack) -> Iterator[Pack]:
        """Packs that arguments or users of a pack's members are in."""
        for arguments in self._arguments[pack]:
            if self.is_pack(arguments):
                yield arguments
        for m in pack:
            for u in self.likeness.users[m]:
                if u in self.by_value:
                    yield self.by_value[u]

    def is_pack(self, values: Pack) -> bool:
        return self.by_value.get(values[0]) == values

    def _aligned(self, pack: Pack) -> list[tuple[int, ...]]:
        """The arguments of each member; those that may change places lie as the first member's do."""
        instructions = self.instructions
        own = [instructions[m][1] for m in pack]
        op = instructions[pack[0]][0]
        if len(own[0]) > 1 and commutes(op):
            own = [tuple(in_order(op, args, [self._order[a] for a in args])) for args in own]
            first = own[0][:2]
            for lane, (a, b, *rest) in enumerate(own):
                if lane and self._likeness(first, (b, a), lane) > self._likeness(first, (a, b), lane):
                    own[lane] = (b, a, *rest)
        return own

    def _likeness(self, first: tuple[int, ...], others: tuple[int, ...], lane: int) -> int:
        """How well arguments of another lane fit to those of the first."""
        found, instructions, levels = 0, self.instructions, self.likeness.levels
        for f, g in zip(first, others, strict=True):
            pack = self.by_value.get(f)
            if f == g:
                found += 3
            elif pack is not None and self.lanes[f] == 0 and lane < len(pack) and pack[lane] == g:
                found += 8
            elif instructions[f][0] == instructions[g][0]:
                found += 1 + (self._near[f] == self._near[g]) + (levels[f] == levels[g])
        return found
