"""Pinocchio: its forward dynamics and a semi-implicit Euler step around it. It is a library, not a simulator."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pinocchio

from benchmarks.bench.clock import Runner
from benchmarks.bench.contestant import Array, Contestant
from benchmarks.bench.robots import Robot

pin: Any = pinocchio


class Pinocchio(Contestant):
    """ABA and `integrate` called from Python; ABA knows no couplings. Batches: forward dynamics alone, looped in C++.

    Dampers are implicit as ours are: as armatures of dt·D they stand on the diagonal of M̂.
    """

    title: ClassVar[str] = "Pinocchio"
    package: ClassVar[str] = "pin"
    how: ClassVar[str] = (
        "`aba` and `integrate` called from Python, without couplings; batches: `abaInParallel`, which is forward "
        "dynamics without integration, looped in C++"
    )
    couplings: ClassVar[bool] = False

    def __init__(self, robot: Robot, dt: float) -> None:
        self.model = pin.buildModelFromXML(robot.urdf)
        self.names, self.dt = tuple(self.model.names)[1:], dt
        self.damping = np.array(self.model.damping).reshape(-1)
        self.without_dampers = self.model.copy()
        self.model.armature = np.array(self.model.armature).reshape(-1) + dt * self.damping
        self.data = self.model.createData()
        self.q, self.v = pin.neutral(self.model), np.zeros(self.model.nv)

    def reset(self, position: Array, velocity: Array) -> None:
        self.q, self.v = np.array(position), np.array(velocity)

    def step(self, n: int) -> None:
        model, data, dt, damping, q, v = self.model, self.data, self.dt, self.damping, self.q, self.v
        aba, integrate = pin.aba, pin.integrate
        for _ in range(n):
            v = v + dt * aba(model, data, q, v, -damping * v)
            q = integrate(model, q, dt * v)
        self.q, self.v = q, v

    def position(self) -> Array:
        return np.array(self.q)

    def mass_matrix_and_bias(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        model, data = self.without_dampers, self.without_dampers.createData()
        U = np.triu(pin.crba(model, data, position))
        h = pin.nonLinearEffects(model, data, position, velocity)
        return U + np.triu(U, 1).T, np.array(h)

    def batch(self, positions: Array, threads: int) -> Runner | None:
        if threads > 1 or not hasattr(
            pin, "abaInParallel"
        ):  # OpenMP's threads spin: times on a busy machine vary 50-fold
            return None
        pool = pin.ModelPool(self.model, threads)
        q, still = np.asfortranarray(positions.T), np.zeros((self.model.nv, len(positions)), order="F")
        result = np.zeros_like(still)

        def run(n: int) -> None:
            for _ in range(n):
                pin.abaInParallel(threads, pool, q, still, still, result)

        return Runner(prepare=lambda: None, run=run, robots=len(positions))
