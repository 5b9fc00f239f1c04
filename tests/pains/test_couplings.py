"""What users of other programs report about couplings, one test each, named after the report."""

from math import pi, sqrt

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.pains.robots import MODES, fingers, follows, joint, link, urdf, wheels
from tests.sim.robots import FOLDER
from tests.tolerances import ROUNDING

SOFT = {"natural_frequency": 300.0, "damping_ratio": 1.0}
ROOT = FOLDER.parents[2]


def tied(robot, mode, name="left"):
    return robot.with_coupling(name, mode=mode, **SOFT)


# --- what the file says is what happens -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_gz_ros2_control_952_offset_is_applied(mode):
    """Parsed and logged, but never applied. Here the follower starts with it, and keeps it."""
    sim = compile(tied(fingers(follows(0.5, 0.02)), mode))
    assert sim.position["left"] == pytest.approx(0.02, abs=1e-15)
    sim.step(effort={"right": 0.1}, n=500)
    assert sim.position["right"] > 0.01
    # a compliant row yields force/kp = 0.1 N·r/μ² at most
    slack = 1e-12 if mode != "compliant" else 1e-5
    assert sim.position["left"] == pytest.approx(0.5 * sim.position["right"] + 0.02, abs=slack)


@pytest.mark.parametrize("speed", [0.1, 10.0])
def test_gz_ros2_control_949_follower_gain_is_not_hard_coded(speed):
    """A follower that is a velocity loop of fixed gain lags the more, the faster it goes. Ours have none."""
    robot = wheels(2.0, 0.1, 0.2)
    for mode in ("exact", "hard"):
        sim = compile(robot.with_coupling("f", mode=mode))
        sim.reset(velocity={"l": speed})
        sim.step(n=1000)
        assert sim.position["f"] == pytest.approx(2 * speed, rel=ROUNDING)
    stretch = []
    for mu in (50.0, 100.0):  # kp = μ²/r is the user's: twice the frequency, a quarter of the stretch
        sim = compile(robot.with_coupling("f", mode="compliant", natural_frequency=mu, damping_ratio=1.0))
        sim.step(effort={"l": speed}, n=2000)
        stretch.append(sim.coupling_error["f"])
    assert stretch[0] / stretch[1] == pytest.approx(4.0, rel=ROUNDING)


@pytest.mark.filterwarnings("ignore:.*the limits of left tighten:gearwright.LoadWarning")
@pytest.mark.parametrize("mode", MODES)
def test_gz_ros2_control_951_effort_only_mimic_holds_both_fingers(mode):
    """An effort interface on the leader alone: the follower got none, and closed through the object.

    The object is 20 mm beyond the left finger only, whose stop it is; the right one has to stop with it. Then something
    pushes against the left finger, harder than its own weight could hold: the leader's effort holds it too.
    """
    control = """<ros2_control name="s" type="system"><hardware><plugin>p</plugin></hardware>
      <joint name="right"><command_interface name="effort"/><state_interface name="position"/></joint>
      <joint name="left" mimic="true"><state_interface name="position"/></joint></ros2_control>"""
    robot = fingers(follows(), limit="lower='0' upper='0.05'", follower_limit="lower='0' upper='0.02'", more=control)
    sim = compile(tied(robot, mode))
    sim.step(effort={"right": 8.0}, n=1000)
    slack = 1e-9 if mode != "compliant" else 8.0 * 10 / 300**2 * 1.1  # where sweeps end; force·r/μ², r = 2/0.2 kg
    assert sim.position["left"] == pytest.approx(0.02, abs=ROUNDING)
    assert sim.position["right"] == pytest.approx(0.02, abs=slack)
    sim.step(effort={"right": 8.0, "left": -7.0}, n=1000)
    assert sim.position["left"] == pytest.approx(0.02, abs=ROUNDING)
    assert sim.position["right"] == pytest.approx(0.02, abs=slack)
    sim.step(effort={"right": 8.0, "left": -9.0}, n=100)
    assert sim.position["right"] < 0.02  # and gives way only to more than it has


