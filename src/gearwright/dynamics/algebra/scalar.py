"""Scalars: a float is a constant of the mechanism, an `Expression` is known only when the program runs.

Every algorithm is written with the ordinary operators, and the same lines run on floats and trace expressions. What is
zero or one in the mechanism stays a float and costs nothing: `0.0 * x` is 0.0, `1.0 * x` and `x + 0.0` are x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from threading import local
from typing import TYPE_CHECKING, Any, TypeAlias

import casadi
from casadi import SX, GlobalOptions

from gearwright.errors import CompileError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

TINY = 1e-30  # keeps 0/0 finite; a normal number in single precision, too

# SX.binary reaches CasADi's own simplifications (x·1, x + 0, x − (−y)) without the seven times slower overload
# resolution of SX's operators. Tracing spends its time in these calls.
_binary = SX.binary
_ADD, _SUB, _MUL, _DIV = casadi.OP_ADD, casadi.OP_SUB, casadi.OP_MUL, casadi.OP_DIV
_LT, _LE, _AND, _OR = casadi.OP_LT, casadi.OP_LE, casadi.OP_AND, casadi.OP_OR


class TooManyOperationsError(CompileError):
    """Tracing made more expressions than `at_most` permits."""


class _Tracing(local):
    left: float = inf  # expressions that this thread may still make


_tracing = _Tracing()


@contextmanager
def at_most(operations: int) -> Iterator[None]:
    """Bounds the expressions that are traced inside: beyond it, TooManyOperationsError."""
    before, _tracing.left = _tracing.left, operations
    try:
        yield
    finally:
        _tracing.left = before


class Expression:
    """A CasADi scalar. Comparisons and `&`, `|` give an expression that is 1 where they hold, else 0.

    CasADi's functions take it as it is (`__SX__`); `expression` and `scalars` wrap what they return.
    """

    __slots__ = ("sx",)
    __array_ufunc__ = None  # NumPy's scalars leave operators to this class

    def __init__(self, sx: SX) -> None:
        self.sx = sx
        left = _tracing.left = _tracing.left - 1
        if left < 0:
            raise TooManyOperationsError

    @staticmethod
    def symbol(name: str) -> Expression:
        return Expression(SX.sym(name))

    def __SX__(self) -> SX:  # CasADi's protocol
        return self.sx

    def __repr__(self) -> str:
        return str(self.sx)

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def __add__(self, b: Scalar) -> Scalar:
        if type(b) is float:
            return self if b == 0.0 else Expression(_binary(_ADD, self.sx, b))
        return Expression(_binary(_ADD, self.sx, _sx(b)))

    def __radd__(self, a: float) -> Scalar:
        return self if a == 0.0 else Expression(_binary(_ADD, a, self.sx))

    def __sub__(self, b: Scalar) -> Scalar:
        if type(b) is float:
            return self if b == 0.0 else Expression(_binary(_SUB, self.sx, b))
        return Expression(_binary(_SUB, self.sx, _sx(b)))

    def __rsub__(self, a: float) -> Scalar:
        return -self if a == 0.0 else Expression(_binary(_SUB, a, self.sx))

    def __mul__(self, b: Scalar) -> Scalar:
        if type(b) is Expression:
            return Expression(_binary(_MUL, self.sx, b.sx))
        if type(b) is not float:
            return _times_other(self, b)
        if b == 0.0:
            return 0.0
        return self if b == 1.0 else Expression(_binary(_MUL, self.sx, b))

    def __rmul__(self, a: float) -> Scalar:
        if a == 0.0:
            return 0.0
        return self if a == 1.0 else Expression(_binary(_MUL, a, self.sx))

    def __truediv__(self, b: Scalar) -> Scalar:
        return Expression(_binary(_DIV, self.sx, _sx(b)))

    def __rtruediv__(self, a: float) -> Scalar:
        return 0.0 if a == 0.0 else Expression(_binary(_DIV, a, self.sx))

    def __neg__(self) -> Expression:
        return Expression(-self.sx)

    def __abs__(self) -> Scalar:
        return Expression(casadi.fabs(self.sx))

    # --- conditions ------------------------------------------------------------------------------------------------

    def __lt__(self, b: Scalar) -> Expression:
        return Expression(_binary(_LT, self, b))

    def __le__(self, b: Scalar) -> Expression:
        return Expression(_binary(_LE, self, b))

    def __gt__(self, b: Scalar) -> Expression:
        return Expression(_binary(_LT, b, self))

    def __ge__(self, b: Scalar) -> Expression:
        return Expression(_binary(_LE, b, self))

    def __and__(self, b: Condition) -> Condition:
        return Expression(_binary(_AND, self.sx, b.sx)) if isinstance(b, Expression) else b and self

    def __or__(self, b: Condition) -> Condition:
        return Expression(_binary(_OR, self.sx, b.sx)) if isinstance(b, Expression) else b or self

    __rand__, __ror__ = __and__, __or__

    def __float__(self) -> float:
        """The value of a constant expression."""
        return float(casadi.evalf(self.sx))

    def __bool__(self) -> bool:
        raise TypeError("an expression is neither true nor false while it is traced; use `where`")


def _times_other(a: Expression, b: Any) -> Scalar:
    """A column multiplies its elements itself; the rest are CasADi's numbers."""
    return NotImplemented if isinstance(b, list) else Expression(_binary(_MUL, a.sx, b))


