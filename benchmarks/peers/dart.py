"""DART: `World.step` on a skeleton."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar

import dartpy
import numpy as np

from benchmarks.bench.contestant import Array, Contestant
from benchmarks.bench.robots import Robot

dart: Any = dartpy


class Dart(Contestant):
    """Semi-implicit Euler, implicit in dampers. Its Python bindings have no mimic joints."""

    title: ClassVar[str] = "DART"
    package: ClassVar[str] = "dartpy"
    how: ClassVar[str] = "`World.step` called from Python; without couplings, which its Python bindings lack"
    couplings: ClassVar[bool] = False

    def __init__(self, robot: Robot, dt: float) -> None:
        loader = dart.utils.DartLoader
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            file.write_text(robot.urdf, encoding="utf-8")
            options = loader.Options()
            options.mDefaultRootJointType = loader.RootJointType.FIXED
            parse = loader()
            parse.setOptions(options)
            self.skeleton = parse.parseSkeleton(str(file))
        if self.skeleton is None:
            raise ValueError("DART cannot read the file")
        self.world = dart.simulation.World()
        self.world.setGravity(np.array([0.0, 0.0, -9.81]))
        self.world.setTimeStep(dt)
        self.world.addSkeleton(self.skeleton)
        joints = [joint for joint in self.skeleton.getJoints() if joint.getNumDofs() == 1]
        joints.sort(key=lambda joint: joint.getIndexInSkeleton(0))
        self.names = tuple(joint.getName() for joint in joints)

    def reset(self, position: Array, velocity: Array) -> None:
        self.skeleton.setPositions(position)
        self.skeleton.setVelocities(velocity)

    def step(self, n: int) -> None:
        step = self.world.step
        for _ in range(n):
            step(True)

    def position(self) -> Array:
        return np.array(self.skeleton.getPositions())

    def mass_matrix_and_bias(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        self.reset(position, velocity)
        return np.array(self.skeleton.getMassMatrix()), np.array(self.skeleton.getCoriolisAndGravityForces())
