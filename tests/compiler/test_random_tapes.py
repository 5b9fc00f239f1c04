"""Random tapes: compiled code gives the same bits for any lanes, and what the interpreter gives to rounding."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright.compiler import Address, Tape, compile_program
from gearwright.compiler.ops import OPS
from gearwright.compiler.tape import Instruction
from tests.compiler.building import as_it_stands, program_of, same_bits, tape_of
from tests.compiler.interpreting import interpret_program
from tests.tolerances import ROUNDING

INPUTS, OUTPUTS = 4, 3
SMOOTH = [
    "add",
    "sub",
    "mul",
    "fma",
    "fms",
    "fnma",
    "neg",
    "sq",
    "twice",
    "sin",
    "cos",
    "tanh",
    "atan",
    "fabs",
    "fmin",
    "fmax",
    "lt",
    "le",
    "and",
    "or",
    "not",
    "if_else_zero",
    "select",
    "sign",
    "copysign",
    "div",
    "atan2",
    "exp",
]
EXACT = [
    "add",
    "sub",
    "mul",
    "neg",
    "sq",
    "twice",
    "fabs",
    "fmin",
    "fmax",
    "lt",
    "le",
    "eq",
    "ne",
    "and",
    "or",
    "not",
    "if_else_zero",
    "select",
    "sign",
    "copysign",
    "div",
    "sqrt",
    "inv",
    "floor",
    "ceil",
]


@st.composite
def tapes(draw: st.DrawFn, names: list[str] = SMOOTH) -> Tape:
    """Tapes of a few dozen instructions over 4 inputs, with 3 outputs taken from anywhere."""
    instructions = [Instruction("load", (), Address("x", k)) for k in range(INPUTS)]
    for value in draw(st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.1, -0.7]), min_size=1, max_size=3)):
        instructions.append(Instruction("const", (), value))
    for name in draw(st.lists(st.sampled_from(names), min_size=3, max_size=40)):
        earlier = st.integers(0, len(instructions) - 1)
        instructions.append(Instruction(name, tuple(draw(earlier) for _ in range(OPS[name].arity))))
    outputs = [draw(st.integers(INPUTS, len(instructions) - 1)) for _ in range(OUTPUTS)]
    return tape_of(instructions, outputs)


X = np.random.default_rng(11).uniform(-3, 3, (13, INPUTS))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(tape=tapes())
def test_scalar_and_vector_code_give_the_same_bits(tape: Tape) -> None:
    program = program_of(tape, INPUTS, OUTPUTS)
    scalar = compile_program(program, lanes=1, cache=False).evaluate({"x": X})["y"]
    for lanes in (4, 8):
        assert same_bits(compile_program(program, lanes=lanes, cache=False).evaluate({"x": X})["y"], scalar)
    expected = interpret_program(program, {"x": X}, batch=len(X)).values["y"]
    usable = np.isfinite(expected) & (np.abs(expected) < 1e6) & _is_stable(tape)
    np.testing.assert_allclose(scalar[usable], expected[usable], rtol=ROUNDING, atol=ROUNDING)


def _is_stable(tape: Tape) -> bool:
    """No op that turns a rounding into a jump."""
    jumps = {"lt", "le", "and", "or", "not", "if_else_zero", "select", "sign", "copysign", "atan2", "div"}
    return not any(i.op in jumps for i in tape.instructions)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(tape=tapes(EXACT))
def test_without_passes_exact_ops_give_the_interpreter_s_bits(tape: Tape) -> None:
    program = program_of(tape, INPUTS, OUTPUTS)
    compiled = as_it_stands(program, lanes=4).evaluate({"x": X})["y"]
    expected = interpret_program(program, {"x": X}, batch=len(X)).values["y"]
    np.testing.assert_array_equal(compiled, expected)
