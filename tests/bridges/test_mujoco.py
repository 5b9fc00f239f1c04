"""Our actuators inside MuJoCo, against closed forms and our own first-order step."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gearwright as gw
from gearwright.bridges.errors import BridgeError
from gearwright.bridges.mujoco import attach
from gearwright.robots import path

mujoco = pytest.importorskip("mujoco")

GEARED = """<sdf version="1.11"><model name="arm"><link name="base"/>
<joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>
<link name="beam"><inertial><mass>.2</mass><inertia><ixx>1e-3</ixx><iyy>1e-3</iyy>
<izz>1e-3</izz></inertia></inertial></link>
<joint name="j" type="revolute"><parent>base</parent><child>beam</child><axis><xyz>0 -1 0</xyz></axis></joint>
<actuator name="m" type="electric_motor"><stall_torque>0.2</stall_torque><no_load_speed>600</no_load_speed>
<rotor_inertia>1e-7</rotor_inertia></actuator>
<transmission name="t" type="simple"><actuator>m</actuator><joint>j</joint>
<mechanical_reduction>300</mechanical_reduction></transmission></model></sdf>"""
BEAM = """<mujoco><option timestep="{dt}" integrator="{integrator}"/><worldbody><body><joint name="j" axis="0 -1 0"/>
<geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="0.2"/></body></worldbody>{more}</mujoco>"""


def beam(dt=1e-3, integrator="implicitfast", more=""):
    return mujoco.MjModel.from_xml_string(BEAM.format(dt=dt, integrator=integrator, more=more))


@pytest.mark.parametrize("dt", [1e-3, 5e-3, 1e-2])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_a_motor_behind_300_to_1_keeps_to_its_no_load_speed(dt, integrator):
    """Explicit torque diverges here, and a line that is not checked reaches ten times the speed."""
    model = beam(dt, integrator)
    bridge, data = attach(model, gw.loads(GEARED)), mujoco.MjData(model)
    fastest = 0.0
    for k in range(round(1 / dt)):
        bridge.step(data, {"m": 0.2 * np.sign(np.sin(6 * np.pi * k * dt))})
        fastest = max(fastest, abs(data.qvel[0]))
    assert fastest == pytest.approx(2.0, rel=0.01)
    assert bridge.repeated <= 0.1 / dt
    assert bridge.unsettled == 0


def without_joint_friction(text):
    return re.sub(r"<dynamics[^>]*/>", '<dynamics damping="0.05"/>', text)


def compared(robot, spec, command, dt, start=None, steps=200):
    """Largest difference of joint velocities, and the largest velocity."""
    spec = spec.copy()
    spec.option.timestep, spec.option.integrator = dt, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    bridge = attach(spec, robot)
    data, sim = mujoco.MjData(bridge.model), gw.compile(robot, dt=dt, integrator="euler")
    for name, q in (start or {}).items():
        data.joint(name).qpos[0] = q
    sim.reset(position=start)
    bridge.reset(data)
    found, size = 0.0, 0.0
    for k in range(steps):
        sim.step(command=command(k * dt))
        bridge.step(data, command(k * dt))
        for name in bridge.actuation.names:
            found = max(found, abs(sim.velocity[name] - data.joint(name).qvel[0]))
            size = max(size, abs(sim.velocity[name]))
    assert size > 0.5
    for name in bridge.sensor:
        assert bridge.sensor[name] == pytest.approx(sim.sensor[name], abs=100 * found * steps * dt + 1e-9)
    return found, size


def test_a_differential_wrist_moves_as_in_our_own_step():
    """Motors with rotors and friction through a differential, where MuJoCo's friction is made crisp."""
    text = without_joint_friction(path("wrist").read_text())
    found, size = compared(
        gw.loads(text), mujoco.MjSpec.from_string(text),
        lambda t: {"left_motor": 0.02 * np.sin(30 * t), "right_motor": -0.02}, 1e-3,
    )  # fmt: skip
    assert found < 1e-8 * size


