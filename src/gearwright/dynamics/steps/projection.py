"""Closed loops: positions are brought back to where they close.

    q ← q ⊕ −Y·(J·Y + ε·|C|·R)⁻¹·C(q),     Y = M⁻¹·Jᵀ

R is the response that a row would have if it looked along all that moves it. Levenberg and Marquardt with a damping
that goes to zero with the error converge quadratically even where J loses rank (Yamashita and Fukushima, 2001; Fan and
Yuan, 2005), and no further than 1.6·|C|^½ in one move (ε = 0.1): at a dead centre, where C is quadratic, |C|^½ is what
there is to go. With less of it rows that nearly depend on each other close in fewer moves.

Rows of an overdetermined loop (`model.mobility`) give way a little in any case, since they need not agree but for the
file's rounding. There is no error to be taken off to nothing then: the last move is the one that is nothing.

Axes beyond their stops come back before, along the loops (`stop_recovery`): set back alone, one may come out further
beyond once they are closed again.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algebra.factorise import Factors, factorise
from gearwright.dynamics.algebra.scalar import Expression, Scalar, expression, maximum, maximum_of, total, where
from gearwright.dynamics.algebra.sparse import Matrix, combined
from gearwright.dynamics.constraints.rows import Instant, PositionRow
from gearwright.dynamics.solve.closing import least_pivots, responses
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.sweeps import dense
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.steps.stop_recovery import StopRecovery
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState

PROJECTIONS = 32  # at most; the one that starts within the tolerance is the last
DAMPED = 0.1  # share of |C|·R
CLOSED = 450_000.0 * 2.0**-52  # 1e-10 [rad, m]: the next move would be about the square of it;
ROUNDING = 100.0  # eps, in single precision: angles and lengths of no more than 10 are rounded to less


def project(step: ConstrainedStep, M: Matrix, recovery: StopRecovery) -> None:
    """Moves the position of the step's end back within stops, and until loops are closed."""
    build, model = step.build, step.model
    metric = model.factorised(M).mapped(build.carry(Slots.metric))
    build.closed = [0.0]
    build.stage("advance")
    recovery.write()
    with build.loop(PROJECTIONS, until=Slots.closed):
        q, closed = build.position, expression(build.closed[0])
        tree = model.tree(State(q, [0.0] * model.dof))
        now = Instant(tree, model.configuration(tree), step.dt, step.targets)
        rows = [row for kind in step.kinds for row in kind.position_rows(now) if _movable(row, tree)]
        worst: Scalar = 0.0
        for row in rows:
            worst = maximum(worst, abs(row.error))
        back = _way_back(rows, worst, tree, metric, Floors.of(step.eps))
        moved = model.advanced(q, back, 1.0)
        build.position = [where(closed, old, new) for old, new in zip(q, moved, strict=True)]
        left = maximum_of([abs(x) for x in back]) if any(row.disagreement for row in rows) else worst
        build.closed = [where(closed | (left <= max(CLOSED, ROUNDING * step.eps)), 1.0, 0.0)]
        build.stage("project")


def _movable(row: PositionRow, tree: TreeState) -> bool:
    """Whether any coordinate moves it, as the row looks or looked another way; between links that are held, none."""
    along = combined(row.J if row.reach is None else row.reach, tree.G)
    return not all(x.sx.is_zero() if isinstance(x, Expression) else x == 0.0 for x in along.values())


def _way_back(
    rows: Sequence[PositionRow], worst: Scalar, tree: TreeState, metric: Factors, floors: Floors
) -> list[Scalar]:
    """`−Y·(J·Y + ε·|C|·R)⁻¹·C`."""
    n = len(metric.order)
    J = [combined(row.J, tree.G) for row in rows]
    Y = [metric.solve(dense(each, n)) for each in J]
    A = responses(J, Y)
    floor = least_pivots(A, [row.group for row in rows], floors)
    for k, row in enumerate(rows):
        damping = DAMPED * worst + row.disagreement
        A[k, k] = A[k, k] + damping * _reach(row, tree, metric)
    impulses = [-x for x in factorise(A, len(rows), floor).solve([row.error for row in rows])]
    back: list[Scalar] = [0.0] * n
    for column, impulse in zip(Y, impulses, strict=True):
        back = [x + y * impulse for x, y in zip(back, column, strict=True)]
    return back


def _reach(row: PositionRow, tree: TreeState, metric: Factors) -> Scalar:
    """`Σ reach²/d` over M's pivots d: no more than `reach·M⁻¹·reachᵀ` without regard to signs."""
    along = combined(row.J if row.reach is None else row.reach, tree.G)
    return total(*(x * x * metric.reciprocals[n] for n, x in along.items()))
