"""One actuator in the equations: its gear, its law over the speed, and that law sampled in a phase of a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import casadi
from casadi import SX, Function

from gearwright.dynamics.actuation.gears import ActuatorAxis, ConstantRatio, Gear
from gearwright.dynamics.algebra.one_sided_derivative import slope
from gearwright.dynamics.algebra.scalar import (
    Expression,
    Scalar,
    expression,
    is_zero,
    maximum,
    scalars,
    simplified,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.friction import FrictionAxis
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.solve.curves import Curve
from gearwright.dynamics.solve.terms import Line, rate
from gearwright.dynamics.tree.reduction import TreeState
from gearwright.model import Actuator, Losses
from gearwright.model.actuators.actuator import Shaft, StepMeans
from gearwright.model.transmissions import with_parameters
from gearwright.model.transmissions.losses import backward
from gearwright.tracing import trace

HALVINGS = 24  # of a bracket: to 1e-7 of it, where what is left is a straight line
REACH = 4.0  # of the speed that an actuator gains in a step by itself: what pulls along may add to it
# what may make a law jump: a jump has no slope to be known by
JUMPS = {
    casadi.OP_LT,
    casadi.OP_LE,
    casadi.OP_EQ,
    casadi.OP_NE,
    casadi.OP_SIGN,
    casadi.OP_FLOOR,
    casadi.OP_CEIL,
    casadi.OP_COPYSIGN,
    casadi.OP_FMOD,
    casadi.OP_REMAINDER,
}


class ActuatorLinearization(NamedTuple):
    """An actuator at the start of a step."""

    seen: ActuatorAxis
    effort: Scalar  # τ(ω)
    slope: Scalar  # s
    ripple: Scalar = 0.0  # by how much T of a gear was more in the first half of the last step than on average [N·m, N]
    load: Scalar = 0.0  # what its gear passed on in the last step, on average [N·m, N]


class Taken(NamedTuple):
    """Position and speed of an actuator's axis where its effort is taken."""

    position: Scalar
    speed: Scalar


class ShaftSample(NamedTuple):
    """The same before the rate along J is known."""

    J: Sparse  # over the independent velocities
    position: Scalar  # at rate 0, as the speed is
    speed: Scalar
    ahead: Scalar  # by which the position grows with the rate [s]
    share: Scalar  # of the rate in the speed

    def mapped(self, change: Callable[[Scalar], Scalar]) -> ShaftSample:
        J = {n: change(x) for n, x in self.J.items()}
        return ShaftSample(J, *map(change, self[1:]))

    def at(self, u: Sequence[Scalar]) -> Taken:
        r = rate(self.J, u)
        return Taken(self.position + self.ahead * r, self.speed + self.share * r)


