"""Motors, gears and encoders of a Gearwright robot as an actuator of mjlab: `MjlabActuatorCfg(…)`.

mjlab asks for controls once per step. They are the efforts at the velocities that `predicted.py` expects at its end.
After `attach(sim)` the joint damping of MuJoCo Warp, which is implicit, gets the slope of the efforts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.bridges.errors import BridgeError
from gearwright.bridges.predicted import JointTargets, PredictedActuation
from gearwright.bridges.tensors import as_array, by_joint, in_columns, with_gains
from gearwright.formats import load
from gearwright.model import Mechanism
from gearwright.optional import require
from gearwright.sim.actuation_part import ActuationPart
from gearwright.sim.state.values import Array

__all__ = ["BridgeError", "MjlabActuator", "MjlabActuatorCfg"]

PURPOSE = "gearwright.bridges.mjlab"
if TYPE_CHECKING:

    class Actuator:
        """The parts of mjlab's interface that are used here."""

        cfg: Any
        entity: Any
        target_names: list[str]
        global_ctrl_ids: Any
        _mjs_actuators: list[Any]

        def __init__(self, cfg: Any, entity: Any, target_ids: list[int], target_names: list[str]): ...
        def initialize(self, mj_model: Any, model: Any, data: Any, device: str) -> None: ...
        def reset(self, env_ids: Any = None) -> None: ...

    @dataclass(kw_only=True)
    class ActuatorCfg:
        target_names_expr: tuple[str, ...]
        transmission_type: Any = None
        armature: float | None = None
        frictionloss: float | None = None
        viscous_damping: float | None = None

        def __post_init__(self) -> None: ...
else:
    Actuator = require("mjlab.actuator", PURPOSE).Actuator
    ActuatorCfg = require("mjlab.actuator", PURPOSE).ActuatorCfg
torch: Any = require("torch", PURPOSE)
create_motor: Any = require("mjlab.utils.spec", PURPOSE).create_motor_actuator


class MjlabActuator(Actuator):
    """Joints with the robot's actuators, which mjlab makes from a `MjlabActuatorCfg`."""

    actuation: ActuationPart  # its `actuator` and `sensor` have torques and readings, arrays (num_envs,)

    def __init__(self, cfg: Any, entity: Any, target_ids: list[int], target_names: list[str]) -> None:
        super().__init__(cfg, entity, target_ids, target_names)
        self._robot = cfg.robot if isinstance(cfg.robot, Mechanism) else load(cfg.robot)
        unit = np.ones(len(target_names))
        one = PredictedActuation(self._robot, target_names, unit, batch=1, dt=1e-3, names=cfg.joints)
        self._friction = one.friction(target_names).tolist()
        self._sim: Any = None

    def edit_spec(self, spec: Any, target_names: list[str]) -> None:
        """A motor on each joint, and the friction of motors and gears in the joint's own.

        The joint's own effort limit would cut the constant without the slope: the motors of the robot have theirs.
        """
        cfg = self.cfg
        for name in target_names:
            friction = self._friction[len(self._mjs_actuators)]
            motor = create_motor(
                spec, name, effort_limit=inf, armature=cfg.armature, frictionloss=cfg.frictionloss,
                viscous_damping=cfg.viscous_damping,
            )  # fmt: skip
            spec.joint(name).frictionloss += friction
            spec.joint(name).actfrclimited = False
            self._mjs_actuators.append(motor)

    def initialize(self, mj_model: Any, model: Any, data: Any, device: str) -> None:
        super().initialize(mj_model, model, data, device)
        dofs = mj_model.jnt_dofadr[mj_model.actuator_trnid[as_array(self.global_ctrl_ids, int), 0]]
        inertia, names = self.cfg.inertia, self.target_names
        response = _response(mj_model, dofs) if inertia is None else 1.0 / by_joint(inertia, names)
        self._predicted = PredictedActuation(
            self._robot, names, response, batch=data.nworld, dt=float(mj_model.opt.timestep), names=self.cfg.joints
        )
        self.actuation = self._predicted.actuation
        self._dofs = torch.as_tensor(dofs, dtype=torch.long, device=device)
        self._own_damping = torch.as_tensor(mj_model.dof_damping.ravel()[dofs], dtype=torch.float, device=device)

    def attach(self, sim: Any) -> None:
        """Makes the efforts implicit: from now on, the joints' damping in this simulation has their slopes.

        Call it once after the scene is initialized: `robot.actuators[0].attach(env.sim)`.
        """
        sim.expand_model_fields(("dof_damping",))
        self._sim = sim

    def reset(self, env_ids: Any = None) -> None:
        """These robots begin anew, with motors and sensors in their initial state."""
        super().reset(env_ids)
        lanes = env_ids if env_ids is None or isinstance(env_ids, slice) else as_array(env_ids, int)
        self._predicted.reset(slice(None) if lanes is None else lanes)

    def compute(self, cmd: Any) -> Any:
        """Efforts for the coming step. Actuators follow the targets that belong to their commands."""
        q, v = as_array(cmd.pos), as_array(cmd.vel)
        targets = JointTargets(*map(as_array, (cmd.position_target, cmd.velocity_target, cmd.effort_target)))
        targets = with_gains(targets, q, v, self.cfg.stiffness, self.cfg.damping)
        found = self._predicted.step(q, v, targets, implicit=self._sim is not None)
        columns = self._predicted.columns
        if self._sim is not None:
            slope = in_columns(found.slope, columns, cmd.vel, torch)
            self._sim.model.dof_damping[:, self._dofs] = self._own_damping + slope
        return in_columns(found.constant, columns, cmd.vel, torch)


@dataclass(kw_only=True)
class MjlabActuatorCfg(ActuatorCfg):
    """Joints, `target_names_expr`, with the actuators of a robot."""

    robot: Any  # a file or a mechanism whose actuators move these joints
    joints: dict[str, str] | None = None  # by the robot's joint, its name in the entity, where they differ
    inertia: Any = None  # of each joint with the others free, without rotors: a number, or by joint [kg·m², kg];
    # default: from the model, at its start
    stiffness: float = 0.0  # gains of joints whose actuators have an effort command [N·m/rad, N/m]
    damping: float = 0.0  # [N·m·s/rad, N·s/m]

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = getattr(self.transmission_type, "value", "joint")
        if kind != "joint":
            raise BridgeError(f"the robot already has transmissions: give the names of joints, not of {kind}s")

    def build(self, entity: Any, target_ids: list[int], target_names: list[str]) -> MjlabActuator:
        return MjlabActuator(self, entity, target_ids, target_names)


def _response(mj_model: Any, dofs: Array) -> Array:
    """W of the model at its start, with all other joints free."""
    mujoco = require("mujoco", PURPOSE)
    data = mujoco.MjData(mj_model)
    if mj_model.nkey:
        mujoco.mj_resetDataKeyframe(mj_model, data, 0)
    mujoco.mj_forward(mj_model, data)
    unit = np.eye(mj_model.nv)[dofs]
    rows = np.empty_like(unit)
    mujoco.mj_solveM(mj_model, data, rows, unit)
    return rows[:, dofs]
