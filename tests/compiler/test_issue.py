"""The order of a small robot's tape."""

from __future__ import annotations

from gearwright.compiler import Address, Branch, Program, Slot, SlotKind, Stage, Tape
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.compiler.backends.cpu.scheduling import issue
from gearwright.compiler.backends.cpu.scheduling.issue import is_small, issue_order
from gearwright.compiler.tape import Instruction, Store


def chains(count: int, length: int, op: str = "inv") -> Tape:
    """Chains of one op, one behind the other."""
    instructions: list[Instruction] = []
    ends = []
    for k in range(count):
        instructions.append(Instruction("load", (), Address("x", k)))
        for _ in range(length):
            instructions.append(Instruction(op, (len(instructions) - 1,)))
        ends.append(len(instructions) - 1)
    return Tape(tuple(instructions), tuple(Store(Address("y", k), value) for k, value in enumerate(ends)))


def test_chains_take_turns():
    tape = chains(count=3, length=4)
    ordered = issue_order(tape).verify()
    assert sorted(i.op for i in ordered.instructions) == sorted(i.op for i in tape.instructions)
    assert [i.op for i in ordered.instructions[:6]] == ["load", "inv"] * 3  # a load comes right before its use
    assert [i.args for i in ordered.instructions[6:9]] == [(1,), (3,), (5,)]


def test_values_that_end_others_come_first():
    """Sums of two products each: with all forty products first, forty values would wait."""
    instructions = [Instruction("load", (), Address("x", k)) for k in range(40)]
    instructions += [Instruction("sq", (k,)) for k in range(40)]
    instructions += [Instruction("add", (40 + k, 41 + k)) for k in range(0, 40, 2)]
    tape = Tape(tuple(instructions), tuple(Store(Address("y", k), 80 + k) for k in range(20)))
    assert most_alive(tape) == 40
    assert most_alive(issue_order(tape).verify()) <= 8  # a product takes three cycles, of two each


def most_alive(tape: Tape) -> int:
    """Values at once that are still to be used; loads are operands in memory."""
    last = {a: i for i, instruction in enumerate(tape.instructions) for a in instruction.args}
    alive = [
        sum(made <= i < last.get(made, -1) for made, own in enumerate(tape.instructions) if own.op != "load")
        for i in range(len(tape.instructions))
    ]
    return max(alive)


def test_the_longest_way_comes_first():
    """Behind three chains of two, one of six: it is begun in the first cycle."""
    short, long = chains(count=3, length=2), chains(count=1, length=6)
    moved = [i._replace(args=tuple(a + 9 for a in i.args)) for i in long.instructions[1:]]
    last = Instruction("load", (), Address("x", 3))
    tape = Tape((*short.instructions, last, *moved), (*short.stores, Store(Address("y", 3), 15)))
    ordered = issue_order(tape).verify()
    assert Address("x", 3) in [i.data for i in ordered.instructions[:4]]


def test_angles_stay_in_front():
    tape = Tape(
        (
            Instruction("load", (), Address("x", 0)), Instruction("inv", (0,)), Instruction("sincos", (1,)),
            Instruction("pair_sin", (2,)), Instruction("sq", (0,)), Instruction("inv", (3,)),
        ),
        (Store(Address("y", 0), 4), Store(Address("y", 1), 5)),
    )  # fmt: skip
    assert issue_order(tape).instructions[:4] == tape.instructions[:4]


def test_small_is_what_usually_runs(monkeypatch):
    slots = tuple(Slot(name=n, kind=k, shape=(3,)) for n, k in (("x", SlotKind.INPUT), ("y", SlotKind.OUTPUT)))
    program = Program(name="p", slots=slots, body=(Stage("a", chains(3, 4)), Stage("b", chains(3, 4))))
    rare = Branch("z", (Stage("c", chains(3, 4)),))
    slots = (*slots, Slot(name="z", kind=SlotKind.STATE))
    program = Program(name="p", slots=slots, body=(*program.body, rare))
    for limit, longest, small in ((30, 12, True), (29, 12, False), (30, 11, False)):  # a stage has twelve operations
        monkeypatch.setattr(issue, "SMALL", limit)
        monkeypatch.setattr(issue, "LONG", longest)
        assert is_small(program) == small


def test_batches_of_a_small_robot_have_the_order_too(monkeypatch):
    slots = tuple(Slot(name=n, kind=k, shape=(3,)) for n, k in (("x", SlotKind.INPUT), ("y", SlotKind.OUTPUT)))
    program = Program(name="p", slots=slots, body=(Stage("a", chains(3, 4)),))
    (stage,) = optimise_program(program, lanes=8).stages
    assert [i.op for i in stage.tape.instructions[:6]] == ["load", "inv"] * 3
    monkeypatch.setattr(issue, "SMALL_IN_BATCHES", 14)
    (stage,) = optimise_program(program, lanes=8).stages
    assert [i.op for i in stage.tape.instructions[:5]] == ["load", *["inv"] * 4]
