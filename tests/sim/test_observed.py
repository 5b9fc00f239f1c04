"""Reactions, wrenches, links and loop joints of a simulation, against closed forms."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright import Drive, compile, load, loads
from gearwright.errors import UnknownNameError
from gearwright.model import AxisRef, Limits
from tests.sim.robots import ARM, DOUBLE_PENDULUM, FOLDER, FREE, LIMITED, bare
from tests.sim.test_loops import ring
from tests.tolerances import ROUNDING

FOUR_BAR = bare(load(FOLDER / "four_bar.sdf"))
G = 9.80665
PENDULUM = (
    "<robot name='pendulum'><link name='ground'/><link name='bob'><inertial><origin xyz='0 0 -0.5'/><mass value='2'/>"
    "<inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='pin' type='continuous'><parent link='ground'/><child link='bob'/><axis xyz='0 1 0'/></joint></robot>"
)


def pendulum(**options):
    return compile(loads(PENDULUM), gravity=(0, 0, -G), **options)


def test_a_pendulum_pulls_at_its_pin():
    """`m·(g·cos q + l·q̇²)` along the rod; across it nothing, since a point has no inertia of its own."""
    sim = pendulum()
    for q, v in ((0.0, 0.0), (0.7, 3.0), (-2.0, 5.0)):
        sim.reset(position={"pin": q}, velocity={"pin": v})
        assert sim.acceleration["pin"] == pytest.approx(-G / 0.5 * np.sin(q), rel=ROUNDING)
        force, torque = sim.reaction["pin"]
        assert force == pytest.approx([0.0, 0.0, 2.0 * (G * np.cos(q) + 0.5 * v**2)], abs=100 * ROUNDING)
        assert torque == pytest.approx(np.zeros(3), abs=100 * ROUNDING)


def test_what_a_motor_gives_is_in_the_reaction():
    sim = pendulum()
    sim.reset(position={"pin": 0.3})
    sim.step(effort={"pin": 1.7}, n=0)
    assert sim.reaction["pin"].torque[1] == pytest.approx(1.7, rel=ROUNDING)


def test_a_batch_and_a_recording_have_the_same():
    one, many = compile(loads(DOUBLE_PENDULUM)), compile(loads(DOUBLE_PENDULUM), batch=3)
    many.reset(position={"elbow": [0.1, 0.5, 1.0]})
    rec = many.run(0.05, every=10)
    assert rec.reaction["shoulder"].force.shape == (6, 3, 3)
    assert many.reaction["shoulder"].force.shape == (3, 3)
    assert np.array_equal(rec.reaction["shoulder"].torque[-1], many.reaction["shoulder"].torque)
    assert np.array_equal(rec.link_velocity["lower"].linear[-1], many.link_velocity["lower"].linear)
    assert np.array_equal(rec.link_acceleration["lower"].angular[-1], many.link_acceleration["lower"].angular)
    one.reset(position={"elbow": 0.5})
    single = one.run(0.05, every=10)
    assert single.reaction["elbow"].force == pytest.approx(rec.reaction["elbow"].force[:, 1], rel=ROUNDING)


def held_four_bar():
    """The gallery's four-bar, its crank held by a drive; at rest, so that statics hold."""
    sim = compile(FOUR_BAR, drives={"pin_a": Drive(stiffness=1e6, damping=1e3)})
    sim.step(n=400)
    assert abs(sim.velocity["pin_a"]) < ROUNDING
    return sim


