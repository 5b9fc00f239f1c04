"""Random programs of stages and loops: code for one robot, and for many, leaves the states that the interpreter does.

Operations are exact, so that no pass may change a bit. Stages repeat one expression over neighbouring elements (which
are packed), copy elements over each other, and share slots; stages are cut short (split), loops are peeled.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from gearwright.compiler import Address, Branch, Loop, Program, Slot, SlotKind, Stage, Tape, compile_program
from gearwright.compiler.backends.cpu.scheduling import issue, peel, split
from gearwright.compiler.ops import OPS
from gearwright.compiler.tape import Instruction, Store
from tests.compiler.interpreting import interpret_program

EXACT = ("add", "sub", "neg", "fabs", "fmin", "fmax", "lt", "le", "select", "twice", "if_else_zero", "and", "or", "not")
KINDS = {"s": SlotKind.STATE, "t": SlotKind.STATE, "u": SlotKind.INPUT, "w": SlotKind.SCRATCH, "z": SlotKind.SCRATCH}
WRITABLE = ("s", "t", "w", "z")
ENDS = ("end", "other_end")


class Writer:
    """One stage in the making."""

    def __init__(self, rng: random.Random, sizes: dict[str, int]) -> None:
        self.rng, self.sizes = rng, sizes
        self.instructions: list[Instruction] = []
        self.loads: dict[Address, int] = {}
        self.stores: dict[Address, int] = {}

    def emit(self, op: str, *args: int, data: float | None = None) -> int:
        self.instructions.append(Instruction(op, args, data))
        return len(self.instructions) - 1

    def load(self, slot: str, element: int) -> int:
        address = Address(slot, element % self.sizes[slot])
        if address not in self.loads:
            self.instructions.append(Instruction("load", (), address))
            self.loads[address] = len(self.instructions) - 1
        return self.loads[address]

    def stage(self, name: str, end: str | None = None, ends: str = "by itself") -> Stage:
        rng = self.rng
        lanes = self.alike(rng.choice((1, 2, 3, 4)), rng.randrange(2, rng.choice((6, 30, 90))))
        for slot in WRITABLE:
            for k in range(self.sizes[slot]):
                chance = rng.random()
                if chance < 0.15:  # a copy
                    self.stores[Address(slot, k)] = self.load(rng.choice([*self.sizes]), rng.randrange(9))
                elif chance < 0.6:
                    lane = lanes[k % len(lanes)]
                    self.stores[Address(slot, k)] = lane[-1 - rng.randrange(min(len(lane), 8))]
        if end is not None:
            below = self.emit("const", data=0.0 if ends == "at once" else float(rng.choice((-1, 0, 1))))
            self.stores[Address(end, 0)] = below if ends == "at once" else self.emit("lt", self.load("s", 0), below)
        stores = sorted(Store(address, value) for address, value in self.stores.items())
        return Stage(name, Tape(tuple(self.instructions), tuple(stores)))

    def alike(self, count: int, length: int) -> list[list[int]]:
        """The same expression so many times, over other elements."""
        rng = self.rng
        slots = [rng.choice([*self.sizes]) for _ in range(6)]
        shape = [(op, [rng.randrange(9) for _ in range(OPS[op].arity)]) for op in rng.choices(EXACT, k=length)]
        lanes = []
        for k in range(count):
            values = [self.load(slot, i * count + k + rng.randrange(2)) for i, slot in enumerate(slots)]
            for op, back in shape:
                values.append(self.emit(op, *(values[-1 - b % len(values)] for b in back)))
            lanes.append(values)
        return lanes


def begin(sizes: dict[str, int]) -> Stage:
    """Scratch from the first two states, and ends that are 0."""
    two = (Instruction("load", (), Address("s", 0)), Instruction("load", (), Address("s", 1)))
    stores = [Store(Address(slot, k), k % 3) for slot in ("w", "z") for k in range(sizes[slot])]
    stores += [Store(Address(end, 0), 3) for end in ENDS]
    instructions = (*two, Instruction("add", (0, 1)), Instruction("const", (), 0.0))
    return Stage("begin", Tape(instructions, tuple(sorted(stores))))


def random_program(seed: int) -> Program:
    rng = random.Random(seed)
    most = {"s": 9, "t": 6, "u": 4, "w": 17, "z": 9}
    sizes = {name: rng.randrange(2, n) for name, n in most.items()} | dict.fromkeys(ENDS, 1)

    def made(name: str, end: str | None = None, ends: str = "by itself") -> Stage:
        return Writer(rng, sizes).stage(name, end, ends)

    either = ("at once", "by itself")
    start, again = made("a", "end", rng.choice(either)), made("b", "end")
    inner, repeated, last = made("c", "other_end", rng.choice(either)), made("d", "other_end"), made("e")
    bodies = (
        (start, Loop(3, (again,), until="end"), last),
        (start, again, Loop(2, (inner, again), until="end"), last),
        (start, Loop(2, (again, inner, Loop(3, (repeated,), until="other_end"), last), until="end")),
        (inner, Branch("other_end", (repeated, Loop(2, (last, repeated), until="other_end"))), start, last),
        (start, Loop(2, (again,)), inner, Branch("other_end", (repeated,))),
        (start, Loop(3, (Loop(3, (last, again, repeated), until="other_end"), inner), until="end")),
    )
    slots = [Slot(name=name, kind=kind, shape=(sizes[name],)) for name, kind in KINDS.items()]
    slots += [Slot(name=end, kind=SlotKind.SCRATCH, shape=(1,)) for end in ENDS]
    return Program(name="random", slots=tuple(slots), body=(begin(sizes), *rng.choice(bodies)))


@pytest.mark.parametrize(("first", "count"), [(0, 40), pytest.param(40, 960, marks=pytest.mark.slow)])
def test_random_programs(first: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(first, first + count):
        program, rng, numbers = random_program(seed), random.Random(seed), np.random.default_rng(seed)
        monkeypatch.setattr(split.split_program, "__defaults__", (rng.choice((15, 40, 2500)),))
        monkeypatch.setattr(peel.peel_loops, "__defaults__", (rng.choice((30, 100, 2500)),))
        monkeypatch.setattr(issue, "SMALL", rng.choice((0, 4500)))
        start = {name: numbers.integers(-3, 4, (1, program.slot(name).size)).astype(float) for name in ("s", "t", "u")}
        expected = interpret_program(program, start, steps=3).values
        for lanes in (1, 4):
            instance = compile_program(program, lanes=lanes, cache=False).instance()
            for name, values in start.items():
                instance.set(name, values)
            instance.step(3)
            for name in ("s", "t"):
                assert np.array_equal(instance.get(name), expected[name], equal_nan=True), (seed, lanes, name)
