"""Derivatives of every operation, and of loops and branches, against differences."""

import numpy as np
import pytest

from gearwright.compiler import Address, Branch, Loop, Program, Slot, SlotKind, Stage, Tape, compile_program
from gearwright.compiler.ops import OPS
from gearwright.compiler.tangents import CHOICES, EXTREMES, PARTIALS, tangent_of, tangent_program
from gearwright.compiler.tape import Instruction, Store
from gearwright.errors import CompileError
from tests.compiler.building import op_tape, program_of

BETWEEN = {"acosh": (1.1, 3.0), "log": (0.2, 3.0), "log1p": (0.2, 3.0), "pow": (0.2, 2.0), "constpow": (0.2, 2.0)}
MADE_BY_PASSES = {"fma", "fms", "fnma", "sincos", "pair_sin", "pair_cos"}


def test_every_traced_operation_has_a_derivative():
    assert set(OPS) - {"const", "load"} - MADE_BY_PASSES == {*PARTIALS, *CHOICES, *EXTREMES}
    with pytest.raises(CompileError, match="fma"):
        tangent_program(program_of(op_tape("fma"), inputs=3), ["x"])


@pytest.mark.parametrize("op", sorted({*PARTIALS, *CHOICES, *EXTREMES}))
def test_an_operation(op, rng):
    n, h = OPS[op].arity, 1e-6
    program = program_of(op_tape(op), inputs=n)
    plain = compile_program(program, device="interpreter")
    with_tangents = compile_program(tangent_program(program, ["x"]), device="interpreter")
    x, d = rng.uniform(*BETWEEN.get(op, (0.1, 0.9)), size=(50, n)), rng.normal(size=(50, n))
    if op in ("constpow", *CHOICES):
        d[:, 1 if op == "constpow" else 0] = 0.0
    if op in CHOICES:
        x[:, 0] = rng.integers(0, 2, size=50)
    if op in ("copysign", "fmod", "fabs"):
        x *= rng.choice([-1.0, 1.0], size=x.shape)
    ends = [plain.evaluate({"x": x + s * h * d})["y"] for s in (1, -1)]
    if tangent_of("y") not in {s.name for s in with_tangents.program.slots}:
        assert np.array_equal(*ends)  # a stepped operation
        return
    found = with_tangents.evaluate({"x": x, tangent_of("x"): d})
    assert np.array_equal(found["y"], plain.evaluate({"x": x})["y"])
    assert found[tangent_of("y")] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("op", "at"), [("sqrt", [0.0]), ("hypot", [0.0, 0.0]), ("atan2", [0.0, 0.0]), ("asin", [1.0])])
def test_where_a_derivative_is_infinite_it_is_zero(op, at):
    program = tangent_program(program_of(op_tape(op), inputs=len(at)), ["x"])
    found = compile_program(program, device="interpreter").evaluate({"x": at, tangent_of("x"): np.ones(len(at))})
    assert found[tangent_of("y")] == 0.0


def test_a_branch_that_is_not_taken_may_be_no_number():
    """select(x > 0, √x, 0) at −1."""
    loads = [Instruction("load", (), Address("x", 0)), Instruction("const", (), 0.0)]
    chosen = [Instruction("lt", (1, 0)), Instruction("log", (0,)), Instruction("select", (2, 3, 1))]
    tape = Tape((*loads, *chosen), (Store(Address("y", 0), 4),))
    program = tangent_program(program_of(tape, inputs=1), ["x"])
    found = compile_program(program, device="interpreter").evaluate({"x": [-1.0], tangent_of("x"): [1.0]})
    assert (found["y"], found[tangent_of("y")]) == (0.0, 0.0)


def iteration(device):
    """y = √p by Newton's method, until it changes by less than 1e-12; then doubled, unless it has converged."""

    def load(slot):
        return Instruction("load", (), Address(slot, 0))

    def store(slot, value):
        return Store(Address(slot, 0), value)

    begin = Tape((load("p"), Instruction("const", (), 0.0)), (store("done", 1), store("y", 0)))
    newton = Tape(
        (
            load("y"), load("p"), Instruction("div", (1, 0)), Instruction("add", (0, 2)), Instruction("const", (), 0.5),
            Instruction("mul", (3, 4)), Instruction("sub", (5, 0)), Instruction("fabs", (6,)),
            Instruction("const", (), 1e-12), Instruction("lt", (7, 8)), load("done"), Instruction("or", (9, 10)),
            Instruction("select", (10, 0, 5)),
        ),
        tuple(sorted((store("y", 12), store("done", 11)))),
    )  # fmt: skip
    double = Tape((load("y"), Instruction("twice", (0,))), (store("y", 1),))
    slots = (
        Slot(name="p", kind=SlotKind.INPUT, shape=(1,)), Slot(name="y", kind=SlotKind.OUTPUT, shape=(1,)),
        Slot(name="done", kind=SlotKind.SCRATCH, shape=(1,)),
    )  # fmt: skip
    body = (Stage("begin", begin), Loop(60, (Stage("newton", newton),), "done"), Branch("done", (Stage("x", double),)))
    return compile_program(tangent_program(Program(name="root", slots=slots, body=body), ["p"]), device=device)


@pytest.mark.parametrize("device", ["interpreter", "cpu"])
def test_an_iteration_that_ends_by_itself(device):
    p = np.array([[0.25], [2.0], [900.0]])
    found = iteration(device).evaluate({"p": p, tangent_of("p"): np.ones((3, 1))})
    assert found["y"] == pytest.approx(np.sqrt(p), rel=1e-12)
    assert found[tangent_of("y")] == pytest.approx(0.5 / np.sqrt(p), rel=1e-9)


def test_what_does_not_depend_on_the_varied_has_no_slot():
    program = program_of(op_tape("floor"), inputs=1)
    assert [s.name for s in tangent_program(program, ["x"]).slots] == ["x", "y", tangent_of("x")]
