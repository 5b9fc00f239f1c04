"""One robot's isomorphic values in vectors: the instructions of a tape work on packs, and its code is shorter.

This is superword-level parallelism (Larsen and Amarasinghe 2000) on a tape. `pack` inserts values into a vector,
`lane` extracts one; lanewise operations work on vectors as on scalars, to the same bits.
"""

from __future__ import annotations

from collections import Counter

from gearwright.compiler.backends.cpu.isomorphic import IsomorphicPacks, Pack
from gearwright.compiler.ops import HALVES, OUTSIDE
from gearwright.compiler.tape import Instruction, Store, Tape

WIDEST = 4  # lanes of a pack: limbs come in twos and fours, and eight were not faster
LONG = {"div": 4, "inv": 4, "sqrt": 4}  # operations that take as long as so many others
ROUNDS = 2  # in which packs that do not pay are given up: nearly all are in the first
IN_MEMORY = (*OUTSIDE, *HALVES)


def pack_isomorphic(tape: Tape, widest: int = WIDEST) -> Tape:
    """The tape with isomorphic values in packs of at most so many."""
    if tape.indices():
        return tape
    isomorphic = IsomorphicPacks(tape, widest)
    for _ in range(ROUNDS):
        gains = _Gains(tape, isomorphic)
        for pack in [p for p in gains.packs if gains.of(p) < 0]:
            for member in pack:
                del isomorphic.packs[member]
    return _Packing(tape, isomorphic).tape() if isomorphic.packs else tape


class _Gains:
    """Instructions that a pack saves, less those that insert values into vectors and extract them."""

    def __init__(self, tape: Tape, isomorphic: IsomorphicPacks) -> None:
        self.tape, self.isomorphic = tape, isomorphic
        self.packs = dict.fromkeys(isomorphic.packs.values())
        self.users = Counter(a for p in self.packs for a in isomorphic.arguments(p))  # by vector of arguments
        self.inserted = {a for a in self.users if not _is_free(tape, a, self.packs)}
        scalar_users = (args for i, (_, args, _) in enumerate(tape.instructions) if i not in isomorphic.packs)
        self.scalars = {a for args in scalar_users for a in args}  # values that are wanted outside of their packs
        self.scalars |= {m for arguments in self.inserted for m in arguments}

    def of(self, pack: Pack) -> float:
        fewer = len(pack) - 1
        operations_saved = fewer * LONG.get(self.tape.instructions[pack[0]].op, 1)
        extracts = sum(m in self.scalars for m in pack)
        inserts_saved = fewer * (pack in self.users)  # its users would insert the values one by one
        gain: float = operations_saved - extracts + inserts_saved
        for arguments in {*self.isomorphic.arguments(pack)}:
            if arguments in self.inserted:
                gain -= _inserts(self.tape, arguments) / self.users[arguments]  # shared by the users
            elif arguments in self.packs:
                gain += sum(m not in self.scalars for m in arguments)  # extracts that scalar operations would need
        return gain


def _is_free(tape: Tape, arguments: Pack, packs: dict[Pack, None]) -> bool:
    same = len({*arguments}) == 1 or all(tape.instructions[a].op == "const" for a in arguments)
    return same or arguments in packs


def _inserts(tape: Tape, arguments: Pack) -> int:
    """Instructions that put values into a vector: none of values in memory, which are to be contiguous."""
    return 0 if all(tape.instructions[a].op in IN_MEMORY for a in arguments) else len(arguments) - 1


class _Packing:
    """The packed tape in the making, level by level."""

    def __init__(self, tape: Tape, isomorphic: IsomorphicPacks) -> None:
        self.old, self.isomorphic = tape, isomorphic
        self.new: list[Instruction] = []
        self.scalars: dict[int, int] = {}  # value of the old tape: of the new one
        self.vectors: dict[Pack, int] = {}

    def tape(self) -> Tape:
        instructions, packs = self.old.instructions, self.isomorphic.packs
        for i in self._order():
            op, args, data = instructions[i]
            if i not in packs:
                self.scalars[i] = self._emit(op, tuple([self._scalar(a) for a in args]), data)
            elif packs[i] not in self.vectors:
                arguments = tuple([self._vector(a) for a in self.isomorphic.arguments(packs[i])])
                self.vectors[packs[i]] = self._emit(op, arguments)
        stores = tuple([Store(address, self._scalar(value)) for address, value in self.old.stores])
        return Tape(tuple(self.new), stores)

    def _order(self) -> list[int]:
        """By level; angles whose sines are to lie side by side one after the other."""
        wanted: dict[int, int] = {}
        instructions = self.old.instructions
        for pack in dict.fromkeys(self.isomorphic.packs.values()):
            for arguments in self.isomorphic.arguments(pack):
                if all(instructions[a].op in HALVES for a in arguments):
                    for a in arguments:
                        wanted.setdefault(instructions[a].args[0], len(wanted))
        levels, last = self.isomorphic.levels, len(wanted)
        return sorted(range(len(levels)), key=lambda i: (levels[i], wanted.get(i, last)))

    def _emit(self, op: str, args: tuple[int, ...], data: object = None) -> int:
        self.new.append(Instruction(op, args, data))  # type: ignore[arg-type]
        return len(self.new) - 1

    def _scalar(self, value: int) -> int:
        if value not in self.scalars:
            pack = self.isomorphic.packs[value]
            self.scalars[value] = self._emit("lane", (self.vectors[pack],), pack.index(value))
        return self.scalars[value]

    def _vector(self, values: Pack) -> int:
        if values not in self.vectors:
            self.vectors[values] = self._emit("pack", tuple([self._scalar(v) for v in values]))
        return self.vectors[values]
