"""What actuators and sensors show is what acted, on average over the step: at any gain, step and integrator."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import Axis, AxisDynamics, AxisRef, Joint, Link, Mechanism
from tests.dynamics.random_mechanisms import random_inertia, random_pose
from tests.sim.driven import wheel

STEPS = pytest.mark.parametrize("dt", [1e-3, 5e-3])
BOTH = pytest.mark.parametrize("integrator", ["midpoint", "euler"])
SLIDE = """<sdf version="1.11"><model name="m">
  <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
    <sensor name="imu" type="imu"/></link>
  <link name="tool"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
  <joint name="j" type="prismatic"><parent>world</parent><child>a</child>
    <axis><xyz>1 0 0</xyz><dynamics><damping>{damping}</damping></dynamics></axis></joint>
  <joint name="flange" type="fixed"><parent>a</parent><child>tool</child><sensor name="ft" type="force_torque">
    <force_torque><measure_direction>parent_to_child</measure_direction></force_torque></sensor></joint>
  <actuator name="motor" type="ideal"><joint>j</joint><command>{command}</command>
    <stiffness>{k}</stiffness><damping_gain>{d}</damping_gain></actuator></model></sdf>"""


def slide(command, k, d, damping=0.0):
    return gw.loads(SLIDE.format(command=command, k=k, d=d, damping=damping))


# --- uniform motion -------------------------------------------------------------------------------------------------


@STEPS
@BOTH
@pytest.mark.parametrize("k", [1e2, 1e4, 1e6, 1e8])
def test_a_drive_shows_the_load_that_it_pulls(k, integrator, dt):
    """2 kg led along a ramp against 2 N: by Newton's law the drive gives 2 N, and nothing accelerates."""
    sim = gw.compile(slide("position", k, 2.5 * np.sqrt(k)), dt=dt, integrator=integrator)
    rec = sim.run(2.0, command={"motor": lambda t: t}, effort={"j": -2.0})
    # 1e-3: what 2 s leave of the softest drive; differences of forces k·x are rounded to 1e-16·k·x
    assert sim.actuator["motor"].torque == rec.actuator["motor"].torque[-1] == pytest.approx(2.0, abs=1e-3)
    assert [sim.acceleration["j"], *sim.reaction["j"].force[:1]] == pytest.approx([0.0, 0.0], abs=1e-3)
    assert [rec.sensor["imu.ax"][-1], rec.sensor["ft.fx"][-1]] == pytest.approx([0.0, 0.0], abs=1e-3)


