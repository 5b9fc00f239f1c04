"""Actuators in the equations: each is an inertia, a damper and an effort on its own axis, `v_a = A·v`.

Its effort is a function of the speed at the end of the step, τ(ω⁺). The step takes it as the line that touches it at
the speed ω of the step's start,

    τ ≈ τ(ω) − s·(ω⁺ − ω),     s = max(0, −∂τ/∂ω)

so that `M̂ = M + Aᵀ·(I + dt·d + dt·s)·A` holds rotor, friction and the motor's slope (`motion`). Where τ is no straight
line, a row makes up for the rest, `λ = dt·(τ(ω⁺) − line(ω⁺))`, by Newton's method in the sweeps (`MotorRow`), which
sets out from the steep line of a drive's gains: at the end the effort is τ(ω⁺) itself, at any steepness and step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import NamedTuple

import casadi
from casadi import SX, Function

from gearwright.dynamics.actuation.gears import ActuatorAxis, Bounds, ConstantRatio, Gear, bounds, gears
from gearwright.dynamics.algebra.one_sided_derivative import slope
from gearwright.dynamics.algebra.scalar import (
    Scalar,
    divided,
    greatest,
    is_number,
    is_zero,
    magnitude,
    minus,
    plus,
    scalars,
    times,
    total,
    where,
)
from gearwright.dynamics.constraints.curves import Curve
from gearwright.dynamics.constraints.rows import ForceLaw, Instant, OneRow, Row
from gearwright.dynamics.constraints.terms import Bounded, Moment, Straight, Term, spring_damper
from gearwright.dynamics.parameters import actuator_numbers, device_key
from gearwright.dynamics.solve import VERTICAL, Polyline, Vertex
from gearwright.dynamics.tree.algorithms import Row as Sparse
from gearwright.dynamics.tree.bodies import Bodies
from gearwright.dynamics.tree.reduction import TreeState, combined
from gearwright.errors import CompileError
from gearwright.model import Actuator, AxisRef, LinearTransmission, Mechanism
from gearwright.model.actuators import Shaft
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
    acceleration: Scalar = 0.0  # of its axis in the last step [rad/s², m/s²]
    loss: Scalar = 0.0  # what friction and efficiency put on its axis in the last step [N·m, N]


@dataclass(frozen=True)
class ActuatorUnit:
    """One actuator. `command` is its place among the commands, `states` the places of what it remembers."""

    actuator: Actuator
    gear: Gear
    inertia: Scalar
    damping: Scalar  # its own and the transmission's
    friction: Scalar
    efficiency: Scalar
    command: int
    states: tuple[int, ...]
    parameters: dict[str, SX] = field(default_factory=dict)  # its numbers that are inputs
    body: float = 0.0  # inertia of a rotor that is a body of its own [kg·m², kg]

    @property
    def name(self) -> str:
        return self.actuator.name

    @cached_property
    def response(self) -> Function:
        """(command, speed, position, state, dt, parameters) → effort, next state: all at the end of the step."""
        names = [*self.parameters]

        def respond(command, speed, position, state, dt, numbers):  # type: ignore[no-untyped-def]  # traced
            mine = copy(self.actuator)
            mine.__dict__.update(zip(names, numbers, strict=True))
            effort, after = mine.respond(command, Shaft(position, speed, dt), tuple(state))
            return [effort], list(after)

        sizes = [None, None, None, len(self.states), None, len(names)]
        function: Function = trace(respond, sizes, name=f"actuator {self.name}", returns=[1, len(self.states)])
        return function

    @cached_property
    def law(self) -> Function:
        """(speed, [command, position at the start, dt, states …, parameters …]) → effort, and its slope over speed."""
        w, x = SX.sym("w"), SX.sym("x", 3 + len(self.states) + len(self.parameters))
        command, start, dt = x[0], x[1], x[2]
        state, numbers = x[3 : 3 + len(self.states)], x[3 + len(self.states) :]
        effort, _ = self.response(command, w, start + dt * w, state, dt, numbers)
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
        effort = wanted(x[0], w, x[1] + x[2] * w, x[2], x[3 + len(self.states) :])
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
        return simplified(SX(self.law.call(self.law.sx_in())[1]))

    @cached_property
    def jumps(self) -> bool:
        """Whether the effort may jump, which its slope does not show: it has a choice in it."""
        w, x = SX.sym("w"), SX.sym("x", self.law.numel_in(1))
        effort = Function("effort", [w, x], [self.law(w, x)[0]])
        return any(effort.instruction_id(k) in JUMPS for k in range(effort.n_instructions()))

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
        if not isinstance(self.gear, ConstantRatio) or self.efficiency != 1.0:
            return None
        turned = [(k, r) for r, (_, k) in zip(self.gear.ratios, self.gear.axes, strict=True) if not is_zero(r)]
        return turned[0] if len(turned) == 1 else None

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
        return ActuatorLinearization(seen, simplified(SX(effort)), greatest(minus(0.0, simplified(SX(touching))), 0.0))

    @cached_property
    def sampled(self) -> Function:
        """(rate, arguments) → impulse in a phase, its slope over the rate; the same of a drive without its limits.

        The arguments: command, position and speed at rate 0, their shares of the rate, span, dt, states, parameters.
        """
        r, x = SX.sym("r"), SX.sym("x", 7 + len(self.states) + len(self.parameters))
        command, position, speed, ahead, share, span, dt = (x[i] for i in range(7))
        state, numbers = x[7 : 7 + len(self.states)], x[7 + len(self.states) :]
        effort, _ = self.response(command, speed + share * r, position + ahead * r, state, dt, numbers)
        value = Function("impulse", [r, x], [span * effort])
        falling = casadi.fmin(slope(value, [r, x]), 0.0)
        outputs = [value(r, x), falling]
        if self.wanted is not None:
            steep = span * self.wanted(command, speed + share * r, position + ahead * r, dt, numbers)
            outputs += [steep, casadi.jacobian(steep, r)]
        return Function("sampled", [r, x], outputs)

    @cached_property
    def wanted(self) -> Function | None:
        """(command, speed, position, dt, parameters) → unsaturated effort of a drive with gains."""
        if not self.actuator.has_drive or self.actuator.command not in ("velocity", "position"):
            return None
        names = [*self.parameters]

        def want(command, speed, position, dt, numbers):  # type: ignore[no-untyped-def]  # traced
            mine = copy(self.actuator)
            mine.__dict__.update(zip(names, numbers, strict=True))
            return mine.wanted(command, Shaft(position, speed, dt))

        function: Function = trace(want, [None, None, None, None, len(names)], name=f"drive {self.name}", returns=[1])
        return function

    def sampling(self, now: Moment, index: int) -> tuple[Sparse, list[Scalar]]:
        """Its direction, and the arguments of `sampled`."""
        seen = self.gear.seen(now.tree, now.memory[self.command])
        own = [now.memory[i] for i in self.states]
        along, acting = combined(seen.A, now.tree.G), now.acting[index]
        steepness, speed = acting.slope, acting.seen.speed
        given = [now.command[self.command], seen.position, now.dt, *own, *self.parameters.values()]
        if is_zero(now.phase.travel) and self.curved:  # as steep as it is where the first half has ended
            speed = now.phase.known_rate(along)
            _, falling = self.law(speed, casadi.vertcat(*given))
            steepness = greatest(minus(0.0, simplified(SX(falling))), 0.0)
        if self.curved and self.drive is not None:
            steepness = greatest(steepness, self._arrival(now, along, given, speed, acting.effort))
        at = now.phase.sample(along, steepness)
        return seen.A, [
            now.command[self.command], plus(seen.position, at.shift), at.known, at.ahead, at.share,
            now.phase.span, now.dt, *own, *self.parameters.values(),
        ]  # fmt: skip

    def _arrival(self, now: Moment, along: Sparse, given: Sequence[Scalar], speed: Scalar, effort: Scalar) -> Scalar:
        """The slope of a drive's gains in a step in which it may leave its limit; else 0.

        It does where the speed at which it wants nothing is within reach. Taken for flat there, a stiff drive would
        swing about its target from one limit to the other.
        """
        assert self.drive is not None
        wanted, falling = (SX(x) for x in self.drive(speed, casadi.vertcat(*given)))
        response = total(*(divided(times(x, x), now.diagonal[n]) for n, x in along.items()))
        reach = times(REACH, times(now.dt, times(magnitude(effort), response)))
        return where(magnitude(wanted) <= times(reach, -falling), -falling, 0.0)

    def at_end(
        self, tree: TreeState, command: Sequence[Scalar], memory: Sequence[Scalar], dt: Scalar
    ) -> tuple[Scalar, list[Scalar]]:
        """Its effort and its states at the end of a step, the tree's state there."""
        seen = self.gear.seen(tree, memory[self.command])
        own = casadi.vertcat(*(memory[i] for i in self.states))
        numbers = casadi.vertcat(*self.parameters.values())
        effort, state = self.response(command[self.command], seen.speed, seen.position, own, dt, numbers)
        return simplified(SX(effort)), scalars(SX(state))

    def after(
        self, tree: TreeState, v: Sequence[Scalar], command: Sequence[Scalar], memory: Sequence[Scalar], dt: Scalar
    ) -> tuple[Scalar, list[Scalar]]:
        """Its effort in a step that ends with the tree's velocities v, and what it remembers of it."""
        seen = self.gear.seen(tree, memory[self.command])
        speed = total(*(times(x, v[k]) for k, x in seen.A.items()))
        own = casadi.vertcat(*(memory[i] for i in self.states))
        numbers = casadi.vertcat(*self.parameters.values())
        there = plus(seen.position, times(dt, speed))
        effort, state = self.response(command[self.command], speed, there, own, dt, numbers)
        return simplified(SX(effort)), scalars(SX(state))


