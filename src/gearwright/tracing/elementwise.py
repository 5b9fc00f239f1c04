"""NumPy's element-wise functions on scalars: floats, which are constants, and CasADi's SX, which are unknown.

A function that is missing here is one row in `RULES`. CasADi is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, pi
from typing import Any, TypeAlias

import numpy as np

Scalar: TypeAlias = Any  # a float, or an SX of shape (1, 1)


def named(name: str) -> Callable[..., Scalar]:
    """CasADi's function of this name."""

    def call(*values: Scalar) -> Scalar:
        import casadi

        return getattr(casadi, name)(*values)

    return call


if_else, fmod, floor, fabs, sign = (named(n) for n in ("if_else", "fmod", "floor", "fabs", "sign"))
lt, ne, logic_and, logic_or, logic_not = (named(n) for n in ("lt", "ne", "logic_and", "logic_or", "logic_not"))
sqrt, exp, log_e, sin, cos = (named(n) for n in ("sqrt", "exp", "log", "sin", "cos"))


def choose(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition is not zero, else b."""
    if type(condition) is float:
        return a if condition else b
    return if_else(condition, a, b)


def times(a: Scalar, b: Scalar) -> Scalar:
    """The product; a constant 0 stays the float 0, so that structural zeros cost nothing."""
    for one, other in ((a, b), (b, a)):
        if type(one) is float and one in (0.0, 1.0):
            return other if one else 0.0
    return a * b


def plus(a: Scalar, b: Scalar) -> Scalar:
    for one, other in ((a, b), (b, a)):
        if type(one) is float and one == 0.0:
            return other
    return a + b


def minus(a: Scalar, b: Scalar) -> Scalar:
    return a if type(b) is float and b == 0.0 else a - b


def modulo(a: Scalar, b: Scalar) -> Scalar:
    """With the sign of the divisor, as NumPy has it."""
    m = fmod(a, b)
    return if_else(logic_and(ne(m, 0), ne(lt(m, 0), lt(b, 0))), m + b, m)


def floor_divide(a: Scalar, b: Scalar) -> Scalar:
    return floor((a - modulo(a, b)) / b + 0.5)  # the quotient is a whole number but for rounding


def nearest(x: Scalar) -> Scalar:
    """Halves go to the even neighbour."""
    up = floor(x + 0.5)
    tie = logic_and(named("eq")(up - x, 0.5), ne(fmod(up, 2), 0))
    return up - tie


def truncate(x: Scalar) -> Scalar:
    return if_else(lt(x, 0), named("ceil")(x), floor(x))


def cube_root(x: Scalar) -> Scalar:
    return sign(x) * fabs(x) ** (1 / 3)


def power(a: Scalar, b: Scalar) -> Scalar:
    return a**b


def least(a: Scalar, b: Scalar) -> Scalar:
    """The smaller one; an infinite bound is dropped."""
    for one, other in ((a, b), (b, a)):
        if type(one) is float and one == inf:
            return other
    return named("fmin")(a, b)


def greatest(a: Scalar, b: Scalar) -> Scalar:
    for one, other in ((a, b), (b, a)):
        if type(one) is float and one == -inf:
            return other
    return named("fmax")(a, b)


def heaviside(x: Scalar, at_zero: Scalar) -> Scalar:
    return if_else(lt(x, 0), 0.0, if_else(lt(0, x), 1.0, at_zero))


RULES: dict[str, Callable[..., Scalar]] = {
    "add": plus,
    "subtract": minus,
    "multiply": times,
    "divide": lambda a, b: a / b,
    "true_divide": lambda a, b: a / b,
    "negative": lambda x: -x,
    "positive": lambda x: x,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "power": power,
    "float_power": power,
    "sqrt": sqrt,
    "cbrt": cube_root,
    "absolute": fabs,
    "fabs": fabs,
    "sign": sign,
    "copysign": named("copysign"),
    "minimum": least,
    "maximum": greatest,
    "fmin": least,
    "fmax": greatest,
    "floor": floor,
    "ceil": named("ceil"),
    "trunc": truncate,
    "rint": nearest,
    "fmod": fmod,
    "remainder": modulo,
    "floor_divide": floor_divide,
    "heaviside": heaviside,
    "conjugate": lambda x: x,
    # truth values are 0 and 1
    "less": lt,
    "less_equal": named("le"),
    "greater": named("gt"),
    "greater_equal": named("ge"),
    "equal": named("eq"),
    "not_equal": ne,
    "logical_and": logic_and,
    "logical_or": logic_or,
    "logical_not": logic_not,
    "logical_xor": lambda a, b: ne(ne(a, 0), ne(b, 0)),
    "bitwise_and": logic_and,
    "bitwise_or": logic_or,
    "bitwise_xor": lambda a, b: ne(ne(a, 0), ne(b, 0)),
    "invert": logic_not,
    # transcendental functions
    "sin": sin,
    "cos": cos,
    "tan": named("tan"),
    "arcsin": named("asin"),
    "arccos": named("acos"),
    "arctan": named("atan"),
    "arctan2": named("atan2"),
    "hypot": named("hypot"),
    "sinh": named("sinh"),
    "cosh": named("cosh"),
    "tanh": named("tanh"),
    "arcsinh": named("asinh"),
    "arccosh": named("acosh"),
    "arctanh": named("atanh"),
    "exp": exp,
    "exp2": lambda x: exp(x * log(2)),
    "expm1": named("expm1"),
    "log": log_e,
    "log2": lambda x: log_e(x) / log(2),
    "log10": lambda x: log_e(x) / log(10),
    "log1p": named("log1p"),
    "deg2rad": lambda x: x * (pi / 180),
    "radians": lambda x: x * (pi / 180),
    "rad2deg": lambda x: x * (180 / pi),
    "degrees": lambda x: x * (180 / pi),
}


def apply(ufunc: np.ufunc, values: tuple[Scalar, ...]) -> Scalar:
    """One element of a NumPy function's result. Constants stay constants."""
    if all(type(v) is float for v in values):
        with np.errstate(all="ignore"):
            if ufunc in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert):
                values = tuple(bool(v) for v in values)
            return float(ufunc(*values))
    return RULES[ufunc.__name__](*values)
