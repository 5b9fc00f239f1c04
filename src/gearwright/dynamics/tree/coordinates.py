"""Independent coordinates: how the tree follows from them, and how they advance in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.tree.bodies import Bodies, Body
from gearwright.dynamics.tree.joints import BallFreedom, quaternion_advanced, quaternion_normalised
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import Reduction, TreeState


class State(NamedTuple):
    """Independent positions and velocities; also their rates."""

    q: list[Scalar]
    u: list[Scalar]


@dataclass(frozen=True)
class Coordinates:
    """The bodies and how their coordinates depend on the independent ones."""

    bodies: Bodies
    reduction: Reduction

    @property
    def dof(self) -> int:
        return len(self.reduction.velocities)

    # --- from the state to the tree --------------------------------------------------------------------------------

    def tree(self, state: State) -> TreeState:
        return self.reduction.expand(state.q, state.u, len(self.bodies.positions), len(self.bodies.velocities))

    def configuration(self, tree: TreeState) -> Configuration:
        return self.configuration_at(tree.q)

    def configuration_at(self, q: list[Scalar]) -> Configuration:
        return Configuration.at(self.bodies, q)

    # --- integration -----------------------------------------------------------------------------------------------

    @cached_property
    def balls(self) -> list[tuple[list[int], list[int]]]:
        """Quaternions: the independent positions of each, and the velocities that turn it."""
        q = {i: n for n, i in enumerate(self.reduction.positions)}
        u = {k: n for n, k in enumerate(self.reduction.velocities)}
        return [([q[i] for i in b.positions], [u[k] for k in b.velocities]) for b in self.ball_bodies]

    @cached_property
    def ball_bodies(self) -> list[Body]:
        """The bodies that ball joints carry, in the order of `balls`."""
        return [b for b in self.bodies.bodies if isinstance(b.freedom, BallFreedom)]

    @cached_property
    def plain(self) -> list[tuple[int, int]]:
        """The other positions: index of each, and of its velocity."""
        i, k = ({n for ball in self.balls for n in ball[side]} for side in (0, 1))
        nq, nu = len(self.reduction.positions), self.dof
        return [*zip((n for n in range(nq) if n not in i), (n for n in range(nu) if n not in k), strict=True)]

    def advanced(self, q: list[Scalar], u: list[Scalar], dt: Scalar) -> list[Scalar]:
        """`q ⊕ dt·u`: quaternions by the exponential map."""
        new = list(q)
        for i, k in self.plain:
            new[i] = q[i] + dt * u[k]
        for four, three in self.balls:
            turned = quaternion_advanced([q[i] for i in four], Vector(*(u[k] for k in three)) * dt)
            for i, value in zip(four, turned, strict=True):
                new[i] = value
        return new

    def combined(self, state: State, rates: Sequence[State], weights: Sequence[float], dt: Scalar) -> State:
        """`state + dt·Σ wᵢ·rateᵢ`."""

        def moved(x: list[Scalar], part: int) -> list[Scalar]:
            new = []
            for n, value in enumerate(x):
                slope: Scalar = 0.0
                for w, rate in zip(weights, rates, strict=False):
                    slope = slope + w * rate[part][n]
                new.append(value + dt * slope)
            return new

        return State(moved(state.q, 0), moved(state.u, 1))

    def normalised(self, state: State) -> State:
        q = list(state.q)
        for four, _ in self.balls:
            for i, value in zip(four, quaternion_normalised([q[i] for i in four]), strict=True):
                q[i] = value
        return State(q, state.u)
