"""A step without constraint rows, as the list of its calls. State is the independent coordinates: q and u.

`predicted` also serves the sweeps: with rows, `u⁺ = u* + M̂⁻¹·Jᵀ·λ` comes before the positions advance (`sweep`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.scalar import Scalar, plus, times
from gearwright.dynamics.motion import Model
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState

Step = Callable[[Model, State, list[Scalar], Scalar], State]


class Prediction(NamedTuple):
    """The velocities without rows, and what the rows need to change them."""

    tree: TreeState
    at: Configuration
    acting: list[ActuatorLinearization]  # the actuators at the start
    factors: Factors  # of M̂
    u: list[Scalar]  # at the start
    force: list[Scalar]  # τ_u

    def velocities(self, dt: Scalar, push: Sequence[Scalar]) -> list[Scalar]:
        """`u* + M̂⁻¹·push`, u* being the velocities without rows."""
        impulse = [plus(times(dt, f), p) for f, p in zip(self.force, push, strict=True)]
        return [plus(x, d) for x, d in zip(self.u, self.factors.solve(impulse), strict=True)]


def predicted(
    model: Model, state: State, effort: list[Scalar], dt: Scalar, command: Sequence[Scalar] | None = None,
    memory: Sequence[Scalar] = (),
) -> Prediction:  # fmt: skip
    """`M̂·Δu = dt·(τ − h − D·v − K·(q + dt·v − q₀))` with `M̂ = M + dt·D + dt²·K`: dampers and springs act at the end.

    Actuators are among the efforts, with their lines over the speed in M̂; without commands only their rotors turn.
    """
    tree = model.tree(state)
    at = model.configuration(tree)
    acting = [] if command is None else model.actuation.acting(tree, command, memory, dt)
    M_hat = model.implicit_mass_matrix(at, tree, dt, acting)
    force = model.force(at, tree, model.pushed(tree, effort, acting), ahead=dt)
    return Prediction(tree, at, acting, model.factorised(M_hat), state.u, force)


def semi_implicit_euler(model: Model, state: State, effort: list[Scalar], dt: Scalar) -> State:
    """Without rows."""
    start = predicted(model, state, effort, dt)
    u_star = model.accelerated(start.u, start.factors.solve(start.force), dt)
    return State(model.advanced(state.q, u_star, dt), u_star)


class Tableau(NamedTuple):
    """A Runge–Kutta method by Butcher's coefficients: its stages and its weights."""

    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]

    def step(self, model: Model, state: State, effort: list[Scalar], dt: Scalar) -> State:
        rates: list[State] = []
        for row in self.a:
            stage = model.combined(state, rates, row, dt)
            rates.append(model.rate(stage, effort))
        return model.normalised(model.combined(state, rates, self.b, dt))


RK4 = Tableau(a=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)), b=(1 / 6, 1 / 3, 1 / 3, 1 / 6))

INTEGRATORS: dict[str, Step] = {"euler": semi_implicit_euler, "midpoint": semi_implicit_euler, "rk4": RK4.step}
