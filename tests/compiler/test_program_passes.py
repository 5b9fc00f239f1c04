"""Passes over whole programs: what a single robot's loops know, stores that nobody reads, stages that run twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright.compiler import Address, Branch, Loop, Program, Slot, SlotKind, Stage, Tape, compile_program
from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.llvm import loaded_code as llvm
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.compiler.passes import ends_known, without_unread_stores
from gearwright.compiler.tape import Instruction, Store
from tests.compiler.building import same_bits
from tests.compiler.test_passes import written

SLOTS = tuple(
    Slot(name=name, kind=kind, shape=(1,))
    for name, kind in (("x", SlotKind.STATE), ("end", SlotKind.SCRATCH), ("idle", SlotKind.SCRATCH))
)


def stage(name: str, *instructions: Instruction, **stores: int) -> Stage:
    return Stage(name, Tape(instructions, tuple(sorted(Store(Address(s, 0), v) for s, v in stores.items()))))


def load(slot: str) -> Instruction:
    return Instruction("load", (), Address(slot, 0))


def const(value: float) -> Instruction:
    return Instruction("const", (), value)


BEGIN = stage("begin", const(0.0), end=0)
ADD = stage("add", load("x"), const(1.0), Instruction("add", (0, 1)), x=2, idle=2)
UNLESS = stage(  # x + 1 where the loop has not ended, which it does at 3
    "unless", load("x"), load("end"), const(1.0), Instruction("add", (0, 2)), Instruction("not", (1,)),
    Instruction("if_else_zero", (1, 0)), Instruction("if_else_zero", (4, 3)), Instruction("add", (5, 6)),
    const(3.0), Instruction("le", (8, 7)), x=7, end=9,
)  # fmt: skip
LATER = stage("later", load("end"), load("x"), Instruction("add", (0, 1)), x=2)


def program(*body: Stage | Loop) -> Program:
    return Program(name="p", slots=SLOTS, body=body)


def loads(stage: Stage) -> set[str]:
    return {address.slot for address in stage.tape.reads()}


def test_a_body_runs_while_its_end_is_zero() -> None:
    known = ends_known(program(BEGIN, Loop(9, (UNLESS,), "end"), LATER))
    assert [loads(s) for s in known.stages] == [set(), {"x"}, {"end", "x"}]


def golden(stage: Stage) -> list[str]:
    """Instructions, then stores, as `test_passes` writes them."""
    stores = [f"store {s.address.slot}{s.address.element} {s.value}" for s in stage.tape.stores]
    return [*map(written, stage.tape.instructions), *stores]


UNTIL_THREE = ["add 0 2", "not 1", "if_else_zero 1 0", "if_else_zero 4 3", "add 5 6", "const 3.0", "le 8 7"]


def test_golden_stage_of_ends_known() -> None:
    """The end is 0 where the body runs; all else stays."""
    known = ends_known(program(BEGIN, Loop(9, (UNLESS,), "end"), LATER)).stages[1]
    assert golden(known) == ["load x0", "const 0.0", "const 1.0", *UNTIL_THREE, "store end0 9", "store x0 7"]


def test_golden_stage_of_without_unread_stores() -> None:
    """Instructions stay, for `remove_dead_code`; the store to `idle` goes."""
    kept = without_unread_stores(program(BEGIN, Loop(9, (ADD, UNLESS), "end"))).stages[1]
    assert golden(kept) == ["load x0", "const 1.0", "add 0 1", "store x0 2"]


def test_an_end_that_was_written_or_is_elsewhere_is_not_known() -> None:
    written = program(BEGIN, Loop(9, (UNLESS, LATER), "end"))
    assert loads(ends_known(written).stages[2]) == {"end", "x"}
    outside = program(BEGIN, Loop(9, (UNLESS,), "end"), UNLESS)
    assert loads(ends_known(outside).stages[1]) == {"end", "x"}


COUNTS = stage("counts", load("idle"), const(1.0), Instruction("add", (0, 1)), const(2.0), Instruction("le", (3, 2)),
               idle=2, other=4, end=1)  # fmt: skip
NESTED = Program(
    name="nested",
    slots=(*SLOTS, Slot(name="other", kind=SlotKind.SCRATCH, shape=(1,))),
    body=(
        stage("begin", const(0.0), end=0, idle=0, other=0),
        Loop(3, (Loop(5, (LATER, COUNTS), "other"),), "end"),
    ),
)


def test_an_end_around_a_loop_is_not_known_in_its_second_iteration() -> None:
    """The inner body sets the outer end in its first iteration and reads it in its second: x becomes 1."""
    for lanes in (1, 4):
        instance = compile_program(NESTED, lanes=lanes, cache=False).instance()
        instance.step()
        assert instance.get("x") == 1.0
    once = replace(NESTED.body[1], body=(Branch("other", (LATER, COUNTS)),))  # type: ignore[type-var, call-arg]
    known = ends_known(replace(NESTED, body=(NESTED.body[0], once)))
    assert loads(known.stages[1]) == {"x"}


def test_what_one_robot_knows_does_not_decide_a_rounding() -> None:
    """a·b − c is fused only where nothing else needs a·b: a choice of many robots does, which one robot never makes."""
    slots = [Slot(name=n, kind=SlotKind.INPUT, shape=(1,)) for n in "ab"]
    choice = stage(
        "choice", load("a"), load("b"), load("x"), load("end"), Instruction("mul", (0, 1)), Instruction("sub", (4, 2)),
        Instruction("select", (3, 4, 5)), const(1.0), x=6, end=7,
    )  # fmt: skip
    body = BEGIN, Loop(2, (choice,), "end")
    both = Program(name="p", slots=(*SLOTS, *slots), body=body)
    a, b = np.random.default_rng(1).normal(size=(2, 64, 1))
    found = []
    for lanes in (1, 4):
        instance = compile_program(both, lanes=lanes, cache=False).instance(64)
        for name, values in (("a", a), ("b", b), ("x", a * b)):
            instance.set(name, values)
        instance.step()
        found.append(instance.get("x"))
    assert same_bits(*found) and not found[0].any()


def test_scratch_that_nobody_reads_is_not_stored() -> None:
    kept = without_unread_stores(program(BEGIN, Loop(9, (ADD, UNLESS), "end")))
    assert [{a.slot for a in s.tape.writes()} for s in kept.stages] == [{"end"}, {"x"}, {"x", "end"}]


def test_a_loops_end_is_stored() -> None:
    body = stage("body", load("x"), x=0, end=0)
    kept = without_unread_stores(program(BEGIN, Loop(9, (body,), "end")))
    assert {a.slot for a in kept.stages[1].tape.writes()} == {"x", "end"}


def test_a_stage_that_runs_twice_is_one_function() -> None:
    twice = optimise_program(program(ADD, BEGIN, Loop(9, (ADD, UNLESS), "end"), ADD))
    assert [s.name for s in twice.stages] == ["add", "begin", "unless"]
    text = llvm.assembly(twice, BlockLayout(twice, 1), "double")
    assert text.count("define internal void @stage") == 3
    assert text.count("call void @stage0(") == 3


def test_one_robot_and_many_do_the_same() -> None:
    both = program(ADD, BEGIN, Loop(9, (ADD, UNLESS), "end"), LATER)
    found = []
    for batch in (1, 16):
        instance = compile_program(both, batch=batch, cache=False).instance(batch)
        instance.set("x", -4.0)
        instance.step(3)
        found.append(float(instance.get("x").ravel()[0]))
    assert found == [12.0, 12.0]
