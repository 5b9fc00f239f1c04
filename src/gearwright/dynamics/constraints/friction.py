"""Friction by the kinds of `gearwright.model.frictions`, along axes of joints, transmissions and motors.

Dry friction has a level that bounds the impulse against a motion, so that it takes energy whatever the level does with
speed and load, and holds exactly. The level is that of the rates that a phase is expected to have.

What resists smoothly, and friction with states, are curves over the rate of the axis: the step solves for the motion
and the friction together. Bristles are in `bristles`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.one_sided_derivative import slope
from gearwright.dynamics.algebra.scalar import Scalar, expression, is_zero, maximum, scalars, simplified, total
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import Instant, OneRow
from gearwright.dynamics.solve.curves import Curve
from gearwright.dynamics.solve.terms import Line, Term
from gearwright.model.frictions import FrictionModel
from gearwright.model.transmissions import parameters, with_parameters
from gearwright.tracing import trace

# bracketed Newton steps per solver iteration; 24 converged no better on an arm with bristles of 1e2 to 1e4 N·m/rad
NEWTON_STEPS = 8
Seen = Callable[[Instant | Moment], tuple[Scalar, Sparse]]  # an axis' position, and its direction


@dataclass(frozen=True)
class FrictionAxis:
    """An axis with a friction model; `numbers` are the model's fields that are inputs.

    `seen`: the axis' position, and its direction over the tree's velocities. `states`: places of the model's states
    among those of all frictions.
    """

    name: str
    model: FrictionModel
    numbers: dict[str, Scalar]
    seen: Seen
    states: tuple[int, ...] = ()

    @staticmethod
    def of(
        name: str, model: FrictionModel | None, values: Mapping[str, Scalar], seen: Seen, states: tuple[int, ...] = (),
        group: str = "friction_model",
    ) -> FrictionAxis | None:  # fmt: skip
        """`values`: all numbers of the mechanism, this model's as `name.group.…`."""
        if model is None:
            return None
        own = {n: values[f"{name}.{group}.{n}"] for n in parameters(model)}
        return FrictionAxis(name, model, {n: x for n, x in own.items() if not isinstance(x, float)}, seen, states)

    @property
    def inputs(self) -> SX:
        return casadi.vertcat(*self.numbers.values())

    def with_numbers(self, numbers: Sequence[Scalar]) -> FrictionModel:
        """The model with these in place of its inputs."""
        return with_parameters(self.model, dict(zip(self.numbers, numbers, strict=True)))

    def direction(self, now: Moment) -> Sparse:
        return self.seen(now)[1]

    # --- its states -------------------------------------------------------------------------------------------------

    def state(self, friction: Sequence[Scalar]) -> SX:
        return casadi.vertcat(*(friction[i] for i in self.states))

    def after(self, moved: Scalar, time: Scalar, state: SX) -> SX:
        """Its states after a way."""
        return self._following(moved, time, state, self.inputs)

    @cached_property
    def _following(self) -> Function:
        """(way, time, states, numbers) → the states then."""

        def follow(moved, time, state, numbers):  # type: ignore[no-untyped-def]  # traced
            return list(self.with_numbers(numbers).follow(moved, time, tuple(state)))

        count = len(self.states)
        sizes = [None, None, count, len(self.numbers)]
        function: Function = trace(follow, sizes, name=f"friction of {self.name}", returns=[count])
        return function

    # --- its level --------------------------------------------------------------------------------------------------

    @cached_property
    def _level(self) -> Function:
        def level(speed, motor, external, state, numbers):  # type: ignore[no-untyped-def]  # traced
            model = self.with_numbers(numbers)
            return model.level_in(speed, tuple(state)) if self.states else model.level_under(speed, motor, external)

        sizes = [None, None, None, len(self.states), len(self.numbers)]
        function: Function = trace(level, sizes, name=f"friction of {self.name}", returns=[1])
        return function

    def level(self, now: Moment) -> Scalar:
        """The most that resists, per axis effort; not below 0."""
        J = self.direction(now)
        speed = abs(total(*(x * now.speeds[k] for k, x in J.items())))
        motor, external = self.loads(now, J) if self.model.by_load else (0.0, 0.0)
        return maximum(simplified(self._level(speed, motor, external, self._state_in(now, J), self.inputs)), 0.0)

    def _state_in(self, now: Moment, J: Sparse) -> SX:
        """Its states where a phase begins: after the way of the step, where positions have gone on."""
        own = self.state(now.friction) if self.states else SX(0, 1)
        if not self.states or not is_zero(now.phase.travel):
            return own
        return self.after(now.h * now.phase.known_rate(combined(J, now.tree.G)), now.h, own)

    def loads(self, now: Moment, J: Sparse) -> tuple[Scalar, Scalar]:
        """Efforts along the axis, of motors and from outside: `J·τ/(J·Jᵀ)`, which is the effort itself for one axis."""
        if now.loads is None:
            return 0.0, 0.0
        size = total(*(x * x for x in J.values()))
        motor, external = (total(*(x * efforts[k] for k, x in J.items())) / size for efforts in now.loads)
        return motor, external


