"""Motion profiles: a goal that is approached with limited velocity and acceleration, as drives' firmware does."""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, isfinite, sqrt

LANDED = 1e-12  # of a position: closer is there


def ramp(value: float, wanted: float, most: float) -> float:
    """`value` moved towards `wanted` by at most `most`."""
    return wanted if abs(wanted - value) <= most else value + copysign(most, wanted - value)


@dataclass
class Profile:
    """A trapezoid, made one step at a time, so that its goal may change on the way."""

    position: float = 0.0  # in the unit of the caller
    velocity: float = 0.0

    def restart(self, position: float) -> None:
        """At rest there."""
        self.position, self.velocity = position, 0.0

    def follow(self, goal: float, dt: float, velocity: float = inf, acceleration: float = inf) -> float:
        """The position after dt [s] on the way to the goal; 0 is no limit."""
        limit = acceleration if acceleration > 0.0 else inf
        self.towards(goal, velocity if velocity > 0.0 else inf, limit, limit, dt)
        return self.position

    def towards(self, goal: float, speed: float, acceleration: float, deceleration: float, dt: float) -> None:
        """One step to a position, at which it stops."""
        left = goal - self.position
        if abs(left) <= LANDED * max(1.0, abs(goal)) and abs(self.velocity) <= deceleration * dt:
            self.position, self.velocity = goal, 0.0
            return
        self.accelerate(max(-speed, min(speed, _stopping(left, deceleration, dt))), acceleration, deceleration, dt)
        near = 0.5 * deceleration * dt * dt if isfinite(deceleration) else LANDED * max(1.0, abs(goal))
        if abs(goal - self.position) <= near and abs(self.velocity) <= deceleration * dt:
            self.position, self.velocity = goal, 0.0

    def accelerate(self, wanted: float, acceleration: float, deceleration: float, dt: float) -> None:
        """One step to a velocity."""
        faster = abs(wanted) > abs(self.velocity) and wanted * self.velocity >= 0.0
        self.velocity = ramp(self.velocity, wanted, (acceleration if faster else deceleration) * dt)
        self.position += self.velocity * dt

    @property
    def resting(self) -> bool:
        return self.velocity == 0.0


def _stopping(left: float, deceleration: float, dt: float) -> float:
    """The velocity from which the rest of the way is just enough to stop.

    In steps of `a·dt` that is `a·dt·(√(¼ + 2·d/(a·dt²)) − ½)`: without the correction for the step, the profile would
    overshoot by half of one.
    """
    if not isfinite(deceleration):
        return left / dt
    brake = deceleration * dt
    return copysign(brake * (sqrt(0.25 + 2.0 * abs(left) / (brake * dt)) - 0.5), left) if brake else 0.0
