"""What callers give beside numbers: names, flags, and parts of a robot. What is neither raises an error of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gearwright.errors import GearwrightError, ModelError

WIDTH = 60  # characters of a wrong value in a message


def checked_name(what: str, given: Any, error: type[GearwrightError] = ModelError) -> str:
    """One name."""
    if not isinstance(given, str):
        raise error(f"{what} must be given by its name, not {given!r:.{WIDTH}}")
    return given


def checked_names(what: str, given: Any, error: type[GearwrightError] = ModelError) -> tuple[str, ...]:
    """One name, or several."""
    if isinstance(given, str):
        return (given,)
    several = isinstance(given, Iterable) and not isinstance(given, bytes | Mapping) and getattr(given, "ndim", 1) == 1
    found = tuple(given) if several else (None,)
    if not all(isinstance(each, str) for each in found):
        raise error(f"{what} takes a name or a list of names, not {given!r:.{WIDTH}}")
    return found


def checked_instance(what: str, given: Any, kind: Any, error: type[GearwrightError] = ModelError) -> None:
    """An object of a class of ours."""
    if not isinstance(given, kind):
        raise error(f"{what} must be a gearwright.{kind.__name__}, not {given!r:.{WIDTH}}")


def checked_flag(what: str, given: Any, error: type[GearwrightError] = ModelError) -> None:
    """True or False, where another value would allow what the caller did not mean: "no" is true in Python."""
    if not isinstance(given, bool):
        raise error(f"{what} must be True or False, not {given!r:.{WIDTH}}")
