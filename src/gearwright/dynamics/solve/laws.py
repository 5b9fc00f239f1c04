"""Force laws: an impulse that does not rise with the rate along its direction, as a polyline.

    impulse λ
      │   segment −2: on the lower stop
      ├────┐   segment −1: sliding down, λ = f
      │    │   segment 0: stuck
      │    └────┬   segment 1: sliding up, λ = −f
      │         │   segment 2: on the upper stop
      └───────────── rate x

A segment is identified by a number; a law starts on 0. Given the rest of the mechanism, a direction of inertia d that
is pushed by w ends on the line `λ = d·x − w`, which meets the polyline in the segment between whose ends `d·x − λ`
equals w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import NamedTuple

from gearwright.dynamics.algebra.scalar import TINY, Condition, Scalar, is_zero, maximum, total, where
from gearwright.dynamics.solve.conditions import as_number, chosen, one_of, only_where

FAR = 1e12  # a rate that nothing reaches: a stop there never acts
VERTICAL = None  # the slope of a segment that holds the rate, whatever impulse that takes


class Vertex(NamedTuple):
    """Where two segments meet."""

    rate: Scalar
    impulse: Scalar


class SegmentLine(NamedTuple):
    """A segment and its extension: `x = rate` where it is vertical, else `λ = impulse − slope·(x − rate)`.

    `flat` where the slope is zero; rate is 0 where flat, impulse 0 where vertical.
    """

    vertical: Condition
    flat: Condition
    rate: Scalar
    impulse: Scalar
    slope: Scalar


class LoadLine(NamedTuple):
    """How a direction responds while the rest of the mechanism keeps its segments: the line `alpha·x − beta·λ = push`,
    which is intersected with the law's polyline."""

    push: Scalar
    alpha: Scalar
    beta: Scalar
    tolerance: Scalar  # of the push: half of it either way
    impulse: Scalar  # of the solution


