"""Joint forces and Jacobians of real robots against Pinocchio and MuJoCo.

Both sum the same numbers in another order: 1e-14 of the largest entry, and up to 5e-11 where files write π with twelve
digits and we take it for π.
"""

from dataclasses import replace

import numpy as np
import pytest

from gearwright import robots
from gearwright.dynamics import Equations
from gearwright.formats import load
from gearwright.model import Couplings
from tests.dynamics.random_mechanisms import flat, random_state, relative_error
from tests.dynamics.test_against_pinocchio import Pinocchio, pin

PROMISED = 1e-9
ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}


def without_devices(path):
    return replace(load(path), actuators={}, transmissions={}, sensors={}, couplings=Couplings())


def body_jacobian(equations, q, link):
    """As `Simulation.jacobian` has it."""
    screws, poses = np.array(equations.observer("screws")(q, [])), np.array(equations.observer("link_poses")(q, []))
    branches = {b.link: b for b in equations.mechanism.tree.branches}
    point = poses[equations.links.index(link), 9:]
    J = np.zeros((6, len(screws)))
    while link in branches:
        for name in branches[link].joint.coordinates:
            k = equations.coordinates.index(name)
            J[:, k] = [*(screws[k, :3] + np.cross(screws[k, 3:6], point - screws[k, 6:])), *screws[k, 3:6]]
        link = branches[link].parent
    return J


@pytest.mark.parametrize("name", ROBOTS)
def test_pinocchio(name, robot_data_folder, rng):
    """`rnea` leaves in `data.f` what each joint puts on its body, in the joint's axes."""
    mechanism = without_devices(robot_data_folder / ROBOTS[name])
    equations, theirs = Equations(mechanism, integrator="rk4"), Pinocchio(robot_data_folder / ROBOTS[name], False)
    reaction, needed = equations.observer("reaction"), equations.observer("inverse_dynamics")
    for _ in range(5):
        q, v, by_joint = random_state(mechanism, rng)
        a = rng.normal(size=len(v))
        q_pin, v_pin, P = theirs.at(mechanism, by_joint, v)
        tau = P.T @ pin.rnea(theirs.model, theirs.data, q_pin, v_pin, P @ a)
        axes = equations.model.bodies.axes
        ours = flat(needed(q, v, a, []))
        bare = ours - np.array(axes.damping, float) * v - np.array(axes.armature, float) * a
        assert relative_error(bare, tau) < PROMISED
        F = np.array(reaction(q, v, ours, []))
        pin.computeJointJacobians(theirs.model, theirs.data, q_pin)
        pin.updateFramePlacements(theirs.model, theirs.data)
        for i, joint in enumerate(equations.reacting):
            if mechanism.joint(joint).dof != 1:
                continue
            f = theirs.data.f[theirs.model.getJointId(joint)]
            assert relative_error(F[i], [*f.linear, *f.angular]) < PROMISED, joint
            link = mechanism.joint(joint).child
            frame = theirs.model.getFrameId(link, pin.FrameType.BODY)
            J = pin.getFrameJacobian(theirs.model, theirs.data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            assert relative_error(body_jacobian(equations, q, link), J @ P) < PROMISED, link


def test_mujoco(rng):
    """`cfrc_int` is about the centre of mass of the whole tree, in the world's axes, the moment first."""
    mujoco = pytest.importorskip("mujoco")
    arm = robots.path("reference_arm")
    model = mujoco.MjModel.from_xml_path(str(arm.with_suffix(".xml")))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, mechanism = mujoco.MjData(model), without_devices(arm)
    ours = Equations(mechanism, gravity=tuple(model.opt.gravity), integrator="rk4")
    order = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) for name in ours.coordinates]
    for _ in range(5):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = (rng.normal(size=9) for _ in range(3))
        mujoco.mj_forward(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        q, v, effort = data.qpos[order], data.qvel[order], data.qfrc_applied[order]
        F = np.array(ours.observer("reaction")(q, v, effort, []))
        for name, j in zip(ours.coordinates, order, strict=True):
            body = model.jnt_bodyid[j]
            moment, force = data.cfrc_int[body, :3], data.cfrc_int[body, 3:]
            R, p = data.xmat[body].reshape(3, 3), data.xpos[body]
            moment = moment + np.cross(data.subtree_com[model.body_rootid[body]] - p, force)
            wanted = np.concatenate([R.T @ force, R.T @ moment])
            # sums over links, about another point
            assert relative_error(F[ours.reacting.index(name)], wanted) < 1e-11, name
            Jp, Jr = np.zeros((3, 9)), np.zeros((3, 9))
            mujoco.mj_jacBody(model, data, Jp, Jr, body)
            J = body_jacobian(ours, q, mechanism.joints[name].child)
            assert relative_error(J, np.vstack([Jp, Jr])[:, order]) < 1e-12
