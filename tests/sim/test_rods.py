"""Rods as equations against rods as links: poses, ratios, inertia, and motion; exact where rods have no mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisDynamics, Pose
from gearwright.model.poses import rotation_about
from tests.dynamics.random_mechanisms import random_axis
from tests.sim import spatial_loops
from tests.tolerances import ROUNDING

FEATHER = 1e-6  # share of their mass that light rods keep


def lightened(robot, share=FEATHER):
    links = {}
    for name, link in robot.links.items():
        own = link.inertia
        light = replace(own, mass=share * own.mass, moments=tuple(share * x for x in own.moments))
        links[name] = replace(link, inertia=light) if "rod" in name or name == "coupler" else link
    return replace(robot, links=links)


def driven(robot, *joints):
    for name in joints:
        robot = robot.with_actuator(gw.Actuator(name=f"{name}_motor", joint=name, rotor_inertia=1e-3))
    return robot


def sliders():
    """An ankle whose rods are pushed by slides, and whose two axes are one universal joint."""
    draw = spatial_loops.Drawing()
    draw.body("shin", (0, 0, 0.2), 2.0, (0.02, 0.02, 0.002))
    draw.body("foot", (0.03, 0, -0.03), 0.8, (1e-3, 3e-3, 3e-3))
    draw.joint("hip", "revolute", "world", "shin", (0, 0, 0.4), [(0, 1, 0)])
    draw.joint("ankle", "universal", "foot", "shin", (0, 0, 0), [(1, 0, 0), (0, 1, 0)])  # walked from child to parent
    for side, y in (("left", 0.05), ("right", -0.04)):
        top, heel = np.array([-0.06, y, 0.2]), np.array([-0.05, y, 0.01])
        draw.body(f"{side}_slide", top, 0.1, (1e-4, 1e-4, 1e-4))
        draw.joint(f"{side}_travel", "prismatic", "shin", f"{side}_slide", top, [(0.1, 0, 1)])
        draw.rod(f"{side}_rod", top, heel, 0.05, 0.008)
        draw.joint(f"{side}_top", "ball", f"{side}_slide", f"{side}_rod", top)
        draw.joint(f"{side}_heel", "ball", f"{side}_rod", "foot", heel, cut=True)
    return driven(draw.mechanism("sliders", spatial_loops.DOWN), "left_travel", "right_travel")


def free_pins():
    """The bundled four-bar without the dampers of its coupler, which would go with it."""
    robot = gw.load("four_bar")
    free = {
        name: replace(j, axes=tuple(replace(a, dynamics=AxisDynamics()) for a in j.axes))
        for name, j in robot.joints.items() if name in ("pin_b", "pin_c")
    }  # fmt: skip
    return replace(robot, joints={**robot.joints, **free})


ROBOTS = {  # robot, outputs, rods, where outputs can go to, commands
    "ankle": (lambda: gw.load("ankle"), ["pitch", "roll"], None, 0.2, {"left_motor": 0.1, "right_motor": -0.05}),
    "sliders": (sliders, ["ankle.axis", "ankle.axis2"], None, 0.2, {"left_travel_motor": 3.0}),
    "rssr": (lambda: driven(spatial_loops.rssr(), "crank"), ["rocker"], None, -0.05, {"crank_motor": 0.05}),
    "four_bar": (free_pins, ["pin_d"], None, 0.2, {"crank_motor": 0.004}),
}


@pytest.fixture(params=ROBOTS)
def case(request):
    make, *rest = ROBOTS[request.param]
    return make(), *rest


def poses(outputs, rng, size):
    return [dict(zip(outputs, size * rng.uniform(0.1, 1, len(outputs)), strict=True)) for _ in range(5)]


def test_poses_ratios_and_inertia_are_those_of_the_loop(case, rng):
    robot, outputs, rods, size, _ = case
    light = lightened(robot)
    reduced = light.with_rods_reduced(rods)
    assert not reduced.tree.cuts
    for position in poses(outputs, rng, size):
        loop, equation = (r.actuation_jacobian(position, output=outputs) for r in (light, reduced))
        for name, x in equation.position.items():
            assert x == pytest.approx(loop.position[name], abs=1e-9)  # of Newton's method on the loop
        assert equation.actuator_per_joint == pytest.approx(loop.actuator_per_joint, rel=1e-9, abs=1e-9)  # the same
        assert equation.joint_inertia == pytest.approx(loop.joint_inertia, rel=2 * FEATHER, abs=2 * FEATHER)


def test_the_mass_of_rods_costs_less_than_their_share(case, rng):
    """At its ends a slender rod has the same mass and centre, and three times the moment: its turning is extra."""
    robot, outputs, rods, size, _ = case
    reduced = robot.with_rods_reduced(rods)
    assert sum(x.inertia.mass for x in reduced.links.values()) == pytest.approx(
        sum(x.inertia.mass for x in robot.links.values()), rel=ROUNDING
    )
    for position in poses(outputs, rng, size):
        loop, equation = (r.actuation_jacobian(position, output=outputs).joint_inertia for r in (robot, reduced))
        extra = np.linalg.eigvalsh(equation - loop) / np.linalg.norm(loop)
        assert extra.min() > -1e-6 and extra.max() < 0.15  # the spin of a rod about itself is not there


def test_it_moves_as_the_loop_does(case):
    """By the default step, which is of second order: the difference falls with dt², to that of the rods' mass."""
    robot, outputs, rods, _, command = case
    apart = []
    for dt in (2e-3, 1e-3):
        runs = []
        for r in (light := lightened(robot), light.with_rods_reduced(rods)):
            sim = gw.compile(r, dt=dt)
            runs.append(sim.run(0.2, command=command))
        moved = max(np.ptp(runs[0].position[name]) for name in outputs)
        apart.append(max(np.abs(runs[0].position[n] - runs[1].position[n]).max() for n in outputs) / moved)
    assert moved > 0.01
    assert apart[1] < max(apart[0] / 2.5, 2e-5)


