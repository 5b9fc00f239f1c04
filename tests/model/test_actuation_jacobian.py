"""Motors and outputs at one pose: relations, defaults, limits, and what is refused where."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import gearwright as gw
from tests.sim import spatial_loops
from tests.tolerances import ROUNDING


@pytest.fixture(scope="module")
def ankle():
    return gw.load("ankle")


def driven(robot, joints, **numbers):
    for name in joints:
        robot = robot.with_actuator(gw.Actuator(name=f"{name}_motor", joint=name, **numbers))
    return robot


# --- relations --------------------------------------------------------------------------------------------------------


def test_power_and_energy_are_the_same_in_both_spaces(ankle, rng):
    J = ankle.actuation_jacobian({"pitch": 0.2, "roll": -0.15})
    v, torque = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    motors = J.joint_to_actuator_velocity(v)
    assert J.actuator_to_joint_velocity(motors) == pytest.approx(v)
    assert J.joint_to_actuator_effort(J.actuator_to_joint_effort(torque)) == pytest.approx(torque)
    power = np.sum(motors * torque, axis=-1)
    assert power == pytest.approx(np.sum(v * J.actuator_to_joint_effort(torque), axis=-1))
    for one, other in zip(v, motors, strict=True):
        assert one @ J.joint_inertia @ one == pytest.approx(other @ J.actuator_inertia @ other)
    assert np.array(J) == pytest.approx(J.actuator_per_joint)


def test_a_simulation_moves_by_it(ankle):
    """Motor speeds in the step, at the step's own pose."""
    sim = gw.compile(ankle)
    sim.step(command={"left_motor": 0.4, "right_motor": -0.1}, n=60)
    J = ankle.actuation_jacobian(sim.position)
    assert J.position["left_shaft"][0] == pytest.approx(sim.position["left_shaft"])
    speeds = J.joint_to_actuator_velocity([sim.velocity["pitch"], sim.velocity["roll"]])
    assert np.abs(speeds).max() > 10
    # the step keeps loops closed to 1e-10
    assert speeds == pytest.approx([sim.actuator[a].velocity for a in J.actuators], rel=1e-8)


def test_it_is_the_transmission_where_that_is_all():
    robot = gw.load("wrist")
    gears = robot.transmissions["differential"].map
    J = robot.actuation_jacobian()
    assert (J.actuators, J.joints, J.loops) == (("left_motor", "right_motor"), ("pitch", "roll"), ())
    assert J.actuator_per_joint == pytest.approx(gears.actuator_per_joint)
    sim = gw.compile(robot)
    assert J.joint_inertia == pytest.approx(np.array(sim.mass_matrix()))


def test_couplings_count():
    """A pair of fingers on one spindle: both are moved."""
    robot = gw.load("gripper")
    J = robot.actuation_jacobian()
    sim = gw.compile(robot)
    q = [sim.coordinates.index(name) for name in ("right_finger", "left_finger")]
    ratio = np.array([1.0, robot.couplings["left_finger"].multiplier])
    assert J.joints == ("right_finger",)
    assert J.joint_inertia[0, 0] == pytest.approx(ratio @ np.array(sim.mass_matrix())[np.ix_(q, q)] @ ratio)


def test_a_rod_that_spins_freely_counts_for_nothing():
    """Its moment about itself is felt neither by the motors nor at the plate."""
    light, heavy = (with_spin(spatial_loops.delta(), factor) for factor in (1.0, 50.0))
    one, other = (robot.actuation_jacobian({"hip0": 0.2}) for robot in (light, heavy))
    assert one.joint_inertia == pytest.approx(other.joint_inertia, rel=ROUNDING, abs=ROUNDING)


def with_spin(robot, factor):
    links = dict(robot.links)
    for name, link in links.items():
        if name.startswith("rod"):
            xx, yy, zz = link.inertia.moments
            links[name] = replace(link, inertia=replace(link.inertia, moments=(factor * xx, yy, zz)))
    return driven(replace(robot, links=links), ["hip0", "hip1", "hip2"])


def test_a_pose_is_in_the_branch_of_the_file():
    """Half a turn away, the same one as by `reset`."""
    robot = gw.load("four_bar")
    sim = gw.compile(robot)
    for angle in (3.84, -3.0, 2.0):
        sim.reset(position={"pin_a": angle})
        J = robot.actuation_jacobian({"pin_a": angle})
        assert J.position["pin_d"][0] == pytest.approx(sim.position["pin_d"], abs=1e-9)  # of two Newton methods


