"""Loops whose bodies address slots by the iteration: against the same program written out, on every back end."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from gearwright.compiler import (
    Address,
    IndexedAddress,
    Loop,
    Program,
    Slot,
    SlotKind,
    Stage,
    Tape,
    compile_program,
    find_backend,
    indexed_stage,
    interpret_program,
)
from gearwright.compiler.backends.cpu.batches.instance import CpuExecutable
from gearwright.compiler.backends.cpu.batches.layout import Layout
from gearwright.compiler.backends.cpu.llvm.objects import assembly
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.compiler.program_text import from_text, to_text
from gearwright.compiler.tape import Instruction, Store
from gearwright.errors import CompileError
from tests.compiler.building import same_bits

DEVICES = {"scalar": {"lanes": 1}, "lanes": {"lanes": 4}, "interpreter": {"device": "interpreter"}}
SAME_NAME = {"allow_duplicate_io_names": True}
CHAIN = tuple(range(12))
TREE = (0, 1, 1, 3, 0, 5, 6, 6, 2, 9, 10, 4)  # the parent of each body, which is behind it


def kinematics(parents: tuple[int, ...], *, written_out: bool = False) -> Program:
    """Outward: an angle and a length of each body from its parent's; then inward: sums; the speeds are states.

    Body k stands at elements 2k and 2k + 1 of `x`, and its parent's number is parents[k − 1].
    """
    n = len(parents)
    x0, parent, q, own, force, below, v = (ca.SX.sym(s, m) for s, m in
        (("x0", 2), ("parent", 2), ("q", 1), ("own", 2), ("force", 1), ("below", 1), ("v", 1)))  # fmt: skip
    begin = ca.Function("begin", [x0], [x0, ca.DM.zeros(n + 1)], ["x0"], ["x_root", "f"])
    out = [parent[0] + q, parent[1] + ca.sin(parent[0] + q)]
    outward = ca.Function("outward", [parent, q], [ca.vertcat(*out)], ["parent", "q"], ["own"])
    inward = ca.Function("inward", [own, force, below], [below + force + own[0] * own[1]],
                         ["own", "force", "below"], ["sum"])  # fmt: skip
    move = ca.Function("move", [v, force], [0.9 * v + 0.01 * force], ["v", "force"], ["v"], SAME_NAME)
    places = {
        "outward": {"parent": ("x", [2 * p for p in parents]), "q": ("q", range(n)),
                    "own": ("x", range(2, 2 * n + 2, 2))},
        "inward": {"own": ("x", range(2 * n, 0, -2)), "force": ("f", range(n, 0, -1)),
                   "below": ("f", parents[::-1]), "sum": ("f", parents[::-1])},
        "move": {"v": ("v", range(n)), "force": ("f", range(1, n + 1))},
    }  # fmt: skip
    first = indexed_stage(begin, "none", {})
    first = Stage("begin", Tape(first.tape.instructions, tuple(
        s._replace(address=Address("x", s.address.element)) if s.address.slot == "x_root" else s
        for s in first.tape.stores)))  # fmt: skip
    loops = [Loop(n, (indexed_stage(f, "i", places[f.name()]),), index="i") for f in (outward, inward, move)]
    body = (first, *loops)
    if written_out:
        body = (first, *(Stage(f"{i}", at(loop.body[0].tape, i)) for loop in loops for i in range(n)))  # type: ignore[union-attr]
    kinds = {
        "x0": (SlotKind.INPUT, 2),
        "q": (SlotKind.INPUT, n),
        "v": (SlotKind.STATE, n),
        "f": (SlotKind.OUTPUT, n + 1),
        "x": (SlotKind.SCRATCH, 2 * n + 2),
    }
    slots = tuple(Slot(name=name, kind=kind, shape=(size,)) for name, (kind, size) in kinds.items())
    return Program(name="tree", slots=slots, body=body)


def at(tape: Tape, i: int) -> Tape:
    """The tape of one iteration."""

    def plain(address: object) -> object:
        return address.at(i) if isinstance(address, IndexedAddress) else address

    stores = sorted(Store(plain(a), v) for a, v in tape.stores)  # type: ignore[arg-type]
    return Tape(tuple(i._replace(data=plain(i.data)) for i in tape.instructions), tuple(stores))  # type: ignore[arg-type]


@pytest.mark.parametrize("parents", [CHAIN, TREE], ids=["chain", "tree"])
@pytest.mark.parametrize("device", DEVICES)
def test_a_loop_gives_the_bits_of_its_iterations_written_out(device: str, parents: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    values = {"x0": rng.normal(size=(5, 2)), "q": rng.normal(size=(5, 12)), "v": rng.normal(size=(5, 12))}
    found = []
    for written_out in (False, True):
        instance = compile_program(
            kinematics(parents, written_out=written_out), cache=False, **DEVICES[device]
        ).instance(5)  # type: ignore[arg-type]
        for name, value in values.items():
            instance.set(name, value)
        assert instance.step(3)
        found.append((instance.get("v"), instance.get("f")))
    for looped, plain in zip(*found, strict=True):
        assert same_bits(looped, plain) and np.abs(looped).max() > 1


def test_the_code_does_not_grow_with_the_count() -> None:
    """Text of a chain twice as long has the same lines, but for the loads that `commit` makes of each state."""

    def stages(n: int) -> list[str]:
        program = optimise_program(kinematics(tuple(range(n))))
        text = assembly(program, Layout(program, 1), "double").split("define ")
        return [t.replace(f"[{n} x", "[n x") for t in text if "@stage" in t.split("(")[0] and "stage0" not in t[:30]]

    assert [len(t.splitlines()) for t in stages(10)] == [len(t.splitlines()) for t in stages(200)]


def test_a_state_written_by_index_is_watched() -> None:
    v = ca.SX.sym("v")
    grow = indexed_stage(ca.Function("grow", [v], [v * v], ["v"], ["w"]), "i", {n: ("x", range(3)) for n in "vw"})
    program = Program(
        name="grow", slots=(Slot(name="x", kind=SlotKind.STATE, shape=(3,)),), body=(Loop(3, (grow,), index="i"),)
    )
    for options in DEVICES.values():
        instance = compile_program(program, cache=False, **options).instance(2)  # type: ignore[arg-type]
        instance.set("x", [[0.5, 0.5, 0.5], [0.5, 0.5, 1e200]])
        assert not instance.step(2)
        assert [(f.robot, f.step, f.address) for f in instance.failures] == [(1, 0, Address("x", 2))]
        assert instance.get("x")[1].tolist() == [0.5, 0.5, 1e200] and instance.get("x")[0, 0] == 0.5**4


def test_nested_loops() -> None:
    """y[3i + j] = a[i]·b[j]: two indices in one tape."""
    tape = Tape(
        (
            Instruction("load", (), IndexedAddress("a", 0, "i", (0, 1))),
            Instruction("load", (), IndexedAddress("b", 0, "j", (0, 1, 2))),
            Instruction("mul", (0, 1)),
        ),
        (Store(IndexedAddress("t", 0, "j", (0, 1, 2)), 2),),
    )
    copy = Tape(
        tuple(Instruction("load", (), Address("t", k)) for k in range(3)),
        tuple(Store(IndexedAddress("y", k, "i", (0, 3)), k) for k in range(3)),
    )
    body = (Loop(2, (Loop(3, (Stage("product", tape),), index="j"), Stage("copy", copy)), index="i"),)
    kinds = {"a": (SlotKind.INPUT, 2), "b": (SlotKind.INPUT, 3), "t": (SlotKind.SCRATCH, 3), "y": (SlotKind.OUTPUT, 6)}
    program = Program(
        name="outer", body=body, slots=tuple(Slot(name=n, kind=k, shape=(s,)) for n, (k, s) in kinds.items())
    )
    for options in DEVICES.values():
        found = compile_program(program, cache=False, **options).evaluate({"a": [2.0, 3.0], "b": [1.0, 10.0, 100.0]})  # type: ignore[arg-type]
        assert found["y"].tolist() == [2, 20, 200, 3, 30, 300]


@pytest.mark.parametrize("lanes", [1, 4])
def test_a_tape_reads_what_was_there_before_it_stores(lanes: int) -> None:
    """x[i], x[i + 1] = x[i + 1], x[i]: a store by index may be what a load by another means."""
    loads = (
        Instruction("load", (), IndexedAddress("x", 0, "i", (0, 1, 2))),
        Instruction("load", (), IndexedAddress("x", 1, "i", (0, 1, 2))),
        Instruction("load", (), Address("x", 3)),
        Instruction("add", (1, 2)),
    )
    stores = (Store(IndexedAddress("x", 0, "i", (0, 1, 2)), 3), Store(IndexedAddress("x", 1, "i", (0, 1, 2)), 0))
    program = Program(
        name="swap",
        slots=(Slot(name="x", kind=SlotKind.STATE, shape=(4,)),),
        body=(Loop(3, (Stage("swap", Tape(loads, stores)),), index="i"),),
    )
    instance = compile_program(program, lanes=lanes, cache=False).instance(3)
    instance.set("x", [1.0, 2.0, 3.0, 4.0])
    instance.step()
    expected = interpret_program(program, {"x": [1.0, 2.0, 3.0, 4.0]}, batch=3).values["x"]
    assert instance.get("x").tolist() == expected.tolist() == [[6.0, 7.0, 8.0, 1.0]] * 3


def test_programs_read_back_as_they_were_written() -> None:
    program = kinematics(TREE)
    assert from_text(to_text(program)) == program
    assert from_text(to_text(program)).content_hash() == program.content_hash()
    assert kinematics(CHAIN).content_hash() != program.content_hash()


SLOTS = tuple(Slot(name=n, kind=k, shape=(3,)) for n, k in (("s", SlotKind.STATE), ("w", SlotKind.SCRATCH)))


def copying(source: object, target: object) -> Stage:
    return Stage("copy", Tape((Instruction("load", (), source),), (Store(target, 0),)))  # type: ignore[arg-type]


TWO = Stage("two", Tape((Instruction("load", (), Address("s", 0)),), (
    Store(Address("w", 1), 0), Store(IndexedAddress("w", 0, "i", (2, 1, 0)), 0))))  # fmt: skip
S, LATE = IndexedAddress("s", 0, "i", (0, 1, 2)), IndexedAddress("w", 0, "i", (2, 1, 0))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ((copying(S, Address("w", 0)),), "uses 3 elements of 's' along 'i'"),
        ((Loop(2, (copying(S, S),), index="i"),), "uses 3 elements of 's' along 'i'"),
        ((Loop("n", (copying(S, S),), index="i"),), "index 'i' is counted to 'n'"),
        ((Loop(3, (Loop(3, (copying(S, S),), index="i"),), index="i"),), "by two loops"),
        ((Loop(3, (copying(S._replace(element=1), S),), index="i"),), "outside its slot"),
        ((Loop(3, (copying(S, S._replace(slot="w")), copying(LATE, S)), index="i"),), r"reads w\[2\], which no"),
        ((Loop(3, (TWO,), index="i"),), "stores an element twice at {'i': 1}"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(body: tuple[Loop, ...], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        Program(name="p", slots=SLOTS, body=body)


def test_recurrences_may_read_what_earlier_iterations_wrote() -> None:
    after = IndexedAddress("w", 1, "i", (0, 1))
    body = (copying(Address("s", 0), Address("w", 0)), Loop(2, (copying(after._replace(element=0), after),), index="i"))
    executable = find_backend("cpu", lanes=1).compile(Program(name="p", slots=SLOTS, body=body))
    assert isinstance(executable, CpuExecutable)
