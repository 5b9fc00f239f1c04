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
    """The state of a function law: two points, the piece (0: the chord between them), and the end that moved last."""

    low: Point
    high: Point
    piece: Scalar
    moved: Scalar

    @staticmethod
    def of(state: Sequence[Scalar]) -> Model:
        return Model(Point(*state[:3]), Point(*state[3:6]), *state[6:])

    @property
    def state(self) -> list[Scalar]:
        return [*self.low, *self.high, self.piece, self.moved]


def chosen(condition: Scalar, a: Point, b: Point) -> Point:
    return Point(*(where(condition, x, y) for x, y in zip(a, b, strict=True)))


@dataclass(frozen=True)
class FunctionLaw:
    """`function`: (rate, arguments) → f, its slope, the size of its terms; and f and slope of an unlimited drive."""

    function: Function
    arguments: tuple[Scalar, ...]

    size = 8  # of its state
    holds = False

    def started(self, state: Sequence[Scalar]) -> list[Scalar]:
        """As a step begins: on its drive's line if the last step ended there, else touching at the last rate."""
        before = Model.of(state)
        last = where(before.piece < 0.0, before.low.rate, before.high.rate)
        point, _, drive = self._at(last)
        if drive is not None:
            point = chosen(before.high.slope > times(0.5, drive.slope), drive, point)
        return Model(point, point, 1.0, 0.0).state

    def line(self, state: Sequence[Scalar]) -> Line:
        model = Model.of(state)
        low, high, chord = model.low, model.high, equal(model.piece, 0.0)
        length = greatest(minus(high.rate, low.rate), SHORTEST)
        between = divided(minus(low.impulse, high.impulse), length)
        anchor = chosen(model.piece > 0.0, high, low)
        return Line(False, False, anchor.rate, anchor.impulse, where(chord, between, anchor.slope))

    def next(self, state: Sequence[Scalar], line: Line, seen: Seen, *, jumps: bool) -> Next:
        model, x = Model.of(state), seen.rate
        point, size, drive = self._at(x)
        chord, upper = equal(model.piece, 0.0), model.piece > 0.0
        inside = self._inside(model, seen)
        rounding = plus(times(seen.share, size), times(plus(seen.inertia, line.slope), seen.slack))
        close = magnitude(minus(point.impulse, seen.impulse)) <= rounding
        met = both(chord, minus(model.high.rate, model.low.rate) <= times(MET, seen.slack))
        wrong = negated(either(close, both(met, inside)))
        above = point.impulse >= seen.impulse  # the solution is at a higher rate than x
        single = both(negated(chord), equal(model.low.rate, model.high.rate))
        on_chord = self._narrowed(model, point, above, seen)
        on_ray = self._extended(model, point, above, upper, drive)
        left = model._replace(piece=where(chord, where(x > model.high.rate, 1.0, -1.0), 0.0))  # for the next piece
        within = either(inside, single)
        new = [
            where(within, where(chord, a, b), c)
            for a, b, c in zip(on_chord.state, on_ray.state, left.state, strict=True)
        ]
        return Next([where(wrong, a, b) for a, b in zip(new, state, strict=True)], wrong)

    @staticmethod
    def _inside(model: Model, seen: Seen) -> Scalar:
        """Whether the rate is where the law's piece is."""
        after = where(model.piece > 0.0, seen.rate >= model.high.rate, seen.rate >= minus(model.low.rate, seen.slack))
        before = where(model.piece < 0.0, seen.rate <= model.low.rate, seen.rate <= plus(model.high.rate, seen.slack))
        return where(equal(model.piece, 0.0), both(after, before), where(model.piece > 0.0, after, before))

    @staticmethod
    def _narrowed(model: Model, point: Point, above: Scalar, seen: Seen) -> Model:
        """The end on the solution's other side moves here; one that stays twice is believed half as much (Illinois)."""
        again = equal(model.moved, where(above, -1.0, 1.0))
        low, high = chosen(above, point, model.low), chosen(above, model.high, point)
        half = times(0.5, plus(where(above, high.impulse, low.impulse), seen.impulse))
        low = low._replace(impulse=where(both(again, negated(above)), greatest(half, high.impulse), low.impulse))
        high = high._replace(impulse=where(both(again, above), least(half, low.impulse), high.impulse))
        return Model(low, high, 0.0, where(again, 0.0, where(above, -1.0, 1.0)))

    def _extended(self, model: Model, point: Point, above: Scalar, upper: Scalar, drive: Point | None) -> Model:
        """The tangent's point and this one are the chord's ends where f has fallen faster between them; else it touches
        here."""
        anchor = chosen(upper, model.high, model.low)
        ahead = point.rate >= anchor.rate
        covered = where(ahead, negated(above), above)  # the solution is between
        low, high = chosen(ahead, anchor, point), chosen(ahead, point, anchor)
        if drive is not None:
            low, high = self._drive_ends(low, high, drive)
        touching = where(ahead, 1.0, -1.0)
        return Model(
            chosen(covered, low, point), chosen(covered, high, point),
            where(covered, 0.0, touching), 0.0,
        )  # fmt: skip

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
