"""Transcendental functions written for any number of lanes. A function is one row of this table."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.compiler.backends.cpu.llvm.ir import Value
from gearwright.compiler.backends.cpu.vector_math.exponential import exp, expm1, log, log1p, pow
from gearwright.compiler.backends.cpu.vector_math.hyperbolic import acosh, asinh, atanh, cosh, hypot, sinh, tanh
from gearwright.compiler.backends.cpu.vector_math.trigonometric import acos, asin, atan, atan2

FUNCTIONS: dict[str, Callable[..., Value]] = {
    "acos": acos,
    "acosh": acosh,
    "asin": asin,
    "asinh": asinh,
    "atan": atan,
    "atan2": atan2,
    "atanh": atanh,
    "constpow": pow,
    "cosh": cosh,
    "exp": exp,
    "expm1": expm1,
    "hypot": hypot,
    "log": log,
    "log1p": log1p,
    "pow": pow,
    "sinh": sinh,
    "tanh": tanh,
}