@dataclass(frozen=True)
class SmoothFrictionRow(OneRow):
    """What resists by position and speed: `λ = −span·F(x, v)`."""

    axis: FrictionAxis

    @property
    def name(self) -> str:
        return self.axis.name

    @property
    def bounded(self) -> bool:
        return False

    def act(self, now: Moment) -> list[Term]:
        """As stiff as it is at the speed that is expected."""
        position, J = self.axis.seen(now)
        phase, own = now.phase, [*self.axis.numbers.values()]
        along = combined(J, now.tree.G)
        speed = total(*(x * now.speeds[k] for k, x in J.items()))
        by_speed, by_position = self._slopes(position, speed, self.axis.inputs)
        steepness = maximum(expression(by_speed), 0.0) + now.h * maximum(expression(by_position), 0.0)
        at = phase.sample(along, simplified(steepness))
        arguments = [phase.acts_for, position + at.shift, at.known, at.ahead, at.share, *own]
        if self._linear:
            constant, slope = self._sampled.call([0.0, casadi.vertcat(*arguments)])
            return [Line(J, simplified(constant), -simplified(slope))]
        return [Curve(J, self._sampled, arguments, newton_steps=NEWTON_STEPS)]

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        return {k: x * impulses[0] for k, x in self.axis.direction(now).items()}

    def stored(self, now: Instant) -> Scalar:
        position, _ = self.axis.seen(now)
        return simplified(self._energy(position, self.axis.inputs))

    @cached_property
    def _resisting(self) -> Function:
        """(position, speed, numbers) → effort."""

        def resist(position, speed, numbers):  # type: ignore[no-untyped-def]  # traced
            return self.axis.with_numbers(numbers).resist(position, speed)

        sizes = [None, None, len(self.axis.numbers)]
        function: Function = trace(resist, sizes, name=f"friction of {self.name}", returns=[1])
        return function

    @cached_property
    def _energy(self) -> Function:
        def stored(position, numbers):  # type: ignore[no-untyped-def]  # traced
            return self.axis.with_numbers(numbers).stored(position) + 0.0 * position

        sizes = [None, len(self.axis.numbers)]
        function: Function = trace(stored, sizes, name=f"energy of {self.name}", returns=[1])
        return function

    @cached_property
    def _slopes(self) -> Function:
        """(position, speed, numbers) → slopes of the effort over speed and position."""
        x, v, n = SX.sym("x"), SX.sym("v"), SX.sym("n", len(self.axis.numbers))
        effort = self._resisting(x, v, n)
        return Function("slopes", [x, v, n], [casadi.jacobian(effort, v), casadi.jacobian(effort, x)])

    @cached_property
    def _sampled(self) -> Function:
        """(rate, arguments) → impulse in a phase, and its slope over the rate, not above 0.

        The arguments: span, position and speed at rate 0, their shares of the rate, numbers.
        """
        r, x = SX.sym("r"), SX.sym("x", 5 + len(self.axis.numbers))
        span, position, known, ahead, share = (x[i] for i in range(5))
        effort = self._resisting(position + ahead * r, known + share * r, x[5:])
        value = Function("impulse", [r, x], [-(span * effort)])
        return Function("sampled", [r, x], [value(r, x), casadi.fmin(slope(value, [r, x]), 0.0)])

    @cached_property
    def _linear(self) -> bool:
        """Whether it is a damper."""
        x, v, n = SX.sym("x"), SX.sym("v"), SX.sym("n", len(self.axis.numbers))
        effort = self._resisting(x, v, n)
        bent = casadi.depends_on(casadi.jacobian(effort, v), v) or casadi.depends_on(effort, x)
        return not bent


