"""Numbers at which the model decides, as a user meets them: a hair on either side of each."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import gearwright as gw
from gearwright import robots
from gearwright.dynamics.parameters import numbers
from gearwright.errors import ModelError
from gearwright.model import Axis, AxisRef, Coupling, Encoder, Inertia, Joint, Link, Pose
from gearwright.model.couplings import Couplings, Term
from gearwright.model.mass.moved_mass import massless_coordinates
from tests.tolerances import ROUNDING

ZEROS = " ".join(f"{name}='0'" for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))


def codes(robot, code):
    return sum(d.code == code for d in robot.diagnostics)


def arm(kind="continuous", joint="", inertial="", beside=""):
    """A link on a joint, from a URDF file."""
    inertial = inertial or "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    text = f"<joint name='j' type='{kind}'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>{joint}</joint>"
    link = f"<link name='b'><inertial>{inertial}</inertial></link>"
    return gw.loads(f"<robot name='r'><link name='a'/>{link}{text}{beside}</robot>")


# --- hints at other units -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("metres", "said"), [(99.0, 0), (101.0, 1)])
def test_a_joint_a_hundred_metres_away_is_worth_a_word(metres, said):
    assert codes(arm(joint=f"<origin xyz='0 0 {metres}'/>"), "implausible") == said


@pytest.mark.parametrize(("metres", "refused"), [("0.9e12", False), ("1.1e12", True)])
def test_a_pose_beyond_a_tera_metre_is_refused(metres, refused):
    joint = f'<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="{metres} 0 0"/></joint>'
    sdf = f'<sdf version="1.9"><model name="m"><link name="a"><pose>{metres} 0 0 0 0 0</pose></link></model></sdf>'
    for text in (f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>', sdf):
        try:
            gw.loads(text)
        except gw.LoadError as error:
            assert refused and "exceeds the limit of 1e+12 m" in str(error)
        else:
            assert not refused


def ball(mass, moment):
    inertia = f"ixx='{moment!r}' iyy='{moment!r}' izz='{moment!r}' ixy='0' ixz='0' iyz='0'"
    return arm(inertial=f"<mass value='{mass}'/><inertia {inertia}/>")


@pytest.mark.parametrize(("metres", "said"), [(1.4, 0), (1.6, 1)])
def test_a_radius_of_gyration_of_a_metre_and_a_half_is_worth_a_word(metres, said):
    assert codes(ball(2.0, 2.0 * metres**2), "implausible") == said


@pytest.mark.parametrize(("density", "said"), [(1.9e5, 0), (2.1e5, 1)])
def test_a_ball_of_ten_times_the_density_of_gold_is_worth_a_word(density, said):
    radius = float((3 * 80.0 / (4 * np.pi * density)) ** (1 / 3))
    assert codes(ball(80.0, 0.4 * 80.0 * radius**2), "implausible") == said


@pytest.mark.parametrize(("limit", "said"), [(29, 0), (31, 1), (20, 1)])
def test_whole_numbers_from_thirty_on_look_like_degrees(limit, said):
    """Below, multiples of five."""
    limits = f"<limit lower='-{limit}' upper='{limit}' effort='1' velocity='1'/>"
    assert codes(arm("revolute", limits), "implausible") == said


@pytest.mark.parametrize(("upper", "said"), [("29", 0), ("31", 1), ("85.5", 1), ("29e3", 1), ("31e3", 0)])
def test_a_slider_of_more_than_thirty_metres_looks_like_millimetres(upper, said):
    """Beyond thirty thousand, limits only fill in what the format wants."""
    limits = f"<limit lower='0' upper='{upper}' effort='1' velocity='1'/>"
    assert codes(arm("prismatic", limits), "implausible") == said


# --- joints and masses ----------------------------------------------------------------------------------------------


def test_gravity_where_a_file_says_nothing():
    assert gw.Mechanism(name="r", links={}, joints={}).gravity == (0.0, 0.0, -9.81)


@pytest.mark.parametrize(("angle", "parallel"), [(0.5e-6, True), (2e-6, False)])
def test_two_axes_that_are_one_to_six_digits(angle, parallel):
    axes = (Axis(xyz=(1.0, 0.0, 0.0)), Axis(xyz=(np.cos(angle), np.sin(angle), 0.0)))
    assert Joint(name="j", kind="universal", parent="a", child="b", axes=axes).axes_are_parallel == parallel


@pytest.mark.parametrize(("offset", "armature"), [(0.5e-12, 1e-6), (2e-12, 0.0)])
def test_a_point_mass_on_its_axis_does_not_resist_and_an_armature_is_assumed(offset, armature):
    robot = arm(inertial=f"<origin xyz='{offset!r} 0 0'/><mass value='1'/><inertia {ZEROS}/>")
    assert len(list(massless_coordinates(robot))) == (armature > 0)
    assert numbers(robot)["j.armature"] == armature


@pytest.mark.parametrize(("share", "massless"), [(1e-14, True), (1e-13, False)])
def test_moments_that_rounding_leaves_of_a_point_mass_do_not_resist(share, massless):
    """A mass of 2 kg, 0.5 m along its axis; its moments are a share of mass times distance squared."""
    inertia = Inertia(mass=2.0, moments=(share * 0.5,) * 3, pose=Pose(np.eye(3), (0.0, 0.0, 0.5)))
    robot = arm()
    robot = replace(robot, links={**robot.links, "b": Link(name="b", inertia=inertia)})
    assert bool(list(massless_coordinates(robot))) == massless


# --- couplings ------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")
@pytest.mark.parametrize(("tighter", "said"), [(1e-3, 0), (4e-3, 1)])
def test_limits_that_rounding_tightens(tighter, said):
    """Three digits of limits and multipliers: two thousandths of the leader's range are not worth a word."""
    joints = "".join(
        f"<link name='l{n}'/><joint name='{n}' type='revolute'><parent link='a'/><child link='l{n}'/>{mimic}"
        f"<limit lower='0' upper='{upper}' effort='1' velocity='1'/></joint>"
        for n, upper, mimic in (("leader", 1.0, ""), ("follower", 1.0 - tighter, "<mimic joint='leader'/>"))
    )
    robot = gw.loads(f"<robot name='r'><link name='a'/>{joints}</robot>")
    assert codes(robot, "mimic-limits-tighten") == said


