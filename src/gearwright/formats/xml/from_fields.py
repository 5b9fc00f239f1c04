"""Parts from elements: a dataclass's fields are its children, by the names and types that the fields have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING
from math import isfinite
from typing import Any

from gearwright.formats.xml.located_xml import Element
from gearwright.model.fields import Meaning, meanings


def values_of(e: Element, kind: type[Any], apart: Collection[str] = ()) -> dict[str, Any]:
    """Values that the element gives of a class's fields, each read by its type; `apart` are read elsewhere."""
    values: dict[str, Any] = {}
    for m in meanings(kind):
        child = e.child(m.tag) if m.name not in apart and m.form != "other" else None
        if child is None:
            continue
        if m.form == "matrix" and not m.quantity.table:
            message = f"<{m.tag}> is a matrix, and a file does not say how long its rows are"
            child.error("number-invalid", f"{message}: declare the field of {kind.__name__} with table=True")
        else:
            values[m.name] = _value(child, m)
    return values


def missing_from(kind: type[Any], values: Collection[str], apart: Collection[str] = ()) -> list[str]:
    """Names in files of the fields that have no default and are not given."""
    needed = [m for m in meanings(kind) if m.field.default is MISSING and m.field.default_factory is MISSING]
    return [m.tag for m in needed if m.name not in values and m.name not in apart]


def _value(child: Element, m: Meaning) -> Any:
    what = f"<{child.tag}>"
    if m.quantity.table:
        return _rows(child, m.quantity.columns)
    if m.form == "numbers":
        return tuple(child.numbers() or ())
    if m.form == "truth":
        return child.truth(child.words, what, False)
    if m.form in ("number", "whole"):
        default = m.field.default if isinstance(m.field.default, int | float) else 0.0
        number = child.as_number(child.text, what, default, False)
        return int(number) if m.form == "whole" and isfinite(number) and number == int(number) else number
    return child.words


def _rows(child: Element, columns: int) -> tuple[tuple[float, ...], ...]:
    numbers = child.numbers() or []
    if len(numbers) % columns:
        what = {2: "pairs of numbers", 3: "triples of numbers"}.get(columns, f"rows of {columns} numbers")
        child.error("number-invalid", f"<{child.tag}> takes {what}, not {len(numbers)} numbers")
    return tuple(zip(*(numbers[i::columns] for i in range(columns)), strict=False))
