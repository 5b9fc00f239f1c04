"""Forces of rows at the present instant.

Loops are closed now, not on average over the last step: their forces are those that keep them closed,

    J·u̇ + J̇·u = 0,     M·u̇ = f + Jᵀ·λ

f being all else that acts. Springs and dampers of cut joints follow from the state. Friction, stops, motors and
couplings act as they did in the step that ends here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.scalar import Expression, Scalar, column, scalars
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import ConstraintGroup, Instant, Passive, PositionRow, row_efforts
from gearwright.dynamics.solve.closing import LeastMove, own_responses
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.sweeps import dot
from gearwright.dynamics.tree.coordinates import State

if TYPE_CHECKING:
    from gearwright.dynamics.motion import Model


@dataclass(frozen=True)
class LoopForceRows:
    """Those of a mechanism; `floors` say which are implied by others in the present pose."""

    groups: Sequence[ConstraintGroup]
    model: Model
    floors: Floors

    def impulses(self, now: Moment, state: State, held: Column, last: Sequence[Scalar]) -> list[Scalar]:
        """λ·dt of every row. `held`: efforts that act beside rows; `last`: the rows' impulses in the last step."""
        of_rows = [group for group in self.groups for _ in range(group.size)]
        closing = [i for i, group in enumerate(of_rows) if isinstance(group, ClosureRows)]
        found = [_known(group, now, x) for group, x in zip(of_rows, last, strict=True)]
        if closing:
            for i in closing:
                found[i] = 0.0
            beside = held + row_efforts(self.groups, now, found)
            for i, force in zip(closing, self._closing(now, state, beside), strict=True):
                found[i] = force * now.h
        return found

    def _closing(self, now: Moment, state: State, effort: list[Scalar]) -> list[Scalar]:
        """`λ = −(J·M⁻¹·Jᵀ)⁻¹·(J·M⁻¹·f + J̇·u)`; of rows that others imply in this pose, zero."""
        model = self.model
        rows = self._rows(now)
        J = [combined(row.J, now.tree.G) for row in rows]
        inertia = model.factorised(model.mass_matrix(now.at, now.tree))
        free = inertia.solve(model.force(now.at, now.tree, effort, ahead=0.0))
        opening = [dot(each, free) + x for each, x in zip(J, self._drifts(state), strict=True)]
        E = [row.disagreement * own for row, own in zip(rows, own_responses(J, inertia), strict=True)]
        return LeastMove.of(J, [row.group for row in rows], inertia, E, self.floors).impulses(opening)

    def _rows(self, now: Instant | Moment) -> list[PositionRow]:
        return [row for group in self.groups if isinstance(group, ClosureRows) for row in group.position_rows(now)]

    def _drifts(self, state: State) -> list[Scalar]:
        """`J̇·u`: the rate of `J·u` along the motion, velocities held."""
        model, t = self.model, Expression.symbol("t")
        ahead = state.q + t * model.position_rate(state)
        tree = model.tree(State(ahead, state.u))
        rows = self._rows(Instant(tree, model.configuration(tree), 1.0))
        rates = column([dot(combined(row.J, tree.G), state.u) for row in rows])
        return scalars(casadi.substitute(casadi.jacobian(rates, t.sx), t.sx, 0.0))


def _known(group: ConstraintGroup, now: Moment, impulse: Scalar) -> Scalar:
    """By the state if that is enough, or else that of the last step."""
    return group.force(now) * now.h if isinstance(group, Passive) else impulse
