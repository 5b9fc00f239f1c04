"""How passes rewrite a tape: instruction by instruction into a builder that numbers equal values once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gearwright.compiler.ops import OPS
from gearwright.compiler.tape import Address, Instruction, Store, Tape

Data = float | Address | None


class Builder:
    """A growing tape in which no two instructions are equal."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._numbers: dict[tuple[str, tuple[int, ...], str | Data], int] = {}

    def emit(self, op: str, *args: int, data: Data = None) -> int:
        """The number of this value, new or known. Constants differ by their bits: −0 is not 0."""
        if len(args) == 2 and args[0] > args[1] and OPS[op].commutative:
            args = args[1], args[0]
        key = (op, args, data.hex() if isinstance(data, float) else data)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.instructions)
            self.instructions.append(Instruction(op, args, data))
        return known

    def constant(self, value: float) -> int:
        return self.emit("const", data=float(value))

    def value_of(self, number: int) -> float | None:
        """The number that a `const` stands for, None for anything else."""
        op, _, data = self.instructions[number]
        return data if op == "const" else None  # type: ignore[return-value]

    def is_op(self, number: int, op: str) -> bool:
        return self.instructions[number].op == op

    def args(self, number: int) -> tuple[int, ...]:
        return self.instructions[number].args


Rule = Callable[[Builder, str, tuple[int, ...]], int | None]


def rewrite(tape: Tape, rule: Rule) -> Tape:
    """Each instruction replaced by what `rule` emits for it; None means: as it stands.

    A rule sees arguments that are already rewritten, as numbers in the builder.
    """
    builder = Builder()
    renumbered: list[int] = []
    for op, args, data in tape.instructions:
        new_args = tuple([renumbered[a] for a in args])
        new = rule(builder, op, new_args)
        renumbered.append(builder.emit(op, *new_args, data=data) if new is None else new)
    stores = tuple(Store(address, renumbered[value]) for address, value in tape.stores)
    return Tape(tuple(builder.instructions), stores)


def uses(tape: Tape) -> list[list[int]]:
    """For each value, the instructions that use it (once for each argument place); stores count as use −1."""
    users: list[list[int]] = [[] for _ in tape.instructions]
    for i, instruction in enumerate(tape.instructions):
        for arg in instruction.args:
            users[arg].append(i)
    for store in tape.stores:
        users[store.value].append(-1)
    return users


def keep(tape: Tape, order: list[int]) -> Tape:
    """The instructions named, in that order."""
    renumbered = {old: new for new, old in enumerate(order)}
    kept = (tape.instructions[i] for i in order)
    instructions = tuple(Instruction(op, tuple([renumbered[a] for a in args]), data) for op, args, data in kept)
    return Tape(instructions, tuple(Store(address, renumbered[value]) for address, value in tape.stores))


def live(tape: Tape) -> Iterator[int]:
    """Numbers of the values that some store needs, in order."""
    needed = [False] * len(tape.instructions)
    for store in tape.stores:
        needed[store.value] = True
    for i in range(len(needed) - 1, -1, -1):
        if needed[i]:
            for arg in tape.instructions[i].args:
                needed[arg] = True
    return (i for i, yes in enumerate(needed) if yes)
