"""Rows of closed loops in a step: closed at its end, and yielding if they turn within it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import Condition, Scalar, maximum_of, total, where
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.rows import Instant, PositionRow
from gearwright.dynamics.solve.terms import Collected, rate
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.tuning import TUNING
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState


def closed_ahead(step: ConstrainedStep, acting: Collected, q: list[Scalar], w: list[Scalar]) -> Collected:
    """With loops that are to be closed at the end of the step: `J·w⁺ = J·w − φ(q ⊕ h·w)/h`, w the last guess.

    In a loop at rest φ is rounding; divided by h it is a speed that would shake a loop that friction holds
    redundantly.
    """
    if not step.closures:
        return acting
    equalities = list(acting.equalities)
    for i, row, _ in _rows_ahead(step, acting, q, w):
        bias = row.error / step.h - rate(equalities[i].J, w)
        equalities[i] = replace(equalities[i], bias=where(_at_rest(acting, row.group, w), 0.0, bias))
    return replace(acting, equalities=equalities)


def _at_rest(acting: Collected, loop: str | None, w: Sequence[Scalar]) -> Condition:
    """Whether no coordinate of a loop moves."""
    own = sorted({k for e in acting.equalities if e.group == loop for k in e.J})
    return maximum_of([abs(w[k]) for k in own]) <= TUNING.at_rest


def turns(step: ConstrainedStep, acting: Collected, q: list[Scalar], w: list[Scalar], mass: Sequence[Scalar]) -> Column:
    """By row of a loop, the compliance by which it may yield: as much as it turns in a step with mean velocity w.

    If a loop passes a pose in which its rows depend on each other, they may point one way at the start of the step and
    the other way at its end. No impulse along the former closes the latter; the projection removes the remainder.
    """
    found = Column()
    for i, row, tree in _rows_ahead(step, acting, q, w):
        old, new = acting.equalities[i].J, combined(row.J, tree.G)
        turned = {n: new.get(n, 0.0) - old.get(n, 0.0) for n in sorted({*old, *new})}
        found.append(total(*(x * x / mass[n] for n, x in turned.items())))
    return found


def yielding(step: ConstrainedStep, acting: Collected, give: Sequence[Scalar]) -> Collected:
    """With rows of loops that yield by these compliances."""
    equalities = list(acting.equalities)
    for i, x in zip(loop_places(step, acting), give, strict=True):
        equalities[i] = replace(equalities[i], give=x)
    return replace(acting, equalities=equalities)


def _rows_ahead(
    step: ConstrainedStep, acting: Collected, q: list[Scalar], w: list[Scalar]
) -> Iterator[tuple[int, PositionRow, TreeState]]:
    """By row of a loop: its place among the equalities, and the row where w leads to."""
    tree = step.model.tree(step.model.along_chords(State(q, w), step.h))
    now = Instant(tree, step.model.configuration(tree), step.h)
    rows = (row for closure in step.closures for row in closure.position_rows(now))
    for i, row in zip(loop_places(step, acting), rows, strict=True):
        yield i, row, tree


def loop_places(step: ConstrainedStep, acting: Collected) -> list[int]:
    """By row of a loop, its place among the equalities."""
    found, first = [], 0
    for group in step.groups:
        if isinstance(group, ClosureRows):
            found += [place for _, place in acting.read_places[first : first + group.size]]
        first += group.size
    return found


def loop_speed_squared(step: ConstrainedStep) -> Scalar | None:
    """Square of the fastest turn of a link within its loop, whichever joint closes it; None where no loop has rows.

    A link turns as the line between its two joints does: a rod that spins about itself leads nothing along a circle.
    """
    closures = [closure for closure in step.closures if closure.conditions]
    if not closures:
        return None
    model = step.model
    tree = model.tree(State(step.build.position, step.build.velocity))
    at = model.configuration(tree)
    turns = [_turn_squared(omega, d) for closure in closures for omega, d in closure.links(at, tree.v)]
    return maximum_of([0.0, *turns])


def _turn_squared(omega: Vector, d: Vector) -> Scalar:
    across = omega.cross(d)
    return (across @ across) / (d @ d)
