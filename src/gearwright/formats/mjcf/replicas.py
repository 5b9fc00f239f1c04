"""<replicate>: what is inside it, several times, each moved and turned against the one before."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace

import numpy as np

from gearwright.formats.mjcf.bodies import read_children
from gearwright.formats.mjcf.grammar import heed
from gearwright.formats.mjcf.parts import Parts, Placement
from gearwright.formats.mjcf.poses import turned_by_euler
from gearwright.formats.mjcf.values import real, vector
from gearwright.formats.xml.located_xml import Element, descendants
from gearwright.model.poses import IDENTITY, Pose

MAX_COPIES = 1000
MAX_COPIED = 20_000  # elements
NAMED = ("body", "joint", "freejoint", "geom", "site", "frame")
SECTIONS = ("contact", "tendon", "equality", "actuator", "sensor")  # each names parts of those before it
NAMES = (  # attributes with the name of a part, in sections
    "name", "joint", "joint1", "joint2", "jointinparent", "body", "body1", "body2", "site", "site1", "site2",
    "sidesite", "refsite", "cranksite", "slidersite", "geom", "geom1", "geom2", "tendon", "tendon1", "tendon2",
    "actuator", "objname", "refname",
)  # fmt: skip
OUTER = "suffix of the replica around it"  # an attribute that no file can have


def read_replicate(e: Element, at: Placement, parts: Parts) -> None:
    heed(e, "body/replicate")
    assert at.file is not None
    count = int(real(e, "count", 0.0))
    parts.copied += max(count, 0) * _size(e)
    if not 0 < count <= MAX_COPIES or parts.copied > MAX_COPIED:
        e.error("xml-unsafe", f"attribute count: 1 to {MAX_COPIES} copies are made, of {MAX_COPIED} elements at most")
        return
    separator, digits = e.get("sep") or "", len(str(count - 1))
    turn = turned_by_euler(vector(e, "euler"), at.file.compiler)
    step, X = Pose(turn, np.array(vector(e, "offset"))), IDENTITY
    for i in range(count):
        suffix = f"{separator}{i:0{digits}d}{e.attributes.get(OUTER, '')}"
        for kind, name in _named_inside(e):
            parts.replicated.setdefault((kind, at.prefix + name), []).append(len(parts.replicas))
        parts.replicas.append(suffix)
        one = copied(e, suffix, top=True)
        place = replace(at, X_BF=at.X_BF @ X, childclass=e.get("childclass") or at.childclass)
        read_children(one, place, parts)
        _learn(e, one)
        X = Pose(X.R @ step.R, X.p + step.p) if np.array_equal(step.R, IDENTITY.R) else X @ step


def _named_inside(e: Element) -> Iterator[tuple[str, str]]:
    """Parts that this replica copies itself; one inside it copies its own."""
    for c in e.children:
        if c.tag in NAMED and "name" in c.attributes:
            yield c.tag.removeprefix("free"), c.attributes["name"]
        if c.tag not in ("replicate", "attach"):
            yield from _named_inside(c)


def replicate_references(parts: Parts) -> None:
    """What names replicated parts, and nothing else, is replicated like them, after all others of its section."""
    for file in parts.files:
        for tag in SECTIONS:
            for section in (s for s in file.root.children if s.tag == tag):
                _replicate_section(section, file.prefix, parts)


def _replicate_section(section: Element, prefix: str, parts: Parts) -> None:
    each = [(c, _common_replicas(c, prefix, parts)) for c in section.children]
    for c, replicas in each:
        if replicas and (name := c.attributes.get("name")):
            parts.replicated[section.tag, prefix + name] = replicas
    copies = sorted(((k, i) for i, (_, replicas) in enumerate(each) for k in replicas))
    section.children = [
        *(c for c, replicas in each if not replicas),
        *(_named_anew(section.children[i], parts.replicas[k], section=True) for k, i in copies),
    ]
    for c in section.children:
        c.parent = section


def _common_replicas(e: Element, prefix: str, parts: Parts) -> list[int]:
    """Those of all parts that it names; none where some are not replicated, or otherwise."""
    named = [(k.rstrip("12"), x) for c in descendants(e) for k, x in c.attributes.items() if k in NAMES[1:]]
    each = [parts.replicated.get((_kind(k), prefix + x), []) for k, x in named]
    return each[0] if each and all(s == each[0] for s in each) else []


def _kind(attribute: str) -> str:
    return "site" if attribute.endswith("site") else "joint" if attribute.startswith("joint") else attribute


def _size(e: Element) -> int:
    return 1 + sum(_size(c) for c in e.children)


def copied(e: Element, suffix: str, *, top: bool = False) -> Element:
    """The element and all in it, with a suffix behind the names of parts; a replica inside adds its own before it."""
    one = copy(e)
    one.attributes = dict(e.attributes)
    if e.tag in NAMED and "name" in e.attributes:
        one.attributes["name"] += suffix
    if e.tag in ("replicate", "attach") and not top:
        one.attributes[OUTER] = suffix + e.attributes.get(OUTER, "")
        return one
    one.children = [copied(c, suffix) for c in e.children]
    for c in one.children:
        c.parent = one
    return one


def suffixed(root: Element, e: Element) -> Element:
    """A model that an <attach> inside a replica reads: all of its parts have the replica's suffix, sections too."""
    suffix = e.attributes.get(OUTER, "")
    return _named_anew(root, suffix) if suffix else root


def _named_anew(e: Element, suffix: str, *, section: bool = False) -> Element:
    if e.tag in ("worldbody", "replicate"):
        return copied(e, suffix)
    one = copy(e)
    one.attributes = {k: x + suffix if section and k in NAMES else x for k, x in e.attributes.items()}
    one.children = [_named_anew(c, suffix, section=section or e.tag in SECTIONS) for c in e.children]
    for c in one.children:
        c.parent = one
    return one


def _learn(e: Element, one: Element) -> None:
    """What readers asked a copy for, they asked the original for."""
    e.known_attributes, e.known_tags, e.is_read = one.known_attributes, one.known_tags, one.is_read
    for c, d in zip(e.children, one.children, strict=True):
        _learn(c, d)