@dataclass(frozen=True)
class ForceLaw:
    """Vertices with rates that do not fall and impulses that do not rise; one slope (λ falls by it) a segment.

    A single segment has one vertex, too: a point that it goes through.

    `home` is the place of segment 0 among the slopes. `friction`: the impulse of segment −1, and of segment 1 with a
    minus, so that a push of 0 belongs to segment 0. `reachable`: no stop's rate is FAR, in any state.
    """

    vertices: tuple[Vertex, ...]
    slopes: tuple[Scalar | None, ...]
    home: int
    friction: Scalar | None = None
    reachable: bool = field(default=False, compare=False)

    def mapped(self, change: Callable[[Scalar], Scalar]) -> ForceLaw:
        """The same with other numbers."""
        vertices = tuple(Vertex(change(v.rate), change(v.impulse)) for v in self.vertices)
        slopes = tuple(slope if slope is VERTICAL else change(slope) for slope in self.slopes)
        friction = None if self.friction is None else change(self.friction)
        return replace(self, vertices=vertices, slopes=slopes, friction=friction)

    @property
    def segments(self) -> range:
        return range(-self.home, len(self.slopes) - self.home)

    def _of(self, *, vertical: bool = False, flat: bool = False, sloped: bool = False) -> list[int]:
        found = []
        for segment, slope in zip(self.segments, self.slopes, strict=True):
            kind = "vertical" if slope is VERTICAL else "flat" if is_zero(slope) else "sloped"
            if {"vertical": vertical, "flat": flat, "sloped": sloped}[kind]:
                found.append(segment)
        return found

    @property
    def holds(self) -> bool:
        """Whether a segment is vertical."""
        return bool(self._of(vertical=True))

    def _anchor(self, segment: int) -> Vertex:
        """A vertex that the segment ends at."""
        return self.vertices[min(segment + self.home, len(self.vertices) - 1)]

    def started(self, segment: Scalar) -> Scalar:
        """As a step begins: the segment in which the last one ended, unless that one is out of reach now."""
        if self.reachable:
            return segment
        lowest, highest = float(self.segments[0]), float(self.segments[-1])
        if self.slopes[0] is VERTICAL and lowest < 0.0:
            segment = where((segment <= lowest) & (self.vertices[0].rate <= -FAR), 0.0, segment)
        if self.slopes[-1] is VERTICAL and highest > 0.0:
            segment = where((segment >= highest) & (self.vertices[-1].rate >= FAR), 0.0, segment)
        return segment

    def line(self, segment: Scalar) -> SegmentLine:
        vertical, flat, tilted = (self._of(**{kind: True}) for kind in ("vertical", "flat", "sloped"))
        rates = [(k, 0.0 if k in flat else self._anchor(k).rate) for k in self.segments]
        impulses = [(k, self._anchor(k).impulse) for k in (*flat, *tilted)]
        slopes = [(k, 0.0 if s is VERTICAL else s) for k, s in zip(self.segments, self.slopes, strict=True)]
        if self.friction is None:
            impulse = chosen(segment, sorted(impulses, key=itemgetter(0)))
        else:
            impulse = -(segment * self.friction)
        held, slides = (one_of(segment, own, self.segments) for own in (vertical, flat))
        return SegmentLine(held, slides, chosen(segment, rates), impulse, chosen(segment, slopes))

    def next(self, segment: Scalar, line: SegmentLine, load: LoadLine, *, jumps: bool) -> Scalar:
        """The segment that the push belongs to; the same one as long as the push is within the tolerance of it.

        From a vertical segment, a law may move to any other (`jumps`): d is the largest inertia that the direction can
        have, so no segment is skipped that could hold the solution while the other laws keep theirs. From any other
        segment, it moves to the next one, or to segment 0.
        """
        shifted = load.push + segment * load.tolerance
        found: Scalar = 0.0
        for k, threshold in sorted(self._thresholds(load), key=lambda pair: pair[0] < 0):
            off = -as_number(shifted <= threshold) if k < 0 else as_number(shifted > threshold)
            found = found + off
        if self.friction is not None and jumps:
            found = only_where((shifted * segment) >= 0.0, found)
        elif self._far():
            near = _between(segment - 1.0, found, segment + 1.0)
            found = where(line.vertical, found, near) if jumps else near
        return found

    def _thresholds(self, load: LoadLine) -> list[tuple[int, Scalar]]:
        """By segment, the push at which it ends and the next begins. Those of friction are symmetric."""
        found = []
        reach = load.beta * (0.0 if self.friction is None else self.friction) + 0.5 * load.tolerance
        for k, (x, y) in zip(self.segments[:-1], self.vertices, strict=False):
            end = load.alpha * x
            if self.friction is None:
                end = end - load.beta * y + (k + 0.5) * load.tolerance
            else:
                wide = reach + float(k if k >= 0 else -1 - k) * load.tolerance
                end = end + wide if k >= 0 else end - wide
            found.append((k, end))
        return found

    def lead(self, segment: Scalar, new: Scalar, begun: Scalar, now: Scalar) -> Scalar:
        """The fraction of the path between two places, both as `rate − impulse`, that lies beyond the segment's end."""
        ends = zip(self.segments, [v.rate - v.impulse for v in self.vertices], strict=False)
        up = new > segment
        end = chosen(where(up, segment, segment - 1.0), list(ends))
        sign = where(up, 1.0, -1.0)
        gap = maximum(sign * (end - begun), 0.0)
        excess = maximum(sign * (now - end), 0.0)
        return excess / total(TINY, gap, excess)

    def _far(self) -> bool:
        """Whether a segment has another one further than the next."""
        return len(self.segments) > 2


def _between(low: Scalar, x: Scalar, high: Scalar) -> Scalar:
    """x, or the nearer of the bounds; none of them is anything but a number."""
    above = where(x < low, low, x)
    return where(above > high, high, above)


def friction_and_stops(friction: Scalar, lower: Scalar | None, upper: Scalar | None) -> ForceLaw:
    """`|λ| ≤ friction` against every motion, and whatever keeps the rate within `lower ≤ x ≤ upper` (None: no stop)."""
    sticks = not is_zero(friction)
    vertices = [Vertex(0.0, friction), Vertex(0.0, -friction)] if sticks else []
    slopes: list[Scalar | None] = [0.0, VERTICAL, 0.0] if sticks else [0.0]
    if lower is not None:
        vertices, slopes = [Vertex(lower, friction), *vertices], [VERTICAL, *slopes]
    if upper is not None:
        vertices, slopes = [*vertices, Vertex(upper, -friction)], [*slopes, VERTICAL]
    return ForceLaw(
        tuple(vertices), tuple(slopes), home=(lower is not None) + sticks, friction=friction if sticks else None
    )


def saturated(rate: Scalar, slope: Scalar, lower: Scalar, upper: Scalar) -> ForceLaw:
    """`λ = slope·(rate − x)` within `lower ≤ λ ≤ upper`: a drive with gains, whose slope is above 0, and a limit."""
    vertices = (
        Vertex(rate - upper / slope, upper),
        Vertex(rate - lower / slope, lower),
    )
    return ForceLaw(vertices, (0.0, slope, 0.0), home=1)
