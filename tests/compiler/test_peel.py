"""A loop's first iteration as part of the stage before it."""

from __future__ import annotations

import numpy as np
import pytest

from gearwright.compiler import Address, Loop, Program, Slot, SlotKind, Stage, Tape, compile_program
from gearwright.compiler.backends.cpu.scheduling.peel import merged, peel_loops
from gearwright.compiler.tape import Instruction, Store


def halving(begins: float = 0.0, count: int = 20) -> Program:
    """y is halved until it is below 1, once at least; its number of halvings is counted."""

    def load(slot: str) -> Instruction:
        return Instruction("load", (), Address(slot, 0))

    def constant(x: float) -> Instruction:
        return Instruction("const", (), x)

    def store(**values: int) -> tuple[Store, ...]:
        return tuple(Store(Address(slot, 0), value) for slot, value in values.items())

    begin = Tape((load("x"), constant(0.0), constant(begins)), store(y=0, times=1, done=2))
    half = Tape(
        (
            load("y"), constant(0.5), Instruction("mul", (0, 1)), constant(1.0), Instruction("lt", (2, 3)),
            load("times"), Instruction("add", (5, 3)),
        ),
        store(y=2, done=4, times=6),
    )  # fmt: skip
    slots = (
        Slot(name="x", kind=SlotKind.INPUT, shape=(1,)),
        *(Slot(name=name, kind=SlotKind.OUTPUT, shape=(1,)) for name in ("y", "times")),
        Slot(name="done", kind=SlotKind.SCRATCH, shape=(1,)),
    )
    body = (Stage("begin", begin), Loop(count, (Stage("half", half),), until="done"))
    return Program(name="halving", slots=slots, body=body)


def halving_after(repeats: bool = True) -> Program:
    """The same with the first one before the loop; or the loop only counts."""
    program = halving()
    begin, loop = program.body
    assert isinstance(loop, Loop)
    half = loop.body[0]
    count = Tape(
        (Instruction("load", (), Address("times", 0)), Instruction("const", (), 1.0), Instruction("add", (0, 1))),
        (Store(Address("times", 0), 2),),
    )
    body = (begin, half, Loop(19, (half,) if repeats else (Stage("count", count),), until="done"))
    return Program(name="halving", slots=program.slots, body=body)


def unchanged(tape: Tape) -> Tape:
    return tape


def test_the_first_iteration_needs_nothing_from_memory():
    stage, loop = peel_loops(halving(), unchanged).verify().body
    assert isinstance(stage, Stage) and isinstance(loop, Loop)
    assert stage.tape.reads() == {Address("x", 0)}
    assert {store.address.slot for store in stage.tape.stores} == {"y", "times", "done"}
    assert loop.count == 19


@pytest.mark.parametrize("program", [halving(begins=1.0), halving(count=0)])
def test_a_loop_that_may_not_begin_is_left_alone(program):
    assert peel_loops(program, unchanged).body == program.body


def test_a_stage_that_a_loop_repeats_joins_the_one_before():
    stage, loop = peel_loops(halving_after(), unchanged).verify().body
    assert isinstance(stage, Stage) and isinstance(loop, Loop)
    assert stage.tape.reads() == {Address("x", 0)}
    assert loop.count == 19
    assert [each.name for each in peel_loops(halving_after(repeats=False), unchanged).stages] == [
        "begin",
        "half",
        "count",
    ]


def test_long_stages_stay_apart():
    program = halving()
    assert peel_loops(program, unchanged, longest=9).body == program.body
    assert len(peel_loops(program, unchanged, longest=10).body[0].tape.instructions) < 10  # type: ignore[union-attr]


def test_compiled_code_halves_as_often():
    x = np.array([[0.5], [1.0], [3.0], [1e5]])
    for program in (halving(), halving_after()):
        found = compile_program(program, lanes=1, cache=False).evaluate({"x": x})
        assert found["times"][:, 0].tolist() == [1, 1, 2, 17]
        assert np.array_equal(found["y"], x / 2.0 ** found["times"])


def test_a_later_store_counts():
    first, second = (stage.tape for stage in halving().stages)
    both = merged(first, second).verify()
    assert len(both.stores) == 3
    assert sum(i.op == "load" for i in both.instructions) == 1


def test_a_stage_that_is_too_long_in_one_place_is_merged_in_none():
    """One copy of it for both is in the cache when it runs again."""
    program = halving()
    begin, loop = program.body
    assert isinstance(begin, Stage) and isinstance(loop, Loop)
    instructions = (*begin.tape.instructions, *(Instruction("const", (), float(k)) for k in range(5)))
    other = Stage("other", Tape(instructions, begin.tape.stores))
    twice = Program(name="twice", slots=program.slots, body=(begin, loop, other, loop))
    assert peel_loops(twice, unchanged, longest=14).body == twice.body
    assert [type(node) for node in peel_loops(twice, unchanged, longest=15).body] == [Stage, Loop, Stage, Loop]
    assert peel_loops(twice, unchanged, longest=15).body[1] != loop
