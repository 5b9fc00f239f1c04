"""The base of all steps with constraint rows: what acts in a phase, how a phase is solved, and what a step leaves
behind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization, ShaftSample, Taken
from gearwright.dynamics.actuation.shaft_rows import ActuatorRow, GearedRow
from gearwright.dynamics.actuation.supplies import with_supplies
from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.contacts import Contacts
from gearwright.dynamics.constraints.friction import StateRow
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.phases import Phase
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.masked import Masked
from gearwright.dynamics.solve.terms import Collected, Solved
from gearwright.dynamics.steps.axis_loads import axis_loads
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.passive import passive_terms
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.steps.spring_responses import spring_responses
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState


class PhaseSolver(Protocol):
    """Writes the stages that find the velocities of a phase: `direct`, `sweep`."""

    fronts: bool  # whether it takes a mass matrix with fronts

    def started(self, acting: Collected, segments: Sequence[Scalar]) -> list[Scalar]:
        """The segments that laws begin a phase on, from those that the last phase, or step, ended on."""

    def solved(
        self, H: FrontalMatrix | Factors | Masked, b: Sequence[Scalar], acting: Collected,
        name: str, segments: Sequence[Scalar] | None, guess: Sequence[Scalar],
    ) -> Solved:  # fmt: skip
        """Velocities u with `H·u = b` and what all terms add; `name` is the phase's, `guess` is near u."""

    def carried(self, acting: Collected) -> Collected:
        """All that acts, as stages after the solution may use it."""

    def travel(self, found: Solved) -> list[Scalar]:
        """Velocities that positions advance with."""