def test_isaac_sim_731_mimic_on_a_prismatic_joint():
    """Silently ignored there. Rack and pinion both ways round: the multiplier has a unit."""
    for kinds, m in ((("continuous", "prismatic"), 0.02), (("prismatic", "continuous"), 50.0)):
        robot = urdf(
            link("a"), link("b"), joint("l", kinds[0], "a"),
            joint("f", kinds[1], "b", follows(m, leader="l"), limit="lower='-9' upper='9'"),
        )  # fmt: skip
        sim = compile(robot)
        sim.step(effort={"l": 0.3}, n=100)
        assert abs(sim.position["f"]) > 1e-4
        assert sim.position["f"] == pytest.approx(m * sim.position["l"], rel=1e-12)


def test_newton_3728_offsets_are_radians():
    """Degrees against radians: 0.5 in a URDF is 0.5 rad, and an SDF says degrees only where it says so."""
    assert compile(fingers(follows(2.0, 0.5), "revolute")).position["left"] == 0.5
    sdf = gw.loads("""<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/>
      <joint name="l" type="continuous"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="f" type="continuous"><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz>
        <mimic joint="l"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>
      </model></sdf>""")
    X = sdf.forward_kinematics({"l": 0.4})["b"]
    assert np.arctan2(X[1, 0], X[0, 0]) == pytest.approx(2 * (0.4 - 0.1) + 0.5, rel=1e-12)


def test_mujoco_3527_and_bullet3_urdf_mimic_is_not_dropped():
    """Nothing of it is said there: the finger hangs loose. Here it takes a freedom away and carries force."""
    robot = fingers(follows(-1.0))
    assert list(robot.couplings) == ["left"] and robot.dof == 1
    sim = compile(robot)
    sim.step(effort={"left": 1.0}, n=10)
    assert sim.velocity["right"] == pytest.approx(-sim.velocity["left"], rel=1e-12) and sim.velocity["right"] < 0


def test_drake_19501_followers_are_not_counted_as_actuated():
    robot = gw.load(ROOT / "examples/gallery/parallel_gripper.urdf")
    assert len(robot.joints) == 6 and robot.dof == 1
    sim = compile(robot)
    rows = len(sim.kernels.equations.rows)
    own = {"position", "velocity", "mean_velocity"}  # of one freedom; the rest is the solver's
    assert {name: size for name, size in sim.batch_state.parts.items() if name in own} == dict.fromkeys(own, 1)
    assert sim.batch_state.parts["impulse"] == rows
    assert sim.linearize()[0].shape == (2, 2)


def test_genesis_3271_scaling_a_robot_keeps_its_couplings():
    """Twice as large, eight times the mass, as parameters: ratios of like joints stay, offsets grow."""
    masses = [f"{name}.mass" for name in ("a", "b")]
    sim = compile(fingers(follows(-1.5, 0.01)), parameters=(*masses, "left.offset"), batch=2)
    sim.set_parameters({name: np.array([0.2, 1.6]) for name in masses} | {"left.offset": np.array([0.01, 0.02])})
    sim.reset(position={"right": np.array([0.02, 0.04])})
    sim.step(effort={"right": np.array([0.05, 0.8])}, n=300)  # m·a: sixteen times
    small, large = (np.array([sim.position[n][k] for n in ("right", "left")]) for k in (0, 1))
    assert large == pytest.approx(2 * small, rel=ROUNDING)
    assert np.abs(sim.coupling_error["left"]).max() == 0.0


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_ros2_control_chain_order_does_not_matter(order):
    """A follower of a follower that is read before it: indices pointed at the wrong joint, or a step behind."""
    parts = [
        joint("first", "continuous", "a"),
        joint("second", "continuous", "b", follows(2.0, 0.1, "first")),
        joint("third", "continuous", "c", follows(-3.0, 0.2, "second")),
    ]
    control = "".join(
        f'<joint name="{n}"{flag}>{cmd}<state_interface name="position"/></joint>'
        for n, flag, cmd in (
            ("third", ' mimic="true"', ""), ("first", "", '<command_interface name="effort"/>'),
            ("second", ' mimic="true"', ""),
        )
    )  # fmt: skip
    system = f'<ros2_control name="s" type="system"><hardware><plugin>p</plugin></hardware>{control}</ros2_control>'
    sim = compile(urdf(link("a"), link("b"), link("c"), *(parts[k] for k in order), system))
    sim.step(effort={"first": 0.01}, n=200)
    x = sim.position["first"]
    assert x > 0.001
    assert sim.position["second"] == pytest.approx(2 * x + 0.1, rel=1e-12)
    assert sim.position["third"] == pytest.approx(-3 * (2 * x + 0.1) + 0.2, rel=1e-12)


