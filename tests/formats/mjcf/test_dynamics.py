"""MJCF files mean the same here as in MuJoCo: poses, mass matrix, bias, efforts, motion."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import gearwright as gw
from tests.formats.mjcf import files
from tests.formats.mjcf.against_mujoco import (
    actuator_errors,
    both,
    dynamics_errors,
    pose_error,
    random_state,
    without_constraints,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::gearwright.errors.BeyondLimitsWarning"),
    pytest.mark.filterwarnings("ignore::gearwright.errors.NotSimulatedWarning"),
]
EXACT = 1e-12  # rounding of poses and matrices of a few bodies
FILES = {
    "arm": files.ARM,
    "many joints": files.MANY_JOINTS,
    "actuators": files.ACTUATORS,
    "inertias": files.inertias(),
    "bounds": files.inertias('boundmass="3" boundinertia="0.2" settotalmass="70"'),
    "from geoms": files.inertias('inertiafromgeom="true" fitaabb="true"'),
    "loop": files.LOOP,
    "wraps": files.WRAPS,
}


@pytest.mark.parametrize("name", FILES)
def test_poses(name: str) -> None:
    pair, rng = both(FILES[name]), np.random.default_rng(0)
    assert max(pose_error(pair, random_state(pair, rng)) for _ in range(5)) < EXACT


@pytest.mark.parametrize("name", FILES)
def test_mass_matrix_and_bias(name: str) -> None:
    pair, rng = both(FILES[name]), np.random.default_rng(1)
    sim = gw.compile(without_constraints(pair.robot), contacts=[])
    for _ in range(3):
        mass, bias = dynamics_errors(pair, sim, random_state(pair, rng))
        assert mass < 1e-9 and bias < 1e-9  # meshes are single precision inside MuJoCo


@pytest.mark.parametrize("text", [files.ACTUATORS, files.WRAPS], ids=["actuators", "wraps"])
def test_efforts_of_actuators(text: str) -> None:
    pair, rng = both(text), np.random.default_rng(2)
    for _ in range(30):
        errors = actuator_errors(pair, random_state(pair, rng))
        assert len(errors) == pair.m.nu
        assert max(errors.values()) < 1e-9, errors


@pytest.mark.parametrize(("name", "joints"), [("arm", "shoulder elbow left"), ("loop", "crank rocker")])
def test_a_second_of_motion(name: str, joints: str) -> None:
    """MuJoCo's step is of first order and its constraints are soft, so that it takes small steps here."""
    pair = both(FILES[name])
    m, d = pair.m, mujoco.MjData(pair.m)
    m.opt.timestep, m.opt.integrator = 1e-5, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    sim = gw.compile(pair.robot, dt=1e-3, contacts=[])
    d.ctrl[:] = 0.02
    sim.reset()
    for _ in range(5):
        mujoco.mj_step(m, d, 20_000)
        sim.step(command=dict.fromkeys(pair.robot.actuators, 0.02), n=200)
        for joint in joints.split():
            there = float(d.qpos[m.joint(joint).qposadr[0]])
            assert sim.position[joint] == pytest.approx(there, abs=3e-3)


def test_a_joint_limits_what_its_actuators_do() -> None:
    """Each on its own; MuJoCo limits their sum."""
    text = files.ACTUATORS.replace('actuatorfrcrange="-4 4"', 'actuatorfrcrange="-3 5"')
    made = both(text).robot.actuators["inherited"]
    assert made.effort_at(100.0, 0.0) == 5.0
    assert made.effort_at(-100.0, 0.0) == -3.0


def test_springs_by_time_constant() -> None:
    text = files.ARM.replace('stiffness="2"', 'springdamper="0.5 0.8"')
    pair = both(text)
    dynamics = pair.robot.joints["shoulder"].axes[0].dynamics
    assert dynamics.spring_stiffness == pytest.approx(float(pair.m.jnt_stiffness[0]), rel=1e-9)
    assert dynamics.damping == pytest.approx(float(pair.m.dof_damping[0]), rel=1e-9)


def test_a_force_sensor_reads_what_the_parent_exerts() -> None:
    text = """<mujoco><option gravity="0 0 -10"/><worldbody><body name="a"><geom size="0.1" mass="1"/>
      <body name="b" euler="0 90 0" pos="0 0 0.3"><geom size="0.1" mass="2" pos="0.1 0 0"/>
      <site name="s" pos="0 0 0.1"/></body></body></worldbody>
      <sensor><force name="f" site="s"/><torque name="t" site="s"/></sensor></mujoco>"""
    pair = both(text)
    d = mujoco.MjData(pair.m)
    mujoco.mj_forward(pair.m, d)
    sim = gw.compile(pair.robot, contacts=[])
    sim.step()
    reading = np.concatenate([np.ravel(sim.sensor["f"])[:3], np.ravel(sim.sensor["t"])[3:]])
    assert reading == pytest.approx(d.sensordata, abs=1e-9)


