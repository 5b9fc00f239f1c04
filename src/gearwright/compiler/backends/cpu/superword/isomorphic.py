"""How alike the values of one robot are: those of two legs, of four fingers, of the branches of a tree.

Values are alike if they have the same operation and the same shape of expression below it, down to a depth. Constants
and the elements that are loaded may differ.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from gearwright.compiler.backends.cpu.llvm.operations import LANEWISE
from gearwright.compiler.rewrite import COMMUTATIVE
from gearwright.compiler.tape import Address, Instruction, Tape

MAY_SWAP = COMMUTATIVE | {"fma", "fms", "fnma"}  # these in their factors
SIGNED = {"sub": "add", "fms": "fma", "fnma": "fma"}  # mirrored limbs differ in signs
INDEPENDENT = 60  # values that are looked at to see whether one depends on another


class Likeness:
    """A tape's values: their shapes, who uses them, and which may be lanes of one vector."""

    def __init__(self, tape: Tape, depths: Collection[int]) -> None:
        self.instructions = tape.instructions
        self.stored: dict[int, list[Address]] = {}
        for address, value in tape.stores:
            self.stored.setdefault(value, []).append(address)
        self.shapes = shapes(tape.instructions, depths)  # by depth, then by value
        self.levels = levels(tape.instructions)
        self.users: list[list[int]] = [[] for _ in tape.instructions]  # that may be in packs
        self.use_counts = [0] * len(tape.instructions)
        for i, (op, args, _) in enumerate(tape.instructions):
            for a in args:
                self.use_counts[a] += 1
                if op in LANEWISE and (not self.users[a] or self.users[a][-1] != i):
                    self.users[a].append(i)

    @cached_property
    def heights(self) -> list[int]:
        """Operations to the furthest result."""
        found = [0] * len(self.instructions)
        for i in range(len(found) - 1, -1, -1):
            above = found[i] + 1
            for a in self.instructions[i][1]:
                found[a] = max(found[a], above)
        return found

    def may_be_lanes(self, values: Sequence[int]) -> bool:
        """Whether these are different, of one lanewise operation, and do not depend on each other."""
        instructions, levels, heights = self.instructions, self.levels, self.heights
        op, level, height = instructions[values[0]][0], levels[values[0]], heights[values[0]]
        if op not in LANEWISE or len({*values}) < len(values):
            return False
        same_level = same_height = True
        for m in values:
            if instructions[m][0] != op:
                return False
            same_level &= levels[m] == level
            same_height &= heights[m] == height
        return same_level or same_height or self._are_independent(values)

    def _are_independent(self, values: Sequence[int]) -> bool:
        ordered = sorted(values, key=self.levels.__getitem__)
        return not any(self._depends(b, a) for k, a in enumerate(ordered) for b in ordered[k + 1 :])

    def _depends(self, value: int, other: int) -> bool:
        """Whether one depends on the other, or too much lies between them to tell."""
        instructions, levels, lowest = self.instructions, self.levels, self.levels[other]
        seen, stack = {value}, [value]
        while stack:
            for a in instructions[stack.pop()][1]:
                if a == other or len(seen) > INDEPENDENT:
                    return True
                if levels[a] > lowest and a not in seen:
                    seen.add(a)
                    stack.append(a)
        return False


def commutes(op: str) -> bool:
    """Whether the first two arguments may change places."""
    return op in MAY_SWAP


def shapes(instructions: Sequence[Instruction], depths: Collection[int]) -> dict[int, list[int]]:
    """By depth, the numbers of the shapes of expressions down to so many operations."""
    kinds = [data.slot if op == "load" else SIGNED.get(op, op) for op, _, data in instructions]  # type: ignore[union-attr]
    numbers: dict[object, int] = {}
    found = [numbers.setdefault(kind, len(numbers)) for kind in kinds]
    leaves, kept = len(numbers), {}
    work = [(i, found[i], args, commutes(op)) for i, (op, args, _) in enumerate(instructions) if args]
    for depth in range(1, max(depths) + 1):
        numbers = {}
        below, found = found, [*found]
        for i, kind, args, swaps in work:
            key = [below[a] for a in args]
            if swaps and key[0] > key[1]:
                key[0], key[1] = key[1], key[0]
            found[i] = numbers.setdefault((kind, *key), leaves + len(numbers))
        if depth in depths:
            kept[depth] = found
    return kept


def in_order(op: str, args: Sequence[int], shapes: Sequence[int]) -> Sequence[int]:
    """Two or more arguments: those that may change places, by their shapes."""
    swapped = shapes[0] > shapes[1] and commutes(op)
    return (args[1], args[0], *args[2:]) if swapped else args


def levels(instructions: Sequence[Instruction]) -> list[int]:
    """Operations to the furthest load."""
    found: list[int] = []
    for _, args, _ in instructions:
        deepest = -1
        for a in args:
            deepest = max(deepest, found[a])
        found.append(deepest + 1)
    return found
