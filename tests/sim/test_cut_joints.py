"""What acts along the axes of joints that close loops: it must not matter which joint of a loop is cut."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import JOINT_KINDS, Axis, AxisDynamics, Limits
from gearwright.sim import compile
from tests.sim.robots import FOLDER
from tests.sim.test_loops import drift, ring
from tests.tolerances import ROUNDING

pytestmark = pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")
FOUR_BAR = gw.load(FOLDER / "four_bar.sdf")


def with_axes(robot, name, kind=None, **changes):
    """The robot with other axes, or another kind, of one joint."""
    joint = robot.joints[name]
    axes = tuple(replace(axis, **changes) for axis in joint.axes)
    return replace(robot, joints={**robot.joints, name: replace(joint, kind=kind or joint.kind, axes=axes)})


def motion(robot, cut, seconds=0.3, dt=1e-4):
    """Of the ring's last link, position and orientation, with one or another joint of the loop cut."""
    sim = compile(replace(robot, cut=(cut,)), dt=dt)
    assert [j.name for j in sim.robot.tree.cuts] == [cut]
    found = []
    for _ in range(round(seconds / 0.01)):
        sim.step(n=round(0.01 / dt))
        found.append(sim.pose["l2"][:3])
    assert drift(sim) < ROUNDING
    return np.array(found)


PASSIVE = AxisDynamics(damping=2.0, spring_stiffness=40.0, spring_reference=0.3, friction=0.4)


@pytest.mark.parametrize(
    "kind", ["revolute", *(pytest.param(k, marks=pytest.mark.slow) for k in ("prismatic", "screw", "universal"))]
)
def test_passive_forces_act_as_in_the_tree(kind):
    """To first order in dt = 1e-4: the two differ by where in the step velocities and stretch are read."""
    robot = ring(kind)
    forced = with_axes(robot, "cut", dynamics=PASSIVE)
    cut, tree, without = motion(forced, "cut"), motion(forced, "j1"), motion(robot, "cut")
    assert np.abs(cut - tree).max() < 7e-6
    assert np.abs(cut - without).max() > 1e-3
    assert np.abs(cut - without).max() > 20 * np.abs(cut - tree).max()


SOFT = {"stiffness": 300.0, "dissipation": 5.0}


@pytest.mark.parametrize(
    ("kind", "soft"),
    [
        ("revolute", {}),
        ("prismatic", SOFT),
        *(pytest.param(k, {}, marks=pytest.mark.slow) for k in ("universal", "prismatic")),
    ],
)
def test_limits_act_as_in_the_tree(kind, soft):
    """A hard stop takes the speed off at once, at a part of a step that both find: dt² is 1e-8, times some tens."""
    far = 0.002 if kind == "revolute" else 0.01
    robot = with_axes(ring(kind), "cut", limits=Limits(lower=-far, upper=far, **soft))
    cut, tree, without = motion(robot, "cut"), motion(robot, "j1"), motion(ring(kind), "cut")
    assert np.abs(cut - tree).max() < 7e-6
    assert np.abs(cut - without).max() > 20 * np.abs(cut - tree).max()


@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
def test_a_four_bar_leans_on_the_stop_of_its_cut_pin(solver):
    """pin_c, between coupler and rocker, may open by 0.2 rad: the crank is stopped where the linkage has it there."""
    robot = with_axes(FOUR_BAR, "pin_c", limits=Limits(lower=-0.2, upper=0.2))
    sim = compile(robot, solver=solver)
    free = compile(FOUR_BAR)
    for s in (sim, free):
        s.step(effort={"pin_a": 0.05}, n=1500)
    assert abs(free.position["pin_a"]) > 2.0
    opened = sim.position["pin_d"] - sim.position["pin_a"] - sim.position["pin_b"]
    assert abs(opened) == pytest.approx(0.2, abs=5e-9)  # next to the stop is on it: 1e-9
    assert abs(sim.velocity["pin_a"]) < ROUNDING


