"""The iteration for the mean velocity w of a substep: when it has converged, and where it continues.

An iteration leads from w to u = g(w). It is the last if |u − w| is below the tolerance. Otherwise the next starts from

    w + ω·(u − w)       ω by Aitken: changes of alternating sign converge slowly alone (Irons and Tuck 1969)

Loops that have not converged after ten iterations become compliant, and start from the guess again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.scalar import (
    TINY,
    Condition,
    Scalar,
    equal,
    is_number,
    maximum,
    maximum_of,
    minimum,
    negated,
    sqrt,
    total,
    where,
)
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.tuning import TUNING
from gearwright.dynamics.tree.coordinates import Coordinates, State


def has_converged(u: Column, w: Sequence[Scalar], share: Scalar, gain: Mapping[int, Scalar] | None = None) -> Condition:
    """Each axis is measured by its own speed and 1 rad/s or m/s: a rotor's speed is no measure for the gimbal that
    carries it.

    `gain`: by axis, how many times its change counts (`slender_gain`).
    """
    return _excess(u, w, share, gain or {}) <= share


def _excess(u: Column, w: Sequence[Scalar], share: Scalar, gain: Mapping[int, Scalar]) -> Scalar:
    """The largest change, less this share of the axis' speed."""
    changes = abs(u - w)
    for k, times_as_much in gain.items():
        changes[k] = times_as_much * changes[k]
    return maximum_of(changes - share * abs(u))


def slender_gain(model: Coordinates, w: Sequence[Scalar], h: Scalar, eps: float) -> dict[int, Scalar]:
    """By velocity of a ball: how many times as large the next change may be, where that is more than this one.

    The step turns a change across a slender body by h·w into the body's axis, where a small inertia answers. The
    spread of the moments of inertia, `(tr I/3)³/det I`, is 1 of a sphere, and about 0.3 times their ratio of a rod.
    """
    found: dict[int, Scalar] = {}
    most = TUNING.change / (TUNING.rounding * eps)  # no finer than rounding lets the iteration converge
    for body, (_, three) in zip(model.ball_bodies, model.balls, strict=True):
        spread = body.mass.S.spread_of_moments()
        if most <= 1.0 or (is_number(spread) and spread < TUNING.slender):
            continue
        speed = sqrt(total(TINY, *(w[k] * w[k] for k in three)))
        found |= dict.fromkeys(three, minimum(maximum(1.0, spread * (h * speed)), most))
    return found


def tolerance(
    iteration: Scalar, h: Scalar, eps: float, *, loops: bool, change: float = TUNING.change
) -> Scalar:  # fmt: skip
    """Share of its speed by which an axis may change in the last iteration: `change` at most.

    In short steps, rounding may exceed that if a loop's rows are nearly dependent.
    """
    short = change / TUNING.short**2 * (h * h)
    rounding: Scalar = TUNING.rounding * eps
    if loops:
        short = where(iteration >= min(TUNING.compliance), change, short)
        rounding = maximum(rounding, TUNING.loop_rounding * eps / h)
    return maximum(minimum(change, short), rounding)


def compliance(iteration: Scalar) -> Scalar:
    """By how many times the turn of their rows loops yield in this iteration."""
    found: Scalar = 0.0
    for first, value in TUNING.compliance.items():
        found = where(iteration >= first, value, found)
    return found


def motion_error(
    model: Model, q: list[Scalar], v: Sequence[Scalar], w: Column, h: Scalar, iteration: Scalar | None = None
) -> Scalar:
    """Square of the distance that an axis moves, or of the angle that a body that is not round turns by, over what a
    substep can follow.

    An axis counts if its speed changes much in half of the substep: no step of that length can follow it. A ball joint
    counts as one axis, because turning within its own axes is part of its motion. `iteration`: only if it is past the
    linear ones.
    """
    changed: Condition = True if iteration is None else iteration >= TUNING.nonlinear
    ways: list[Scalar] = [0.0]
    for axes in (*([k] for _, k in model.plain), *(three for _, three in model.balls)):
        square = total(*(w[k] * w[k] for k in axes))
        change = total(*(d * d for d in (w[k] - v[k] for k in axes)))
        ways.append(where((change > TUNING.much**2 * square) & changed, square, 0.0))
    error = 1.0 / TUNING.far**2 * maximum_of(ways)
    if model.uneven:
        turning = model.tree(State(q, w)).v
        squares = [total(*(turning[k] * turning[k] for k in axes)) for axes in model.uneven]
        error = maximum(error, 1.0 / TUNING.quarter_turn**2 * maximum_of(squares))
    return h * h * error


def next_start(build: StepBuilder, most: int, *, loops: bool) -> None:
    """Where the next iteration starts. `most`: maximum number of iterations.

    If the last iteration is not near a solution, it starts from v: a step of first order.
    """
    iteration, converged, u = build.iteration[0], build.converged[0] > 0.5, build.u
    residual = 1.0 / TUNING.near * _excess(u, build.start, TUNING.near, {})
    start = _relaxed(build, loops=loops)
    if loops:
        softer = is_any_of(iteration, TUNING.compliance)
        build.as_before, start = [as_number(negated(softer))], select(softer, build.guess, start)
    lost = (iteration >= most) & negated(residual <= 1.0)  # also where it is not finite
    build.residual = [residual]
    build.start = select(converged, build.start, select(lost, build.velocity, start))


def _relaxed(build: StepBuilder, *, loops: bool) -> Column:
    """`w + ω·(u − w)`; stores u − w and ω, which is 1 after the first iteration and where loops become compliant."""
    iteration, start = build.iteration[0], build.start
    change, before = build.u - start, build.change
    difference = change - before
    aitken = -(build.relaxation[0] * (before @ difference / total(TINY, *(a * a for a in difference))))
    begins = is_any_of(iteration, [first + 1.0 for first in (1.0, *(TUNING.compliance if loops else ()))])
    least = TUNING.least_relaxation
    relaxation = where(begins, 1.0, minimum(maximum(aitken, least), 1.0 / least))
    build.change, build.relaxation = change, [relaxation]
    return start + relaxation * change


def is_any_of(x: Scalar, values: Iterable[float]) -> Condition:
    found: Condition = False
    for value in values:
        found = found | equal(x, value)
    return found