PLAY = """<sdf version="1.11"><model name="table"><link name="base"/>
<joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint><link name="top"><inertial>
<mass>4</mass><inertia><ixx>0.03</ixx><iyy>0.03</iyy><izz>0.06</izz></inertia></inertial></link>
<joint name="turn" type="continuous"><parent>base</parent><child>top</child><axis><xyz>0 0 1</xyz>
<dynamics><damping>0.02</damping></dynamics></axis></joint>
<actuator name="motor" type="electric_motor"><stall_torque>0.6</stall_torque><no_load_speed>400</no_load_speed>
<rotor_inertia>2e-5</rotor_inertia><friction>5e-4</friction></actuator>
<transmission name="gear" type="simple"><actuator>motor</actuator><joint>turn</joint>
<mechanical_reduction>50</mechanical_reduction>
<backlash><gap>0.436</gap><stiffness>8</stiffness><damping>0.004</damping></backlash></transmission>
<encoder name="motor_side" type="position"><actuator>motor</actuator></encoder></model></sdf>"""
TURNTABLE = """<mujoco><worldbody><body><joint name="turn" axis="0 0 1" damping="0.02"/>
<inertial pos="0 0 0" mass="4" diaginertia="0.03 0.03 0.06"/></body></worldbody></mujoco>"""


def test_play_agrees_with_our_own_step():
    """A rotor of its own crosses the gap at every reversal."""
    found, size = compared(
        gw.loads(PLAY), mujoco.MjSpec.from_string(TURNTABLE), lambda t: {"motor": 0.3 * np.sign(np.sin(40 * t))}, 1e-3
    )
    assert found < 1e-4 * size


LINKAGE = """<sdf version="1.11"><model name="four_bar"><link name="ground"/>
<joint name="mount" type="fixed"><parent>world</parent><child>ground</child></joint><link name="rocker"><inertial>
<pose>0.04 0 0 0 0 0</pose><mass>0.3</mass><inertia><ixx>1e-4</ixx><iyy>2e-4</iyy><izz>2e-4</izz></inertia>
</inertial></link>
<joint name="pin" type="continuous"><parent>ground</parent><child>rocker</child><axis><xyz>0 -1 0</xyz></axis></joint>
<actuator name="motor" type="electric_motor"><rotor_inertia>2e-4</rotor_inertia></actuator>
<transmission name="linkage" type="four_bar_linkage"><actuator>motor</actuator><joint>pin</joint><ground>0.12</ground>
<input>0.04</input><coupler>0.1</coupler><output>0.08</output></transmission></model></sdf>"""
ROCKER = """<mujoco><worldbody><body><joint name="pin" axis="0 -1 0"/><inertial pos="0.04 0 0" mass="0.3"
diaginertia="1e-4 2e-4 2e-4"/></body></worldbody></mujoco>"""


def test_a_four_bar_agrees_to_first_order():
    """Ours takes the crank as the coordinate, the bridge the rocker: both are first order, and half the step halves
    what they differ by."""
    robot, spec = gw.loads(LINKAGE), mujoco.MjSpec.from_string(ROCKER)

    def difference(dt):
        return compared(robot, spec, lambda t: {"motor": 0.05}, dt, start={"pin": 1.8}, steps=round(0.08 / dt))[0]

    coarse, fine = difference(1e-3), difference(5e-4)
    assert coarse / fine == pytest.approx(2.0, rel=0.25)


