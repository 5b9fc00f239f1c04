"""Isaac Lab's interface of actuators: the real one where it can be imported, else a stand-in with its signatures.

Isaac Lab only runs inside Isaac Sim, so that tests have what its `ActuatorBase`, `ActuatorBaseCfg` and
`ArticulationActions` (2.3) do for an actuator, on the CPU.
"""

from __future__ import annotations

import re
import sys
import types
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import torch


@dataclass
class ArticulationActions:
    joint_positions: torch.Tensor | None = None
    joint_velocities: torch.Tensor | None = None
    joint_efforts: torch.Tensor | None = None
    joint_indices: object = None


def configclass(cls):
    made = dataclass(cls)
    made.replace = replace
    return made


@configclass
class ActuatorBaseCfg:
    class_type: type | None = None
    joint_names_expr: list[str] | None = None
    effort_limit: dict[str, float] | float | None = None
    velocity_limit: dict[str, float] | float | None = None
    effort_limit_sim: dict[str, float] | float | None = None
    velocity_limit_sim: dict[str, float] | float | None = None
    stiffness: dict[str, float] | float | None = None
    damping: dict[str, float] | float | None = None
    armature: dict[str, float] | float | None = None
    friction: dict[str, float] | float | None = None
    dynamic_friction: dict[str, float] | float | None = None
    viscous_friction: dict[str, float] | float | None = None


class ActuatorBase(ABC):
    is_implicit_model = False

    def __init__(
        self, cfg, joint_names, joint_ids, num_envs, device, stiffness=0.0, damping=0.0, armature=0.0, friction=0.0,
        dynamic_friction=0.0, viscous_friction=0.0, effort_limit=torch.inf, velocity_limit=torch.inf,
    ):  # fmt: skip
        self.cfg, self._num_envs, self._device = cfg, num_envs, device
        self._joint_names, self._joint_indices = joint_names, joint_ids
        given = {
            "stiffness": stiffness, "damping": damping, "armature": armature, "friction": friction,
            "dynamic_friction": dynamic_friction, "viscous_friction": viscous_friction,
        }  # fmt: skip
        for name, default in given.items():
            setattr(self, name, self._parsed(getattr(cfg, name), default))
        self.computed_effort = torch.zeros(num_envs, self.num_joints, device=device)
        self.applied_effort = torch.zeros_like(self.computed_effort)

    def _parsed(self, value, default):
        found = torch.zeros(self._num_envs, self.num_joints)
        if not isinstance(value, dict):
            found[:] = torch.as_tensor(default if value is None else value)
            return found
        for pattern, x in value.items():
            matched = [i for i, name in enumerate(self._joint_names) if re.fullmatch(pattern, name)]
            assert matched, f"{pattern} matches no joint"
            found[:, matched] = x
        return found

    @property
    def num_joints(self):
        return len(self._joint_names)

    @property
    def joint_names(self):
        return self._joint_names

    @property
    def joint_indices(self):
        return self._joint_indices

    @abstractmethod
    def reset(self, env_ids): ...

    @abstractmethod
    def compute(self, control_action, joint_pos, joint_vel): ...


STAND_IN = {
    "isaaclab": {},
    "isaaclab.actuators": {"ActuatorBase": ActuatorBase, "ActuatorBaseCfg": ActuatorBaseCfg},
    "isaaclab.utils": {},
    "isaaclab.utils.configclass": {"configclass": configclass},
    "isaaclab.utils.types": {"ArticulationActions": ArticulationActions},
}
try:
    import isaaclab.actuators  # noqa: F401
except ImportError:
    for name, contents in STAND_IN.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(contents)
