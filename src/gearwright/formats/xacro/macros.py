"""Macros: their parameters, and the tables they are found in."""

from __future__ import annotations

import re
from collections import ChainMap
from dataclasses import dataclass
from typing import Union

from gearwright.formats.xacro.errors import XacroError, shown
from gearwright.formats.xacro.scopes import PropertyScope
from gearwright.formats.xacro.tree import Node

Macros = ChainMap[str, Union["Macro", "Macros"]]  # a namespace is a table inside a table


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """`name`, `name:=default`, `name:=^` (from the caller's scope), `name:=^|default`, `*block` or `**block`."""

    name: str
    outer: bool = False
    default: str | None = None

    @property
    def is_block(self) -> bool:
        return self.name.startswith("*")


@dataclass(frozen=True, kw_only=True)
class Macro:
    body: Node
    parameters: tuple[Parameter, ...]


_PARAMETER = re.compile(
    r"(?P<name>[^\s:=]+)"
    r"(?P<assigned>\s*:?=\s*(?P<outer>\^\|?)?"
    r"(?P<default>\$\{[^}]*\}(?=\s|\Z)|\$\([^)]*\)(?=\s|\Z)|(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+)?(?=\s|\Z))?"
    r"(?:\s+|\Z)"
)


def read_parameters(text: str) -> tuple[Parameter, ...]:
    """The parameters of a macro, from its attribute `params`."""
    text = text.strip()
    found: list[Parameter] = []
    at = 0
    while at < len(text):
        match = _PARAMETER.match(text, at)
        if match is None:
            raise XacroError(f"the parameters of a macro cannot be read at {shown(text[at:])}")
        found.append(Parameter(name=match["name"], outer=match["outer"] is not None, default=match["default"]))
        at = match.end()
    return tuple(found)


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
