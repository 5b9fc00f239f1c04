"""Macros: their parameters, and the tables they are found in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import ChainMap
from dataclasses import dataclass
from typing import Union

from gearwright.formats.xacro.scopes import PropertyScope
from gearwright.formats.xacro.tree import XacroNode

QUOTES = "'\""
Macros = ChainMap[str, Union["Macro", "Macros"]]  # a namespace is a table inside a table


@dataclass(frozen=True, kw_only=True)
class MacroParameter:
    """`name`, `name:=default`, `name:=^` (from the caller's scope), `name:=^|default`, `*block` or `**block`."""

    name: str
    outer: bool = False
    default: str | None = None

    @property
    def is_block(self) -> bool:
        return self.name.startswith("*")


@dataclass(frozen=True, kw_only=True)
class Macro:
    body: XacroNode
    parameters: tuple[MacroParameter, ...]


_ASSIGNED = re.compile(r"(?P<name>[^\s:=]+)\s*:?=(?P<space>\s*)(?P<outer>\^\|?)?")
_WORD = re.compile(r"\S+")
_SPACE = re.compile(r"\s*")


def read_parameters(text: str) -> tuple[MacroParameter, ...]:
    """The parameters of a macro, from its attribute `params`.

    As in xacro, a word that does not read as `name:=default` is a name, whatever its characters.
    """
    text = text.strip()
    defaults = _Defaults(text)
    found: list[MacroParameter] = []
    at = 0
    while at < len(text):
        parameter, end = _assigned(text, at, defaults) or _plain(text, at)
        found.append(parameter)
        at = _end(_SPACE, text, end)
    return tuple(found)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _plain(text: str, at: int) -> tuple[MacroParameter, int]:
    end = _end(_WORD, text, at)
    return MacroParameter(name=text[at:end]), end


def _assigned(text: str, at: int, defaults: _Defaults) -> tuple[MacroParameter, int] | None:
    """`name:=default` and where it ends; None where it does not read so."""
    match = _ASSIGNED.match(text, at)
    if match is None:
        return None
    start = match.end()
    end = defaults.end(start)
    if end is not None:
        return MacroParameter(
            name=match["name"], outer=match["outer"] is not None, default=text[start:end] or None
        ), end
    return (MacroParameter(name=match["name"]), match.end("space")) if match["space"] else None


class _Defaults:
    """Where default values end: at a space, or at the end of all, but not inside quotes or a single expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._brackets = {
            opening: [m.end() for m in re.finditer(rf"\{closing}(?!\S)", text)]
            for opening, closing in (("${", "}"), ("$(", ")"))
        }
        self._closing = _quotes_that_close(text)

    def end(self, at: int) -> int | None:
        """None where a quote stays open."""
        ends = self._brackets.get(self._text[at : at + 2], [])
        first = bisect_left(ends, at + 3)
        return ends[first] if first < len(ends) else self._end_of_words(at)

    def _end_of_words(self, at: int) -> int | None:
        while at < len(self._text) and not self._text[at].isspace():
            if self._text[at] not in QUOTES:
                at += 1
            elif at in self._closing:
                at = self._closing[at] + 1
            else:
                return None
        return at


def _quotes_that_close(text: str) -> dict[int, int]:
    """From each quote to the nearest one behind it from which the rest of the word reads as words and quotes, too."""
    closing: dict[int, int] = {}
    nearest: dict[str, int] = {}  # by mark, of those from which it does
    leads = True  # whether it does from the character behind
    for at in range(len(text) - 1, -1, -1):
        mark = text[at]
        if mark.isspace():
            leads = True
        elif mark in QUOTES:
            behind, leads = leads, mark in nearest
            if leads:
                closing[at] = nearest[mark]
            if behind:
                nearest[mark] = at
    return closing


def find_macro(name: str, macros: Macros, scope: PropertyScope) -> tuple[Macro, Macros, PropertyScope] | None:
    """The macro, and the tables that its body is expanded with: those of its namespace, or the caller's."""
    whole = macros.get(name)
    if isinstance(whole, Macro):
        return whole, macros, scope
    *spaces, last = name.split(".")
    for space in spaces:
        inner = macros.get(space)
        outer = scope.lookup(space) if space in scope else None
        if not isinstance(inner, ChainMap) or not isinstance(outer, PropertyScope):
            return None
        macros, scope = inner, outer
    macro = macros.get(last)
    return (macro, macros, scope) if isinstance(macro, Macro) else None
