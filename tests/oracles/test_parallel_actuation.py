"""Actuation Jacobian, inertia and torque polygons of parallel robots against Pinocchio with constraints.

Nothing of ours is used but the numbers of the robots: Pinocchio has tree, mass matrix and constraint Jacobians, and the
ratios come from the response to impulses, not from a null space:

    M_c⁻¹ = M⁻¹ − M⁻¹Jᵀ·(J·M⁻¹·Jᵀ)⁺·J·M⁻¹      Λ = (J_j·M_c⁻¹·J_jᵀ)⁻¹      A = J_a·M_c⁻¹·J_jᵀ·Λ
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import WORLD
from tests.sim import spatial_loops

pin = pytest.importorskip("pinocchio")

PROMISED = 1e-9  # relative; found are 1e-13 … 1e-11
CLOSED = 1e-13  # [m, rad]
REDUNDANT = 1e-9  # share of the largest: rows that follow from others


class Pinocchio:
    """The robot's tree and its loop-closing joints there, and where each joint has its velocity."""

    def __init__(self, robot):
        self.robot, self.model = robot, pin.Model()
        self.velocity: dict[str, int] = {}
        self.frames = {WORLD: (0, pin.SE3.Identity())}  # link → Pinocchio's joint, and the link in its frame
        for b in robot.tree.branches:
            assert not b.backward
            parent, X_parent = self.frames[b.parent]
            at, placement = parent, X_parent * se3(b.joint.X_PJ)
            for model, name in joint_models(b.joint):
                at = self.model.addJoint(at, model, placement, f"{b.joint.name}/{name}")
                placement = pin.SE3.Identity()
                self.velocity[name] = self.model.joints[at].idx_v
            own = placement * se3(b.joint.X_CJ).inverse()
            self.frames[b.link] = (at, own)
            inertia = robot.links[b.link].inertia
            body = pin.Inertia(inertia.mass, np.zeros(3), np.array(inertia.own_tensor()))
            self.model.appendBodyToJoint(at, body, own * se3(inertia.pose))
            self.model.addFrame(pin.Frame(b.link, at, own, pin.FrameType.BODY))
        self.data = self.model.createData()
        self.loops = [self.loop(j) for j in robot.tree.cuts]

    def loop(self, cut):
        """Pinocchio's constraint, and which of its rows hold: all but the turn about a hinge."""
        (j1, X1), (j2, X2) = self.frames[cut.parent], self.frames[cut.child]
        kind = pin.ContactType.CONTACT_3D if cut.kind == "ball" else pin.ContactType.CONTACT_6D
        model = pin.RigidConstraintModel(kind, self.model, j1, X1 * se3(cut.X_PJ), j2, X2 * se3(cut.X_CJ))
        if cut.kind == "ball":
            return model, model.createData(), np.eye(3)
        free = np.concatenate([np.zeros(3), cut.axes[0].xyz])[:, None]
        return model, model.createData(), np.eye(6) - free @ free.T

    def constraints(self, q):
        """Errors and Jacobian."""
        pin.computeJointJacobians(self.model, self.data, q)
        errors, rows = [], []
        for model, data, held in self.loops:
            model.calc(self.model, self.data, data)
            J = pin.getConstraintJacobian(self.model, self.data, model, data)
            X1, X2 = (self.data.oMi[j] * X for j, X in (
                (model.joint1_id, model.joint1_placement), (model.joint2_id, model.joint2_placement)
            ))  # fmt: skip
            apart = X1.inverse() * X2
            error = np.concatenate([apart.translation, pin.log3(apart.rotation)])[: len(J)]
            errors.append(held @ -error)
            rows.append(held @ J)
        return np.concatenate(errors), np.vstack(rows)

    def assembled(self, position, stages=20):
        q, held = pin.neutral(self.model), [self.velocity[name] for name in position]
        free = np.setdiff1d(np.arange(self.model.nv), held)
        for _ in range(stages):
            step = np.zeros(self.model.nv)
            step[held] = np.array(list(position.values())) / stages
            q = pin.integrate(self.model, q, step)
            for _ in range(30):
                error, J = self.constraints(q)
                if np.abs(error).max() < CLOSED:
                    break
                move = np.zeros(self.model.nv)
                move[free] = -np.linalg.pinv(J[:, free], rcond=REDUNDANT) @ error
                q = pin.integrate(self.model, q, move)
        assert np.abs(self.constraints(q)[0]).max() < 100 * CLOSED
        return q

    def actuator_rows(self):
        rows = np.zeros((len(self.robot.actuators), self.model.nv))
        for k, a in enumerate(self.robot.actuators.values()):
            t = self.robot.transmissions.get(f"{a.name.removesuffix('_motor')}_gear")
            joint, ratio = (a.joint.joint, 1.0) if t is None else (t.joints[0].joint, t.map.reduction)
            rows[k, self.velocity[joint]] = ratio
        return rows

    def output_rows(self, q, names):
        rows = []
        for name in names:
            if name in self.velocity:
                rows.append(np.eye(self.model.nv)[self.velocity[name]])
                continue
            link, part = name.split(".")
            J = pin.computeFrameJacobian(
                self.model, self.data, q, self.model.getFrameId(link), pin.LOCAL_WORLD_ALIGNED
            )  # fmt: skip
            rows.append(J[("x", "y", "z", "rx", "ry", "rz").index(part)])
        return np.array(rows)

    def actuation(self, position, outputs):
        """A, inertia at the outputs, and at the actuators."""
        q = self.assembled(position)
        _, J = self.constraints(q)
        Ja, Jj = self.actuator_rows(), self.output_rows(q, outputs)
        M = pin.crba(self.model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        M += Ja.T @ np.diag([a.rotor_inertia for a in self.robot.actuators.values()]) @ Ja
        W = np.linalg.inv(M)
        W -= W @ J.T @ np.linalg.pinv(J @ W @ J.T, rcond=REDUNDANT, hermitian=True) @ J @ W
        inertia = np.linalg.inv(Jj @ W @ Jj.T)
        return Ja @ W @ Jj.T @ inertia, inertia, np.linalg.inv(Ja @ W @ Ja.T)


def se3(X):
    return pin.SE3(np.array(X.R), np.array(X.p))


def joint_models(joint):
    """Pinocchio's joints for one of ours, with the names of their velocities."""
    axes = [np.array(a.xyz) for a in joint.axes]
    if joint.kind == "fixed":
        return []
    if joint.kind == "ball":
        return [(pin.JointModelSpherical(), joint.name)]
    if joint.kind == "prismatic":
        return [(pin.JointModelPrismaticUnaligned(axes[0]), joint.name)]
    assert joint.kind in ("revolute", "continuous", "universal")
    return [(pin.JointModelRevoluteUnaligned(a), n) for a, n in zip(axes, joint.coordinates, strict=True)]


def hull(points):
    """Corners counterclockwise, by Andrew's monotone chain."""
    found = []
    for ordered in (sorted(points), sorted(points, reverse=True)):
        chain = []
        for p in ordered:
            while len(chain) > 1 and turn(*chain[-2:], p) <= 1e-9:
                chain.pop()
            chain.append(p)
        found += chain[:-1]
    return np.array(found)


def turn(a, b, c):
    """Twice the area of a triangle, positive where it is walked counterclockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def driven(robot, joints):
    for name in joints:
        robot = robot.with_actuator(
            gw.Actuator(name=f"{name}_motor", joint=name, effort_limit=5.0, velocity_limit=8.0, rotor_inertia=2e-3)
        )
    return robot


def poses(rng, size, names):
    return [dict(zip(names, size * rng.uniform(-1, 1, len(names)), strict=True)) for _ in range(6)]


def robots(rng):
    yield gw.load("ankle"), ["pitch", "roll"], poses(rng, 0.3, ["pitch", "roll"])
    delta = driven(spatial_loops.delta(), [f"hip{i}" for i in range(3)])
    yield delta, [f"plate.{x}" for x in "xyz"], poses(rng, 0.25, ["hip0", "hip1", "hip2"])
    legs = [f"leg{i}" for i in range(6)]
    parts = [f"plate.{x}" for x in ("x", "y", "z", "rx", "ry", "rz")]
    yield driven(spatial_loops.hexapod(), legs), parts, poses(rng, 0.04, legs)
    yield driven(spatial_loops.rssr(), ["crank"]), ["rocker"], poses(rng, 0.8, ["crank"])
    four_bar = gw.load("four_bar")
    yield four_bar, ["pin_d"], poses(rng, 1.5, ["pin_a"])


@pytest.mark.parametrize("index", range(5), ids=["ankle", "delta", "hexapod", "rssr", "four_bar"])
def test_ratio_and_inertia_in_both_spaces(index, rng):
    robot, outputs, tried = list(robots(rng))[index]
    theirs = Pinocchio(robot)
    for position in tried:
        ours = robot.actuation_jacobian(position, output=outputs)
        A, at_joints, at_actuators = theirs.actuation(position, outputs)
        for mine, own in (
            (ours.actuator_per_joint, A),
            (ours.joint_inertia, at_joints),
            (ours.actuator_inertia, at_actuators),
        ):
            assert np.abs(mine - own).max() < PROMISED * np.abs(own).max()


def test_torque_and_speed_polygons_of_an_ankle(rng):
    """Torques: the hull of all corners of what the motors give. Speeds: what those allow, corner by corner."""
    robot, outputs, tried = next(robots(rng))
    theirs = Pinocchio(robot)
    torque, speed = 1.6, 300.0  # of both motors: the drive's limit, and the end of the curve
    for position in tried:
        A = theirs.actuation(position, outputs)[0]
        ours = robot.actuation_jacobian(position)
        corners = hull([tuple(A.T @ (torque * np.array(signs))) for signs in product((-1, 1), repeat=2)])
        assert np.abs(by_angle(ours.effort_polygon()) - by_angle(corners)).max() < PROMISED * np.abs(corners).max()
        corners = np.array([np.linalg.solve(A, speed * np.array(signs)) for signs in product((-1, 1), repeat=2)])
        assert np.abs(by_angle(ours.velocity_polygon()) - by_angle(corners)).max() < PROMISED * np.abs(corners).max()


def by_angle(corners):
    return corners[np.argsort(np.arctan2(corners[:, 1], corners[:, 0]))]
