"""Constraint rows on actuators' axes: efforts that are no straight line over the speed, friction and efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.dynamics.actuation.actuator_unit import ActuatorUnit
from gearwright.dynamics.actuation.actuators import Actuation
from gearwright.dynamics.algebra.scalar import Scalar, is_number, is_zero, where
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.rows import OneRow
from gearwright.dynamics.solve import VERTICAL, Polyline, Vertex
from gearwright.dynamics.solve.terms import Bounded, Term


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
class ShaftFrictionRow(OneRow):
    """Coulomb friction on an actuator's axis, its own and the transmission's, and what the efficiency costs.

    With efficiency η a transmission passes η·T on when the actuator drives, and takes T/η from the joints when they
    do; T = τ − I·α is what is left of the actuator's effort behind its rotor. That is friction against a motion along T
    of at most (1 − η)·|T|, and against one the other way of at most (1/η − 1)·|T|: one row, in which the direction of
    power finds itself. Where η depends on load and speed, it is that of T₀ and of the speed at the step's start. It
    only ever takes energy, since η is above 0 and not above 1.

    T depends on the row's own effort λ: α = α₀ + r·λ, r = A·M⁻¹·Aᵀ. With α₀ = α − r·λ of the last step and
    T₀ = τ − I·α₀, the bounds are those of T₀ divided by 1 − (1 − η)·I·r and 1 + (1/η − 1)·I·r.
    """

    driven: ActuatorUnit
    index: int

    @property
    def name(self) -> str:
        return self.driven.name

    @property
    def loaded_shaft(self) -> int | None:
        return None if self.driven.losses.efficient else self.index

    def bounds(self, effort: Scalar, speed: Scalar, share: Scalar = 0.0) -> tuple[Scalar, Scalar]:
        """Largest loss against motions along the effort T₀ and the other way; share: I·r of the rotor."""
        f, eta = self.driven.friction, self.driven.efficiency_at(effort, speed)
        driving, driven = 1.0 - eta, 1.0 / eta - 1.0
        along = (f + driving * abs(effort)) / (1.0 - driving * share)
        against = (f + driven * abs(effort)) / (1.0 + driven * share)
        if is_number(effort):
            return (along, against) if effort >= 0.0 else (against, along)
        ahead = effort >= 0.0
        return where(ahead, along, against), where(ahead, against, along)

    def transmitted(self, now: Moment, A: Sparse) -> tuple[Scalar, Scalar]:
        """T₀, and I·r."""
        acting, inertia = now.acting[self.index], self.driven.inertia + self.driven.body
        if is_zero(inertia) or self.driven.losses.efficient or is_zero(acting.acceleration):
            return acting.effort, 0.0
        r = now.response(A)
        free = acting.acceleration - r * acting.loss
        return acting.effort - inertia * free, inertia * r

    def act(self, now: Moment) -> list[Term]:
        A = self.driven.gear.seen(now.tree, now.memory[self.driven.command]).A
        effort, share = self.transmitted(now, A)
        lower, upper = self.bounds(effort, now.acting[self.index].seen.speed, share)
        span = now.phase.span
        vertices = (Vertex(0.0, upper * span), Vertex(0.0, -(lower * span)))
        return [Bounded(A, Polyline(vertices, (0.0, VERTICAL, 0.0), home=1))]


def shaft_rows(acting: Actuation) -> list[ActuatorRow | ShaftFrictionRow]:
    found: list[ActuatorRow | ShaftFrictionRow] = [ActuatorRow(d, i) for i, d in enumerate(acting.driven)]
    for i, d in enumerate(acting.driven):
        if not d.losses.efficient or (d.friction_coordinate is None and not is_zero(d.friction)):
            found.append(ShaftFrictionRow(d, i))
    return found