BALLS = """<mujoco><option timestep="1e-5" integrator="implicit"/><worldbody>
  <body name="a" pos="0 0 1"><joint name="s" type="ball" damping="0.05"/>
    <geom type="box" size="0.05 0.1 0.2" pos="0.1 0 -0.2" mass="1"/>
    <body name="b" pos="0.1 0 -0.4"><joint name="t" type="ball" damping="0.02" pos="0 0 0.05"/>
      <geom type="box" size="0.1 0.03 0.15" pos="0.05 0.1 -0.2" mass="0.5"/></body></body>
</worldbody></mujoco>"""


def test_damped_ball_joints_move_as_in_mujoco(tmp_path: Path) -> None:
    """Read, and as written by us. Found: 2e-5 at 2 ms, where MuJoCo's own error is 5e-6; without damping 0.5."""
    robot, start = gw.loads(BALLS), {"s.rx": 1, "s.ry": 2, "s.rz": 3, "t.rx": -2, "t.ry": 1, "t.rz": 4}
    assert not [d for d in robot.diagnostics if d.code == "not-simulated"]
    gw.save(robot, tmp_path / "written.xml")
    for text in (BALLS, (tmp_path / "written.xml").read_text()):
        m = mujoco.MjModel.from_xml_string(text)
        m.opt.timestep, d = 1e-5, mujoco.MjData(m)
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        d.qvel[:] = [*start.values()]
        mujoco.mj_step(m, d, 50_000)
        sim = gw.compile(robot, dt=2e-3, contacts=[])
        sim.reset(velocity=start)
        sim.step(n=250)
        assert np.abs(np.array(sim.q) - d.qpos).max() < 1e-4


PENDULUM = """<mujoco><option timestep="1e-5" integrator="implicitfast"/><worldbody>
  <body pos="0 0 1"><joint name="s" axis="0 1 0" damping="0.02"/>
    <geom type="box" size="0.05 0.1 0.2" pos="0 0 -0.2" mass="1"/>
    <body pos="0 0 -0.4"><joint name="t" axis="0 1 0" damping="0.01"/>
      <geom type="box" size="0.1 0.03 0.15" pos="0 0 -0.2" mass="0.5"/></body></body></worldbody>
  <tendon><fixed name="L" range="-0.3 0.5" solreflimit="0.0004 20"><joint joint="s" coef="1"/>
    <joint joint="t" coef="-0.8"/></fixed></tendon></mujoco>"""


def test_a_limit_of_a_fixed_tendon_is_a_hard_stop_as_in_mujoco(tmp_path: Path) -> None:
    """It is hit from t = 0.12 s on. Found: 6e-6, which follows MuJoCo's own step; without the limit 0.5."""
    robot = gw.loads(PENDULUM)
    assert not [d for d in robot.diagnostics if d.code == "not-simulated"]
    assert robot.actuators["L_spring"].travel == (-0.3, 0.5)
    m = mujoco.MjModel.from_xml_string(PENDULUM)
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    d, sim = mujoco.MjData(m), gw.compile(robot, dt=1e-4, contacts=[])
    d.qvel[:] = 3, -2
    sim.reset(velocity={"s": 3.0, "t": -2.0})
    for _ in range(6):
        mujoco.mj_step(m, d, 10_000)
        sim.step(n=1000)
        assert np.abs(np.array(sim.q) - d.qpos).max() < 3e-5
    assert gw.save(robot, tmp_path / "m.xml").lost == ()
    written = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    assert written.tendon_range[0] == pytest.approx([-0.3, 0.5], abs=1e-15)


SLIDES = """<mujoco><option gravity="1 0 0"/><worldbody><body name="a"><joint name="s" type="slide" axis="1 0 0"
  stiffness="20" damping="0.3"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/>%s</worldbody>%s</mujoco>"""
SECOND = """<body name="b"><joint name="t" type="slide" axis="1 0 0"%s/>
  <geom size="0.1" mass="0.5" contype="0" conaffinity="0"/></body>"""


def test_the_limit_of_a_sum_is_that_of_the_body_it_places() -> None:
    """A slide on a slide whose sum is limited is a slide on the ground with that limit. Found: 3e-7, first order."""
    sum_ = '<tendon><fixed range="-1 0.2"><joint joint="s" coef="1"/><joint joint="t" coef="1"/></fixed></tendon>'
    chain = gw.compile(gw.loads(SLIDES % (SECOND % "" + "</body>", sum_)))
    apart = gw.compile(gw.loads(SLIDES % ("</body>" + SECOND % ' range="-1 0.2"', "")))
    chain.reset(velocity={"s": 1.0, "t": -0.5})
    apart.reset(velocity={"s": 1.0, "t": 0.5})
    for _ in range(100):
        chain.step(n=20)
        apart.step(n=20)
        assert chain.position["s"] == pytest.approx(apart.position["s"], abs=2e-6)
        assert chain.position["s"] + chain.position["t"] == pytest.approx(apart.position["t"], abs=2e-6)
    assert apart.position["t"] == pytest.approx(0.2, abs=1e-12)  # it ends at the stop
