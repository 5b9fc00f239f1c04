"""Drives as rows that are solved with all others at the end of the step."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from gearwright.dynamics.constraints import Baumgarte, Instant, Row, Spread, SpringDamper
from gearwright.dynamics.scalar import Scalar, minus, times
from gearwright.model.drives import Drive

__all__ = ["Drive", "DriveRow"]


@dataclass(frozen=True)
class DriveRow(Spread):
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
    def projected(self) -> bool:
        return self.drive.kinematic

    def rows(self, now: Instant) -> list[Row]:
        where, rate = now.target[2 * self.index], now.target[2 * self.index + 1]
        error = minus(now.tree.q[self.position], where)
        if self.drive.kinematic:
            return [Row(J={self.velocity: 1.0}, error=error, softness=Baumgarte(1.0))]
        softness = SpringDamper(self.drive.stiffness, self.drive.damping)
        erp, _ = softness.erp_cfm(0.0, now.dt)
        most: Scalar = times(self.drive.effort, now.dt)
        box = None if self.equality else (minus(0.0, most), most)
        wanted = times(minus(1.0, erp), rate)
        return [Row(J={self.velocity: 1.0}, error=error, rate=wanted, softness=softness, box=box)]
