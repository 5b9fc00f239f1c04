"""Prims of USD text: names, attributes, relationships."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isfinite

from gearwright.errors import ModelError
from gearwright.writing.nodes import Node

NOT_NAME = re.compile(r"[^A-Za-z0-9_]")


class Raw(str):
    """Text that stands in the file as it is: a path, an array."""

    __slots__ = ()


class Prim:
    """`def Xform "name" { … }`; `shown` is the part's own name, where USD cannot have it as an identifier."""

    def __init__(self, kind: str, name: str, shown: str | None = None) -> None:
        self.kind, self.name = kind, name
        self.shown = shown if shown is not None and shown != name else None
        self.apis: list[str] = []
        self.references: list[str] = []
        self.lines: list[str] = []
        self.children: list[Prim] = []

    def add(self, kind: str, name: str, shown: str | None = None) -> Prim:
        self.children.append(Prim(kind, name, shown))
        return self.children[-1]

    def named(self, kind: str, name: str, shown: str) -> Prim:
        """A child that is a part of the robot: its name is kept where USD's is another."""
        prim = self.add(kind, name, shown)
        if prim.shown is not None:
            prim.set("custom string", "gearwright:name", shown)
        return prim

    def set(self, kind: str, name: str, value: object) -> Prim:
        """An attribute; the prim is returned."""
        self.lines.append(f"{kind} {name} = {_text(value)}")
        return self

    def relate(self, name: str, path: Raw) -> None:
        self.lines.append(f"rel {name} = {path}")

    def text(self, indent: str = "") -> str:
        inner = indent + "    "
        about = [f"displayName = {_text(self.shown)}"] if self.shown is not None else []
        if self.apis:
            about.append(f"prepend apiSchemas = [{', '.join(map(_text, self.apis))}]")
        if self.references:
            about.append(f"prepend references = @{self.references[0]}@")
        head = f'{indent}def {self.kind} "{self.name}"'
        head += f" (\n{inner}" + f"\n{inner}".join(about) + f"\n{indent})" if about else ""
        body = [f"{inner}{line}\n" for line in self.lines] + ["\n" + c.text(inner) for c in self.children]
        return f"{head}\n{indent}{{\n{''.join(body)}{indent}}}\n"


def own_element(tag: str) -> Node:
    """An element of ours, to be the text of an attribute."""
    return Node(tag, **{"xmlns:gearwright": "urn:gearwright:1"})


def identifier(name: str, taken: set[str]) -> str:
    """A name that USD takes, and that no prim beside it has."""
    plain = NOT_NAME.sub("_", name) or "_"
    plain = plain if not plain[0].isdigit() else f"_{plain}"
    free, n = plain, 2
    while free in taken:
        free, n = f"{plain}_{n}", n + 1
    taken.add(free)
    return free


def _text(value: object) -> str:
    if isinstance(value, Raw):
        return value
    if isinstance(value, str):
        if any(ord(c) < 32 and c not in "\t\n" for c in value) or any(0xD800 <= ord(c) < 0xE000 for c in value):
            raise ModelError(f"{value!r:.80} holds a character that USD has no way to write; rename the part")
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Sequence):
        return f"({', '.join(map(_text, value))})"
    assert isinstance(value, float | int)
    if not isfinite(value):
        raise ModelError(f"USD text has no {value}")
    return repr(value)
