"""Constraint rows on actuators' axes: efforts over the speed, friction and efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from gearwright.dynamics.actuation.actuator_unit import ActuatorUnit
from gearwright.dynamics.actuation.actuators import Actuation
from gearwright.dynamics.actuation.gear_losses import GearLaw
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.constraints.axis_laws import friction_within
from gearwright.dynamics.constraints.friction_rows import friction_rows
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import AlongRows, ConstraintGroup, Instant, OneRow
from gearwright.dynamics.solve.terms import Polyline, Term


@dataclass(frozen=True)
class ActuatorRow(OneRow):
    """An actuator's effort over the speed, as a line or a curve. Its impulse is what the actuator shows."""

    driven: ActuatorUnit
    index: int  # among those that act

    @property
    def name(self) -> str:
        return self.driven.name

    @property
    def bounded(self) -> bool:
        return False

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        """Nothing: efforts are counted as the actuators show them."""
        return {}

    def act(self, now: Moment) -> list[Term]:
        return [self.driven.acts(now, self.index)]


@dataclass(frozen=True)
class GearedRow(AlongRows):
    """An actuator and the efficiency of its gear, which are solved together (`gear_losses`).

    Its impulses: of the actuator, of the gear's curve, what the rotor leaves of the actuator's effort, the same with
    the sign of the step's half, and of the friction at rest.
    """

    driven: ActuatorUnit
    index: int
    equality: ClassVar[bool] = False
    bounded: ClassVar[bool] = True
    size: ClassVar[int] = 5

    @property
    def name(self) -> str:
        return self.driven.name

    def act(self, now: Moment) -> list[Term]:
        return [*GearLaw(self.driven).terms(now, self.index)]

    def spread(self, now: Moment, impulses: Sequence[Scalar]) -> dict[int, Scalar]:
        """Losses: efforts are counted as the actuators show them."""
        lost = impulses[1] + impulses[4]
        A = self.driven.gear.seen(now.tree, now.memory[self.driven.command]).A
        return {k: x * lost for k, x in A.items()}

    def last_step(self, impulses: Sequence[Scalar], dt: Scalar) -> tuple[Scalar, Scalar]:
        """Ripple and load of the gear in the last step, by its impulses.

        An effort that does not depend on the motion has no ripple: one of rounding would feed itself.
        """
        _, bent, T, ripple, friction = impulses
        return ripple / dt if self.driven.depends_on_motion else 0.0, (T + bent + friction) / dt

    @property
    def by_load(self) -> bool:
        """Whether its friction depends on what acts."""
        return self.driven.by_load


@dataclass(frozen=True)
class ShaftRow(OneRow):
    """Hard stops of an actuator's axis, and dry friction, its own and its transmission's, if no joint axis has it."""

    driven: ActuatorUnit

    @property
    def name(self) -> str:
        return self.driven.name

    @property
    def by_load(self) -> bool:
        """Whether it depends on what acts."""
        return self.driven.by_load

    @property
    def ends(self) -> tuple[float, float]:
        return self.driven.actuator.travel

    @property
    def is_dry(self) -> bool:
        d = self.driven
        return d.efficient and d.friction_coordinate is None and d.has_dry_friction

    def read(self, now: Instant) -> tuple[Scalar, Sparse]:
        seen = self.driven.gear.seen(now.tree, 0.0)
        return seen.position, seen.A

    def act(self, now: Moment) -> list[Term]:
        seen = self.driven.gear.seen(now.tree, now.memory[self.driven.command])
        level = self.driven.friction_at(now) if self.is_dry else 0.0
        return [Polyline(seen.A, friction_within(now, seen.position, level, self.ends))]


def shaft_rows(acting: Actuation) -> list[ConstraintGroup]:
    found: list[ConstraintGroup] = []
    for i, d in enumerate(acting.driven):
        for model in d.frictions:
            found += friction_rows(model)
        found.append(ActuatorRow(d, i) if d.efficient else GearedRow(d, i))
        row = ShaftRow(d)
        if row.is_dry or row.ends != (-inf, inf):
            found.append(row)
    return found
