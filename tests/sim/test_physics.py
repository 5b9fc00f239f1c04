"""What must hold of the motion, through the public interface."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import Couplings
from gearwright.sim import compile
from tests.dynamics.random_mechanisms import random_state, relative_error
from tests.dynamics.test_against_pinocchio import FLOATING, PROMISED, Pinocchio, pin
from tests.sim.robots import ARM, FREE
from tests.tolerances import ROUNDING

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    **FLOATING,
}


def test_rk4_keeps_the_energy_of_a_double_pendulum(double_pendulum):
    sim = compile(double_pendulum, dt=1e-3, integrator="rk4")
    sim.reset(position={"shoulder": 1.5, "elbow": -0.7})
    start = sim.energy
    rec = sim.run(10.0)
    swing = np.ptp(rec.kinetic_energy)
    assert swing > 5.0
    assert np.abs(rec.energy - start).max() < 1e-9 * swing


def test_euler_does_not(double_pendulum):
    """The bound above means something: a method of first order is a million times off it."""
    sim = compile(double_pendulum, dt=1e-3, integrator="euler")
    sim.reset(position={"shoulder": 1.5, "elbow": -0.7})
    start = sim.energy
    assert np.abs(sim.run(10.0).energy - start).max() > 1e-4


def test_free_floating_momentum():
    sim = compile(gw.loads(FREE), dt=1e-3, integrator="rk4", gravity=(0, 0, 0))
    sim.reset(
        position={"base": [0.1, 0.2, 0.3, 0.9, 0.1, -0.3, 0.2]},
        velocity={
            "base": [0.5, -0.2, 0.1, 1.0, -2.0, 0.7],
            "gimbal": [2.0, -3.0],
            "socket": [1.0, 2.0, 3.0],
            "spin": 9,
        },
    )
    linear, angular = sim.momentum
    shape = sim.mass_matrix()
    sim.step(n=1000)
    assert np.abs(sim.mass_matrix() - shape).max() > 0.01  # it has changed its shape
    assert relative_error(sim.momentum.linear, linear) < 1e-9  # rk4's own, dt⁴
    assert relative_error(sim.momentum.angular, angular) < 1e-9  # the same


def test_gravity_drives_momentum():
    sim = compile(gw.loads(FREE), dt=1e-3, integrator="rk4", gravity=(0, 0, -2.0))
    sim.step(n=500)
    assert sim.momentum.linear[2] == pytest.approx(-2.0 * 5.2 * 0.5)


def test_trajectory_against_mujoco_to_first_order():
    """Halving dt halves the difference from MuJoCo's trajectory, which is taken with small steps of fourth order."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(ARM.with_suffix(".xml")))
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 2e-4
    data = mujoco.MjData(model)
    data.eq_active[:] = 0
    free = replace(gw.load(ARM), couplings=Couplings())
    start = np.linspace(-0.6, 0.7, 7)
    names = free.tree.coordinates
    order = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) for name in names]
    position = dict(zip(names, start, strict=False))
    data.qpos[order[:7]] = start
    for _ in range(1500):
        mujoco.mj_step(model, data)

    def difference(dt, integrator):
        sim = compile(free, dt=dt, integrator=integrator, gravity=model.opt.gravity)
        sim.reset(position=position)
        sim.step(n=round(0.3 / dt))
        return np.abs([sim.position[n] - data.qpos[i] for n, i in zip(names, order, strict=True)]).max()

    coarse, middle, fine = (difference(dt, "euler") for dt in (2e-3, 1e-3, 5e-4))
    assert coarse < 0.05
    assert coarse / middle == pytest.approx(2.0, rel=0.1)
    assert middle / fine == pytest.approx(2.0, rel=0.1)
    assert difference(5e-4, "rk4") < 1e-7


SOME = ("panda", "allegro", "talos", "pr2", "hyq")


