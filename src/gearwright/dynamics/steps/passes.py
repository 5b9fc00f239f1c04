"""The passes of a midpoint step: when the mean velocity w has settled, and where the next pass starts.

A pass leads from w to u = g(w). It is the last where |u − w| is below the tolerance. Otherwise the next one starts from

    w + ω·(u − w)       ω by Aitken: changes of alternating sign settle slowly alone (Irons and Tuck 1969)

Loops that have not settled after ten passes give way, and start from the guess again.
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
    sqrt,
    total,
    where,
)
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.tree.coordinates import Coordinates, State

PASSES = 24  # at most; where they lead nowhere, the last one starts from v again: a first-order step
FAR_IN_A_STEP, MUCH = 0.15, 0.15  # [rad, m]; share of its speed that half a step takes off or adds
QUARTER_TURN = 1.5708  # [rad] that a body which is not round may turn by in a part
NONLINEAR = 3.0  # rounds: the second pass of what is linear, whatever its motors and stops, changes nothing
YIELDING = {10.0: 4.0, 17.0: 400.0}  # passes from which on loops give way, if none has settled; by how much
NEAR = 5e-3  # by the same measure as SETTLED: passes that change less are on their way to a solution
MOST_DAMPED = 0.3  # relaxation of a pass at least, and its reciprocal at most
SETTLED = 2e-5  # of each axis' speed and 1 rad/s, m/s: a pass that changes less is the last, and leaves a hundredth;
SHORT = 1e-3  # [s] below this, less by dt²: as a step's own error falls

SLENDER = 10.0  # spread of a ball's moments of inertia, below which passes settle alike in all of its axes
ROUNDING = 2e3  # eps by which passes may go on changing in single precision
CLOSING = 20.0  # eps, over dt [s]: the same of loops, whose errors are rounded as angles and lengths are


def has_settled(u: Column, w: Sequence[Scalar], share: Scalar, gain: Mapping[int, Scalar] | None = None) -> Condition:
    """Each axis by its own speed and 1 rad/s, m/s: a rotor's is no measure for the gimbal that carries it.

    `gain`: by axis, how many times its change counts (`slender_gain`).
    """
    changes = abs(u - w)
    for k, times_as_much in (gain or {}).items():
        changes[k] = times_as_much * changes[k]
    return maximum_of(changes - share * abs(u)) <= share


def slender_gain(model: Coordinates, w: Sequence[Scalar], dt: Scalar, eps: float) -> dict[int, Scalar]:
    """By velocity of a ball: how many times as large the next change may be, where that is more than this one.

    The step turns a change across a slender body by dt·w into the body's axis, where a small inertia answers. The
    spread of the moments of inertia, `(tr I/3)³/det I`, is 1 of a sphere, and about 0.3 times their ratio of a rod.
    """
    found: dict[int, Scalar] = {}
    most = SETTLED / (ROUNDING * eps)  # no finer than rounding lets passes settle
    for body, (_, three) in zip(model.ball_bodies, model.balls, strict=True):
        spread = body.mass.S.spread_of_moments()
        if most <= 1.0 or (is_number(spread) and spread < SLENDER):
            continue
        speed = sqrt(total(TINY, *(w[k] * w[k] for k in three)))
        found |= dict.fromkeys(three, minimum(maximum(1.0, spread * (dt * speed)), most))
    return found


def tolerance(turn: Scalar, dt: Scalar, eps: float, *, loops: bool) -> Scalar:
    """Share of its speed by which an axis may change in the last pass.

    In short steps rounding may be more than that, where a loop's rows are short of depending on each other.
    """
    short = SETTLED / SHORT**2 * (dt * dt)
    rounding: Scalar = ROUNDING * eps
    if loops:
        short = where(turn >= min(YIELDING), SETTLED, short)
        rounding = maximum(rounding, CLOSING * eps / dt)
    return maximum(minimum(SETTLED, short), rounding)


def give_way(turn: Scalar) -> Scalar:
    """How many times as much as their rows turn loops give way in a pass."""
    return chosen_from(turn, YIELDING)


def is_unresolved(model: Coordinates, v: Sequence[Scalar], w: Sequence[Scalar], dt: Scalar) -> Condition:
    """Whether an axis goes far in the step while its speed changes much: no step of this length follows that.

    A ball is one: what turns in its own axes is a part of its motion.
    """
    found: Condition = False
    for axes in (*([k] for _, k in model.plain), *(three for _, three in model.balls)):
        square = total(*(w[k] * w[k] for k in axes))
        change = total(*(d * d for d in (w[k] - v[k] for k in axes)))
        far = (dt * dt * square) > FAR_IN_A_STEP**2
        found = found | far & (change > MUCH**2 * square)
    return found


def is_racing(model: Model, q: list[Scalar], w: list[Scalar], dt: Scalar) -> Condition:
    """Whether a body that is not round turns by more than a quarter turn: its two sides could not be told apart."""
    v = model.tree(State(q, w)).v
    squares = [total(*(v[k] * v[k] for k in axes)) for axes in model.uneven]
    return dt * dt * maximum_of(squares) > QUARTER_TURN**2 if squares else False


def start_next_pass(build: StepBuilder, most: int, unresolved: Condition | None, racing: Condition = False) -> None:
    """Writes the stage `relax`: where the pass after this one starts. `most`: passes.

    The last pass of a step that is lost starts from v. `unresolved`, `racing`: whether the step is too long for its
    motion; None with loops, which say so after the last pass.
    """
    turn, passed, u = build.iteration[0], build.converged[0] > 0.5, build.u
    build.nearly_converged = [where(has_settled(u, build.start, NEAR), 1.0, 0.0)]
    start = _relaxed(build, loops=unresolved is None)
    if unresolved is None:
        start = select(is_any_of(turn, YIELDING), build.guess, start)
    else:
        too_long = ((turn >= NONLINEAR) & unresolved) | racing
        build.unresolved = [where(passed, build.unresolved[0], as_number(too_long))]
    lost = (turn >= most) & (build.nearly_converged[0] < 0.5)
    build.start = select(passed, build.start, select(lost, build.velocity, start))
    build.stage("relax")


def _relaxed(build: StepBuilder, *, loops: bool) -> Column:
    """`w + ω·(u − w)`; stores u − w and ω, which is 1 after the first pass and where loops begin to give way."""
    turn, start = build.iteration[0], build.start
    change, before = build.u - start, build.change
    differences = change - before
    along = before @ differences
    square = total(TINY, *(a * a for a in differences))
    aitken = -(build.relaxation[0] * (along / square))
    begins = is_any_of(turn, [first + 1.0 for first in (1.0, *(YIELDING if loops else ()))])
    relaxation = where(begins, 1.0, minimum(maximum(aitken, MOST_DAMPED), 1.0 / MOST_DAMPED))
    build.change, build.relaxation = change, [relaxation]
    return start + relaxation * change


def is_any_of(x: Scalar, values: Iterable[float]) -> Condition:
    found: Condition = False
    for value in values:
        found = found | equal(x, value)
    return found


def chosen_from(x: Scalar, table: Mapping[float, float]) -> Scalar:
    """The value of the largest key that x has reached; 0 before the first."""
    found: Scalar = 0.0
    for key, value in table.items():
        found = where(x >= key, value, found)
    return found