def test_a_crank_goes_round_and_its_rocker_turns_back():
    """Through both dead centres of the rocker, as the loop does; light rods, so that both arrive together."""
    four_bar = lightened(free_pins())
    loop, equation = (
        gw.compile(r).run(1.0, command={"crank_motor": 0.02}) for r in (four_bar, four_bar.with_rods_reduced())
    )
    assert abs(loop.position["pin_a"][-1]) > 4 * np.pi
    assert equation.position["pin_a"][-1] == pytest.approx(loop.position["pin_a"][-1], rel=1e-3)  # dt² of fast turns
    assert np.ptp(equation.position["pin_d"]) == pytest.approx(np.ptp(loop.position["pin_d"]), rel=1e-3)  # the same


def test_gravity_on_a_heavy_rod_is_exact():
    """Potential energy: weights at the ends, in the same proportion as the centre of mass."""
    robot = gw.load("ankle")
    loop, equation = (gw.compile(r) for r in (robot, robot.with_rods_reduced()))
    start = [sim.energy for sim in (loop, equation)]
    for sim in (loop, equation):
        sim.reset(position={"pitch": 0.3, "roll": -0.2})
    assert loop.energy - start[0] == pytest.approx(equation.energy - start[1], rel=1e-9)  # of Newton's method
    assert abs(loop.energy - start[0]) > 0.03


def test_it_is_smaller():
    robot = gw.load("ankle")
    reduced = robot.with_rods_reduced()
    assert (robot.dof, reduced.dof) == (4, 2)  # without the rods' spin about themselves
    loop, equation = (gw.compile(r) for r in (robot, reduced))
    assert len(equation.state) < len(loop.state) / 2


def test_it_is_kept_in_a_file(tmp_path):
    sim = gw.compile(gw.load("ankle").with_rods_reduced())
    sim.save(tmp_path / "ankle.gw")
    other = gw.open(tmp_path / "ankle.gw")
    for each in (sim, other):
        each.step(command={"left_motor": 0.3}, n=50)
    assert other.position["left_shaft"] == sim.position["left_shaft"] != 0.0


# --- the map ----------------------------------------------------------------------------------------------------------


