"""Friction models of axes, transmissions and actuators: `<friction_model type="…">`."""

from __future__ import annotations

from gearwright.errors import ModelError
from gearwright.formats.xml.from_fields import missing_from, values_of
from gearwright.formats.xml.located_xml import Element
from gearwright.model.frictions import FRICTIONS, FrictionModel


def friction_model(element: Element, owner: str, code: str, tag: str = "friction_model") -> FrictionModel | None:
    """The one below an element, with an element for each field of its kind; `owner` and `code` are of messages."""
    e = element.child(tag)
    if e is None:
        return None
    written = (e.get("type") or "").strip()
    if written not in FRICTIONS:
        near = e.report.near(written, FRICTIONS)
        e.error(code, f"{owner}: there is no friction model {written!r}{near}")
        e.consume()
        return None
    kind = FRICTIONS[written]
    before = e.report.unread
    values = values_of(e, kind)
    if missing := missing_from(kind, values):
        near = e.misspelt(missing[0])
        e.error(code, f"{owner}: a {written} friction needs <{missing[0]}>{near}")
        return None
    if e.report.unread > before:  # reported already
        return None
    try:
        return kind(**values)
    except ModelError as error:
        e.error(code, f"{owner}: {error}")
        return None
