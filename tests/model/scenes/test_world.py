"""Worlds put together in Python: names, poses, objects, and what cannot be."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.contacts.finding import find_contacts
from gearwright.model.poses import Pose
from gearwright.model.renaming import NAMES, with_prefix
from gearwright.sim.saving.as_data import from_data, to_data

ARM = """<sdf version="1.11"><model name="arm"><link name="base"/><link name="fore"><pose>0 0 1 0 0 0</pose></link>
  <joint name="elbow" type="revolute"><parent>base</parent><child>fore</child><axis><xyz>0 1 0</xyz></axis></joint>
  {}</model></sdf>"""
FIXED = '<joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>'


def arm(tie: str = FIXED) -> gw.Mechanism:
    return gw.loads(ARM.format(tie))


def test_the_only_robot_keeps_its_names() -> None:
    world = gw.World()
    world.add(gw.load("gripper"), name="tool")
    world.box("cube", size=(0.04, 0.04, 0.04), mass=0.1, pose=(0, 0, 0.5))
    world.ground()
    scene = world.finish()
    assert list(scene.links) == [*gw.load("gripper").links, "cube", "ground"]
    assert list(scene.joints) == list(gw.load("gripper").joints)
    assert {"cube.x", "cube.rz"} <= set(scene.layout.velocities)
    assert scene.initial["cube"][:3] == (0, 0, 0.5)
    assert scene.bases["ground"].kind == "fixed"


def test_of_several_robots_every_name_says_whose_it_is() -> None:
    world = gw.World("cell")
    for name, x in (("left", 0.0), ("right", 1.0)):
        world.add(gw.load("gripper"), name=name, pose=(x, 0, 0))
    scene = world.finish()
    assert scene.name == "cell"
    assert scene.dof == 2
    for side in ("left", "right"):
        assert scene.couplings[f"{side}::left_finger"].leaders[0].axis.joint == f"{side}::right_finger"
        assert scene.transmissions[f"{side}::spindle"].actuators == (f"{side}::motor",)
        assert scene.transmissions[f"{side}::spindle"].joints[0].joint == f"{side}::right_finger"
    poses = scene.poses()
    shift = poses["right::left_finger_link"].p - poses["left::left_finger_link"].p
    assert shift == pytest.approx([1, 0, 0])


def test_keyframes_come_along() -> None:
    model = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody>
      <actuator><motor name="m" joint="j"/></actuator>
      <keyframe><key name="up" qpos="0.5" ctrl="2"/></keyframe></mujoco>"""
    world = gw.World()
    for name in ("left", "right"):
        world.add(gw.loads(model), name=name)
    frames = world.finish().keyframes
    assert list(frames) == ["left::up", "right::up"]
    assert frames["right::up"].position == {"right::j": (0.5,)} and frames["right::up"].command == {"right::m": 2.0}


@pytest.mark.parametrize("name", gw.robots.names())
def test_a_renamed_robot_moves_as_before(name: str) -> None:
    """Every bundled robot: each part finds the parts that it names."""
    robot = gw.load(name)
    other = with_prefix(robot, "a::")
    assert other.dof == robot.dof
    assert [*other.tree.coordinates] == [f"a::{c}" for c in robot.tree.coordinates]
    assert [str(c.follower) for c in other.couplings.values()] == [f"a::{c.follower}" for c in robot.couplings.values()]
    q = {j: 0.01 for j in robot.joints if len(robot.joints[j].positions) == 1}
    before, after = robot.poses(q), other.poses({f"a::{j}": v for j, v in q.items()})
    for link, X in before.items():
        assert np.array_equal(after[f"a::{link}"].matrix, X.matrix)


def test_the_table_of_names_has_fields_that_are_there() -> None:
    for kind, names in NAMES.items():
        known = [f.name for f in fields(kind)] if is_dataclass(kind) else kind._fields
        assert set(names) <= set(known)


POSES = [
    ((1, 2, 3), Pose.from_rpy((1, 2, 3), (0, 0, 0))),
    ((1, 2, 3, 0.1, 0.2, 0.3), Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))),
    ((1, 2, 3, 0.5, 0.5, 0.5, 0.5), Pose.from_quaternion((1, 2, 3), (0.5, 0.5, 0.5, 0.5))),
    (Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3)).matrix, Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))),
]


@pytest.mark.parametrize("given, X", POSES)
@pytest.mark.parametrize("tie", ["", FIXED, FIXED.replace("world", "x").replace("base", "world").replace("x", "base")])
@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
def test_robots_stand_where_they_are_put(given: object, X: Pose, tie: str) -> None:
    """Whether they float, or are tied to the world by a joint in either direction."""
    try:
        robot = arm(tie)
    except gw.LoadError:  # the world as a child is refused by this format
        robot = gw.loads(ARM.format(""), base="fixed")
    world = gw.World()
    world.add(robot, pose=given)
    before, after = robot.poses(), world.finish().poses()
    for link, X_WL in before.items():
        assert after[link].matrix == pytest.approx((X @ X_WL).matrix)


