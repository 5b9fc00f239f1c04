"""SRDF, MoveIt's companion of a URDF: which links never touch each other. The rest of it is about planning."""

from __future__ import annotations

import os
from pathlib import Path

from gearwright.formats.draft import Draft
from gearwright.formats.xml.file_bytes import bounded
from gearwright.formats.xml.located_xml import Element, parse

PairOfLinks = tuple[str, str]


def read_srdf(given: str | os.PathLike[str] | None, robot: Path | None, draft: Draft) -> None:
    """The file that is given, whose links touch each other; or one beside the robot, which only excludes."""
    path = beside(robot) if given is None else Path(given)
    if path is None:
        return
    root = _root(path, draft, named=given is not None)
    if root is None:
        return
    excluded = [pair for e in root.all("disable_collisions") if (pair := _pair(e, draft)) is not None]
    draft.no_contact += excluded
    if given is not None:
        spoken = {link for pair in excluded for link in pair}
        draft.self_collide += [name for name in draft.links if name in spoken and name not in draft.self_collide]


def beside(robot: Path | None) -> Path | None:
    """`arm.srdf` beside `arm.urdf`, or in the folder `srdf` beside `urdf`, as packages of robots have it."""
    if robot is None:
        return None
    name = f"{robot.name.partition('.')[0]}.srdf"
    places = (robot.parent / name, robot.parent.parent / "srdf" / name)
    return next((p for p in places if p.is_file()), None)


def _root(path: Path, draft: Draft, *, named: bool) -> Element | None:
    report = draft.report
    try:
        data = bounded(path)
    except (OSError, ValueError) as error:
        report.error("file-unreadable", f"srdf={os.fspath(path)!r} cannot be read: {error}")
        return None
    with report.leaving_out(f"{path.name!r}") as reading:
        root = parse(data, str(path), report)
    if root is None or reading.failed:
        return None
    if root.tag != "robot":
        what = root.error if named else root.warning
        what("format-unknown", f"an SRDF begins with <robot>, not <{root.tag}>")
        return None
    return root


def _pair(e: Element, draft: Draft) -> PairOfLinks | None:
    names = [e.get(n) or "" for n in ("link1", "link2")]
    unknown = [n for n in names if n not in draft.links]
    if unknown:
        near = draft.report.near(unknown[0], draft.links)
        e.recoverable("link-not-found", f"<disable_collisions>: link {unknown[0]!r} does not exist{near}")
        return None
    return names[0], names[1]
