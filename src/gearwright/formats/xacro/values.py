"""Values of expressions. Only these types exist there, so that no expression reaches anything of Python itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from gearwright.formats.xacro.budget import CHARACTERS_PER_STEP, MAX_BITS, MAX_ITEMS, MAX_TEXT, Budget
from gearwright.formats.xacro.errors import XacroError, shown, too_much

Value = Any  # None, bool, int, float, str, list, tuple, dict, set, frozenset, range, Function or Names
SCALARS = frozenset({bool, float, type(None)})
SEQUENCES = frozenset({list, tuple, set, frozenset})
CHANGEABLE = (list, dict, set)
# Texts have random hashes. Those of these types can be made to collide, and a set or dictionary of n such keys takes
# n² comparisons: each of them counts as so many values, which leaves some 5,000.
COLLIDING = 10
HASHED = frozenset({tuple, frozenset, range})
HASH_BITS = 61  # an integer of fewer bits is its own hash
PRINTED = (bool, int, float, list, tuple, dict, set, frozenset, range)


class NameTable(Protocol):
    """Something that expressions look names up in: properties, a namespace, the parameters of a lambda."""

    def lookup(self, name: str) -> Value:
        """Raises KeyError."""


class DottedDict(dict[Value, Value]):
    """A dictionary of a yaml file: `d.key` is `d['key']`."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Function:
    """A function that expressions can call, by `Evaluator.apply` and nothing else: it weighs what goes in and out."""

    name: str
    call: Callable[..., Value]
    kind: type | None = None  # the type that it stands for in isinstance
    bound: tuple[Value, ...] = ()  # the value that it is a method of, the first argument
    calls_back: bool = False  # takes `Evaluator.apply` before all others: it calls functions that it is given

    def __repr__(self) -> str:
        return f"<function {self.name}>"


Apply = Callable[..., Value]  # (function, *arguments, **named)


def keyed(apply: Apply, key: Function | None) -> Callable[..., Value] | None:
    """The key of a sort or an extreme, as Python takes it."""
    return None if key is None else lambda value: apply(key, value)


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Namespace:
    """`math`, `python` and `xacro`."""

    name: str
    values: dict[str, Value]

    def __repr__(self) -> str:
        return f"<namespace {self.name}>"

    def lookup(self, name: str) -> Value:
        return self.values[name]


def weigh(value: Value, budget: Budget) -> Value:
    """Returns the value and charges the budget for its size, to which the cost of later operations is proportional.

    Parts that a structure holds twice count twice, because printing and comparing go through them twice.
    """
    if type(value) in SCALARS:
        return value
    items, characters = 0, 0
    todo = [value]
    while todo:
        v = todo.pop()
        kind = type(v)
        if kind is str:
            characters += len(v)
        elif kind is int:
            items += _integer(v)
        elif kind in SEQUENCES:
            items += len(v)
            if items <= MAX_ITEMS:
                todo += v
        elif isinstance(v, dict):
            items += 2 * len(v)
            if items <= MAX_ITEMS:
                todo += v.keys()
                todo += v.values()
        elif kind is range:
            items += len(v)
        if kind in HASHED:
            items += COLLIDING
        if items > MAX_ITEMS:
            raise too_much(f"a list, or a structure of lists, with more than {MAX_ITEMS:,} values")
        if characters > MAX_TEXT:
            raise too_much(f"a text of more than {MAX_TEXT:,} characters")
    budget.spend(items + characters // CHARACTERS_PER_STEP)
    return value


def _integer(number: int) -> int:
    """How many values an integer counts as."""
    bits = number.bit_length()
    if bits > MAX_BITS:
        raise too_much(f"an integer of more than {MAX_BITS} bits")
    return 0 if bits < HASH_BITS else COLLIDING + bits // 256


def iterated(value: Value, budget: Budget) -> Value:
    """A value that is gone through one by one: every character of a text is a value then."""
    if type(value) is str and len(value) > MAX_ITEMS:
        raise too_much(f"a loop over more than {MAX_ITEMS:,} characters")
    budget.spend(len(value) if type(value) is str else 0)
    return weigh(value, budget)


def joined(pieces: Iterable[str]) -> str:
    """One text; it is not made where it would be too long."""
    kept, length = [], 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_TEXT:
            raise too_much(f"a text of more than {MAX_TEXT:,} characters")
        kept.append(piece)
    return "".join(kept)


def text_of(value: Value, budget: Budget) -> str:
    """As xacro writes a value into the document: Python's own `str`."""
    if type(value) is str:
        return str(value)
    if value is not None and not isinstance(value, PRINTED):
        raise XacroError(f"{str(value)[:80]} is used as a value")
    try:
        return str(weigh(value, budget))
    except ValueError:  # Python writes no integers of more than 4,300 digits
        raise too_much("an integer of more than 4,300 digits") from None


def literal(value: Value) -> Value:
    """Text as the value it looks like: integer, number, truth value; 'quoted' text stays text, without the quotes."""
    if type(value) is not str:
        return value
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    if "_" in value:  # Python's numbers may have them; xacro's do not
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return {"true": True, "True": True, "false": False, "False": False}.get(value, value)


def truth(value: Value, condition: str) -> bool:
    """The truth value of a condition: text must be true, false or an integer."""
    if type(value) is not str:
        return bool(value)
    if value in ("true", "True", "false", "False"):
        return value in ("true", "True")
    try:
        return bool(int(value))
    except ValueError:
        raise XacroError(
            f"the condition {shown(condition)} is {shown(value)}, which is neither true nor false"
        ) from None
