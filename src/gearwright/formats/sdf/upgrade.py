"""Elements whose meaning changes with a higher SDFormat version, and how to write them in it.

Until 1.4 axes were in the model's frame, until 1.6 where <use_parent_model_frame> said so; since 1.7 `expressed_in`
says it. A pose's `frame` is called `relative_to` since 1.7. A joint could have a link's name before 1.7; it gets
`_joint` behind it, as libsdformat does when it reads such a file. What else changed is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.errors import ModelError
from gearwright.formats.sdf.scope import MODEL
from gearwright.formats.sdf.version import Version
from gearwright.formats.xml.located_xml import Element, descendants
from gearwright.formats.xml.source_text import SourceText
from gearwright.formats.xml.text_changes import TextChanges

MIMIC: Version = (1, 11)  # the first with <mimic>
OLDEST: Version = (1, 4)
WITHOUT_AXES = ("fixed", "ball")
NAMED = ("model", "link", "joint", "frame")


def new_joint_names(root: Element, version: Version) -> dict[int, str]:
    """By id of its element, the new name of every joint that has the name of a link beside it."""
    found: dict[int, str] = {}
    for model in _own(root) if version < (1, 7) else ():
        named = {c.attributes.get("name", "") for c in model.children if c.tag in NAMED}
        others = {c.attributes.get("name", "") for c in model.children if c.tag in ("link", "model")}
        for joint in (c for c in model.children if c.tag == "joint"):
            name = joint.attributes.get("name", "")
            if name in others:
                while name in named:
                    name += "_joint"
                named.add(name)
                found[id(joint)] = name
    return found


def raise_version(changes: TextChanges, version: Version, without: set[int]) -> list[str]:
    """Rewrites the text from `version` to 1.11; returns a description of the changes.

    `without` holds the ids of joints that the changes remove. Raises ModelError where the meaning would change.
    """
    text = changes.text
    _refuse(text, version)
    renamed = new_joint_names(text.root, version)
    done = [f"line {text.root.line}: version {_shown(version)} becomes {_shown(MIMIC)}"]
    changes.set_attribute(text.root, "version", _shown(MIMIC))
    if version >= (1, 7):
        return done
    for e in _own(text.root):
        if id(e) in without:
            continue
        if id(e) in renamed:
            changes.set_attribute(e, "name", renamed[id(e)])
            done.append(f"line {e.line}: joint {e.attributes['name']!r}, a link's name, becomes {renamed[id(e)]!r}")
        if e.tag == "joint" and e.attributes.get("type") not in WITHOUT_AXES:
            done += [_express(changes, a, version) for a in e.children if _in_model_frame(a, version)]
        if e.tag == "pose" and e.attributes.get("frame") and "relative_to" not in e.attributes:
            changes.rename_attribute(e, "frame", "relative_to")
            done.append(f"line {e.line}: frame of <pose> becomes relative_to")
    return done


def _shown(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _own(root: Element) -> Iterator[Element]:
    """The format's own elements: not those inside plugins."""
    skipped: set[int] = set()
    for e in descendants(root):
        if e.tag == "plugin" or (e.parent is not None and id(e.parent) in skipped):
            skipped.add(id(e))
        else:
            yield e


# --- axes -----------------------------------------------------------------------------------------------------------


def _in_model_frame(a: Element, version: Version) -> bool:
    if a.tag not in ("axis", "axis2"):
        return False
    said = next((c.words.lower() for c in a.children if c.tag == "use_parent_model_frame"), None)
    wanted = version < (1, 5) if said is None else said in ("true", "1")
    return wanted and not any(c.tag == "xyz" and c.attributes.get("expressed_in") for c in a.children)


def _express(changes: TextChanges, a: Element, version: Version) -> str:
    xyz = next((c for c in a.children if c.tag == "xyz"), None)
    if xyz is None:
        changes.add_child(a, [(0, f'<xyz expressed_in="{MODEL}">0 0 1</xyz>')])
    else:
        changes.set_attribute(xyz, "expressed_in", MODEL)
    for c in a.children:
        if c.tag == "use_parent_model_frame":
            changes.remove(c)
    return f"line {(xyz or a).line}: <{a.tag}> is expressed in {MODEL}, as version {_shown(version)} meant it"


# --- what is refused -------------------------------------------------------------------------------------------------


def _refuse(text: SourceText, version: Version) -> None:
    if version < OLDEST:
        raise ModelError(f"{text.file}: SDFormat {_shown(version)} cannot be migrated, only {_shown(OLDEST)} and later")
    first = next(_reasons(text, version), None)
    if first is not None:
        e, reason = first
        raise ModelError(
            f"{text.file}:{e.line}: <mimic> needs SDFormat {_shown(MIMIC)}, and in that version {reason}; "
            "change it first, then migrate"
        )


def _reasons(text: SourceText, version: Version) -> Iterator[tuple[Element, str]]:
    for e in _own(text.root):
        if version < (1, 5) and e.tag == "actor" and "static" in e.attributes:
            yield e, "'static' of an <actor> is a child, not an attribute"
        if version < (1, 6) and e.tag == "noise" and e.parent is not None and e.parent.tag == "imu":
            yield e, "<noise> of an <imu> belongs in its <angular_velocity> and <linear_acceleration>"
        if version < (1, 8) and e.tag in NAMED and "::" in e.attributes.get("name", ""):
            yield e, f"the name {e.attributes['name'][:60]!r} of a {e.tag} would mean a part of a nested model"
