"""Dry friction by the kinds of `gearwright.model.frictions`.

The level of a kind without states bounds the impulse against a motion, so that it takes energy whatever the level does
with the speed. The level is that of the speed at which a phase begins.

A kind with states is a curve over the rate of its axis: from the states at the start of a step follows what resists
after any way, and the step solves for the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.one_sided_derivative import slope
from gearwright.dynamics.algebra.scalar import Scalar, is_zero, maximum, scalars, simplified, total
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import ConstraintGroup, OneRow
from gearwright.dynamics.solve.curves import Curve
from gearwright.dynamics.solve.terms import Term
from gearwright.model import Axis
from gearwright.model.frictions import FrictionModel
from gearwright.model.transmissions import parameters, with_parameters
from gearwright.tracing import trace

# bracketed Newton steps per solver iteration; 24 converged no better on an arm with bristles of 1e2 to 1e4 N·m/rad
NEWTON_STEPS = 8


@dataclass(frozen=True)
class SpeedFriction:
    """Friction of one axis; `numbers` are the fields that are inputs."""

    name: str
    model: FrictionModel
    numbers: dict[str, Scalar]

    @staticmethod
    def of(name: str, axis: Axis, values: Mapping[str, Scalar]) -> SpeedFriction | None:
        model = axis.dynamics.friction_model
        if model is None or model.states:
            return None
        return SpeedFriction(name, model, _inputs(name, model, values))

    @cached_property
    def _level(self) -> Function:
        names = [*self.numbers]

        def level(speed, numbers):  # type: ignore[no-untyped-def]  # traced
            return with_parameters(self.model, dict(zip(names, numbers, strict=True))).level(speed)

        function: Function = trace(level, [None, len(names)], name=f"friction of {self.name}", returns=[1])
        return function

    def level(self, speed: Scalar) -> Scalar:
        """The most that resists, per axis effort; not below 0."""
        return maximum(simplified(self._level(abs(speed), casadi.vertcat(*self.numbers.values()))), 0.0)


@dataclass(frozen=True)
class FrictionRow(OneRow):
    """Friction with states along one axis. `first`: the place of its first state among those of all frictions."""

    name: str
    model: FrictionModel
    numbers: dict[str, Scalar]
    direction: Callable[[Moment], Sparse]  # of the axis, over the tree's velocities
    first: int = 0

    @staticmethod
    def of(
        name: str, axis: Axis, values: Mapping[str, Scalar], direction: Callable[[Moment], Sparse]
    ) -> Iterator[FrictionRow]:
        model = axis.dynamics.friction_model
        if model is not None and model.states:
            yield FrictionRow(name, model, _inputs(name, model, values), direction)

    @property
    def bounded(self) -> bool:
        return False

    @property
    def states(self) -> slice:
        """Places of its states."""
        return slice(self.first, self.first + len(self.model.states))

    def act(self, now: Moment) -> list[Term]:
        """`λ = −span·F`. A stiff friction is taken at the end of a phase, as all stiff forces are."""
        J, phase, own = self.direction(now), now.phase, [*now.friction[self.states], *self.numbers.values()]
        along = combined(J, now.tree.G)
        mean = phase.known_rate(along)
        rate = mean if is_zero(phase.travel) else total(*(x * now.tree.v[k] for k, x in J.items()))
        steepness = -simplified(self._sampled(rate, casadi.vertcat(1.0, 0.0, 0.0, now.dt, now.dt, *own))[1])
        at = phase.sample(along, steepness)
        begun = now.dt if is_zero(phase.travel) else 0.0  # how long positions have gone on with the mean rate
        arguments = [phase.span, 0.0, begun * mean + at.shift, at.ahead, begun + at.time, *own]
        return [Curve(J, self._sampled, arguments, newton_steps=NEWTON_STEPS)]

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        return {k: x * impulses[0] for k, x in self.direction(now).items()}

    def after(self, now: Moment, mean: Sequence[Scalar], friction: Sequence[Scalar]) -> list[Scalar]:
        """Its states after a step with these mean velocities of the tree."""
        moved = now.dt * total(*(x * mean[k] for k, x in self.direction(now).items()))
        own, numbers = (casadi.vertcat(*x) for x in (friction[self.states], self.numbers.values()))
        return scalars(self._response(moved, now.dt, own, numbers)[1])

    @cached_property
    def _response(self) -> Function:
        """(way, time, states, numbers) → effort, and the states then."""
        names = [*self.numbers]

        def respond(moved, time, state, numbers):  # type: ignore[no-untyped-def]  # traced
            model = with_parameters(self.model, dict(zip(names, numbers, strict=True)))
            effort, after = model.respond(moved, time, tuple(state))
            return effort, list(after)

        sizes, count = [None, None, len(self.model.states), len(names)], len(self.model.states)
        function: Function = trace(respond, sizes, name=f"friction of {self.name}", returns=[1, count])
        return function

    @cached_property
    def _sampled(self) -> Function:
        """(rate, arguments) → impulse in a phase, and its slope over the rate, not above 0.

        The arguments: span, one that a curve has and a friction has not, way at rate 0, by how much it grows with the
        rate, time, states, numbers.
        """
        count = len(self.model.states)
        r, x = SX.sym("r"), SX.sym("x", 5 + count + len(self.numbers))
        span, way, ahead, time = x[0], x[2], x[3], x[4]
        effort, _ = self._response(way + ahead * r, time, x[5 : 5 + count], x[5 + count :])
        value = Function("impulse", [r, x], [-(span * effort)])
        return Function("sampled", [r, x], [value(r, x), casadi.fmin(slope(value, [r, x]), 0.0)])


def _inputs(name: str, model: FrictionModel, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Fields of a model that are inputs of the equations."""
    own = {n: values[f"{name}.friction_model.{n}"] for n in parameters(model)}
    return {n: x for n, x in own.items() if not isinstance(x, float)}


def numbered(groups: Sequence[ConstraintGroup]) -> list[ConstraintGroup]:
    """The groups, with places for the states of those that are frictions."""
    found, first = list(groups), 0
    for i, group in enumerate(groups):
        if isinstance(group, FrictionRow):
            found[i] = replace(group, first=first)
            first += len(group.model.states)
    return found
