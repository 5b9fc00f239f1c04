"""Laws given by a function of the rate, as motors are: `λ = f(x)`, which does not rise.

Such a law acts by a line, at first the tangent where the last step ended, and from then on the tangent where the last
iteration ended. That is Newton's method, and throws a law that is flat, steep and flat again to and fro for ever. So
every rate tried bounds the one that is looked for. Where Newton's step leaves the bounds, the next tangent is where the
steep line of the law's drive leads to, if it has one, or in the middle of the bounds. Bounds that have met hold a jump:
the law acts by the chord between them, and the impulse is one between its two values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import casadi
from casadi import SX, Function

from gearwright.dynamics.scalar import (
    Scalar,
    both,
    divided,
    either,
    greatest,
    least,
    magnitude,
    minus,
    plus,
    times,
    where,
)
from gearwright.dynamics.solve.conditions import negated
from gearwright.dynamics.solve.laws import Line, Next, Seen

FAR = 1e30  # a bound that is none
MET = 4.0  # so many times the tolerance apart, bounds have met


class Touch(NamedTuple):
    """The state of a function law: its line, and the bounds with the law's values there."""

    rate: Scalar
    impulse: Scalar
    slope: Scalar  # λ falls by it
    low: Scalar = -FAR
    low_impulse: Scalar = 0.0
    high: Scalar = FAR
    high_impulse: Scalar = 0.0


@dataclass(frozen=True)
class FunctionLaw:
    """`function`: (rate, arguments) → f, its slope, the size of its terms; and f and slope of an unlimited drive."""

    function: Function
    arguments: tuple[Scalar, ...]

    size = len(Touch._fields)
    holds = False

    @property
    def driven(self) -> bool:
        return bool(self.function.n_out() > 3)

    def started(self, state: Sequence[Scalar]) -> list[Scalar]:
        """As a step begins: on its drive's line if the last step ended there, else touching at the last rate."""
        before = Touch(*state)
        impulse, slope, _, *drive = self._at(before.rate)
        fall = greatest(minus(0.0, slope), 0.0)
        if drive:
            wanted, steep = drive[0], minus(0.0, drive[1])
            steered = before.slope > times(0.5, steep)
            impulse, fall = where(steered, wanted, impulse), where(steered, steep, fall)
        return [*Touch(before.rate, impulse, fall)]

    def line(self, state: Sequence[Scalar]) -> Line:
        touch = Touch(*state)
        return Line(False, False, touch.rate, touch.impulse, touch.slope)

    def next(self, state: Sequence[Scalar], line: Line, seen: Seen, *, jumps: bool) -> Next:
        touch, x = Touch(*state), seen.rate
        low, high = self._bounds(touch, seen)
        inside = either(both(x > low, x < high), negated(both(low > -FAR, high < FAR)))
        tried = where(inside, x, self._between(low, high, seen))
        impulse, slope, size, *_ = self._at(tried)
        off = magnitude(minus(impulse, seen.impulse))
        close = off <= plus(times(seen.share, size), times(plus(seen.inertia, line.slope), seen.slack))
        wrong = negated(either(self._held(touch, seen), both(inside, close)))
        beyond = impulse >= seen.needed(tried)  # the solution is at a higher rate
        new = Touch(
            tried, impulse, greatest(minus(0.0, slope), 0.0),
            where(beyond, tried, low), where(beyond, impulse, touch.low_impulse),
            where(beyond, high, tried), where(beyond, touch.high_impulse, impulse),
        )  # fmt: skip
        return Next([where(wrong, a, b) for a, b in zip(self._chord(new, seen), state, strict=True)], wrong)

    def _between(self, low: Scalar, high: Scalar, seen: Seen) -> Scalar:
        """Where a drive's line would end, if that is within the bounds; else their middle."""
        middle = times(0.5, plus(low, high))
        if not self.driven:
            return middle
        wanted, steep = self._at(seen.rate)[3:5]
        ended = plus(seen.rate, divided(minus(wanted, seen.impulse), minus(seen.inertia, steep)))
        return where(both(ended > low, ended < high), ended, middle)

    @staticmethod
    def _held(touch: Touch, seen: Seen) -> Scalar:
        """Whether the bounds have met, so that the line is the chord, and the solution is between them."""
        met = minus(touch.high, touch.low) <= times(MET, seen.slack)
        above, below = seen.rate >= minus(touch.low, seen.slack), seen.rate <= plus(touch.high, seen.slack)
        return both(met, both(above, below))

    def _bounds(self, touch: Touch, seen: Seen) -> tuple[Scalar, Scalar]:
        """Those that still are any: on the line of the inertia through the solution, f is above it at the lower one."""
        low = where(touch.low_impulse >= seen.needed(touch.low), touch.low, -FAR)
        high = where(touch.high_impulse <= seen.needed(touch.high), touch.high, FAR)
        return low, high

    @staticmethod
    def _chord(touch: Touch, seen: Seen) -> Touch:
        """With the chord for the line where the bounds have met."""
        apart = minus(touch.high, touch.low)
        met = apart <= times(MET, seen.slack)
        steep = divided(minus(touch.low_impulse, touch.high_impulse), greatest(apart, 1e-300))
        return touch._replace(
            rate=where(met, touch.low, touch.rate),
            impulse=where(met, touch.low_impulse, touch.impulse),
            slope=where(met, least(steep, 1e300), touch.slope),
        )

    def _at(self, rate: Scalar) -> list[Scalar]:
        return [SX(x) for x in self.function.call([SX(rate), casadi.vertcat(*map(SX, self.arguments))])]