def running_sum(n):
    """f₁ = r₁, f₂ = f₁ + r₂, …: written by independent axes they have n·(n + 1)/2 terms."""
    axes = [(AxisRef(f"f{i}", 0), AxisRef(f"r{i}", 0)) for i in range(n)]
    for i, (follower, root) in enumerate(axes):
        before = (Term(axes[i - 1][0], 1.0),) if i else ()
        yield Coupling(name=f"c{i}", follower=follower, leaders=(*before, Term(root, 1.0)))


def test_two_hundred_thousand_terms_of_couplings():
    assert sum(len(a.terms) for a in Couplings(running_sum(631)).composed.values()) == 631 * 632 // 2  # 199,396
    with pytest.raises(ModelError, match="more than 200,000 terms"):
        _ = Couplings(running_sum(632)).composed


# --- actuators, transmissions and sensors ---------------------------------------------------------------------------


def test_the_last_part_of_a_velocity_limit():
    """An actuator gives up pushing over the last thousandth of its velocity limit."""
    motor = gw.Actuator(name="m", velocity_limit=2.0)
    assert motor.effort_at(1.0, 2.0 * (1 - 0.5e-3)) == pytest.approx(0.5, rel=1e-12)
    assert motor.effort_at(1.0, 2.0 * (1 - 2e-3)) == 1.0


@pytest.mark.parametrize(("effort", "stiffness"), [(5.0, 500.0), (0.0, 1e4)])
def test_usual_gains_of_a_servo(effort, stiffness):
    """All of the effort at an error of 10 mrad; 1e4 where there is no limit; errors die out in 50 ms."""
    commanded = "<joint name='j'><command_interface name='position'/></joint>"
    tag = f"<ros2_control name='h' type='system'><hardware><plugin>p</plugin></hardware>{commanded}</ros2_control>"
    limits = f"<limit lower='-1' upper='1' effort='{effort}' velocity='0'/>"
    robot = gw.with_servos(arm("revolute", limits, beside=tag))
    (servo,) = robot.actuators.values()
    assert servo.stiffness == pytest.approx(stiffness, rel=1e-12)
    assert servo.damping_gain == pytest.approx(0.05 * stiffness, rel=1e-12)
    assert servo.velocity_limit == inf


@pytest.mark.parametrize(
    ("rate", "latency", "word"),
    [
        (1000.0, 0.9, None),
        (1000.0, 1.1, "latency"),  # 1000 samples of 1 ms on their way
        (100.0, 9.0, None),
        (100.0, 11.0, "latency"),
        (1e-4, 0.0, None),  # one in 1e7 steps
        (3e-5, 0.0, "update_rate"),  # one in 3.3e7, beyond 2²⁴
    ],
)
def test_samples_that_steps_can_hold(rate, latency, word):
    robot = arm().with_sensor(Encoder(name="e", joint=AxisRef("j", 0), update_rate=rate, latency=latency))
    found = [d.message for d in robot.diagnostics if d.code == "encoder-value"]
    assert len(found) == (word is not None) and all(word in message for message in found)


@pytest.mark.parametrize(("ratio", "refused"), [(9e49, False), (-9e49, False), (2e50, True), (-2e50, True)])
def test_ratios_that_steps_can_square(ratio, refused):
    gear = gw.SimpleTransmission(reduction=ratio)
    robot = gw.load(robots.path("gripper")).with_actuator(gw.ElectricMotor(name="more"))
    robot = robot.with_transmission("more", gear, actuators="more", joints="right_finger")
    assert any("more" in d.message and d.code == "not-simulable" for d in robot.diagnostics) == refused


def test_sizes_are_guessed_up_to_sixteen():
    assert gw.CustomTransmission(position=lambda q: q[15] + q[0]).joints == 16
    with pytest.raises(ModelError, match="16"):
        _ = gw.CustomTransmission(position=lambda q: q[16] + q[0]).joints


def test_newtons_steps_end_at_twelve_digits():
    """A cubic map: fifty steps at most, and 1e-12 of the actuator's position is met."""
    cubic = gw.CustomTransmission(position=lambda q: q[0] + 0.3 * q[0] ** 3, size=(1, 1))
    q = float(np.ravel(cubic.actuator_to_joint_position([5e4]))[0])  # by some twenty steps
    assert abs(q + 0.3 * q**3 - 5e4) <= ROUNDING * 5e4
    steep = gw.CustomTransmission(position=lambda q: np.tanh(q[0]), size=(1, 1))
    with pytest.raises(ModelError, match="near="):
        steep.actuator_to_joint_position([1.5])
