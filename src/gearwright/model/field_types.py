"""Forms of fields, from their annotations: resolved once, whatever the spelling."""

from __future__ import annotations

import sys
from dataclasses import Field
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

Form = Literal["number", "whole", "truth", "text", "choice", "numbers", "matrix", "other"]
PLAIN: dict[Any, Form] = {float: "number", int: "whole", bool: "truth", str: "text"}


def form_of(kind: type[Any], f: Field[Any]) -> Form:
    """ "other" is what files and parameters cannot say: a function, another part."""
    return _form(_resolved(kind, f))


def type_text(kind: type[Any], f: Field[Any]) -> str:
    """`float | None`, whatever the spelling."""
    hint = _resolved(kind, f)
    return str(f.type) if hint is None else _text(hint)


def _text(hint: Any) -> str:
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(_text(a) for a in get_args(hint))
    if hint in (None, NoneType):
        return "None"
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint).replace("typing.", "")


def _resolved(kind: type[Any], f: Field[Any]) -> Any:
    """The annotation itself; None where it names something that is only there for type checkers."""
    if not isinstance(f.type, str):
        return f.type
    try:
        return _builtin(f.type)
    except Exception:
        owner = next((c for c in kind.__mro__ if f.name in vars(c).get("__annotations__", {})), kind)
        try:
            return eval(f.type, vars(sys.modules[owner.__module__]))  # as `typing.get_type_hints` does
        except Exception:
            return None


@cache
def _builtin(text: str) -> Any:
    return eval(text, {})


def _form(hint: Any) -> Form:
    origin, inside = get_origin(hint), [a for a in get_args(hint) if a not in (NoneType, Ellipsis)]
    if origin in (Union, UnionType):
        return _form(inside[0]) if len(inside) == 1 else "other"
    if origin is Literal:
        return "choice"
    if origin is tuple and inside:
        forms = {_form(a) for a in inside}
        return "numbers" if forms == {"number"} else "matrix" if forms == {"numbers"} else "other"
    return PLAIN.get(hint, "other") if isinstance(hint, type) else "other"
