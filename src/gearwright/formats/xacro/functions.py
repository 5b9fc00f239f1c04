"""The functions of xacro's expressions: all of `math`, those of Python that xacro documents, and where they live."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import cast

from gearwright.formats.xacro.budget import MAX_BITS
from gearwright.formats.xacro.errors import XacroError, too_much
from gearwright.formats.xacro.operators import multiply
from gearwright.formats.xacro.values import Apply, DottedDict, Function, Namespace, Value, keyed

MAX_FACTORIAL = 1_000
MAX_DIGITS = 400  # of rounding, on either side of the point


def _extreme(of: Callable[..., Value]) -> Callable[..., Value]:
    def extreme(apply: Apply, /, *values: Value, key: Function | None = None, **default: Value) -> Value:
        return of(*values, key=keyed(apply, key), **default)

    return extreme


def _sorted(apply: Apply, values: Value, /, *, key: Function | None = None, reverse: bool = False) -> Value:
    return sorted(values, key=keyed(apply, key), reverse=reverse)


def _map(apply: Apply, function: Function, /, *lists: Value) -> Value:
    return [apply(function, *values) for values in zip(*lists, strict=False)]


def _filter(apply: Apply, function: Function | None, values: Value, /) -> Value:
    return [v for v in values if (v if function is None else apply(function, v))]


def _round(number: Value, ndigits: int | None = None) -> Value:
    if ndigits is not None and abs(ndigits) > MAX_DIGITS:
        raise too_much(f"rounding to more than {MAX_DIGITS} digits")
    return round(number, ndigits)


def _sum(values: Iterable[Value], start: Value = 0) -> Value:
    total = start
    for v in values:
        if isinstance(total, (list, tuple, str)):
            raise TypeError("sum() adds numbers only; use + for lists")
        total = total + v
    return total


def _isinstance(value: Value, kinds: Value) -> bool:
    listed = kinds if isinstance(kinds, tuple) else (kinds,)
    if not all(isinstance(k, Function) and k.kind is not None for k in listed):
        raise XacroError("isinstance() takes a type, such as str, or a tuple of them")
    return isinstance(value, tuple(k.kind for k in listed))


def dotted(value: Value) -> Value:
    """Dictionaries at every level as `d.key`."""
    if isinstance(value, dict):
        return DottedDict((k, dotted(v)) for k, v in value.items())
    return [dotted(v) for v in value] if isinstance(value, list) else value


def _dict(*values: Value, **named: Value) -> Value:
    return dict(*values, **named)


TYPES: dict[str, type] = {
    "list": list, "str": str, "float": float, "int": int, "bool": bool, "tuple": tuple, "set": set,
    "frozenset": frozenset, "dict": dict,
}  # fmt: skip
PYTHON: dict[str, Value] = {
    "True": True,
    "False": False,
    **{name: Function(name, kind, kind) for name, kind in TYPES.items()},
    "dict": Function("dict", _dict, dict),
    "map": Function("map", _map, calls_back=True),
    "filter": Function("filter", _filter, calls_back=True),
    "min": Function("min", _extreme(min), calls_back=True),
    "max": Function("max", _extreme(max), calls_back=True),
    "sorted": Function("sorted", _sorted, calls_back=True),
    "round": Function("round", _round),
    "sum": Function("sum", _sum),
    "isinstance": Function("isinstance", _isinstance),
    "enumerate": Function("enumerate", lambda values, start=0: list(enumerate(values, start))),
    "zip": Function("zip", lambda *lists, strict=False: list(zip(*lists, strict=strict))),
    "reversed": Function("reversed", lambda values: list(reversed(values))),
    **{f.__name__: Function(f.__name__, f) for f in (len, range, abs, all, any, divmod, ord, repr)},
}


def _factorial(n: int) -> int:
    if n > MAX_FACTORIAL:
        raise too_much(f"the factorial of more than {MAX_FACTORIAL}")
    return math.factorial(n)


def _choices(of: Callable[..., int]) -> Callable[..., int]:
    def count(n: int, *k: int) -> int:
        if n > MAX_FACTORIAL:
            raise too_much(f"choices out of more than {MAX_FACTORIAL}")
        return of(n, *k)

    return count


def _product(values: Iterable[Value], *, start: Value = 1) -> Value:
    total = start
    for v in values:
        if not isinstance(v, (int, float)):
            raise TypeError("prod() multiplies numbers")
        total = _small(multiply(total, v))
    return total


def _lcm(*values: int) -> int:
    total = 1
    for v in values:
        total = _small(math.lcm(total, v))
    return total


def _small(number: Value) -> Value:
    if isinstance(number, int) and number.bit_length() > MAX_BITS:
        raise too_much(f"an integer of more than {MAX_BITS} bits")
    return number


_BOUNDED: dict[str, Callable[..., Value]] = {
    "factorial": _factorial,
    "comb": _choices(math.comb),
    "perm": _choices(math.perm),
    "prod": _product,
    "lcm": _lcm,
}
MATH: dict[str, Value] = {
    name: Function(name, cast(Callable[..., Value], _BOUNDED.get(name, v))) if callable(v) else v
    for name, v in vars(math).items()
    if not name.startswith("_")
}
DIRECT = (
    "list", "dict", "map", "len", "str", "float", "int", "bool", "True", "False", "min", "max", "round", "sorted",
    "range",
)  # fmt: skip
GLOBALS: dict[str, Value] = {
    **{name: PYTHON[name] for name in DIRECT},
    **MATH,
    "math": Namespace("math", MATH),
    "python": Namespace("python", PYTHON),
}
