"""Writes docs/reference/elements.md: the elements and attributes that the readers ask for, recorded while they read.

`docs/elements.sdf` and `docs/elements.urdf` have one of everything; what a reader asks an element for is known whether
it is there or not.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

import gearwright as gw
from gearwright.formats import reading
from gearwright.formats.sdf import worlds as sdf
from gearwright.formats.urdf import robot as urdf
from gearwright.formats.xml.located_xml import Element

DOCS = Path(__file__).resolve().parent
HEAD = """\
# File elements

<!-- written by docs/generate.py -->

This page lists the elements that are read, with the attributes and children that are looked for in each. It is recorded
while [elements.sdf](../elements.sdf) and [elements.urdf](../elements.urdf), which have one of everything, are loaded.
[File formats](../formats.md) says what the elements mean. [Types and fields](../kinds.md) has the numbers of actuators,
sensors and transmissions, with units and ranges: each field is an element of the same name, and is not listed here. Any
other element is reported: as an info if it belongs to another program (the last table of each format), or as a warning
with the nearest name if it is unknown.
"""
Asked = dict[tuple[str, str], tuple[set[str], set[str]]]  # (parent, element) → attributes, children


def asked_for(file: Path) -> Asked:
    """What the readers ask each kind of element of a file for."""
    found: Asked = defaultdict(lambda: (set(), set()))

    def walk(e: Element) -> None:
        attributes, children = found[(e.parent.tag if e.parent else "", e.tag)]
        attributes.update(e.known_attributes)
        children.update(e.known_tags - {"*"})
        for child in e.children:
            if child.known_attributes or child.known_tags - {"*"}:
                walk(child)

    def watched(root: Element, ignored: Mapping[str, str]) -> None:
        walk(root)

    with patch.object(reading, "report_unread", watched), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gw.load(file)
    return dict(found)


def elements_page() -> str:
    lines = [HEAD]
    for title, name, ignored in (
        ("SDFormat", "elements.sdf", sdf.IGNORED), ("URDF", "elements.urdf", urdf.IGNORED)
    ):  # fmt: skip
        lines += [f"## {title}", "", "| element | in | attributes | children |", "|---|---|---|---|"]
        for tag, (parents, attributes, children) in _rows(asked_for(DOCS / name)):
            lines.append(f"| `<{tag}>` | {parents} | {attributes} | {children} |")
        lines += ["", f"### Known but not used in {title}", "", "| element | |", "|---|---|"]
        reasons = defaultdict(list)
        for tag, reason in ignored.items():
            reasons[reason].append(tag)
        lines += [f"| {_listed(set(tags))} | {reason} |" for reason, tags in reasons.items()]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _rows(found: Asked) -> list[tuple[str, tuple[str, str, str]]]:
    """Elements that are read alike in several parents are one row."""
    alike: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (parent, tag), (attributes, children) in found.items():
        if attributes or children:
            alike[(tag, _listed(attributes), _listed(children))].append(parent)
    return [(key[0], (" ".join(f"`<{p}>`" for p in parents if p), key[1], key[2])) for key, parents in alike.items()]


def _listed(names: set[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))
