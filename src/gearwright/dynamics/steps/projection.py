"""Closed loops: positions are brought back to where they close.

    q ← q ⊕ −Y·(J·Y + |C|·R)⁻¹·C(q),     Y = M⁻¹·Jᵀ

R is the response that a row would have if it looked along all that moves it. Levenberg and Marquardt with a damping
that goes to zero with the error converge quadratically even where J loses rank (Yamashita and Fukushima, 2001; Fan and
Yuan, 2005), and no further than |C|^½ in one move: at a dead centre, where C is quadratic, that is what there is to go.
"""

from __future__ import annotations

from dataclasses import replace

import casadi

from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.scalar import Scalar, greatest, magnitude, minus, times, total, where
from gearwright.dynamics.algebra.sparse import Matrix, combined
from gearwright.dynamics.constraints.rows import Instant
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.sweep_rows import Baumgarte, Row
from gearwright.dynamics.solve.sweeps import Elimination, resolved
from gearwright.dynamics.steps.direct import DirectStep
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState

PROJECTIONS = 8  # at most; the one that starts within the tolerance is the last
CLOSED = 450_000.0  # eps: 1e-10 rad or m in double precision


def project(step: DirectStep, M: Matrix) -> None:
    """Moves the position of the step's end until loops are closed."""
    build, model = step.build, step.model
    metric = model.factorised(M).mapped(build.carry("metric"))
    build["closed"] = [0.0]
    build.stage("advance")
    with build.loop(PROJECTIONS, until="closed"):
        q, closed = build["position"], build["closed"][0]
        still: list[Scalar] = [0.0] * model.dof
        tree = model.tree(State(q, still))
        now = Instant(tree, model.configuration(tree), step.dt, step.targets)
        rows = [row for kind in step.kinds if kind.projected for row in kind.rows(now)]
        worst: Scalar = 0.0
        for row in rows:
            worst = greatest(worst, magnitude(row.error))
        damping = [times(worst, _reach(row, tree, metric)) for row in rows]
        held = [replace(row, rate=0.0, softness=Baumgarte(0.0)) for row in rows]
        along = resolved(held, tree.G, metric, model.dof, step.dt)
        closing = Elimination.of(along, metric, model.dof, Floors.of(step.eps), damping)
        back = closing.answered(still, [minus(0.0, x) for x in closing.factors.solve([row.error for row in rows])])
        moved = model.advanced(q, back, 1.0)
        build["position"] = [where(closed, old, new) for old, new in zip(q, moved, strict=True)]
        build["closed"] = [where(casadi.logic_or(closed, worst <= CLOSED * step.eps), 1.0, 0.0)]
        build.stage("project")


def _reach(row: Row, tree: TreeState, metric: Factors) -> Scalar:
    """`Σ reach²/d` over M's pivots d: no more than `reach·M⁻¹·reachᵀ` without regard to signs."""
    along = combined(row.J if row.reach is None else row.reach, tree.G)
    return total(*(times(times(x, x), metric.reciprocals[n]) for n, x in along.items()))
