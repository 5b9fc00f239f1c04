"""Laws given by a function of the rate, as motors are: `λ = f(x)`, which does not rise.

Such a law acts by a polyline of three pieces that is refined as iterations go on: the chord between two points of f,
and the tangents beyond them. A step begins with one tangent, where the last step ended. Where f turns out to fall
faster than the tangent, the chord covers what lies between (flat, steep and flat again would throw Newton's method to
and fro for ever), and its ends close in by the Illinois rule. Ends that have met hold a jump: the impulse is one
between its two values.
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
    equal,
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

MET = 4.0  # so many times what is rounding apart, the ends of a chord have met
SHORTEST = 1e-290  # no chord is shorter, so that its slope is finite


class Point(NamedTuple):
    """A point of the law, and by how much λ falls there with the rate."""

    rate: Scalar
    impulse: Scalar
    slope: Scalar


class Model(NamedTuple):
    """The state of a function law: two points, the piece (0: the chord between them), and the end that moved last.

    The chord goes from `low_end` at the lower point to `high_end`, the law's values there or what is believed instead.
    """

    low: Point
    high: Point
    low_end: Scalar
    high_end: Scalar
    piece: Scalar
    moved: Scalar

    @staticmethod
    def of(state: Sequence[Scalar]) -> Model:
        return Model(Point(*state[:3]), Point(*state[3:6]), *state[6:])

    @staticmethod
    def touching(point: Point, piece: Scalar) -> Model:
        return Model(point, point, point.impulse, point.impulse, piece, 0.0)

    @property
    def state(self) -> list[Scalar]:
        return [*self.low, *self.high, self.low_end, self.high_end, self.piece, self.moved]


def chosen(condition: Scalar, a: Point, b: Point) -> Point:
    return Point(*(where(condition, x, y) for x, y in zip(a, b, strict=True)))


@dataclass(frozen=True)
class FunctionLaw:
    """`function`: (rate, arguments) → f, its slope, the size of its terms; and f and slope of an unlimited drive."""

    function: Function
    arguments: tuple[Scalar, ...]

    size = 10  # of its state
    holds = False

    def started(self, state: Sequence[Scalar], rate: Scalar) -> list[Scalar]:
        """As a step begins: on its drive's line if the last step ended there, else touching at the last rate."""
        point, _, drive = self._at(rate)
        if drive is not None:
            point = chosen(self.line(state).slope > times(0.5, drive.slope), drive, point)
        return Model.touching(point, 1.0).state

    def line(self, state: Sequence[Scalar]) -> Line:
        model = Model.of(state)
        low, high, chord = model.low, model.high, equal(model.piece, 0.0)
        length = greatest(minus(high.rate, low.rate), SHORTEST)
        fall = greatest(minus(model.low_end, model.high_end), 0.0)  # a user's law may rise
        between = Point(low.rate, model.low_end, divided(fall, length))
        acting = chosen(chord, between, chosen(model.piece > 0.0, high, low))
        return Line(False, False, acting.rate, acting.impulse, acting.slope)

    def next(self, state: Sequence[Scalar], line: Line, seen: Seen, *, jumps: bool) -> Next:
        model, x = Model.of(state), seen.rate
        point, size, drive = self._at(x)
        chord, inside = equal(model.piece, 0.0), self._inside(model, seen)
        rounding = plus(times(seen.share, size), times(plus(seen.inertia, point.slope), seen.slack))
        close = magnitude(minus(point.impulse, seen.impulse)) <= rounding
        met = both(chord, minus(model.high.rate, model.low.rate) <= times(MET, seen.slack))
        jump = both(model.low.impulse >= seen.impulse, model.high.impulse <= seen.impulse)
        wrong = negated(either(close, both(both(met, inside), jump)))
        above = point.impulse >= seen.impulse  # the solution is at a higher rate than x
        single = both(negated(chord), equal(model.low.rate, model.high.rate))
        on_chord = self._narrowed(model, point, above, seen)
        on_ray = self._extended(model, point, above, drive)
        afresh = Model.touching(point, 1.0)  # what the ends were found with has changed
        next_piece = where(chord, where(x > model.high.rate, 1.0, -1.0), 0.0)
        left = Model(model.low, model.high, model.low.impulse, model.high.impulse, next_piece, 0.0)
        new = []
        for old, a, b, c, d in zip(state, on_chord.state, on_ray.state, left.state, afresh.state, strict=True):
            there = where(either(inside, single), where(chord, a, b), c)
            new.append(where(wrong, where(met, d, there), old))
        return Next(new, wrong)

    @staticmethod
    def _inside(model: Model, seen: Seen) -> Scalar:
        """Whether the rate is where the law's piece is."""
        after = where(model.piece > 0.0, seen.rate >= model.high.rate, seen.rate >= minus(model.low.rate, seen.slack))
        before = where(model.piece < 0.0, seen.rate <= model.low.rate, seen.rate <= plus(model.high.rate, seen.slack))
        return where(equal(model.piece, 0.0), both(after, before), where(model.piece > 0.0, after, before))

    @staticmethod
    def _narrowed(model: Model, point: Point, above: Scalar, seen: Seen) -> Model:
        """The end on the solution's other side moves here; one that stays twice is believed half as much (Illinois)."""
        side = where(above, -1.0, 1.0)
        again = equal(model.moved, side)
        low, high = chosen(above, point, model.low), chosen(above, model.high, point)
        stays = where(above, model.high_end, model.low_end)
        stays = where(again, times(0.5, plus(stays, seen.impulse)), stays)
        low_end, high_end = where(above, low.impulse, stays), where(above, stays, high.impulse)
        return Model(low, high, low_end, high_end, 0.0, side)

    def _extended(self, model: Model, point: Point, above: Scalar, drive: Point | None) -> Model:
        """The chord from the tangent's point to this one, if f has fallen faster between them; else a new tangent."""
        anchor = chosen(model.piece > 0.0, model.high, model.low)
        ahead = point.rate >= anchor.rate
        covered = where(ahead, negated(above), above)  # the solution is between
        low, high = chosen(ahead, anchor, point), chosen(ahead, point, anchor)
        if drive is not None:
            low, high = self._drive_ends(low, high, drive)
        low, high = chosen(covered, low, point), chosen(covered, high, point)
        piece = where(covered, 0.0, where(ahead, 1.0, -1.0))
        return Model(low, high, low.impulse, high.impulse, piece, 0.0)

    @staticmethod
    def _drive_ends(low: Point, high: Point, drive: Point) -> tuple[Point, Point]:
        """Where a drive's steep line has the impulses of both ends: it is the chord between these."""

        def end(point: Point) -> Scalar:
            there = plus(drive.rate, divided(minus(drive.impulse, point.impulse), drive.slope))
            return least(greatest(there, low.rate), high.rate)

        return low._replace(rate=end(low)), high._replace(rate=end(high))

    def _at(self, rate: Scalar) -> tuple[Point, Scalar, Point | None]:
        """The law's point, the size of its terms, and the drive's."""
        values = self.function.call([SX(rate), casadi.vertcat(*map(SX, self.arguments))])
        impulse, slope, size = (SX(x) for x in values[:3])
        point = Point(rate, impulse, greatest(minus(0.0, slope), 0.0))
        if len(values) == 3:
            return point, size, None
        return point, size, Point(rate, SX(values[3]), minus(0.0, SX(values[4])))
