"""Drake: a discrete `MultibodyPlant` in a `Simulator`; its own solver holds the mimic joints."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

import numpy as np
from pydrake.multibody import parsing, plant, tree
from pydrake.systems import analysis
from pydrake.systems.framework import DiagramBuilder

from benchmarks.bench.contestant import Array, Contestant
from benchmarks.bench.robots import Robot


class Drake(Contestant):
    """`Simulator.AdvanceTo`: the loop is C++."""

    title: ClassVar[str] = "Drake"
    package: ClassVar[str] = "drake"
    how: ClassVar[str] = "`Simulator.AdvanceTo` on a discrete plant (SAP holds mimic joints): the loop is C++"

    def __init__(self, robot: Robot, dt: float) -> None:
        logging.getLogger("drake").setLevel(logging.ERROR)
        builder: Any = DiagramBuilder()
        self.plant: Any = builder.AddSystem(plant.MultibodyPlant(dt))
        self.plant.set_discrete_contact_approximation(plant.DiscreteContactApproximation.kSap)
        (model,) = parsing.Parser(self.plant).AddModelsFromString(robot.urdf, "urdf")
        self._fix_base(model)
        self.plant.Finalize()
        self.dt = dt
        indices = [i for i in self.plant.GetJointIndices(model) if self.plant.get_joint(i).num_velocities() == 1]
        joints: list[tree.Joint] = [self.plant.get_joint(i) for i in indices]
        joints.sort(key=lambda joint: joint.velocity_start())
        self.names = tuple(joint.name() for joint in joints)
        self.simulator: Any = analysis.Simulator(builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.simulator.Initialize()

    def _fix_base(self, model: Any) -> None:
        """URDF's root is fixed, as it is elsewhere; Drake would let it float."""
        bodies = [self.plant.get_body(i) for i in self.plant.GetBodyIndices(model)]
        carried = {self.plant.get_joint(i).child_body().index() for i in self.plant.GetJointIndices(model)}
        for body in bodies:
            if body.index() not in carried:
                self.plant.WeldFrames(self.plant.world_frame(), body.body_frame())

    def reset(self, position: Array, velocity: Array) -> None:
        self.simulator.get_mutable_context().SetTime(0.0)
        self.plant.SetPositions(self.context, position)
        self.plant.SetVelocities(self.context, velocity)
        self.simulator.Initialize()

    def step(self, n: int) -> None:
        now = self.simulator.get_context().get_time()
        self.simulator.AdvanceTo(now + n * self.dt)

    def position(self) -> Array:
        return np.array(self.plant.GetPositions(self.context))

    def mass_matrix_and_bias(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        self.reset(position, velocity)
        M = self.plant.CalcMassMatrix(self.context)
        bias = self.plant.CalcBiasTerm(self.context) - self.plant.CalcGravityGeneralizedForces(self.context)
        return M, bias
