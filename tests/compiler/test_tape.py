"""Tracing CasADi functions, and what makes a tape valid."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

from gearwright.compiler import Address, Tape, compile_program, function_program, trace
from gearwright.compiler.tape import RULES, Instruction, Store
from gearwright.errors import CompileError
from tests.compiler.interpreting import interpret_program

X, Y = ca.SX.sym("x"), ca.SX.sym("y")
EXPRESSIONS = {
    "arithmetic": (X + Y) * (X - Y) / (2 * X + 1 / Y) - X**2,
    "choice": ca.if_else(X < Y, ca.sin(X), ca.cos(Y)),
    "logic": ca.logic_and(X <= Y, ca.logic_not(X == 0)) + ca.logic_or(X != Y, Y > 1),
    "powers": X**3 + ca.fabs(Y) ** 2.5 + (2 + ca.sin(X)) ** Y + ca.fabs(X) ** 0.5 + (3 + X) ** -2,
    "functions": ca.tan(X) + ca.atan2(X, Y) + ca.exp(-Y) + ca.log(1 + X**2) + ca.tanh(Y) + ca.hypot(X, Y),
    "rounding": ca.floor(3 * X) + ca.ceil(Y) + ca.fmod(5 * X, 2) + ca.sign(Y) + ca.copysign(X, Y),
    "extremes": ca.fmin(X, ca.fmax(Y, 0.25)) - ca.fmax(X, 1),
    "hyperbolic": ca.sinh(X) - ca.cosh(Y) + ca.asinh(X) + ca.log1p(ca.fabs(X)) + ca.expm1(Y),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_traced_function_computes_what_casadi_computes(name: str) -> None:
    function = ca.Function("f", [X, Y], [EXPRESSIONS[name]], ["x", "y"], ["z"])
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-2, 2, (2, 17))
    expected = np.array([float(function(a, b)) for a, b in zip(x, y, strict=True)])
    program = function_program(function)
    interpreted = interpret_program(program, {"x": x[:, None], "y": y[:, None]}, batch=17).values["z"][:, 0]
    np.testing.assert_allclose(interpreted, expected, rtol=1e-14, atol=1e-15)
    for lanes in (1, 4):
        compiled = compile_program(program, lanes=lanes, cache=False).evaluate({"x": x[:, None], "y": y[:, None]})
        np.testing.assert_allclose(compiled["z"][:, 0], expected, rtol=1e-13, atol=1e-14)


def test_sparse_inputs_and_outputs_stand_for_dense_slots() -> None:
    lower = ca.SX.sym("a", ca.Sparsity.lower(3))
    other = ca.SX.sym("b", 2, 3)
    function = ca.Function("f", [lower, other], [2 * lower, other.T, ca.SX(2, 2)], ["a", "b"], ["c", "d", "e"])
    program = function_program(function)
    a, b = np.arange(1.0, 10).reshape(3, 3), np.arange(6.0).reshape(2, 3)
    result = compile_program(program, lanes=4, cache=False).evaluate({"a": a, "b": b})
    np.testing.assert_array_equal(result["c"], 2 * np.tril(a))  # above the diagonal: not read, and stored as 0
    np.testing.assert_array_equal(result["d"], b.T)
    np.testing.assert_array_equal(result["e"], np.zeros((2, 2)))


def test_a_state_may_be_input_and_output() -> None:
    function = ca.Function("f", [X], [X + 1], ["x"], ["x"], {"allow_duplicate_io_names": True})
    tape = trace(function)
    assert tape.reads() == tape.writes() == {Address("x", 0)}


def test_an_op_without_machine_code_is_named() -> None:
    with pytest.raises(CompileError, match="erf"):
        trace(ca.Function("f", [X], [ca.erf(X)]))


LOAD = Instruction("load", (), Address("x", 0))
BROKEN = {
    "known op": Tape((Instruction("frobnicate", ()),), ()),
    "arity": Tape((LOAD, Instruction("add", (0,))), ()),
    "defined before use": Tape((Instruction("neg", (1,)), LOAD), ()),
    "finite constants": Tape((Instruction("const", (), math.inf),), ()),
    "loads have addresses": Tape((Instruction("load", ()),), ()),
    "pairs only taken apart": Tape((LOAD, Instruction("sincos", (0,)), Instruction("neg", (1,))), ()),
    "stored values exist": Tape((LOAD,), (Store(Address("y", 0), 1),)),
    "stored once": Tape((LOAD,), (Store(Address("y", 0), 0), Store(Address("y", 0), 0))),
    "elements in range": Tape((Instruction("load", (), Address("x", 3)),), ()),
}


def test_every_rule_has_a_tape_that_breaks_it() -> None:
    assert set(BROKEN) == set(RULES)


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_tape_is_refused(rule: str) -> None:
    with pytest.raises(CompileError, match=rule):
        BROKEN[rule].verify({"x": 3, "y": 1})
