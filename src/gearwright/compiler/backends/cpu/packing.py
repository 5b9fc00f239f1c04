"""Twins of one robot side by side: a tape whose instructions work on packs, and whose code is that much shorter.

`pack` puts values side by side, `lane` takes one out again; every other operation works lane by lane. A lane has the
bits that its value would have alone.
"""

from __future__ import annotations

from collections import Counter

from gearwright.compiler.backends.cpu.twins import Pack, Twins
from gearwright.compiler.ops import HALVES, OUTSIDE
from gearwright.compiler.tape import Instruction, Store, Tape

WIDEST = 4  # lanes of a pack: limbs come in twos and fours, and eight were not faster
LONG = {"div": 4, "inv": 4, "sqrt": 4}  # operations that take as long as so many others
ROUNDS = 2  # in which packs that do not pay are given up: nearly all are in the first
IN_MEMORY = (*OUTSIDE, *HALVES)


def pack_twins(tape: Tape, widest: int = WIDEST) -> Tape:
    """The tape with twins in packs of at most so many values."""
    if tape.indices():
        return tape
    twins = Twins(tape, widest)
    for _ in range(ROUNDS):
        for pack in _unprofitable(tape, twins):
            for member in pack:
                del twins.packs[member]
    return _Packing(tape, twins).tape() if twins.packs else tape


def _unprofitable(tape: Tape, twins: Twins) -> list[Pack]:
    """Packs without which there would be fewer instructions, those counted that put values together or apart."""
    instructions, packs = tape.instructions, dict.fromkeys(twins.packs.values())
    used = Counter(a for p in packs for a in twins.arguments(p))
    gathered = {a for a in used if not _is_free(tape, a, packs)}
    alone = {a for i, (_, args, _) in enumerate(instructions) if i not in twins.packs for a in args}
    alone |= {m for arguments in gathered for m in arguments}
    idle = []
    for pack in packs:
        more = len(pack) - 1
        change: float = more * LONG.get(instructions[pack[0]].op, 1) - sum(m in alone for m in pack)
        change += more * (pack in used)
        for arguments in {*twins.arguments(pack)}:
            if arguments in gathered:
                change -= _price(tape, arguments) / used[arguments]
            elif arguments in packs:
                change += sum(m not in alone for m in arguments)
        if change < 0:
            idle.append(pack)
    return idle


def _is_free(tape: Tape, arguments: Pack, packs: dict[Pack, None]) -> bool:
    same = len({*arguments}) == 1 or all(tape.instructions[a].op == "const" for a in arguments)
    return same or arguments in packs


def _price(tape: Tape, arguments: Pack) -> int:
    """Instructions that put values side by side: none of neighbours in memory, which they are to become."""
    return 0 if all(tape.instructions[a].op in IN_MEMORY for a in arguments) else len(arguments) - 1


class _Packing:
    """The packed tape in the making, level by level."""

    def __init__(self, tape: Tape, twins: Twins) -> None:
        self.old, self.twins = tape, twins
        self.new: list[Instruction] = []
        self.scalars: dict[int, int] = {}  # value of the old tape: of the new one
        self.vectors: dict[Pack, int] = {}

    def tape(self) -> Tape:
        instructions, packs = self.old.instructions, self.twins.packs
        for i in self._order():
            op, args, data = instructions[i]
            if i not in packs:
                self.scalars[i] = self._emit(op, tuple([self._scalar(a) for a in args]), data)
            elif packs[i] not in self.vectors:
                arguments = tuple([self._vector(a) for a in self.twins.arguments(packs[i])])
                self.vectors[packs[i]] = self._emit(op, arguments)
        stores = tuple([Store(address, self._scalar(value)) for address, value in self.old.stores])
        return Tape(tuple(self.new), stores)

    def _order(self) -> list[int]:
        """By level; angles whose sines are to lie side by side one after the other."""
        wanted: dict[int, int] = {}
        instructions = self.old.instructions
        for pack in dict.fromkeys(self.twins.packs.values()):
            for arguments in self.twins.arguments(pack):
                if all(instructions[a].op in HALVES for a in arguments):
                    for a in arguments:
                        wanted.setdefault(instructions[a].args[0], len(wanted))
        levels, last = self.twins.levels, len(wanted)
        return sorted(range(len(levels)), key=lambda i: (levels[i], wanted.get(i, last)))

    def _emit(self, op: str, args: tuple[int, ...], data: object = None) -> int:
        self.new.append(Instruction(op, args, data))  # type: ignore[arg-type]
        return len(self.new) - 1

    def _scalar(self, value: int) -> int:
        if value not in self.scalars:
            pack = self.twins.packs[value]
            self.scalars[value] = self._emit("lane", (self.vectors[pack],), pack.index(value))
        return self.scalars[value]

    def _vector(self, values: Pack) -> int:
        if values not in self.vectors:
            self.vectors[values] = self._emit("pack", tuple([self._scalar(v) for v in values]))
        return self.vectors[values]
