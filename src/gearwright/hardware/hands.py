"""Hands: a joint dragged by a spring, as a person moves an arm whose torque is off."""

from __future__ import annotations

from math import inf, pi
from typing import TYPE_CHECKING

from gearwright.hardware.profiles import Profile

if TYPE_CHECKING:
    from gearwright.sim import Simulation

FREQUENCY = 2 * pi * 4.0  # [rad/s] of the spring on the joint's inertia: brisk, and slow against a step
INTEGRAL = FREQUENCY / 4  # [1/s]: a hand makes up for gravity and friction in half a second

SPEED, ACCELERATION = 2.0, 10.0  # [rad/s, m/s], [rad/s², m/s²] of a hand that moves a joint
JAM = 0.2  # [rad] of the spring's phase in a step: sampled springs are stable up to 2


class Hand:
    """`τ = K·(p − q) + D·(ṗ − v) + ∫`, critically damped on the joint's own inertia; p goes steadily to the target."""

    def __init__(self, sim: Simulation, joint: str, frequency: float = FREQUENCY, integral: float = INTEGRAL) -> None:
        port = sim.port(0)
        self._effort, self._q, self._v = port.effort(joint), port.position(joint), port.velocity(joint)
        response = float(sim.impulse_response(joint, joint))
        inertia = 1.0 / response if response > 0.0 else 1.0
        self._K, self._D, self._I = inertia * frequency**2, 2.0 * inertia * frequency, integral
        self._limits = limits_of(sim, joint)
        self._target, self._sum = self._q(), 0.0  # [rad, m], [N·m, N]
        self._way = Profile(position=self._q())
        self._before = self._effort.read()

    @property
    def target(self) -> float:
        """[rad, m]: within the joint's limits, as the hand feels the stop."""
        return self._target

    @target.setter
    def target(self, position: float) -> None:
        low, high = self._limits
        self._target = max(low, min(high, position))

    def push(self, dt: float) -> None:
        """The effort for the next step, beside one that was held before."""
        error = self._way.follow(self.target, dt, SPEED, ACCELERATION) - self._q()
        self._sum += self._I * self._K * error * dt
        pull = self._K * error + self._D * (self._way.velocity - self._v())
        self._effort.write(self._before + pull + self._sum)

    @classmethod
    def jam(cls, sim: Simulation, joint: str) -> Hand:
        """A joint that is stuck where it stands: as stiff as the step allows."""
        return cls(sim, joint, frequency=JAM / sim.dt, integral=0.0)

    def release(self) -> None:
        self._effort.write(self._before)


def limits_of(sim: Simulation, joint: str) -> tuple[float, float]:
    """Of a coordinate that has some [rad, m]."""
    for j in sim.robot.joints.values():
        for name, axis in zip(j.axis_coordinates, j.axes, strict=True):
            if name == joint and axis.limits.lower < axis.limits.upper:
                return axis.limits.lower, axis.limits.upper
    return -inf, inf