def simplified(x: SX) -> Scalar:
    """A float where the expression is one."""
    return float(x) if x.is_constant() else x


@dataclass(frozen=True)
class Actuation:
    """All actuators that are connected, in the order of the mechanism."""

    driven: list[ActuatorUnit] = field(default_factory=list)
    bounds: list[Bounds] = field(default_factory=list)

    def acting(
        self, tree: TreeState, command: Sequence[Scalar], memory: Sequence[Scalar], dt: Scalar
    ) -> list[ActuatorLinearization]:
        return [d.acting(tree, command, memory, dt) for d in self.driven]

    def having(self, tree: TreeState, memory: Sequence[Scalar]) -> list[ActuatorLinearization]:
        """As they are after a step, with the efforts that they had in it."""
        return [
            ActuatorLinearization(d.gear.seen(tree, m), m, 0.0)
            for d, m in ((d, memory[d.command]) for d in self.driven)
        ]

    def seen(self, tree: TreeState) -> dict[str, ActuatorAxis]:
        """Every actuator's axis."""
        return {d.name: d.gear.seen(tree, 0.0) for d in self.driven}

    @property
    def friction(self) -> dict[int, Scalar]:
        """Coulomb friction of axes that turn with one coordinate at a constant ratio: friction along that one."""
        found: dict[int, Scalar] = {}
        for d in self.driven:
            if d.friction_coordinate is not None:
                k, ratio = d.friction_coordinate
                found[k] = plus(found.get(k, 0.0), times(magnitude(ratio), d.friction))
        return found

    def additions(self, tree: TreeState, acting: Sequence[ActuatorLinearization]) -> dict[int, Scalar]:
        """Efforts along the tree's velocities that maps add to `Aᵀ·τ`, at the efforts of the step's start."""
        found: dict[int, Scalar] = {}
        for d, now in zip(self.driven, acting, strict=True):
            _add(found, d.gear.extra(tree, now.seen, now.effort))
        by_name = {d.name: now.effort for d, now in zip(self.driven, acting, strict=True)}
        for b in self.bounds:
            _add(found, b.extra(by_name))
        return found

    def efforts(self, tree: TreeState, acting: Sequence[ActuatorLinearization]) -> dict[int, Scalar]:
        """What they put on the tree's velocities: `Aᵀ·(τ − d·ω)`, and what maps add."""
        found: dict[int, Scalar] = {}
        for d, now in zip(self.driven, acting, strict=True):
            net = minus(now.effort, times(d.damping, now.seen.speed))
            _add(found, {k: times(x, net) for k, x in now.seen.A.items()})
            _add(found, d.gear.extra(tree, now.seen, now.effort))
        by_name = {d.name: now.effort for d, now in zip(self.driven, acting, strict=True)}
        for b in self.bounds:
            _add(found, b.extra(by_name))
        return found


