"""Rows that others imply: left out where the mechanism makes them so, told apart from rounding where a pose does."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.model.hardware.drives import Drive
from gearwright.model.loops.coupling_cycles import ONE_ROW
from gearwright.model.loops.loop_system import ALIGNED
from gearwright.sim import compile
from tests.dynamics.stepping import one_step
from tests.dynamics.test_reduce import follow, wheels
from tests.sim.robots import FOLDER
from tests.sim.test_loops import drift, ring
from tests.tolerances import ROUNDING

FOUR_BAR = (FOLDER / "four_bar.sdf").read_text()
pytestmark = pytest.mark.filterwarnings("ignore::gearwright.NotSimulatedWarning")


def sizes(robot):
    return {kind.name: kind.size for kind in Equations(robot).groups if isinstance(kind, ClosureRows)}


def _with_axis(joint, xyz):
    head, tail = FOUR_BAR.split(f'<joint name="{joint}"', 1)
    return head + f'<joint name="{joint}"' + tail.replace("<xyz>0 -1 0</xyz>", f"<xyz>{xyz}</xyz>", 1)


def test_a_planar_loop_has_two_rows():
    assert sizes(gw.loads(FOUR_BAR)) == {"pin_c": 2}


def test_a_pin_that_the_file_rounds_is_parallel_and_a_slanted_one_is_not():
    """π/2 written as 1.57 is out of square by 8e-4; ten times `ALIGNED` is meant so, and would lock the loop."""
    assert sizes(gw.loads(_with_axis("pin_d", f"{np.sin(1.57 - pi / 2):.17g} -1 0"))) == {"pin_c": 2}
    assert sizes(gw.loads(_with_axis("pin_d", f"{10 * ALIGNED} -1 0")))["pin_c"] > 2


def test_a_loop_that_rounding_would_lock_still_turns():
    sim = compile(gw.loads(_with_axis("pin_d", "0.0008 -1 0")))
    sim.step(effort={"pin_a": 0.06}, n=500)
    assert abs(sim.position["pin_a"]) > 1.0
    assert drift(sim) < ROUNDING


@pytest.mark.parametrize(("kind", "rows"), [("fixed", 6), ("revolute", 5), ("universal", 4), ("ball", 3)])
def test_a_loop_in_space_keeps_all_rows(kind, rows):
    assert sizes(ring(kind)) == {"cut": rows}


# --- what poses make dependent --------------------------------------------------------------------------------------


def parallelogram():
    """Two cranks of 0.1 m, 0.3 m apart, and a rod of the same length: drawn flat, at its dead centre."""

    def bar(name, x, length):
        inertia = "<inertia><ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia>"
        return f"""<link name="{name}"><pose>{x} 0 0 0 0 0</pose><inertial><pose>{length / 2} 0 0 0 0 0</pose>
          <mass>0.2</mass>{inertia}</inertial></link>"""

    def pin(name, parent, child, x=0.0):
        return f"""<joint name="{name}" type="revolute"><pose>{x} 0 0 0 0 0</pose><parent>{parent}</parent>
          <child>{child}</child><axis><xyz>0 1 0</xyz></axis></joint>"""

    return gw.loads(f"""<sdf version="1.9"><model name="parallelogram">
      {bar("a", 0, 0.1)}{bar("rod", 0.1, 0.3)}{bar("b", 0.3, 0.1)}
      {pin("left", "world", "a")}{pin("middle", "a", "rod")}{pin("right", "world", "b")}
      {pin("cut", "rod", "b", 0.1)}</model></sdf>""")


@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
def test_through_a_dead_centre(solver):
    """Round and round, through both flat poses, where a row vanishes: it stays closed, and whole turns stay whole.

    Below the milliradian around the flat pose nothing says which way the second crank goes on; its momentum does.
    """
    sim = compile(parallelogram(), solver=solver, drives={"left": Drive(kinematic=True)}, gravity=(0, 0, 0))
    sim.reset(position={"left": 0.3, "right": 0.3}, velocity={"left": 10.0, "right": 10.0, "middle": -10.0})
    worst = 0.0
    for k in range(1500):
        sim.drive(position={"left": 0.3 + 0.01 * (k + 1)}, velocity={"left": 10.0})
        sim.step()
        worst = max(worst, drift(sim))
        assert max(abs(speed) for speed in sim.velocity.values()) < 50
    assert worst < ROUNDING
    assert sim.position["left"] == pytest.approx(15.3, abs=1e-12)
    assert sim.position["right"] == pytest.approx(15.3, abs=1e-12)


def test_a_flat_start_goes_nowhere_by_itself():
    """J's row is zero or rounding there: taken for a direction it would push cranks about."""
    sim = compile(parallelogram(), gravity=(0, 0, 0))
    sim.step(n=200)
    assert np.abs(sim.state[:6]).max() < ROUNDING


