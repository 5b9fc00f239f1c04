"""One robot's isomorphic values in vectors: the instructions of a tape work on packs, and its code is shorter.

This is superword-level parallelism (Larsen and Amarasinghe 2000) on a tape. `pack` inserts values into a vector,
`lane` extracts one; lanewise operations work on vectors as on scalars, to the same bits.
"""

from __future__ import annotations

from collections.abc import Collection

from gearwright.compiler.backends.cpu.superword.acyclic import acyclic_order
from gearwright.compiler.backends.cpu.superword.packs import Pack, Packs
from gearwright.compiler.backends.cpu.superword.regions import find_packs
from gearwright.compiler.ops import HALVES
from gearwright.compiler.tape import Instruction, Store, Tape

WIDEST = 4  # lanes of a pack: limbs come in twos and fours, and eight were not faster


def pack_isomorphic(tape: Tape, widest: int = WIDEST, movable: Collection[str] = ()) -> Tape:
    """The tape with isomorphic values in packs of at most so many.

    `movable`: slots whose elements will be contiguous where packs want them so (`contiguous`).
    """
    if widest < 2:
        return tape
    packs = find_packs(tape, widest, movable)
    if not packs.by_value:
        return tape
    order = _order(tape, packs)
    return _Packing(tape, packs).tape(order)


def _order(tape: Tape, packs: Packs) -> list[int]:
    """By level; angles whose sines are to lie side by side one after the other."""
    wanted: dict[int, int] = {}
    instructions, levels = tape.instructions, packs.likeness.levels
    for pack in packs.all():
        for arguments in packs.arguments(pack):
            if all(instructions[a].op in HALVES for a in arguments):
                for a in arguments:
                    wanted.setdefault(instructions[a].args[0], len(wanted))
    last = len(wanted)
    return acyclic_order(tape, packs, lambda i: (levels[i], wanted.get(i, last)))


class _Packing:
    """The packed tape in the making."""

    def __init__(self, tape: Tape, packs: Packs) -> None:
        self.old, self.packs = tape, packs
        self.new: list[Instruction] = []
        self.scalars: dict[int, int] = {}  # value of the old tape: of the new one
        self.vectors: dict[Pack, int] = {}

    def tape(self, order: list[int]) -> Tape:
        instructions, packs = self.old.instructions, self.packs.by_value
        for i in order:
            op, args, data = instructions[i]
            if i not in packs:
                self.scalars[i] = self._emit(op, tuple([self._scalar(a) for a in args]), data)
            elif packs[i] not in self.vectors:
                arguments = tuple([self._vector(a) for a in self.packs.arguments(packs[i])])
                self.vectors[packs[i]] = self._emit(op, arguments)
        stores = tuple([Store(address, self._scalar(value)) for address, value in self.old.stores])
        return Tape(tuple(self.new), stores)

    def _emit(self, op: str, args: tuple[int, ...], data: object = None) -> int:
        self.new.append(Instruction(op, args, data))  # type: ignore[arg-type]
        return len(self.new) - 1

    def _scalar(self, value: int) -> int:
        if value not in self.scalars:
            pack = self.packs.by_value[value]
            self.scalars[value] = self._emit("lane", (self.vectors[pack],), pack.index(value))
        return self.scalars[value]

    def _vector(self, values: Pack) -> int:
        """Three lanes are computed in a register of four."""
        if values not in self.vectors:
            lanes = (*values, values[-1]) if len(values) == 3 else values
            self.vectors[values] = self._emit("pack", tuple([self._scalar(v) for v in lanes]))
        return self.vectors[values]
