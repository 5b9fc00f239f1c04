"""Stages cut into several give the same numbers, and none is longer than asked."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from casadi import SX, Function

from gearwright.compiler import compile_program
from gearwright.compiler.backends.cpu import passes
from gearwright.compiler.backends.cpu.scheduling import split
from gearwright.compiler.program import Loop, Program, Slot, SlotKind, Stage, stage
from gearwright.compiler.tape import Address, Instruction, Store, Tape
from tests.compiler.building import unpacked


def program(seed: int = 0, size: int = 300) -> Program:
    """A state that is read all along and written at the end, angles, a stage that is there twice, and a loop."""
    rng = np.random.default_rng(seed)
    x, p = SX.sym("x", 12), SX.sym("p", 3)
    values = [*casadi.vertsplit(x), *(casadi.sin(x[i]) * casadi.cos(x[i] * p[0]) for i in range(12))]
    for _ in range(size):
        a, b, c = (values[k] for k in rng.integers(0, len(values), 3))
        values.append(casadi.fmin(a * b + 0.1 * c, 1.5) - 0.2 * x[int(rng.integers(12))])
    out = casadi.vertcat(*values[-12:])
    options = {"allow_duplicate_io_names": True}
    long = stage(Function("long", [x, p], [casadi.tanh(out), out[:3]], ["x", "p"], ["x", "y"], options))
    slots = (
        Slot(name="x", kind=SlotKind.STATE, shape=(12,)),
        Slot(name="p", kind=SlotKind.INPUT, shape=(3,)),
        Slot(name="y", kind=SlotKind.OUTPUT, shape=(3,)),
    )
    return Program(name="split", slots=slots, body=(long, Loop(2, (long,))))


@pytest.mark.parametrize("longest", [40, 97, 300])
def test_parts_are_short_enough_and_do_the_same(longest: int) -> None:
    whole = passes.optimise_program(program())
    parts = split.split_program(whole, longest)
    assert len(parts.stages) >= len(whole.stages[0].tape.instructions) // longest
    moves = ("const", "load", "pack", "lane")  # of what crosses a cut
    own = [sum(i.op not in moves for i in s.tape.instructions) for s in parts.stages]
    assert max(own) <= longest + 40  # pairs of sine and cosine stay together
    ends = [run(made.map_tapes(unpacked), device="interpreter") for made in (whole, parts)]
    assert (ends[0] == ends[1]).all()


def run(made: Program, **options: object) -> np.ndarray:
    instance = compile_program(made, cache=False, **options).instance(3)  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    instance.set("x", rng.normal(size=(3, 12)))
    instance.set("p", rng.normal(size=(3, 3)))
    assert instance.step(4)
    return np.concatenate([instance.get("x"), instance.get("y")], axis=1)


def test_machine_code_has_the_memory_that_crossings_take(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(program())
    monkeypatch.setattr(passes, "split_program", lambda made: split.split_program(made, 50))
    assert (run(program()) == whole).all()


def test_a_short_program_is_left_alone() -> None:
    whole = program()
    assert split.split_program(whole, 10_000) is whole


def states(tapes: tuple[Tape, ...], size: int) -> np.ndarray:
    """The states 1, 2, … after the tapes, one after the other."""
    slots = (
        Slot(name="x", kind=SlotKind.STATE, shape=(size,)),
        Slot(name=split.SLOT, kind=SlotKind.SCRATCH, shape=(1000,)),
    )
    body = tuple(Stage(f"part{k}", tape) for k, tape in enumerate(tapes))
    made = Program(name="shifted", slots=slots, body=body)
    instance = compile_program(made, device="interpreter", cache=False).instance(1)
    instance.set("x", np.arange(1.0, size + 1)[None])
    assert instance.step(1)
    return np.asarray(instance.get("x"))


def shifted(size: int, length: int, sources: list[int], rng: np.random.Generator) -> Tape:
    """Element 0 becomes twice itself, element k element `sources[k]`; the old ones are read all along."""
    instructions = [Instruction("load", (), Address("x", k)) for k in range(size)]
    instructions.append(Instruction("add", (0, 0)))
    for _ in range(length):
        instructions.append(Instruction("sub", (len(instructions) - 1, int(rng.integers(size)))))
    instructions.append(Instruction("mul", (len(instructions) - 1, size - 1)))
    stores = [Store(Address("x", 0), size), *(Store(Address("x", k), sources[k]) for k in range(1, size - 1))]
    stores.append(Store(Address("x", size - 1), len(instructions) - 1 if size > 2 else sources[1]))
    return Tape(tuple(instructions), tuple(sorted(stores))).verify()


def test_a_state_that_moves_on_is_the_old_one() -> None:
    """x₁ := x₀ is stored where the old x₁ is read last: x₀ is not overwritten before."""
    tape = shifted(2, 20, [0, 0], np.random.default_rng(0))
    parts = split.split_tape(tape, 8)
    assert len(parts) > 2
    assert states(parts, 2).tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize("seed", range(20))
def test_states_that_move_in_chains_and_rings_are_the_old_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 9))
    tape = shifted(size, 60, [int(k) for k in rng.integers(0, size, size)], rng)
    parts = split.split_tape(tape, int(rng.integers(9, 30)))
    assert len(parts) > 1
    assert states(parts, size).tolist() == states((tape,), size).tolist()
