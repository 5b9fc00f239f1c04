"""Drives as rows that are solved with all others at the end of the step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from gearwright.dynamics.algebra.scalar import Scalar, is_zero, where
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.moment import Moment, spring_damper
from gearwright.dynamics.constraints.rows import AlongRows, Instant, PositionRow
from gearwright.dynamics.solve.laws import saturated
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.terms import Polyline, Term
from gearwright.model.hardware.drives import UNGIVEN_RATE, Drive


@dataclass(frozen=True)
class DriveRow(AlongRows):
    """The row of a drive along one axis. `index` is its place among the targets."""

    name: str
    drive: Drive
    position: int
    velocity: int
    index: int
    size: ClassVar[int] = 1

    @property
    def equality(self) -> bool:
        return self.drive.effort == inf

    @property
    def bounded(self) -> bool:
        return not self.equality

    def on_the_way(self, target: list[Scalar], q: Sequence[Scalar], dt: Scalar, share: Scalar, left: Scalar) -> None:
        """Its target for the end of a substep, `left` before the step's end; both lengths are shares of dt."""
        i = 2 * self.index
        start, end, rate = q[self.position], target[i], target[i + 1]
        if self.drive.kinematic:
            target[i] = where(share < left, start + share / left * (end - start), end)
        else:
            target[i] = end - dt * (left - share) * rate

    def position_rows(self, now: Instant) -> list[PositionRow]:
        if not self.drive.kinematic:
            return []
        return [PositionRow({self.velocity: 1.0}, now.tree.q[self.position] - now.target[2 * self.index])]

    def act(self, now: Moment) -> list[Term]:
        target, rate = now.target[2 * self.index], now.target[2 * self.index + 1]
        J: Sparse = {self.velocity: 1.0}
        error, travel = now.tree.q[self.position] - target, now.phase.travel
        if self.drive.kinematic:
            mean = now.phase.known_rate(combined(J, now.tree.G))
            wanted = where(rate < UNGIVEN_RATE, rate, mean) if is_zero(travel) else -error / travel
            return [Equality(J, -wanted)]
        start = error + travel * rate  # from where the target is when the phase begins
        line = spring_damper(now, J, self.drive.stiffness, self.drive.damping, start, rate)
        if self.equality:
            return [line]
        most = self.drive.effort * now.phase.acts_for
        return [Polyline(J, saturated(line.constant / line.slope, line.slope, -most, most))]