# --- outputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("robot", "outputs"),
    [
        (lambda: gw.load("ankle"), ("pitch", "roll")),
        (lambda: gw.load("four_bar"), ("pin_d",)),
        (lambda: driven(spatial_loops.delta(), ["hip0", "hip1", "hip2"]), ("plate.x", "plate.y", "plate.z")),
        (
            lambda: driven(spatial_loops.hexapod(), [f"leg{i}" for i in range(6)]),
            tuple(f"plate.{part}" for part in ("x", "y", "z", "rx", "ry", "rz")),
        ),
        (lambda: driven(spatial_loops.rssr(), ["crank"]), ("rocker",)),
        (lambda: gw.load("scara"), ("shoulder", "elbow")),
    ],
    ids=["ankle", "four_bar", "delta", "hexapod", "rssr", "scara"],
)
def test_outputs_that_nobody_names(robot, outputs):
    assert robot().actuation_jacobian().joints == outputs


def test_unclear_outputs_are_asked_for():
    robot = driven(spatial_loops.rssr(), ["crank", "rocker"])
    with pytest.raises(gw.ModelError, match="not clear: name it"):
        robot.actuation_jacobian()


def test_a_link_can_be_the_output_of_a_tree():
    """Against the difference of two poses."""
    robot, h = gw.load("scara"), 1e-6
    J = robot.actuation_jacobian({"elbow": 0.7}, output=["hand.x", "hand.y"])
    tips = [[robot.forward_kinematics({"elbow": 0.7, joint: at + e})["hand"][:2, 3] for e in (h, -h)]
            for joint, at in (("shoulder", 0.0), ("elbow", 0.7))]  # fmt: skip
    by_joint = np.array([(ahead - behind) / (2 * h) for ahead, behind in tips]).T
    ratio = robot.transmissions["arm_drive"].map.actuator_per_joint
    assert J.joint_per_actuator == pytest.approx(by_joint @ np.linalg.inv(ratio), abs=1e-9)  # of differences, over 1e-6


def test_wrong_names_are_said(ankle):
    with pytest.raises(gw.GearwrightError, match=r"'pich'.*pitch"):
        ankle.actuation_jacobian(output="pich")
    with pytest.raises(gw.ModelError, match=r"of the 3 outputs .* 2 are independent"):
        ankle.actuation_jacobian(output=["pitch", "roll", "left_shaft"])
    with pytest.raises(gw.ModelError, match="no actuator moves pin_d"):
        replace(gw.load("four_bar"), actuators={}, transmissions={}).actuation_jacobian(output="pin_d")


# --- singular poses ---------------------------------------------------------------------------------------------------


def crank_and_rocker():
    """A crank of 1, a coupler of 3, a rocker of 2.5, 3 apart; drawn with crank and coupler stretched, a dead centre."""
    draw, pivot = spatial_loops.Drawing(), np.array([3.0, 0, 0])
    x = (3.0**2 + 4.0**2 - 2.5**2) / (2 * 3.0)  # the rocker's end, at 4 from the crank's pivot
    end = np.array([x, np.sqrt(16 - x * x), 0])
    draw.rod("crank", (0, 0, 0), end / 4, 1.0, 0.1)
    draw.rod("coupler", end / 4, end, 1.0, 0.1)
    draw.rod("rocker", pivot, end, 1.0, 0.1)
    z = [(0, 0, 1)]
    draw.joint("crank", "continuous", "world", "crank", (0, 0, 0), z)
    draw.joint("a", "continuous", "crank", "coupler", end / 4, z)
    draw.joint("rocker", "continuous", "world", "rocker", pivot, z)
    draw.joint("b", "continuous", "coupler", "rocker", end, z, cut=True)
    return draw.mechanism("dead_centre", (0, 0, 0))


def test_a_dead_centre_has_one_direction_only():
    """The crank moves and the rocker does not: efforts go from the rocker to the crank by zero, not back."""
    J = driven(crank_and_rocker(), ["crank"]).actuation_jacobian(output="rocker")
    assert J.joint_per_actuator == pytest.approx(np.zeros((1, 1)), abs=ROUNDING)
    assert J.actuator_inertia[0, 0] > 0
    message = (
        r"the loop through 'b' is at a singular pose: the actuators can move \(crank_motor [+-]1\) while the outputs"
    )
    with pytest.raises(gw.ModelError, match=message + r" \(rocker\) stand still"):
        J.actuator_per_joint  # noqa: B018
    with pytest.raises(gw.ModelError, match="singular"):
        J.joint_inertia  # noqa: B018