def test_a_range_beyond_half_a_turn_is_read_around_its_middle():
    """The pin swings by less than a turn in all; a range of 5 rad that has it all in it is never felt."""
    free = compile(FOUR_BAR)
    opened = []
    for _ in range(300):
        free.step(effort={"pin_a": 0.05}, n=5)
        opened.append(free.position["pin_d"] - free.position["pin_a"] - free.position["pin_b"])
    least, most = np.min(opened), np.max(opened)
    assert most - least < 5.0
    for lower in (most - 5.0 + 0.05, least - 0.05):  # as far to one side as it goes, and to the other
        sim = compile(with_axes(FOUR_BAR, "pin_c", limits=Limits(lower=lower, upper=lower + 5.0)))
        sim.step(effort={"pin_a": 0.05}, n=1500)
        assert sim.position["pin_a"] == pytest.approx(free.position["pin_a"], abs=ROUNDING)


def test_what_of_cut_joints_does_not_act_is_told():
    wound = with_axes(FOUR_BAR, "pin_c", limits=Limits(lower=-7.0, upper=7.0), dynamics=AxisDynamics(armature=1e-3))
    told = [d.message for d in compile(wound).diagnostics if d.code == "not-simulated"]
    assert any("'pin_c'" in m and "span a turn" in m for m in told)
    assert any("'pin_c'" in m and "armatures" in m for m in told)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_kinds_that_files_do_not_close_loops_with(kind):
    """A planar joint leaves three rows and a floating one none: the arm then falls as if the loop were open."""
    revolute = ring("revolute")
    joint = revolute.joints["cut"]
    axes = (Axis(xyz=joint.axes[0].xyz),) if JOINT_KINDS[kind].axes else ()
    robot = replace(revolute, joints={**revolute.joints, "cut": replace(joint, kind=kind, axes=axes)}, cut=("cut",))
    sim = compile(robot)
    assert sim.kernels["closure"].program.slot("error").shape[0] == 6 - len(JOINT_KINDS[kind].velocities)
    sim.step(n=500)
    assert drift(sim) < ROUNDING
    if kind == "floating":
        open_joints = {n: j for n, j in robot.joints.items() if n != "cut"}
        alone = compile(replace(robot, joints=open_joints, cut=()))
        alone.step(n=500)
        assert sim.pose["l2"] == pytest.approx(alone.pose["l2"], abs=ROUNDING)
    else:
        normal = np.array(joint.axes[0].xyz)
        side, home = sim.pose["l2"] @ homogeneous(joint.X_CJ), homogeneous(joint.X_PJ)
        assert abs((home[:3, :3] @ normal) @ (side[:3, 3] - home[:3, 3])) < ROUNDING


def homogeneous(X):
    full = np.eye(4)
    full[:3, :3], full[:3, 3] = X.R, X.p
    return full


def test_a_rod_between_two_damped_balls_stops_spinning():
    """Both dampers act, that of the ball in the tree and that of the cut one: ω = ω₀·exp(−(d₁ + d₂)·t/J)."""
    b = gw.build("rod", gravity=(0, 0, 0)).link("base").link("rod", mass=1.0, inertia=(0.1, 0.1, 0.02))
    b.joint("low", "ball", "base", "rod", damping=0.01)
    b.joint("high", "ball", "base", "rod", pose=(0, 0, 0.5), child_pose=(0, 0, 0.5), damping=0.03)
    robot = b.finish()
    tree, cut = (next(iter(js)).name for js in (robot.joints.values(), robot.tree.cuts))
    assert {tree, cut} == {"low", "high"}
    sim = gw.compile(robot, dt=1e-3)
    sim.reset(velocity={f"{tree}.rz": 5.0})
    sim.step(n=500)
    assert sim.velocity[f"{tree}.rz"] == pytest.approx(5.0 * exp(-0.04 / 0.02 * 0.5), rel=1e-6)