# --- either side of each threshold ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("off", "one_row"), [(1e-5, True), (1e-4, True), (1e-2, False)])
def test_two_ratios_that_are_nearly_one(off, one_row):
    """Ratios that are one but for a file's four digits are one coupling; others lock.

    Hard rows give way by 1e-9, which refinement squares: (1e-9/angle²)² = 3e-7 of the speed is left of it here.
    """
    rows = [follow("w1", ("w0", -3.0), mode="hard"),
            replace(follow("w1", ("w0", -3.0 - off), mode="hard"), name="again")]  # fmt: skip
    assert (off / 10.0 < ONE_ROW) == one_row  # the angle between rows (1, 3) and (1, 3 + off)
    _, v, _ = one_step(Equations(wheels([0.5, 0.2], rows)), [0.0, 0.0], [1.0, -3.0], [0.0, 0.0])
    assert v == pytest.approx([1.0, -3.0] if one_row else [0.0, 0.0], abs=1e-12 if one_row else 1e-6)


def test_a_light_leader_between_heavy_followers():
    """A rotor of 1e-7 kg·m² and two hard followers of 1 kg·m²: the rows look the same way but for 4e-4, and both hold.

    An impulse of 1 is known to eps = 2e-16, and moves the rotor by 1e7 times that.
    """
    rows = [follow("w1", ("w0", 1.0), mode="hard"), follow("w2", ("w0", 1.0), mode="hard")]
    _, v, _ = one_step(Equations(wheels([1e-7, 1.0, 1.0], rows)), [0.0] * 3, [0.0, 1.0, -1.0], [0.0] * 3)
    assert v == pytest.approx([0.0, 0.0, 0.0], abs=1e-8)


@pytest.mark.parametrize("inertia", [1e-6, 1e-12])
def test_a_stop_on_a_light_axis_that_a_heavy_one_holds(inertia):
    """The stop of a rotor in front of 1 kg·m² by a hard coupling, which alone would have stopped 1e-12 of that."""
    robot = wheels([inertia, 1.0], [follow("w1", ("w0", 1.0), mode="hard")])
    joint = robot.joints["w0"]
    limited = replace(joint, axes=(replace(joint.axes[0], limits=replace(joint.axes[0].limits, upper=0.1)),))
    sim = compile(replace(robot, joints={**robot.joints, "w0": replace(limited, kind="revolute")}))
    sim.reset(velocity={"w0": 1.0, "w1": 1.0})
    sim.step(n=200)
    assert sim.position["w0"] == pytest.approx(0.1, abs=1e-12)
    assert sim.position["w1"] == pytest.approx(0.1, abs=1e-12)


def test_stops_that_contradict_each_other_stay_finite():
    """w2 = w0 + w1 by a hard row, w0 and w1 not below 0.2 and w2 not above 0.1: in a million sweeps impulses grow by
    what they lack, and velocities stay what a start beyond a stop is taken back with."""
    robot = wheels([0.5, 0.2, 0.3], [follow("w2", ("w0", 1.0), ("w1", 1.0), mode="hard")])
    joints = dict(robot.joints)
    for name, lower, upper in (("w0", 0.2, 9.0), ("w1", 0.2, 9.0), ("w2", -9.0, 0.1)):
        axis = joints[name].axes[0]
        limits = replace(axis.limits, lower=lower, upper=upper)
        joints[name] = replace(joints[name], kind="revolute", axes=(replace(axis, limits=limits),))
    sim = compile(replace(robot, joints=joints))
    sim.step(n=50_000)
    assert np.isfinite(sim.state).all()
    assert np.abs(sim.state[3:6]).max() < 1.0  # slack: of contradictions only finite speeds are asked
