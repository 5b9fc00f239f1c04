"""Fields of a part as elements: the other way round of `formats.xml.from_fields`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import MISSING
from math import isfinite
from typing import Any

from gearwright.model.fields import Meaning, meanings
from gearwright.writing.nodes import Node, value_text
from gearwright.writing.report import LossLog

OWN = "gearwright:"  # the prefix of elements that the format does not have


def add_fields(
    node: Node, part: Any, shown: str, losses: LossLog, apart: Collection[str] = (), prefix: str = ""
) -> None:
    """An element for each field that is not at its default; `apart` are written elsewhere."""
    for m, value in changed_fields(part, apart):
        text = field_text(m, value)
        if text is None:
            losses.lose(shown, m.name, "no element can hold it")
        else:
            node.add(prefix + m.tag, text)


def changed_fields(part: Any, apart: Collection[str] = ()) -> Iterator[tuple[Meaning, Any]]:
    """Fields that are not at their default."""
    for m in meanings(type(part)):
        value = getattr(part, m.name)
        default = m.field.default if m.field.default_factory is MISSING else m.field.default_factory()
        if m.name in apart or m.name == "source" or value is None or _same(value, default):
            continue
        yield m, value


def leave_rest(losses: LossLog, shown: str, part: Any, written: Collection[str], reason: str, within: str = "") -> None:
    """Reports every field that is not at its default, and not among those that are written."""
    for m, _ in changed_fields(part, written):
        losses.lose(shown, within + m.name, reason)


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def field_text(m: Meaning, value: Any) -> str | None:
    """The text that the reader takes for this value; None where there is none."""
    if m.form == "other" or (m.form == "matrix" and not m.quantity.table):
        return None
    if m.form in ("number", "numbers", "matrix") and not all(map(isfinite, _flat(value))):
        return None
    if isinstance(value, str) and value != value.strip():
        return None
    return value_text(_flat(value) if isinstance(value, tuple) else value)


def _flat(value: Any) -> list[float]:
    return [x for entry in value for x in _flat(entry)] if isinstance(value, tuple | list) else [value]
