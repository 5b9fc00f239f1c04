"""Which element of a file becomes which <mimic>: read from the mechanism, found again in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gearwright.errors import ModelError
from gearwright.formats.parts.mimic_text import AXES, inline, mimic_lines
from gearwright.formats.sdf.joints import OLDER
from gearwright.formats.xml.located_xml import Element, descendants
from gearwright.formats.xml.source_text import SourceText
from gearwright.formats.xml.text_changes import TextChanges
from gearwright.migration.report import Change
from gearwright.model import AxisRef, Coupling, Mechanism

HOLDERS = ("sdf", "world", "model")
SPELLINGS = ("gearbox", "mimic joint")


def older_joints(root: Element) -> list[Element]:
    """Gearbox and draft mimic joints of a model or world, at any depth."""
    found = (e for e in descendants(root) if e.tag == "joint" and e.attributes.get("type") in OLDER)
    return [e for e in found if all(p.tag in HOLDERS for p in _above(e, root))]


def _above(e: Element, root: Element) -> Iterator[Element]:
    while e is not root and e.parent is not None:
        e = e.parent
        yield e


@dataclass(frozen=True)
class Rewriting:
    """An older joint's element, and the element of the joint that follows instead."""

    element: Element
    follower: Element
    change: Change
    leader: AxisRef
    axis: int  # of the follower
    leader_name: str  # as the follower's model calls it


def new_names(text: SourceText, robot: Mechanism, renamed: Mapping[int, str]) -> dict[str, str]:
    """Joints of the mechanism that get another name, by the one they have; `renamed` is by their elements' ids."""
    found: dict[str, str] = {}
    for name, joint in robot.joints.items() if renamed else ():
        e = text.element_at(joint.source)
        if e is not None and id(e) in renamed:
            found[name] = name.removesuffix(e.attributes.get("name", "")) + renamed[id(e)]
    return found


def rewritings(text: SourceText, robots: Sequence[Mechanism], renamed: Mapping[int, str]) -> list[Rewriting]:
    """One for each older joint of the text. Raises ModelError for the first that cannot become a <mimic>."""
    found: dict[int, Rewriting] = {}
    for robot in robots:
        names = new_names(text, robot, renamed)
        for c in robot.couplings.values():
            e = text.element_at(c.source) if c.spelling in SPELLINGS else None
            if e is not None and id(e) not in found:
                found[id(e)] = _rewriting(text, robot, c, e, names)
    for e in older_joints(text.root):
        if id(e) not in found:
            raise _cannot(text, e, _why_unread(e, robots))
    return sorted(found.values(), key=lambda r: text.span(r.element).start)


def _rewriting(text: SourceText, robot: Mechanism, c: Coupling, e: Element, names: Mapping[str, str]) -> Rewriting:
    if c.mode != "exact":
        first = next(o for o in robot.couplings.values() if o.follower == c.follower)
        where = f" (line {first.source.line})" if first.source is not None else ""
        raise _cannot(
            text, e,
            f"{str(c.follower)!r} already follows {str(first.leaders[0].axis)!r}{where}, and an axis holds one "
            "<mimic>; exchange parent and child of one of them (then the ratio is 1/ratio)",
        )  # fmt: skip
    ends = [(c.follower, c.leader, c.multiplier)]
    if c.multiplier:
        ends.append((c.leader, c.follower, 1 / c.multiplier))  # turned round: the same row
    for follower, leader, multiplier in ends:
        if follower is not c.follower and any(o.follower == follower for o in robot.couplings.values()):
            continue
        element = text.element_at(robot.joints[follower.joint].source)
        named = replace(leader, joint=names.get(leader.joint, leader.joint))
        name = None if element is None else _seen_from(element, follower.joint, named.joint)
        if element is None or name is None:
            continue
        change = Change(
            name=c.alias or c.name, spelling=c.spelling, line=e.line, axis=AXES[follower.index],
            joint=names.get(follower.joint, follower.joint), leader=str(named), multiplier=multiplier,
            mimic=inline(mimic_lines(name, multiplier, leader.index)),
        )  # fmt: skip
        return Rewriting(e, element, change, leader, follower.index, name)
    raise _cannot(
        text, e,
        f"neither joint {c.follower.joint!r} nor {c.leader.joint!r} is written in this file, in a model from which the "
        "other can be named",
    )  # fmt: skip


def _seen_from(follower: Element, full_name: str, leader: str) -> str | None:
    """The leader's name as the model of the follower calls it; None where it lies outside that model."""
    prefix = full_name.removesuffix(follower.attributes.get("name", ""))
    return leader.removeprefix(prefix) if leader.startswith(prefix) else None


def _why_unread(e: Element, robots: Sequence[Mechanism]) -> str:
    """Diagnostics of an older joint that became no coupling."""
    said = (d for robot in robots for d in robot.diagnostics if (d.file, d.line, d.element) == (e.file, e.line, e.path))
    reasons = (d.message for d in said if d.severity == "warning" and not d.code.endswith("-deprecated"))
    return next(reasons, "its model was not read, since another model has the same name or the world has several")


def _cannot(text: SourceText, e: Element, why: str) -> ModelError:
    name, kind = e.attributes.get("name", "")[:80], e.attributes["type"]
    return ModelError(f"{text.file}:{e.line}: {kind} joint {name!r} cannot become a <mimic>: {why}")


def rewrite(changes: TextChanges, rewriting: Rewriting) -> None:
    """Takes the older joint out of the text, and puts the <mimic> into the follower's axis."""
    lines = mimic_lines(rewriting.leader_name, rewriting.change.multiplier, rewriting.leader.index)
    changes.remove(rewriting.element)
    tag = AXES[rewriting.axis]
    axis = next((a for a in rewriting.follower.children if a.tag == tag), None)
    if axis is not None:
        changes.add_child(axis, lines)
        return
    xyz = "0 0 1" if rewriting.axis == 0 else "0 1 0"  # what is read where an axis is missing
    inner = [(1, f"<xyz>{xyz}</xyz>"), *((depth + 1, line) for depth, line in lines)]
    changes.add_child(rewriting.follower, [(0, f"<{tag}>"), *inner, (0, f"</{tag}>")])


def mentions(text: SourceText, removed: Sequence[Rewriting]) -> list[str]:
    """Elements that still name a joint that is gone, such as plugins'."""
    names = {r.element.attributes.get("name", ""): r for r in removed}
    gone = {id(d) for r in removed for d in descendants(r.element)}
    found: list[str] = []
    for e in text.elements:
        values = [e.words, *(v for k, v in e.attributes.items() if k != "name")]
        for value in values:
            name = value.rpartition("::")[2]
            if name and name in names and id(e) not in gone:
                found.append(f"line {e.line}: <{e.tag}> still names {value!r}, which is no longer a joint")
    return found