def test_statics_of_a_four_bar():
    """Each link in balance: the pins' forces and its weight, about its own pin. λ of a step at rest is the statics' one
    to 1e-9, the speed that is left."""
    sim = held_four_bar()
    g = np.array(sim.robot.gravity)
    forces = {}
    for name in ("pin_a", "pin_b", "pin_c", "pin_d"):
        joint = sim.robot.joint(name)
        X = sim.pose[joint.child] @ np.block([[joint.X_CJ.R, joint.X_CJ.p[:, None]], [np.zeros(3), 1.0]])
        force, torque = sim.reaction[name]
        forces[name] = X[:3, :3] @ force, X[:3, :3] @ torque, X[:3, 3]
    signs = {("coupler", "pin_c"): -1.0, ("crank", "pin_b"): -1.0}
    for link, pins in {
        "crank": ("pin_a", "pin_b"),
        "coupler": ("pin_b", "pin_c"),
        "rocker": ("pin_d", "pin_c"),
    }.items():
        inertia, X = sim.robot.links[link].inertia, sim.pose[link]
        c = X[:3, :3] @ np.array(inertia.center) + X[:3, 3]
        total, moment = inertia.mass * g, np.cross(c, inertia.mass * g)
        for pin in pins:
            s = signs.get((link, pin), 1.0)
            f, t, p = forces[pin]
            total, moment = total + s * f, moment + s * (t + np.cross(p, f))
        assert np.abs(total).max() < ROUNDING * np.abs(forces["pin_a"][0]).max(), link
        assert np.abs(moment).max() < ROUNDING * np.abs(forces["pin_a"][0]).max(), link
    assert np.abs(forces["pin_c"][0]).max() > 0.1
    assert np.abs(forces["pin_c"][1]).max() < ROUNDING  # a pin without friction


def test_a_joint_that_closes_a_loop_is_read_like_others():
    sim = compile(FOUR_BAR)
    rec = sim.run(0.3, effort={"pin_a": 0.02})
    opened = rec.position["pin_d"] - rec.position["pin_a"] - rec.position["pin_b"]
    turned = rec.position["pin_c"]
    assert np.ptp(turned) > 0.1
    assert np.abs(np.sin((turned - turned[0]) / 2)) == pytest.approx(
        np.abs(np.sin((opened - opened[0]) / 2)), abs=ROUNDING
    )
    assert sim.position["pin_c"] == rec.position["pin_c"][-1]
    slope = (8 * (turned[3:-1] - turned[1:-3]) - (turned[4:] - turned[:-4])) / (12 * sim.dt)
    assert np.abs(rec.velocity["pin_c"][2:-2] - slope).max() < 3e-4 * np.abs(slope).max()  # (dt·ω)⁴; found 5e-5
    assert "pin_c" in sim.position
    assert "pin_c" not in list(sim.position)  # it cannot be given to reset
    with pytest.raises(gw.ModelError, match="pin_c"):
        _ = sim.position["pin_x"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "screw", "universal", "ball"])
def test_a_loop_joint_of_every_kind_reads_what_it_does_in_the_tree(kind):
    """The loop cut there, or elsewhere: the same motion, to the step's own error of 1e-6 (dt 0.1 ms, 0.2 s)."""
    cut, tree = (compile(replace(ring(kind), cut=(name,)), dt=1e-4) for name in ("cut", "j1"))
    for sim in (cut, tree):
        sim.step(n=2000)
    assert cut.position["cut"] == pytest.approx(tree.position["cut"], abs=5e-6)
    assert cut.velocity["cut"] == pytest.approx(tree.velocity["cut"], abs=2e-4)
    assert np.abs(cut.velocity["cut"]).max() > 0.01


def test_nothing_is_transmitted_in_free_fall():
    sim = compile(loads(FREE))
    assert sim.link_acceleration["hull"].linear[2] == pytest.approx(sim.robot.gravity[2], rel=ROUNDING)
    base = next(iter(sim.robot.bases))
    assert np.abs(np.concatenate(sim.reaction[base])).max() < ROUNDING
    assert np.abs(np.concatenate(sim.reaction["gimbal"])).max() < ROUNDING


# --- wrenches --------------------------------------------------------------------------------------------------------