def _sx(x: Any) -> Any:
    return x.sx if type(x) is Expression else x


Scalar: TypeAlias = float | Expression
Condition: TypeAlias = bool | Expression  # whether something holds


def expression(x: Any) -> Expression:
    """A CasADi scalar, or a number, as an expression."""
    return x if type(x) is Expression else Expression(SX(x))


def simplified(x: Any) -> Scalar:
    """A result of CasADi's as a scalar: a float if it is constant."""
    x = SX(x)
    return float(x) if x.is_constant() else Expression(x)


def total(*terms: Scalar) -> Scalar:
    """The sum, 0.0 if there is nothing to add."""
    result: Scalar = 0.0
    for term in terms:
        result = result + term
    return result


def reciprocal_above(a: Scalar, floor: Scalar) -> Scalar:
    """1/a, or 0 where a is not above the floor, which is not negative.

    The mask is the numerator: of a choice CasADi would make one out of every product with it.
    """
    if is_zero(a):
        return 0.0
    above = a > floor
    if isinstance(above, bool):
        return 1.0 / a if above else 0.0
    return above / (a + (1.0 - above))


@contextmanager
def without_simplification() -> Iterator[None]:
    """Keeps CasADi from rewriting expressions: it turns `x·(1/d)` back into a division, which costs ten products."""
    GlobalOptions.setSimplificationOnTheFly(False)
    try:
        yield
    finally:
        GlobalOptions.setSimplificationOnTheFly(True)


def times_reciprocal(a: Scalar, r: Scalar) -> Scalar:
    """`a·r` for a reciprocal r, as a product."""
    if type(a) is float or type(r) is float:
        return a * r
    with without_simplification():
        return a * r


def minimum(a: Scalar, b: Scalar) -> Scalar:
    return min(a, b) if type(a) is float and type(b) is float else Expression(casadi.fmin(a, b))


def maximum(a: Scalar, b: Scalar) -> Scalar:
    return max(a, b) if type(a) is float and type(b) is float else Expression(casadi.fmax(a, b))


def maximum_of(values: Sequence[Scalar]) -> Scalar:
    """The greatest of several."""
    return _in_pairs(maximum, values)


def maximum_number(values: Sequence[Scalar]) -> Scalar:
    """The same, but a NaN may get lost: a comparison is then one instruction instead of three."""
    return _in_pairs(lambda a, b: where(a > b, a, b), values)


def _in_pairs(chosen: Callable[[Scalar, Scalar], Scalar], values: Sequence[Scalar]) -> Scalar:
    """One of several, found in pairs: no comparison waits for all others."""
    left = list(values)
    while len(left) > 1:
        pairs = (left[i : i + 2] for i in range(0, len(left), 2))
        left = [chosen(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return left[0]


def where(condition: Condition | Scalar, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition holds (where a slot's flag is not 0), else b."""
    if isinstance(condition, bool | float):
        return a if condition else b
    return Expression(casadi.if_else(condition, a, b))


def negated(condition: Condition | Scalar) -> Condition:
    return not condition if isinstance(condition, bool | float) else Expression(casadi.logic_not(condition))


def equal(a: Scalar, b: Scalar) -> Condition:
    """Whether two scalars are the same."""
    return a == b if type(a) is float and type(b) is float else Expression(casadi.eq(a, b))


def _elementary(function: Callable[..., Any]) -> Callable[..., Scalar]:
    """One of CasADi's functions: of floats a float, else an expression."""

    def evaluated(*arguments: Scalar) -> Scalar:
        found = function(*arguments)
        return found if type(found) is float else Expression(found)

    return evaluated


sin, cos, atan2 = _elementary(casadi.sin), _elementary(casadi.cos), _elementary(casadi.atan2)
exp, log, sinh = _elementary(casadi.exp), _elementary(casadi.log), _elementary(casadi.sinh)
sqrt, floor = _elementary(casadi.sqrt), _elementary(casadi.floor)


def is_zero(a: Scalar) -> bool:
    """Zero by the mechanism's structure, whatever its state."""
    return isinstance(a, float) and a == 0.0


def is_number(a: Scalar) -> TypeIs[float]:
    return isinstance(a, float)  # NumPy's too


def scalars(values: Any) -> list[Scalar]:
    """The elements of an SX column, or of anything that iterates over numbers."""
    if isinstance(values, SX):
        return [Expression(x) for x in casadi.vertsplit(values)] if values.numel() else []
    return [v if isinstance(v, Expression) else Expression(v) if isinstance(v, SX) else float(v) for v in values]


def column(values: Any) -> SX:
    """A list of scalars as a column; a matrix as it is."""
    if not isinstance(values, list):
        return SX(values)
    return casadi.vertcat(*(SX(x) for x in values)) if values else SX(0, 1)


def sine_cosine(angle: Scalar) -> tuple[Scalar, Scalar]:
    return sin(angle), cos(angle)
