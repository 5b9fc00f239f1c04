"""One phase of a step and the mechanism in it: what constraint groups make their terms from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.phases import Phase, WholeStep
from gearwright.dynamics.solve.terms import Line
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState

if TYPE_CHECKING:
    from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization


class Moment(NamedTuple):
    """A phase, and the mechanism at the configuration in which it acts: terms are made from it."""

    phase: Phase
    h: Scalar
    tree: TreeState
    at: Configuration
    diagonal: Sequence[Scalar]  # of M
    response: Callable[[Sparse], Scalar]  # J·M⁻¹·Jᵀ over the tree's velocities
    target: Sequence[Scalar] = ()  # of drives: position and rate of each
    command: Sequence[Scalar] = ()  # of actuators
    memory: Sequence[Scalar] = ()  # their last efforts, and their states
    acting: Sequence[ActuatorLinearization] = ()  # each of them at the start of the step
    friction: Sequence[Scalar] = ()  # states of frictions
    expected: Sequence[Scalar] = ()  # velocities of the tree that the phase is likely to have; none: those of `tree`
    loads: tuple[Sequence[Scalar], Sequence[Scalar]] | None = None  # efforts along the tree: of motors, of all else
    contact: Sequence[Scalar] = ()  # impulses of contacts in a phase such as this, as they were last
    moved: Sequence[Scalar] = ()  # independent velocities with which positions went on last
    begun: Sequence[Scalar] = ()  # independent velocities at the start of the step
    eps: float = 2.0**-52  # rounding of the numbers that will be computed with

    @property
    def speeds(self) -> Sequence[Scalar]:
        """Velocities of the tree at which levels of friction are taken."""
        return self.expected or self.tree.v

    @staticmethod
    def of_instant(tree: TreeState, at: Configuration, h: Scalar, dof: int) -> Moment:
        """For the directions of terms alone: what their numbers need of the mass matrix is left out."""
        return Moment(WholeStep(h), h, tree, at, [1.0] * dof, lambda J: 1.0)


def spring_damper(
    now: Moment, J: Sparse, stiffness: Scalar, damping: Scalar, error: Scalar, wanted: Scalar = 0.0
) -> Line:
    """`−k·x − d·(r − wanted)`, x and r being the error along J and its rate."""
    phase = now.phase
    at = phase.sample(combined(J, now.tree.G), damping + now.h * stiffness)
    stretch = error + at.shift - at.time * wanted
    rest = stiffness * stretch + damping * (at.known - wanted)
    slope = stiffness * at.ahead + damping * at.share
    return Line(J, -(phase.acts_for * rest), phase.acts_for * slope)