def test_a_wrench_moves_a_free_body_as_newton_says():
    """A force at the centre of mass; momentum is its impulse, to rounding. A torque about it spins it up."""
    body = (
        "<sdf version='1.9'><model name='m'><link name='body'><inertial><mass>2</mass>"
        "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link></model></sdf>"
    )
    sim = compile(loads(body), wrenches=("body",), gravity=(0, 0, 0))
    sim.step(wrench={"body": ((1.0, 2.0, -3.0), (0.0, 0.0, 0.5))}, n=100)
    assert sim.momentum.linear == pytest.approx(0.1 * np.array([1.0, 2.0, -3.0]), rel=1e-12)
    assert sim.link_velocity["body"].angular == pytest.approx([0, 0, 0.5], rel=1e-12)
    assert sim.pose["body"][:3, 3] == pytest.approx(0.5 * 0.01 / 2 * np.array([1.0, 2.0, -3.0]), rel=ROUNDING)
    sim.reset()
    sim.step(n=100)
    assert np.abs(sim.momentum.linear).max() == 0.0  # cleared


WAYS = [{}, {"integrator": "euler"}, {"solver": "pgs"}, {"solver": "tgs"}, {"integrator": "rk4"}]


@pytest.mark.parametrize("options", WAYS, ids=lambda o: "-".join(o.values()) or "default")
def test_a_wrench_holds_a_pendulum_up(options):
    """The weight, from below, at the centre of mass: a point on the link's own axis is reached by force and torque."""
    robot = loads(PENDULUM.replace("ixx='0' iyy='0' izz='0'", "ixx='1e-3' iyy='1e-3' izz='1e-3'"))
    sim = compile(robot, gravity=(0, 0, -G), wrenches="bob", **options)
    sim.reset(position={"pin": 1.0})
    r = sim.pose["bob"][:3, :3] @ [0, 0, -0.5]
    weight = np.array([0, 0, 2.0 * G])
    rec = sim.run(0.5, wrench={"bob": (weight, np.cross(r, weight))})
    assert np.abs(rec.position["pin"] - 1.0).max() < 1e-12
    assert np.abs(sim.reaction["pin"].force).max() < ROUNDING
    sim.run(0.1)
    assert sim.position["pin"] == pytest.approx(1.0, abs=1e-12)  # held on
    sim.reset(position={"pin": 1.0})
    sim.run(0.1)
    assert sim.position["pin"] < 0.95


def test_a_wrench_is_second_order_in_the_default_step():
    """A force of constant direction on a turning link: halving dt divides the error by four."""

    def end(dt):
        sim = compile(loads(DOUBLE_PENDULUM), dt=dt, wrenches=("lower",))
        sim.reset(position={"shoulder": 0.4, "elbow": 0.8})
        sim.run(0.4, wrench={"lower": ((3.0, 0.0, 2.0), (0.0, 0.4, 0.0))})
        return np.array([sim.position["shoulder"], sim.position["elbow"]])

    exact = end(1e-4)
    errors = [np.abs(end(dt) - exact).max() for dt in (4e-3, 2e-3)]
    assert 3.4 < errors[0] / errors[1] < 4.6


@pytest.mark.parametrize(
    ("wrench", "message"),
    [
        ({"upper": ((0, 0, 1), (0, 0, 0))}, r"compile\(wrenches=\('lower', 'upper'\)\)"),
        ({"uper": ((0, 0, 1), (0, 0, 0))}, "did you mean 'upper'"),
        ({"lower": (0, 0, 1)}, "pair"),
        ({"lower": ((0, 0), (0, 0, 0))}, r"shape \(3,\)"),
        ({"lower": ((0, 0, np.nan), (0, 0, 0))}, "not finite"),
        ({"lower": "up"}, "pair"),
        ([1, 2], "a mapping {link"),
    ],
)
def test_wrong_wrenches(wrench, message):
    sim = compile(loads(DOUBLE_PENDULUM), wrenches=("lower",))
    with pytest.raises(gw.ModelError, match=message):
        sim.step(wrench=wrench)
    assert sim.time == 0.0
    with pytest.raises(gw.GearwrightError, match="did you mean 'lower'"):
        compile(loads(DOUBLE_PENDULUM), wrenches=("lowr",))


