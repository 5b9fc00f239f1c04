"""The op table: every scalar operation a tape may hold, its arity and its meaning in NumPy.

A new op is one row here and one row in each back end (for the CPU: `operations.py` or `vector_math` there). A back
end's own passes may add operations that no other sees (for the CPU: `vectors.py`).
Truth values are numbers, as in CasADi: 0 is false, anything else true, and comparisons give 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Meaning = Callable[..., Any]


class Op(NamedTuple):
    """One row of the table.

    `meaning` takes and gives NumPy arrays, element by element; the NumPy interpreter is nothing more than it.
    `casadi` is the suffix of CasADi's `OP_…` constant, empty for ops that only our passes make.
    """

    name: str
    arity: int
    meaning: Meaning | None = None
    casadi: str = ""
    commutative: bool = False
    boolean: bool = False  # the result is 0 or 1


def _fused(a: Any, b: Any, c: Any) -> Any:
    """a·b + c rounded (almost always) once: computed in the next wider type, then rounded."""
    wider = np.float64 if np.result_type(a) == np.float32 else np.longdouble
    return (np.asarray(a, wider) * b + c).astype(np.result_type(a))


def _power(x: Any, y: Any) -> Any:
    return np.power(x, y)


def _number(truth: Any, like: Any) -> Any:
    return np.asarray(truth, np.result_type(like))


_ROWS = (
    # values that come from outside the tape; the interpreter and the back ends treat these two themselves
    Op("const", 0),
    Op("load", 0),
    # arithmetic
    Op("assign", 1, lambda x: x, "ASSIGN"),
    Op("add", 2, np.add, "ADD", commutative=True),
    Op("sub", 2, np.subtract, "SUB"),
    Op("mul", 2, np.multiply, "MUL", commutative=True),
    Op("div", 2, np.divide, "DIV"),
    Op("neg", 1, np.negative, "NEG"),
    Op("sq", 1, np.square, "SQ"),
    Op("twice", 1, lambda x: x + x, "TWICE"),
    Op("inv", 1, lambda x: np.divide(np.ones_like(x), x), "INV"),
    Op("sqrt", 1, np.sqrt, "SQRT"),
    Op("fabs", 1, np.fabs, "FABS"),
    Op("fma", 3, _fused),  # a·b + c, one rounding
    Op("fms", 3, lambda a, b, c: _fused(a, b, -c)),  # a·b − c
    Op("fnma", 3, lambda a, b, c: _fused(-a, b, c)),  # c − a·b
    # NaN in either operand gives NaN (CasADi's fmin drops it: a diverging state must not hide behind a clamp)
    Op("fmin", 2, np.minimum, "FMIN"),
    Op("fmax", 2, np.maximum, "FMAX"),
    Op("sign", 1, np.sign, "SIGN"),
    Op("copysign", 2, np.copysign, "COPYSIGN"),
    Op("floor", 1, np.floor, "FLOOR"),
    Op("ceil", 1, np.ceil, "CEIL"),
    Op("fmod", 2, np.fmod, "FMOD"),
    # truth values
    Op("lt", 2, lambda a, b: _number(a < b, a), "LT", boolean=True),
    Op("le", 2, lambda a, b: _number(a <= b, a), "LE", boolean=True),
    Op("eq", 2, lambda a, b: _number(a == b, a), "EQ", commutative=True, boolean=True),
    Op("ne", 2, lambda a, b: _number(a != b, a), "NE", commutative=True, boolean=True),
    Op("and", 2, lambda a, b: _number((a != 0) & (b != 0), a), "AND", commutative=True, boolean=True),
    Op("or", 2, lambda a, b: _number((a != 0) | (b != 0), a), "OR", commutative=True, boolean=True),
    Op("not", 1, lambda a: _number(a == 0, a), "NOT", boolean=True),
    Op("if_else_zero", 2, lambda c, x: np.where(c != 0, x, np.zeros_like(x)), "IF_ELSE_ZERO"),
    Op("select", 3, lambda c, x, y: np.where(c != 0, x, y)),
    # transcendental functions
    Op("sin", 1, np.sin, "SIN"),
    Op("cos", 1, np.cos, "COS"),
    Op("tan", 1, np.tan, "TAN"),
    Op("sincos", 1, lambda x: (np.sin(x), np.cos(x))),  # a pair, taken apart by the next two
    Op("pair_sin", 1, lambda pair: pair[0]),
    Op("pair_cos", 1, lambda pair: pair[1]),
    Op("asin", 1, np.arcsin, "ASIN"),
    Op("acos", 1, np.arccos, "ACOS"),
    Op("atan", 1, np.arctan, "ATAN"),
    Op("atan2", 2, np.arctan2, "ATAN2"),
    Op("exp", 1, np.exp, "EXP"),
    Op("expm1", 1, np.expm1, "EXPM1"),
    Op("log", 1, np.log, "LOG"),
    Op("log1p", 1, np.log1p, "LOG1P"),
    Op("pow", 2, _power, "POW"),
    Op("constpow", 2, _power, "CONSTPOW"),
    Op("hypot", 2, np.hypot, "HYPOT", commutative=True),
    Op("sinh", 1, np.sinh, "SINH"),
    Op("cosh", 1, np.cosh, "COSH"),
    Op("tanh", 1, np.tanh, "TANH"),
    Op("asinh", 1, np.arcsinh, "ASINH"),
    Op("acosh", 1, np.arccosh, "ACOSH"),
    Op("atanh", 1, np.arctanh, "ATANH"),
)

OUTSIDE = ("const", "load")  # without arguments: as cheap to make again as to keep
PAIR, HALVES = "sincos", ("pair_sin", "pair_cos")

OPS: dict[str, Op] = {op.name: op for op in _ROWS}
BY_CASADI: dict[str, Op] = {op.casadi: op for op in _ROWS if op.casadi}