@pytest.mark.filterwarnings("ignore::gearwright.BeyondLimitsWarning", "ignore::gearwright.NotSimulatedWarning")
@pytest.mark.skipif(pin is None, reason="pinocchio is not installed")
@pytest.mark.parametrize("robot", SOME)
def test_mass_matrix_and_bias_equal_pinocchio(robot, robot_data_folder, rng):
    path = robot_data_folder / ROBOTS[robot]
    mechanism = gw.load(path, base="floating" if robot in FLOATING else None)
    mechanism = replace(mechanism, couplings=Couplings())  # Pinocchio's model has every joint free
    sim, theirs = compile(mechanism), Pinocchio(path, robot in FLOATING)
    armature = np.diag([a.dynamics.armature for j in mechanism.tree.joints for a in _axes(j)])
    for _ in range(20):
        _, v, by_joint = random_state(mechanism, rng)
        sim.reset(
            position={n: x[0] if len(x) == 1 else x for n, x in by_joint.items() if x},
            velocity=dict(zip(sim.coordinates, v, strict=True)),
        )
        M, h = theirs.mass_matrix_and_bias(*theirs.at(mechanism, by_joint, v))
        assert relative_error(sim.mass_matrix() - armature, M) < PROMISED
        assert relative_error(sim.bias(), h) < PROMISED


def _axes(joint):
    from gearwright.model import Axis

    return (*(Axis() for _ in range(joint.dof - len(joint.axes))), *joint.axes)


def test_follower_moves_with_its_leader(gripper):
    sim = compile(gripper)
    coupling = next(iter(gripper.couplings.values()))
    sim.run(0.1, effort={str(coupling.leader): 3.0})  # more than the friction of both fingers
    leader, follower = sim.position[str(coupling.leader)], sim.position[str(coupling.follower)]
    assert leader != 0.0
    assert follower == pytest.approx(coupling.position([leader]), abs=1e-15)
    assert sim.coupling_error[coupling.name] == 0.0


def test_coupling_effort_accelerates_the_follower(gripper):
    """What the coupling puts on the follower is what the follower's own equation lacks."""
    sim = compile(gripper)
    sim.step(effort={"right_finger": 3.0}, n=20)
    before = dict(sim.position)
    sim.step()
    v = np.array(
        [(sim.position[n] - before[n]) / sim.dt for n in sim.coordinates]
    )  # with a motor: of the step's middle
    vd = np.array([sim.acceleration[n] for n in sim.coordinates])
    axes = [gripper.joints[n].axes[0].dynamics for n in sim.coordinates]
    damping, friction = np.array([a.damping for a in axes]), np.array([a.friction for a in axes])
    effort = np.array([sim.effort[n] for n in sim.coordinates])
    missing = sim.mass_matrix() @ vd + sim.bias() + damping * v + friction * np.sign(v) - effort
    follower = sim.coordinates.index("left_finger")
    assert missing[follower] != pytest.approx(0.0, abs=1e-9)  # far more than rounding
    # the damper is taken between the middle and the end of the step: found 3e-7
    assert sim.coupling_effort["left_finger"] == pytest.approx(missing[follower], rel=1e-6)


def test_axes_of_a_free_base():
    """Turned a quarter about z: forces along x are the world's, torques about rx the body's own."""
    body = """<sdf version="1.11"><model name="m"><link name="a"><inertial><mass>2</mass>
        <inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial></link></model></sdf>"""
    sim = compile(gw.loads(body), gravity=(0, 0, 0))
    turned = {"base": [0, 0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5)]}
    sim.reset(position=turned)
    sim.step(effort={"base.x": 2.0}, n=100)
    assert sim.velocity["base.x"] == pytest.approx(0.1, rel=ROUNDING)
    assert sim.link_velocity["a"].linear == pytest.approx([0.1, 0.0, 0.0], abs=ROUNDING)
    sim.reset(position=turned)
    sim.step(effort={"base.rx": 1.0}, n=100)
    assert sim.velocity["base.rx"] == pytest.approx(0.1, rel=ROUNDING)
    assert sim.link_velocity["a"].angular == pytest.approx([0.0, 0.1, 0.0], abs=ROUNDING)
