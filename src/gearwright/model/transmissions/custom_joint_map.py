"""The user's own map in the direction joint = g(actuator): cranks, cams, Geneva wheels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers, whole
from gearwright.model.poses import Array
from gearwright.model.transmissions.maps import ACCURACY, MAX_STEPS, TransmissionMap, like, vectors

OFF_DEAD_POINT = 1e-2  # where Newton's method sets out from a dead point [rad or m]


@dataclass(frozen=True, kw_only=True)
class CustomJointMap(TransmissionMap):
    """`position(a)`: actuator positions to as many joint positions; everything else by exact differentiation.

    Joints may reverse while actuators move on (dead points). Actuator positions are found from joint positions by
    Newton's method, starting at the actuator positions `start` (zeros by default).
    """

    position: Callable[..., Any]  # joint positions of actuator positions
    size: int = 1  # actuators, and joints
    start: Sequence[float] | None = None  # kept as a tuple [rad or m]

    def __post_init__(self) -> None:
        if not callable(self.position):
            raise ModelError(f"position must be a function, not {self.position!r}")
        whole("size, of the actuators,", self.size)
        if self.start is not None:
            start = numbers("start", self.start)
            if start.shape != (self.size,):
                raise ModelError(f"start takes {self.size} actuator positions, not {self.start!r:.60}")
            object.__setattr__(self, "start", tuple(start.tolist()))

    @property
    def actuators(self) -> int:
        return self.size

    @property
    def joints(self) -> int:
        return self.size

    @property
    def leads_joints(self) -> bool:
        return True

    @cached_property
    def _led_joints(self) -> Any:
        from gearwright.tracing import trace

        return trace(self.position, [self.size], returns=[self.size])

    def to_joints(self, a: Any) -> Any:
        return self.position(a)

    def to_actuators(self, q: Any) -> Any:
        raise ModelError("a map from actuators to joints has no closed form back; its joints follow its actuators")

    @property
    def rest(self) -> Array:
        return self.joints_at(self._start)

    @property
    def _start(self) -> Array:
        return np.array(self.start or (0.0,) * self.size, dtype=np.float64)

    # --- on numbers ------------------------------------------------------------------------------------------------

    def actuator_to_joint_position(self, a: ArrayLike, *, near: ArrayLike | None = None) -> Any:
        """`near` is accepted but not needed."""
        q = self.joints_at(a)
        if not np.isfinite(q).all():
            raise ModelError(f"there is no joint position for the actuator position {np.asarray(a).tolist()}")
        return like(a, q)

    def joint_to_actuator_position(self, j: ArrayLike) -> Any:
        q = vectors(j, self.size)
        each = [self._inverse(x) for x in q.reshape(-1, self.size)]
        return like(j, np.array(each).reshape(q.shape))

    def actuator_per_joint_at(self, q: ArrayLike) -> Array:
        ratio = self.joint_per_actuator_at(vectors(self.joint_to_actuator_position(q), self.size))
        if not (np.linalg.cond(ratio) < 1 / np.finfo(float).eps).all():
            raise ModelError(f"the ratio has no finite value at joint position {np.asarray(q).tolist()}: a dead point")
        return np.asarray(np.linalg.inv(ratio), dtype=np.float64)

    def _inverse(self, target: Array) -> Array:
        """Newton's steps, halved until each comes closer; from a dead point a small way off."""
        a = self._start
        error = self.joints_at(a) - target
        tolerance = ACCURACY * (1.0 + np.abs(target).max())
        for _ in range(MAX_STEPS):
            if np.abs(error).max() <= tolerance:
                return a
            step = np.linalg.lstsq(self.joint_per_actuator_at(a), error, rcond=1e-9)[0]
            if not np.abs(step).max() > 0:
                step = np.full(self.size, OFF_DEAD_POINT)
            size, there = 1.0, a
            while size > 1e-6:
                there = a - size * step
                new = self.joints_at(there) - target
                if np.linalg.norm(new) < np.linalg.norm(error):
                    break
                size /= 2
            if size <= 1e-6:
                break
            a, error = there, self.joints_at(there) - target
        if np.abs(error).max() <= tolerance:
            return a
        raise ModelError(
            f"no actuator position is found for the joint position {target.tolist()}: the closest found, "
            f"{a.tolist()}, is off by {np.abs(error).max():.3g}; give an actuator position close to it as start="
        )
