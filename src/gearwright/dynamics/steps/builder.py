"""Builds a step: stages over named slots, and loops and branches over stages.

    build.velocity = [...]           a slot's new numbers, which everything after this line reads
    build.stage("predict")           cuts: what was assigned so far is computed and stored
    with build.loop(8, until=Slots.settled): ...
    with build.unless(Slots.accepted): ...

A stage is a CasADi Function. It reads the slots that its expressions contain and writes those that were assigned. The
text of a step therefore reads like one calculation, cut only where a loop or a branch begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import Expression, Scalar, column, is_number, scalars, without_simplification
from gearwright.dynamics.steps.slots import Slots
from gearwright.model.layout.slots import SlotName


@dataclass(frozen=True)
class Repeat:
    """`body`, `count` times at most, or until the named number is not zero."""

    count: int
    body: tuple[Function | Repeat | Unless, ...]
    until: SlotName | None = None


@dataclass(frozen=True)
class Unless:
    """`body`, skipped if the named number is not zero."""

    unless: SlotName
    body: tuple[Function | Repeat | Unless, ...]


Node = Function | Repeat | Unless
Body = tuple[Node, ...]
CHEAP = frozenset((casadi.OP_ADD, casadi.OP_SUB, casadi.OP_MUL, casadi.OP_NEG, casadi.OP_TWICE, casadi.OP_SQ))


class StageBoundary:
    """Collects what one stage computes for later ones, and puts a slot's symbols in its place.

    What is a slot's number already is left where it is: it must not be used after a stage has written that slot.
    """

    def __init__(self, kept: Sequence[Scalar] = ()) -> None:
        self.values: list[Scalar] = []
        self.symbols: list[Scalar] = []
        self._known: dict[int, Scalar] = {}
        self._kept = {x.sx.element_hash() for x in kept if not is_number(x)}

    def __call__(self, x: Scalar) -> Scalar:
        if is_number(x) or x.sx.is_symbolic():
            return x
        key = x.sx.element_hash()  # the same value is carried once
        if key not in self._known:
            self.values.append(x)
            self.symbols.append(Expression.symbol(f"c{len(self.symbols)}"))
            self._known[key] = self.symbols[-1]
        return self._known[key]

    def number_too(self, x: Scalar) -> Scalar:
        """A slot even for a constant: in another phase the number there is not constant."""
        if not is_number(x):
            return self(x)
        self.values.append(x)
        self.symbols.append(Expression.symbol(f"c{len(self.symbols)}"))
        return self.symbols[-1]

    def unless_cheap(self, x: Scalar) -> Scalar:
        """Leaves out expressions that are one or two products or sums away from the numbers `kept`: recomputing is
        cheaper than memory."""
        return x if is_number(x) or self._is_cheap(x.sx, 2) else self(x)

    def _is_cheap(self, x: SX, operations: int) -> bool:
        """Whether x is at most so many operations away from numbers that are kept."""
        if x.is_constant() or x.element_hash() in self._kept:
            return True
        if not operations or x.is_symbolic() or x.op() not in CHEAP:
            return False
        return all(self._is_cheap(x.dep(i), operations - 1) for i in range(x.n_dep()))


class StepBuilder(Slots):
    """The stages of one step in the making. `inputs` are the slots that a step begins with."""

    __slots__ = ("_assigned", "_inputs", "_made", "_open", "_slots", "_symbols")

    def __init__(self, inputs: Mapping[SlotName, SX]) -> None:
        self._slots: dict[SlotName, SX] = {}
        self._symbols: dict[SlotName, frozenset[int]] = {}  # hashes of each slot's elements
        for slot, symbol in inputs.items():
            self._add(slot, symbol)
        self._assigned: dict[SlotName, list[Scalar] | StageBoundary] = {}
        self._open: list[list[Node]] = [[]]
        self._made: dict[str, Function] = {}
        self._inputs = list(inputs)  # the first stage reads all of them, so that a program has them

    @property
    def body(self) -> Body:
        assert not self._assigned, f"no stage stores {', '.join(self._assigned)}"
        (body,) = self._open
        return tuple(body)

    def __getitem__(self, slot: SlotName) -> Column:
        """The numbers of a slot."""
        assigned = self._assigned.get(slot)
        return Column(scalars(self._slots[slot]) if assigned is None else assigned)  # type: ignore[arg-type]

    def __contains__(self, slot: SlotName) -> bool:
        return slot in self._assigned or slot in self._slots

    def __setitem__(self, slot: SlotName, values: Sequence[Scalar]) -> None:
        self._assigned[slot] = list(values)

    def carry(self, slot: SlotName, kept: Sequence[Scalar] = ()) -> StageBoundary:
        """A boundary; numbers that go through it are stored in the slot by the next stage."""
        boundary = StageBoundary(kept)
        self._assigned[slot] = boundary
        return boundary

    def stage(self, name: str) -> None:
        """Ends a stage: what was assigned is computed and stored."""
        written = {slot: x.values if isinstance(x, StageBoundary) else x for slot, x in self._assigned.items()}
        with without_simplification():
            columns = casadi.cse([column(values) for values in written.values()])
        used = self._read_by(columns)
        read = [slot for slot in self._slots if slot in self._inputs or slot in used]
        symbols = [self._slots[slot] for slot in read]
        twice = {"allow_duplicate_io_names": True}
        self._made[name] = Function(name, symbols, columns, read, list(written), twice)
        self._open[-1].append(self._made[name])
        for slot, x in self._assigned.items():
            if isinstance(x, StageBoundary):
                self._add(slot, column(x.symbols))
            elif slot not in self._slots:
                self._add(slot, SX.sym(slot, len(x)))
        self._assigned, self._inputs = {}, []

    def again(self, name: str) -> None:
        """A stage that is there already, once more: on the slots as they are now."""
        assert not self._assigned, f"no stage stores {', '.join(self._assigned)}"
        self._open[-1].append(self._made[name])

    @contextmanager
    def loop(self, count: int, until: SlotName | None = None) -> Iterator[None]:
        """The stages inside are repeated. The slot that ends the loop is stored before it."""
        with self._nested() as body:
            yield
        self._open[-1].append(Repeat(count, tuple(body), until))

    @contextmanager
    def unless(self, slot: SlotName) -> Iterator[None]:
        """The stages inside are left out where the slot's number, stored before, is not 0.

        In a batch they run where another robot needs them: they leave alone what belongs to a robot that does not.
        """
        with self._nested() as body:
            yield
        self._open[-1].append(Unless(slot, tuple(body)))

    @contextmanager
    def _nested(self) -> Iterator[list[Node]]:
        """The list that stages inside go into."""
        assert not self._assigned, f"a loop or branch begins before a stage stores {', '.join(self._assigned)}"
        self._open.append([])
        yield self._open[-1]
        self._open.pop()

    def _add(self, slot: SlotName, symbol: SX) -> None:
        self._slots[slot] = symbol
        self._symbols[slot] = frozenset(s.element_hash() for s in casadi.symvar(symbol))

    def _read_by(self, columns: Sequence[SX]) -> set[SlotName]:
        used = {s.element_hash() for s in casadi.symvar(casadi.vertcat(*columns))}
        return {name for name, own in self._symbols.items() if not used.isdisjoint(own)}
