"""Formatted text, bounded: a width in a format is a size, and a field name in one could reach into an object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

from gearwright.formats.xacro.errors import XacroError, shown, too_much
from gearwright.formats.xacro.values import Value, joined

MAX_WIDTH = 1_000
_FIELD = re.compile(
    r"%(?:\((?P<key>[^()]*+)\))?+[#0\- +]*+(?P<width>\*|[0-9]*+)(?:\.(?P<precision>\*|[0-9]*+))?+[hlL]?(?P<kind>.)",
    re.DOTALL,
)  # possessive: a text of 200,000 zeros would be tried in every way


def percent(template: str, values: Value) -> str:
    """`'%.3f' % x`."""
    return joined(_percent_pieces(template, values))


def _percent_pieces(template: str, values: Value) -> Iterator[str]:
    """The text between the fields and the fields, each formatted by itself."""
    left = list(values) if isinstance(values, tuple) else [values]
    left.reverse()
    at = 0
    while (percent_at := template.find("%", at)) >= 0:
        field = _FIELD.match(template, percent_at)
        if field is None:
            raise ValueError("incomplete format")
        yield template[at:percent_at]
        at = field.end()
        _check_width(field["width"])
        _check_width(field["precision"] or "")
        if field["key"] is None and field["kind"] == "(":
            raise XacroError("a format with parentheses in a key is not supported")
        if field["key"] is not None:
            left.clear()  # as in Python, the mapping is taken for all of them
            yield field[0] % values
        elif field["kind"] == "%":
            yield field[0] % ()
        elif not left:
            raise TypeError("not enough arguments for format string")
        else:
            yield field[0] % (left.pop(),)
    if left and not isinstance(values, (list, dict, range)):
        raise TypeError("not all arguments converted during string formatting")
    yield template[at:]


def format_text(template: str, *values: Value, **named: Value) -> str:
    """`'{:.3f}'.format(x)`, without attributes and indices of the fields."""
    return joined(_format_pieces(template, values, named))


def _format_pieces(template: str, values: tuple[Value, ...], named: dict[str, Value]) -> Iterator[str]:
    fields = 0
    for text, field, spec, conversion in Formatter().parse(template):
        yield text
        if field is not None:
            yield one_field(_field(field, fields, values, named), spec or "", conversion or "")
            fields += 1


def one_field(value: Value, spec: str, conversion: str) -> str:
    if "{" in spec:
        raise XacroError("a format inside a format is not supported")
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
