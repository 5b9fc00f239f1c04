"""The controller that everybody needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.given_numbers import number


@dataclass(frozen=True, kw_only=True)
class PID:
    """`u = kp·e + ki·∫e dt − kd·v` with `e = target − position` of a joint, for an actuator or as that joint's effort.

    The damping term uses the joint's velocity, so that a step of the target causes no jerk. While u is at its limit,
    the integral does not grow. Gains and target are the parameters `NAME.kp`, `NAME.ki`, `NAME.kd` and `NAME.target`,
    where NAME is the actuator or joint. A target that is a function of the time [s] is not a parameter.
    """

    joint: str  # whose position is controlled
    actuator: str | None = None  # None: the joint's effort
    kp: float = 0.0  # of the error [command/rad, command/m]
    ki: float = 0.0  # of the error's integral [command/(rad·s)]
    kd: float = 0.0  # of the velocity [command·s/rad]
    target: float | Callable[[Any], Any] = 0.0  # a number, or a function of the time [rad, m]
    limit: float = inf  # of the command's magnitude
    memory: Mapping[str, float] = field(init=False, repr=False)  # names and initial values of its state
    parameters: Mapping[str, float] = field(init=False, repr=False)  # gains and target by name

    def __post_init__(self) -> None:
        names = ("kp", "ki", "kd") if callable(self.target) else ("kp", "ki", "kd", "target")
        own = {name: number(f"{name} of a PID", getattr(self, name)) for name in names}
        if not number("the limit of a PID", self.limit, infinite=True) > 0:
            raise ModelError(f"the limit of a PID must be a positive number, not {self.limit!r}")
        object.__setattr__(self, "memory", {f"{self.commands}.integral": 0.0})
        object.__setattr__(self, "parameters", {f"{self.commands}.{n}": x for n, x in own.items()})

    @property
    def commands(self) -> str:
        """The actuator or the joint that it commands."""
        return self.actuator or self.joint

    def __call__(self, sim: Any, memory: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        name = self.commands
        kp, ki, kd = (sim.parameters[f"{name}.{gain}"] for gain in ("kp", "ki", "kd"))
        target = self.target(sim.time) if callable(self.target) else sim.parameters[f"{name}.target"]
        error = target - sim.position[self.joint]
        integral = memory[f"{name}.integral"] + error * sim.control_dt
        wanted = kp * error + ki * integral - kd * sim.velocity[self.joint]
        command = wanted if self.limit == inf else np.clip(wanted, -self.limit, self.limit)
        pushing = np.logical_and(command != wanted, error * wanted > 0)  # would only wind up
        kept = integral if self.limit == inf else np.where(pushing, memory[f"{name}.integral"], integral)
        return {name: command}, {f"{name}.integral": kept}
