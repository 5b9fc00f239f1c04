"""Which springs a step resolves together: those of couplings whose joints move the same mass."""

from dataclasses import replace

import pytest

from gearwright.dynamics.constraints.shared_springs import coupled_springs
from tests.dynamics.test_reduce import follow, wheels

SPRING = {"mode": "compliant", "natural_frequency": 100.0, "damping_ratio": 1.0}


def springs(couplings, parents=None):
    """Six wheels on the world, or on each other's links."""
    robot = wheels([0.1] * 6, couplings)
    joints = {n: replace(j, parent=(parents or {}).get(n, j.parent)) for n, j in robot.joints.items()}
    robot = replace(robot, joints=joints)
    return coupled_springs(robot, [c for c in couplings if c.mode == "compliant"])


def test_springs_between_other_wheels_are_apart():
    found = springs([follow("w1", ("w0", 2.0), **SPRING), follow("w3", ("w2", 2.0), **SPRING)])
    assert found == {"w1": ["w1"], "w3": ["w3"]}


def test_springs_on_one_leader_add_up():
    found = springs([follow("w1", ("w0", 2.0), **SPRING), follow("w2", ("w0", 2.0), **SPRING)])
    assert found == {"w1": ["w1", "w2"], "w2": ["w1", "w2"]}


@pytest.mark.parametrize(("parents", "together"), [({}, False), ({"w2": "w0_link"}, True), ({"w2": "w4_link"}, False)])
def test_joints_that_hang_on_one_moving_joint_share_its_mass(parents, together):
    found = springs([follow("w1", ("w0", 2.0), **SPRING), follow("w3", ("w2", 2.0), **SPRING)], parents)
    assert (found["w1"] == ["w1", "w3"]) == together


@pytest.mark.parametrize(("mode", "together"), [("exact", True), ("hard", False)])
def test_an_exact_coupling_ties_masses(mode, together):
    rows = [follow("w1", ("w0", 2.0), **SPRING), follow("w3", ("w2", 2.0), **SPRING)]
    found = springs([*rows, follow("w4", ("w0", 1.0), ("w2", 1.0), mode=mode)])
    assert (found["w1"] == ["w1", "w3"]) == together