def test_what_does_not_go_together_is_said():
    robot = gw.loads(GEARED)
    wrist = gw.load("wrist")
    own = '<actuator><motor name="own" joint="j"/></actuator>'
    with pytest.raises(BridgeError, match=r"actuator 'own' on 'j'.*replace=True"):
        attach(beam(more=own), robot)
    attach(beam(more=own), robot, replace=True)
    with pytest.raises(BridgeError, match="RK4"):
        attach(beam(integrator="RK4"), robot)
    with pytest.raises(BridgeError, match="no joint 'k'"):
        attach(beam(), robot, joints={"j": "k"})
    with pytest.raises(BridgeError, match="no actuator moves 'x'"):
        attach(beam(), robot, joints={"x": "j"})
    text = path("wrist").read_text()
    with pytest.raises(BridgeError, match="MjSpec"):
        attach(mujoco.MjSpec.from_string(text).compile(), wrist)
    explicit = mujoco.MjSpec.from_string(text)
    explicit.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    with pytest.raises(BridgeError, match="implicitfast"):
        attach(explicit, wrist)
    with pytest.raises(BridgeError, match="MjModel"):
        attach("arm.xml", robot)


def test_a_switched_off_actuator_does_nothing():
    model = beam(more='<actuator><position name="own" joint="j" kp="1e3"/></actuator>')
    bridge, data = attach(model, gw.loads(GEARED), replace=True), mujoco.MjData(model)
    data.ctrl[0] = 1.0
    bridge.step(data, {"m": 0.0}, n=10)
    assert data.actuator_force[0] == 0.0


def test_efforts_that_a_user_applies_stay():
    model = beam()
    bridge, data = attach(model, gw.loads(GEARED)), mujoco.MjData(model)
    data.qfrc_applied[0] = 0.25
    bridge.step(data, {"m": 0.1}, n=3)
    assert data.qfrc_applied[0] == 0.25


# --- rollouts --------------------------------------------------------------------------------------------------------


def starts(model, count):
    """Random states, (B, nstate)."""
    rng, data = np.random.default_rng(0), mujoco.MjData(model)
    found = np.empty((count, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    for row in found:
        data.qpos[:], data.qvel[:] = rng.uniform(-0.3, 0.3, model.nq), rng.normal(size=model.nv)
        mujoco.mj_getState(model, data, row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return found


@pytest.mark.parametrize("nthread", [0, 2])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("robot", "spec"), [(PLAY, TURNTABLE), (path("wrist").read_text(),) * 2])
def test_rollouts_are_steps_from_many_states(robot, spec, count, nthread):
    robot, spec, n = gw.loads(robot), mujoco.MjSpec.from_string(spec), 60
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    bridge = attach(spec, robot)
    states = starts(bridge.model, count)
    first, *others = robot.actuators
    command = {
        first: 0.3 * np.sign(np.sin(np.outer(1 + np.arange(count), np.arange(n)) / 10)),
        **dict.fromkeys(others, 0.01),
    }
    rolled = bridge.rollout(states, command, nstep=n, nthread=nthread)
    assert rolled.state.shape == (count, n, states.shape[1])
    assert not rolled.unsettled.any()
    for lane, start in enumerate(states):
        data = mujoco.MjData(bridge.model)
        mujoco.mj_setState(bridge.model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        bridge.reset(data)
        for k in range(n):
            bridge.step(data, {name: np.broadcast_to(c, (count, n))[lane, k] for name, c in command.items()})
            assert rolled.state[lane, k, 1 : 1 + data.qpos.size] == pytest.approx(data.qpos, abs=1e-9)
        for name in bridge.sensor:
            assert rolled.reading[name][lane, -1] == pytest.approx(bridge.sensor[name], abs=1e-7)


def test_rollouts_of_wrong_shapes_are_refused():
    bridge = attach(beam(), gw.loads(GEARED))
    with pytest.raises(BridgeError, match="mjSTATE_FULLPHYSICS"):
        bridge.rollout(np.zeros((2, 2)))
    with pytest.raises(BridgeError, match="command of 'm'"):
        bridge.rollout(starts(bridge.model, 2), {"m": np.zeros(3)}, nstep=2)
    with pytest.raises(BridgeError, match="nstep"):
        bridge.rollout(starts(bridge.model, 2), nstep=0)
    with pytest.raises(gw.GearwrightError, match="motr"):
        bridge.rollout(starts(bridge.model, 2), {"motr": 0.0})
