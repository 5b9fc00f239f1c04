"""The driver: an LLVM function `run` that walks a span of blocks and its steps, calls the stages, and keeps watch.

    for each block:  for each step:  stages and loops → commit or recover → record

It takes one address, of a table of 64-bit words (`CallTable`). `run_spans` calls it for each span of a batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.batches.spans import run_spans
from gearwright.compiler.backends.cpu.llvm import watch
from gearwright.compiler.backends.cpu.llvm.ir import Types, number, types
from gearwright.compiler.program import Body, Branch, Loop, Program, Slot, Stage

FIXED_WORDS = (
    "steps",
    "first_step",
    "continues",
    "every",
    "until_first",
    "rows",
    "first_block",
    "last_block",
    "arena",
    "scratch",
    "failed_step",
    "failed_element",
    "failed_value",
    "any_failed",
)


@dataclass(frozen=True)
class CallTable:
    """Which word of the call table holds what.

    A long run is made in several calls: `first_step` is the number of steps before this one, and where `continues` is
    1, a robot that failed before stays as it is. `every` 0 records nothing; the first record comes after `until_first`
    steps, and a block has `rows` of them. `any_failed` is an answer: 1 if some robot failed. Each input has an
    address, a stride from block to block and one from step to step (0: held), in bytes. Each recordable slot has the
    address of its record, or 0.
    """

    layout: BlockLayout

    @cached_property
    def words(self) -> dict[str, int]:
        names = [*FIXED_WORDS]
        for slot in self.layout.program.inputs:
            names += [f"input {slot.name}", f"block stride {slot.name}", f"step stride {slot.name}"]
        names += [f"record {slot.name}" for slot in self.layout.program.recordable]
        return {name: index for index, name in enumerate(names)}


class Driver:
    """Writes `run`. Everything that changes lives in stack variables: beside a step their cost does not show."""

    def __init__(self, layout: BlockLayout, precision: str) -> None:
        self.layout, self.t = layout, types(layout.lanes, precision)
        self.table = CallTable(layout).words
        self.element = layout.lanes * self.t.bits // 8  # bytes
        self.lines: list[str] = []
        self._places: list[str] = []  # of a step's memory: arena, scratch, inputs
        self._numbers = count()
        self._stage_numbers = {id(stage): n for n, stage in enumerate(layout.program.stages)}

    def text(self) -> str:
        """The function, and those that watch over the states."""
        with_state = bool(self.layout.committed)
        self._prologue()
        for _ in self._loop("block", self._word("first_block"), self._word("last_block")):
            self._begin_block(with_state)
            block = self._block_places()
            for _ in self._loop("step", "0", self._word("steps")):
                self._place(*block)
                self._body(self.layout.program.body)
                if with_state:
                    self._commit()
                self._record()
        body = "\n".join(self.lines)
        watching = watch.watch_functions(self.layout, self.t) if with_state else ""
        return f"define void @run(ptr noalias %call) {{\n{body}\nret void\n}}\n{watching}{run_spans(self.table)}"

    # small pieces of text

    def _line(self, text: str) -> None:
        self.lines.append(text)

    def _set(self, text: str) -> str:
        name = f"%x{next(self._numbers)}"
        self._line(f"{name} = {text}")
        return name

    def _word_at(self, name: str) -> str:
        return self._set(f"getelementptr i64, ptr %call, i64 {self.table[name]}")

    def _word(self, name: str, kind: str = "i64") -> str:
        return self._set(f"load {kind}, ptr {self._word_at(name)}")

    def _variable(self, name: str) -> str:
        return self._set(f"load i64, ptr %{name}")

    def _times(self, a: str, b: str | int) -> str:
        return self._set(f"mul i64 {a}, {b}")

    def _plus(self, a: str, b: str | int) -> str:
        return self._set(f"add i64 {a}, {b}")

    def _forward(self, pointer: str, by: str | int) -> str:
        return self._set(f"getelementptr i8, ptr {pointer}, i64 {by}")

    def _loop(self, name: str, start: str, end: str, until: str | None = None) -> Iterator[None]:
        """`for … in self._loop(…)`: the body, once, between the lines of a counted loop."""
        n = f"{name}{next(self._numbers)}"
        self._line(f"store i64 {start}, ptr %{name}\nbr label %{n}.head\n{n}.head:")
        more = self._set(f"icmp slt i64 {self._variable(name)}, {end}")
        if until is not None:
            more = self._set(f"and i1 {more}, {self._any_zero(until)}")
        self._line(f"br i1 {more}, label %{n}.body, label %{n}.end\n{n}.body:")
        yield
        following = self._plus(self._variable(name), 1)
        self._line(f"store i64 {following}, ptr %{name}\nbr label %{n}.head\n{n}.end:")

    def _unless(self, slot: str) -> Iterator[None]:
        """`for … in self._unless(…)`: the body, once, between the lines of a branch."""
        n = f"unless{next(self._numbers)}"
        self._line(f"br i1 {self._any_zero(slot)}, label %{n}.body, label %{n}.end\n{n}.body:")
        yield
        self._line(f"br label %{n}.end\n{n}.end:")

    def _any_zero(self, slot: str) -> str:
        """Whether the slot's one number is zero for some robot of the block."""
        t, layout = self.t, self.layout
        arena, scratch, *_ = self._places
        base, offsets = (scratch, layout.scratch) if slot in layout.scratch else (arena, layout.arena)
        value = self._set(f"load {t.F}, ptr {self._forward(base, offsets[slot] * self.element)}")
        zero = self._set(f"fcmp oeq {t.F} {value}, {number(0.0, t)}")
        if t.lanes == 1:
            return zero
        mask = self._set(f"bitcast {t.B} {zero} to i{t.lanes}")
        return self._set(f"icmp ne i{t.lanes} {mask}, 0")

    # where a block's memory is

    def _block_places(self) -> tuple[str, str, list[tuple[str, str]]]:
        """Arena, scratch, and of each input its place in the block's first step and what a step adds to it."""
        inputs = [
            (self._input(slot.name), self._word(f"step stride {slot.name}")) for slot in self.layout.program.inputs
        ]
        return self._arena(), self._scratch(), inputs

    def _place(self, arena: str, scratch: str, inputs: Sequence[tuple[str, str]]) -> None:
        """Addresses that are the same in every stage of a step: worked out once."""
        moved = [self._forward(start, self._times(self._variable("step"), stride)) for start, stride in inputs]
        self._places = [arena, scratch, *moved]

    def _arena(self) -> str:
        offset = self._times(self._variable("block"), self.layout.arena_elements * self.element)
        return self._forward(self._word("arena", "ptr"), offset)

    def _scratch(self) -> str:
        return self._word("scratch", "ptr")

    def _input(self, name: str) -> str:
        block = self._times(self._variable("block"), self._word(f"block stride {name}"))
        return self._forward(self._word(f"input {name}", "ptr"), block)

    def _report(self, name: str) -> str:
        first = self._times(self._variable("block"), self.layout.lanes)
        return self._set(f"getelementptr i64, ptr {self._word(name, 'ptr')}, i64 {first}")

    # the parts of the walk

    def _prologue(self) -> None:
        loops = [f"loop{depth}" for depth in range(_depth(self.layout.program.body))]
        for name in ("block", "step", "until_record", "recorded", "any_failed", *loops):
            self._line(f"%{name} = alloca i64")
        self._line(f"store i64 0, ptr {self._word_at('any_failed')}")

    def _begin_block(self, with_state: bool) -> None:
        self._line("store i64 0, ptr %any_failed\nstore i64 0, ptr %recorded")
        self._line(f"store i64 {self._word('until_first')}, ptr %until_record")
        if with_state:
            self._line(f"call void @save(ptr {self._arena()}, ptr {self._scratch()})")
            for lane in range(self.layout.lanes):
                self._begin_lane(self._forward(self._report("failed_step"), 8 * lane))

    def _begin_lane(self, failed_at: str) -> None:
        """A robot is sound, unless it failed in a call that this one continues."""
        fresh = self._set(f"icmp eq i64 {self._word('continues')}, 0")
        failed = self._set(f"select i1 {fresh}, i64 -1, i64 {self._set(f'load i64, ptr {failed_at}')}")
        self._line(f"store i64 {failed}, ptr {failed_at}")
        sound = self._set(f"icmp eq i64 {failed}, -1")
        before = self._set(f"select i1 {sound}, i64 {self._variable('any_failed')}, i64 1")
        self._line(f"store i64 {before}, ptr %any_failed")

    def _body(self, body: Body, depth: int = 0) -> None:
        for node in body:
            if isinstance(node, Stage):
                self._stage(node)
            elif isinstance(node, Branch):
                for _ in self._unless(node.unless):
                    self._body(node.body, depth)
            else:
                for _ in self._loop(f"loop{depth}", "0", str(node.count), node.until):
                    self._body(node.body, depth + 1)

    def _stage(self, stage: Stage) -> None:
        arguments = ", ".join(f"ptr {pointer}" for pointer in self._places)
        self._line(f"call void @stage{self._stage_numbers[id(stage)]}({arguments})")

    def _commit(self) -> None:
        n, (arena, scratch, *_) = next(self._numbers), self._places
        bad = self._set(f"call i1 @commit(ptr {arena}, ptr {scratch}, i64 {self._variable('any_failed')})")
        self._line(f"br i1 {bad}, label %bad{n}, label %good{n}, !prof !0\nbad{n}:")
        step = self._plus(self._word("first_step"), self._variable("step"))
        notes = [f"ptr {self._report(word)}" for word in ("failed_step", "failed_element", "failed_value")]
        self._line(f"call void @recover(ptr {arena}, ptr {scratch}, {', '.join(notes)}, i64 {step})")
        self._line(f"store i64 1, ptr %any_failed\nstore i64 1, ptr {self._word_at('any_failed')}")
        self._line(f"br label %good{n}\ngood{n}:")

    def _record(self) -> None:
        n = next(self._numbers)
        left = self._plus(self._variable("until_record"), -1)
        due = self._set(f"icmp eq i64 {left}, 0")
        self._line(f"store i64 {left}, ptr %until_record")
        self._line(f"br i1 {due}, label %record{n}, label %recorded{n}\nrecord{n}:")
        for slot in self.layout.program.recordable:
            start, m = self._word(f"record {slot.name}", "ptr"), next(self._numbers)
            absent = self._set(f"icmp eq ptr {start}, null")
            self._line(f"br i1 {absent}, label %skip{m}, label %copy{m}\ncopy{m}:")
            self._copy_to_record(slot, start)
            self._line(f"br label %skip{m}\nskip{m}:")
        self._line(f"store i64 {self._word('every')}, ptr %until_record")
        self._line(f"store i64 {self._plus(self._variable('recorded'), 1)}, ptr %recorded")
        self._line(f"br label %recorded{n}\nrecorded{n}:")

    def _copy_to_record(self, slot: Slot, start: str) -> None:
        size = slot.size * self.element
        row = self._plus(self._times(self._variable("block"), self._word("rows")), self._variable("recorded"))
        place = self._forward(start, self._times(row, size))
        source = self._forward(self._arena(), self.layout.arena[slot.name] * self.element)
        self._line(f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {source}, i64 {size}, i1 false)")


def _depth(body: Body) -> int:
    """Loops within each other."""
    inner = (isinstance(node, Loop) + _depth(node.body) for node in body if not isinstance(node, Stage))
    return max(inner, default=0)


def declarations(t: Types) -> set[str]:
    """The intrinsics that the driver uses."""
    return {"declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)", *watch.declarations(t)}


def driver(program: Program, layout: BlockLayout, precision: str) -> str:
    """LLVM text of `run` and what it calls besides the stages."""
    assert program is layout.program
    return Driver(layout, precision).text()
