"""Methods of texts, lists, dictionaries and sets: those of this list, and no other attribute of a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from gearwright.formats.xacro.budget import MAX_TEXT
from gearwright.formats.xacro.errors import too_much
from gearwright.formats.xacro.formatting import MAX_WIDTH, format_text
from gearwright.formats.xacro.values import Apply, DottedDict, Function, Value, keyed

Method = Callable[..., Value]

PLAIN: dict[type, str] = {
    str: "upper lower title capitalize swapcase casefold split splitlines partition"
    " startswith endswith find index count removeprefix removesuffix"
    " isdigit isalpha isalnum isnumeric"
    " isdecimal isupper islower isspace isidentifier",
    list: "index count copy append extend insert pop remove reverse clear",
    tuple: "index count",
    dict: "get copy update pop setdefault clear",
    set: "union intersection difference symmetric_difference issubset issuperset isdisjoint copy add discard",
    frozenset: "union intersection difference symmetric_difference issubset issuperset isdisjoint copy",
    float: "is_integer",
    int: "bit_length",
    bool: "",
    range: "index count",
}


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    if text.count(old) * len(new) > MAX_TEXT:
        raise too_much(f"a text of more than {MAX_TEXT:,} characters")
    return text.replace(old, new, count)


def _join(separator: str, parts: Value) -> str:
    listed = list(parts)
    if len(listed) * len(separator) > MAX_TEXT:
        raise too_much(f"a text of more than {MAX_TEXT:,} characters")
    return separator.join(listed)


def _searched(name: str) -> Method:
    """Methods that compare every character with every other one."""

    def search(text: str, wanted: str | None = None, *rest: Value) -> Value:
        if wanted is not None and len(wanted) > MAX_WIDTH:
            raise too_much(f"{name}() for more than {MAX_WIDTH} characters")
        return getattr(str, name)(text, wanted, *rest)

    return search


def _padded(name: str) -> Method:
    def pad(text: str, width: int, *fill: str) -> str:
        if width > MAX_WIDTH:
            raise too_much(f"a text padded to more than {MAX_WIDTH} characters")
        return cast(str, getattr(str, name)(text, width, *fill))

    return pad


def _sort(apply: Apply, values: list[Value], /, *, key: Function | None = None, reverse: bool = False) -> None:
    values.sort(key=keyed(apply, key), reverse=reverse)


def _items(d: dict[Value, Value]) -> list[Value]:
    return list(d.items())


BOUNDED: dict[type, dict[str, Method]] = {
    str: {
        "replace": _replace,
        "join": _join,
        "format": format_text,
        **{name: _padded(name) for name in ("ljust", "rjust", "center", "zfill")},
        **{name: _searched(name) for name in ("strip", "lstrip", "rstrip", "rsplit")},
        **{name: _searched(name) for name in ("rfind", "rindex", "rpartition")},
    },
    list: {"sort": _sort},
    dict: {"keys": list, "values": lambda d: list(d.values()), "items": _items},
}
TABLE: dict[type, dict[str, Method]] = {
    kind: {**{name: getattr(kind, name) for name in names.split()}, **BOUNDED.get(kind, {})}
    for kind, names in PLAIN.items()
}
TABLE[DottedDict] = TABLE[dict]


CALL_BACK = frozenset({_sort})


def method(value: Value, name: str) -> Function | None:
    """The method of that name, bound to the value."""
    found = TABLE.get(type(value), {}).get(name)
    return None if found is None else Function(name, found, bound=(value,), calls_back=found in CALL_BACK)
