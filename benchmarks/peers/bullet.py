"""Bullet: `stepSimulation` on a multibody, mimic joints as gear constraints."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import numpy as np
import pybullet

from benchmarks.bench.contestant import Array, Contestant
from benchmarks.bench.robots import Robot

bullet: Any = pybullet


class Bullet(Contestant):
    """A world of its own, no contacts, no motors; damping as Bullet does it."""

    title: ClassVar[str] = "Bullet"
    package: ClassVar[str] = "pybullet"
    how: ClassVar[str] = "`stepSimulation` called from Python; a mimic is a gear constraint"
    trajectory_tolerance: float = 2e-2  # its dampers and gears are its own

    def __init__(self, robot: Robot, dt: float) -> None:
        self.world = bullet.connect(bullet.DIRECT)
        at: dict[str, int] = {"physicsClientId": self.world}
        self.at = at
        bullet.setGravity(0, 0, -9.81, **at)
        bullet.setTimeStep(dt, **at)
        bullet.setPhysicsEngineParameter(numSubSteps=0, deterministicOverlappingPairs=0, **at)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            file.write_text(robot.urdf, encoding="utf-8")
            flags = bullet.URDF_USE_INERTIA_FROM_FILE
            self.robot = bullet.loadURDF(str(file), useFixedBase=True, flags=flags, **at)
        joints = [bullet.getJointInfo(self.robot, i, **at) for i in range(bullet.getNumJoints(self.robot, **at))]
        moving = [j for j in joints if j[2] in (bullet.JOINT_REVOLUTE, bullet.JOINT_PRISMATIC)]
        self.names, self.indices = tuple(j[1].decode() for j in moving), [j[0] for j in moving]
        for i in range(-1, len(joints)):
            bullet.changeDynamics(self.robot, i, linearDamping=0.0, angularDamping=0.0, maxJointVelocity=1e9, **at)
        for i in self.indices:
            bullet.setJointMotorControl2(self.robot, i, bullet.VELOCITY_CONTROL, force=0.0, **at)
        self._gears(robot, {j[1].decode(): j for j in joints})

    def _gears(self, robot: Robot, joints: dict[str, Any]) -> None:
        for joint in ElementTree.fromstring(robot.urdf).iterfind("joint"):
            if (mimic := joint.find("mimic")) is None:
                continue
            follower, leader = joints[str(joint.get("name"))], joints[str(mimic.get("joint"))]
            gear = bullet.createConstraint(
                self.robot, leader[0], self.robot, follower[0], bullet.JOINT_GEAR,
                [0, 0, 1], [0, 0, 0], [0, 0, 0], **self.at,
            )  # fmt: skip
            ratio = -float(mimic.get("multiplier", "1"))
            bullet.changeConstraint(gear, gearRatio=ratio, maxForce=1e6, erp=0.8, **self.at)

    def __del__(self) -> None:
        if hasattr(self, "world") and bullet.isConnected(self.world):
            bullet.disconnect(self.world)

    def reset(self, position: Array, velocity: Array) -> None:
        for i, q, v in zip(self.indices, position, velocity, strict=True):
            bullet.resetJointState(self.robot, i, q, v, **self.at)

    def step(self, n: int) -> None:
        world, step = self.world, bullet.stepSimulation
        for _ in range(n):
            step(world)

    def position(self) -> Array:
        return np.array([state[0] for state in bullet.getJointStates(self.robot, self.indices, **self.at)])

    def mass_matrix_and_bias(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        q, v = position.tolist(), velocity.tolist()
        M = bullet.calculateMassMatrix(self.robot, q, **self.at)
        h = bullet.calculateInverseDynamics(self.robot, q, v, [0.0] * len(q), **self.at)
        return np.array(M), np.array(h)