@dataclass(frozen=True)
class StateRow(OneRow):
    """The states of a friction. By itself it adds no effort to that of its level, which is in dry friction."""

    axis: FrictionAxis
    size: ClassVar[int] = 0

    @property
    def name(self) -> str:
        return self.axis.name

    @property
    def bounded(self) -> bool:
        return False

    def act(self, now: Moment) -> list[Term]:
        return []

    @property
    def model(self) -> FrictionModel:
        return self.axis.model

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        effort = total(*impulses)
        return {k: x * effort for k, x in self.axis.direction(now).items()} if impulses else {}

    def after(self, now: Moment, mean: Sequence[Scalar], friction: Sequence[Scalar]) -> dict[int, Scalar]:
        """Its states by place after a step with these mean velocities of the tree."""
        moved = now.h * total(*(x * mean[k] for k, x in self.axis.direction(now).items()))
        after = self.axis.after(moved, now.h, self.axis.state(friction))
        return dict(zip(self.axis.states, scalars(after), strict=True))


@dataclass(frozen=True)
class FrictionRow(StateRow):
    """As a curve over the rate: from the states at the start of a step follows what resists after any way."""

    size: ClassVar[int] = 1

    def act(self, now: Moment) -> list[Term]:
        """`λ = −span·F`. A stiff friction is taken at the end of a phase, as all stiff forces are."""
        own = [*(now.friction[i] for i in self.axis.states), *self.axis.numbers.values()]
        J, phase = self.axis.direction(now), now.phase
        along = combined(J, now.tree.G)
        mean = phase.known_rate(along)
        rate = mean if is_zero(phase.travel) else total(*(x * now.tree.v[k] for k, x in J.items()))
        steepness = -simplified(self._sampled(rate, casadi.vertcat(1.0, 0.0, 0.0, now.h, now.h, *own))[1])
        at = phase.sample(along, steepness)
        begun = now.h if is_zero(phase.travel) else 0.0  # how long positions have gone on with the mean rate
        arguments = [phase.acts_for, 0.0, begun * mean + at.shift, at.ahead, begun + at.time, *own]
        return [Curve(J, self._sampled, arguments, newton_steps=NEWTON_STEPS)]

    @cached_property
    def _sampled(self) -> Function:
        """(rate, arguments) → impulse in a phase, and its slope over the rate, not above 0.

        The arguments: span, one that a curve has and a friction has not, way at rate 0, by how much it grows with the
        rate, time, states, numbers.
        """
        count = len(self.model.states)
        r, x = SX.sym("r"), SX.sym("x", 5 + count + len(self.axis.numbers))
        span, way, ahead, time = x[0], x[2], x[3], x[4]
        effort = self._response(way + ahead * r, time, x[5 : 5 + count], x[5 + count :])
        value = Function("impulse", [r, x], [-(span * effort)])
        return Function("sampled", [r, x], [value(r, x), casadi.fmin(slope(value, [r, x]), 0.0)])

    @cached_property
    def _response(self) -> Function:
        """(way, time, states, numbers) → effort."""

        def respond(moved, time, state, numbers):  # type: ignore[no-untyped-def]  # traced
            return self.axis.with_numbers(numbers).respond(moved, time, tuple(state))[0]

        sizes = [None, None, len(self.axis.states), len(self.axis.numbers)]
        function: Function = trace(respond, sizes, name=f"friction of {self.name}", returns=[1])
        return function
