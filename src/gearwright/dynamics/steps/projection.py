"""Closed loops: positions are corrected until the loops close.

    gap         errors C(q) of the loops; within the tolerance, all is done
    until they are closed, or these factors do not serve:
        close       q ← q ⊕ δ with the factors that an Euler step has found its velocities with
        gap
    until they are closed:
        project     rows J and masses, factorised where the mechanism is (`solve.closing`)
        until they are closed, or these factors do not serve any more:
            correct     q ← q ⊕ δ
            gap
    open        counts loops that are not closed, by name

The default step closes its loops while it looks for the mean velocity, and only checks the gap here. Factors are reused
as long as each move is at most a tenth of the one before.

Rows have a compliance E = ε·|C|·R. R is the response that a row would have along everything that moves it.
Levenberg–Marquardt with a damping that vanishes with the error converges quadratically even where J loses rank
(Yamashita and Fukushima, 2001; Fan and Yuan, 2005), and moves by at most 1.6·|C|^½ at a time (ε = 0.1): at a dead
centre, where C is quadratic, |C|^½ is the distance to go. With a smaller ε, nearly dependent rows close in fewer moves.

Rows of an overdetermined loop (`model.loops.mobility`) always yield a little, since they agree only up to the file's
rounding. Their error does not vanish; iteration ends when a move is negligible.

Axes beyond their stops are brought back first, along the loops (`stop_recovery`): an axis that is moved alone may end
up further beyond once the loops are closed again.
"""

from __future__ import annotations

from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Expression, maximum_of, total, where
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.constraints.rows import Instant, PositionRow
from gearwright.dynamics.solve.closing import LeastMove
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.steps.stop_recovery import StopRecovery
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState

PROJECTIONS = 32  # at most: of factors that are made,
CORRECTIONS = 8  # and of moves that each of them serves
SERVES = 0.1  # share of the move before: factors serve as long as moves fall by it
DAMPED = 0.1  # share of |C|·R
CLOSED = 4_500.0 * 2.0**-52  # 1e-12 [rad, m]: loops are closed
ROUNDING = 10.0  # eps, in single precision: angles and lengths of no more than 10 are rounded to that,
SINGLE = 1e9  # eps: times the tolerance of an open loop, where that is less than single precision resolves
LAST = 100.0  # eps: and a move of this is the last; the next would be about the square of it


def project(step: ConstrainedStep, M: FrontalMatrix, recovery: StopRecovery, closing: LeastMove | None = None) -> None:
    """Moves the position of the step's end back within stops, and until loops are closed.

    `closing`: along the step's equalities, with their factors where it began.
    """
    build = step.build
    build.moved_by, build.turned = [1.0], [0.0]
    build.stage("advance")
    recovery.write()
    _look(step)
    rows, _ = _rows(step)
    if closing is not None and len(closing.y) == len(rows) == len(_every_row(step, _now(step))):
        with build.loop(CORRECTIONS, until=Slots.turned):
            _correct(step, closing, "close")
            build.again("gap")
    if rows:
        with build.loop(PROJECTIONS, until=Slots.closed):
            back = _factorised(step, M).mapped(build.carry(Slots.projection))
            build.turned, build.moved_by = build.closed, [1.0]
            build.stage("project")
            with build.loop(CORRECTIONS, until=Slots.turned):
                _correct(step, back, "correct")
                build.again("gap")
    with build.unless(Slots.loops_closed):
        _count(step)


def _factorised(step: ConstrainedStep, M: FrontalMatrix) -> LeastMove:
    """Rows where the mechanism is, and masses where the step began."""
    (rows, tree), metric = _rows(step), step.model.factorised(M.entries)
    worst = maximum_of([abs(x) for x in step.build.gap])
    reach = [combined(row.J if row.reach is None else row.reach, tree.G) for row in rows]
    responses = [total(*(x * x * metric.reciprocals[n] for n, x in along.items())) for along in reach]
    E = [(DAMPED * worst + row.disagreement) * R for row, R in zip(rows, responses, strict=True)]
    J, groups = [combined(row.J, tree.G) for row in rows], [row.group for row in rows]
    return LeastMove.of(J, groups, metric, E, Floors.of(step.eps))


def _look(step: ConstrainedStep) -> None:
    """Writes the stage `gap`: errors of the rows, and whether they are closed."""
    build = step.build
    rows, _ = _rows(step)
    errors = [row.error for row in rows]
    closed = maximum_of([0.0, *map(abs, errors)]) <= max(CLOSED, ROUNDING * step.eps)
    closed = closed | (build.moved_by[0] <= max(CLOSED, LAST * step.eps))
    build.closed = [as_number(closed)]
    if errors:
        build.gap = errors
    build.turned = [as_number(closed | (build.turned[0] > 0.5))]
    build.opening = [closure.opening(_now(step)) for closure in step.closures]
    build.loops_closed = [as_number(maximum_of(build.opening) <= max(1.0, SINGLE * step.eps))]
    build.stage("gap")


def _correct(step: ConstrainedStep, back: LeastMove, name: str) -> None:
    """Writes the stage. Robots of a batch that are done stay where they are."""
    build, model = step.build, step.model
    q, done = build.position, (build.closed[0] > 0.5) | (build.turned[0] > 0.5)
    move = back.move(build.gap)
    moved = model.advanced(q, [move[n] for n in range(model.dof)], 1.0)
    far = maximum_of([abs(x) for x in move.values()])
    build.position = [where(done, old, new) for old, new in zip(q, moved, strict=True)]
    build.turned = [as_number(done | (far > SERVES * build.moved_by[0]))]
    build.moved_by = [where(done, build.moved_by[0], far)]
    build.stage(name)


def _count(step: ConstrainedStep) -> None:
    """Writes the stage `open`: which loops are."""
    build = step.build
    most = max(1.0, SINGLE * step.eps)
    counts = zip(build.opened, build.opening, strict=True)
    build.opened = [n + as_number(share > most) for n, share in counts]
    build.stage("open")


def _rows(step: ConstrainedStep) -> tuple[list[PositionRow], TreeState]:
    """Those that something moves, where the mechanism is."""
    now = _now(step)
    return [row for row in _every_row(step, now) if _movable(row, now.tree)], now.tree


def _every_row(step: ConstrainedStep, now: Instant) -> list[PositionRow]:
    """One of each equality, if there are no others than those of loops and of drives that prescribe positions."""
    return [row for group in step.groups for row in group.position_rows(now)]


def _now(step: ConstrainedStep) -> Instant:
    model = step.model
    tree = model.tree(State(step.build.position, [0.0] * model.dof))
    return Instant(tree, model.configuration(tree), step.h, step.targets)


def _movable(row: PositionRow, tree: TreeState) -> bool:
    """Whether any coordinate moves it, as the row looks or looked another way; between links that are held, none."""
    along = combined(row.J if row.reach is None else row.reach, tree.G)
    return not all(x.sx.is_zero() if isinstance(x, Expression) else x == 0.0 for x in along.values())
