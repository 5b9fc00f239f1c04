"""Laws: an impulse that does not rise with the rate along its direction, as a polyline.

    impulse λ
      │   piece −2: on the lower stop
      ├────┐   piece −1: sliding down, λ = f
      │    │   piece 0: stuck
      │    └────┬   piece 1: sliding up, λ = −f
      │         │   piece 2: on the upper stop
      └───────────── rate x

A piece is a number; 0 is where a law starts. Given the rest of the mechanism, a direction of inertia d that is pushed
by w ends on the line `λ = d·x − w`, and meets the polyline in the piece between whose ends `d·x − λ` equals w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import (
    TINY,
    Scalar,
    both,
    divided,
    either,
    equal,
    greatest,
    is_zero,
    least,
    magnitude,
    minus,
    plus,
    times,
    times_reciprocal,
    total,
    where,
)
from gearwright.dynamics.solve.conditions import as_number, chosen, one_of, only_where

FAR = 1e12  # a rate that nothing reaches: a stop there is none
WARM_START_CHANGE = 0.1  # of the tolerance: change of a held velocity in a step whose impulses are not sought anew
STOP_LEAKAGE = 100.0  # a stop that takes so much off a velocity in one step is off by no more than the tolerance
VERTICAL = None  # the slope of a piece that holds the rate, whatever impulse that takes


class Vertex(NamedTuple):
    """Where two pieces meet."""

    rate: Scalar
    impulse: Scalar


class Line(NamedTuple):
    """A piece and its extension: `x = rate` where it is vertical, else `λ = impulse − slope·(x − rate)`.

    `flat` where the slope is zero; rate is 0 where flat, impulse 0 where vertical.
    """

    vertical: Scalar
    flat: Scalar
    rate: Scalar
    impulse: Scalar
    slope: Scalar


class Seen(NamedTuple):
    """How a direction answers with the rest of the mechanism in its pieces: on it `alpha·x − beta·λ = push`."""

    push: Scalar
    alpha: Scalar
    beta: Scalar
    tolerance: Scalar  # of the push: half of it either way
    rate: Scalar
    impulse: Scalar
    inertia: Scalar  # alpha/beta
    slack: Scalar  # of the rate
    share: Scalar  # of any number: what is rounding

    def needed(self, rate: Scalar) -> Scalar:
        """The impulse that would lead to another rate."""
        return plus(self.impulse, times(self.inertia, minus(rate, self.rate)))


class Response(NamedTuple):
    """How the rate along a direction answers to an impulse, the other terms given."""

    whole: Scalar  # A_ii
    reciprocal: Scalar  # 1/A_ii, or 0 where nothing moves
    soft: Scalar  # 1/(A_ii + cfm)


@dataclass(frozen=True)
class Polyline:
    """Vertices with rates that do not fall and impulses that do not rise; one slope (λ falls by it) a piece.

    A single piece has one vertex, too: a point that it goes through.

    `home` is the place of piece 0 among the slopes. `friction`: the impulse of piece −1 and, with a minus, of piece 1,
    so that a push of 0 belongs to piece 0. `reachable`: no stop's rate is FAR, in any state.
    """

    vertices: tuple[Vertex, ...]
    slopes: tuple[Scalar | None, ...]
    home: int
    friction: Scalar | None = None
    reachable: bool = field(default=False, compare=False)

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Polyline:
        """The same with other numbers."""
        vertices = tuple(Vertex(change(v.rate), change(v.impulse)) for v in self.vertices)
        slopes = tuple(slope if slope is VERTICAL else change(slope) for slope in self.slopes)
        friction = None if self.friction is None else change(self.friction)
        return replace(self, vertices=vertices, slopes=slopes, friction=friction)

    @property
    def pieces(self) -> range:
        return range(-self.home, len(self.slopes) - self.home)

    def _of(self, *, vertical: bool = False, flat: bool = False, sloped: bool = False) -> list[int]:
        found = []
        for piece, slope in zip(self.pieces, self.slopes, strict=True):
            kind = "vertical" if slope is VERTICAL else "flat" if is_zero(slope) else "sloped"
            if {"vertical": vertical, "flat": flat, "sloped": sloped}[kind]:
                found.append(piece)
        return found

    @property
    def holds(self) -> bool:
        """Whether a piece is vertical."""
        return bool(self._of(vertical=True))

    def _anchor(self, piece: int) -> Vertex:
        """A vertex that the piece ends at."""
        return self.vertices[min(piece + self.home, len(self.vertices) - 1)]

    def started(self, piece: Scalar) -> Scalar:
        """As a step begins: the piece in which the last one ended, unless that one is out of reach now."""
        if self.reachable:
            return piece
        lowest, highest = float(self.pieces[0]), float(self.pieces[-1])
        if self.slopes[0] is VERTICAL and lowest < 0.0:
            piece = where(both(piece <= lowest, self.vertices[0].rate <= -FAR), 0.0, piece)
        if self.slopes[-1] is VERTICAL and highest > 0.0:
            piece = where(both(piece >= highest, self.vertices[-1].rate >= FAR), 0.0, piece)
        return piece

    def line(self, piece: Scalar) -> Line:
        vertical, flat, tilted = (self._of(**{kind: True}) for kind in ("vertical", "flat", "sloped"))
        rates = [(k, 0.0 if k in flat else self._anchor(k).rate) for k in self.pieces]
        impulses = [(k, self._anchor(k).impulse) for k in (*flat, *tilted)]
        slopes = [(k, self.slopes[k + self.home] if k in tilted else 0.0) for k in self.pieces]
        if self.friction is None:
            impulse = chosen(piece, sorted(impulses, key=itemgetter(0)))
        else:
            impulse = minus(0.0, times(piece, self.friction))
        held, slides = (one_of(piece, own, self.pieces) for own in (vertical, flat))
        return Line(held, slides, chosen(piece, rates), impulse, chosen(piece, slopes))

    def next(self, piece: Scalar, line: Line, seen: Seen, *, jumps: bool) -> Scalar:
        """The piece that the push belongs to; the same piece while the push is no further off it than the tolerance.

        A vertical piece may be left for any other (`jumps`): d is the largest inertia that the direction can have,
        so that no piece is skipped in which the solution, the others in their pieces, could be. Any other piece is
        left for the next one, or for piece 0.
        """
        shifted = plus(seen.push, times(piece, seen.tolerance))
        found: Scalar = 0.0
        for k, threshold in sorted(self._thresholds(seen), key=lambda pair: pair[0] < 0):
            if k < 0:
                found = minus(found, as_number(shifted <= threshold))
            else:
                found = plus(found, as_number(shifted > threshold))
        if self.friction is not None and jumps:
            found = only_where(times(shifted, piece) >= 0.0, found)
        elif self._far():
            near = _between(minus(piece, 1.0), found, plus(piece, 1.0))
            found = where(line.vertical, found, near) if jumps else near
        return found

    def _thresholds(self, seen: Seen) -> list[tuple[int, Scalar]]:
        """By piece, the push at which it ends and the next begins. Friction's are the same to both sides."""
        found = []
        reach = plus(times(seen.beta, 0.0 if self.friction is None else self.friction), times(0.5, seen.tolerance))
        for k, (x, y) in zip(self.pieces[:-1], self.vertices, strict=False):
            end = times(seen.alpha, x)
            if self.friction is None:
                end = plus(minus(end, times(seen.beta, y)), times(k + 0.5, seen.tolerance))
            else:
                wide = plus(reach, times(float(k if k >= 0 else -1 - k), seen.tolerance))
                end = plus(end, wide) if k >= 0 else minus(end, wide)
            found.append((k, end))
        return found

    def lead(self, piece: Scalar, new: Scalar, begun: Scalar, now: Scalar) -> Scalar:
        """Share that is beyond the piece's end of the way from one place to another, both as `rate − impulse`."""
        ends = zip(self.pieces, [minus(v.rate, v.impulse) for v in self.vertices], strict=False)
        up = new > piece
        end = chosen(where(up, piece, minus(piece, 1.0)), list(ends))
        sign = where(up, 1.0, -1.0)
        gap = greatest(times(sign, minus(end, begun)), 0.0)
        excess = greatest(times(sign, minus(now, end)), 0.0)
        return divided(excess, total(TINY, gap, excess))

    # --- one law at a time, as sweeps take it ----------------------------------------------------------------------

    def project(self, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
        """The impulse at which it meets `rate + own·(λ − impulse)`.

        Stops let go of a little in every sweep, so that those that contradict each other do not push ever harder.
        """
        if self._staircase:
            return self._stair(impulse, rate, own, tolerance)
        free = minus(rate, times(own.whole, impulse))
        values = []
        for k, slope in enumerate(self.slopes):
            x, y = self.vertices[min(k, len(self.vertices) - 1)]
            if slope is VERTICAL:
                kept = impulse if 0 < k < len(self.slopes) - 1 else times(1.0 - tolerance / STOP_LEAKAGE, impulse)
                value = plus(kept, times_reciprocal(minus(x, rate), own.reciprocal))
                value = value if k == len(self.slopes) - 1 else greatest(value, self.vertices[k].impulse)
                values.append(value if k == 0 else least(value, self.vertices[k - 1].impulse))
            elif is_zero(slope):
                values.append(y)
            else:
                values.append(divided(minus(y, times(slope, minus(free, x))), plus(1.0, times(slope, own.whole))))
        new = values[-1]
        for k in reversed(range(len(values) - 1)):
            x, y = self.vertices[k]
            new = where(free < minus(x, times(own.whole, y)), values[k], new)
        return new

    def satisfied(self, impulse: Scalar, rate: Scalar, before: Scalar, tolerance: float) -> Scalar:
        """Whether rate and impulse are on it, to a velocity of `tolerance`.

        Where it holds something still, it must also stay so: an impulse that has just taken a velocity off would give
        it back in the next step, the other way round. So the rate may not have changed by more than a part of the
        tolerance since `before`, the start of the step.
        """
        still = magnitude(minus(rate, before)) <= WARM_START_CHANGE * tolerance
        if self._staircase:
            return self._on_stair(impulse, rate, still, tolerance)
        found: Scalar = False
        for k, slope in enumerate(self.slopes):
            x, y = self.vertices[min(k, len(self.vertices) - 1)]
            if slope is not VERTICAL and is_zero(slope):
                on: Scalar = equal(impulse, y)
                if k > 0:
                    on = both(on, rate >= minus(self.vertices[k - 1].rate, tolerance))
                if k < len(self.slopes) - 1:
                    on = both(on, rate <= plus(self.vertices[k].rate, tolerance))
                found = either(found, on)
                continue
            there = x if slope is VERTICAL else minus(x, divided(minus(impulse, y), slope))
            on = both(still, magnitude(minus(rate, there)) <= tolerance)
            if k > 0:
                on = both(on, impulse <= self.vertices[k - 1].impulse)
            if k < len(self.slopes) - 1:
                on = both(on, impulse >= self.vertices[k].impulse)
            found = either(found, on)
        return found

    @property
    def _staircase(self) -> bool:
        """Whether no piece slopes, as of friction and stops: each holds a rate or an impulse, by turns."""
        return not self._of(sloped=True) and len(self.slopes) > 1

    def _stair(self, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
        """From low rates to high, a vertical piece is a lower bound of what comes after it, a flat one an upper."""
        new: Scalar = None
        for k in reversed(range(len(self.slopes))):
            x, y = self.vertices[min(k, len(self.vertices) - 1)]
            value = y
            if self.slopes[k] is VERTICAL:
                kept = impulse if 0 < k < len(self.slopes) - 1 else times(1.0 - tolerance / STOP_LEAKAGE, impulse)
                value = plus(kept, times_reciprocal(minus(x, rate), own.reciprocal))
            bounded = greatest if self.slopes[k] is VERTICAL else least
            new = value if new is None else bounded(value, new)
        return new

    def _on_stair(self, impulse: Scalar, rate: Scalar, still: Scalar, tolerance: float) -> Scalar:
        """By the range of rates that an impulse belongs to."""
        flats = [k for k, slope in enumerate(self.slopes) if slope is not VERTICAL]
        levels = [self.vertices[min(k, len(self.vertices) - 1)].impulse for k in flats]
        rates = [v.rate for k, v in enumerate(self.vertices) if self.slopes[k] is VERTICAL]
        rates += [self.vertices[-1].rate] if self.slopes[-1] is VERTICAL else [FAR]
        rates = rates if self.slopes[0] is VERTICAL else [-FAR, *rates]
        low, high, slides = rates[-1], rates[-1], False
        for x, y in zip(rates[-2::-1], levels[::-1], strict=True):
            low, high = where(impulse >= y, x, low), where(impulse > y, x, high)
            slides = either(slides, equal(impulse, y))
        within = both(rate >= minus(low, tolerance), rate <= plus(high, tolerance))
        return both(within, either(still, slides))

    def warm_start(self, impulse: Scalar) -> Scalar:
        """Last step's impulse as a first guess: within its bounds, where it has any."""
        if self.slopes[0] is not VERTICAL and is_zero(self.slopes[0]):
            impulse = least(impulse, self.vertices[0].impulse)
        if self.slopes[-1] is not VERTICAL and is_zero(self.slopes[-1]):
            impulse = greatest(impulse, self.vertices[-1].impulse)
        return impulse

    def moved_on(self, moved: Scalar, done: Scalar, n: int) -> Polyline:
        """As it stands after `done` of n sweeps of dt/n each, in which it has moved by `moved` times that.

        A stop is approached on a straight way; springs are implicit in the whole step.
        """
        vertices = list(self.vertices)

        def along(rate: Scalar) -> Scalar:
            return plus(rate, times(1.0 / n, minus(times(done, rate), moved)))

        low = along(vertices[0].rate) if self.slopes[0] is VERTICAL else None
        high = along(vertices[-1].rate) if self.slopes[-1] is VERTICAL else None
        inside = range(low is not None, len(vertices) - (high is not None))  # friction turns between the stops
        for k in inside:
            rate = vertices[k].rate if low is None else greatest(vertices[k].rate, low)
            vertices[k] = vertices[k]._replace(rate=rate if high is None else least(rate, high))
        if low is not None:
            vertices[0] = vertices[0]._replace(rate=low)
        if high is not None:
            vertices[-1] = vertices[-1]._replace(rate=high)
        return replace(self, vertices=tuple(vertices))

    def _far(self) -> bool:
        """Whether a piece has another one further than the next."""
        return len(self.pieces) > 2


def _between(low: Scalar, x: Scalar, high: Scalar) -> Scalar:
    """x, or the nearer of the bounds; none of them is anything but a number."""
    above = where(x < low, low, x)
    return where(above > high, high, above)


def friction_and_stops(friction: Scalar, lower: Scalar | None, upper: Scalar | None) -> Polyline:
    """`|λ| ≤ friction` against every motion, and whatever keeps the rate within `lower ≤ x ≤ upper` (None: no stop).

    Both hold 0; `between_rates` is for ranges that do not.
    """
    sticks = not is_zero(friction)
    vertices = [Vertex(0.0, friction), Vertex(0.0, minus(0.0, friction))] if sticks else []
    slopes: list[Scalar | None] = [0.0, VERTICAL, 0.0] if sticks else [0.0]
    if lower is not None:
        vertices, slopes = [Vertex(lower, friction), *vertices], [VERTICAL, *slopes]
    if upper is not None:
        vertices, slopes = [*vertices, Vertex(upper, minus(0.0, friction))], [*slopes, VERTICAL]
    return Polyline(
        tuple(vertices), tuple(slopes), home=(lower is not None) + sticks, friction=friction if sticks else None
    )


def between_rates(friction: Scalar, lower: Scalar, upper: Scalar) -> Polyline:
    """The same for a range of rates that may not hold 0: friction turns where the rate is nearest to 0."""
    turn = least(greatest(lower, 0.0), upper)
    down = minus(0.0, friction)
    vertices = (Vertex(lower, friction), Vertex(turn, friction), Vertex(turn, down), Vertex(upper, down))
    return Polyline(vertices, (VERTICAL, 0.0, VERTICAL, 0.0, VERTICAL), home=2)


def saturated(rate: Scalar, slope: Scalar, lower: Scalar, upper: Scalar) -> Polyline:
    """`λ = slope·(rate − x)` within `lower ≤ λ ≤ upper`: a drive with gains, whose slope is above 0, and a limit."""
    vertices = (
        Vertex(minus(rate, upper / slope), upper),
        Vertex(minus(rate, lower / slope), lower),
    )
    return Polyline(vertices, (0.0, slope, 0.0), home=1)


def straight(rate: Scalar, slope: Scalar) -> Polyline:
    """`λ = slope·(rate − x)` without bounds."""
    return Polyline((Vertex(rate, 0.0),), (slope,), home=0)
