"""Operators of expressions. Operations whose result grows faster than the operands are checked first."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from gearwright.formats.xacro.budget import MAX_BITS, MAX_ITEMS, MAX_TEXT
from gearwright.formats.xacro.errors import too_much
from gearwright.formats.xacro.formatting import percent
from gearwright.formats.xacro.values import Value

Operator = Callable[[Value, Value], Value]


def multiply(a: Value, b: Value) -> Value:
    for text, times in ((a, b), (b, a)):
        if isinstance(times, int) and isinstance(text, (str, list, tuple)):
            _repeatable(text, times)
    return a * b


def _repeatable(text: str | list[Value] | tuple[Value, ...], times: int) -> None:
    most = MAX_TEXT if isinstance(text, str) else MAX_ITEMS
    if len(text) * max(times, 0) > most:
        raise too_much(f"a repetition that makes more than {most:,} values")


def power(a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int) and abs(b) * a.bit_length() > MAX_BITS:
        raise too_much(f"a power of more than {MAX_BITS} bits")
    result = a**b
    if isinstance(result, complex):
        raise ValueError("a negative number cannot be raised to a fractional power")
    return result


def shift_left(a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int) and b > MAX_BITS:
        raise too_much(f"an integer of more than {MAX_BITS} bits")
    return a << b


def modulo(a: Value, b: Value) -> Value:
    return percent(a, b) if isinstance(a, str) else a % b


BINARY: dict[type[ast.operator], Operator] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: modulo,
    ast.Pow: power,
    ast.LShift: shift_left,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY: dict[type[ast.unaryop], Callable[[Value], Value]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
COMPARE: dict[type[ast.cmpop], Operator] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