def test_the_same_pose_driven_from_the_other_side():
    J = driven(crank_and_rocker(), ["rocker"]).actuation_jacobian(output="crank")
    with pytest.raises(gw.ModelError, match=r"the outputs can move \(crank [+-]1\) while the actuators"):
        J.joint_to_actuator_effort(1.0)


def test_branches_that_meet_are_named():
    """A parallelogram laid flat: crank and rocker turn together or against each other."""
    draw, z = spatial_loops.Drawing(), [(0, 0, 1)]
    for name, x in (("crank", 0.0), ("rocker", 2.0)):
        draw.rod(name, (x, 0, 0), (x, 1, 0), 1.0, 0.1)
        draw.joint(name, "continuous", "world", name, (x, 0, 0), z)
    draw.rod("coupler", (0, 1, 0), (2, 1, 0), 1.0, 0.1)
    draw.joint("a", "continuous", "crank", "coupler", (0, 1, 0), z)
    draw.joint("b", "continuous", "coupler", "rocker", (2, 1, 0), z, cut=True)
    robot = driven(draw.mechanism("parallelogram", (0, 0, 0)), ["crank"])
    assert robot.actuation_jacobian({"crank": 0.3}).actuator_per_joint == pytest.approx(np.eye(1))
    with pytest.raises(gw.ModelError, match="the loop through 'b' is at a singular pose: it has 2 degrees of freedom"):
        robot.actuation_jacobian({"crank": -np.pi / 2})


def test_too_few_motors_or_outputs_are_not_called_singular(ankle):
    one = ankle.actuation_jacobian(output="pitch")
    with pytest.raises(gw.ModelError, match=r"has 2 degrees of freedom: the actuators can move .* while the outputs"):
        one.actuator_per_joint  # noqa: B018


def test_positions_out_of_reach_are_refused(ankle):
    with pytest.raises(gw.ModelError, match="the loop through 'left_heel', 'right_heel' cannot be closed"):
        ankle.actuation_jacobian({"pitch": -1.2})


# --- limits -----------------------------------------------------------------------------------------------------------


def test_every_corner_of_a_polygon_is_held_by_motors_at_their_limits(ankle):
    J = ankle.actuation_jacobian({"pitch": -0.2, "roll": 0.2})
    assert np.abs(J.joint_to_actuator_effort(J.effort_polygon())) == pytest.approx(1.6 * np.ones((4, 2)))
    assert np.abs(J.joint_to_actuator_velocity(J.velocity_polygon())) == pytest.approx(300 * np.ones((4, 2)))
    for k, (low, high) in enumerate(J.effort_range()):
        needed = J.joint_to_actuator_effort(high * np.eye(2)[k])
        assert np.abs(needed).max() == pytest.approx(1.6) and low == -high
    for k, (_, high) in enumerate(J.velocity_range()):
        assert np.abs(J.joint_to_actuator_velocity(high * np.eye(2)[k])).max() == pytest.approx(300)


def test_three_motors_on_two_axes_give_a_hexagon(rng):
    """Its corners are those of the eight corners of what the motors give that lie outside all others."""
    wrist = gw.load("wrist")
    third = gw.Actuator(name="third", joint="roll", effort_limit=4.0, velocity_limit=11.0)
    J = wrist.with_actuator(third).actuation_jacobian()
    limits = J.limits.efforts()
    corners = J.effort_polygon()
    assert len(corners) == 6 and signed_area(corners) > 0
    for direction in rng.normal(size=(50, 2)):
        reach = max(direction @ J.actuator_to_joint_effort(limits * signs) for signs in product((-1, 1), repeat=3))
        assert (corners @ direction).max() == pytest.approx(reach)
    speeds = J.velocity_polygon()
    assert len(speeds) == 6  # the third motor takes two of the four corners off
    assert np.abs(J.joint_to_actuator_velocity(speeds) / J.limits.velocities()).max(axis=1) == pytest.approx(np.ones(6))
    with pytest.raises(gw.ModelError, match="3 actuators share"):
        J.effort_range()


def signed_area(corners):
    x, y = corners.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def test_what_has_no_limit_is_named(ankle):
    J = driven(gw.load("four_bar"), ["pin_d"]).actuation_jacobian(output="pin_d")
    with pytest.raises(gw.ModelError, match="actuator 'pin_d_motor' has no effort limit"):
        J.effort_range()
    with pytest.raises(gw.ModelError, match="a polygon needs two outputs, not 1"):
        J.effort_polygon()
