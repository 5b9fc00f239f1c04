"""Mechanisms as bytes: what of them goes along, and which of a user's functions cannot."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gearwright.errors import ModelError


def fields_of(value: Any) -> dict[str, Any]:
    """A dataclass's own fields: what has been computed from them and kept is computed again."""
    return {f.name: value.__dict__[f.name] for f in dataclasses.fields(value) if f.name in value.__dict__}


def check_function(function: Callable[..., Any], owner: str) -> None:
    """Functions are pickled by name: one that has none in its module raises, and the error says whose it is."""
    try:
        pickle.dumps(function)
    except Exception as error:  # a user's object may raise anything
        name = getattr(function, "__qualname__", type(function).__qualname__)
        raise ModelError(
            f"{owner} cannot be pickled: another process cannot import its function {name!r}; "
            f"define it with `def` at the top of a module ({error})"
        ) from error


def check_functions(families: Mapping[str, Mapping[str, Any]]) -> None:
    """The same for everything that a mechanism holds, by kind and name."""
    for kind, items in families.items():
        for name, item in items.items():
            for function in _functions(item):
                check_function(function, f"{kind} {name!r}")


def _functions(value: Any) -> Iterator[Callable[..., Any]]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _functions(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _functions(item)
    elif callable(value) and not isinstance(value, type):
        yield value
