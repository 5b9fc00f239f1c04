"""Small programs for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.compiler import Address, Program, Slot, SlotKind, Stage, Tape, compile_program
from gearwright.compiler.backends.cpu.batches.instance import CpuExecutable
from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.llvm.loaded_code import LoadedCode, object_code
from gearwright.compiler.backends.cpu.target import host
from gearwright.compiler.ops import OPS
from gearwright.compiler.tape import Instruction, Store


def tape_of(instructions: Sequence[Instruction], outputs: Sequence[int]) -> Tape:
    """Stores the given values in the elements of slot `y`."""
    return Tape(tuple(instructions), tuple(Store(Address("y", k), value) for k, value in enumerate(outputs)))


def op_tape(op: str) -> Tape:
    """y = op(x), or the two halves of it."""
    arity = OPS[op].arity
    loads = [Instruction("load", (), Address("x", k)) for k in range(arity)]
    return tape_of([*loads, Instruction(op, tuple(range(arity)))], [arity])


def tape_of_each(ops: Sequence[str]) -> Tape:
    """y[k] = ops[k](x[2k], x[2k + 1]), or of x[2k] alone."""
    instructions, outputs = [], []
    for k, op in enumerate(ops):
        first, arity = len(instructions), OPS[op].arity
        instructions += [Instruction("load", (), Address("x", 2 * k + i)) for i in range(arity)]
        instructions.append(Instruction(op, tuple(range(first, first + arity))))
        outputs.append(first + arity)
    return tape_of(instructions, outputs)


def program_of(tape: Tape, inputs: int, outputs: int = 1) -> Program:
    slots = (
        Slot(name="x", kind=SlotKind.INPUT, shape=(inputs,)),
        Slot(name="y", kind=SlotKind.OUTPUT, shape=(outputs,)),
    )
    return Program(name="test", slots=slots, body=(Stage("only", tape),))


def unpacked(tape: Tape) -> Tape:
    """A tape of vectors as one of scalars, each lane by itself."""
    instructions: list[Instruction] = []
    places: list[list[int]] = []  # by value, the lanes
    for op, args, data in tape.instructions:
        if op in ("pack", "lane"):
            lanes = [place for a in args for place in places[a]]
            places.append(lanes if op == "pack" else [lanes[data]])  # type: ignore[index]
            continue
        own = list(zip(*(places[a] for a in args), strict=True)) if args else [()]
        places.append([len(instructions) + k for k in range(len(own))])
        instructions += [Instruction(op, lane, data) for lane in own]
    return Tape(tuple(instructions), tuple(Store(address, *places[value]) for address, value in tape.stores))


def evaluate_op(op: str, *arguments: Any, precision: str = "double", **options: Any) -> Any:
    """op applied to arrays of one dimension by compiled code, scalar unless `lanes` or `device` are given."""
    options = options or {"lanes": 1}
    kernel = compile_program(program_of(op_tape(op), len(arguments)), precision=precision, cache=False, **options)  # type: ignore[arg-type]
    return kernel.evaluate({"x": np.stack(arguments, axis=-1)})["y"][:, 0]


def same_bits(a: Any, b: Any) -> bool:
    """Equal bit for bit, but any NaN is as good as another."""
    a, b = np.asarray(a), np.asarray(b)
    integers = {8: np.int64, 4: np.int32}[a.dtype.itemsize]
    return a.dtype == b.dtype and bool(np.all((a.view(integers) == b.view(integers)) | (np.isnan(a) & np.isnan(b))))


def ulps(got: Any, exact: Any) -> Any:
    """Distance from a (long double) result, in units of the last place of the nearest double."""
    got, exact = np.asarray(got), np.asarray(exact)
    nearest = exact.astype(got.dtype)
    return np.abs(got.astype(np.longdouble) - exact) / np.spacing(np.abs(nearest)).astype(np.longdouble)


Values = Mapping[str, Any]


def as_it_stands(program: Program, lanes: int = 1) -> CpuExecutable:
    """Machine code of a program as it stands, without passes."""
    layout = BlockLayout(program, lanes)
    return CpuExecutable(program, "double", layout, LoadedCode(object_code(program, layout, "double", host()), host()))
