"""The table of elements and attributes against the grammar that MuJoCo itself prints."""

from __future__ import annotations

import re

import mujoco

from gearwright.formats.mjcf.defaults import DRAWN, PATHS
from gearwright.formats.mjcf.grammar import ELEMENTS, REASONS

LINE = re.compile(r"^( *)(\(world\))?([a-z_0-9]+) \([!?*R]\)\s*(.*)$")
ACTUATORS = {path.partition("/")[2] for path in ELEMENTS if path.startswith("actuator/")}


def grammar() -> dict[str, set[str]]:
    """Path of an element → its attributes."""
    rows: dict[str, set[str]] = {}
    stack: list[str] = []
    path = ""
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if found := LINE.match(line):
            stack = [*stack[: len(found[1]) // 3], found[3]]
            path = "/".join(stack[1:]) or "mujoco"
            rows[path] = set(found[4].split())
        elif line.strip():
            rows[path] |= set(line.split())
    return rows


def covered(path: str) -> bool:
    """Whether the element, or one around it, is left as a whole."""
    parts = path.split("/")
    return any(ELEMENTS[p].whole for p in ("/".join(parts[:n]) for n in range(1, len(parts) + 1)) if p in ELEMENTS)


def test_every_element_and_attribute_of_mujoco_has_its_place() -> None:
    missing = []
    for path, attributes in grammar().items():
        if path.startswith("default/"):
            continue
        if covered(path):
            continue
        if path not in ELEMENTS:
            missing.append(path)
        else:
            missing += [f"{path} {name}" for name in sorted(attributes - ELEMENTS[path].attributes)]
    assert missing == []


def test_default_classes_have_what_elements_have() -> None:
    missing = []
    for path, attributes in grammar().items():
        parent, _, tag = path.partition("/")
        if parent != "default" or not tag or "/" in tag or tag in DRAWN:
            continue
        places = PATHS.get(tag, (f"actuator/{tag}",))
        assert tag in PATHS or tag in ACTUATORS
        known = set().union(*(ELEMENTS[place].attributes for place in places))
        if not any(ELEMENTS[place].whole for place in places):
            missing += [f"{path} {name}" for name in sorted(attributes - known)]
    assert missing == []


def test_reasons_are_known() -> None:
    assert {reason for row in ELEMENTS.values() for reason in row.left.values()} <= REASONS.keys()
