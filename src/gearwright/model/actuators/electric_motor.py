"""Electric motors by their torque-speed curve."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.actuators.actuator import Actuator, Number, Points, Shaft, Winding, piecewise
from gearwright.model.fields import quantity


@dataclass(frozen=True, kw_only=True)
class ElectricMotor(Actuator):
    """A torque source inside a torque-speed curve: a line from stall torque to no-load speed, or a table.

    `max(−τ_lim, τ_s·(−1 − ω/ω₀)) ≤ τ ≤ min(τ_lim, τ_s·(1 − ω/ω₀))`. Beyond the ends of a table its first and last
    lines go on, as the straight curve does: a motor that is driven faster than its no-load speed brakes.
    """

    type: ClassVar[str] = "electric_motor"

    stall_torque: float | None = quantity(
        "N·m", above=0, doc="at standstill; not given: no curve, an ideal source", default=None, shown=""
    )
    no_load_speed: float | None = quantity("rad/s", above=0, doc="without a load", default=None, shown="")
    curve: tuple[tuple[float, float], ...] = quantity(
        "rad/s, N·m", table=True, tag="torque_speed_curve", default=(), shown="",
        doc="speed, torque, speed, torque …, instead of the two above",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.stall_torque is None) != (self.no_load_speed is None):
            raise ModelError("stall_torque and no_load_speed come together")
        if self.curve:
            self._check_curve()

    def _check_curve(self) -> None:
        speeds = [s for s, _ in self.curve]
        if self.stall_torque is not None:
            raise ModelError("give torque_speed_curve, or stall_torque and no_load_speed, not both")
        if len(self.curve) < 2 or any(b <= a for a, b in pairwise(speeds)):
            raise ModelError("torque_speed_curve takes two or more points with rising speeds")
        if self.curve[1][1] > self.curve[0][1] or self.curve[-1][1] > self.curve[-2][1]:
            raise ModelError("torque_speed_curve may not rise at its ends, where its lines go on")
        if any(t < 0 for _, t in self.curve):
            raise ModelError("torque_speed_curve takes torques that are not negative")

    @property
    def depends_on_speed(self) -> bool:
        return super().depends_on_speed or self.stall_torque is not None or bool(self.curve)

    def winding(self, supply_voltage: float) -> Winding | None:
        """`k = V/ω₀` and `R = k·V/τ_s`: stall torque and no-load speed at this supply."""
        if not self.stall_torque or not self.no_load_speed:
            return None
        k = supply_voltage / self.no_load_speed
        return Winding(k, k * supply_voltage / self.stall_torque)

    @property
    def torque_speed(self) -> Points:
        if self.stall_torque and self.no_load_speed:
            return ((0.0, self.stall_torque), (self.no_load_speed, 0.0))
        return self.curve

    def most(self, speed: Number) -> Number | None:
        """The largest torque in the direction of positive speed [N·m]; None without a curve."""
        if self.curve:
            return piecewise(speed, self.curve, extended=True)
        if self.stall_torque is None or self.no_load_speed is None:
            return None
        return self.stall_torque - (self.stall_torque / self.no_load_speed) * speed

    def bounded(self, effort: Number, shaft: Shaft) -> Number:
        effort = super().bounded(effort, shaft)
        forward, backward = self.most(shaft.speed), self.most(-shaft.speed)
        if forward is None or backward is None:
            return effort
        return np.minimum(np.maximum(effort, -backward), forward)
