"""Every op: the table's meaning, the interpreter, scalar code and vector code agree."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gearwright.compiler.backends.cpu.llvm.operations import TEXT
from gearwright.compiler.backends.cpu.vector_math import FUNCTIONS
from gearwright.compiler.ops import BY_CASADI, OPS
from tests.compiler.building import evaluate_op, op_tape, program_of, same_bits
from tests.compiler.interpreting import interpret_program

WITHOUT_OWN_ROW = {"const", "load", "assign", "sin", "cos", "tan", "sincos", "pair_sin", "pair_cos"}
COMPUTING = sorted(set(OPS) - {"const", "load", "sincos", "pair_sin", "pair_cos"})
EXACT = sorted(set(COMPUTING) & set(TEXT) - {"fma", "fms", "fnma"})
DOMAIN = {
    "asin": (-1, 1),
    "acos": (-1, 1),
    "atanh": (-0.99, 0.99),
    "acosh": (1, 9),
    "log": (0, 9),
    "log1p": (-0.9, 9),
    "sqrt": (0, 9),
    "pow": (0.1, 5),
    "constpow": (0.1, 5),
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, math.inf, -math.inf, math.nan]


def arguments(op: str, n: int = 41) -> list[np.ndarray]:
    low, high = DOMAIN.get(op, (-4, 4))
    return list(np.random.default_rng(3).uniform(low, high, (OPS[op].arity, n)))


def test_the_back_end_has_a_row_for_every_op() -> None:
    assert set(TEXT) | set(FUNCTIONS) | WITHOUT_OWN_ROW == set(OPS)
    assert set(TEXT).isdisjoint(FUNCTIONS)


def test_the_issue_s_ops_are_known() -> None:
    names = {op.name for op in BY_CASADI.values()}
    assert names >= {
        "add",
        "sub",
        "mul",
        "div",
        "neg",
        "sq",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "exp",
        "log",
        "pow",
        "constpow",
        "fabs",
        "fmin",
        "fmax",
        "sign",
        "floor",
        "ceil",
        "fmod",
        "if_else_zero",
        "lt",
        "le",
        "eq",
        "ne",
        "and",
        "or",
        "not",
        "copysign",
        "twice",
        "inv",
        "tanh",
        "sinh",
        "cosh",
        "log1p",
        "expm1",
        "hypot",
    }


@pytest.mark.parametrize("op", COMPUTING)
def test_interpreter_is_the_table(op: str) -> None:
    x = arguments(op)
    result = interpret_program(program_of(op_tape(op), len(x)), {"x": np.stack(x, -1)}, batch=len(x[0]))
    assert same_bits(result.values["y"][:, 0], OPS[op].meaning(*x))


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("op", COMPUTING)
def test_compiled_code_agrees_with_the_table(op: str, precision: str) -> None:
    dtype = {"double": np.float64, "single": np.float32}[precision]
    x = [a.astype(dtype) for a in arguments(op)]
    tolerance = 4 * np.finfo(dtype).eps
    scalar = evaluate_op(op, *x, lanes=1, precision=precision)
    np.testing.assert_allclose(scalar, OPS[op].meaning(*x), rtol=tolerance, atol=tolerance / 8)
    for lanes in (4, 8):
        assert same_bits(evaluate_op(op, *x, lanes=lanes, precision=precision), scalar)


@pytest.mark.parametrize("op", EXACT)
def test_exact_ops_have_the_table_s_bits_even_for_special_values(op: str) -> None:
    x = [a.ravel().copy() for a in np.meshgrid(*[SPECIAL] * OPS[op].arity)]
    with np.errstate(all="ignore"):
        expected = np.asarray(OPS[op].meaning(*x))
    for lanes in (1, 4):
        got = evaluate_op(op, *x, lanes=lanes)
        np.testing.assert_array_equal(got, expected)


def test_fma_rounds_once() -> None:
    tiny = 2.0**-30
    a, b, c = np.array([1 + tiny]), np.array([1 - tiny]), np.array([-1.0])
    for lanes in (1, 4):
        assert evaluate_op("fma", a, b, c, lanes=lanes)[0] == -(tiny**2)
        assert evaluate_op("fms", a, b, -c, lanes=lanes)[0] == -(tiny**2)
        assert evaluate_op("fnma", a, b, -c, lanes=lanes)[0] == tiny**2


@pytest.mark.parametrize("op", ["fmin", "fmax"])
def test_a_clamp_does_not_hide_nan(op: str) -> None:
    x, y = np.array([math.nan, 1.0]), np.array([1.0, math.nan])
    assert np.isnan(evaluate_op(op, x, y)).all()
