"""Text in a URDF: its numbers are attributes, and text between tags is ignored by other readers."""

from __future__ import annotations

from gearwright.formats.xml.located_xml import Element

# element → the attribute that its text was meant for
STATED = {
    "mass": "value", "inertia": "ixx", "origin": "xyz", "axis": "xyz", "limit": "lower", "dynamics": "damping",
    "parent": "link", "child": "link", "mimic": "joint", "safety_controller": "k_velocity",
    "drake:screw_thread_pitch": "value", "color": "rgba", "box": "size", "sphere": "radius", "cylinder": "radius",
    "capsule": "radius", "mesh": "filename",
}  # fmt: skip
SHAPES = ("visual", "collision", "material")  # below them nothing touches the mechanism
PARTS = ("link", "joint", "drake:joint")
OWN = ("friction_model", "mimic", "surface", "axes", "heightmap")  # below them are elements whose numbers are text
NUMBERS = ("initial_position", "collides_with")  # elements of ours with a number as text


def report_text(robot: Element) -> None:
    """An error where a number of the mechanism stands as text; a warning for other text."""
    for e in robot.document.worded:
        above = _ancestors(e)
        if not above or above[-1] not in PARTS or not e.is_read or above[0] in NUMBERS:
            continue
        if not set(above[1:]).isdisjoint(OWN):
            continue
        attribute = STATED.get(e.tag)
        if attribute is None or attribute in e.attributes:
            if e.report.first(("text", e.tag)):
                e.warning("element-unknown", f"the text {_short(e)} in <{e.tag}> is not used")
            continue
        message = f"<{e.tag}> has the text {_short(e)}; a URDF has attributes: <{e.tag} {attribute}={_short(e)}/>"
        if not set(above).isdisjoint(SHAPES):
            e.recoverable("element-missing", message)
        else:
            e.error("element-missing", message)


def _ancestors(e: Element) -> list[str]:
    """Tags from the element up to the one below the root."""
    tags: list[str] = []
    at: Element | None = e
    while at is not None and at.parent is not None:
        tags.append(at.tag)
        at = at.parent
    return tags


def _short(e: Element) -> str:
    text = " ".join(e.words.split())
    return '"' + (text if len(text) <= 60 else text[:57] + "…") + '"'