def hinge(point, axis):
    return (*axis, *np.cross(point, axis))


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_linkage_as_a_transmission(rng):
    """Random rods on a chain of three axes: the length of each stays, at any pose; and it is differentiated exactly."""
    checked = 0
    for _ in range(20):
        axes = [np.array(random_axis(rng, passive=False).xyz) for _ in range(5)]
        points, A = rng.normal(size=(5, 3)), rng.normal(size=(2, 3))
        B = A + 6.0 * np.array([[1, 0, 0], [0, 1, 0]]) + rng.normal(size=(2, 3))
        linkage = gw.RodLinkage(
            joint_screws=(hinge(points[0], axes[0]), (0.0, 0.0, 0.0, *axes[1]), hinge(points[2], axes[2])),
            crank_screws=(hinge(points[3], axes[3]), (0.0, 0.0, 0.0, *axes[4])),
            crank_ends=tuple(map(tuple, A)), rod_ends=tuple(map(tuple, B)),
            joint_references=(0.1, 0.2, 0.3), actuator_references=(0.4, 0.5),
        )  # fmt: skip
        q = linkage.rest + rng.uniform(-0.15, 0.15, 3)
        if not np.isfinite(linkage.to_actuators(q)).all():
            continue
        checked += 1
        theta, travel = linkage.joint_to_actuator_position(q) - [0.4, 0.5]
        X = turn(points[0], axes[0], q[0] - 0.1) @ slide(axes[1] * (q[1] - 0.2)) @ turn(points[2], axes[2], q[2] - 0.3)
        ends = [turn(points[3], axes[3], theta), slide(axes[4] * travel)]
        for a, b, moved in zip(A, B, ends, strict=True):
            length = np.linalg.norm((X.R @ b + X.p) - (moved.R @ a + moved.p))
            assert length == pytest.approx(np.linalg.norm(b - a), rel=ROUNDING)
        ratio, h = linkage.actuator_per_joint_at(q), 1e-6
        by_differences = [
            (linkage.joint_to_actuator_position(q + e) - linkage.joint_to_actuator_position(q - e)) / (2 * h)
            for e in h * np.eye(3)
        ]
        assert ratio == pytest.approx(np.array(by_differences).T, abs=1e-6, rel=1e-6)  # of differences, over 1e-6
    assert checked > 10


def turn(point, axis, angle):
    R = rotation_about(axis, angle)
    return Pose(R, point - R @ point)


def slide(way):
    return Pose(np.eye(3), way)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_what_is_no_rod_is_said():
    four_bar = gw.load("four_bar")
    with pytest.raises(gw.ModelError, match=r"no rod can be reduced; .*'coupler': joint 'pin_b' has stops or passive"):
        four_bar.with_rods_reduced()
    with pytest.raises(gw.ModelError, match="rod 'crank' cannot be reduced: joint 'pin_a' is driven"):
        four_bar.with_rods_reduced(["crank"])
    with pytest.raises(gw.ModelError, match="no crank of one axis is at one of its ends"):
        spatial_loops.delta().with_rods_reduced(["rod0a"])
    with pytest.raises(gw.GearwrightError, match=r"'couple'.*coupler"):
        four_bar.with_rods_reduced(["couple"])
    with pytest.raises(gw.ModelError, match="no rod can be reduced"):
        gw.load("wrist").with_rods_reduced()


def test_a_dead_centre_as_drawn_is_refused():
    """The link that follows is in line with the rod: which way it goes on is not said."""
    draw = spatial_loops.Drawing()
    for name, start, end in (("crank", (0, 0, 0), (1, 0, 0)), ("rocker", (4, -2, 0), (4, 0, 0))):
        draw.rod(name, start, end, 1.0, 0.1)
        draw.joint(name, "continuous", "world", name, start, [(0, 0, 1)])
    draw.rod("coupler", (1, 0, 0), (4, 0, 0), 1.0, 0.1)
    draw.joint("a", "ball", "crank", "coupler", (1, 0, 0))
    draw.joint("b", "ball", "coupler", "rocker", (4, 0, 0), cut=True)
    with pytest.raises(gw.ModelError, match="in line with its crank: a dead centre"):
        driven(draw.mechanism("straight", (0, 0, 0)), "rocker").with_rods_reduced()


def test_reduced_rods_have_the_outputs_of_their_loops():
    """Cranks follow the foot there: the default outputs are what leads them."""
    robot = gw.load("ankle")
    loop, reduced = (r.actuation_jacobian({"pitch": 0.1, "roll": -0.05}) for r in (robot, robot.with_rods_reduced()))
    assert reduced.joints == loop.joints
    assert reduced.actuator_per_joint == pytest.approx(loop.actuator_per_joint, rel=1e-9)