@STEPS
@BOTH
@pytest.mark.parametrize("d", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("damping", [0.0, 1e3])
def test_sensors_of_a_body_that_a_drive_accelerates(d, damping, integrator, dt):
    """The command's ramp is 2 m/s², and so is the body's: 2 N on its tool, and 4 N and the damper's force of the drive.

    Both halves of a default step have the same command, so the mean speed of its ramp is half a step old, or a whole.
    """
    sim = gw.compile(slide("velocity", 0.0, d, damping), dt=dt, integrator=integrator)
    rec = sim.run(2.0, command={"motor": lambda t: 2 * t})
    grows = np.diff(rec.velocity["j"])[-1] / dt
    assert [rec.sensor["imu.ax"][-1], rec.sensor["ft.fx"][-1]] == pytest.approx([grows, grows], rel=0.01)
    assert sim.acceleration["j"] == pytest.approx(grows, rel=0.01)
    mean = np.diff(rec.position["j"])[-1] / dt
    assert sim.actuator["motor"].torque == pytest.approx(2 * grows + damping * mean, rel=0.01)


@STEPS
@BOTH
@pytest.mark.parametrize("k", [1e3, 1e5, 1e7])
def test_a_servo_of_a_dc_motor_warms_up_by_the_current_of_its_load(k, integrator, dt):
    """2 N of 2 N/A through 1 Ω: 1 A and 1 W, 0.1 K per second of 10 J/K. The supply gives that and the load's 2 W."""
    motor = gw.DCMotor(
        name="motor", joint="j", resistance=1.0, torque_constant=2.0, thermal_capacitance=10.0, command="position",
        stiffness=k, damping_gain=2.0 * np.sqrt(k),
    )  # fmt: skip
    sim = gw.compile(wheel(motor, 1.0, kind="prismatic"), dt=dt, integrator=integrator)
    given = {"command": {"motor": lambda t: t}, "effort": {"j": -2.0}}
    sim.run(1.0, **given)
    rec = sim.run(1.0, **given)
    shown = rec.actuator["motor"]
    assert shown.current[-1] == pytest.approx(1.0, rel=1e-6)
    assert shown.temperature[-1] - shown.temperature[0] == pytest.approx(0.1, rel=1e-6)
    assert shown.voltage[-1] * shown.current[-1] == pytest.approx(1.0 + 2.0, rel=1e-6)


# --- any motion -----------------------------------------------------------------------------------------------------


def arm(seed, joints=4):
    """A random chain with stiff position drives, dampers and rotors, and an IMU at its end."""
    rng = np.random.default_rng(seed)
    links, chain, actuators, parent = {}, {}, {}, "world"
    for n in range(joints):
        kind = str(rng.choice(["continuous", "prismatic", "continuous"]))
        xyz = rng.normal(size=3)
        dynamics = AxisDynamics(damping=float(rng.choice([0.0, 1.0, 200.0])), armature=rng.uniform(0.0, 0.2))
        axis = Axis(xyz=tuple(xyz / np.linalg.norm(xyz)), dynamics=dynamics)
        links[f"l{n}"] = Link(name=f"l{n}", inertia=random_inertia(rng))
        chain[f"j{n}"] = Joint(
            name=f"j{n}", kind=kind, parent=parent, child=f"l{n}", X_PJ=random_pose(rng), X_CJ=random_pose(rng),
            axes=(axis,),
        )  # fmt: skip
        k = 10 ** rng.uniform(3, 6)
        actuators[f"m{n}"] = gw.Actuator(
            name=f"m{n}", joint=AxisRef(f"j{n}"), command="position", stiffness=k,
            damping_gain=k * rng.choice([0.003, 0.05]), rotor_inertia=rng.uniform(0.0, 0.1),
        )  # fmt: skip
        parent = f"l{n}"
    gravity = tuple(rng.normal(size=3) * 5)
    robot = Mechanism(name="arm", links=links, joints=chain, actuators=actuators, gravity=gravity)
    return robot.with_sensor(gw.Imu(name="imu", link=parent))


@pytest.mark.parametrize("seed", range(6))
def test_readings_are_the_inverse_dynamics_of_the_motion(seed):
    """Torques, accelerations and an IMU, by differences of recorded velocities: 1 % of their mean square."""
    robot, dt, rng = arm(seed), 1e-3, np.random.default_rng(seed)
    sim, still = gw.compile(robot, dt=dt), gw.compile(robot)
    names = list(sim.coordinates)
    a, w, p = rng.uniform(0.1, 0.4, 4), rng.uniform(2, 5, 4), rng.uniform(0, 6, 4)
    sim.reset(position=dict(zip(names, a * np.sin(p), strict=True)))
    path = {f"m{i}": lambda t, i=i: a[i] * np.sin(w[i] * t + p[i]) for i in range(4)}
    rec = sim.run(1.0, command=path, record=("acceleration",))
    q, v = (np.stack([of[n] for n in names], axis=-1) for of in (rec.position, rec.velocity))
    damping = np.array([robot.joints[n].axes[0].dynamics.damping for n in names])
    grows, means = np.diff(v, axis=0) / dt, np.diff(q, axis=0) / dt
    torque, force = [], []
    later = range(200, 1000, 10)  # past the start
    for i in later:
        still.reset(
            position=dict(zip(names, (q[i] + q[i + 1]) / 2, strict=True)),
            velocity=dict(zip(names, means[i], strict=True)),
        )
        torque.append(still.mass_matrix() @ grows[i] + still.bias() + damping * means[i])
        still.step(effort=still.inverse_dynamics(dict(zip(names, grows[i], strict=True))), n=0)
        force.append(still.pose["l3"][:3, :3].T @ (still.link_acceleration["l3"].linear - np.array(robot.gravity)))
    ends = [i + 1 for i in later]
    shown = np.stack([rec.actuator[f"m{i}"].torque[ends] for i in range(4)], axis=-1)
    felt = np.stack([rec.sensor[f"imu.{x}"][ends] for x in ("ax", "ay", "az")], axis=-1)
    accelerations = np.stack([rec.acceleration[n][ends] for n in names], axis=-1)
    for found, expected in ((shown, torque), (accelerations, grows[list(later)]), (felt, force)):
        error, size = (np.sqrt(np.mean(np.square(x), axis=0)) for x in (found - np.array(expected), expected))
        assert (error < 0.01 * np.maximum(size, size.max() / 100)).all()


@pytest.mark.parametrize("seed", range(4))
def test_work_of_the_readings_is_what_the_robot_has_got(seed):
    """`Σ τ·Δa` of all drives, less what dampers took, is the change of energy: to 0.1 % of the work done over 2 s."""
    robot, rng = arm(10 + seed), np.random.default_rng(seed)
    sim = gw.compile(robot)
    a, w = rng.uniform(0.1, 0.4, 4), rng.uniform(1, 4, 4)
    path = {f"m{i}": lambda t, i=i: a[i] * (1.0 - np.cos(w[i] * t)) for i in range(4)}  # sets out from rest
    rec = sim.run(2.0, command=path)
    turned = {n: np.diff(rec.position[n]) for n in sim.coordinates}
    work = np.array([rec.actuator[f"m{i}"].torque[1:] * turned[f"j{i}"] for i in range(4)])
    lost = sum(robot.joints[n].axes[0].dynamics.damping * (turned[n] ** 2).sum() / sim.dt for n in turned)
    energy = rec.kinetic_energy + rec.potential_energy
    assert work.sum() - lost == pytest.approx(energy[-1] - energy[0], abs=1e-3 * np.abs(work).sum())


def test_readings_of_a_step_in_parts_are_the_mean_of_its_parts():
    """A stiff velocity drive turns a crank so fast that steps have parts: its work is the four-bar's energy."""
    robot = gw.load("four_bar")
    smooth = {
        n: replace(j, axes=tuple(replace(a, dynamics=AxisDynamics()) for a in j.axes)) for n, j in robot.joints.items()
    }
    robot = replace(robot, joints=smooth, actuators={}, transmissions={}, sensors={})
    motor = gw.DCMotor(
        name="motor", joint="pin_a", resistance=1.0, torque_constant=0.5, command="velocity", damping_gain=0.5
    )
    sim = gw.compile(robot.with_actuator(motor), gravity=(0, 0, 0))
    rec = sim.run(1.0, command={"motor": lambda t: 60.0 * np.minimum(t / 0.5, 1.0)})
    assert sim.batch_state.get("substepping")[0, 0] > 0
    shown = rec.actuator["motor"]
    assert shown.current[1:] == pytest.approx(shown.torque[1:] / 0.5, rel=1e-12)
    work = shown.torque[1:] * np.diff(np.unwrap(rec.position["pin_a"]))
    # parts of a step turn by other angles than the step's mean; the four-bar's own error is 0.1 %
    assert work.sum() == pytest.approx(rec.kinetic_energy[-1], rel=0.01)


def test_a_batch_shows_the_same():
    sim, one = (gw.compile(slide("position", 1e5, 900.0), batch=n) for n in (3, 1))
    for each in (sim, one):
        each.step(command={"motor": 0.1}, effort={"j": -2.0}, n=20)
    assert sim.actuator["motor"].torque.tolist() == [one.actuator["motor"].torque] * 3
    assert sim.sensor["imu"].tolist() == [one.sensor["imu"].tolist()] * 3
