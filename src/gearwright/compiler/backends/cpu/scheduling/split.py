"""Long stages as several functions: registers are allocated in more than linear time of a function's length.

A cut goes where few values are alive. Those that are cross it in scratch memory, as they would on the stack; constants
and loads are made again behind it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from gearwright.compiler.backends.cpu.superword.vectors import widths
from gearwright.compiler.ops import OUTSIDE, PAIR
from gearwright.compiler.program import Body, Node, Program, Slot, SlotKind, Stage
from gearwright.compiler.tape import Address, Instruction, Store, Tape

LONGEST = 2500  # instructions of a function
WINDOW = 0.3  # of a function's length, in which a cut is looked for
SLOT = "crossing"


def split_program(program: Program, longest: int = LONGEST) -> Program:
    """The program, not verified, with no stage longer than that."""
    known: dict[int, tuple[Stage, ...]] = {}

    def parts(stage: Stage) -> tuple[Stage, ...]:
        if id(stage) not in known:
            tapes = split_tape(stage.tape, longest)
            names = [stage.name, *(f"{stage.name}_{n}" for n in range(2, len(tapes) + 1))]
            own = tuple(Stage(name, tape) for name, tape in zip(names, tapes, strict=True))
            known[id(stage)] = (stage,) if len(tapes) == 1 else own
        return known[id(stage)]

    def changed(body: Body) -> Body:
        nodes: list[Node] = []
        for node in body:
            if isinstance(node, Stage):
                nodes += parts(node)
            else:
                nodes.append(replace(node, body=changed(node.body)))
        return tuple(nodes)

    body = changed(program.body)
    stored = [a.element for s in known.values() for part in s for a in part.tape.writes() if a.slot == SLOT]
    if not stored:
        return program
    slot = Slot(name=SLOT, kind=SlotKind.SCRATCH, shape=(1 + max(stored),))
    return program.changed((*program.slots, slot), body, verified=False)


def split_tape(tape: Tape, longest: int) -> tuple[Tape, ...]:
    if len(tape.instructions) <= longest:
        return (tape,)
    return _Split(tape, cuts(tape, longest)).parts()


def last_uses(tape: Tape) -> list[int]:
    """By value the last instruction that it is an argument of, or itself; a stored one is used at the end."""
    last = list(range(len(tape.instructions)))
    for i, instruction in enumerate(tape.instructions):
        for a in instruction.args:
            last[a] = i
    for store in tape.stores:
        last[store.value] = len(tape.instructions)
    return last


def made_again(tape: Tape) -> list[bool]:
    """Whether a value is made again behind a cut: constants, loads, and packs of them."""
    found: list[bool] = []
    for op, args, _ in tape.instructions:
        found.append(op in OUTSIDE or (op == "pack" and all(found[a] for a in args)))
    return found


def cuts(tape: Tape, longest: int) -> list[int]:
    """Instructions before which to cut: where fewest values are alive, and no pair is."""
    n = len(tape.instructions)
    change, again = [0] * (n + 2), made_again(tape)
    for i, (instruction, last) in enumerate(zip(tape.instructions, last_uses(tape), strict=True)):
        if not again[i]:
            weight = n if instruction.op == PAIR else 1
            change[i + 1] += weight
            change[last + 1] -= weight
    alive = [*accumulate(change)]
    found, start = [], 0
    while n - start > longest:
        window = range(start + round((1.0 - WINDOW) * longest), start + longest + 1)
        start = min(window, key=lambda i: (alive[i], -i))
        while alive[start] >= n:  # between a pair and its uses
            start += 1
        found.append(start)
    return found


class _Split:
    """One tape in the making for each part."""

    def __init__(self, tape: Tape, cuts: Sequence[int]) -> None:
        self.tape, self.cuts = tape, cuts
        self.again, self.widths = made_again(tape), widths(tape)
        count = len(cuts) + 1
        self.instructions: list[list[Instruction]] = [[] for _ in range(count)]
        self.stores: list[list[Store]] = [[] for _ in range(count)]
        self.places: list[dict[int, int]] = [{} for _ in range(count)]  # value of the whole: of the part
        self.crossing: dict[int, int] = {}  # value: element, or the first of a pack's
        self.free: dict[int, list[int]] = {}  # by the number of lanes
        self.size = 0

    def part(self, value: int) -> int:
        return bisect_right(self.cuts, value)

    def parts(self) -> tuple[Tape, ...]:
        tape, used = self.tape, self._last_parts()
        ending: dict[int, list[int]] = {}
        for i, instruction in enumerate(tape.instructions):
            part = self.part(i)
            if i in self.cuts:
                for value in ending.pop(part - 1, ()):  # read for the last time in a part that is complete
                    self.free.setdefault(self.widths[value], []).append(self.crossing[value])
            if self.again[i]:
                continue
            if instruction.op == PAIR:
                self._prepare_group(i, part)
            args = tuple(self._in_part(a, part) for a in instruction.args)
            self._emit(i, part, instruction._replace(args=args))
            if used[i] > part:
                ending.setdefault(used[i], []).append(i)
                self._cross(i, part)
        for store in tape.stores:
            part = self._stored_in(store)
            self.stores[part].append(Store(store.address, self._in_part(store.value, part)))
        rows = zip(self.instructions, self.stores, strict=True)
        return tuple(Tape(tuple(own), tuple(sorted(stores))) for own, stores in rows)

    def _cross(self, value: int, part: int) -> None:
        """Stores a value for later parts; of a pack, the lanes."""
        lanes, place = self.widths[value], self.places[part][value]
        free = self.free.get(lanes)
        self.crossing[value] = free.pop() if free else self.size
        self.size = max(self.size, self.crossing[value] + lanes)
        for k in range(lanes):
            if lanes > 1:
                self.instructions[part].append(Instruction("lane", (place,), k))
            own = place if lanes == 1 else len(self.instructions[part]) - 1
            self.stores[part].append(Store(Address(SLOT, self.crossing[value] + k), own))

    def _prepare_group(self, first: int, part: int) -> None:
        """Arguments of all pairs in a row come before the first: with nothing between them, these are one group
        of angles (`schedule`)."""
        for i in range(first, len(self.tape.instructions)):
            instruction = self.tape.instructions[i]
            if instruction.op != PAIR or self.part(i) != part:
                return
            for a in instruction.args:
                if self.part(a) != part or self.again[a]:
                    self._in_part(a, part)

    def _emit(self, value: int, part: int, instruction: Instruction) -> None:
        self.places[part][value] = len(self.instructions[part])
        self.instructions[part].append(instruction)

    def _in_part(self, value: int, part: int) -> int:
        """The value's number in a part; made again, or loaded, where it comes from an earlier one."""
        if value not in self.places[part]:
            instruction = self.tape.instructions[value]
            if self.again[value]:
                args = tuple(self._in_part(a, part) for a in instruction.args)
                self._emit(value, part, instruction._replace(args=args))
            else:
                self._emit(value, part, self._crossed(value, part))
        return self.places[part][value]

    def _crossed(self, value: int, part: int) -> Instruction:
        first, own, lanes = self.crossing[value], self.instructions[part], self.widths[value]
        loads = [Instruction("load", (), Address(SLOT, first + k)) for k in range(lanes)]
        if lanes == 1:
            return loads[0]
        own += loads
        return Instruction("pack", tuple(range(len(own) - lanes, len(own))))

    def _last_parts(self) -> list[int]:
        """In which each value is used last: by an instruction, or by a store."""
        last = [self.part(i) for i in range(len(self.tape.instructions))]
        for i, instruction in enumerate(self.tape.instructions):
            for a in instruction.args:
                last[a] = max(last[a], self.part(i))
        for i in range(len(last) - 1, -1, -1):  # what is made again loads again
            if self.again[i]:
                for a in self.tape.instructions[i].args:
                    last[a] = max(last[a], last[i])
        self._loaded: dict[Address, int] = {}
        for i, instruction in enumerate(self.tape.instructions):
            if isinstance(instruction.data, Address):
                self._loaded[instruction.data] = max(self._loaded.get(instruction.data, 0), last[i])
        self._delay_overwriting()
        for store in self.tape.stores:
            last[store.value] = max(last[store.value], self._stored_in(store))
        return last

    def _delay_overwriting(self) -> None:
        """A stored load, `b := a`, is loaded again in the part of its store: `a` is overwritten no earlier.

        That may delay another copy in turn (`c := b`, `b := a`), so this is repeated until nothing changes.
        """
        copies = [(s, a) for s in self.tape.stores if (a := self.tape.instructions[s.value].data) in self._loaded]
        changed = True
        while changed:
            changed = False
            for store, source in copies:
                part = self._stored_in(store)
                if self._loaded[source] < part:
                    self._loaded[source], changed = part, True

    def _stored_in(self, store: Store) -> int:
        """Where its value is made; or, if the old one is read later, there."""
        made = self.again[store.value]
        return max(0 if made else self.part(store.value), self._loaded.get(store.address, 0))
