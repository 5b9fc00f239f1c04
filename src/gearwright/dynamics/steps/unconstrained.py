"""Steps without constraint rows, as lists of their calls: semi-implicit Euler, Runge–Kutta."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.motion import Model
from gearwright.dynamics.tree.coordinates import State

Step = Callable[[Model, State, list[Scalar], Scalar], State]


def semi_implicit_euler(model: Model, state: State, effort: list[Scalar], dt: Scalar) -> State:
    """`M̂·Δu = dt·(τ − h − D·v − K·(q + dt·v − q₀))` with `M̂ = M + dt·D + dt²·K`: dampers and springs act at the end.

    Of actuators, only the rotors turn.
    """
    tree = model.tree(state)
    at = model.configuration(tree)
    force = model.force(at, tree, effort, ahead=dt)
    u = state.u + dt * model.factorised(model.implicit_mass_matrix(at, tree, dt)).solve(force)
    return State(model.advanced(state.q, u, dt), u)


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
