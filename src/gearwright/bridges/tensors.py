"""Between torch's tensors and arrays, and what configurations of actuator groups have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.bridges.errors import BridgeError
from gearwright.bridges.predicted import JointTargets
from gearwright.sim.state.values import Array


def as_array(x: Any, dtype: type = float) -> Array:
    """Of a tensor, which may be on a GPU, or of numbers."""
    array: Array = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x).astype(dtype)
    return array


def in_columns(values: Array, columns: Array, like: Any, torch: Any) -> Any:
    """A tensor as `like`, with zeros where no actuator is."""
    full = np.zeros(tuple(like.shape))
    full[:, columns] = values
    return torch.as_tensor(full, dtype=like.dtype, device=like.device)


def with_gains(targets: JointTargets, q: Array, v: Array, stiffness: Array, damping: Array) -> JointTargets:
    """The effort of an actuator with an effort command: `stiffness·(q* − q) + damping·(v* − v) + τ*` of its joint."""
    effort = stiffness * (targets.position - q) + damping * (targets.velocity - v)
    return targets._replace(effort=effort + targets.effort)


def by_joint(value: Any, joints: Sequence[str]) -> Array:
    """A number for all joints, or one for each."""
    if not isinstance(value, dict):
        return np.full(len(joints), float(value))
    if missing := [name for name in joints if name not in value]:
        raise BridgeError(f"inertia: joint {missing[0]!r} has none")
    return np.array([float(value[name]) for name in joints])