def test_each_robot_of_a_batch_has_its_own():
    sim = compile(loads(DOUBLE_PENDULUM), batch=2, wrenches=("lower",))
    sim.step(wrench={"lower": ([[1.0, 0, 0], [2.0, 0, 0]], [0, 0, 0])}, n=5)
    one = compile(loads(DOUBLE_PENDULUM), wrenches=("lower",))
    one.step(wrench={"lower": ([2.0, 0, 0], [0, 0, 0])}, n=5)
    assert sim.position["elbow"][1] == pytest.approx(one.position["elbow"], rel=1e-12)
    assert sim.position["elbow"][0] != sim.position["elbow"][1]


# --- Jacobians and inverse dynamics ----------------------------------------------------------------------------------


def test_jacobians_of_points_and_frames():
    text = DOUBLE_PENDULUM
    sim = compile(loads(text))
    sim.reset(position={"shoulder": 0.3, "elbow": -0.5}, velocity={"shoulder": 1.0, "elbow": 2.0})
    v = np.array([1.0, 2.0])
    tip = sim.jacobian("lower", point=(0, 0, -0.5)) @ v
    expected = [-0.5 * np.cos(0.3) - 0.5 * 3.0 * np.cos(-0.2), 0.0, 0.5 * np.sin(0.3) + 0.5 * 3.0 * np.sin(-0.2)]
    assert tip == pytest.approx([*expected, 0.0, 3.0, 0.0], abs=ROUNDING)
    assert sim.jacobian("lower") @ v == pytest.approx(np.concatenate(sim.link_velocity["lower"]), abs=ROUNDING)
    assert not sim.jacobian("upper")[:, 1].any()
    with pytest.raises(gw.ModelError, match="did you mean 'lower'"):
        sim.jacobian("lowr")
    with pytest.raises(gw.ModelError, match="three numbers"):
        sim.jacobian("lower", point=(0, 0))
    many = compile(loads(text), batch=2)
    assert many.jacobian("lower").shape == (2, 6, 2)


def test_efforts_of_inverse_dynamics_give_the_accelerations():
    """With a coupling, dampers and a wrench: followers are accelerated by their leaders."""
    robot = bare(load(FOLDER / "gripper.sdf"))
    sim = compile(robot, wrenches=(list(robot.links)[-1],))
    names = [sim.coordinates[i] for i in sim.layout.names.free_velocities]
    rng = np.random.default_rng(1)
    sim.reset(velocity={n: 0.1 * x for n, x in zip(names, rng.normal(size=len(names)), strict=True)})
    wanted = dict(zip(names, rng.normal(size=len(names)), strict=True))
    sim.step(wrench={list(robot.links)[-1]: (rng.normal(size=3), rng.normal(size=3))}, n=0)
    sim.step(effort=sim.inverse_dynamics(wanted), n=0)
    assert [sim.acceleration[n] for n in names] == pytest.approx([*wanted.values()], rel=ROUNDING)
    follower = next(n for n in sim.coordinates if n not in names)
    with pytest.raises(gw.ModelError, match="follows"):
        sim.inverse_dynamics({follower: 1.0})


def test_a_robot_at_rest_needs_its_weight():
    sim = compile(bare(load(ARM)))
    assert np.array([*sim.inverse_dynamics().values()]) == pytest.approx(sim.bias(), abs=1e-12)


# --- energy ----------------------------------------------------------------------------------------------------------