# --- couplings carry forces, both ways ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_dart_1756_gears_carry_the_reaction(mode):
    """One-way mimic motors: the leader never felt its follower. It must see I_L + m²·I_F, and the follower's load."""
    robot = wheels(-3.0, 0.5, 0.2).with_coupling("f", mode=mode, natural_frequency=2000.0, damping_ratio=1.0)
    for name, moves in (("l", 1.0), ("f", -3.0)):
        sim = compile(robot)
        sim.step(effort={name: 1.0}, n=400)
        expected = 0.4 * moves / (0.5 + 9 * 0.2)
        assert sim.velocity["l"] == pytest.approx(expected, rel=ROUNDING if mode != "compliant" else 1e-7)


@pytest.mark.parametrize("mode", ["hard", "compliant"])
def test_gz_physics_990_a_teleported_leader_does_not_spike(mode):
    """Followers were left behind, and the solver shot them after it. Here a reset takes them along."""
    sim = compile(tied(fingers(follows(2.0, 0.01)), mode))
    sim.reset(position={"right": 0.3})
    assert sim.position["left"] == pytest.approx(0.61, rel=1e-15)
    rec = sim.run(0.05)
    assert max(np.abs(rec.velocity[name]).max() for name in ("right", "left")) < ROUNDING


@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
@pytest.mark.parametrize("mode", ["exact", "hard"])
def test_mujoco_2430_friction_on_a_follower_does_not_break_the_equality(mode, solver):
    robot = urdf(
        link("a"), link("b"), joint("right", "prismatic", "a", more="<dynamics friction='0.5'/>"),
        joint("left", "prismatic", "b", follows(), more="<dynamics friction='0.5'/>"),
    )  # fmt: skip
    sim = compile(tied(robot, mode), solver=solver, iterations=200)
    sim.step(effort={"right": 0.99}, n=200)  # holds below the sum
    assert abs(sim.position["right"]) < ROUNDING
    sim.reset()
    sim.step(effort={"right": 1.4}, n=100)
    assert sim.velocity["left"] == pytest.approx((1.4 - 1.0) / 0.4 * 0.1, rel=ROUNDING)
    assert abs(sim.coupling_error["left"]) < ROUNDING


@pytest.mark.filterwarnings("ignore:.*the limits of left tighten:gearwright.LoadWarning")
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("mode", MODES)
def test_joint_state_publisher_13_and_robotiq_157_follower_limits(mode, sign):
    """Unenforced, or with the wrong sign: the follower's range [−0.01, 0.03] stops the leader at 0.03, or at 0.01."""
    limit = "lower='-0.01' upper='0.03'"
    sim = compile(tied(fingers(follows(sign), limit="lower='-1' upper='1'", follower_limit=limit), mode))
    sim.step(effort={"right": 2.0}, n=1500)
    end = 0.03 if sign > 0 else 0.01
    slack = 1e-9 if mode != "compliant" else 2.0 * 10 / 300**2 * 1.1  # force·r/μ²
    assert sim.position["left"] == pytest.approx(sign * end, abs=ROUNDING)
    assert sim.position["right"] == pytest.approx(end, abs=slack)


