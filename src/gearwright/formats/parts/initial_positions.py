"""Where a joint starts, if not at zero: an element of ours."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.xml.located_xml import Element
from gearwright.model import Joint


def read_initial_position(e: Element, joint: Joint, draft: Draft) -> None:
    """`<gearwright:initial_position>`, where a joint does not start at zero: as many numbers as it has positions."""
    given = e.child("initial_position")
    values = None if given is None else given.numbers()
    if given is None or values is None:
        return
    if len(values) != len(joint.positions):
        message = f"joint {joint.name!r} takes {len(joint.positions)} initial positions, not {len(values)}"
        given.error("number-invalid", message)
        return
    draft.initial[joint.name] = tuple(values)
