"""Reading that takes long shows how far it is, in a terminal and nowhere else."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

import gearwright as gw
from gearwright.page import scene
from gearwright.page.mesh_progress import mesh_progress

pytest.importorskip("viser")


def shown(*, terminal: bool, after: float) -> str:
    text = io.StringIO()
    with mesh_progress(3, Console(file=text, force_terminal=terminal, width=80), after=after) as one_more:
        one_more()
        time.sleep(0.3)
    return text.getvalue()


def test_a_terminal_sees_how_many_are_read() -> None:
    assert "reading shapes" in (text := shown(terminal=True, after=0.02)) and "1/3" in text


@pytest.mark.parametrize(("terminal", "after"), [(False, 0.0), (True, 60.0)])
def test_nothing_is_said_to_a_pipe_nor_of_what_is_quick(terminal: bool, after: float) -> None:
    assert shown(terminal=terminal, after=after) == ""


def test_every_shape_of_a_robot_counts(monkeypatch) -> None:
    robot, read = gw.load("gripper", base="fixed"), []

    def counted(shapes: int):
        read.append([shapes, 0])
        return mesh_progress(shapes, Console(file=io.StringIO(), force_terminal=True), after=60.0)

    monkeypatch.setattr(scene, "mesh_progress", counted)
    with gw.view(robot, port=0, block=False):
        assert read[0][0] == sum(len(link.visuals) for link in robot.links.values()) > 0