def _add(efforts: dict[int, Scalar], more: Mapping[int, Scalar]) -> None:
    for k, x in more.items():
        efforts[k] = plus(efforts.get(k, 0.0), x)


def actuation(mechanism: Mechanism, system: Bodies, values: Mapping[str, Scalar]) -> Actuation:
    """From the model; what is not connected to any joint does nothing."""
    connected = gears(mechanism, system, values)
    driven: list[ActuatorUnit] = []
    places = memory_places(mechanism)
    for index, (name, a) in enumerate(mechanism.actuators.items()):
        if name not in connected:
            continue
        key = device_key(mechanism, name)
        numbers = {n: values[f"{key}.{n}"] for n in actuator_numbers(a)}
        own = {n: x for n, x in numbers.items() if not isinstance(x, float)}
        losses = _losses(mechanism, name)
        driven.append(
            ActuatorUnit(
                actuator=_within(a, mechanism),
                gear=connected[name],
                inertia=numbers["rotor_inertia"],
                damping=plus(numbers["damping"], losses[1]),
                friction=plus(numbers["friction"], losses[2]),
                efficiency=losses[0],
                command=index,
                states=places[name],
                parameters=own,
                body=_rotor_body(mechanism, a),
            )
        )
    return Actuation(driven, _flat(driven, bounds(mechanism, system)))