def test_objects_are_homogeneous() -> None:
    world = gw.World()
    world.box("box", size=(1, 2, 3), mass=12)
    world.sphere("ball", radius=0.5, mass=2, pose=(0, 0, 3))
    world.cylinder("can", radius=0.1, length=0.2, mass=1, pose=(0, 0, 5))
    world.capsule("pill", radius=0.1, length=0.2, mass=1, pose=(0, 0, 6))
    world.box("table", size=(1, 1, 0.1), friction=0.3, restitution=0.5)
    links = world.finish().links
    assert links["box"].inertia.moments == pytest.approx((13, 10, 5))
    assert links["ball"].inertia.moments == pytest.approx((0.2, 0.2, 0.2))
    assert links["can"].inertia.moments[2] == pytest.approx(0.005)
    assert links["table"].inertia.mass == 0
    surface = links["table"].collisions[0].surface
    assert surface is not None
    assert (surface.friction, surface.restitution) == (0.3, 0.5)


def test_who_touches_whom_in_a_world() -> None:
    world = gw.World()
    world.add(gw.load("gripper"))
    world.sphere("ball", radius=0.05, mass=1, pose=(0, 0, 1))
    world.sphere("stone", radius=0.05, pose=(1, 0, 1))
    world.ground(0.5)
    found = find_contacts(world.finish())
    pairs = {p.links for p in (*found.contacts, *found.left_out)}
    assert {("ball", "ground"), ("ball", "stone")} <= pairs
    assert not any("ground" in p and "stone" in p for p in pairs)
    assert ("right_finger_link", "left_finger_link") not in pairs


def test_a_sloped_ground_is_where_its_equation_says() -> None:
    world = gw.World()
    world.ground(slope=(0.1, -0.2))
    (plane,) = world.finish().links["ground"].collisions
    normal = np.array(plane.shape.normal)  # type: ignore[union-attr]
    for x, y in ((1, 0), (0, 1), (2, 3)):
        assert normal @ [x, y, 0.1 * x - 0.2 * y] == pytest.approx(0)


def test_gravity_is_the_robots_unless_given() -> None:
    inside = ARM.format("").removeprefix('<sdf version="1.11">').removesuffix("</sdf>")
    low = gw.loads(f'<sdf version="1.11"><world name="w"><gravity>0 0 -1.6</gravity>{inside}</world></sdf>')
    world = gw.World()
    world.add(low)
    assert world.finish().gravity == (0, 0, -1.6)
    world = gw.World(gravity=(0, 0, -3))
    world.add(low)
    world.ground()
    assert world.finish().gravity == (0, 0, -3)


def test_a_world_survives_saving() -> None:
    world = gw.World()
    world.add(arm())
    world.sphere("ball", radius=0.1, mass=1, velocity=(1, 0, 0), color=(1, 0, 0))
    scene = world.finish()
    assert from_data(to_data(scene)).links == scene.links


WRONG = [
    (lambda w: w.box("cube", size=(1, 1)), "three numbers"),
    (lambda w: w.box("cube", size=(1, 1, -1)), "positive"),
    (lambda w: w.box("cube", size=(1, 1, 1), mass=0), "must be positive"),
    (lambda w: w.sphere("ball", radius=float("nan")), "radius"),
    (lambda w: w.sphere("ball", radius=1, fricton=1), "did you mean 'friction'"),
    (lambda w: w.sphere("ball", radius=1, friction=-1), "friction"),
    (lambda w: w.sphere("ball", radius=1, pose=(1, 2)), "takes x y z"),
    (lambda w: w.sphere("world", radius=1), "cannot name"),
    (lambda w: w.sphere("a::b", radius=1), "cannot name"),
    (lambda w: (w.sphere("a", radius=1), w.sphere("a", radius=1)), "another 'a'"),
    (lambda w: w.add("gripper"), "must be a gearwright.Mechanism"),
    (lambda w: w.ground(slope=1), "slope"),
    (lambda w: w.finish(), "is empty"),
    (lambda w: (w.add(arm()), w.sphere("fore", radius=1, mass=1), w.finish()), "two parts named 'fore'"),
]


@pytest.mark.parametrize("build, said", WRONG)
def test_what_cannot_be_in_a_world(build: object, said: str) -> None:
    with pytest.raises(gw.ModelError, match=said):
        build(gw.World())  # type: ignore[operator]


def test_shapes_of_the_world_itself_come_along() -> None:
    """As MJCF has its ground: shapes on a link called world."""
    text = "<robot name='{0}'><link name='world'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
    text += "<link name='l'/><joint name='j' type='fixed'><parent link='world'/><child link='l'/></joint></robot>"
    world = gw.World()
    for k, name in enumerate(("a", "b")):
        world.add(gw.loads(text.format(name)), pose=(k, 0, 0))
    shapes = world.finish().links["world"].collisions
    assert [g.pose.p.tolist() for g in shapes] == [[0, 0, 0], [1, 0, 0]]
