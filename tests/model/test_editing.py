"""Changed copies: a link or joint more or less, a hand on an arm."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import Axis, Inertia, Joint, Keyframe, Link
from tests.tolerances import ROUNDING

BODY = {"mass": 1, "inertia": (1, 1, 1)}
TOOL = Link(name="tool", inertia=Inertia(mass=0.1, moments=(1e-4, 1e-4, 1e-4)))


def chain() -> gw.Mechanism:
    return (
        gw.build("chain").link("a", **BODY).link("b", **BODY).link("c", **BODY)
        .joint("ab", "revolute", "a", "b", pose=(0, 0, 1)).joint("bc", "revolute", "b", "c", pose=(0, 0, 1))
        .couple("bc", "ab", 2.0)
        .actuator("m").transmission("t", gw.SimpleTransmission(reduction=2.0), actuators="m", joints="ab")
        .actuator("n", "bc").sensor("s", actuator="m").frame("flange", "c", (0, 0, 0.5, 0, 0.3, 0))
        .finish()
    )  # fmt: skip


def test_with_link_and_joint():
    joint = Joint(name="wrist", kind="revolute", parent="c", child="tool", axes=(Axis(),))
    robot = chain().with_link(TOOL, joint)
    assert robot.dof == 2
    stiff = robot.with_joint(Joint(name="wrist", kind="fixed", parent="c", child="tool"))
    assert stiff.dof == 1
    assert robot.joints["wrist"].kind == "revolute"  # the first stays as it was
    heavier = robot.with_link(Link(name="tool", inertia=Inertia(mass=5.0, moments=(1.0, 1.0, 1.0))))
    assert heavier.links["tool"].inertia.mass == 5.0


def test_with_link_needs_a_joint():
    with pytest.raises(gw.ModelError, match="is new: give the joint"):
        chain().with_link(TOOL)
    with pytest.raises(gw.ModelError, match="there is no link 'cc'"):
        chain().with_link(TOOL, Joint(name="j", kind="fixed", parent="cc", child="tool"))
    with pytest.raises(gw.ModelError, match="does not carry"):
        chain().with_link(TOOL, Joint(name="j", kind="fixed", parent="a", child="c"))


def test_a_joint_to_the_world_takes_the_place_of_the_base():
    turning = chain().with_joint(Joint(name="mount", kind="revolute", parent="world", child="a", axes=(Axis(),)))
    assert (turning.dof, dict(turning.bases)) == (2, {})


def test_without_a_link_goes_what_hangs_on_it():
    robot = chain().without("c")
    assert (list(robot.links), list(robot.joints)) == (["a", "b"], ["ab"])
    assert (list(robot.couplings), list(robot.actuators), list(robot.frames)) == ([], ["m"], [])
    assert list(robot.sensors) == ["s"]


def test_without_a_joint_goes_its_actuation():
    robot = chain().without("ab")
    assert list(robot.links) == ["a"]
    assert not (robot.transmissions or robot.actuators or robot.sensors or robot.couplings)


def test_without_other_parts():
    assert list(chain().without("t").actuators) == ["n"]
    assert list(chain().without("m").transmissions) == []
    assert list(chain().without("bc", kind="coupling").couplings) == []
    assert list(chain().without("s", "flange").sensors) == []
    with pytest.raises(gw.ModelError, match="did you mean 'flange'"):
        chain().without("flang")
    with pytest.raises(gw.ModelError, match="nothing would be left"):
        chain().without("a")
    with pytest.raises(gw.ModelError, match="kind of part"):
        chain().without("a", kind="limb")


def test_names_of_two_kinds():
    robot = gw.build("r").link("a", **BODY).link("x", **BODY).joint("x", "revolute", "a", "x").finish()
    with pytest.raises(gw.ModelError, match="is a link and a joint: say which"):
        robot.without("x")
    assert list(robot.without("x", kind="joint").links) == ["a"]


def test_attach_a_gripper():
    """At the flange's frame, with its joint to the world as the mount; both move as they did alone."""
    robot = chain().attach(gw.load("gripper"), at="flange", pose=(0, 0, 0.1), prefix="hand_")
    assert robot.joints["hand_mount"].parent == "c"
    assert robot.dof == chain().dof + gw.load("gripper").dof
    q = {"ab": 0.4, "hand_right_finger": 0.01}
    arm, hand = chain().forward_kinematics({"ab": 0.4}), gw.load("gripper").forward_kinematics({"right_finger": 0.01})
    flange = (
        arm["c"]
        @ chain().frames["flange"].X_LF.matrix
        @ np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    )
    both = robot.forward_kinematics(q)
    for link, X in hand.items():
        np.testing.assert_allclose(both[f"hand_{link}"], flange @ X, atol=ROUNDING)


def test_attach_itself_needs_a_prefix():
    with pytest.raises(gw.ModelError, match=r"both mechanisms have a link 'a'; attach\(…, prefix='chain_'\)"):
        chain().attach(chain(), at="c")
    twice = chain().attach(chain(), at="c", prefix="second_", joint="weld")
    assert twice.joints["weld"].kind == "fixed"
    assert twice.couplings["second_bc"].leader.joint == "second_ab"
    assert twice.dof == 2
    with pytest.raises(gw.ModelError, match="did you mean"):
        chain().attach(chain(), at="flangee", prefix="x")


def test_a_floating_robot_is_attached_firmly():
    ball = gw.build("ball", base="floating").link("ball", **BODY).finish()
    assert chain().attach(ball, at="c").dof == 1


def posed(name, **command):
    built = (
        gw.build(name).link(f"{name}_base", **BODY).link(f"{name}_tip", **BODY)
        .joint(f"{name}_joint", "revolute", f"{name}_base", f"{name}_tip")
        .actuator(f"{name}_motor", joint=f"{name}_joint").finish()
    )  # fmt: skip
    key = Keyframe(name="home", position={f"{name}_joint": (0.3,)}, command={f"{name}_motor": 0.1})
    return replace(built, keyframes={"home": key})


def test_keyframes_go_with_their_joints():
    both = posed("arm").attach(posed("hand"), at="arm_tip")
    assert both.keyframes["home"].position == {"arm_joint": (0.3,), "hand_joint": (0.3,)}
    assert both.keyframes["home"].command == {"arm_motor": 0.1, "hand_motor": 0.1}
    assert both.without("hand_base").keyframes["home"].position == {"arm_joint": (0.3,)}
    apart = posed("arm").attach(posed("hand"), at="arm_tip", prefix="left_")
    assert apart.keyframes["left_home"].position == {"left_hand_joint": (0.3,)}


def test_a_keyframe_of_what_is_not_there_is_reported():
    robot = replace(posed("arm"), keyframes={"home": Keyframe(name="home", position={"arm_jont": (0.1,)})})
    (found,) = (d for d in robot.diagnostics if "keyframe" in d.message)
    assert "did you mean 'arm_joint'" in found.message
