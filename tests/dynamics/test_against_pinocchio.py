"""Mass matrix and bias of real robots against Pinocchio, in tree coordinates (mimic joints independent)."""

from dataclasses import replace

import numpy as np
import pytest

from gearwright.dynamics import Equations
from gearwright.formats import load
from tests.dynamics.random_mechanisms import flat, random_state, relative_error

pin = pytest.importorskip("pinocchio")

FLOATING = {
    "talos": "talos_data/robots/talos_reduced.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "human": "human_description/robots/human.urdf",
    "g1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
}

# The promise. Found are 1e-15, and up to 5e-11 where files write π with twelve digits and we take it for π.
PROMISED = 1e-9


class Pinocchio:
    """The same robot there, and the maps of coordinates."""

    def __init__(self, path, floating):
        self.model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))
        self.data, self.floating = self.model.createData(), floating

    def at(self, mechanism, by_joint, v):
        """Its q and v, and P of `v_theirs = P·v_ours`; a free base's linear velocity is in the body's axes there."""
        self.model.gravity.linear = np.array(mechanism.gravity)
        q, P, start = pin.neutral(self.model), np.zeros((self.model.nv, len(v))), 0
        for j in mechanism.tree.joints:
            here = slice(start, start + j.dof)
            start += j.dof
            if j.kind == "floating":
                x = by_joint[j.name]
                q[:7] = [*x[:3], *x[4:], x[3]]
                P[:3, here.start : here.start + 3], P[3:6, here.start + 3 : here.stop] = j.motion(x).R.T, np.eye(3)
            elif j.dof:
                theirs = self.model.joints[self.model.getJointId(j.name)]
                x = by_joint[j.name][0]
                q[theirs.idx_q : theirs.idx_q + theirs.nq] = [np.cos(x), np.sin(x)] if theirs.nq == 2 else [x]
                P[theirs.idx_v, here.start] = 1.0
        return q, P @ v, P

    def mass_matrix_and_bias(self, q, v, P):
        M = pin.crba(self.model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T - np.diag(self.model.armature)
        h = pin.nle(self.model, self.data, q, v)
        if self.floating:  # with our velocities constant, theirs turn: Ṗ·v = −ω × v
            h = h + M[:, :3] @ -np.cross(v[3:6], v[:3])
        return P.T @ M @ P, P.T @ h


def compare(path, floating, rng, states=20):
    mechanism = load(path, base="floating" if floating else None)
    rotors = {"actuators": {}, "transmissions": {}, "sensors": {}}  # Pinocchio reads none from files
    mechanism = replace(mechanism, **rotors)
    equations, theirs = Equations(mechanism), Pinocchio(path, floating)
    armature = np.diag(equations.model.bodies.axes.armature)
    for _ in range(states):
        q, v, by_joint = random_state(mechanism, rng)
        M, h = theirs.mass_matrix_and_bias(*theirs.at(mechanism, by_joint, v))
        assert relative_error(np.array(equations.observer("mass_matrix")(q, [])) - armature, M) < PROMISED
        assert relative_error(flat(equations.observer("bias")(q, v, [])), h) < PROMISED
        scale = np.sqrt(np.outer(np.diag(M), np.diag(M)))  # a finger beside a torso: each entry by its own size
        massive = scale > 1e-9 * scale.max()  # none in files without any inertia
        error = np.abs(np.array(equations.observer("mass_matrix")(q, [])) - armature - M)
        assert (error[massive] / scale[massive]).max(initial=0.0) < PROMISED


@pytest.mark.parametrize("robot", FLOATING)
def test_mass_matrix_and_bias_of_a_free_robot(robot, robot_data_folder, rng):
    compare(robot_data_folder / FLOATING[robot], True, rng)


@pytest.mark.sampled(8)
def test_mass_matrix_and_bias(urdf_file, rng):
    """Every robot that both load, from example-robot-data and from the corpus."""
    try:
        pin.buildModelFromUrdf(str(urdf_file.path))
    except (ValueError, RuntimeError):
        pytest.skip("Pinocchio refuses the file")
    mechanism = load(urdf_file.path)
    if mechanism.tree.cuts or any(j.dof > 1 for j in mechanism.tree.joints):
        pytest.skip("Pinocchio's URDF reader has no loops, and other coordinates for planar and floating joints")
    if not any(j.dof for j in mechanism.tree.joints):
        pytest.skip("nothing moves")
    compare(urdf_file.path, False, rng)


def long_chain(joints, rng):
    """Axes that look anywhere."""
    link = (
        '<link name="l{0}"><inertial><mass value="0.5"/><origin xyz="0 0 -0.1"/>'
        '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    joint = (
        '<joint name="j{1}" type="revolute"><parent link="l{0}"/><child link="l{1}"/><origin xyz="0 0 -0.2"/>'
        '<axis xyz="{2} {3} {4}"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
    )
    axes = rng.normal(size=(joints, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    parts = [link.format(i) for i in range(joints + 1)]
    return "".join(['<robot name="c">', *parts, *(joint.format(i, i + 1, *a) for i, a in enumerate(axes)), "</robot>"])


def test_a_long_chain_of_axes_that_look_anywhere(tmp_path, rng):
    """Frames are made one from another: what each leaves of unit length must not grow along the chain."""
    path = tmp_path / "chain.urdf"
    path.write_text(long_chain(60, rng))
    compare(path, False, rng, states=2)
