"""Robots built in Python: inertias against closed forms, frames by parent, and errors that say where and what."""

from math import pi
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import Axis, Inertia, Pose
from tests.tolerances import ROUNDING


def arm() -> gw.Mechanism:
    return (
        gw.build("arm")
        .link("base").box("base", (0.2, 0.2, 0.1), density=2700)
        .link("upper", mass=1.0).cylinder("upper", 0.03, 0.3, pose=(0, 0, 0.15))
        .link("fore", mass=0.5).capsule("fore", 0.02, 0.2, pose=(0, 0, 0.1))
        .joint("shoulder", "revolute", "base", "upper", pose=(0, 0, 0.05), axis=(0, 2, 0), lower=-1, upper=1,
               damping=0.1)
        .joint("elbow", "revolute", "upper", "fore", pose=(0, 0, 0.3, 0, 0, pi / 2), axis=(0, 1, 0), initial=0.2)
        .couple("elbow", "shoulder", -2.0, 0.2)
        .actuator("motor", kind="electric_motor", stall_torque=0.5, no_load_speed=300.0, rotor_inertia=1e-5)
        .transmission("gear", gw.SimpleTransmission(reduction=50.0), actuators="motor", joints="shoulder")
        .sensor("angle", joint="shoulder", resolution=4096.0)
        .sensor("imu", kind="imu", link="fore", pose=Pose.from_rpy((0, 0, 0.2), (0, 0, 0)))
        .frame("flange", "fore", (0, 0, 0.22))
        .finish()
    )  # fmt: skip


def test_all_kinds_of_parts():
    robot = arm()
    assert list(robot.links) == ["base", "upper", "fore"]
    assert list(robot.joints) == ["shoulder", "elbow"]
    assert robot.dof == 1
    assert robot.joints["shoulder"].axes[0].xyz == (0.0, 1.0, 0.0)
    assert robot.joints["shoulder"].axes[0].dynamics.damping == 0.1
    assert robot.couplings["elbow"].multiplier == -2.0
    assert robot.transmissions["gear"].type == "simple"
    assert robot.frames["flange"].link == "fore"
    assert [*robot.sensors] == ["angle", "imu"]


