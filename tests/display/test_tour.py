from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

import gearwright as gw
from gearwright import robots

TOUR = Path(__file__).parents[2] / "examples" / "tour.py"


def test_the_tour_shows_and_draws_every_robot(tmp_path: Path):
    """In a process of its own: pytest's import hook, which installed plugins come through, cannot run modules."""
    done = subprocess.run([sys.executable, TOUR, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    out = done.stdout
    for name in robots.names():
        assert f"$ gearwright show {name}\n" in out
        etree.parse(tmp_path / f"{name}.svg")
    assert "left_finger = 1·right_finger + 0" in out


@pytest.mark.parametrize(("name", "dof"), [("gripper", 1), ("wrist", 2), ("four_bar", 1), ("planetary", 2)])
def test_bundled_robots_are_what_their_comments_say(name: str, dof: int):
    robot = gw.load(robots.path(name))
    assert robot.dof == dof
    assert [d.code for d in robot.diagnostics] == (["loop-closed"] if name == "four_bar" else [])


def test_the_grippers_rotor_weighs_forty_fingers():
    robot = gw.load(robots.path("gripper"))
    felt = robot.reflected_inertia()[robot.axis("right_finger")]
    assert felt / robot.links["right_finger_link"].inertia.mass == pytest.approx(41.1, rel=3e-3)  # found 2e-2


def test_a_robot_that_is_not_bundled():
    with pytest.raises(gw.GearwrightError, match="did you mean 'gripper'"):
        robots.path("griper")
    with pytest.raises(gw.GearwrightError):
        robots.path("../robots/gripper")
