from __future__ import annotations

import io

import pytest
from rich.console import Console

import gearwright as gw
from gearwright import robots
from gearwright.display.outline import home_of, outline
from gearwright.display.summary import page
from gearwright.display.tree_text import guides
from gearwright.model import Mechanism


def chain(links: int) -> Mechanism:
    parts = ["<link name='l0'/>"]
    for i in range(1, links):
        parts.append(
            f"<link name='l{i}'/><joint name='j{i}' type='fixed'><parent link='l{i - 1}'/><child link='l{i}'/></joint>"
        )
    return gw.loads(f"<robot name='chain'>{''.join(parts)}</robot>")


def printed(mechanism: Mechanism, width: int, **options: bool) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False)
    console.print(page(mechanism, **options))
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", robots.names())
def test_every_link_has_one_row_and_every_joint_too(name: str):
    robot = gw.load(robots.path(name))
    rows = outline(robot, weld=False)
    assert set(home_of(rows)) == {"world", *robot.links}
    assert sorted(r.joint.name for r in rows if r.joint) == sorted({**robot.joints, **robot.bases})
    for i, row in enumerate(rows):
        assert all(rows[c].parent == i and c > i for c in row.children)


def test_an_only_child_stands_straight_below_and_a_fork_branches():
    robot = gw.load(robots.path("four_bar"))
    rows = outline(robot)
    drawn = {row.joint.name: guide for row, guide in zip(rows, guides(rows), strict=True) if row.joint}
    assert drawn == {"mount": "", "pin_a": "├─", "pin_b": "│ ", "pin_c": "│ ", "pin_d": "╰─"}


def test_a_cut_joint_closes_on_a_link_that_stands_elsewhere():
    rows = outline(gw.load(robots.path("four_bar")))
    [closing] = [r for r in rows if r.closes]
    assert (closing.joint and closing.joint.name, closing.links) == ("pin_c", ["rocker"])
    assert home_of(rows)["rocker"] != rows.index(closing)


def test_only_large_mechanisms_are_folded():
    small, large = chain(20), chain(30)
    assert len(outline(small)) == 21
    assert [r.links for r in outline(large)] == [["world"], [f"l{i}" for i in range(30)]]
    assert len(outline(large, weld=False)) == 31


@pytest.mark.parametrize("name", robots.names())
@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_fit(name: str, width: int):
    assert max(map(len, printed(gw.load(robots.path(name)), width).splitlines())) <= width


def test_a_chain_of_a_thousand_links_keeps_its_width():
    out = printed(chain(1000), 100, weld=False)
    assert "l999" in out
    assert "j999" in out


def test_what_is_hidden_is_said():
    robot = gw.load(robots.path("gripper"))
    assert "not shown" not in printed(robot, 200)
    narrow = printed(robot, 60)
    assert "not shown in 60 columns: speed, effort" in narrow
    assert "= 1·right_finger + 0" in narrow