# --- nothing fights, freezes or shakes ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*left already follows:gearwright.LoadWarning")
@pytest.mark.filterwarnings("ignore:.*contradictory couplings lock:gearwright.LoadWarning")
def test_isaac_sim_754_opposite_signs_are_reported():
    """Two sources that give the mimic with opposite signs both applied, and the leader froze without a word."""
    opposite = '<coupling name="again"><term joint="left">1</term><term joint="right">1</term></coupling>'
    robot = fingers(follows(1.0), more=opposite)
    (told,) = [d for d in robot.diagnostics if d.code == "mimic-duplicate"]
    assert told.severity == "warning" and told.line > 0 and "left already follows" in told.message
    assert robot.dof == 0  # and it is said that nothing can move
    for mode in MODES:
        sim = compile(tied(robot, mode))
        sim.step(effort={"right": 1.0}, n=500)
        assert np.isfinite(sim.state).all()
        assert abs(sim.position["right"]) < 2e-4  # compliant rows give way
    plugin = """<gazebo><plugin name="m" filename="libroboticsgroup_gazebo_mimic_joint_plugin.so"><joint>right</joint>
      <mimicJoint>left</mimicJoint><multiplier>-1</multiplier></plugin></gazebo>"""
    robot = fingers(follows(1.0), more=plugin)  # another program's plugin does not count twice
    assert len(robot.couplings) == robot.dof == 1
    sim = compile(robot)
    sim.step(effort={"right": 1.0}, n=100)
    assert sim.position["left"] == sim.position["right"] > 1e-3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
@pytest.mark.parametrize("mode", MODES)
def test_isaac_lab_5083_a_robotiq_hand_neither_deadlocks_nor_shakes_the_arm(mode, solver):
    """Six coupled joints on a wrist, the motor squeezing against a stop, followers pushed against each other."""
    text = (ROOT / "examples/gallery/parallel_gripper.urdf").read_text(encoding="utf-8")
    wrist = """<link name="flange"/><joint name="wrist" type="continuous"><parent link="flange"/><child link="palm"/>
      <axis xyz="0 1 0"/><dynamics damping="0.05"/></joint></robot>"""
    robot = gw.loads(text.replace("</robot>", wrist))
    for name in robot.couplings:  # bars and pins: 1 N·m bends them by some mrad
        robot = robot.with_coupling(name, mode=mode, natural_frequency=2000.0, damping_ratio=1.0)
    hold, squeeze = gw.Drive(stiffness=200.0, damping=2.0), gw.Drive(stiffness=1e4, damping=50.0, effort=8.0)
    sim = compile(robot, solver=solver, dt=2e-3, drives={"wrist": hold, "left_outer_knuckle": squeeze})
    sim.drive(position={"left_outer_knuckle": 2.0})
    sim.step(effort={"right_outer_knuckle": -1.0, "left_finger_joint": 0.3, "right_inner_knuckle": 0.5}, n=2000)
    closed = sim.position["right_outer_knuckle"]
    assert closed == pytest.approx(0.8, abs=0.02)  # it closes: no deadlock
    rec = sim.run(2.0)
    # within 1e-9 on either side of its stop an axis stands on it
    assert max(np.ptp(rec.position[name]) for name in robot.joints) < 2e-9
    if solver != "tgs":  # whose velocity is the last sweep's, not the mean that moves positions
        assert rec.kinetic_energy.max() < 1e-12
    sim.drive(position={"left_outer_knuckle": 0.0})
    sim.step(effort={"right_outer_knuckle": 0.0, "left_finger_joint": 0.0, "right_inner_knuckle": 0.0}, n=2000)
    assert sim.position["right_outer_knuckle"] == pytest.approx(
        0.0, abs=2e-9
    )  # slack: within 1e-9 of a stop it stands on it


def test_gz_physics_25_closed_chains():
    """Open there since 2020: a joint between two links that are connected already closes a loop, and stays closed."""
    robot = gw.load(ROOT / "examples/gallery/four_bar.sdf")
    assert [j.name for j in robot.tree.cuts] == ["pin_c"] and robot.dof == 1
    sim = compile(robot, dt=5e-4)
    for _ in range(40):
        sim.step(effort={"pin_a": 0.02}, n=50)
        ends = [sim.pose[name] @ [0.075, 0, 0, 1] for name in ("coupler", "rocker")]
        assert np.abs(ends[0] - ends[1]).max() < 1e-10
    assert sim.position["pin_a"] > 2 * pi


