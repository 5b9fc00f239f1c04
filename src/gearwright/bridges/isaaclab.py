"""Motors, gears and encoders of a Gearwright robot as an actuator group of Isaac Lab: `GearwrightActuatorCfg(…)`.

Isaac Lab asks for efforts once per step. They are those at the velocities that `predicted.py` expects at its end. After
`attach(articulation)` the joint drives of the simulator, which are implicit, get the slope of the efforts as damping,
and the constant as effort.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.bridges.errors import BridgeError
from gearwright.bridges.predicted import JointTargets, PredictedActuation, free_response
from gearwright.bridges.tensors import as_array, by_joint, in_columns, with_gains
from gearwright.formats import load
from gearwright.model import Mechanism
from gearwright.optional import require
from gearwright.sim.actuation_part import ActuationPart
from gearwright.sim.state.values import Array

__all__ = ["BridgeError", "GearwrightActuator", "GearwrightActuatorCfg"]

PURPOSE = "gearwright.bridges.isaaclab"
if TYPE_CHECKING:

    class ActuatorBase:
        """The parts of Isaac Lab's interface that are used here."""

        stiffness: Any
        damping: Any
        joint_indices: Any

        def __init__(
            self, cfg: Any, joint_names: list[str], joint_ids: Any, num_envs: int, device: str, **more: Any
        ): ...

    class ActuatorBaseCfg:
        class_type: type

    def configclass(cls: type) -> type:
        return cls
else:
    ActuatorBase = require("isaaclab.actuators", PURPOSE).ActuatorBase
    ActuatorBaseCfg = require("isaaclab.actuators", PURPOSE).ActuatorBaseCfg
    configclass = require("isaaclab.utils.configclass", PURPOSE).configclass
torch: Any = require("torch", PURPOSE)
UNUSED = ("effort_limit", "actuator_effort_limit")  # of the configuration: motors have limits of their own


class GearwrightActuator(ActuatorBase):
    """A group of joints with the robot's actuators, which Isaac Lab makes from a `GearwrightActuatorCfg`."""

    actuation: ActuationPart  # its `actuator` and `sensor` have torques and readings, arrays (num_envs,)

    def __init__(
        self, cfg: Any, joint_names: list[str], joint_ids: Any, num_envs: int, device: str, **properties: Any
    ) -> None:
        for name in UNUSED:
            if getattr(cfg, name, None) is not None:
                raise BridgeError(f"{name} has no effect: give the motors of the robot a torque_limit instead")
        robot = cfg.robot if isinstance(cfg.robot, Mechanism) else load(cfg.robot)
        if cfg.inertia is None:
            response = free_response(robot, joint_names, cfg.joints)
        else:
            response = 1.0 / by_joint(cfg.inertia, joint_names)
        self._predicted = PredictedActuation(
            robot, joint_names, response, batch=num_envs, dt=cfg.dt or _physics_dt(), names=cfg.joints
        )
        self.actuation = self._predicted.actuation
        self._articulation: Any = None
        for name in ("friction", "dynamic_friction"):
            _add_friction(cfg, name, properties.get(name), joint_names, self._predicted.friction(joint_names))
        super().__init__(cfg, joint_names, joint_ids, num_envs, device, **properties)

    def attach(self, articulation: Any) -> None:
        """Makes the efforts implicit: from now on, the drives of this articulation's joints get their slopes.

        Call it once after the simulation has started: `robot.actuators["arm"].attach(robot)`.
        """
        self._articulation = articulation

    def reset(self, env_ids: Any) -> None:
        """These robots begin anew, with motors and sensors in their initial state."""
        self._predicted.reset(slice(None) if env_ids is None else as_array(env_ids, int))

    def compute(self, control_action: Any, joint_pos: Any, joint_vel: Any) -> Any:
        """Efforts for the coming step. Actuators follow the targets that belong to their commands."""
        q, v = as_array(joint_pos), as_array(joint_vel)
        targets = JointTargets(*(
            np.zeros_like(q) if x is None else as_array(x)
            for x in (control_action.joint_positions, control_action.joint_velocities, control_action.joint_efforts)
        ))  # fmt: skip
        targets = with_gains(targets, q, v, as_array(self.stiffness), as_array(self.damping))
        found = self._predicted.step(q, v, targets, implicit=self._articulation is not None)
        if self._articulation is not None:
            slope = self._tensor(found.slope, joint_vel)
            self._articulation.write_joint_damping_to_sim(slope, joint_ids=self.joint_indices)
        self.computed_effort = self.applied_effort = self._tensor(found.expected, joint_vel)
        control_action.joint_efforts = self._tensor(found.constant, joint_vel)
        control_action.joint_positions = control_action.joint_velocities = None
        return control_action

    def _tensor(self, values: Array, like: Any) -> Any:
        return in_columns(values, self._predicted.columns, like, torch)


@configclass
class GearwrightActuatorCfg(ActuatorBaseCfg):
    """A group of joints, `joint_names_expr`, with the actuators of a robot."""

    class_type: type = GearwrightActuator
    robot: Any = None  # a file or a mechanism whose actuators move joints of the group
    joints: dict[str, str] | None = None  # by the robot's joint, its name in the articulation, where they differ
    dt: float | None = None  # step of the physics [s]; default: that of Isaac Lab's simulation context
    inertia: Any = None  # of each joint with the others free, without rotors: a number, or by joint [kg·m², kg];
    # default: from the robot's own links, at its start
    stiffness: Any = 0.0  # gains of joints whose actuators have an effort command [N·m/rad, N/m]
    damping: Any = 0.0  # [N·m·s/rad, N·s/m]


def _add_friction(cfg: Any, name: str, default: Any, joints: Sequence[str], more: Array) -> None:
    """Of motors and gears, to that of the joints, in the simulator's own friction."""
    if getattr(cfg, name, None) is None and more.any():
        own = np.zeros(len(joints)) if default is None else np.broadcast_to(as_array(default), (1, len(joints)))[0]
        setattr(cfg, name, {re.escape(j): float(x) for j, x in zip(joints, own + more, strict=True)})


def _physics_dt() -> float:
    context = require("isaaclab.sim", PURPOSE).SimulationContext.instance()
    if context is None:
        raise BridgeError("there is no simulation context yet: give GearwrightActuatorCfg(dt=…)")
    return float(context.get_physics_dt())
