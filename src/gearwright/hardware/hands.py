"""Hands: a joint dragged by a spring, as a person moves an arm whose torque is off."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gearwright.sim import Simulation

FREQUENCY = 2 * pi * 4.0  # [rad/s] of the spring on the joint's inertia: brisk, and slow against a step
INTEGRAL = FREQUENCY / 4  # [1/s]: a hand makes up for gravity and friction in half a second


class Hand:
    """`τ = K·(target − q) − D·v + ∫`, critically damped on the joint's own inertia."""

    def __init__(self, sim: Simulation, joint: str) -> None:
        port = sim.port(0)
        self._effort, self._q, self._v = port.effort(joint), port.position(joint), port.velocity(joint)
        response = float(sim.impulse_response(joint, joint))
        inertia = 1.0 / response if response > 0.0 else 1.0
        self._K, self._D = inertia * FREQUENCY**2, 2.0 * inertia * FREQUENCY
        self.target, self._sum = self._q(), 0.0  # [rad, m], [N·m, N]
        self._before = self._effort.read()

    def push(self, dt: float) -> None:
        """The effort for the next step, beside one that was held before."""
        error = self.target - self._q()
        self._sum += INTEGRAL * self._K * error * dt
        self._effort.write(self._before + self._K * error - self._D * self._v() + self._sum)

    def release(self) -> None:
        self._effort.write(self._before)