def _rotor_body(mechanism: Mechanism, a: Actuator) -> float:
    """Inertia along its axis of the link that it turns, where that is its rotor."""
    rotor = f"{a.name}.rotor"
    if a.joint != AxisRef(rotor) or rotor not in mechanism.links:
        return 0.0
    inertia = mechanism.links[rotor].inertia
    return float(sum(inertia.moments)) or inertia.mass


def _flat(driven: Sequence[ActuatorUnit], found: list[Bounds]) -> list[Bounds]:
    """Bounds clip efforts that do not depend on the speed: what they clip is known at the step's start."""
    sloping = {d.name for d in driven if d.drive or d.curved or not is_zero(d.slope)}
    for b in found:
        if (b.map.lower or b.map.upper) and sloping & set(b.actuators):
            name = sorted(sloping & set(b.actuators))[0]
            raise CompileError(
                f"actuator {name!r}: a linear_map with bounds takes efforts that do not depend on the speed; "
                "give it an effort command without a curve, or leave the bounds out"
            )
    return found


def _within(a: Actuator, mechanism: Mechanism) -> Actuator:
    """An actuator without a limit of its own has that of the one joint it drives at a constant ratio.

    Files that say 0 there mean none.
    """
    t = mechanism.acting.get(a.name)
    if a.effort_limit < inf or (t is not None and not isinstance(t.map, LinearTransmission)):
        return a
    row: list[float] = [1.0]
    joints: tuple[AxisRef | None, ...] = (a.joint,)
    if t is not None and isinstance(t.map, LinearTransmission):
        row, joints = t.map.actuator_per_joint[t.actuators.index(a.name)].tolist(), t.joints
    turned = [(ref, r) for ref, r in zip(joints, row, strict=True) if r]
    (ref, ratio) = turned[0] if len(turned) == 1 else (None, 1.0)
    if ref is None:
        return a
    limit = mechanism.joint(ref.joint).axes[ref.index].limits.effort
    return replace(a, effort_limit=limit / abs(ratio)) if 0.0 < limit < inf else a


def _losses(mechanism: Mechanism, actuator: str) -> tuple[float, float, float]:
    """Efficiency, damping and friction of the transmission that an actuator acts through."""
    if actuator not in mechanism.acting:
        return 1.0, 0.0, 0.0
    losses = mechanism.acting[actuator].losses
    return losses.efficiency, losses.damping, losses.friction


def memory_places(mechanism: Mechanism) -> dict[str, tuple[int, ...]]:
    """Where each actuator's own state stands: after the efforts of all of them."""
    places, start = {}, len(mechanism.actuators)
    for name, a in mechanism.actuators.items():
        places[name] = tuple(range(start, start + len(a.states)))
        start += len(a.states)
    return places


def actuator_lines(actuation: Actuation, now: Moment) -> list[Term]:
    """Dampers on the actuators' axes, and efforts that are straight lines over the speed."""
    found: list[Term] = []
    for index, d in enumerate(actuation.driven):
        A, arguments = d.sampling(now, index)
        if not is_zero(d.damping):
            found.append(spring_damper(now, A, 0.0, d.damping, 0.0))
        if not d.curved:
            constant, slope = d.sampled.call([0.0, casadi.vertcat(*arguments)])[:2]
            found.append(Straight(A, simplified(SX(constant)), minus(0.0, simplified(SX(slope)))))
    return found


