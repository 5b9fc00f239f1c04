"""Passes that compute less: constants, algebraic identities, equal and unused values.

Identities hold for all finite values, up to the sign of a zero. They may hide a NaN that unused arithmetic would
have made (0·x is 0 here even if x is not finite); a state that is not finite is still found, it just is not made here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gearwright.compiler.ops import HALVES, OPS, PAIR
from gearwright.compiler.rewrite import Builder, keep, live, rewrite
from gearwright.compiler.tape import Tape

_NOT_FOLDED = frozenset((PAIR, *HALVES))  # pairs are no numbers


def simplify(tape: Tape) -> Tape:
    """Constants folded, neutral elements left out, signs moved outwards to where an addition absorbs them."""
    return rewrite(tape, simpler)


def simpler(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
    """The rule of `simplify`."""
    instructions = b.instructions
    for a in args:
        if instructions[a][0] != "const":
            found = _SIMPLIFY.get(op)
            return None if found is None else found(b, *args)
    return folded(b, op, args)


def folded(b: Builder, op: str, args: tuple[int, ...]) -> int | None:
    """The constant that constants give, unless it is not finite."""
    meaning = OPS[op].meaning
    if op in _NOT_FOLDED or meaning is None:
        return None
    with np.errstate(all="ignore"):
        result = float(meaning(*(np.float64(b.value_of(a)) for a in args)))
    return b.constant(result) if math.isfinite(result) else None


def _add(b: Builder, x: int, y: int) -> int | None:
    op_x, args_x, value_x = b.instructions[x]
    op_y, args_y, value_y = b.instructions[y]
    if op_x == "const" and value_x == 0.0:
        return y
    if op_y == "const" and value_y == 0.0:
        return x
    if op_y == "neg":
        return b.emit("sub", x, *args_y)
    if op_x == "neg":
        return b.emit("sub", y, *args_x)
    if op_x == op_y == "if_else_zero":
        return _as_select(b, args_x, args_y) or _as_select(b, args_y, args_x)
    return None


def _as_select(b: Builder, one: tuple[int, ...], other: tuple[int, ...]) -> int | None:
    """CasADi writes a choice as the sum of (c ? x : 0) and (not c ? y : 0)."""
    (condition, yes), (opposite, no) = one, other
    if b.is_op(opposite, "not") and b.args(opposite) == (condition,):
        return b.emit("select", condition, yes, no)
    return None


def _sub(b: Builder, x: int, y: int) -> int | None:
    if x == y:
        return b.constant(0.0)
    op_y, args_y, value_y = b.instructions[y]
    if op_y == "const" and value_y == 0.0:
        return x
    if b.value_of(x) == 0.0:
        return args_y[0] if op_y == "neg" else b.emit("neg", y)
    if op_y == "neg":
        return b.emit("add", x, *args_y)
    return None


def _mul(b: Builder, x: int, y: int) -> int | None:
    instructions = b.instructions
    if instructions[x][0] == "const":
        x, y = y, x
    op_x, args_x, _ = instructions[x]
    op_y, args_y, value_y = instructions[y]
    if op_y == "const":
        return _scaled(b, x, float(value_y))  # type: ignore[arg-type]
    if op_x == "neg":
        if op_y == "neg":
            return _mul(b, args_x[0], args_y[0]) or b.emit("mul", args_x[0], args_y[0])
        return b.emit("neg", b.emit("mul", args_x[0], y))
    if op_y == "neg":
        return b.emit("neg", b.emit("mul", x, args_y[0]))
    return b.emit("sq", x) if x == y else None


def _scaled(b: Builder, x: int, factor: float) -> int | None:
    """A product with a constant."""
    op, args, _ = b.instructions[x]
    if factor == 0.0:
        return b.constant(0.0)
    if factor == 1.0:
        return x
    if factor == -1.0:
        return args[0] if op == "neg" else b.emit("neg", x)
    return b.emit("mul", args[0], b.constant(-factor)) if op == "neg" else None


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


def _select(b: Builder, condition: int, x: int, y: int) -> int | None:
    known = b.value_of(condition)
    if known is None:
        return x if x == y else None
    return x if known else y


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
    "select": _select,
}


def remove_dead_code(tape: Tape) -> Tape:
    """Drops what no store needs."""
    return keep(tape, list(live(tape)))
