"""Numbers at which checks and maps of the model decide: a hair on either side of each, for `contracts/guards.py`."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright import robots
from gearwright.dynamics.parameters import numbers
from gearwright.errors import ModelError
from gearwright.model import Axis, AxisRef, Coupling, Inertia, Joint, Limits, Link, Pose
from gearwright.model.checks.plausible import _joint, _link
from gearwright.model.couplings import Couplings, Term
from gearwright.model.loops import rings
from gearwright.model.loops.loop_system import LoopSystem, null_space
from gearwright.model.mass.moved_mass import massless_coordinates
from tests.model.test_thresholds import ratio

ZEROS = " ".join(f"{name}='0'" for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))


@pytest.mark.parametrize(("metres", "said"), [(99.0, 0), (101.0, 1)])
def test_a_joint_a_hundred_metres_away_is_worth_a_word(metres, said):
    pose = Pose(np.eye(3), (0.0, 0.0, metres))
    assert len(list(_joint(Joint(name="j", kind="fixed", parent="a", child="b", X_PJ=pose)))) == said


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


@pytest.mark.parametrize(("metres", "said"), [(1.4, 0), (1.6, 1)])
def test_a_radius_of_gyration_of_a_metre_and_a_half_is_worth_a_word(metres, said):
    moment = 2.0 * metres**2
    link = Link(name="l", inertia=Inertia(mass=2.0, moments=(moment, moment, moment)))
    assert len(list(_link(link))) == said


@pytest.mark.parametrize(("density", "said"), [(1.9e5, 0), (2.1e5, 1)])
def test_a_ball_of_ten_times_the_density_of_gold_is_worth_a_word(density, said):
    mass = 80.0
    radius = (3 * mass / (4 * np.pi * density)) ** (1 / 3)
    moment = 0.4 * mass * radius**2
    link = Link(name="l", inertia=Inertia(mass=mass, moments=(moment, moment, moment)))
    assert len(list(_link(link))) == said


@pytest.mark.parametrize(("limit", "said"), [(29.0, 0), (31.0, 1), (20.0, 1)])
def test_whole_numbers_from_thirty_on_look_like_degrees(limit, said):
    """Below, multiples of five."""
    axis = Axis(limits=Limits(lower=-limit, upper=limit))
    assert len(list(_joint(Joint(name="j", kind="revolute", parent="a", child="b", axes=(axis,))))) == said


def pendulum(arm):
    """A point mass beside its axis."""
    mass = f"<inertial><origin xyz='{arm!r} 0 0'/><mass value='1'/><inertia {ZEROS}/></inertial>"
    joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint>"
    return gw.loads(f"<robot name='r'><link name='a'/><link name='b'>{mass}</link>{joint}</robot>")


@pytest.mark.parametrize(("arm", "armature"), [(0.5e-12, 1e-6), (2e-12, 0.0)])
def test_a_point_mass_on_its_axis_does_not_resist_and_an_armature_is_assumed(arm, armature):
    robot = pendulum(arm)
    assert len(list(massless_coordinates(robot))) == (armature > 0)
    assert numbers(robot)["j.armature"] == armature


@pytest.mark.parametrize(("share", "massless"), [(1e-14, True), (1e-13, False)])
def test_moments_that_rounding_leaves_of_a_point_mass_do_not_resist(share, massless):
    """A mass of 2 kg, 0.5 m along its axis; its moments are a share of mass times distance squared."""
    inertia = Inertia(mass=2.0, moments=(share * 0.5,) * 3, pose=Pose(np.eye(3), (0.0, 0.0, 0.5)))
    robot = pendulum(0.0)
    robot = replace(robot, links={**robot.links, "b": Link(name="b", inertia=inertia)})
    assert bool(list(massless_coordinates(robot))) == massless


@pytest.mark.parametrize(("off", "corrected"), [(3e-14, False), (1e-12, True)])
def test_a_ratio_that_a_ring_implies_is_corrected_beyond_thirteen_digits(off, corrected):
    group = [ratio("b", "a", 3.0), ratio("c", "b", 1 / 3, "hard"), ratio("c", "a", 1.0 * (1 + off))]
    found = rings.unrounded(group, {n: [0.0] for n in "abc"})
    assert bool(found) == corrected


@pytest.mark.parametrize(("seen", "directions"), [(5e-4, 1), (2e-3, 0)])
def test_a_direction_that_rows_see_to_three_digits_is_free(seen, directions):
    assert len(null_space(np.diag([1.0, seen]))) == directions


@pytest.mark.parametrize(("opened", "closed"), [(3e-11, True), (1e-9, False)])
def test_a_loop_is_closed_to_a_tenth_of_a_nanometre(opened, closed):
    robot = gw.load(robots.path("four_bar"))
    (system,) = (part for part in LoopSystem.of(robot.tree, []).parts() if part.cuts)
    q = system.closed(robot.configuration(), [])
    joint = system.joints[0].name
    assert system._is_closed({**q, joint: np.array(q[joint]) + opened}, []) == closed


@pytest.mark.parametrize(("apart", "refused"), [(5e-7, False), (2e-6, True)])
def test_two_ways_of_a_linkage_to_one_angle_agree_to_a_microradian(apart, refused):
    linkage = gw.FourBarLinkage(ground=1.0, input=0.4, coupler=1.0, output=0.7)
    a = np.array([1.0])
    q = np.asarray(linkage.to_joints(a)) + apart
    if refused:
        with pytest.raises(ModelError, match="branch"):
            linkage._on_this_branch(q, a)
    else:
        linkage._on_this_branch(q, a)


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
