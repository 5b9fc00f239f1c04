"""ros2_control's joint limiter: a command is held to limits that depend on the joint's state and the last command.

Hard limits alone make its saturation limiter. With a URDF's `<safety_controller>` it is the soft one: velocities are at
most `k_position` times the distance to the soft limit, efforts `k_velocity` times what is left to that velocity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite, radians
from typing import Any, NamedTuple

import numpy as np

from gearwright.model import CommandLimits, SafetyController

Value = Any  # a float, or an array over the batch
BEYOND = 0.002  # [rad, m] outside the limits: something is wrong, and nothing may move
CREEP = radians(1.0)  # [rad/s, m/s] outside the soft limits


class CommandBounds(NamedTuple):
    low: Value
    high: Value

    def within(self, other: CommandBounds) -> CommandBounds:
        return CommandBounds(np.maximum(self.low, other.low), np.minimum(self.high, other.high))

    def clip(self, value: Value) -> Value:
        return np.clip(value, self.low, self.high)

    def ordered(self) -> CommandBounds:
        return CommandBounds(np.minimum(self.low, self.high), np.maximum(self.low, self.high))


class Actual(NamedTuple):
    """States that the tag exports; None where it does not."""

    position: Value | None = None
    velocity: Value | None = None


@dataclass
class CommandLimiter:
    """One joint. `enforce` is called once in a cycle; called again at the same time, it replaces that command."""

    limits: CommandLimits
    soft: SafetyController | None = None
    _time: float = -inf
    _period: float = 0.0  # [s]
    _before: dict[str, Value] = field(default_factory=dict)  # commands of the cycle before, by interface
    _now: dict[str, Value] = field(default_factory=dict)

    def enforce(self, kind: str, desired: Value, actual: Actual, time: float, period: float) -> Value:
        """The limited command. `period` [s] is that of the first cycle; later ones are measured."""
        if time > self._time:
            self._period = time - self._time if isfinite(self._time) else period
            self._time, self._before, self._now = time, self._now, {}
        if kind not in self._before:
            known = getattr(actual, kind, None)
            self._before = {kind: desired if known is None else known}  # an interface that was not followed before
        bounds = {
            "position": self._position, "velocity": self._velocity, "effort": self._effort,
            "acceleration": self._acceleration,
        }[kind]  # fmt: skip
        kept = bounds(actual, desired).clip(desired)
        self._now = {kind: kept}
        return kept

    def reset(self) -> None:
        self._time, self._before, self._now = -inf, {}, {}

    # --- bounds by interface ------------------------------------------------------------------------------------

    def _position(self, actual: Actual, desired: Value) -> CommandBounds:
        limits, dt, before = self.limits, self._period, self._before["position"]
        bounds = CommandBounds(limits.min_position, limits.max_position)
        speed = limits.max_velocity
        if isfinite(speed):
            if isfinite(limits.max_acceleration):
                moving = 0.0 if actual.velocity is None else np.abs(actual.velocity)
                speed = np.minimum(speed, moving + limits.max_acceleration * dt)
            low = np.maximum(np.minimum(before - speed * dt, bounds.high), bounds.low)
            bounds = CommandBounds(low, np.minimum(np.maximum(before + speed * dt, low), bounds.high)).ordered()
        soft = self._soft_range
        if soft is None:
            return bounds
        rates = self._soft_rates(actual, before)
        if isfinite(limits.max_velocity):
            low = soft.clip(before + rates.low * dt)
            soft = CommandBounds(low, np.clip(before + rates.high * dt, low, soft.high))
        return soft.within(bounds)

    def _velocity(self, actual: Actual, desired: Value) -> CommandBounds:
        limits, dt = self.limits, self._period
        bounds = CommandBounds(-limits.max_velocity, limits.max_velocity)
        if limits.has_position_limits and actual.position is not None:
            low, high = ((end - actual.position) / dt for end in (limits.min_position, limits.max_position))
            bounds = bounds.within(CommandBounds(low, high)).ordered()
            stuck = self._far(actual.position) | ((low > 0.0) & (desired <= 0.0)) | ((high < 0.0) & (desired >= 0.0))
            bounds = CommandBounds(*(np.where(stuck, 0.0, end) for end in bounds))
        if isfinite(limits.max_acceleration):
            change, before = limits.max_acceleration * dt, self._before["velocity"]
            bounds = bounds.within(CommandBounds(before - change, before + change)).ordered()
        if self.soft is None:
            return bounds
        rates = self._soft_rates(actual, actual.position)
        if isfinite(limits.max_acceleration) and actual.velocity is not None:
            change = limits.max_acceleration * dt
            rates = rates.within(CommandBounds(actual.velocity - change, actual.velocity + change))
        return rates.within(bounds)

    def _effort(self, actual: Actual, desired: Value) -> CommandBounds:
        limits = self.limits
        low: Value = -limits.max_effort
        high: Value = limits.max_effort
        position, velocity = actual
        if limits.has_position_limits and position is not None and velocity is not None:
            low = np.where((position <= limits.min_position) & (velocity <= 0.0), 0.0, low)
            high = np.where((position >= limits.max_position) & (velocity >= 0.0), 0.0, high)
        if velocity is not None:
            low = np.where(velocity < -limits.max_velocity, 0.0, low)
            high = np.where(velocity > limits.max_velocity, 0.0, high)
        bounds = CommandBounds(low, high)
        if self.soft is None or velocity is None or not isfinite(limits.max_effort):
            return bounds
        rates, k = self._soft_rates(actual, position), self.soft.k_velocity
        efforts = (np.clip(-k * (velocity - rate), -limits.max_effort, limits.max_effort) for rate in rates)
        return CommandBounds(*efforts).within(bounds)

    def _acceleration(self, actual: Actual, desired: Value) -> CommandBounds:
        """The deceleration's limit where it slows the joint down."""
        limits = self.limits
        slows = np.asarray(desired * (0.0 if actual.velocity is None else actual.velocity)) < 0.0
        braking = np.where(isfinite(limits.max_deceleration), limits.max_deceleration, limits.max_acceleration)
        most = np.where(slows, braking, limits.max_acceleration)
        return CommandBounds(-most, most)

    def _far(self, position: Value) -> Value:
        limits = self.limits
        return (position < limits.min_position - BEYOND) | (position > limits.max_position + BEYOND)

    # --- soft limits --------------------------------------------------------------------------------------------

    @property
    def _soft_range(self) -> CommandBounds | None:
        soft = self.soft
        if soft is None or not soft.soft_upper_limit > soft.soft_lower_limit:
            return None
        return CommandBounds(soft.soft_lower_limit, soft.soft_upper_limit)

    def _soft_rates(self, actual: Actual, where: Value | None) -> CommandBounds:
        """Velocities that lead to the soft limits from a position, in `1/k_position` seconds."""
        limits, soft, most = self.limits, self.soft, self.limits.max_velocity
        ends = self._soft_range
        if soft is None or not soft.k_position or ends is None or where is None or not isfinite(most):
            return CommandBounds(-most, most)
        if not limits.has_position_limits:
            return CommandBounds(-most, most)
        rates = CommandBounds(*(np.clip(-soft.k_position * (where - end), -most, most) for end in ends))
        here = where if actual.position is None else actual.position
        outside = (here < ends.low) | (here > ends.high)
        slow = (np.where(outside, np.copysign(CREEP, rate), rate) for rate in rates)
        return CommandBounds(*(np.where(self._far(here), 0.0, rate) for rate in slow))
