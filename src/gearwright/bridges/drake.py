"""Motors, gears and encoders of a Gearwright robot as a system in a Drake diagram: `ActuationSystem(plant, robot)`.

                    ┌────────────────────┐
    state ─────────▶│  ActuationSystem   │─────────▶ generalized_force
    command ───────▶│                    │─────────▶ reading, actuator_effort
                    └────────────────────┘

A plant takes applied forces as they are when its step begins. Behind a high gear that diverges, so the forces are those
at the *end* of the step, where `M·(v⁺ − v) = dt·(τ(v⁺) − D·v⁺ + τ_g − C·v)` puts the joints: the mass matrix, gravity
and damping are the plant's own, and τ is found with v⁺. Coulomb friction of motors and gears is solved with it.
Contacts are not in this prediction, and come as the next state.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.bridges.errors import BridgeError, names_there
from gearwright.errors import suggestion
from gearwright.model import Mechanism
from gearwright.optional import require
from gearwright.sim import compile
from gearwright.sim.state.values import Array

__all__ = ["ActuationSystem", "BridgeError"]

if TYPE_CHECKING:
    from pydrake.systems.framework import LeafSystem as Base

    from gearwright.sim.actuation_part import ActuationPart
else:
    Base = require("pydrake.systems.framework", "gearwright.bridges.drake").LeafSystem

TRIALS = 8  # of v⁺, each by the line that held at the last one
SWEEPS = 60  # over the rows of friction
AGREES = 1e-9  # of the efforts: where v⁺ is found


class _Step(NamedTuple):
    """What the actuation does in one step."""

    force: Array  # on all of the plant's velocities [N·m, N]
    state: Array  # of the actuation afterwards
    reading: Array  # at the step's beginning
    effort: Array  # of the actuators in the step


class ActuationSystem(Base):
    """Connect the plant's state to "state", commands in the order of `robot.actuators` to "command", and
    "generalized_force" to the plant's `get_applied_generalized_force_input_port()`.

    plant    a finalized MultibodyPlant that has the robot's joints
    robot    a mechanism, or a file, which is loaded
    joints   names of the robot's joints in the plant, where they differ
    dt       length of a step [s]; default: the plant's, which a continuous plant does not have
    """

    def __init__(
        self, plant: Any, robot: Mechanism | str | os.PathLike[str], *, joints: Mapping[str, str] | None = None,
        dt: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(robot, Mechanism):
            from gearwright.formats import load

            robot = load(robot)
        if not plant.is_finalized():
            raise BridgeError("call plant.Finalize() first: the actuation needs the plant's joints and masses")
        step = dt or plant.time_step()
        if not step:
            raise BridgeError("a continuous plant has no step: give ActuationSystem(…, dt=1e-3)")
        self.actuation: ActuationPart = compile(robot, part="actuation", dt=step)  # type: ignore[assignment]
        self.plant, self._context = plant, plant.CreateDefaultContext()
        named = names_there(self.actuation.names, joints)
        found = [_joint(plant, named[name]) for name in self.actuation.names]
        self._q = np.array([joint.position_start() for joint in found])
        self._v = np.array([joint.velocity_start() for joint in found])
        self._rows = self._friction_rows()
        self._last: tuple[bytes, _Step] | None = None
        self._declare(robot, step)

    def _declare(self, robot: Mechanism, dt: float) -> None:
        plant, act = self.plant, self.actuation
        self._state_port = self.DeclareVectorInputPort("state", plant.num_multibody_states())
        self._command_port = self.DeclareVectorInputPort("command", len(robot.actuators))
        self.DeclareDiscreteState(act.state)  # type: ignore[arg-type]  # an array of floats
        self.DeclarePeriodicDiscreteUpdateEvent(dt, 0.0, self._update)
        readings = [np.size(x) for x in act.sensor.values()]
        for name, size in (
            ("generalized_force", plant.num_velocities()), ("reading", sum(readings)),
            ("actuator_effort", len(robot.actuators)),
        ):  # fmt: skip
            self.DeclareVectorOutputPort(name, size, self._writer(name.removeprefix("generalized_").split("_")[-1]))

    def _writer(self, field: str) -> Any:
        return lambda context, output: output.SetFromVector(getattr(self._step(context), field))

    def _update(self, context: Any, discrete: Any) -> None:
        discrete.get_mutable_vector().SetFromVector(self._step(context).state)

    # --- one step --------------------------------------------------------------------------------------------------

    def _step(self, context: Any) -> _Step:
        """Made once for equal states and commands."""
        x: Array = self._state_port.Eval(context)  # type: ignore[assignment]
        u: Array = self._command_port.Eval(context)  # type: ignore[assignment]
        own = context.get_discrete_state_vector().value()
        key = b"".join(np.ascontiguousarray(part).tobytes() for part in (x, u, own))
        if self._last is None or self._last[0] != key:
            self._last = key, self._made(x, u, own)
        return self._last[1]

    def _made(self, x: Array, u: Array, own: Array) -> _Step:
        act, nq = self.actuation, self.plant.num_positions()
        act.state = own
        act.command(dict(zip(act.robot.actuators, u.tolist(), strict=True)))
        q, v = x[:nq], x[nq:]
        act.placed(q[self._q][None], v[self._v][None])
        reading = np.concatenate([np.zeros(0), *(np.atleast_1d(value) for value in act.sensor.values())])
        v_end, friction = self._end(q, v)
        act.step_to(v_end[self._v][None])
        force = friction.copy()
        force[self._v] += act.efforts[0]
        effort = np.array([float(act.actuator[name].torque) for name in act.robot.actuators])
        return _Step(force, act.state, reading, effort)

    def _end(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Velocities at the step's end, and the efforts of friction in it."""
        plant, context, dt, act = self.plant, self._context, self.actuation.dt, self.actuation
        plant.SetPositionsAndVelocities(context, np.concatenate([q, v]))
        M, D = plant.CalcMassMatrix(context), np.diag(self._damping())
        push = M @ v + dt * (plant.CalcGravityGeneralizedForces(context) - plant.CalcBiasTerm(context))
        guess, friction = v, np.zeros_like(v)
        for _ in range(TRIALS):
            line = act.line_at(guess[self._v][None])
            A, b = M + dt * D, push.copy()
            A[np.ix_(self._v, self._v)] += dt * line.matrix[0]
            b[self._v] += dt * line.constant[0]
            guess, friction = self._rubbed(A, b)
            reached = act.line_at(guess[self._v][None])
            expected, found = line.at(guess[self._v][None]), reached.efforts
            if (np.abs(expected - found) <= AGREES * (np.abs(found) + np.abs(expected)) + 1e-12).all():
                break
        return guess, friction

    def _rubbed(self, A: Array, b: Array) -> tuple[Array, Array]:
        """v of `A·v = b + dt·Rᵀ·λ` with |λ| at most the friction, which is smaller only where R·v is 0."""
        R, level = self._rows
        v = np.linalg.solve(A, b)
        if not len(level):
            return v, np.zeros_like(v)
        dt, response = self.actuation.dt, np.linalg.solve(A, R.T)
        own, effort = np.sum(R * response.T, axis=1), np.zeros_like(level)
        for _ in range(SWEEPS):
            for i in range(len(level)):
                wanted = np.clip(effort[i] - R[i] @ v / (dt * own[i]), -level[i], level[i])
                v = v + dt * response[:, i] * (wanted - effort[i])
                effort[i] = wanted
        return v, R.T @ effort

    def _damping(self) -> Array:
        """The plant's own, along its velocities."""
        found = np.zeros(self.plant.num_velocities())
        for index in self.plant.GetJointIndices():
            joint = self.plant.get_joint(index)
            start = joint.velocity_start()
            found[start : start + joint.num_velocities()] = joint.default_damping_vector()
        return found

    def _friction_rows(self) -> tuple[Array, Array]:
        rows = np.zeros((len(self.actuation.friction), self.plant.num_velocities()))
        for row, friction in zip(rows, self.actuation.friction.values(), strict=True):
            for joint, ratio in friction.ratios.items():
                row[self._v[self.actuation.names.index(joint)]] += ratio
        return rows, np.array([f.effort for f in self.actuation.friction.values()])


def _joint(plant: Any, name: str) -> Any:
    if not plant.HasJointNamed(name):
        known = [plant.get_joint(i).name() for i in plant.GetJointIndices()]
        raise BridgeError(f"the plant has no joint {name!r}{suggestion(name, known)}; map it with joints={{…}}")
    joint = plant.GetJointByName(name)
    if joint.num_velocities() != 1:
        raise BridgeError(
            f"joint {name!r} of the plant has {joint.num_velocities()} velocities; an actuator moves a joint with one"
        )
    return joint
