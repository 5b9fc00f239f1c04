"""A single law, as sweeps solve it: the impulse at which it meets the rate that the other terms leave.

    x = free + A·λ      the rate answers to the impulse; free: the rate without this law

This rises with λ, and the law's polyline does not: they meet in one point.
"""

from __future__ import annotations

from dataclasses import replace

from gearwright.dynamics.algebra.scalar import (
    Condition,
    Scalar,
    equal,
    is_zero,
    maximum,
    minimum,
    times_reciprocal,
    where,
)
from gearwright.dynamics.solve.laws import FAR, VERTICAL, ForceLaw, Vertex
from gearwright.dynamics.solve.sweeps import Response

WARM_START_CHANGE = 0.1  # of the tolerance: change of a held velocity in a step whose impulses are not sought anew
STOP_LEAKAGE = 100.0  # a stop that takes so much off a velocity in one step is off by no more than the tolerance


def project(law: ForceLaw, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
    """The impulse at which it meets `rate + own·(λ − impulse)`.

    Stops lose a little of their impulse in every sweep, so that contradictory stops do not push ever harder.
    """
    if _is_staircase(law):
        return _project_on_stairs(law, impulse, rate, own, tolerance)
    free = rate - own.whole * impulse
    values = []
    for k, slope in enumerate(law.slopes):
        x, y = _end(law, k)
        if slope is VERTICAL:
            value = _holding(law, k, impulse, rate, own, tolerance)
            value = value if k == len(law.slopes) - 1 else maximum(value, law.vertices[k].impulse)
            values.append(value if k == 0 else minimum(value, law.vertices[k - 1].impulse))
        elif is_zero(slope):
            values.append(y)
        else:
            values.append((y - slope * (free - x)) / (1.0 + slope * own.whole))
    new = values[-1]
    for k in reversed(range(len(values) - 1)):
        x, y = law.vertices[k]
        new = where(free < (x - own.whole * y), values[k], new)
    return new


def _project_on_stairs(law: ForceLaw, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
    """From low rates to high, a vertical segment is a lower bound of what comes after it, a flat one an upper."""
    new: Scalar | None = None
    for k in reversed(range(len(law.slopes))):
        if law.slopes[k] is VERTICAL:
            value, bounded = _holding(law, k, impulse, rate, own, tolerance), maximum
        else:
            value, bounded = _end(law, k).impulse, minimum
        new = value if new is None else bounded(value, new)
    assert new is not None
    return new


def _holding(law: ForceLaw, k: int, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
    """The impulse that holds the rate of a vertical segment."""
    is_stop = k in (0, len(law.slopes) - 1)
    kept = (1.0 - tolerance / STOP_LEAKAGE) * impulse if is_stop else impulse
    return kept + times_reciprocal(_end(law, k).rate - rate, own.reciprocal)


def satisfied(law: ForceLaw, impulse: Scalar, rate: Scalar, before: Scalar, tolerance: float) -> Condition:
    """Whether rate and impulse are on it, to a velocity of `tolerance`.

    Where it holds something still, it must also stay so: an impulse that has just taken a velocity off would give
    it back in the next step, the other way round. So the rate may not have changed by more than a part of the
    tolerance since `before`, the start of the step.
    """
    still = abs(rate - before) <= WARM_START_CHANGE * tolerance
    if _is_staircase(law):
        return _is_on_stairs(law, impulse, rate, still, tolerance)
    found: Condition = False
    for k, slope in enumerate(law.slopes):
        x, y = _end(law, k)
        if slope is not VERTICAL and is_zero(slope):
            on = equal(impulse, y)
            if k > 0:
                on = on & (rate >= law.vertices[k - 1].rate - tolerance)
            if k < len(law.slopes) - 1:
                on = on & (rate <= law.vertices[k].rate + tolerance)
            found = found | on
            continue
        there = x if slope is VERTICAL else x - (impulse - y) / slope
        on = still & (abs(rate - there) <= tolerance)
        if k > 0:
            on = on & (impulse <= law.vertices[k - 1].impulse)
        if k < len(law.slopes) - 1:
            on = on & (impulse >= law.vertices[k].impulse)
        found = found | on
    return found


def _is_on_stairs(law: ForceLaw, impulse: Scalar, rate: Scalar, still: Condition, tolerance: float) -> Condition:
    """By the range of rates that an impulse belongs to."""
    levels = [_end(law, k).impulse for k, slope in enumerate(law.slopes) if slope is not VERTICAL]
    rates = [v.rate for k, v in enumerate(law.vertices) if law.slopes[k] is VERTICAL]
    rates += [law.vertices[-1].rate] if law.slopes[-1] is VERTICAL else [FAR]
    rates = rates if law.slopes[0] is VERTICAL else [-FAR, *rates]
    low, high = rates[-1], rates[-1]
    slides: Condition = False
    for x, y in zip(rates[-2::-1], levels[::-1], strict=True):
        low, high = where(impulse >= y, x, low), where(impulse > y, x, high)
        slides = slides | equal(impulse, y)
    within = (rate >= low - tolerance) & (rate <= high + tolerance)
    return within & (still | slides)


def warm_start(law: ForceLaw, impulse: Scalar) -> Scalar:
    """Last step's impulse as a first guess: within its bounds, where it has any."""
    if law.slopes[0] is not VERTICAL and is_zero(law.slopes[0]):
        impulse = minimum(impulse, law.vertices[0].impulse)
    if law.slopes[-1] is not VERTICAL and is_zero(law.slopes[-1]):
        impulse = maximum(impulse, law.vertices[-1].impulse)
    return impulse


def moved_on(law: ForceLaw, moved: Scalar, done: Scalar, n: int) -> ForceLaw:
    """As it stands after `done` of n sweeps of dt/n each, in which it has moved by `moved` times that.

    A stop is approached on a straight way; springs are implicit in the whole step.
    """
    vertices = list(law.vertices)

    def along(rate: Scalar) -> Scalar:
        return rate + 1.0 / n * (done * rate - moved)

    low = along(vertices[0].rate) if law.slopes[0] is VERTICAL else None
    high = along(vertices[-1].rate) if law.slopes[-1] is VERTICAL else None
    inside = range(low is not None, len(vertices) - (high is not None))  # friction turns between the stops
    for k in inside:
        rate = vertices[k].rate if low is None else maximum(vertices[k].rate, low)
        vertices[k] = vertices[k]._replace(rate=rate if high is None else minimum(rate, high))
    if low is not None:
        vertices[0] = vertices[0]._replace(rate=low)
    if high is not None:
        vertices[-1] = vertices[-1]._replace(rate=high)
    return replace(law, vertices=tuple(vertices))


def _end(law: ForceLaw, k: int) -> Vertex:
    """A vertex that segment number k, from low rates, ends at."""
    return law.vertices[min(k, len(law.vertices) - 1)]


def _is_staircase(law: ForceLaw) -> bool:
    """Whether no segment slopes, as of friction and stops: each holds a rate or an impulse, by turns."""
    return all(slope is VERTICAL or is_zero(slope) for slope in law.slopes) and len(law.slopes) > 1
