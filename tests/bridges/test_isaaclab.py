"""Our actuators as an actuator group of Isaac Lab, on joints that a small engine of the test moves."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.bridges.errors import BridgeError
from gearwright.robots import path
from tests.bridges.test_mujoco import GEARED, PLAY, without_joint_friction

pytest.importorskip("torch")
pytest.importorskip("tests.bridges.isaac_lab")

import torch
from isaaclab.utils.types import ArticulationActions as Actions

from gearwright.bridges.isaaclab import GearwrightActuator, GearwrightActuatorCfg


class Articulation:
    """B robots of a Gearwright mechanism without its actuation, at constant mass matrix, as PhysX sees joints: efforts
    are held over a step, dampers of drives act at its end."""

    def __init__(self, robot, joints, envs, dt):
        self.names, self.dt = joints, dt
        bare = gw.compile(robot.without(*robot.actuators, *robot.transmissions, *robot.sensors))
        order = [list(bare.coordinates).index(name) for name in joints]
        self.M = np.asarray(bare.mass_matrix())[np.ix_(order, order)]
        self.D = np.diag([robot.joints[name].axes[0].dynamics.damping for name in joints])
        self.q, self.v = np.zeros((envs, len(joints))), np.zeros((envs, len(joints)))
        self.drive = np.zeros((envs, len(joints)))

    def write_joint_damping_to_sim(self, damping, joint_ids=None, env_ids=None):
        assert joint_ids == slice(None)
        self.drive[:] = np.asarray(damping)

    def step(self, effort):
        for b in range(len(self.q)):
            A = self.M + self.dt * (self.D + np.diag(self.drive[b]))
            self.v[b] = np.linalg.solve(A, self.M @ self.v[b] + self.dt * np.asarray(effort[b], float))
        self.q += self.dt * self.v


def group(robot, members, envs=2, dt=1e-3, **options):
    cfg = GearwrightActuatorCfg(joint_names_expr=[".*"], robot=robot, dt=dt, **options)
    assert cfg.class_type is GearwrightActuator
    return GearwrightActuator(cfg, members, slice(None), envs, "cpu")


def driven(robot, joints, command, dt, duration, *, attached=True, envs=2, **options):
    """Speeds of the first robot over time, the group and its articulation."""
    made, there = group(robot, joints, envs, dt, **options), Articulation(robot, joints, envs, dt)
    if attached:
        made.attach(there)
    made.reset(None)
    found = []
    for k in range(round(duration / dt)):
        zeros = torch.zeros(envs, len(joints), dtype=torch.float64)
        targets = {"joint_positions": zeros, "joint_velocities": zeros, "joint_efforts": zeros, **command(k * dt)}
        done = made.compute(Actions(**targets), torch.tensor(there.q), torch.tensor(there.v))
        assert done.joint_positions is None and done.joint_velocities is None
        there.step(done.joint_efforts)
        found.append(there.v[0].copy())
    return np.array(found), made, there


def efforts(*values):
    return {"joint_efforts": torch.tensor([values, values], dtype=torch.float64)}


@pytest.mark.parametrize("dt", [1e-3, 5e-3, 1e-2])
@pytest.mark.parametrize("attached", [True, False])
def test_a_motor_behind_300_to_1_keeps_to_its_no_load_speed(dt, attached):
    robot = gw.loads(GEARED)
    v, _, _ = driven(robot, ["j"], lambda t: efforts(60.0 * np.sign(np.sin(6 * np.pi * t))), dt, 1.0, attached=attached)
    assert np.abs(v).max() == pytest.approx(2.0, rel=0.01)
    assert v.min() < -1.9


def test_a_differential_wrist_moves_as_in_our_own_step():
    """Efforts of both joints depend on both speeds; the drives of the simulator see one each."""
    robot = gw.loads(without_joint_friction(path("wrist").read_text()))
    robot = robot.with_parameters({n: 0.0 for n in robot.parameters if n.endswith("_motor.friction")})
    joints, dt, sims = ["pitch", "roll"], 1e-3, gw.compile(robot, dt=1e-3, integrator="euler", gravity=(0, 0, 0))

    def command(t):
        wrist = robot.transmissions["differential"].map
        return efforts(*wrist.actuator_to_joint_effort([0.02 * np.sin(30 * t), -0.02]))

    v, _, _ = driven(robot, joints, command, dt, 0.05)
    for k, row in enumerate(v):
        sims.step(command={"left_motor": 0.02 * np.sin(30 * k * dt), "right_motor": -0.02})
        ours = [sims.velocity[name] for name in joints]
        assert row == pytest.approx(ours, rel=0.02, abs=2e-3)
    assert np.abs(v).max() > 0.1


def test_a_robot_that_is_reset_begins_anew():
    """The other goes on."""
    robot = gw.loads(PLAY)
    _, made, there = driven(robot, ["turn"], lambda t: efforts(2.5), 1e-3, 0.05)
    turned = made.actuation.sensor["motor_side"]
    assert turned[0] == turned[1] > 0.1
    there.q[1] = there.v[1] = 0.0
    made.reset(torch.tensor([1]))
    made.compute(Actions(**efforts(2.5)), torch.tensor(there.q), torch.tensor(there.v))
    after = made.actuation.sensor["motor_side"]
    assert after[0] > turned[0]
    assert after[1] == 0.0


SERVO = """<robot name="arm"><link name="base"/><link name="beam"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="continuous"><parent link="base"/><child link="beam"/><axis xyz="0 0 1"/></joint>
<actuator name="motor" type="electric_motor"><command>{command}</command>
<stiffness>0.02</stiffness><damping_gain>2e-4</damping_gain><friction>1e-3</friction></actuator>
<transmission name="gear" type="simple"><actuator>motor</actuator>
<joint>elbow<offset>0.25</offset></joint><mechanical_reduction>50</mechanical_reduction></transmission></robot>"""


@pytest.mark.parametrize("command", ["position", "effort"])
def test_a_position_target_is_reached(command):
    """By the drive of the robot's file, which counts turns of the motor, or by the gains of the configuration."""
    robot = gw.loads(SERVO.format(command=command))
    gains = {} if command == "position" else {"stiffness": 50.0, "damping": 0.5}
    target = {"joint_positions": torch.full((2, 1), 0.7)}
    _, made, there = driven(robot, ["elbow"], lambda t: target, 2e-3, 3.0, **gains)
    assert there.q == pytest.approx(0.7, abs=1e-3)
    assert made.friction.numpy() == pytest.approx(0.05)  # for the simulator's own friction
    assert made.applied_effort.shape == (2, 1)


def test_other_joints_of_the_group_get_no_effort():
    robot = gw.loads(SERVO.format(command="effort"))
    made = group(robot, ["wheel", "arm/elbow"], joints={"elbow": "arm/elbow"}, inertia=0.1)
    q = torch.zeros(2, 2)
    done = made.compute(Actions(joint_efforts=torch.ones(2, 2)), q, q)
    assert done.joint_efforts.dtype == torch.float32
    assert done.joint_efforts[:, 0].abs().max() == 0.0
    assert done.joint_efforts[:, 1].numpy() == pytest.approx(1.0)


def test_what_does_not_go_together_is_said():
    robot = gw.loads(GEARED)
    with pytest.raises(BridgeError, match="'j', which is not among the joints"):
        group(robot, ["k"], inertia=1.0)
    with pytest.raises(BridgeError, match="joint 'j' has none"):
        group(robot, ["j"], inertia={"k": 1.0})
    with pytest.raises(BridgeError, match="torque_limit"):
        group(robot, ["j"], effort_limit=1.0)
    with pytest.raises(gw.LoadError):
        group("nowhere.urdf", ["j"])