def test_frames_by_parent():
    """The elbow is 0.35 m up, and turned by 90° about z."""
    X = arm().forward_kinematics({"shoulder": 0.0, "elbow": 0.0})["fore"]
    np.testing.assert_allclose(X[:3, 3], (0, 0, 0.35), atol=ROUNDING)
    np.testing.assert_allclose(X[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=ROUNDING)


def test_it_moves():
    sim = gw.compile(arm())
    sim.step(command={"motor": 0.1}, n=20)
    assert sim.velocity["shoulder"] > 0
    assert sim.velocity["elbow"] == pytest.approx(-2 * sim.velocity["shoulder"])


def test_inertia_of_a_dumbbell():
    """Two balls on a rod, by Steiner."""
    robot = (
        gw.build("r").link("a")
        .sphere("a", 0.1, pose=(0.5, 0, 0), mass=2.0).sphere("a", 0.1, pose=(-0.5, 0, 0), mass=2.0)
        .cylinder("a", 0.01, 1.0, pose=(0, 0, 0, 0, pi / 2, 0), mass=0.3)
        .finish()
    )  # fmt: skip
    inertia = robot.links["a"].inertia
    ball, rod = 2 / 5 * 2.0 * 0.01, 0.3 * (0.01**2 / 4 + 1 / 12)
    assert inertia.mass == pytest.approx(4.3)
    expected = (2 * ball + 0.3 * 0.01**2 / 2, 2 * (ball + 2.0 * 0.25) + rod, 2 * (ball + 2.0 * 0.25) + rod)
    np.testing.assert_allclose(inertia.tensor, np.diag(expected), atol=ROUNDING)


def test_density_and_mass():
    box = (0.1, 0.2, 0.3)
    volume = 0.1 * 0.2 * 0.3
    assert gw.build("r").link("a").box("a", box).finish().links["a"].inertia.mass == pytest.approx(1000 * volume)
    steel = gw.build("r").link("a", density=7850).box("a", box).finish().links["a"].inertia
    assert steel.mass == pytest.approx(7850 * volume)
    given = gw.build("r").link("a", mass=3.0).box("a", box).finish().links["a"].inertia
    assert given.mass == 3.0
    assert given.moments == pytest.approx([3.0 / 12 * x for x in (0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04)])


def test_inertia_as_given():
    by_numbers = gw.build("r").link("a", mass=2.0, inertia=(1, 2, 3, 0.1, 0.2, 0.3), center=(0.1, 0, 0)).finish()
    matrix = [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]
    by_matrix = gw.build("r").link("a", mass=2.0, inertia=matrix, center=(0.1, 0, 0)).finish()
    assert by_numbers.links["a"].inertia == by_matrix.links["a"].inertia
    assert by_numbers.links["a"].inertia.center.tolist() == [0.1, 0, 0]


def test_bases():
    assert gw.build("r").link("a", mass=1, inertia=(1, 1, 1)).finish().dof == 0
    assert gw.build("r", base="floating").link("a", mass=1, inertia=(1, 1, 1)).finish().dof == 6


def test_several_leaders_and_axes():
    b = gw.build("r", gravity=(0, 0, 0))
    for name in "abcd":
        b.link(name, mass=1, inertia=(1, 1, 1))
    b.joint("u", "universal", "a", "b", axis=(1, 0, 0), axis2=Axis(xyz=(0.0, 1.0, 0.0)))
    b.joint("v", "revolute", "b", "c").joint("w", "prismatic", "c", "d", axis=(1, 0, 0))
    robot = b.couple("w", {"v": 0.5, "u.axis2": 2.0}, name="sum").finish()
    assert robot.couplings["sum"].formula == "w = 0.5·v + 2·u.axis2 + 0"
    assert robot.couplings["w"] is robot.couplings["sum"]
    assert robot.gravity == (0, 0, 0)


def build_error(make) -> str:
    with pytest.raises(gw.ModelError) as caught:
        make(gw.build("r").link("a", mass=1, inertia=(1, 1, 1)).link("b", mass=1, inertia=(1, 1, 1)))
    return str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda b: b.link("a"), "there is a link 'a' already"),
        (lambda b: b.link("world"), "'world' cannot be the name of a link"),
        (lambda b: b.box("c", (1, 1, 1)), "there is no link 'c'"),
        (lambda b: b.box("a", (1, 1)), "size takes three numbers"),
        (lambda b: b.box("a", (1, 1, -1)), "size must be a number of at least 0"),
        (lambda b: b.box("a", (1, 1, 1), color=(2, 0, 0)), "color must be a number from 0 to 1"),
        (lambda b: b.link("c", mass=1).finish(), "add a shape, or give inertia="),
        (lambda b: b.link("c").mesh("c", "a.stl", density=1).finish(), "the volume of a mesh is not known"),
        (lambda b: b.link("c", inertia=(1, 1, 1)), "an inertia also needs a mass"),
        (lambda b: b.link("c", mass=1, inertia=(1, 1)), "inertia takes ixx, iyy, izz"),
        (lambda b: b.joint("j", "revolut", "a", "b"), "there is no type 'revolut'; did you mean 'revolute'?"),
        (lambda b: b.joint("j", "revolute", "a", "b", dampin=1), "has no 'dampin'; did you mean 'damping'?"),
        (lambda b: b.joint("j", "revolute", "a", "b", damping=-1), "joint 'j': damping cannot be negative"),
        (lambda b: b.joint("j", "revolute", "a", "b", lower=1, upper=0), "joint 'j': a lower limit"),
        (lambda b: b.joint("j", "revolute", "a", "b", axis=(0, 0, 0)), "an axis of length zero"),
        (lambda b: b.joint("j", "fixed", "a", "b", lower=1), "a fixed joint has no axis for 'lower'"),
        (lambda b: b.joint("j", "revolute", "a", "bb").finish(), "there is no link 'bb'"),
        (lambda b: b.joint("j", "revolute", "a", "b").couple("j", "k").finish(), "'k' does not exist"),
        (lambda b: b.couple("j", {"k": 1.0}, 2.0), "each has its multiplier"),
        (lambda b: b.actuator("m", kind="electrc_motor"), "did you mean 'electric_motor'?"),
        (lambda b: b.actuator("m", stiffnes=1), "did you mean 'stiffness'?"),
        (lambda b: b.actuator("m", kind="dc_motor"), "a DCMotor needs"),
        (lambda b: b.sensor("s", kind="encodr"), "did you mean 'encoder'?"),
        (lambda b: b.sensor("s", kind="force_torque"), "sensor 's': a force_torque sensor needs the joint"),
        (lambda b: b.frame("f", "c"), "there is no link 'c'"),
        (lambda b: b.shape("a", Inertia(mass=1.0)), "a shape is one of Box, Sphere"),
    ],
)
def test_errors(make, said):
    assert said in build_error(make)


def test_errors_have_the_line_of_python():
    builder = gw.build("r").link("a", mass=1, inertia=(1, 1, 1))
    builder.joint("j", "revolute", "a", "nowhere")
    with pytest.raises(gw.ModelError) as caught:
        builder.finish()
    (d,) = caught.value.diagnostics
    assert Path(d.file) == Path(__file__)
    assert "builder.joint" in Path(__file__).read_text().splitlines()[d.line - 1]


def test_no_links():
    with pytest.raises(gw.ModelError, match="has no links"):
        gw.build("r").finish()
    with pytest.raises(gw.ModelError, match="base must be"):
        gw.build("r", base="flying")


@pytest.mark.parametrize(
    "pose",
    [
        (1, 2, 3),
        (1, 2, 3, 0, 0, 0),
        (1, 2, 3, 2, 0, 0, 0),
        np.array([[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]),
    ],
)
def test_a_pose_in_all_its_forms(pose: object) -> None:
    """For a frame, and where another mechanism is attached."""
    robot = gw.build("a").link("base").frame("here", "base", pose).finish()  # type: ignore[arg-type]
    assert np.array_equal(robot.frames["here"].X_LF.matrix, [[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    both = robot.attach(gw.build("b").link("hand").finish(), "base", pose=pose)  # type: ignore[arg-type]
    assert both.poses()["hand"].p.tolist() == [1, 2, 3]
    with pytest.raises(gw.ModelError, match=r"takes x y z.*not \(1, 2\)"):
        robot.attach(gw.build("b").link("hand").finish(), "base", pose=(1, 2))
