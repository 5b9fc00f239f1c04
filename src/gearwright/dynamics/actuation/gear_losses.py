"""The efficiency of a gear, solved with the motion: the effort that it passes on depends on the effort that it gets.

T is what the rotor leaves of the actuator's effort, `τ(r) − I·dr/dt`, a function of the rate r of the actuator's axis.
Behind the gear arrives

    r > 0:   min(η·T, (T − f)/η_b)        r < 0:   max(η·T, (T + f)/η_b)        r = 0:   anything between both

η·T where the actuator drives, T/η_b where the joints do. It falls with r as T does, so that it is one more law: its
continuous part is a curve (`GearLaw.curve`), and the jump at r = 0 is friction (`GearLaw.friction`).

A gear with η_b ≤ 0 locks itself: joints cannot move it, and to lower their load the actuator has to push,
`T = f = −η_b·|load|`. The load is that of the last step; where f is more than T, nothing moves.

A stiff drive with a held command pushes and brakes within a step, in its two halves. The loss goes by the mean of both:
by how much each half differs from it is known from the last step (`ActuatorLinearization.ripple`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi
from casadi import SX, Function

from gearwright.dynamics.actuation.actuator_unit import ActuatorUnit
from gearwright.dynamics.algebra.one_sided_derivative import slope
from gearwright.dynamics.algebra.scalar import (
    Expression,
    Scalar,
    expression,
    is_zero,
    maximum,
    minimum,
    simplified,
    where,
)
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.solve.curves import SAMPLE, Curve, inertia
from gearwright.dynamics.solve.laws import VERTICAL, ForceLaw, Vertex
from gearwright.dynamics.solve.terms import Polyline

LEAST = 1e-4  # backward efficiency of a gear that locks itself: share of the load that its motor feels beside f
LOCKED = 1e20  # an impulse that nothing reaches
AT_REST = 1e-6  # [rad/s, m/s] of a rotor: below it, a gear that locks itself stands
LIGHT_ROTOR = 0.01  # of the joints' inertia: taken for a rotor without any, by which a locked gear is decided
NEWTON_STEPS = 4  # from segment to segment of a law: there are four


class GearNumbers(NamedTuple):
    """Arguments of the law beside those of the actuator's own."""

    inertia: Scalar  # I
    start: Scalar  # the rate at which the phase begins
    ripple: Scalar  # by how much T differs from the mean of the step
    ahead: Scalar  # f of motions with r > 0,
    back: Scalar  # and of those with r < 0
    above: Scalar  # jump at r = 0 of what is lost, from r > 0
    below: Scalar  # and from r < 0
    light: Scalar  # inertia taken for a rotor that has none
    half: Scalar  # 1 in the first half of a step, −1 in the second


