"""Goal profiles: a goal that is approached with limited velocity and acceleration, as servos' firmware does."""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, isfinite, sqrt


@dataclass
class Profile:
    """A trapezoidal profile, followed step by step. 0 or inf is no limit."""

    position: float = 0.0  # [rad, m]
    velocity: float = 0.0  # [rad/s, m/s]

    def restart(self, position: float) -> None:
        """At rest there."""
        self.position, self.velocity = position, 0.0

    def follow(self, goal: float, dt: float, velocity: float = inf, acceleration: float = inf) -> float:
        """The position after dt [s] on the way to the goal."""
        left = goal - self.position
        fastest = velocity if velocity > 0.0 else inf
        if not isfinite(acceleration) or acceleration <= 0.0:
            step = min(abs(left), fastest * dt)
            self.velocity = copysign(step, left) / dt
            self.position = goal if step == abs(left) else self.position + copysign(step, left)
            return self.position
        # the speed from which the rest of the way is just enough to stop, a step's own way taken off
        stopping = sqrt((0.5 * acceleration * dt) ** 2 + 2.0 * acceleration * abs(left)) - 0.5 * acceleration * dt
        wanted = copysign(min(fastest, stopping), left)
        change = max(-acceleration * dt, min(acceleration * dt, wanted - self.velocity))
        self.velocity += change
        if abs(left) <= acceleration * dt * dt and abs(self.velocity) <= acceleration * dt:
            self.position, self.velocity = goal, 0.0
        else:
            self.position += self.velocity * dt
        return self.position
