"""Formatted text, bounded: a width in a format is a size, and a field name in one could reach into an object."""

from __future__ import annotations

import re
from string import Formatter

from gearwright.formats.xacro.budget import MAX_TEXT
from gearwright.formats.xacro.errors import XacroError, shown, too_much
from gearwright.formats.xacro.values import Value

MAX_WIDTH = 1_000
_PERCENT = re.compile(r"%(?:\([^)]*\))?[#0\- +]*(\*|\d+)?(?:\.(\*|\d+))?")


def percent(template: str, values: Value) -> str:
    """`'%.3f' % x`."""
    for width, precision in _PERCENT.findall(template):
        _check_width(width)
        _check_width(precision)
    _check_length(template.count("%"), values, len(template))
    return str(template % values)


def format_text(template: str, *values: Value, **named: Value) -> str:
    """`'{:.3f}'.format(x)`, without attributes and indices of the fields."""
    pieces, fields = [], 0
    for text, field, spec, conversion in Formatter().parse(template):
        pieces.append(text)
        if field is None:
            continue
        value = _field(field, fields, values, named)
        fields += 1
        _check_length(fields, value, len(template))
        pieces.append(one_field(value, spec or "", conversion or ""))
    return "".join(pieces)


def one_field(value: Value, spec: str, conversion: str) -> str:
    if "{" in spec:
        raise XacroError("a format inside a format is not offered")
    for number in re.findall(r"\d+", spec):
        _check_width(number)
    text = repr(value) if conversion in ("r", "a") else str(value) if conversion == "s" else value
    return format(text, spec)


def _field(name: str, position: int, values: tuple[Value, ...], named: dict[str, Value]) -> Value:
    if name and not name.isalnum() and not name.isidentifier():
        raise XacroError(f"the field {shown(name)} of a format is not a plain name or number")
    key = name or str(position)
    return values[int(key)] if key.isdigit() else named[key]


def _check_width(width: str) -> None:
    if width == "*" or (width and (len(width) > 4 or int(width) > MAX_WIDTH)):
        raise too_much(f"a format wider than {MAX_WIDTH} characters")


def _check_length(fields: int, values: Value, length: int) -> None:
    """Each field may print all of the values."""
    parts = values if isinstance(values, tuple) else values.values() if isinstance(values, dict) else (values,)
    longest = max((len(str(v)) for v in parts), default=0) if fields else 0
    if length + fields * longest > 4 * MAX_TEXT:
        raise too_much(f"a formatted text of more than {MAX_TEXT:,} characters")
