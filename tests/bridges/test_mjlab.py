"""The actuator in mjlab's own scene and simulation, on the CPU, where mjlab is installed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gearwright as gw
from gearwright.robots import path
from tests.bridges.test_mujoco import BEAM, GEARED, PLAY, TURNTABLE, without_joint_friction

torch = pytest.importorskip("torch")
pytest.importorskip("mjlab.actuator")
mujoco = pytest.importorskip("mujoco")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of torch and Warp
    from mjlab.actuator.actuator import TransmissionType
    from mjlab.entity import EntityArticulationInfoCfg, EntityCfg
    from mjlab.scene import Scene, SceneCfg
    from mjlab.sim import MujocoCfg, Simulation, SimulationCfg

    from gearwright.bridges.mjlab import BridgeError, MjlabActuatorCfg

pytestmark = pytest.mark.filterwarnings("ignore")


class Running:
    """A scene of robots, as mjlab's environments step it."""

    def __init__(self, robot, spec, dt, *, envs=2, attached=True, integrator="implicitfast", **options):
        cfg = MjlabActuatorCfg(target_names_expr=(".*",), robot=robot, **options)
        entity = EntityCfg(spec_fn=spec.copy, articulation=EntityArticulationInfoCfg(actuators=(cfg,)))
        self.scene = Scene(SceneCfg(num_envs=envs, entities={"robot": entity}), device="cpu")
        engine = MujocoCfg(timestep=dt, integrator=integrator)
        self.sim = Simulation(envs, SimulationCfg(mujoco=engine), self.scene.compile(), "cpu")
        self.scene.initialize(self.sim.mj_model, self.sim.model, self.sim.data)
        self.entity, self.dt = self.scene["robot"], dt
        (self.actuator,) = self.entity.actuators
        if attached:
            self.actuator.attach(self.sim)
        self.scene.reset()

    def step(self, *efforts, position=None):
        wanted = torch.tensor([efforts] * self.sim.num_envs, dtype=torch.float)
        if position is None:
            self.entity.set_joint_effort_target(wanted)
        else:
            self.entity.set_joint_position_target(torch.full_like(wanted, position))
        self.scene.write_data_to_sim()
        self.sim.step()
        self.scene.update(self.dt)
        return self.sim.data.qvel.cpu().numpy()[0].copy()


def beam():
    return mujoco.MjSpec.from_string(BEAM.format(dt=1e-3, integrator="implicitfast", more=""))


@pytest.mark.parametrize("dt", [1e-3, 5e-3, 1e-2])
@pytest.mark.parametrize(("attached", "integrator"), [(True, "euler"), (True, "implicitfast"), (False, "implicitfast")])
def test_a_motor_behind_300_to_1_keeps_to_its_no_load_speed(dt, attached, integrator):
    running = Running(gw.loads(GEARED), beam(), dt, attached=attached, integrator=integrator)
    v = [running.step(60.0 * np.sign(np.sin(6 * np.pi * k * dt))) for k in range(round(1 / dt))]
    assert np.abs(v).max() == pytest.approx(2.0, rel=0.01)
    assert np.min(v) < -1.9


def test_a_differential_wrist_moves_as_in_our_own_step():
    """Efforts of both joints depend on both speeds; the joints' damping sees one each. URDF's effort limits of joints
    do not cut what the motors do."""
    text = without_joint_friction(path("wrist").read_text())
    robot = gw.loads(text)
    robot = robot.with_parameters({n: 0.0 for n in robot.parameters if n.endswith("_motor.friction")})
    running = Running(robot, mujoco.MjSpec.from_string(text), 1e-3)
    ours, wrist = gw.compile(robot, dt=1e-3, integrator="euler"), robot.transmissions["differential"].map
    for k in range(50):
        command = [0.02 * np.sin(30 * k * 1e-3), -0.02]
        v = running.step(*wrist.actuator_to_joint_effort(command))
        ours.step(command=dict(zip(("left_motor", "right_motor"), command, strict=True)))
        assert v == pytest.approx([ours.velocity[n] for n in ("pitch", "roll")], rel=1e-3, abs=1e-3)
    assert np.abs(v).max() > 0.1


def test_a_robot_that_is_reset_begins_anew():
    """The other goes on."""
    running = Running(gw.loads(PLAY), mujoco.MjSpec.from_string(TURNTABLE), 1e-3)
    for _ in range(50):
        running.step(2.5)
    turned = running.actuator.actuation.sensor["motor_side"]
    assert turned[0] == turned[1] > 0.1
    running.scene.reset(torch.tensor([1]))
    running.sim.data.qpos[1] = running.sim.data.qvel[1] = 0.0
    running.step(2.5)
    after = running.actuator.actuation.sensor["motor_side"]
    assert after[0] > turned[0]
    assert after[1] == 0.0


def test_friction_of_motors_is_the_joints_own():
    robot = gw.loads(GEARED.replace("<rotor_inertia>", "<friction>1e-3</friction><rotor_inertia>"))
    spec = mujoco.MjSpec.from_string(
        BEAM.format(dt=1e-3, integrator="Euler", more="").replace("<joint", '<joint frictionloss="0.1"')
    )
    assert Running(robot, spec, 1e-3).sim.mj_model.dof_frictionloss[0] == pytest.approx(0.1 + 0.3)
    assert Running(robot, spec, 1e-3, frictionloss=0.0).sim.mj_model.dof_frictionloss[0] == pytest.approx(0.3)


def test_a_position_target_is_reached_by_the_gains_of_the_configuration():
    running = Running(gw.loads(GEARED), beam(), 2e-3, stiffness=400.0, damping=8.0)
    for _ in range(1500):
        running.step(0.0, position=0.3)
    q = float(running.sim.data.qpos[0, 0])
    weight = 0.2 * 9.81 * 0.15 * np.cos(q)  # the motor holds it by the gain's error
    assert 400.0 * (0.3 - q) == pytest.approx(weight, rel=1e-3)


def test_what_does_not_go_together_is_said():
    robot = gw.loads(GEARED)
    with pytest.raises(BridgeError, match="'j', which is not among the joints"):
        Running(robot, mujoco.MjSpec.from_string(TURNTABLE), 1e-3, inertia=1.0)
    with pytest.raises(BridgeError, match="joint 'j' has none"):
        Running(robot, beam(), 1e-3, inertia={"k": 1.0})
    with pytest.raises(BridgeError, match="not tendons"):
        MjlabActuatorCfg(target_names_expr=("t",), robot=robot, transmission_type=TransmissionType.TENDON)
