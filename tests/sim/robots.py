"""Robots small enough to be written here, and where the bundled ones are."""

from dataclasses import replace
from pathlib import Path

import gearwright.robots

FOLDER = Path(gearwright.robots.__file__).parent
ARM = FOLDER / "reference_arm.urdf"
GRIPPER = FOLDER / "gripper.sdf"


def bare(robot):
    """A robot without its actuation: links, joints and couplings alone."""
    return replace(robot, actuators={}, transmissions={}, sensors={}, hardware={})


def rod(name):
    inertia = "<inertia ixx='0.021' iyy='0.021' izz='0.001' ixy='0' ixz='0' iyz='0'/>"
    return f"<link name='{name}'><inertial><origin xyz='0 0 -0.25'/><mass value='1'/>{inertia}</inertial></link>"


def hinge(name, parent, child, z, more=""):
    ends = f"<parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 {z}'/><axis xyz='0 1 0'/>"
    return f"<joint name='{name}' type='continuous'>{ends}{more}</joint>"


DOUBLE_PENDULUM = (
    "<robot name='double_pendulum'><link name='ground'/>"
    + rod("upper") + rod("lower")
    + hinge("shoulder", "ground", "upper", 0) + hinge("elbow", "upper", "lower", -0.5)
    + "</robot>"
)  # fmt: skip

LIMITED = DOUBLE_PENDULUM.replace(
    "<joint name='elbow' type='continuous'>",
    "<joint name='elbow' type='revolute'><limit lower='-1' upper='1' effort='1' velocity='1'/>",
)

# a leader, a follower, a limit and friction: everything that is told of
FOLLOWING = (
    "<robot name='following'><link name='ground'/>" + rod("a") + rod("b")
    + hinge("leader", "ground", "a", 0, "<limit lower='-1' upper='1' effort='1' velocity='1'/>").replace(
        "continuous", "revolute"
    )
    + hinge("follower", "ground", "b", 1, "<mimic joint='leader' multiplier='-2' offset='0.1'/>"
            "<dynamics friction='0.1'/>")
    + "</robot>"
)  # fmt: skip

FREE = """<sdf version="1.9"><model name="free">
  <link name="hull"><inertial><mass>3</mass><pose>0.1 0 0.05 0 0 0</pose>
    <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial></link>
  <link name="ring"><inertial><mass>0.5</mass>
    <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.02</izz></inertia></inertial></link>
  <link name="head"><pose>0 0 0.4 0 0 0</pose><inertial><mass>1</mass>
    <inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.01</izz></inertia></inertial></link>
  <link name="tail"><pose>-0.5 0 0 0 0 0</pose><inertial><mass>0.7</mass><pose>-0.2 0 0 0 0 0</pose>
    <inertia><ixx>0.01</ixx><iyy>0.03</iyy><izz>0.03</izz></inertia></inertial></link>
  <joint name="gimbal" type="universal"><parent>hull</parent><child>head</child>
    <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
  <joint name="socket" type="ball"><parent>hull</parent><child>tail</child></joint>
  <joint name="spin" type="revolute"><parent>hull</parent><child>ring</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""
