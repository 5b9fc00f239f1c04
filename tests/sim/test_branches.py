"""Branches of closed loops: a start is in the one that the file draws, wherever the given positions can be led."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile

FOUR_BAR = Path(__file__).parents[2] / "examples" / "gallery" / "four_bar.sdf"
GROUND, CRANK, COUPLER, ROCKER = 0.06, 0.03, 0.075, 0.075
DIGITS = 2e-9  # of the angles in the file [rad]
PHASES = np.radians(np.arange(-360, 361, 5))


@pytest.fixture(scope="module")
def sim():
    return compile(FOUR_BAR)


def rocker(phase, side=-1.0):
    """pin_d by triangles: on the drawn side of the diagonal, or on the other; within half a turn."""
    x, z = -CRANK * np.sin(phase) - GROUND, CRANK * np.cos(phase)  # from the rocker's pin to the crank's tip
    diagonal = np.hypot(x, z)
    corner = np.arccos((ROCKER**2 + diagonal**2 - COUPLER**2) / (2 * ROCKER * diagonal))
    return np.arctan2(z, x) + side * corner


def turned(phase, side=-1.0):
    """The rocker's way from the drawn pose."""
    return (rocker(phase, side) - rocker(0.0) + np.pi) % (2 * np.pi) - np.pi


def test_every_phase_is_in_the_drawn_branch(sim):
    """As it is led there."""
    found = []
    for phase in PHASES:
        sim.reset(position={"pin_a": phase})
        assert sim.position["pin_a"] == phase
        found.append(sim.position["pin_d"])
    assert np.abs(np.array(found) - turned(PHASES)).max() < DIGITS
    many = compile(FOUR_BAR, batch=len(PHASES))
    many.reset(position={"pin_a": PHASES})
    assert many.position["pin_d"].tolist() == found


def test_many_turns_lead_to_the_same_branch(sim):
    """Sixty-four stages of three radians are too long, and are halved."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.reset(position={"pin_a": 200.0})
    assert sim.position["pin_d"] == pytest.approx(turned(200.0), abs=DIGITS)
    assert abs(sim.position["pin_a"] + sim.position["pin_b"]) < np.pi  # the coupler only swings


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_one_joint_more_chooses_the_branch(sim, side):
    """To two decimals; what is named first is kept."""
    there = turned(3.84, side) % (2 * np.pi)
    sim.reset(position={"pin_a": 3.84, "pin_d": round(there, 2)})
    assert sim.position["pin_a"] == 3.84
    assert sim.position["pin_d"] == pytest.approx(there, abs=DIGITS)
    sim.reset(position={"pin_d": round(there, 2), "pin_a": 3.84})
    assert sim.position["pin_d"] == round(there, 2)
    assert sim.position["pin_a"] == pytest.approx(3.84, abs=0.02)  # two decimals, and how much faster the crank turns


def test_a_joint_that_does_not_agree_is_named(sim):
    there = turned(3.84)
    with pytest.raises(gw.SimulationError, match=f"named first put 'pin_d' at {there:.4g}: give that to two decimals"):
        sim.reset(position={"pin_a": 3.84, "pin_d": there + 0.05})


def test_rounding_is_not_part_of_advice(sim):
    with pytest.raises(gw.SimulationError, match="named first put 'pin_d' at 0: "):
        sim.reset(position={"pin_a": 0.0, "pin_d": 0.05})


def test_a_pose_that_only_the_other_branch_has(sim):
    """The drawn rocker turns by 0.93 rad at most."""
    with pytest.warns(gw.BranchWarning, match="the loop through 'pin_c' may be assembled in another branch"):
        sim.reset(position={"pin_d": 2.5})
    assert turned(sim.position["pin_a"], side=1.0) == pytest.approx(2.5, abs=DIGITS)
    many = compile(FOUR_BAR, batch=3)
    with pytest.warns(gw.BranchWarning, match="'pin_c' of robot 1 and 1 more may be"):
        many.reset(position={"pin_d": np.array([0.5, 2.5, 2.4])})


def test_a_closed_pose_is_kept(sim):
    """All positions of either branch, as a recording has them: nothing is led, and nobody is warned."""
    sim.reset(position={"pin_a": 3.84, "pin_d": round(turned(3.84, 1.0) % (2 * np.pi), 2)})
    pose = {name: float(sim.position[name]) for name in ("pin_a", "pin_b", "pin_d")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.reset(position=pose)
    assert {name: float(sim.position[name]) for name in pose} == pose