@dataclass(frozen=True)
class ActuatorUnit:
    """One actuator. `command` is its place among the commands, `states` the places of its states."""

    actuator: Actuator
    gear: Gear
    inertia: Scalar
    damping: Scalar  # its own and the transmission's
    friction: Scalar
    losses: Losses  # of its transmission
    command: int
    states: tuple[int, ...]
    parameters: Mapping[str, Scalar] = field(default_factory=dict)  # its numbers that are inputs
    efficiency_inputs: dict[str, Scalar] = field(default_factory=dict)  # numbers that its gear's efficiency depends on
    body: Scalar = 0.0  # inertia of a rotor that is a body of its own [kg·m², kg]
    averaged: bool = False  # whether its effort is the mean of a step
    supply: dict[str, Scalar] = field(default_factory=dict)  # voltage and resistance of a supply that it shares
    frictions: tuple[FrictionAxis, ...] = ()  # models of its own and of its transmission

    @property
    def name(self) -> str:
        return self.actuator.name

    # --- dry friction -----------------------------------------------------------------------------------------------

    @property
    def dry(self) -> tuple[FrictionAxis, ...]:
        """Models of its dry friction."""
        return tuple(f for f in self.frictions if f.model.dry)

    @property
    def has_dry_friction(self) -> bool:
        """Whether there is dry friction on its axis."""
        return bool(self.dry) or not is_zero(self.friction)

    @property
    def by_load(self) -> bool:
        """Whether that depends on what acts."""
        return any(f.model.by_load for f in self.dry)

    def friction_at(self, now: Moment) -> Scalar:
        """The most that resists along its axis."""
        return total(self.friction, *(f.level(now) for f in self.dry))

    # --- its law ----------------------------------------------------------------------------------------------------

    def with_numbers(self, numbers: Iterable[Scalar]) -> Actuator:
        """The actuator with these in place of its numbers that are inputs."""
        mine = copy(self.actuator)
        mine.__dict__.update(zip(self.parameters, numbers, strict=True))
        return mine

    @cached_property
    def response(self) -> Function:
        """(command, speed, position, state, dt, parameters) → effort."""

        def respond(command, speed, position, state, dt, numbers):  # type: ignore[no-untyped-def]  # traced
            shaft = Shaft(position, speed, dt, speed if self.averaged else None)
            return self.with_numbers(numbers).respond(command, shaft, tuple(state))[0]

        sizes = [None, None, None, len(self.states), None, len(self.parameters)]
        function: Function = trace(respond, sizes, name=f"actuator {self.name}", returns=[1])
        return function

    @cached_property
    def state_after(self) -> Function:
        """(command, speed, position, state, dt, parameters, speed at the end, mean effort and speed, position at the
        end) → next state.
        """

        def respond(  # type: ignore[no-untyped-def]
            command, speed, position, state, dt, numbers, end, effort, mean, reached
        ):
            shaft = Shaft(position, speed, dt, end if self.averaged else None, StepMeans(effort, mean), reached)
            return list(self.with_numbers(numbers).respond(command, shaft, tuple(state))[1])

        sizes = [None, None, None, len(self.states), None, len(self.parameters), None, None, None, None]
        function: Function = trace(respond, sizes, name=f"actuator {self.name}", returns=[len(self.states)])
        return function

    @property
    def mean_states(self) -> list[int]:
        """Places of the states that are means over a step."""
        own = self.with_numbers([Expression(SX.sym(name)) for name in self.parameters]).mean_states
        return [i for i, name in zip(self.states, self.actuator.states, strict=True) if name in own]

    @cached_property
    def law(self) -> Function:
        """(speed, [command, position at the start, dt, states …, parameters …]) → effort, and its slope over speed."""
        w, x = SX.sym("w"), SX.sym("x", 3 + len(self.states) + len(self.parameters))
        command, start, dt = x[0], x[1], x[2]
        state, numbers = x[3 : 3 + len(self.states)], x[3 + len(self.states) :]
        effort = self.response(command, w, start + dt * w, state, dt, numbers)
        return Function("law", [w, x], [effort, slope(Function("effort", [w, x], [effort]), [w, x])])

    @cached_property
    def drive(self) -> Function | None:
        """The same of what a drive with gains wants, whatever it has: the steep line between its limits.

        Newton's method finds the effort of such a law from its steep part, and never ends if it sets out from a limit.
        """
        wanted = self.wanted
        if wanted is None:
            return None
        w, x = SX.sym("w"), SX.sym("x", self.law.numel_in(1))
        state, numbers = x[3 : 3 + len(self.states)], x[3 + len(self.states) :]
        effort = wanted(x[0], w, x[1] + x[2] * w, x[2], state, numbers)
        return Function("drive", [w, x], [effort, casadi.jacobian(effort, w)])

    @cached_property
    def curved(self) -> bool:
        """Whether the effort over the speed is anything but a straight line that does not rise."""
        w, x = SX.sym("w"), SX.sym("x", self.law.numel_in(1))
        _, slope = self.law(w, x)
        falls = isinstance(self.slope, float) and self.slope <= 0.0
        return self.jumps or (self.actuator.may_rise and not falls) or bool(casadi.depends_on(slope, w))

    @property
    def slope(self) -> Scalar:
        """Over the speed, anywhere."""
        return simplified(self.law.call(self.law.sx_in())[1])

    @property
    def depends_on_motion(self) -> bool:
        """Whether its effort changes with its position or speed within a step."""
        return bool(self.drive) or self.curved or not is_zero(self.slope)

    @cached_property
    def jumps(self) -> bool:
        """Whether the effort may jump, which its slope does not show: it has a choice in it."""
        w, x = SX.sym("w"), SX.sym("x", self.law.numel_in(1))
        return _jumps(Function("effort", [w, x], [self.law(w, x)[0]]))

    @property
    def newton_steps(self) -> int:
        """Steps of Newton's method in a sweep: more where the law is flat, steep and flat again.

        A drive's steep part is its line, from which two steps lead to either limit; where a velocity limit or a jump
        lies has to be found by halving.
        """
        bends = len(self.actuator.torque_speed) > 2  # a table may be flat, steep and flat again
        return HALVINGS if self.jumps or bends else 3 if self.drive else 1

    @property
    def friction_coordinate(self) -> tuple[int, Scalar] | None:
        """The one coordinate that it turns with, and the ratio; None if there is none, or losses depend on the load."""
        if not isinstance(self.gear, ConstantRatio) or not self.efficient:
            return None
        turned = [(k, r) for r, (_, k) in zip(self.gear.ratios, self.gear.axes, strict=True) if not is_zero(r)]
        return turned[0] if len(turned) == 1 else None

    @property
    def efficient(self) -> bool:
        """Whether its transmission loses nothing in proportion to the load, whatever the inputs are."""
        return self.losses.efficient and not self.efficiency_inputs

    def efficiencies_at(
        self, load: Scalar, speed: Scalar, inputs: Sequence[Scalar] | None = None
    ) -> tuple[Scalar, Scalar]:
        """η of its transmission at this load and speed of its axis, from the actuator to the joints and back.

        `inputs`: values of `efficiency_inputs`, where they are not those.
        """
        losses = self.losses
        numbers = [*self.efficiency_inputs.values()] if inputs is None else inputs
        if not losses.varies:
            forward = numbers[0] if numbers else losses.efficiency
            own = losses.backward_efficiency
            return forward, backward(forward) if own is None else own
        found = self._efficiencies(load, speed, casadi.vertcat(*numbers))
        return simplified(found[0]), simplified(found[1])

    @cached_property
    def _efficiencies(self) -> Function:
        """(load, speed, numbers of the map) → η, η_b."""
        names = [*self.efficiency_inputs]

        def efficiency(load, speed, numbers):  # type: ignore[no-untyped-def]  # traced
            losses = self.losses
            if names:
                losses = replace(losses, own=with_parameters(losses.own, dict(zip(names, numbers, strict=True))))
            return losses.efficiency_at(load, speed), losses.backward_efficiency_at(load, speed)

        sizes = [None, None, len(names)]
        function: Function = trace(efficiency, sizes, name=f"efficiency {self.name}", returns=[1, 1])
        return function

    def arguments(
        self, seen: ActuatorAxis, command: Sequence[Scalar], memory: Sequence[Scalar], dt: Scalar
    ) -> list[Scalar]:
        own = [memory[i] for i in self.states]
        return [command[self.command], seen.position, dt, *own, *self.parameters.values()]

    def acting(
        self, tree: TreeState, command: Sequence[Scalar], memory: Sequence[Scalar], dt: Scalar
    ) -> ActuatorLinearization:
        seen = self.gear.seen(tree, memory[self.command])
        arguments = casadi.vertcat(*self.arguments(seen, command, memory, dt))
        effort, touching = self.law(seen.speed, arguments)
        return ActuatorLinearization(seen, simplified(effort), maximum(-simplified(touching), 0.0))

    @cached_property
    def sampled(self) -> Function:
        """(rate, arguments) → impulse in a phase, its slope over the rate; the same of a drive without its limits.

        The arguments: command, position and speed at rate 0, their shares of the rate, span, dt, states, parameters.
        """
        r, x = SX.sym("r"), SX.sym("x", 7 + len(self.states) + len(self.parameters))
        command, position, speed, ahead, share, span, dt = (x[i] for i in range(7))
        state, numbers = x[7 : 7 + len(self.states)], x[7 + len(self.states) :]
        rate = speed + share * r
        effort = self.response(command, rate, position + ahead * r, state, dt, numbers)
        value = Function("impulse", [r, x], [span * effort])
        falling = casadi.fmin(slope(value, [r, x]), 0.0)
        outputs = [value(r, x), falling]
        if self.wanted is not None:
            steep = span * self.wanted(command, speed + share * r, position + ahead * r, dt, state, numbers)
            outputs += [steep, casadi.jacobian(steep, r)]
        return Function("sampled", [r, x], outputs)

    @cached_property
    def wanted(self) -> Function | None:
        """(command, speed, position, dt, state, parameters) → unsaturated effort of a drive with gains."""
        if not self.actuator.follows:
            return None

        def want(command, speed, position, dt, state, numbers):  # type: ignore[no-untyped-def]  # traced
            return self.with_numbers(numbers).unsaturated(command, Shaft(position, speed, dt), tuple(state))

        sizes = [None, None, None, None, len(self.states), len(self.parameters)]
        function: Function = trace(want, sizes, name=f"drive {self.name}", returns=[1])
        return function

    def acts(self, now: Moment, index: int) -> Line | Curve:
        """Its effort over the rate of its axis."""
        A, arguments = self.sampling(now, index)
        if self.curved:
            return Curve(A, self.sampled, arguments, self.newton_steps)
        constant, slope = self.sampled.call([0.0, casadi.vertcat(*arguments)])[:2]
        return Line(A, simplified(constant), -simplified(slope))

    def taken(self, now: Moment, index: int) -> ShaftSample:
        """Where its effort is taken in a phase."""
        A, arguments = self.sampling(now, index)
        return ShaftSample(combined(A, now.tree.G), *arguments[1:5])

    def sampling(self, now: Moment, index: int) -> tuple[Sparse, list[Scalar]]:
        """Its direction, and the arguments of `sampled`."""
        seen = self.gear.seen(now.tree, now.memory[self.command])
        own = [now.memory[i] for i in self.states]
        along, acting = combined(seen.A, now.tree.G), now.acting[index]
        steepness, speed = acting.slope, acting.seen.speed
        given = [now.command[self.command], seen.position, now.h, *own, *self.parameters.values()]
        if is_zero(now.phase.travel) and self.curved:  # as steep as it is where the first half has ended
            speed = now.phase.known_rate(along)
            _, falling = self.law(speed, casadi.vertcat(*given))
            steepness = maximum(-simplified(falling), 0.0)
        if self.curved and self.drive is not None:
            steepness = maximum(steepness, self._arrival(now, along, given, speed, acting.effort))
        at = now.phase.sample(along, steepness)
        return seen.A, [
            now.command[self.command], seen.position + at.shift, at.known, at.ahead, at.share,
            now.phase.acts_for, now.h, *own, *self.parameters.values(),
        ]  # fmt: skip

    def _arrival(self, now: Moment, along: Sparse, given: Sequence[Scalar], speed: Scalar, effort: Scalar) -> Scalar:
        """The slope of a drive's gains in a step in which it may leave its limit; else 0.

        It does where the speed at which it wants nothing is within reach. Taken for flat there, a stiff drive would
        swing about its target from one limit to the other.
        """
        assert self.drive is not None
        wanted, falling = (expression(x) for x in self.drive(speed, casadi.vertcat(*given)))
        response = total(*(x * x / now.diagonal[n] for n, x in along.items()))
        reach = REACH * (now.h * (abs(effort) * response))
        return where(abs(wanted) <= (reach * -falling), -falling, 0.0)

    def after(
        self, tree: TreeState, mean: TreeState, taken: Taken, effort: Scalar, command: Sequence[Scalar],
        memory: Sequence[Scalar], dt: Scalar,
    ) -> list[Scalar]:  # fmt: skip
        """Its states after a step: `tree` at the end, `mean` there with the mean velocities; `effort` acted."""
        own = casadi.vertcat(*(memory[i] for i in self.states))
        numbers = casadi.vertcat(*self.parameters.values())
        there = self.gear.seen(tree, memory[self.command])
        speed = self.gear.seen(mean, memory[self.command]).speed
        means = there.speed, effort, speed, there.position
        given = command[self.command], taken.speed, taken.position, own, dt, numbers, *means
        return scalars(SX(self.state_after(*given)))


def _jumps(effort: Function) -> bool:
    """Whether there is a choice in it that depends on its first argument."""
    depends: set[int] = set()  # places in its work vector
    for k in range(effort.n_instructions()):
        what, read = effort.instruction_id(k), effort.instruction_input(k)
        own = read[0] == 0 if what == casadi.OP_INPUT else any(i in depends for i in read)
        if own and what in JUMPS:
            return True
        if what != casadi.OP_OUTPUT:
            depends = depends | {*effort.instruction_output(k)} if own else depends - {*effort.instruction_output(k)}
    return False
