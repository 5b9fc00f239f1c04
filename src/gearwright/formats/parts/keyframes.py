"""Named states, as elements of ours: `<gearwright:keyframe name="home"> <position joint="knee">0.3</position> …`."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.parts.axis_names import Rename
from gearwright.formats.xml.located_xml import Element
from gearwright.model.keyframes import Keyframe


def read_keyframe(e: Element, draft: Draft, rename: Rename) -> None:
    name = e.get("name") or ""
    if not name:
        e.error("name-missing", "a keyframe without a name")
        return
    values = {
        tag: {rename(c.get("joint") or ""): tuple(c.numbers() or ()) for c in e.all(tag)}
        for tag in ("position", "velocity")
    }
    command = {rename(c.get("actuator") or ""): c.as_number(c.text, "<command>", 0.0, False) for c in e.all("command")}
    made = Keyframe(name=rename(name), source=e.source, command=command, **values)
    draft.add(draft.keyframes, "keyframe", made.name, made, e)