@dataclass(frozen=True)
class GearLaw:
    """One actuator with its gear. All efforts are impulses of a phase."""

    unit: ActuatorUnit

    def passed(
        self, T: Scalar, rate: Scalar, span: Scalar, f: Scalar, lighter: Scalar, *, ahead: bool,
        inputs: Sequence[Scalar] | None = None,
    ) -> Scalar:  # fmt: skip
        """Behind the gear while it moves ahead, or back; `lighter`: what a light rotor takes off T."""
        forward, backward = self.unit.efficiencies_at(T / span, rate, inputs)
        gain = 1.0 / maximum(backward, LEAST)
        if ahead:
            return minimum(forward * T, gain * (T - lighter - f))
        return maximum(forward * T, gain * (T - lighter + f))

    # --- terms of a phase ------------------------------------------------------------------------------------------

    def terms(self, now: Moment, index: int) -> tuple[Curve, Polyline]:
        unit, acting, span = self.unit, now.acting[index], now.phase.acts_for
        A, own = unit.sampling(now, index)
        rotor = unit.inertia + unit.body
        start = unit.gear.seen(now.tree, now.memory[unit.command]).speed
        ripple = -now.phase.half * span * acting.ripple
        P = simplified(unit.sampled.call([0.0, casadi.vertcat(*own)])[0]) + rotor * start + ripple
        _, backward = unit.efficiencies_at(P / span, 0.0)
        ahead, back = self._feeds(backward, acting.load * span)
        light = self._light_rotor(now, A, backward)
        above = P - self.passed(P, 0.0, span, ahead, -(light * start), ahead=True)
        below = self.passed(P, 0.0, span, back, -(light * start), ahead=False) - P
        numbers = GearNumbers(rotor, start, ripple, ahead, back, above, below, light, now.phase.half)
        steps, last = max(NEWTON_STEPS, unit.newton_steps), len(own) + len(numbers) - 1
        arguments = [*own, *numbers, *unit.efficiency_inputs.values()]
        curve = Curve(A, self.curve, arguments, steps, self.readings, (*SAMPLE, last))
        return curve, Polyline(A, self.friction(backward, P, numbers, self.unit.friction_at(now) * span))

    def friction(self, backward: Scalar, P: Scalar, numbers: GearNumbers, f: Scalar) -> ForceLaw:
        """Dry friction f, and what efficiency adds to it at rest."""
        locks, still = backward <= 0.0, AT_REST * numbers.inertia
        up = where(locks & (numbers.ahead + still >= P), LOCKED, numbers.above + f)
        down = where(locks & (numbers.back + still >= -P), LOCKED, numbers.below + f)
        return ForceLaw((Vertex(0.0, down), Vertex(0.0, -up)), (0.0, VERTICAL, 0.0), home=1)

    def _feeds(self, backward: Scalar, load: Scalar) -> tuple[Scalar, Scalar]:
        """f of either direction: how much the actuator has to push for a load to be lowered."""
        share = maximum(-backward, 0.0)
        return share * maximum(-load, 0.0), share * maximum(load, 0.0)

    def _light_rotor(self, now: Moment, A: Sparse, backward: Scalar) -> Scalar:
        if not (is_zero(self.unit.inertia) and is_zero(self.unit.body)):
            return 0.0
        return where(backward <= 0.0, LIGHT_ROTOR * inertia(combined(A, now.tree.G), now.diagonal), 0.0)

    # --- functions of the rate -------------------------------------------------------------------------------------

    @cached_property
    def curve(self) -> Function:
        """(rate, arguments) → as of `ActuatorUnit.sampled`, with the gear behind."""
        r, x = self._symbols
        found: list[SX] = []
        for tau in self.unit.sampled.call([r, self._own(x)])[::2]:
            value = Function("passed", [r, x], [self._behind(r, x, tau)])
            most = self._numbers(x).inertia
            found += [value(r, x), casadi.fmin(slope(value, [r, x]), SX(most))]
        return Function("geared", [r, x], found)

    @cached_property
    def readings(self) -> Function:
        """(rate, arguments) → impulses: of the actuator, of the gear's curve, T, and its ripple for the next step.

        The ripple is the mean of this step's and the one that this step went by: alone, this step's feeds itself.
        """
        r, x = self._symbols
        tau, n = self.unit.sampled.call([r, self._own(x)])[0], self._numbers(x)
        T = expression(tau) - n.inertia * (expression(r) - n.start)
        outputs = [tau, self._behind(r, x, tau) - tau, SX(T), SX(0.5 * n.half * (T - n.ripple))]
        return Function("readings", [r, x], outputs)

    def _behind(self, r: SX, x: SX, tau: SX) -> SX:
        """The actuator's effort and what the gear makes of it, without its friction at rest."""
        n, span, rate, effort = self._numbers(x), expression(self._own(x)[5]), expression(r), expression(tau)
        moved = rate - n.start
        T, lighter = effort - n.inertia * moved + n.ripple, n.light * moved
        first = self.unit.sampled.numel_in(1) + len(n)
        inputs = [Expression(x[first + i]) for i in range(len(self.unit.efficiency_inputs))]
        up = self.passed(T, rate, span, n.ahead, lighter, ahead=True, inputs=inputs) - T + n.above
        down = self.passed(T, rate, span, n.back, lighter, ahead=False, inputs=inputs) - T - n.below
        return SX(effort + where(rate >= 0.0, up, down))

    @property
    def _symbols(self) -> tuple[SX, SX]:
        size = self.unit.sampled.numel_in(1) + len(GearNumbers._fields) + len(self.unit.efficiency_inputs)
        return SX.sym("r"), SX.sym("x", size)

    def _own(self, x: SX) -> SX:
        return x[: self.unit.sampled.numel_in(1)]

    def _numbers(self, x: SX) -> GearNumbers:
        first = self.unit.sampled.numel_in(1)
        return GearNumbers(*(Expression(x[first + i]) for i in range(len(GearNumbers._fields))))
