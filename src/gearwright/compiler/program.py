"""The program: named slots, and one step as straight-line stages, counted loops over them and branches.

A kernel repeats the step as often as the caller asks, so the loop over time is not part of the program. Inside a step,
every stage reads the slots as they stand when it begins and writes them when it ends; loops nest.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from gearwright.compiler.tape import Address, Rules, Tape, trace
from gearwright.errors import CompileError, suggestion

if TYPE_CHECKING:
    import casadi


class SlotKind(StrEnum):
    """Role of a slot."""

    INPUT = "input"  # read; held over all steps, or a new value each step
    PARAMETER = "parameter"  # read; held
    STATE = "state"  # read and written; persists from step to step
    OUTPUT = "output"  # written each step; may be read back within the step, may be recorded
    DERIVED = "derived"  # read and written; persists, but follows from the state: made again where its `fresh` is 0
    SCRATCH = "scratch"  # crosses stage boundaries within a step, then forgotten


LASTING = (SlotKind.STATE, SlotKind.DERIVED)


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A named array of numbers that every robot of a batch has one of."""

    name: str
    kind: SlotKind
    shape: tuple[int, ...] = ()
    bound: float = math.inf  # of a state's magnitude; a robot that passes it fails, like one that is not finite

    @property
    def size(self) -> int:
        """Number of elements (1 for a scalar)."""
        return math.prod(self.shape)


def slot_offsets(slots: Iterable[Slot], start: int = 0) -> dict[str, int]:
    """Slots one behind the other: the element at which each begins."""
    offsets = {}
    for slot in slots:
        offsets[slot.name] = start
        start += slot.size
    return offsets


@dataclass(frozen=True)
class Stage:
    """A tape with a name."""

    name: str
    tape: Tape


@dataclass(frozen=True)
class Loop:
    """`body`, `count` times at most.

    `until` names a slot of one number: the loop ends as soon as it is not zero for any robot of a block. A body must
    then leave alone whatever belongs to a robot for which it is not zero, so that no robot's bits depend on its
    neighbours.
    """

    count: int
    body: tuple[Stage | Loop | Branch, ...]
    until: str | None = None


@dataclass(frozen=True)
class Branch:
    """`body`, left out where the slot `unless`, one number, is not zero for all robots of a block.

    It must leave alone whatever belongs to a robot for which it is not zero: others of the block may need it.
    """

    unless: str
    body: tuple[Stage | Loop | Branch, ...]


Node = Stage | Loop | Branch
Body = tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Program:
    """One step of something that has slots. Checked when made."""

    name: str
    slots: tuple[Slot, ...]
    body: Body

    def __post_init__(self) -> None:
        self.verify()

    def slot(self, name: str) -> Slot:
        """The slot of that name."""
        slot = self._by_name.get(name)
        if slot is None:
            raise CompileError(f"no slot is named {name!r}{suggestion(name, self._by_name)}")
        return slot

    @cached_property
    def _by_name(self) -> dict[str, Slot]:
        return {slot.name: slot for slot in self.slots}

    def of_kind(self, *kinds: SlotKind) -> tuple[Slot, ...]:
        """Slots of the given kinds, in the program's order."""
        return tuple(s for s in self.slots if s.kind in kinds)

    @cached_property
    def inputs(self) -> tuple[Slot, ...]:
        """Slots that a back end reaches through a pointer of their own, because they may change every step."""
        return self.of_kind(SlotKind.INPUT)

    @cached_property
    def recordable(self) -> tuple[Slot, ...]:
        return self.of_kind(SlotKind.STATE, SlotKind.OUTPUT)

    @cached_property
    def state_elements(self) -> int:
        return sum(slot.size for slot in self.of_kind(SlotKind.STATE))

    def state_address(self, element: int) -> Address:
        """Slot and element of the state with this index."""
        for slot in self.of_kind(SlotKind.STATE):
            if element < slot.size:
                return Address(slot.name, element)
            element -= slot.size
        raise IndexError(element)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Every stage once, in the order of the text."""
        return stages_of(self.body)

    @property
    def ends(self) -> frozenset[str]:
        """Slots that loops and branches end by."""
        return frozenset(end for node in nodes_of(self.body) if (end := end_of(node)))

    def outline(self) -> Program:
        """The slots without any stage: all that callers of compiled code need."""
        return Program(name=self.name, slots=self.slots, body=())

    def map_tapes(self, rewrite: Callable[[Tape], Tape], *, verified: bool = True) -> Program:
        """The same program with each stage's tape rewritten; `verified`: unless the caller does that later."""
        return self.changed(self.slots, mapped_body(self.body, rewrite), verified=verified)

    def changed(self, slots: tuple[Slot, ...], body: Body, *, verified: bool = True) -> Program:
        """The program with other slots and another body."""
        if verified:
            return Program(name=self.name, slots=slots, body=body)
        new = object.__new__(Program)  # looking at 10⁵ instructions takes as long as a pass over them
        for field, value in (("name", self.name), ("slots", slots), ("body", body)):
            object.__setattr__(new, field, value)
        return new

    def content_hash(self) -> str:
        """Hexadecimal digest of the program's content."""
        text = repr((self.slots, self.body)).encode()
        return hashlib.sha256(text).hexdigest()

    def verify(self, tape_rules: Rules | None = None) -> Program:
        """Returns the program itself; raises `CompileError` naming the broken rule. `tape_rules`: see `Tape.verify`."""
        for rule, broken in RULES.items():
            for complaint in broken(self):
                raise CompileError(f"invalid program {self.name!r} ({rule}): {complaint}")
        sizes = {slot.name: slot.size for slot in self.slots}
        for stage in self.stages:
            stage.tape.verify(sizes, tape_rules)
        return self


