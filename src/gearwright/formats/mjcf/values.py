"""Attributes of MJCF elements: numbers, words, truth values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gearwright.formats.xml.located_xml import Element
from gearwright.model.poses import Vector3

MAX_NUMBERS = 3_000_000  # in one attribute: vertices of a mesh that is written into the file


def real(e: Element, name: str, default: float = 0.0) -> float:
    """The first number of an attribute."""
    return reals(e, name, (default,))[0]


def reals(e: Element, name: str, default: Sequence[float]) -> tuple[float, ...]:
    """As many numbers as the default has; those that an attribute leaves out are the default's."""
    given = every(e, name)
    if given is None:
        return tuple(default)
    if len(given) > len(default):
        e.error("number-invalid", f"attribute {name}: at most {len(default)} numbers are expected, not {len(given)}")
        return tuple(default)
    return (*given, *default[len(given) :])


def exactly(e: Element, name: str, count: int) -> tuple[float, ...] | None:
    """This many numbers; None where the attribute is not given, or reported."""
    given = every(e, name)
    if given is None or len(given) == count:
        return given
    e.error("number-invalid", f"attribute {name}: {count} numbers are expected, not {len(given)}")
    return None


def every(e: Element, name: str) -> tuple[float, ...] | None:
    """All numbers of an attribute; None where it is not given, empty, or reported."""
    text = e.get(name)
    if text is None or not text.strip():
        return None
    if len(text) > 30 * MAX_NUMBERS:
        e.error("xml-unsafe", f"attribute {name} has more than {MAX_NUMBERS} numbers")
        return None
    found = e.numbers(text, f"attribute {name}")
    return tuple(found) if found else None


def vector(e: Element, name: str, default: Vector3 = (0.0, 0.0, 0.0)) -> Vector3:
    """Three numbers."""
    given = exactly(e, name, 3)
    return default if given is None else (given[0], given[1], given[2])


def word(e: Element, name: str, choices: Collection[str], default: str) -> str:
    """One of some words."""
    text = e.get(name)
    if text is None or text in choices:
        return text or default
    near = e.report.near(text, choices)
    e.error("number-invalid", f"attribute {name}: {text[:60]!r} is not one of its values{near}")
    return default


def truth(e: Element, name: str, default: bool = False) -> bool:
    return word(e, name, ("true", "false"), "true" if default else "false") == "true"


def is_limited(e: Element, name: str, bounds: str, autolimits: bool) -> bool:
    """Whether a range holds: as `name` says, or by itself where it is given. An empty range is no range."""
    given = any(reals(e, bounds, (0.0, 0.0)))
    chosen = word(e, name, ("true", "false", "auto"), "auto")
    if chosen != "auto":
        return chosen == "true"
    if given and not autolimits:
        e.error("limit-missing", f'<{e.tag}> has {bounds}, but neither {name} nor <compiler autolimits="true"/>')
    return given and autolimits


def bounds(e: Element, name: str, given: Sequence[float]) -> tuple[float, float] | None:
    """A range in order; None, with an error, where its first number is not the smaller one."""
    low, high = given
    if low < high:
        return low, high
    e.error("limit-inverted", f"attribute {name}: the first number must be smaller than the second ({low:g} {high:g})")
    return None