# --- rows -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MotorRow(OneRow):
    """What an actuator's effort at the end of the step is beside its line."""

    driven: ActuatorUnit
    index: int  # among those that act

    @property
    def name(self) -> str:
        return self.driven.name

    @property
    def bounded(self) -> bool:
        return False

    @cached_property
    def rest(self) -> Function:
        """(speed, arguments) → `dt·(τ(ω⁺) − line(ω⁺))`, its slope, and how large the terms of it are; then the same of
        what a drive wants whatever its limits, without size."""
        d = self.driven
        w, x = SX.sym("w"), SX.sym("x", d.law.numel_in(1) + 3)
        effort0, slope0, w0 = x[-3], x[-2], x[-1]
        dt, line = x[2], effort0 - slope0 * (w - w0)
        effort, slope = d.law(w, x[:-3])
        size = dt * (casadi.fabs(effort) + casadi.fabs(effort0) + slope0 * (casadi.fabs(w) + casadi.fabs(w0)))
        outputs = [dt * (effort - line), dt * (casadi.fmin(slope, 0.0) + slope0), size]
        if d.drive:
            wanted, steep = d.drive(w, x[:-3])
            outputs += [dt * (wanted - line), dt * (steep + slope0)]
        return Function("rest", [w, x], outputs)

    def spread(self, now: Instant, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        """Nothing: an actuator's effort is told as a whole, this part of it included."""
        return {}

    def rows(self, now: Instant) -> list[Row]:
        acting = now.acting[self.index]
        line = [acting.effort, acting.slope, acting.seen.speed]
        arguments = [*self.driven.arguments(acting.seen, now.command, now.memory, now.dt), *line]
        newton_steps = self.driven.newton_steps
        return [Row(J=acting.seen.A, box=(0.0, 0.0), law=ForceLaw(self.rest, arguments, newton_steps))]

    def act(self, now: Moment) -> list[Term]:
        A, arguments = self.driven.sampling(now, self.index)
        return [Curve(A, self.driven.sampled, arguments, self.driven.newton_steps)]


@dataclass(frozen=True)
class ShaftFrictionRow(OneRow):
    """Coulomb friction on an actuator's axis, its own and the transmission's, and what the efficiency costs.

    With efficiency η a transmission passes η·T on when the actuator drives, and takes T/η from the joints when they
    do; T = τ − I·α is what is left of the actuator's effort behind its rotor. That is friction against a motion along T
    of at most (1 − η)·|T|, and against one the other way of at most (1/η − 1)·|T|: one row, in which the direction of
    power finds itself.

    T depends on the row's own effort λ: α = α₀ + r·λ, r = A·M⁻¹·Aᵀ. With α₀ = α − r·λ of the last step and
    T₀ = τ − I·α₀, the bounds are those of T₀ divided by 1 − (1 − η)·I·r and 1 + (1/η − 1)·I·r.
    """

    driven: ActuatorUnit
    index: int

    @property
    def name(self) -> str:
        return self.driven.name

    def bounds(self, effort: Scalar, share: Scalar = 0.0) -> tuple[Scalar, Scalar]:
        """What it takes at most, against motions along the effort T₀ and the other way; share: I·r of the rotor."""
        f, eta = self.driven.friction, self.driven.efficiency
        driving, driven = minus(1.0, eta), minus(1.0 / eta, 1.0)
        along = divided(plus(f, times(driving, magnitude(effort))), minus(1.0, times(driving, share)))
        against = divided(plus(f, times(driven, magnitude(effort))), plus(1.0, times(driven, share)))
        if is_number(effort):
            return (along, against) if effort >= 0.0 else (against, along)
        ahead = effort >= 0.0
        return where(ahead, along, against), where(ahead, against, along)

    def transmitted(self, now: Moment, A: Sparse) -> tuple[Scalar, Scalar]:
        """T₀, and I·r."""
        acting, inertia = now.acting[self.index], plus(self.driven.inertia, self.driven.body)
        if is_zero(inertia) or self.driven.efficiency == 1.0 or is_zero(acting.acceleration):
            return acting.effort, 0.0
        r = now.response(A)
        free = minus(acting.acceleration, times(r, acting.loss))
        return minus(acting.effort, times(inertia, free)), times(inertia, r)

    def rows(self, now: Instant) -> list[Row]:
        acting = now.acting[self.index]
        lower, upper = self.bounds(acting.effort)
        return [Row(J=acting.seen.A, box=(minus(0.0, times(lower, now.dt)), times(upper, now.dt)))]

    def act(self, now: Moment) -> list[Term]:
        A = self.driven.gear.seen(now.tree, now.memory[self.driven.command]).A
        lower, upper = self.bounds(*self.transmitted(now, A))
        span = now.phase.span
        vertices = (Vertex(0.0, times(upper, span)), Vertex(0.0, minus(0.0, times(lower, span))))
        return [Bounded(A, Polyline(vertices, (0.0, VERTICAL, 0.0), home=1))]


def shaft_rows(acting: Actuation) -> list[MotorRow | ShaftFrictionRow]:
    found: list[MotorRow | ShaftFrictionRow] = [MotorRow(d, i) for i, d in enumerate(acting.driven) if d.curved]
    for i, d in enumerate(acting.driven):
        if d.efficiency != 1.0 or (d.friction_coordinate is None and not is_zero(d.friction)):
            found.append(ShaftFrictionRow(d, i))
    return found