# --- softness at any ratio ------------------------------------------------------------------------------------------

MU, ZETA, STRETCH = 50.0, 0.05, 1e-3


def half_swings(times, errors):
    """The mean angular frequency between zero crossings; 0 where there are fewer than three."""
    crossings = times[1:][np.diff(np.sign(errors)) != 0]
    return pi / np.diff(crossings).mean() if len(crossings) > 2 else 0.0


def mujoco_rings(ratio, leader, follower):
    """The same pair as a MuJoCo equality, with solref and solimp for the frequency and the damping asked for."""
    mujoco = pytest.importorskip("mujoco")
    body = '<body><inertial pos="0 0 0" mass="1" diaginertia="{0} {0} {0}"/><joint name="{1}" axis="0 0 1"/></body>'
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep="1e-4" gravity="0 0 0"/><worldbody>
      {body.format(leader, "l")}{body.format(follower, "f")}</worldbody><equality><joint joint1="f" joint2="l"
      polycoef="0 {ratio} 0 0 0" solref="{1 / (MU * ZETA)} {ZETA}" solimp="0.9 0.9 0.001"/></equality></mujoco>""")
    data, errors = mujoco.MjData(model), []
    data.qpos[1] = STRETCH
    for _ in range(50_000):
        mujoco.mj_step(model, data)
        errors.append(data.qpos[1] - ratio * data.qpos[0])
    return half_swings(1e-4 * np.arange(1, 50_001), np.array(errors))


def mujoco_stiffness(ratio, leader, follower):
    """What it makes of the stiffness asked for, as its documentation has it: 1 would be what was asked for.

    It weighs the row by `r̂ = 1/I_L + 1/I_F` whatever the ratio, where `r = 1/I_F + G²/I_L` moves: of the reference
    acceleration r/(r + r̂·(1 − d)/d) arrives, and d = 0.9 was meant.
    """
    r, guess, d = 1 / follower + ratio**2 / leader, 1 / leader + 1 / follower, 0.9
    return r / (r + guess * (1 - d) / d) / d


@pytest.mark.parametrize(
    ("ratio", "leader", "follower"), [(1.0, 0.1, 0.1), (0.01, 1e-4, 1.0), (100.0, 1.0, 1e-4), (100.0, 0.1, 0.1)]
)
def test_mujoco_softness_does_not_depend_on_the_ratio(ratio, leader, follower):
    """A coupling of 50 rad/s rings at 50·√(1−ζ²), also behind a gear of 100.

    Within 1 %: implicit Euler lowers the frequency by less than (μ·dt)²/2 = 1e-5, crossings lie on a grid of 1e-4 s.
    MuJoCo's depends: right at 1, 500 times too soft behind a rotor's gear, 5 and 11 % too stiff at 100 : 1.
    """
    robot = wheels(ratio, leader, follower)
    sim = compile(robot.with_coupling("f", mode="compliant", natural_frequency=MU, damping_ratio=ZETA), dt=1e-4)
    sim.reset(position={"f": STRETCH})
    rec = sim.run(0.5)
    ours = half_swings(rec.time, rec.position["f"] - ratio * rec.position["l"])
    assert ours == pytest.approx(MU * sqrt(1 - ZETA**2), rel=5e-4)
    theirs = mujoco_rings(ratio, leader, follower)
    share = mujoco_stiffness(ratio, leader, follower)
    assert theirs == pytest.approx(MU * sqrt(share * (1 - share * ZETA**2)), rel=1e-3)
    if ratio == 1.0:
        assert share == pytest.approx(1.0, rel=1e-12)  # what was asked for means the same there
    else:
        assert share < 1 / 400 if ratio < 1.0 else share > 1.05
        assert abs(theirs - ours) > 0.02 * MU
