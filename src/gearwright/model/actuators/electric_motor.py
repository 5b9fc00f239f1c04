"""Electric motors by their torque-speed curve."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from gearwright.model.actuators.actuator import Actuator, Number, Points, Shaft, Winding, piecewise
from gearwright.model.fields import Rules, quantity


@dataclass(frozen=True, kw_only=True)
class ElectricMotor(Actuator):
    """A torque source inside a torque-speed curve: a line from stall torque to no-load speed, or a table.

    `max(−τ_lim, τ_s·(−1 − ω/ω₀)) ≤ τ ≤ min(τ_lim, τ_s·(1 − ω/ω₀))`. A table is extended beyond its ends along its first
    and last lines, so a motor that is driven faster than its no-load speed brakes.
    """

    type: ClassVar[str] = "electric_motor"

    stall_torque: float | None = quantity(
        "N·m", above=0, doc="at standstill; not given: no curve, an ideal source", default=None, shown=""
    )
    no_load_speed: float | None = quantity("rad/s", above=0, doc="speed without a load", default=None, shown="")
    curve: tuple[tuple[float, float], ...] = quantity(
        "rad/s, N·m", table=True, tag="torque_speed_curve", default=(), shown="",
        doc="speed, torque, speed, torque …, instead of the two above",
    )  # fmt: skip

    def rules(self) -> Rules:
        together = (self.stall_torque is None) == (self.no_load_speed is None)
        yield together, "stall_torque and no_load_speed must be given together"
        if not self.curve:
            return
        curve, speeds = self.curve, [s for s, _ in self.curve]
        alone = self.stall_torque is None
        yield alone, "give torque_speed_curve, or stall_torque and no_load_speed, not both"
        rising = len(curve) > 1 and all(b > a for a, b in pairwise(speeds))
        yield rising, "torque_speed_curve takes two or more points with rising speeds"
        falling = curve[1][1] <= curve[0][1] and curve[-1][1] <= curve[-2][1]
        yield falling, "torque_speed_curve may not rise at its ends, beyond which it is extended"
        yield all(t >= 0 for _, t in curve), "torque_speed_curve takes torques that are not negative"

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