def test_a_spring_in_a_cut_joint_stores_energy():
    joint = FOUR_BAR.joints["pin_c"]
    spring = replace(joint.axes[0].dynamics, spring_stiffness=0.5, spring_reference=0.3, damping=0.0)
    joints = {n: replace(j, axes=tuple(replace(a, dynamics=replace(a.dynamics, damping=0.0)) for a in j.axes))
              for n, j in FOUR_BAR.joints.items()}  # fmt: skip
    joints["pin_c"] = replace(joint, axes=(replace(joint.axes[0], dynamics=spring),))
    sprung, plain = (compile(replace(FOUR_BAR, joints=j, cut=("pin_c",))) for j in (joints, {**joints, "pin_c": replace(
        joint, axes=(replace(joint.axes[0], dynamics=replace(spring, spring_stiffness=0.0)),))}))  # fmt: skip
    assert sprung.potential_energy - plain.potential_energy == pytest.approx(0.5 * 0.5 * 0.3**2, rel=ROUNDING)
    rec = sprung.run(1.0)
    assert np.ptp(rec.energy) < 0.01 * np.ptp(rec.potential_energy)


def test_soft_stops_store_energy():
    robot = loads(DOUBLE_PENDULUM)
    joint = robot.joints["elbow"]
    soft = Limits(lower=-0.1, upper=0.1, stiffness=40.0, dissipation=0.0)
    stopped = replace(
        robot,
        joints={**robot.joints, "elbow": replace(joint, kind="revolute", axes=(replace(joint.axes[0], limits=soft),))},
    )
    sim, free = compile(stopped), compile(robot)
    with pytest.warns(gw.BeyondLimitsWarning, match=r"'elbow' at 0.3 rad, upper limit 0.1 rad"):
        sim.reset(position={"elbow": 0.3})
    free.reset(position={"elbow": 0.3})
    assert sim.energy - free.energy == pytest.approx(0.5 * 40 * 0.2**2, rel=ROUNDING)
    rec = sim.run(1.0)
    assert np.ptp(rec.energy) < 0.01 * np.ptp(rec.kinetic_energy)


def test_a_pressed_backlash_stores_energy():
    """A motor behind a gear of 10:1 with play of 0.02 rad at its shaft: 0.03 rad beyond half of it."""
    robot = bare(loads(PENDULUM.replace("ixx='0' iyy='0' izz='0'", "ixx='1e-3' iyy='1e-3' izz='1e-3'")))
    robot = robot.with_actuator(gw.ElectricMotor(name="motor", rotor_inertia=1e-5))
    play = gw.Backlash(gap=0.02, stiffness=50.0, damping=0.0)
    gear = gw.SimpleTransmission(reduction=10.0)
    sim = compile(robot.with_transmission("gear", gear, actuators=["motor"], joints=["pin"], backlash=play))
    free = sim.energy
    sim.reset(position={"motor.rotor": 0.04})
    assert sim.energy - free == pytest.approx(0.5 * 50.0 * 0.03**2, rel=ROUNDING)
    sim.reset(position={"motor.rotor": 0.005})
    assert sim.energy == pytest.approx(free, abs=1e-15)


def test_linearising_with_a_wrench():
    """The wrench is held: A is the slope of the step with it, by differences."""
    sim = compile(loads(DOUBLE_PENDULUM), wrenches=("lower",))
    sim.reset(position={"shoulder": 0.4, "elbow": 0.8})
    sim.step(wrench={"lower": ((30.0, 0.0, 2.0), (0.0, 0.4, 0.0))}, n=3)
    A, _ = sim.linearize()
    here = {"shoulder": sim.position["shoulder"], "elbow": sim.position["elbow"]}
    ends = []
    for h in (1e-5, -1e-5):
        sim.reset(position={**here, "shoulder": here["shoulder"] + h})
        sim.step(wrench={"lower": ((30.0, 0.0, 2.0), (0.0, 0.4, 0.0))})
        ends.append([sim.velocity["shoulder"], sim.velocity["elbow"]])
    assert A.shape == (4, 4)
    sim.reset(position=here)
    sim.step(wrench={"lower": ((30.0, 0.0, 2.0), (0.0, 0.4, 0.0))}, n=0)
    assert sim.linearize()[0][2:, 0] == pytest.approx((np.array(ends[0]) - ends[1]) / 2e-5, rel=2e-8)  # h²
    sim.step(wrench={})


