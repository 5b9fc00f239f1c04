"""Lists of closures beside a URDF, which has none of its own: YAML, XML, or plain Python data.

A closure is two links and a joint type. By itself it makes the frames of the two links coincide, as far as the type
holds them; `origin` puts the joint elsewhere on the first link. `docs/loops.md` has the spellings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from gearwright.diagnostics import Report, Source
from gearwright.formats.draft import Draft
from gearwright.formats.loops.closures import OTHER_NAMES, Closure, ClosureEnd
from gearwright.formats.urdf.poses import attached, origin
from gearwright.formats.urdf.robot import CLOSING
from gearwright.formats.xml.file_bytes import bounded
from gearwright.formats.xml.located_xml import Element, parse
from gearwright.model import IDENTITY, Axis, Joint, Pose

CODE = "closure-value"
KEYS = ("name", "type", "links", "origin", "origins", "axis")
TAGS = ("closure", *CLOSING)  # of XML
ENDS = (("parent", "child"), ("predecessor", "successor"), ("link1", "link2"))


class _WrongError(Exception):
    """A part of a list that cannot be understood."""


def read_closures(given: str | os.PathLike[str] | Sequence[Any] | Mapping[str, Any], draft: Draft) -> None:
    """Adds the joints of a list, or of a file with one, to a mechanism; all that is wrong is in the report."""
    if isinstance(given, str | os.PathLike):
        _read_file(Path(given), draft)
    else:
        _read_data(given, draft, Source(file="closures", line=0))


def _read_file(path: Path, draft: Draft) -> None:
    source = Source(file=os.fspath(path), line=0)
    try:
        data = bounded(path)
    except (OSError, ValueError) as error:
        draft.report.error("file-unreadable", f"the closures {os.fspath(path)!r} cannot be read: {error}", source)
        return
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        root = parse(data, os.fspath(path), draft.report)
        for e in root.every() if root is not None else ():
            if e.tag in TAGS:
                _read_element(e, draft)
        return
    found = _yaml(data, source, draft.report)
    if found is not None:
        _read_data(found, draft, source)


def _yaml(data: bytes, source: Source, report: Report) -> Any:
    """The data of a YAML text, bounded as those of xacro files; None with the reason in the report."""
    from gearwright.formats.xacro.budget import Budget
    from gearwright.formats.xacro.errors import XacroError
    from gearwright.formats.xacro.yaml_files import MAX_YAML, read_yaml

    try:
        if len(data) > MAX_YAML:
            raise XacroError(f"the list is larger than {MAX_YAML // 1024} KiB")
        found = read_yaml(data.decode("utf-8", errors="replace"), Budget(), float, source.file)
    except (XacroError, RecursionError) as error:
        report.error(CODE, str(error) or "the list is nested too deeply", source)
        return None
    return [] if found is None else found


# --- data -------------------------------------------------------------------------------------------------------------


def _read_data(given: Any, draft: Draft, source: Source) -> None:
    def error(code: str, message: str) -> None:
        draft.report.error(code, message, source)

    try:
        for entry in _entries(given, draft):
            replace(_closure(entry), source=source).add(draft, error)
    except _WrongError as wrong:
        error(CODE, str(wrong))


def _entries(given: Any, draft: Draft) -> Iterator[Mapping[str, Any]]:
    """Mappings with the keys of KEYS: a list of them or of pairs, or lists of names and types beside each other."""
    if isinstance(given, Mapping):
        if "closed_loop" in given:
            yield from _side_by_side(given, draft)
            return
        given = given.get("closures")
    if not _is_list(given):
        raise _WrongError("closures are a list, or a mapping with the key closures or closed_loop")
    for entry in given:
        pair = _is_list(entry) and len(entry) == 2
        if not pair and not isinstance(entry, Mapping):
            raise _WrongError(f"a closure must be two links, or a mapping of {', '.join(KEYS)}, not {_short(entry)}")
        yield {"links": entry} if pair else entry


def _side_by_side(given: Mapping[str, Any], draft: Draft) -> Iterator[Mapping[str, Any]]:
    """As in example-parallel-robots: pairs and their types, joints of the tree and other types for them."""
    for name, kind in _pairs(given, "joint_name", "joint_type"):
        _retype(str(name), str(kind), draft)
    loops = given["closed_loop"]
    kinds = given.get("type") or ["6d"] * len(loops if _is_list(loops) else ())
    for links, kind in _pairs({"closed_loop": loops, "type": kinds}, "closed_loop", "type"):
        yield {"links": links, "type": kind}


def _pairs(given: Mapping[str, Any], first: str, second: str) -> Iterator[tuple[Any, Any]]:
    a, b = given.get(first) or (), given.get(second) or ()
    if not _is_list(a) or not _is_list(b) or len(a) != len(b):
        raise _WrongError(f"{first} and {second} must be lists of the same length")
    yield from zip(a, b, strict=True)


def _retype(name: str, kind: str, draft: Draft) -> None:
    """A joint of the URDF that stands for one of another type."""
    joint = draft.joints.get(name)
    if joint is None:
        raise _WrongError(f"there is no joint {name!r} to be of type {kind!r}{draft.report.near(name, draft.joints)}")
    turned = kind.upper().partition("UJOINT_")[2]
    axes: tuple[Axis, ...] = ()
    if len(turned) == 2 and set(turned) <= set("XYZ"):
        axes = tuple(Axis(xyz=_UNIT[c]) for c in turned)
    written = OTHER_NAMES.get(kind.lower(), kind.lower())
    if not axes and written not in ("ball", "fixed"):
        raise _WrongError(f"joint {name!r} cannot be of type {kind!r}: SPHERICAL, FIXED and UJOINT_XY are known")
    draft.joints[name] = Joint(
        name=name, kind="universal" if axes else written, parent=joint.parent, child=joint.child, X_PJ=joint.X_PJ,
        X_CJ=joint.X_CJ, axes=axes, source=joint.source,
    )  # fmt: skip


_UNIT = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def _closure(entry: Mapping[str, Any]) -> Closure:
    strange = [str(k) for k in entry if k not in KEYS]
    if strange:
        raise _WrongError(f"a closure has no {strange[0]!r}; it has {', '.join(KEYS)}")
    links: Any = entry.get("links")
    if not _is_list(links) or len(links) != 2 or not all(isinstance(n, str) and n for n in links):
        raise _WrongError(f"links must be the names of two links or frames, not {_short(links)}")
    if "origin" in entry and "origins" in entry:
        raise _WrongError("a closure has an origin in its first link, or origins in both, not both of them")
    first: Pose | None = IDENTITY
    second: Pose | None = IDENTITY
    if "origin" in entry:
        first, second = _pose(entry["origin"]), None
    if "origins" in entry:
        if not _is_list(entry["origins"]) or len(entry["origins"]) != 2:
            raise _WrongError(f"origins must be two poses, one in each link, not {_short(entry['origins'])}")
        first, second = (_pose(o) for o in entry["origins"])
    found = Closure(
        name=str(entry.get("name") or ""), kind=str(entry.get("type") or "fixed"),
        parent=ClosureEnd(name=links[0], pose=first), child=ClosureEnd(name=links[1], pose=second),
    )  # fmt: skip
    return replace(found, axes=_axes(entry["axis"])) if "axis" in entry else found


def _axes(given: Any) -> tuple[Axis, ...]:
    """One direction, or two of a universal joint."""
    several = _is_list(given) and len(given) and _is_list(given[0])
    found = []
    for direction in given if several else [given]:
        values = _numbers(direction, (3,), "an axis")
        length = sum(x * x for x in values) ** 0.5
        if not length > 0:
            raise _WrongError("an axis of length zero has no direction")
        found.append(Axis(xyz=(values[0] / length, values[1] / length, values[2] / length)))
    return tuple(found)


def _pose(given: Any) -> Pose:
    values = _numbers(given, (3, 6), "an origin")
    return Pose.from_rpy(values[:3], values[3:] or (0.0, 0.0, 0.0))


def _numbers(given: Any, counts: tuple[int, ...], what: str) -> list[float]:
    """From a list, or from a text as in XML."""
    try:
        values = [float(x) for x in (given.split() if isinstance(given, str) else given)]
    except (TypeError, ValueError):
        values = []
    if len(values) not in counts or not all(isfinite(x) for x in values):
        raise _WrongError(f"{what} must be {' or '.join(map(str, counts))} numbers, not {_short(given)}")
    return values


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _short(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:57] + "…"


# --- elements ---------------------------------------------------------------------------------------------------------


def _read_element(e: Element, draft: Draft) -> None:
    """<loop_joint>, <constraint> and the like: their ends are elements or attributes, with origins of their own."""
    named = {*e.attributes, *(c.tag for c in e.children)}
    tags = next((pair for pair in ENDS if named.issuperset(pair)), None)
    ends = [_end(e, tag) for tag in tags or ()]
    if not ends or not all(end.name for end in ends):
        e.error(
            CODE, f"<{e.tag}> does not name two links: <parent link=…/> and <child link=…/>, or link1=… and link2=…"
        )
        return
    axis = e.child("axis")
    direction = axis.get("xyz") if axis is not None else e.get("axis")
    try:
        axes = {} if direction is None else {"axes": _axes(direction)}
    except _WrongError as wrong:
        e.error(CODE, str(wrong))
        return
    kind, name = e.get("type") or "fixed", e.get("name") or ""
    Closure(name=name, kind=kind, parent=ends[0], child=ends[1], source=e.source, **axes).add(draft, e.error)


def _end(e: Element, tag: str) -> ClosureEnd:
    c = e.child(tag)
    if c is None:
        return ClosureEnd(name=e.get(tag) or "")
    beside = e.child(f"{tag}_origin")
    pose = attached(beside) if beside is not None else origin(c) if c.child("origin") is not None else attached(c)
    return ClosureEnd(name=c.get("link") or c.get("name") or c.words, pose=pose)
