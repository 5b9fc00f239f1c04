"""Actuators whose effort is affine in position and speed, with ranges of command and effort: MuJoCo's general actuator.

    effort = (g₀ + g₁·x + g₂·v)·u + b₀ + b₁·x + b₂·v,     clipped to a range

u is the command, or an activation that follows it. With a position or velocity command, the drive's gains take the
place of g: `stiffness·(u − x) − damping_gain·v`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np

from gearwright.model.actuators.actuator import Actuator, Command, Number, Shaft, given
from gearwright.model.fields import Highlight, Rules, quantity


@dataclass(frozen=True, kw_only=True)
class AffineActuator(Actuator):
    """A drive with ranges, or a gain and a bias that are affine in position and speed."""

    type: ClassVar[str] = "affine"
    may_rise: ClassVar[bool] = True

    gain: float = quantity(doc="g₀, effort per command, of an effort command", default=1.0)
    gain_per_position: float = quantity(doc="g₁, gain per position", default=0.0, shown="")
    gain_per_speed: float = quantity(doc="g₂, gain per speed", default=0.0, shown="")
    bias: float = quantity("N·m | N", doc="b₀, effort at rest without a command", default=0.0, shown="")
    bias_per_position: float = quantity("N·m/rad | N/m", doc="b₁, bias per position", default=0.0, shown="")
    bias_per_speed: float = quantity("N·m·s/rad | N·s/m", doc="b₂, bias per speed", default=0.0, shown="")
    command_lower: float = quantity(
        infinite=True, doc="lowest command; lower ones are raised to it", default=-inf, shown=""
    )
    command_upper: float = quantity(infinite=True, doc="highest command", default=inf, shown="")
    effort_lower: float = quantity("N·m | N", infinite=True, doc="lowest effort", default=-inf, shown="")
    effort_upper: float = quantity("N·m | N", infinite=True, doc="highest effort", default=inf, shown="")
    position_lower: float = quantity(
        "rad | m",
        parameter=False,
        infinite=True,
        doc="lowest position, a hard stop",
        default=-inf,
        shown="",
    )
    position_upper: float = quantity(
        "rad | m", parameter=False, infinite=True, doc="highest position", default=inf, shown=""
    )

    def rules(self) -> Rules:
        yield self.command_lower <= self.command_upper, "command_lower cannot be above command_upper"
        yield self.effort_lower <= self.effort_upper, "effort_lower cannot be above effort_upper"
        yield self.position_lower <= self.position_upper, "position_lower cannot be above position_upper"

    @property
    def travel(self) -> tuple[float, float]:
        return self.position_lower, self.position_upper

    def highlights(self) -> Iterator[Highlight]:
        yield from super().highlights()
        for what in ("command", "effort", "position"):
            low, high = getattr(self, f"{what}_lower"), getattr(self, f"{what}_upper")
            if (low, high) != (-inf, inf):
                yield Highlight(f"{what} {low:.4g} … {high:.4g}".replace("-", "−"))

    @property
    def depends_on_speed(self) -> bool:
        slopes = (self.gain_per_position, self.gain_per_speed, self.bias_per_position, self.bias_per_speed)
        return super().depends_on_speed or any(not (isinstance(x, float) and x == 0.0) for x in slopes)

    def wanted(self, command: Number, shaft: Shaft) -> Number:
        return self.at_input(within(command, self.command_lower, self.command_upper), shaft)

    def at_input(self, u: Number, shaft: Shaft) -> Number:
        """The effort of an input that is within its range, before the effort is."""
        drive = super().wanted(u, shaft) if self.command in ("position", "velocity") else self._gain(shaft) * u
        return drive + self.bias + self.bias_per_position * shaft.position + self.bias_per_speed * shaft.speed

    def _gain(self, shaft: Shaft) -> Number:
        return self.gain + self.gain_per_position * shaft.position + self.gain_per_speed * shaft.speed

    def bounded(self, effort: Number, shaft: Shaft) -> Number:
        return super().bounded(within(effort, self.effort_lower, self.effort_upper), shaft)


@dataclass(frozen=True, kw_only=True)
class ActivatedActuator(AffineActuator):
    """An affine actuator whose input is an activation: the filtered command, or its integral.

    A filter has `T·da/dt = command − a`, an integrator `da/dt = command`. A step takes the mean activation.
    """

    type: ClassVar[str] = "activated"
    states: ClassVar[tuple[str, ...]] = ("activation",)
    commands: ClassVar[tuple[Command, ...]] = ("effort", "velocity", "position")
    has_drive: ClassVar[bool] = False  # gain and bias are the drive

    dynamics: Literal["filter", "integrator"] = quantity(
        choices=("filter", "integrator"), doc="how the activation follows the command", default="filter"
    )
    time_constant: float = quantity("s", at_least=0, doc="time constant of the filter; 0: no filter", default=0.0)
    activation_lower: float = quantity(infinite=True, doc="lowest activation", default=-inf, shown="")
    activation_upper: float = quantity(infinite=True, doc="highest activation", default=inf, shown="")

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        u, (a,) = within(command, self.command_lower, self.command_upper), state
        mean, after = self._filtered(u, a, shaft.dt) if self.dynamics == "filter" else self._integrated(u, a, shaft.dt)
        low, high = self.activation_lower, self.activation_upper
        effort = self._affine(within(mean, low, high), shaft)
        return self.bounded(effort, shaft), (within(after, low, high),)

    def _affine(self, a: Number, shaft: Shaft) -> Number:
        bias = self.bias + self.bias_per_position * shaft.position + self.bias_per_speed * shaft.speed
        return self._gain(shaft) * a + bias

    def _filtered(self, u: Number, a: Number, dt: Number) -> tuple[Number, Number]:
        """Mean and end of a step, in closed form: `a⁺ = u + (a − u)·exp(−dt/T)`."""
        T = self.time_constant
        if not given(dt) or (isinstance(T, float) and T == 0.0):
            return u, u
        x = dt / T
        filled = -np.expm1(-x)
        return u + (a - u) * filled / x, a + (u - a) * filled

    def _integrated(self, u: Number, a: Number, dt: Number) -> tuple[Number, Number]:
        if not given(dt):  # a steady state has none but its own
            return a, a
        return a + 0.5 * dt * u, a + dt * u


@dataclass(frozen=True, kw_only=True)
class PIDActuator(AffineActuator):
    """A position drive with the integral of its error: `stiffness·(s − x) − damping_gain·v + integral_gain·z`.

    `dz/dt = s − x`, which stops at ±integral_limit; the set-point s follows the command at most at `slew_rate`.
    """

    type: ClassVar[str] = "pid"
    states: ClassVar[tuple[str, ...]] = ("integral", "set_point")
    state_units: ClassVar[tuple[str, ...]] = ("", "")
    commands: ClassVar[tuple[Command, ...]] = ("position",)

    command: Command = quantity(choices=("position",), doc="what a command means", default="position")
    stiffness: float = quantity("N·m/rad | N/m", above=0, doc="gain of the position drive")
    integral_gain: float = quantity("N·m/(rad·s) | N/(m·s)", at_least=0, doc="gain of the integral", default=0.0)
    integral_limit: float = quantity("rad·s | m·s", at_least=0, infinite=True, doc="limit of the integral", default=inf)
    slew_rate: float = quantity("rad/s | m/s", at_least=0, infinite=True, doc="speed limit of the goal", default=inf)

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        z, before = state
        s = within(command, self.command_lower, self.command_upper)
        if given(self.slew_rate) and given(shaft.dt):
            s = within(s, before - self.slew_rate * shaft.dt, before + self.slew_rate * shaft.dt)
        effort = self.bounded(self.at_input(s, shaft) + self.integral_gain * z, shaft)
        return effort, (self._accumulated(z, s - shaft.position, shaft.dt), s)

    def _accumulated(self, z: Number, error: Number, dt: Number) -> Number:
        """The integral after a step; beyond its limit it only comes back."""
        if not given(dt):
            return z
        if given(self.integral_limit):
            error = np.where(z >= self.integral_limit, np.minimum(error, 0.0), error)
            error = np.where(z <= -self.integral_limit, np.maximum(error, 0.0), error)
        return z + dt * error


def within(x: Number, low: Number, high: Number) -> Number:
    """Clipped, where there is something to clip."""
    if not (isinstance(high, float) and high == inf):
        x = np.minimum(x, high)
    if not (isinstance(low, float) and low == -inf):
        x = np.maximum(x, low)
    return x