# --- reports ---------------------------------------------------------------------------------------------------------


def test_a_start_beyond_limits_is_reported_once():
    sim = compile(loads(LIMITED), batch=3)
    with pytest.warns(gw.BeyondLimitsWarning) as heard:
        sim.reset(position={"elbow": [0.0, 1.5, 2.0]})
    assert len(heard) == 1
    assert "'elbow' at 1.5 rad, upper limit 1 rad in robot 1 and 1 more" in str(heard[0].message)
    assert heard[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", gw.BeyondLimitsWarning)
        sim.reset(position={"elbow": [0.0, 1.0, -1.0]})
        with pytest.raises(gw.BeyondLimitsWarning):
            sim.reset(position={"elbow": 1.1})
        assert sim.position["elbow"] == pytest.approx([0.0, 1.0, -1.0], rel=ROUNDING)  # as it was


def dry_friction(command, speed, state):
    """Jumps where the speed changes its sign: at rest no line that touches it is the solution."""
    return command - 2.0 * np.sign(speed), state


def test_steps_that_do_not_settle_are_counted_and_reported():
    """A user's law that jumps is settled on either side of the jump, and not on it."""
    motor = gw.CustomActuator(name="m", joint=AxisRef("elbow", 0), function=dry_friction)
    sim = compile(loads(DOUBLE_PENDULUM).with_actuator(motor), batch=2, gravity=(0, 0, 0))
    sim.reset(velocity={"elbow": [30.0, 0.0]})
    with pytest.warns(gw.UnsettledWarning, match=r"did not converge in \d+ of 20 steps of 2 robots") as heard:
        rec = sim.run(0.01, command={"m": 0.5})
    assert len(heard) == 1
    assert heard[0].filename == __file__
    assert sim.unsettled[0] == 0
    assert sim.unsettled[1] > 0
    assert np.array_equal(rec.unsettled[-1], sim.unsettled)
    sim.reset()
    assert not sim.unsettled.any()
    assert compile(loads(DOUBLE_PENDULUM), solver="pgs").unsettled == 0


def test_what_cannot_be_followed_stays_finite_and_is_counted():
    """A 32nd of a step of 30 ms is three radians at 3000 rad/s: iterations do not converge."""
    sim = compile(loads(DOUBLE_PENDULUM), dt=0.03)
    sim.reset(velocity={"shoulder": 2e3, "elbow": -3e3})
    with pytest.warns(gw.UnsettledWarning):
        sim.run(0.3)
    assert sim.unsettled > 0
    assert np.isfinite(sim.state).all()


def test_reactions_are_in_files_on_request(tmp_path):
    sim = compile(loads(DOUBLE_PENDULUM))
    rec = sim.run(0.01, record=("reaction",))
    rec.save(tmp_path / "a.npz")
    saved = np.load(tmp_path / "a.npz")
    assert np.array_equal(saved["reaction/elbow.fz"], rec.reaction["elbow"].force[:, 2])
    assert np.array_equal(saved["unsettled"], np.zeros(11))
    sim.run(0.01).save(tmp_path / "b.npz")
    assert not [n for n in np.load(tmp_path / "b.npz") if n.startswith("reaction")]
    with pytest.raises(gw.ModelError, match="reaction"):
        sim.run(0.01, record=("reactions",))


def test_what_a_joint_that_closes_a_loop_does_not_have_says_why():
    sim = compile(load(FOLDER / "four_bar.sdf"))
    with pytest.raises(UnknownNameError, match=r"'pin_c' closes a loop: it cannot be pushed; sim.reaction has .*cut=…"):
        sim.effort["pin_c"]
    with pytest.raises(UnknownNameError, match=r"'pin_c' closes a loop: its acceleration is not computed; .*cut=…"):
        sim.acceleration["pin_c"]
    with pytest.raises(UnknownNameError, match="no joint named 'pin_e'"):
        sim.effort["pin_e"]
    assert "pin_c" not in sim.effort
