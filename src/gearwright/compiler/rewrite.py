"""How passes rewrite a tape: instruction by instruction into a builder that numbers equal values once.

Tapes have 10⁵ instructions and passes are Python: the loops here are written for speed. Tuples are made by
`tuple.__new__`, which is twice as fast as a named tuple's own constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gearwright.compiler.ops import OPS
from gearwright.compiler.tape import Address, Instruction, Store, Tape

Data = float | Address | None
COMMUTATIVE = frozenset(op.name for op in OPS.values() if op.commutative)
_tuple = tuple.__new__


class Builder:
    """A growing tape in which no two instructions are equal."""

    __slots__ = ("_numbers", "instructions")

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._numbers: dict[object, int] = {}

    def emit(self, op: str, *args: int) -> int:
        """The number of this value, new or known."""
        if len(args) == 2 and args[0] > args[1] and op in COMMUTATIVE:
            args = args[1], args[0]
        key = (op, args)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.instructions)
            self.instructions.append(_tuple(Instruction, (op, args, None)))
        return known

    def constant(self, value: float) -> int:
        """Constants differ by their bits: −0 is not 0."""
        value = float(value)
        return self._number(value or str(value), "const", (), value)

    def load(self, address: Address) -> int:
        return self._number(address, "load", (), address)

    def _number(self, key: object, op: str, args: tuple[int, ...], data: Data) -> int:
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.instructions)
            self.instructions.append(_tuple(Instruction, (op, args, data)))
        return known

    def value_of(self, number: int) -> float | None:
        """The number that a `const` stands for, None for anything else."""
        op, _, data = self.instructions[number]
        return data if op == "const" else None  # type: ignore[return-value]

    def is_op(self, number: int, op: str) -> bool:
        return self.instructions[number][0] == op

    def args(self, number: int) -> tuple[int, ...]:
        return self.instructions[number][1]


Rule = Callable[[Builder, str, tuple[int, ...]], int | None]


def rewrite(tape: Tape, rule: Rule) -> Tape:
    """Each instruction replaced by what `rule` emits for it; None means: as it stands.

    A rule sees arguments that are already rewritten, as numbers in the builder. Loads and constants stay.
    """
    builder = Builder()
    emit = builder.emit
    renumbered: list[int] = []
    add = renumbered.append
    for op, args, data in tape.instructions:
        if len(args) == 2:
            new_args: tuple[int, ...] = (renumbered[args[0]], renumbered[args[1]])
        elif args:
            new_args = tuple([renumbered[a] for a in args])
        else:
            add(builder.load(data) if op == "load" else builder.constant(data))  # type: ignore[arg-type]
            continue
        new = rule(builder, op, new_args)
        add(emit(op, *new_args) if new is None else new)
    return Tape(tuple(builder.instructions), _renumbered(tape.stores, renumbered))


def keep(tape: Tape, order: list[int]) -> Tape:
    """The instructions named, in that order."""
    renumbered = [-1] * len(tape.instructions)
    instructions: list[Instruction] = []
    add, old = instructions.append, tape.instructions
    for new, number in enumerate(order):
        renumbered[number] = new
        instruction = old[number]
        args = instruction[1]
        if args:
            moved = tuple([renumbered[a] for a in args])
            instruction = _tuple(Instruction, (instruction[0], moved, instruction[2]))
        add(instruction)
    return Tape(tuple(instructions), _renumbered(tape.stores, renumbered))


def _renumbered(stores: tuple[Store, ...], numbers: list[int]) -> tuple[Store, ...]:
    return tuple([_tuple(Store, (address, numbers[value])) for address, value in stores])


def live(tape: Tape) -> Iterator[int]:
    """Numbers of the values that some store needs, in order."""
    needed = [False] * len(tape.instructions)
    for store in tape.stores:
        needed[store.value] = True
    for i in range(len(needed) - 1, -1, -1):
        if needed[i]:
            for arg in tape.instructions[i][1]:
                needed[arg] = True
    return (i for i, yes in enumerate(needed) if yes)