class ConstrainedStep(ABC):
    """A step in the making. `eps` is the rounding of the numbers that will be computed with."""

    def __init__(
        self, build: StepBuilder, model: Model, groups: Sequence[ConstraintGroup], eps: float, solver: PhaseSolver
    ) -> None:
        self.build, self.model, self.groups, self.eps, self.solver = build, model, list(groups), eps, solver
        self.driven = bool(model.actuation.driven)
        self.closures = [group for group in groups if isinstance(group, ClosureRows)]
        self.frictions = [group for group in groups if isinstance(group, StateRow)]
        self.loaded = any(getattr(group, "by_load", False) for group in groups)  # whether friction depends on what acts
        self.contacts = [group for group in groups if isinstance(group, Contacts)]

    @abstractmethod
    def write(self) -> None:
        """Writes the stages."""

    @property
    def h(self) -> Scalar:
        """Length of the substep, or of the step where it has none [s]."""
        return self.build.length_now

    @property
    def targets(self) -> list[Scalar]:
        """Targets of drives for the end of what is made."""
        return self.build[Slots.aim if Slots.aim in self.build else Slots.target]

    def inertia(self, at: Configuration, tree: TreeState) -> FrontalMatrix:
        """M, with fronts where they take fewer operations. Loops and contacts act on the matrix itself."""
        return self.model.inertia(at, tree, fronts=self.solver.fronts and not (self.closures or self.contacts))

    # --- what acts -------------------------------------------------------------------------------------------------

    def actuators(self, tree: TreeState) -> list[ActuatorLinearization]:
        """Each of them at the step's start."""
        if not self.driven:
            return []
        acting = self.model.actuation.acting(tree, self.build.command, self.build.actuator, self.h)
        return self._with_last_step(acting)

    def _with_last_step(self, acting: list[ActuatorLinearization]) -> list[ActuatorLinearization]:
        """With what gears did in the last step."""
        for group, impulses in self._readings():
            if isinstance(group, GearedRow):
                ripple, load = group.last_step(impulses, self.build.dt[0])
                acting[group.index] = acting[group.index]._replace(ripple=ripple, load=load)
        return acting

    def _readings(self) -> Iterator[tuple[ConstraintGroup, list[Scalar]]]:
        """Each group with its impulses, as they are."""
        left: list[Scalar] = self.build.impulse
        for group in self.groups:
            yield group, left[: group.size]
            left = left[group.size :]

    def held_effort(self, tree: TreeState, acting: Sequence[ActuatorLinearization]) -> Column:
        """Efforts that stay the same over the step: the user's, and what maps add to those of actuators."""
        effort = self.build.effort
        for k, x in self.model.actuation.additions(tree, acting).items():
            effort[k] = effort[k] + x
        return effort

    def moment(
        self, phase: Phase, tree: TreeState, at: Configuration, M: FrontalMatrix,
        acting: Sequence[ActuatorLinearization], expected: Sequence[Scalar] = (),
    ) -> Moment:  # fmt: skip
        """`expected`: velocities of the tree that the phase is likely to have, unless those of `tree` are."""
        command, memory = (self.build.command, self.build.actuator) if self.driven else ([], [])
        return Moment(
            phase, self.h, tree, at, M.diagonal(self.model.dof), self._response(M, tree),
            self.targets, command, memory, acting, self.build.friction if self.frictions else (), expected,
            axis_loads(self.model, phase, tree, at, M, acting, self.build) if self.loaded else None,
            self._last_contact(phase), self._last_motion(), self.build.velocity, self.eps,
        )  # fmt: skip

    def _last_contact(self, phase: Phase) -> Sequence[Scalar]:
        """For a half, the mean over the last step; for the second half, that of the first."""
        if not self.contacts:
            return ()
        (own,) = (impulses for group, impulses in self._readings() if group is self.contacts[0])
        whole = self.build.share_of_step[0] if Slots.share_of_step in self.build else 1.0
        share = {0.0: whole, 1.0: 0.5 * whole, -1.0: 1.0}[phase.half]
        return [share * x for x in own]

    def _last_motion(self) -> Sequence[Scalar]:
        return self.build[Slots.mean_velocity if Slots.mean_velocity in self.build else Slots.velocity]

    def collected(self, now: Moment, M: FrontalMatrix) -> Collected:
        """All that acts in a phase: first the terms whose impulses are not read, then one term per impulse."""
        unread = passive_terms(self.model, now)
        terms = [term for group in self.groups for term in group.act(now)]
        return Collected.of([*unread, *terms], now.tree.G, M, unread=len(unread))

    def shaft_samples(self, now: Moment) -> list[ShaftSample]:
        """Where efforts are taken in a phase, of actuators with states."""
        return [d.taken(now, i) for i, d in enumerate(self.model.actuation.driven) if d.states]

    def _response(self, M: FrontalMatrix, tree: TreeState) -> Callable[[Sparse], Scalar]:
        """`J·M⁻¹·Jᵀ`, M the mechanism's own: a spring by its frequency does not depend on the step."""
        known: list[Callable[[Sparse], Scalar]] = []  # made when first asked for

        def response(J: Sparse) -> Scalar:
            if not known:
                known.append(spring_responses(self.model, self.groups, M, tree))
            return known[0](combined(J, tree.G))

        return response

    # --- the end of a step -----------------------------------------------------------------------------------------

    def end_actuators(self, q: list[Scalar], u: list[Scalar], w: list[Scalar], taken: Sequence[Taken]) -> None:
        """Stores efforts and states of actuators. w: mean velocities; `taken`: where those with states had efforts.

        An effort is the mean over the step, from its impulse: if the law is stiff, its value at the end is not what
        acted.
        """
        if not self.driven:
            return
        command, memory = self.build.command, self.build.actuator
        tree, mean = self.model.tree(State(q, u)), self.model.tree(State(q, w))
        after, left = self.with_efforts(memory, self.h), list(taken)
        for d in self.model.actuation.driven:
            if d.states:
                own = d.after(tree, mean, left.pop(0), after[d.command], command, memory, self.h)
                for i, x in zip(d.states, own, strict=True):
                    after[i] = x
        self.build.actuator = with_supplies(self.model.actuation.driven, tree, after)

    def end_frictions(self, now: Moment, mean: Sequence[Scalar]) -> None:
        """Stores states of frictions after a step with these mean velocities of the tree."""
        if self.frictions:
            after = dict(enumerate(self.build.friction))
            for group in self.frictions:
                after |= group.after(now, mean, self.build.friction)
            self.build.friction = [*after.values()]

    def with_efforts(self, memory: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
        """The numbers of actuators with the efforts that the impulses of a time dt are."""
        after = list(memory)
        for group, impulses in self._readings():
            if isinstance(group, ActuatorRow | GearedRow):
                after[group.driven.command] = impulses[0] / dt
        return after
