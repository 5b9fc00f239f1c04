"""Elements and attributes that no reader has used are reported, so that nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.formats.xml.located_xml import Element

UNEXPANDED = "xacro:"  # a call that an expansion left behind
FOREIGN = ("xmlns", "xsi", "xml", "xacro")  # attributes that belong to XML itself


def report_unread(root: Element, ignored: Mapping[str, str]) -> None:
    """One info per kind of known element, one warning per kind and parent of unknown ones."""
    for e, attribute in root.unread():
        if attribute is not None:
            _unknown_attribute(e, attribute)
        elif e.tag in ignored:
            if e.report.first(("ignored", e.tag)):
                e.info("element-ignored", f"<{e.tag}>: {ignored[e.tag]}; not used here")
        else:
            _unknown_element(e)


def _unknown_attribute(e: Element, name: str) -> None:
    if name.partition(":")[0] in FOREIGN or _is_of_another_program(e, name):
        return
    if e.report.first(("attribute", e.tag, name)):
        near = e.report.near(name, e.known_attributes, listed=False)
        e.warning("element-unknown", f"attribute {name!r} of <{e.tag}> is not known{near}")


def _is_of_another_program(e: Element, name: str) -> bool:
    """Whether the name has a prefix, as SDFormat wants it of what it does not define; reported once per prefix."""
    prefix, colon, _ = name.partition(":")
    if colon and e.report.first(("prefix of another program", prefix)):
        e.info("element-ignored", f"{prefix}:… belongs to another program ({name}); not used here")
    return bool(colon)


def _unknown_element(e: Element) -> None:
    parent = e.parent
    assert parent is not None
    if not e.tag.startswith(UNEXPANDED) and _is_of_another_program(e, e.tag):
        return
    if not e.report.first(("element", parent.tag, e.tag)):
        return
    known = parent.known_tags
    if e.tag in known:
        e.warning("element-unknown", f"a second <{e.tag}> in <{parent.tag}>; the first is used")
    else:
        near = e.report.near(e.tag, known, listed=False)
        e.warning("element-unknown", f"<{e.tag}> in <{parent.tag}> is not known{near}")
