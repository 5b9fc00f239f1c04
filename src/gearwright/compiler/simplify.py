"""Passes that compute less: constants, algebraic identities, equal and unused values.

Identities hold for all finite values, up to the sign of a zero. They may hide a NaN that unused arithmetic would
have made (0·x is 0 here even if x is not finite); a state that is not finite is still found, it just is not made here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gearwright.compiler.ops import OPS
from gearwright.compiler.rewrite import Builder, keep, live, rewrite
from gearwright.compiler.tape import Tape

_NEVER_FOLDED = {"const", "load", "sincos", "pair_sin", "pair_cos"}


def fold_constants(tape: Tape) -> Tape:
    """Evaluates what depends on constants only, unless the result is not finite."""

    def rule(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
        meaning = OPS[op].meaning
        values = [b.value_of(a) for a in args]
        if op in _NEVER_FOLDED or meaning is None or not values or None in values:
            return None
        with np.errstate(all="ignore"):
            result = float(meaning(*(np.float64(v) for v in values)))
        return b.constant(result) if math.isfinite(result) else None

    return rewrite(tape, rule)


def simplify(tape: Tape) -> Tape:
    """Neutral elements, signs moved outwards to where an addition or a fused multiply-add absorbs them."""
    return rewrite(tape, lambda b, op, args: _SIMPLIFY[op](b, *args) if op in _SIMPLIFY else None)


def _add(b: Builder, x: int, y: int) -> int | None:
    if b.value_of(x) == 0.0:
        return y
    if b.value_of(y) == 0.0:
        return x
    if b.is_op(y, "neg"):
        return b.emit("sub", x, *b.args(y))
    if b.is_op(x, "neg"):
        return b.emit("sub", y, *b.args(x))
    return _as_select(b, x, y) or _as_select(b, y, x)


def _as_select(b: Builder, x: int, y: int) -> int | None:
    """CasADi writes a choice as the sum of (c ? x : 0) and (not c ? y : 0)."""
    if not (b.is_op(x, "if_else_zero") and b.is_op(y, "if_else_zero")):
        return None
    (condition, yes), (opposite, no) = b.args(x), b.args(y)
    if b.is_op(opposite, "not") and b.args(opposite) == (condition,):
        return b.emit("select", condition, yes, no)
    return None


def _sub(b: Builder, x: int, y: int) -> int | None:
    if x == y:
        return b.constant(0.0)
    if b.value_of(y) == 0.0:
        return x
    if b.value_of(x) == 0.0:
        return _neg(b, y) or b.emit("neg", y)
    if b.is_op(y, "neg"):
        return b.emit("add", x, *b.args(y))
    return None


def _mul(b: Builder, x: int, y: int) -> int | None:
    if b.value_of(x) is not None:
        x, y = y, x
    factor = b.value_of(y)
    if factor == 0.0:
        return b.constant(0.0)
    if factor == 1.0:
        return x
    if factor == -1.0:
        return _neg(b, x) or b.emit("neg", x)
    if b.is_op(x, "neg"):
        (inner,) = b.args(x)
        if factor is not None:
            return b.emit("mul", inner, b.constant(-factor))
        if b.is_op(y, "neg"):
            return _mul(b, inner, *b.args(y)) or b.emit("mul", inner, *b.args(y))
        return b.emit("neg", b.emit("mul", inner, y))
    if b.is_op(y, "neg"):
        return b.emit("neg", b.emit("mul", x, *b.args(y)))
    if x == y:
        return b.emit("sq", x)
    return None


def _div(b: Builder, x: int, y: int) -> int | None:
    if b.value_of(x) == 0.0:
        return b.constant(0.0)
    if b.value_of(y) == 1.0:
        return x
    if b.value_of(x) == 1.0:
        return b.emit("inv", y)
    if b.is_op(x, "neg"):
        return b.emit("neg", b.emit("div", *b.args(x), y))
    return None


def _neg(b: Builder, x: int) -> int | None:
    return b.args(x)[0] if b.is_op(x, "neg") else None


def _sq(b: Builder, x: int) -> int | None:
    return b.emit("sq", *b.args(x)) if b.is_op(x, "neg") or b.is_op(x, "fabs") else None


def _if_else_zero(b: Builder, condition: int, x: int) -> int | None:
    known = b.value_of(condition)
    if known is None:
        return None
    return x if known else b.constant(0.0)


def _sin(b: Builder, x: int) -> int | None:
    return b.emit("neg", b.emit("sin", *b.args(x))) if b.is_op(x, "neg") else None


def _cos(b: Builder, x: int) -> int | None:
    return b.emit("cos", *b.args(x)) if b.is_op(x, "neg") else None


_SIMPLIFY: dict[str, Callable[..., int | None]] = {
    "assign": lambda b, x: x,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "sq": _sq,
    "sin": _sin,
    "cos": _cos,
    "if_else_zero": _if_else_zero,
}


def merge_common_subexpressions(tape: Tape) -> Tape:
    """Equal instructions become one: the builder numbers equal values once, so rebuilding is all it takes."""
    return rewrite(tape, lambda b, op, args: None)


def remove_dead_code(tape: Tape) -> Tape:
    """Drops what no store needs."""
    return keep(tape, list(live(tape)))
