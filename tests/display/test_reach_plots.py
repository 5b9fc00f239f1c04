"""What motors reach, as a picture and in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.display.as_data import as_data
from gearwright.display.reach_plots import intersection
from tests.cli.commands import called

pytest.importorskip("matplotlib")


def test_polygons_in_common():
    """Two squares, one turned: the octagon between them; apart: nothing."""
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    turned = np.sqrt(2) * np.array([[0.0, -0.9], [0.9, 0], [0, 0.9], [-0.9, 0]])
    common = intersection([square, turned])
    assert len(common) == 8
    assert np.abs(common).max() == pytest.approx(1.0)
    assert np.abs(common).sum(axis=1) == pytest.approx(np.full(8, 0.9 * np.sqrt(2)))
    assert len(intersection([square, square + 3.0])) == 0


def test_an_ankle_has_a_polygon_per_pose(tmp_path):
    robot = gw.load("ankle")
    figure = gw.plot_reach(robot, tmp_path / "reach.svg")
    by_pose, torque, speed = figure.axes
    assert len(by_pose.patches) == 49 and len(torque.lines) == len(speed.lines) == 50  # and the one at the start
    drawn = np.column_stack(torque.lines[-1].get_data())[:-1]
    assert drawn == pytest.approx(robot.actuation_jacobian().effort_polygon())
    common = torque.patches[0].get_xy()
    for pose in ({"pitch": -0.4, "roll": 0.3}, {"pitch": 0.5, "roll": -0.3}, {}):
        needed = robot.actuation_jacobian(pose).joint_to_actuator_effort(common)
        assert np.abs(needed).max() <= 1.6 * (1 + 1e-9)
    assert (tmp_path / "reach.svg").stat().st_size < 200_000


def test_poses_out_of_reach_are_marked():
    robot = gw.load("ankle")
    pitch = robot.joints["pitch"]
    axis = replace(pitch.axes[0], limits=replace(pitch.axes[0].limits, lower=-1.5))
    wide = replace(robot, joints={**robot.joints, "pitch": replace(pitch, axes=(axis,))})
    crosses = [line for line in gw.plot_reach(wide).axes[0].lines if line.get_marker() == "x"]
    assert len(crosses) > 7 and all(line.get_xdata()[0] < -0.4 for line in crosses)


def test_a_four_bar_has_bands():
    effort, speed = gw.plot_reach(gw.load("four_bar")).axes
    top = {panel: np.array(panel.lines[1].get_ydata()) for panel in (effort, speed)}
    assert top[effort] * top[speed] == pytest.approx(np.full(len(top[effort]), top[effort][0] * top[speed][0]))
    assert np.ptp(top[effort]) > 1.0


@pytest.mark.parametrize(
    ("robot", "output", "words"),
    [
        ("hand", None, "one or two outputs"),
        ("wrist", ["pitch"], "2 degrees of freedom"),
        ("gripper", ["finger"], "no output named 'finger'"),
    ],
)
def test_what_cannot_be_drawn_is_said(robot, output, words):
    with pytest.raises(gw.GearwrightError, match=words):
        gw.plot_reach(gw.load(robot), output=output)


def test_show_prints_and_draws_it(tmp_path):
    out = called("show", "ankle").out
    assert "speeds and reach through loops, at the start" in out
    assert "left_motor   = 25.24·pitch + 22.5·roll" in out
    assert "±81.04 N·m, ±11.81 rad/s, 0.0312 kg·m²" in out
    assert "reach through loops" not in called("show", "wrist").out
    drawn = called("show", "ankle", "--output", "pitch", "--output", "roll", "--reach", tmp_path / "reach.png")
    assert drawn.code == 0 and (tmp_path / "reach.png").stat().st_size > 10_000
    refused = called("show", "ankle", "--reach", tmp_path / "reach.html")
    assert refused.code == 1 and ".png, .svg, .pdf" in refused.err


def test_it_is_among_the_data():
    (group,) = as_data(gw.load("ankle"))["actuation"]
    J = gw.load("ankle").actuation_jacobian()
    assert group["joints"] == ["pitch", "roll"] and group["loops"] == ["left_heel", "right_heel"]
    assert group["actuator_per_joint"] == J.actuator_per_joint.tolist()
    assert as_data(gw.load("wrist"))["actuation"] == []
