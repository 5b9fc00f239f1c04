"""The table from op to an expression in C, C++ and CUDA.

`{0}`, `{1}` are values, `{b0}`, `{b1}` the same as truth values, `{f}` the suffix of functions of this precision.
Truth values are `bool` while they only decide something, and become 0 or 1 where they are calculated with.
"""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.compiler.backend import in_single_precision

EXPRESSIONS = {
    "assign": "{0}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "sq": "{0} * {0}",
    "twice": "{0} + {0}",
    "inv": "(real)1 / {0}",
    "sqrt": "sqrt{f}({0})",
    "fabs": "fabs{f}({0})",
    "fma": "fma{f}({0}, {1}, {2})",
    "fms": "fma{f}({0}, {1}, -{2})",
    "fnma": "fma{f}(-{0}, {1}, {2})",
    # NaN in either operand gives NaN, unlike the library's fmin
    "fmin": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "fmax": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "sign": "{0} > (real)0 ? (real)1 : ({0} < (real)0 ? (real)-1 : {0})",
    "copysign": "copysign{f}({0}, {1})",
    "floor": "floor{f}({0})",
    "ceil": "ceil{f}({0})",
    "fmod": "fmod{f}({0}, {1})",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "and": "{b0} && {b1}",
    "or": "{b0} || {b1}",
    "not": "!{b0}",
    "if_else_zero": "{b0} ? {1} : (real)0",
    "select": "{b0} ? {1} : {2}",
    "sin": "sin{f}({0})",
    "cos": "cos{f}({0})",
    "tan": "tan{f}({0})",
    "asin": "asin{f}({0})",
    "acos": "acos{f}({0})",
    "atan": "atan{f}({0})",
    "atan2": "atan2{f}({0}, {1})",
    "exp": "exp{f}({0})",
    "expm1": "expm1{f}({0})",
    "log": "log{f}({0})",
    "log1p": "log1p{f}({0})",
    "pow": "pow{f}({0}, {1})",
    "constpow": "pow{f}({0}, {1})",
    "hypot": "hypot{f}({0}, {1})",
    "sinh": "sinh{f}({0})",
    "cosh": "cosh{f}({0})",
    "tanh": "tanh{f}({0})",
    "asinh": "asinh{f}({0})",
    "acosh": "acosh{f}({0})",
    "atanh": "atanh{f}({0})",
}


@dataclass(frozen=True)
class Dialect:
    """How numbers and functions are spelled: by precision."""

    precision: str

    @property
    def real(self) -> str:
        return {"double": "double", "single": "float"}[self.precision]

    @property
    def suffix(self) -> str:
        """Suffix of functions and literals."""
        return {"double": "", "single": "f"}[self.precision]

    @property
    def largest(self) -> str:
        return {"double": "DBL_MAX", "single": "FLT_MAX"}[self.precision]

    def number(self, x: float) -> str:
        """A literal that reads back as the same number; in parentheses if negative."""
        x = in_single_precision(float(x)) if self.precision == "single" else float(x)
        text = repr(x) + self.suffix
        return f"({text})" if text.startswith("-") else text
