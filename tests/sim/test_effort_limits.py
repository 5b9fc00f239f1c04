"""A joint's <effort> bounds what moves it: motors on it or behind gears, on followers, and drives."""

from dataclasses import replace

import pytest

import gearwright as gw
from gearwright.model import AxisRef, Coupling, Couplings, Term
from gearwright.sim import compile
from tests.sim.driven import body, driven, motor, rigid
from tests.tolerances import ROUNDING

SOLVERS = pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
INERTIA, EFFORT, T = 0.05, 3.0, 0.1  # of the joint [kg·m², N·m], and how long it is pushed [s]


def limited(robot, **efforts):
    """With these <effort> limits, by joint."""
    joints = dict(robot.joints)
    for name, effort in efforts.items():
        (axis,) = joints[name].axes
        joints[name] = replace(joints[name], axes=(replace(axis, limits=replace(axis.limits, effort=effort)),))
    return replace(robot, joints=joints)


@SOLVERS
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("ratio", [10.0, -10.0])
def test_a_motor_behind_a_gear_gives_what_the_joint_may_bear(ratio, sign, solver):
    """At most effort/10 at the motor, in either direction; what is less is untouched."""
    robot = driven(rigid(body("j", INERTIA)), motor(), through=gw.SimpleTransmission(reduction=ratio))
    sim = compile(limited(robot, j=EFFORT), solver=solver)
    sim.step(command={"motor": sign * 2.0}, n=100)
    assert sim.actuator["motor"].torque == pytest.approx(sign * EFFORT / 10, rel=1e-12)
    assert sim.velocity["j"] == pytest.approx(sign * ratio / 10 * T * EFFORT / INERTIA, rel=1e-14)
    sim.reset()
    sim.step(command={"motor": sign * 0.2})
    assert sim.actuator["motor"].torque == pytest.approx(sign * 0.2, rel=1e-12)


def test_a_motors_own_limit_goes_before_its_joints():
    for own in (0.1, 0.7):  # below and above effort/10
        robot = driven(rigid(body("j")), motor(effort_limit=own), through=gw.SimpleTransmission(reduction=10.0))
        sim = compile(limited(robot, j=EFFORT))
        sim.step(command={"motor": 2.0})
        assert sim.actuator["motor"].torque == pytest.approx(own, rel=1e-12)


@SOLVERS
@pytest.mark.parametrize("mode", ["exact", "hard"])
def test_a_motor_on_a_follower_is_bounded_by_the_followers_effort(mode, solver):
    """f = −2·l: the leader, whose own limit is far away, gets m·effort and moves I_L + m²·I_F."""
    m = -2.0
    tie = Coupling(name="f", follower=AxisRef("f"), leaders=(Term(AxisRef("l"), m),), mode=mode)
    robot = replace(rigid(body("l", 0.3), body("f", INERTIA)), couplings=Couplings([tie]))
    sim = compile(limited(driven(robot, motor(), joints=("f",)), l=100.0, f=EFFORT), solver=solver, iterations=200)
    sim.step(command={"motor": 50.0}, n=100)
    assert sim.actuator["motor"].torque == pytest.approx(EFFORT, rel=ROUNDING)
    assert sim.velocity["l"] == pytest.approx(m * T * EFFORT / (0.3 + m**2 * INERTIA), rel=4e-14)


@SOLVERS
@pytest.mark.parametrize(
    ("own", "joint", "expected"),
    [({}, EFFORT, EFFORT), ({"effort": 1.0}, EFFORT, 1.0), ({"effort": 5.0}, EFFORT, 5.0)],
    ids=["the joint's", "its own", "its own beyond the joint's"],
)
def test_a_drive_without_a_limit_has_its_joints(own, joint, expected, solver):
    robot = limited(rigid(body("j", INERTIA)), j=joint)
    sim = compile(robot, solver=solver, drives={"j": gw.Drive(stiffness=1e6, damping=1e4, **own)})
    sim.drive(position={"j": 100.0})
    sim.step(n=100)
    assert sim.velocity["j"] == pytest.approx(T * expected / INERTIA, rel=1e-14)


@pytest.mark.parametrize("effort", [0.0, float("inf")])
def test_no_effort_limit_in_the_file_is_none(effort):
    """Nor is 0, which files write where they mean none: a stiff drive arrives at once, a motor gives what is asked."""
    robot = limited(rigid(body("j", INERTIA)), j=effort)
    sim = compile(robot, drives={"j": gw.Drive(stiffness=1e9)})
    sim.drive(position={"j": 1.0})
    sim.step()
    assert sim.position["j"] == pytest.approx(1.0, rel=1e-4)  # m/(k·dt²) = 5e-5 are left
    sim = compile(driven(robot, motor()))
    sim.step(command={"motor": 500.0})
    assert sim.actuator["motor"].torque == pytest.approx(500.0, rel=1e-12)


def test_a_limit_from_a_file():
    """<effort> of a URDF and of an SDF, driven alike."""
    urdf = """<robot name="r"><link name="palm"/><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="revolute"><parent link="palm"/><child link="a"/><axis xyz="0 0 1"/>
      <limit lower="-9" upper="9" effort="3" velocity="99"/></joint></robot>"""
    sdf = """<sdf version="1.11"><model name="m"><link name="a"><inertial><mass>1</mass>
      <inertia><ixx>1</ixx><iyy>1</iyy><izz>0.05</izz></inertia></inertial></link>
      <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz>
      <limit><effort>3</effort></limit></axis></joint></model></sdf>"""
    for text in (urdf, sdf):
        sim = compile(gw.loads(text), drives={"j": gw.Drive(stiffness=1e6, damping=1e4)})
        sim.drive(position={"j": 9.0})
        sim.step(n=100)
        assert sim.velocity["j"] == pytest.approx(T * EFFORT / INERTIA, rel=1e-14)


@pytest.mark.parametrize("rotor", ["reflected", "body"])
def test_a_motor_on_the_joint_gives_what_the_joint_may_bear(rotor):
    """Also where its rotor is a body of its own."""
    robot = driven(rigid(body("j", INERTIA)), motor(rotor_inertia=0.01, rotor=rotor))
    sim = compile(limited(robot, j=EFFORT))
    sim.step(command={"motor": 20.0}, n=100)
    assert sim.actuator["motor"].torque == EFFORT
    assert sim.velocity["j"] == pytest.approx(EFFORT * T / (INERTIA + 0.01), rel=1e-12)
