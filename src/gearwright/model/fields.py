"""Meanings of the fields of a model's classes: unit, range, description. Checks, views, files and docs read it.

    stall_torque: float | None = quantity("N·m", above=0, doc="torque at rest", default=None)

Units of rotating and sliding axes stand side by side: "N·m | N".
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from math import inf, isfinite, isnan, nextafter
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from gearwright.errors import ModelError, counted
from gearwright.given_numbers import WIDTH, as_float
from gearwright.model.field_types import Form, form_of, type_text

Rules = Iterable[tuple[Any, str]]  # whether it holds, a truth or an array of them, and the rule in words
KEY = "gearwright"
LARGEST = sys.float_info.max


class ZeroRatioError(ModelError):
    """A ratio of zero, which has no inverse."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """The meaning of one field."""

    unit: str = ""  # "" of a ratio, a count or a text
    doc: str = ""
    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    nonzero: bool = False
    infinite: bool = False  # whether infinity means "no limit"
    whole: bool = False  # a count: of teeth, of pins
    choices: tuple[Any, ...] = ()
    tag: str | None = None  # what files call it, where that is not the field's name
    table: bool = False  # rows of numbers, one unit per column: x y  x y …
    parameter: bool = True  # whether a real number can be an input of the compiled step
    shown: str | None = None  # in `show`, `{}` for value and unit; None: by its name; "": not at all

    def unit_on(self, *, slides: bool) -> str:
        """The unit on a sliding or a rotating axis."""
        rotating, _, sliding = self.unit.partition(" | ")
        return sliding if slides and sliding else rotating

    @property
    def columns(self) -> int:
        """Columns of a table."""
        return self.unit.count(",") + 1

    @property
    def range_text(self) -> str:
        """`> 0`, `≥ 0`, `0 … 1`, `above, below`; nothing where any finite number will do."""
        if self.choices:
            return ", ".join(str(c) for c in self.choices)
        low = f"> {self.above:g}" if self.above is not None else ""
        low = f"≥ {self.at_least:g}" if self.at_least is not None else low
        high = f"≤ {self.at_most:g}" if self.at_most is not None else ""
        if self.at_least is not None and self.at_most is not None:
            low, high = f"{self.at_least:g} … {self.at_most:g}", ""
        return ", ".join(filter(None, (low, high, "not 0" if self.nonzero else "", "whole" if self.whole else "")))

    def problem(self, name: str, value: Any) -> str | None:
        """Why a field cannot have this value; None if it can."""
        if self.choices:
            return None if value in self.choices else f"{name} must be {_either(self.choices)}, not {_shown(value)}"
        if self.nonzero and (value == 0 or not isfinite(value)):
            return f"{name} must be finite and not zero, not {value}"
        if self.above is not None and not value > self.above:
            return (
                f"{name} must be positive, not {value:g}" if not self.above else f"{name} must be above {self.above:g}"
            )
        if self.at_least is not None and not value >= self.at_least:
            return (
                f"{name} cannot be negative ({value:g})"
                if not self.at_least
                else f"{name} is at least {self.at_least:g}"
            )
        if self.at_most is not None and not value <= self.at_most:
            return f"{name} must be at most {self.at_most:g}, not {value:g}"
        if isnan(value) or not (self.infinite or isfinite(value)):
            return f"{name} must be finite, not {value}"
        if self.whole and value % 1:
            return f"{name} must be a whole number, not {value:g}"
        return None

    def first_problem(self, name: str, values: Any) -> str | None:
        """Why one of many finite numbers cannot be; None if all can. Asked for the ends, zero and a fraction."""
        values = np.atleast_1d(values)
        asked = [values.min(), values.max(), *([0.0] if self.nonzero and not values.all() else [])]
        if self.whole:
            asked += (values[values % 1 != 0])[:1].tolist()
        return next(filter(None, (self.problem(name, float(x)) for x in asked)), None)


NOTHING = Quantity()


def quantity(
    unit: str = "", *, doc: str, default: Any = MISSING, above: float | None = None, at_least: float | None = None,
    at_most: float | None = None, nonzero: bool = False, infinite: bool = False, whole: bool = False,
    choices: Sequence[Any] = (), tag: str | None = None, table: bool = False, parameter: bool = True,
    shown: str | None = None,
) -> Any:  # fmt: skip
    """A dataclass field with its meaning. Without a default it must be given."""
    meaning = Quantity(
        unit=unit, doc=doc, above=above, at_least=at_least, at_most=at_most, nonzero=nonzero, infinite=infinite,
        whole=whole, choices=tuple(choices), tag=tag, table=table, parameter=parameter, shown=shown,
    )  # fmt: skip
    return dataclasses.field(default=default, metadata={KEY: meaning})


_MEANINGS: dict[Any, tuple[Meaning, ...]] = {}  # by class
_BOUNDS: dict[Any, tuple[_Bounds, ...]] = {}


class Meaning(NamedTuple):
    """A field of a class."""

    name: str
    quantity: Quantity
    type: str  # "float | None", "tuple[float, ...]"
    field: Field[Any]
    form: Form  # what it holds

    @property
    def real(self) -> bool:
        """A real number, or a tuple of them."""
        return self.form in ("number", "numbers", "matrix")

    @property
    def is_parameter(self) -> bool:
        """Tables are not parameters, nor is what acts only when a part is made."""
        return self.real and self.quantity.parameter and not self.quantity.table

    @property
    def tag(self) -> str:
        """Its name in files."""
        return self.quantity.tag or self.name


def meanings(kind: Any) -> tuple[Meaning, ...]:
    """The fields of a dataclass; one without a `quantity` has an empty meaning."""
    if kind not in _MEANINGS:
        _MEANINGS[kind] = tuple(_meaning(kind, f) for f in fields(kind))
    return _MEANINGS[kind]


def _meaning(kind: Any, f: Field[Any]) -> Meaning:
    quantity, form = f.metadata.get(KEY, NOTHING), form_of(kind, f)
    if quantity is not NOTHING and form == "other":
        raise ModelError(
            f"{kind.__name__}.{f.name} is a {type_text(kind, f)}; a quantity is a float, int, bool, str, "
            "Literal, or a tuple of floats, each optionally None"
        )
    if form == "whole" and quantity is not NOTHING and not quantity.choices:
        quantity = dataclasses.replace(quantity, whole=True)
    return Meaning(f.name, quantity, type_text(kind, f), f, form)


def meaning_of(kind: Any, name: str) -> Quantity:
    return next((m.quantity for m in meanings(kind) if m.name == name), NOTHING)


class _Bounds(NamedTuple):
    """The range of a field of numbers: a float between the two ends needs no further look."""

    name: str
    low: float
    high: float
    quantity: Quantity
    form: Form
    optional: bool  # whether None means "not given"


def _bounds(kind: Any) -> tuple[_Bounds, ...]:
    if kind in _BOUNDS:
        return _BOUNDS[kind]
    found = []
    for m in meanings(kind):
        q = m.quantity
        if q is NOTHING and not (m.real or m.form == "whole"):
            continue
        low = nextafter(q.above, inf) if q.above is not None else -inf if q.at_least is None else q.at_least
        high = inf if q.at_most is None else q.at_most
        if not (q.infinite or q is NOTHING):
            low, high = max(low, -LARGEST), min(high, LARGEST)
        if q.nonzero or q.choices or q.whole:
            low, high = inf, -inf  # always looked at
        found.append(_Bounds(m.name, low, high, q, m.form, "None" in m.type))
    _BOUNDS[kind] = tuple(found)
    return _BOUNDS[kind]


def check(part: Any, owner: str = "") -> None:
    """Raises ModelError if a value is not a number, is outside its field's range, or breaks a rule of the part.

    Rules are what `rules()` of the part yields: whether it holds, and the rule in words.
    """
    for field in _bounds(type(part)):
        value = getattr(part, field.name)
        if type(value) is float and field.low <= value <= field.high and field.form == "number":
            continue
        if value is not None or not field.optional:
            _check_field(field, value, owner)
            if field.form in ("number", "numbers", "matrix"):  # whichever kind of numbers they were
                object.__setattr__(part, field.name, _floats(value))
    for holds, rule in part.rules() if hasattr(part, "rules") else ():
        if not holds:
            raise ModelError(owner + rule)


def _floats(value: Any) -> Any:
    """A number as a float, a sequence as a tuple of them."""
    return tuple(map(_floats, value)) if isinstance(value, tuple | list) or np.ndim(value) else as_float(value)


def _check_field(field: _Bounds, value: Any, owner: str) -> None:
    meaning = field.quantity
    if meaning.choices or field.form in ("truth", "text", "choice"):
        if problem := _choice_problem(field, value):
            raise ModelError(owner + problem)
        return
    for entry, x in _entries(field.name, value, {"numbers": 1, "matrix": 2}.get(field.form, 0)):
        if type(x) is float and field.low <= x <= field.high:
            continue
        number = as_float(x)
        if number is None:
            raise ModelError(f"{owner}{entry} must be a number, not {x!r:.{WIDTH}}")
        if meaning is NOTHING:
            if field.form == "whole" and number % 1:  # NaN is not whole, either
                raise ModelError(f"{owner}{entry} must be a whole number, not {x!r:.{WIDTH}}")
            continue
        if problem := meaning.problem(entry, x if isinstance(x, int | float) and isfinite(number) else number):
            raise (ZeroRatioError if meaning.nonzero else ModelError)(owner + problem)


def _choice_problem(field: _Bounds, value: Any) -> str | None:
    """Why a field cannot have this value, where it is a truth value or one of a few."""
    truth = isinstance(value, bool | np.bool_)
    if field.form == "truth":
        return None if truth else f"{field.name} must be True or False, not {value!r:.{WIDTH}}"
    plain = isinstance(value, str | int | float) and not truth
    if field.quantity.choices and not (plain and value in field.quantity.choices):
        return f"{field.name} must be {_either(field.quantity.choices)}, not {_shown(value)}"
    return None


def _entries(name: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """The numbers of a field, by name; `depth` sequences inside each other."""
    if depth == 0:
        yield name, value
        return
    if not isinstance(value, tuple | list | np.ndarray):
        raise ModelError(f"{name} must be a sequence of numbers, not {value!r:.{WIDTH}}")
    for i, entry in enumerate(value):
        yield from _entries(f"{name}[{i}]", entry, depth - 1)


def _either(choices: Sequence[Any]) -> str:
    if choices == (1, -1):
        return "+1 or −1"
    *most, last = (str(c) for c in choices)
    return f"{', '.join(most)} or {last}" if most else last


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else f"{value!r:.{WIDTH}}"


# --- what `show` says of a part ------------------------------------------------------------------------------------


class Highlight(NamedTuple):
    """One thing worth showing: a value with its unit in a text, or only a word."""

    text: str  # "{} stall", "wrapped"
    value: float | None = None
    unit: str = ""
    digits: int = 4


def highlights(part: Any, beyond: type[Any] | None = None) -> Iterator[Highlight]:
    """The numbers that are not at their defaults, in the order of the class; without those of a base class."""
    known = {f.name for f in fields(beyond)} if beyond is not None else set()
    for m in meanings(type(part)):
        value = getattr(part, m.name)
        if m.name in known or m.quantity.shown == "" or value is None or value == m.field.default:
            continue
        if isinstance(value, bool | str):
            yield Highlight(m.name if value is True else str(value)) if value else Highlight(f"no {m.name}")
        elif isinstance(value, Real) and isfinite(value):
            text = m.quantity.shown or f"{m.name.replace('_', ' ')} {{}}"
            yield Highlight(text, float(value), m.quantity.unit_on(slides=False))
        elif m.quantity.table and value:
            yield Highlight(f"{m.name.replace('_', ' ')} of {counted(len(value), 'point')}")


__all__ = [
    "NOTHING", "Highlight", "Meaning", "Quantity", "Rules", "ZeroRatioError", "check", "highlights", "meaning_of",
    "meanings", "quantity",
]  # fmt: skip
