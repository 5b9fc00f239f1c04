"""Isomorphic values of one robot: computed alike, as those of two legs, four fingers, the branches of a tree.

They have the same operation, the same shape of expression below it, and the same level (operations to the furthest
load), so that they do not depend on each other and can be lanes of one vector. Constants and the elements that are
loaded may differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gearwright.compiler.backends.cpu.operations import LANEWISE
from gearwright.compiler.rewrite import COMMUTATIVE
from gearwright.compiler.tape import Instruction, Tape

Pack = tuple[int, ...]  # values side by side
FACTORS_COMMUTE = ("fma", "fms", "fnma")
SIGNED = {"sub": "add", "fms": "fma", "fnma": "fma"}  # mirrored limbs differ in signs
DEPTH = 7  # of the shapes that are compared: enough to tell a limb's own values apart; deeper ones find fewer packs


class IsomorphicPacks:
    """Packs of a tape's values: found from the results down, so that arguments lie as their users do."""

    def __init__(self, tape: Tape, widest: int) -> None:
        self.instructions, self.widest = tape.instructions, widest
        self.shapes, self.levels = _shapes(tape.instructions), _levels(tape.instructions)
        self.packs: dict[int, Pack] = {}  # by value
        self._find()

    def _find(self) -> None:
        classes: dict[tuple[str, int, int], list[int]] = defaultdict(list)
        by_level: dict[int, list[int]] = defaultdict(list)
        for i, (op, _, _) in enumerate(self.instructions):
            if op in LANEWISE:
                classes[op, self.shapes[i], self.levels[i]].append(i)
                by_level[self.levels[i]].append(i)
        for level in sorted(by_level, reverse=True):
            for i in by_level[level]:
                if i not in self.packs:
                    alike = classes[self.instructions[i].op, self.shapes[i], level]
                    self._pack(tuple([m for m in alike if m not in self.packs][: self.widest]))
            for pack in dict.fromkeys(self.packs[i] for i in by_level[level] if i in self.packs):
                for arguments in self.arguments(pack):
                    if self._fits(arguments):
                        self._pack(arguments)

    def _pack(self, members: Pack) -> None:
        if len(members) > 1:
            self.packs |= dict.fromkeys(members, members)

    def _fits(self, members: Pack) -> bool:
        """Whether these may be a pack: of one operation, and none of them in another pack."""
        kinds = {(self.instructions[m].op, self.levels[m]) for m in members}
        if len(kinds) > 1 or next(iter(kinds))[0] not in LANEWISE or len({*members}) < len(members):
            return False
        return not any(m in self.packs for m in members)

    def arguments(self, pack: Pack) -> Iterator[Pack]:
        """The arguments of a pack's members, side by side."""
        return zip(*(self._arguments(m) for m in pack), strict=True)

    def _arguments(self, value: int) -> Sequence[int]:
        op, args, _ = self.instructions[value]
        return _in_order(op, args, [self.shapes[a] for a in args])


def _shapes(instructions: Sequence[Instruction]) -> list[int]:
    """Numbers of the shapes of expressions, down to `DEPTH` operations."""
    kinds = [data.slot if op == "load" else SIGNED.get(op, op) for op, _, data in instructions]  # type: ignore[union-attr]
    found = _numbered(kinds)
    for _ in range(DEPTH):
        below = ([found[a] for a in args] for _, args, _ in instructions)
        rows = zip(instructions, kinds, below, strict=True)
        found = _numbered([(kind, *_in_order(i.op, shapes, shapes)) for i, kind, shapes in rows])
    return found


def _numbered(keys: Sequence[object]) -> list[int]:
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _in_order(op: str, args: Sequence[int], shapes: Sequence[int]) -> Sequence[int]:
    """Arguments that may change places, by their shapes."""
    swapped = len(args) > 1 and shapes[0] > shapes[1] and (op in COMMUTATIVE or op in FACTORS_COMMUTE)
    return (args[1], args[0], *args[2:]) if swapped else args


def _levels(instructions: Sequence[Instruction]) -> list[int]:
    levels: list[int] = []
    for _, args, _ in instructions:
        levels.append(1 + max((levels[a] for a in args), default=-1))
    return levels