def stage(function: casadi.Function) -> Stage:
    """A stage from a CasADi `SX` function: its input and output names are the slots it reads and writes."""
    return Stage(function.name(), trace(function))


def function_program(function: casadi.Function) -> Program:
    """A program that evaluates a CasADi function: its inputs are `input` slots, its outputs `output` slots."""
    slots = [_slot(n, SlotKind.INPUT, function.size_in(i)) for i, n in enumerate(function.name_in())]
    slots += [_slot(n, SlotKind.OUTPUT, function.size_out(i)) for i, n in enumerate(function.name_out())]
    return Program(name=function.name(), slots=tuple(slots), body=(stage(function),))


def _slot(name: str, kind: SlotKind, size: tuple[int, int]) -> Slot:
    rows, columns = size
    return Slot(name=name, kind=kind, shape=(rows,) if columns == 1 else (rows, columns))


def nodes_of(body: Body) -> Iterator[Node]:
    for node in body:
        yield node
        if not isinstance(node, Stage):
            yield from nodes_of(node.body)


def end_of(node: Node) -> str | None:
    """The slot that ends a loop or a branch."""
    if isinstance(node, Branch):
        return node.unless
    return node.until if isinstance(node, Loop) else None


def stages_of(body: Body) -> tuple[Stage, ...]:
    """Every stage once, in the order of the text."""
    return tuple({id(node): node for node in nodes_of(body) if isinstance(node, Stage)}.values())


def without_branches(body: Body) -> Body:
    """What a step usually runs."""
    kept = (node for node in body if not isinstance(node, Branch))
    return tuple(replace(n, body=without_branches(n.body)) if isinstance(n, Loop) else n for n in kept)


def mapped_body(body: Body, rewrite: Callable[[Tape], Tape]) -> Body:
    """The same with each tape rewritten; a stage that is there twice stays one."""
    known: dict[int, Stage] = {}

    def mapped(node: Node) -> Node:
        if not isinstance(node, Stage):
            return replace(node, body=tuple(map(mapped, node.body)))
        if id(node) not in known:
            known[id(node)] = Stage(node.name, rewrite(node.tape))
        return known[id(node)]

    return tuple(map(mapped, body))


# What makes a program valid. ----------------------------------------------------------------------------------------


def _names_are_unique(program: Program) -> Iterable[str]:
    names = [slot.name for slot in program.slots]
    return (f"slot {name!r} is there twice" for name in set(names) if names.count(name) > 1)


def _slots_exist(program: Program) -> Iterable[str]:
    known = {slot.name for slot in program.slots}
    for s in program.stages:
        for address in sorted(s.tape.reads() | s.tape.writes()):
            if address.slot not in known:
                yield f"stage {s.name!r} uses slot {address.slot!r}"


def _read_only_kinds(program: Program) -> Iterable[str]:
    fixed = {slot.name for slot in program.of_kind(SlotKind.INPUT, SlotKind.PARAMETER)}
    return (
        f"stage {s.name!r} writes {address.slot!r}"
        for s in program.stages
        for address in s.tape.writes()
        if address.slot in fixed
    )


def _written_before_read(program: Program) -> Iterable[str]:
    """Scratch and outputs do not outlive a step, so a read must have a write earlier in the step."""
    passing = {slot.name for slot in program.of_kind(SlotKind.SCRATCH, SlotKind.OUTPUT)}
    written: set[Address] = set()
    for s in program.stages:
        for address in sorted(s.tape.reads() - written):
            if address.slot in passing:
                yield f"stage {s.name!r} reads {address.slot}[{address.element}], which no earlier stage wrote"
        written |= s.tape.writes()


def _counts_are_not_negative(program: Program) -> Iterable[str]:
    return (
        f"a loop runs {node.count} times"
        for node in nodes_of(program.body)
        if isinstance(node, Loop) and node.count < 0
    )


def _ends_exist(program: Program) -> Iterable[str]:
    """The slot that ends a loop or a branch is one number, written by a stage before it or part of the state."""
    readable = {
        s.name for s in program.slots if s.size == 1 and s.kind in (SlotKind.SCRATCH, SlotKind.OUTPUT, *LASTING)
    }
    written = {s.name for s in program.of_kind(*LASTING)}
    for node in nodes_of(program.body):
        if isinstance(node, Stage):
            written |= {address.slot for address in node.tape.writes()}
        elif (end := end_of(node)) is not None and not (end in readable and end in written):
            yield f"a loop or a branch ends by {end!r}, which is no single number written before it"


def _bounds_are_of_states(program: Program) -> Iterable[str]:
    return (
        f"slot {slot.name!r} is bounded by {slot.bound}"
        for slot in program.slots
        if slot.bound != math.inf and not (slot.kind is SlotKind.STATE and slot.bound > 0)
    )


RULES: dict[str, Callable[[Program], Iterable[str]]] = {
    "names are unique": _names_are_unique,
    "slots exist": _slots_exist,
    "inputs and parameters are only read": _read_only_kinds,
    "written before read": _written_before_read,
    "counts are not negative": _counts_are_not_negative,
    "ends of loops exist": _ends_exist,
    "bounds are positive, and of states": _bounds_are_of_states,
}
