from __future__ import annotations

import re
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from lxml import etree

import gearwright as gw
from gearwright import robots
from gearwright.display.graph_cells import cells
from gearwright.display.graph_layout import layout
from gearwright.display.graph_svg import graph_svg
from gearwright.display.outline import outline
from gearwright.display.svg_style import COLOURS, RULES, style_sheet
from gearwright.display.svg_text import text_width

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=robots.names())
def robot(request: pytest.FixtureRequest) -> gw.Mechanism:
    return gw.load(robots.path(request.param))


def drawn(robot: gw.Mechanism) -> etree._Element:
    return etree.fromstring(graph_svg(robot).encode())


def texts(root: etree._Element) -> list[str]:
    return [t.text or "" for t in root.iter(f"{SVG}text")]


def classes(root: etree._Element, name: str) -> list[etree._Element]:
    return [e for e in root.iter() if e.get("class") == name]


def test_everything_has_its_place_in_the_drawing(robot: gw.Mechanism):
    root = drawn(robot)
    words = texts(root)
    for name in (*robot.links, *robot.joints):
        assert name in words
    for name in (*robot.transmissions, *robot.actuators, *robot.sensors):
        assert any(w == name or w.startswith(f"{name}, ") for w in words), name
    for c in robot.couplings.values():
        assert f"= {c.formula.split(' = ')[1]}" in words


def test_edges_of_each_family_are_told_apart(robot: gw.Mechanism):
    root = drawn(robot)
    legend = {"coupling": 1 if robot.couplings else 0, "loop": 1 if robot.tree.cuts else 0}
    terms = sum(len(c.leaders) for c in robot.couplings.values())
    assert len(classes(root, "coupling")) == terms + legend["coupling"]
    # a cut joint: its two pieces of line, the dashed box, and the dashed curve to the link itself
    assert len(classes(root, "loop")) == 4 * len(robot.tree.cuts) + legend["loop"]
    assert len(classes(root, "gear")) == sum(len(t.joints) for t in robot.transmissions.values())
    assert "stroke-dasharray" in RULES["loop"]
    assert len({COLOURS[f] for f in ("edge", "coupling", "transmission", "actuator", "sensor", "loop")}) == 6


def test_a_rotor_shows_at_the_joint_that_feels_it():
    assert "+ 4.935 kg reflected" in texts(drawn(gw.load(robots.path("gripper"))))


def test_the_legend_holds_what_is_there_and_nothing_else(robot: gw.Mechanism):
    words = texts(drawn(robot))
    assert ("coupling" in words) == bool(robot.couplings)
    assert ("closes a loop" in words) == bool(robot.tree.cuts)
    assert "universal" not in words


def test_nothing_overlaps_and_all_is_on_the_page(robot: gw.Mechanism):
    drawn_cells = cells(robot, outline(robot))
    laid = layout(drawn_cells)
    boxes = []
    for cell, place in zip(drawn_cells, laid.places, strict=True):
        boxes.append((place.box, place.y - 19, place.box_right, place.y + 19))
        for i, chip in enumerate(cell.chips):
            x, y = place.chip(cell, i)
            boxes.append((x, y, x + chip.width, y + 21))
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)
    root = drawn(robot)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for x0, y0, x1, y1 in boxes:
        assert 0 <= x0 < x1 <= width
        assert 0 <= y0 < y1 <= height


@pytest.mark.parametrize("file", [*robots.names(), "examples/gallery/delta.sdf", "examples/gallery/pantograph.sdf"])
def test_no_edge_crosses_words(file: str):
    root = drawn(gw.load(ROOT / file if "/" in file else file))
    words = [(*_box(t), t.text) for t in root.iter(f"{SVG}text") if t.get("class") not in ("title", "about")]
    for kind in ("coupling", "gear", "loop", "edge", "weld", "stem"):
        for path in (e for e in classes(root, kind) if e.get("d")):
            if (parent := path.getparent()) is not None and parent.get("transform"):
                continue  # of the legend
            for x, y in _points(path.get("d", "")):
                crossed = [t for x0, y0, x1, y1, t in words if x0 < x < x1 and y0 < y < y1]
                assert not crossed, (kind, crossed, path.get("d"))


def _box(t: etree._Element) -> tuple[float, float, float, float]:
    """About what a text covers; a line may touch its edge."""
    size = float(re.search(r"font-size:([\d.]+)", RULES[t.get("class", "")])[1])  # type: ignore[index]
    width = 0.85 * text_width(t.text or "", size)
    x, y = float(t.get("x", "")), float(t.get("y", ""))
    x -= {"middle": width / 2, "end": width}.get(t.get("text-anchor", ""), 0.0)
    return x, y - 0.7 * size, x + width, y


def _points(d: str) -> list[tuple[float, float]]:
    """Points along a path of straight lines; round corners as two of them."""
    x = y = 0.0
    found = []
    for command, numbers in re.findall(r"([MLQHV])([^MLQHV]*)", d):
        values = [float(n) for n in numbers.split()]
        pairs = {"H": [(values[0], y)], "V": [(x, values[0])]}.get(command) or list(
            zip(*[iter(values)] * 2, strict=True)
        )
        for end in pairs:
            steps = 1 if command == "M" else 1 + int(max(abs(end[0] - x), abs(end[1] - y)))
            found += [(x + (end[0] - x) * k / steps, y + (end[1] - y) * k / steps) for k in range(1, steps + 1)]
            x, y = end
    return found


def test_drawings_are_not_wide(robot: gw.Mechanism):
    root = drawn(robot)
    assert float(root.get("width", "")) < 1000 and float(root.get("width", "")) < 2 * float(root.get("height", ""))


def test_light_and_dark_pages_have_the_same_rules():
    sheet = style_sheet()
    light, dark = sheet.split("@media (prefers-color-scheme: dark)")
    assert "{" + "page" + "}" not in sheet  # every colour is filled in
    names = [re.findall(r"^\.([\w-]+)\{", part, re.MULTILINE) for part in (light, dark)]
    assert names[0] == names[1] == list(RULES)


def test_every_class_used_has_a_rule(robot: gw.Mechanism):
    used = {e.get("class") for e in drawn(robot).iter() if e.get("class")}
    assert used <= set(RULES)


def test_a_long_chain_and_a_wide_fork_stay_legible():
    fork = "".join(
        f"<link name='l{i}'/><joint name='j{i}' type='continuous'><parent link='l0'/><child link='l{i}'/></joint>"
        for i in range(1, 60)
    )
    root = drawn(gw.loads(f"<robot name='fork'><link name='l0'/>{fork}</robot>"))
    rows = sorted(float(t.get("y", "")) for t in root.iter(f"{SVG}text") if (t.text or "").startswith("j"))
    assert min(b - a for a, b in pairwise(rows)) > 40


@pytest.mark.filterwarnings("ignore:.*is not known:gearwright.LoadWarning")
def test_a_transmission_of_joints_without_axes_hangs_on_none():
    robot = gw.loads(
        '<sdf version="1.9"><model name="m"><link name="l1"/><link name="l2"/><link name="l3"/>'
        '<joint name="a" type="ball"><parent>l1</parent><child>l2</child></joint>'
        '<joint name="b" type="ball"><parent>l2</parent><child>l3</child></joint>'
        '<transmission name="t"><joint name="b"/><joint name="a"/></transmission></model></sdf>'
    )
    assert {"a", "b"} <= set(texts(drawn(robot)))
