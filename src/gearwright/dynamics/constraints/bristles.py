"""Bristles that bend before they slide, as polylines: the active set ends exactly, however stiff they are.

Over the way of a step, the effort of bristles bends away from its slope at the start, towards the level at which they
slide:

    F │            ┌──── +g            a line through the start and through where the way is expected to end,
      │        ╱╱╱╱                    to the other side the slope at the start; both end at the level
      │    ╱╱╱
      │  ╱╱ F₀
      │╱╱
    ──┘ −g ─────────────── way

On the way that is expected this is exact. Where bristles are so stiff that they bend within a fraction of a step, it is
Coulomb friction. The state follows its own equation over the way that was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi
from casadi import Function

from gearwright.dynamics.algebra.scalar import TINY, Scalar, is_zero, maximum, minimum, scalars, total, where
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.constraints.friction import StateRow
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.solve.laws import ForceLaw, Vertex
from gearwright.dynamics.solve.terms import Line, Polyline, Term
from gearwright.model.frictions.bristles import BristleModel
from gearwright.tracing import trace

LEAST_SLOPE = 1e-9  # of the stiffness: where bristles slide, a line that is all but level
SHORT_WAY = 1e-6  # of the way on which bristles bend: on less, a share is taken for the slope at the start


class Bent(NamedTuple):
    """Bristles over a way: effort at its start, slopes forward and backward, and the efforts at which they slide."""

    start: Scalar
    forward: Scalar
    backward: Scalar
    most: Scalar
    least: Scalar
    damping: Scalar  # σ₁·dz/dx where the way is expected to end, if bristles bend further there,
    recovery: Scalar  # and if they go back

    @property
    def stiffness(self) -> Scalar:
        """In the steeper direction."""
        return maximum(self.forward, self.backward)


@dataclass(frozen=True)
class BristleRow(StateRow):
    """Friction of a `BristleModel`: its bristles, and their damper, if they have one."""

    @property
    def damped(self) -> bool:
        model = self.model
        assert isinstance(model, BristleModel)
        return not is_zero(model.bristle_damping)

    @property
    def bounded(self) -> bool:
        return True

    @property
    def size(self) -> int:  # type: ignore[override]
        return 2 if self.damped else 1

    def act(self, now: Moment) -> list[Term]:
        """`λ = −span·F`; bristles that are stiff are taken at the end of a phase."""
        J, phase = self.axis.direction(now), now.phase
        along = combined(J, now.tree.G)
        mean, expected = phase.known_rate(along), total(*(x * now.speeds[k] for k, x in J.items()))
        begun = now.h if is_zero(phase.travel) else 0.0  # how long positions have gone on with the mean rate
        bent = self._bent(now, now.h * expected, now.h, expected)
        at = phase.sample(along, bent.damping + now.h * bent.stiffness)
        offset = begun * mean + at.shift
        bent = self._bent(now, offset + at.ahead * expected, begun + at.time, expected)
        terms: list[Term] = [Polyline(J, _polyline(bent, phase.acts_for, offset, at.ahead))]
        if self.damped:
            d, back = phase.acts_for * bent.damping, phase.acts_for * bent.recovery
            terms.append(Line(J, -(d * at.known + back * expected), d * at.share))
        return terms

    def _bent(self, now: Moment, way: Scalar, time: Scalar, speed: Scalar) -> Bent:
        """Its lines, with the level at a speed, through a way that is expected."""
        own = self.axis.state(now.friction)
        return Bent(*scalars(self._lines(own, way, time, abs(speed), self.axis.inputs)))

    @cached_property
    def _lines(self) -> Function:
        """(states, way, time, speed, numbers) → `Bent`. The level is that in the states at the end of the way."""

        def lines(state, way, time, speed, numbers):  # type: ignore[no-untyped-def]  # traced
            model = self.axis.with_numbers(numbers)
            assert isinstance(model, BristleModel)
            sigma = model.bristle_stiffness
            sliding = model.level_in(speed, model.follow(way, time, tuple(state))) / sigma
            return [sigma, model.bristle_damping + 0.0 * sigma, sliding, model.deflected(way, sliding, state[0])]

        count, numbers = len(self.axis.states), len(self.axis.numbers)
        traced = trace(lines, [count, None, None, None, numbers], name=f"bristles of {self.name}", returns=[4])
        own, rest = casadi.SX.sym("z", count), [casadi.SX.sym(n) for n in ("way", "time", "speed")]
        x = [own, *rest, casadi.SX.sym("n", numbers)]
        sigma, damping, sliding, after = scalars(traced(*x))
        z, way = scalars(own)[0], scalars(rest[0])[0]
        bent = _bent_lines(sigma, sliding, z, after, way)
        further = 1.0 - where(way < 0.0, -after, after) / sliding
        dampers = damping * maximum(further, 0.0), damping * minimum(further, 0.0)
        return Function("bent", x, [casadi.vertcat(*bent, *dampers)])


def _bent_lines(sigma: Scalar, sliding: Scalar, z: Scalar, after: Scalar, way: Scalar) -> tuple[Scalar, ...]:
    """Start, slopes and ends of the efforts σ·z."""
    up = maximum(1.0 - z / sliding, 0.0)  # dz/dx at the start
    down = maximum(1.0 + z / sliding, 0.0)
    far = abs(way) > SHORT_WAY * sliding
    share = maximum((after - z) / where(far, way, 1.0), 0.0)
    forward = where(far & (way > 0.0), share, up)
    backward = where(far & (way < 0.0), share, down)
    most = where(way > 0.0, maximum(sliding, minimum(z, after)), sliding)  # beyond the level they slide back to it
    least = where(way < 0.0, minimum(-sliding, maximum(z, after)), -sliding)
    begun = minimum(maximum(z, least), most)
    return tuple(sigma * x for x in (begun, forward + LEAST_SLOPE, backward + LEAST_SLOPE, most, least))


def _polyline(bent: Bent, span: Scalar, offset: Scalar, ahead: Scalar) -> ForceLaw:
    """The impulse over the rate; the way is `offset + ahead·rate`."""
    reach = maximum(ahead, TINY)

    def vertex(way: Scalar, effort: Scalar) -> Vertex:
        return Vertex((way - offset) / reach, -(span * effort))

    vertices = (
        vertex((bent.least - bent.start) / bent.backward, bent.least),
        vertex(0.0, bent.start),
        vertex((bent.most - bent.start) / bent.forward, bent.most),
    )
    slopes = (0.0, span * bent.backward * ahead, span * bent.forward * ahead, 0.0)
    return ForceLaw(vertices, slopes, home=1)
