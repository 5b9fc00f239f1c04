"""Inverse kinematics: the way back of forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.planning.inverse_kinematics import ranges


def random_positions(robot, rng, n):
    """Positions of independent joints within their ranges."""
    names = {str(ref) for c in robot.couplings.exact for ref in [c.follower]}
    return [
        {k: rng.uniform(max(a, -3.1), min(b, 3.1)) for k, (a, b) in ranges(robot).items() if k not in names}
        for _ in range(n)
    ]


@pytest.mark.parametrize(("name", "link"), [("reference_arm", "b6"), ("desk_arm", "gripper"), ("scara", "tool")])
def test_reachable_poses_are_reached(name, link):
    robot, rng = gw.load(name), np.random.default_rng(3)
    link = link if link in robot.links else list(robot.links)[-1]
    poses = np.array([robot.forward_kinematics(q)[link] for q in random_positions(robot, rng, 200)])
    found = gw.inverse_kinematics(robot, {link: poses}, strict=False)
    assert found.converged.mean() >= 0.99
    for k in np.flatnonzero(found.converged)[::10]:
        there = robot.forward_kinematics({joint: float(x[k]) for joint, x in found.items()})[link]
        np.testing.assert_allclose(there, poses[k], atol=1e-8)
    for joint, x in found.items():
        low, high = ranges(robot).get(joint, (-np.inf, np.inf))
        assert (x >= low).all() and (x <= high).all()


def test_the_solution_nearest_to_the_start_counts():
    robot = gw.load("reference_arm")
    q = {"j1": 0.4, "j3": -0.9, "j5": 0.3}
    pose = robot.forward_kinematics(q)["b6"]
    found = gw.inverse_kinematics(robot, {"b6": pose}, start={k: x + 0.02 for k, x in q.items()})
    for name, x in q.items():
        assert found[name] == pytest.approx(x, abs=0.1)
    np.testing.assert_allclose(robot.forward_kinematics(found)["b6"], pose, atol=1e-8)


def test_a_point_leaves_the_orientation_free():
    robot = gw.load("reference_arm")
    point = robot.forward_kinematics({"j1": 0.8, "j3": 0.5})["b6"][:3, 3]
    found = gw.inverse_kinematics(robot, {"b6": point})
    np.testing.assert_allclose(robot.forward_kinematics(found)["b6"][:3, 3], point, atol=1e-8)


FOLLOWING = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/>
    <joint name="lead" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
      <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
    <joint name="follow" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="lead" multiplier="-2"/></joint></robot>"""


def test_followers_follow_and_keep_their_limits():
    with pytest.warns(gw.LoadWarning, match="tighten"):
        robot = gw.loads(FOLLOWING)
    assert ranges(robot)["lead"] == (-0.5, 0.5)
    pose = robot.forward_kinematics({"lead": 0.45})["b"]
    assert gw.inverse_kinematics(robot, {"b": pose})["lead"] == pytest.approx(0.45, abs=1e-8)
    beyond = np.array([np.cos(0.7), np.sin(0.7), 0.0])
    with pytest.raises(gw.NotReachedError, match="cannot be reached"):
        gw.inverse_kinematics(robot, {"b": beyond})


def test_what_is_held_stays():
    robot = gw.load("reference_arm")
    point = robot.forward_kinematics({"j0": 0.3, "j1": 0.8, "j3": 0.5})["b6"][:3, 3]
    found = gw.inverse_kinematics(robot, {"b6": point}, start={"j0": 0.25}, held=("j0",))
    assert found["j0"] == 0.25
    np.testing.assert_allclose(robot.forward_kinematics(found)["b6"][:3, 3], point, atol=1e-8)


def test_out_of_reach_is_said_and_comes_near():
    robot = gw.load("reference_arm")
    with pytest.raises(gw.NotReachedError, match=r"'b6' cannot be reached: the best solution is off by \d"):
        gw.inverse_kinematics(robot, {"b6": [10.0, 0.0, 0.0]})
    found = gw.inverse_kinematics(robot, {"b6": [10.0, 0.0, 0.0]}, strict=False)
    assert not found.converged
    assert found.error > 1.0


def test_the_same_seed_gives_the_same_bits():
    robot = gw.load("reference_arm")
    pose = robot.forward_kinematics({"j1": 1.2, "j3": -1.7})["b6"]
    assert dict(gw.inverse_kinematics(robot, {"b6": pose})) == dict(gw.inverse_kinematics(robot, {"b6": pose}))


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ({}, "targets must be poses by link"),
        ({"b66": np.eye(4)}, "did you mean 'b6'"),
        ({"b6": np.eye(3)[:2]}, "no link|must be a pose"),
        ({"b6": 2 * np.eye(4)}, "not a pose"),
        ({"b6": [np.nan, 0, 0]}, "finite"),
        ({"b6": np.zeros((2, 3)), "b5": np.zeros((3, 3))}, "same number of poses"),
    ],
)
def test_mistakes_are_named(targets, message):
    if message == "no link|must be a pose":
        targets = {"b6": np.eye(5)}
    with pytest.raises(gw.GearwrightError, match=message):
        gw.inverse_kinematics(gw.load("reference_arm"), targets)


def test_closed_loops_are_refused():
    with pytest.raises(gw.ModelError, match="closed loops"):
        gw.inverse_kinematics(gw.load("four_bar"), {next(iter(gw.load("four_bar").links)): np.eye(4)})
