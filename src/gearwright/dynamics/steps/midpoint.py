"""One step of the variational midpoint, as the list of its calls.

    pace            with loops: how many substeps their speed asks for
    lengths         how long the substeps are
    until the step is done:
        mass            M(q), unless the last substep has left it
        begin           p = M·v, what acts in the first half, a guess of the mean velocity w
        factorise       with loops, unless laws switch: H and the rows, for all iterations
        until w has converged:
            push            balance of momentum in the middle of the substep
            switch          force laws on the segments that w is on; unless each is on its own:
                set_out         how far along its polyline each law was,
                follow          curves' lines where the solution meets their curves,
                choose          which of them switch, and switch again
            iterate         how much w has changed
            relax           unless it has converged: where the next iteration starts
            give_way        where loops do not converge: they yield, and are factorised again
        keep            the state, unless the substep is known to be accepted
        turn            q⁺ = q ⊕ h·w and p⁺; with loops `advance` and `project`, before which, as with couplings,
                        `come_back` from beyond a stop
        mass            M(q⁺)
        land            where no w was found: p⁺ = M·w
        push, switch    what acts in the second half, force laws on the segments that v⁺ is on
        finish          v⁺, impulses, actuators; the substep's error, and whether it is accepted
        unless that was all:
            back            the state before a substep that is rejected
            clamp           the energy that is due, where the shortest substep has failed
            next            the next substep, or the same in half the length

`builder` cuts it into stages. `tuning` says when a substep has failed, and `substeps` what happens then. `iteration`
finds w, `variational_midpoint` has the balance of momentum and `energy_balance` that of energy, `constrained_step` what
acts, `phases` when, `direct` solves for velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization, ShaftSample, Taken
from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Condition, Scalar, is_zero, negated, where
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.phases import FirstHalf, SecondHalf
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.choosing import STARTED
from gearwright.dynamics.solve.closing import LeastMove
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.masked import Masked
from gearwright.dynamics.solve.terms import Collected, Solved
from gearwright.dynamics.steps import guess
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.direct import MIDDLE, DirectSolver, Factored
from gearwright.dynamics.steps.energy_balance import EnergyBalance
from gearwright.dynamics.steps.iteration import (
    compliance,
    has_converged,
    motion_error,
    next_start,
    slender_gain,
    tolerance,
)
from gearwright.dynamics.steps.loop_rows import closed_ahead, loop_speed_squared, turns, yielding
from gearwright.dynamics.steps.projection import project
from gearwright.dynamics.steps.reuse import unknowns, with_unknowns
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.steps.stop_recovery import StopRecovery
from gearwright.dynamics.steps.substeps import Substeps
from gearwright.dynamics.steps.tuning import TUNING
from gearwright.dynamics.steps.variational_midpoint import balance, momentum_after
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState


class Begun(NamedTuple):
    """What acts in the first half, as the stages after `begin` read it."""

    H: Factored
    terms: Collected
    effort: Column
    actuators: list[ActuatorLinearization]
    samples: list[ShaftSample]


class MidpointStep(ConstrainedStep):
    """Writes the stages. `iterations`: at most. `change`: of an axis in the last (`iteration.tolerance`)."""

    def __init__(
        self, build: StepBuilder, model: Model, groups: Sequence[ConstraintGroup], eps: float,
        iterations: int | None = None, change: float | None = None, switches: int | None = None,
    ) -> None:  # fmt: skip
        self.direct = DirectSolver(build, model, eps, switches)
        super().__init__(build, model, groups, eps, self.direct)
        self.iterations = TUNING.iterations if iterations is None else iterations
        self.change = TUNING.change if change is None else change
        self.energy = EnergyBalance(self)

    def write(self) -> None:
        means, measured = self.model.actuation.means, self.energy.measured
        substeps = Substeps(self.build, loop_speed_squared(self), means, measured=measured)
        with self.build.loop(TUNING.tries, until=Slots.step_done):
            self._substep(substeps)

    def _substep(self, substeps: Substeps) -> None:
        build = self.build
        tree = self.model.tree(State(build.position, build.velocity))
        M, factors = self._mass_matrix(tree)
        substeps.begin(self.groups, tree.q)
        begun = self._begin(tree, M, factors)
        with build.loop(self.iterations, until=Slots.converged):
            middle = self._iterate(begun, M)
        substeps.keep()
        self._advance(begun, middle, M)
        build.again("mass")  # from here on M and its factors are those of q⁺
        self._without_balance(M, middle.u)
        settled = self._second_half(begun, middle, M, factors)
        substeps.decide(self._is_followed(), settled, self.energy.error)
        with build.unless(Slots.step_done):
            substeps.go_back()
            self.energy.clamp(M, begun.effort)
            substeps.go_on()

    # --- the mass matrix -------------------------------------------------------------------------------------------

    def _mass_matrix(self, tree: TreeState) -> tuple[FrontalMatrix, Factors | Masked | None]:
        """M at the start, as the last substep left it; recomputed if something else has moved the robot.

        With its factors, where nothing else is solved with.
        """
        M = self.inertia(self.model.configuration(tree), tree)
        build = self.build
        factors = self.direct.factorised(M) if self._free else None
        with build.unless(Slots.fresh):
            build.mass, build.fresh = unknowns(M), [1.0]
            if factors is not None:
                build.factors = unknowns(factors)
            build.stage("mass")
        return with_unknowns(M, build.mass), None if factors is None else with_unknowns(factors, build.factors)

    @property
    def _free(self) -> bool:
        """Whether inertia is all that velocities depend on: no dampers, springs, actuators or rows."""
        axes = self.model.bodies.axes
        passive = all(map(is_zero, (*axes.damping, *axes.stiffness)))
        return passive and not self.groups and not self.driven

    # --- the first half: the mean velocity w -----------------------------------------------------------------------

    def _begin(self, tree: TreeState, M: FrontalMatrix, factors: Factors | Masked | None) -> Begun:
        """Writes the stages `begin` and `factorise`: what acts in the first half, and a guess of w."""
        build, model = self.build, self.model
        actuators, mass = self.actuators(tree), M.diagonal(model.dof)
        w = guess.first_guess(build)
        expected = model.tree(State(build.position, w)).v
        now = self.moment(FirstHalf(self.h, mass), tree, model.configuration(tree), M, actuators, expected)
        terms = self.collected(now, M)
        if self.closures:
            build.guess, build.give = w, Column.zeros(sum(closure.size for closure in self.closures))
        effort = self.held_effort(tree, actuators)
        begun = self._carried(terms, M, factors, effort, actuators, self.shaft_samples(now))
        self.energy.begin(begun.effort)
        self._begin_iteration(terms, w, M @ build.velocity)
        return self._with_closing_factors(begun) if self.direct.closes_alone(begun.terms) else begun

    def _carried(
        self, terms: Collected, M: FrontalMatrix, factors: Factors | Masked | None, effort: Column,
        actuators: Sequence[ActuatorLinearization], samples: Sequence[ShaftSample],
    ) -> Begun:  # fmt: skip
        """The same for later stages: what they need is stored, unless it is cheaper to compute again."""
        system, at_start = (self.build.carry(slot, [self.h]) for slot in (Slots.system, Slots.at_start))
        later = terms.mapped(system.unless_cheap, in_lines=at_start.unless_cheap)
        later = replace(later, curves=[curve.sampled_anew(system.number_too) for curve in later.curves])
        return Begun(
            factors or self.direct.matrix(terms.matrix(M), terms, system),
            later,
            Column(map(at_start, effort)),
            [ActuatorLinearization(a.seen, *map(at_start, a[1:])) for a in actuators],
            [sample.mapped(at_start) for sample in samples],
        )

    def _begin_iteration(self, terms: Collected, w: Column, momentum: Column) -> None:
        build = self.build
        build.start, build.momentum = w, momentum
        build.change, build.relaxation, build.residual = Column.zeros(self.model.dof), [1.0], [0.0]
        build.converged, build.iteration, build.motion = [0.0], [1.0], [0.0]
        if terms.switching:
            segments = build.segment if terms.polylines else []
            build.segment_tried, build.progress = self.direct.started(terms, segments), list(STARTED)
            build.point = [0.0] * len(terms.curves)
            if terms.cones:
                build.cone_point = [0.0] * sum(cone.size for cone in terms.cones)
                build.shift, build.may_touch = [0.0] * len(terms.cones), [1.0]
        build.stage("begin")

    def _with_closing_factors(self, begun: Begun) -> Begun:
        """Writes the stage `factorise`, for all iterations with the same compliance."""
        assert isinstance(begun.H, FrontalMatrix)
        rows = yielding(self, begun.terms, self.build.give)
        kept = self.direct.closing_factors(begun.H, rows).mapped(self.build.carry(Slots.closing))
        self.build.stage("factorise")
        return begun._replace(H=kept)

    def _iterate(self, begun: Begun, M: FrontalMatrix) -> Solved:
        """Updates w: a quasi-Newton step on M at the start, in which force laws are solved to convergence.

        A robot that is done starts from the same w on the same segments again, and finds the same to the bit.
        """
        build, h, terms = self.build, self.h, begun.terms
        iteration, w = build.iteration[0], build.start
        found = self._next_mean(begun, M)
        if not terms.switching:
            build.u, build.equality = found.u, found.equalities
        enough = tolerance(iteration, h, self.eps, loops=bool(self.closures), change=self.change)
        gain = slender_gain(self.model, found.u, h, self.eps)
        converged = (build.converged[0] > 0.5) | has_converged(found.u, w, enough, gain) & found.settled
        build.converged = [as_number(converged)]
        build.iteration = [iteration + where(converged, 0.0, 1.0)]
        if not self.energy.measured:  # else it is known at the end
            build.accepted = [as_number(converged & (build.motion[0] <= 1.0) & (build.remaining[0] > 0.0))]
        build.stage("iterate")
        with build.unless(Slots.converged):
            if not self.closures:
                motion = motion_error(self.model, build.position, build.velocity, build.u, h, build.iteration[0])
                build.motion = [where(build.converged[0] > 0.5, build.motion[0], motion)]
            next_start(build, self.iterations, loops=bool(self.closures))
            build.stage("relax")
            if self.closures:
                self._give_way(begun, M)
        polyline, curve = (build.polyline, build.curve) if terms.switching else ([], [])
        cone = build.cone if terms.cones else []
        segments = build.segment_tried if terms.polylines else []
        return Solved(build.u, polyline, build.equality, curve, segments, True, cone)

    def _give_way(self, begun: Begun, M: FrontalMatrix) -> None:
        """Writes the stage `give_way`: by how much loops yield in further iterations."""
        build = self.build
        with build.unless(Slots.as_before):
            turned = turns(self, begun.terms, build.position, build.guess, M.diagonal(self.model.dof))
            build.give = compliance(build.iteration[0]) * turned
            build.stage("give_way")
            if isinstance(begun.H, LeastMove):
                build.again("factorise")

    def _next_mean(self, begun: Begun, M: FrontalMatrix) -> Solved:
        """The balance of momentum in the middle, solved for w with M at the start."""
        build, model, H, terms = self.build, self.model, begun.H, begun.terms
        w = build.start
        error = balance(model, build.position, build.momentum, w, begun.effort, self.h)
        build.force = error.force
        if isinstance(H, Factors | Masked):
            return still(w + H.solve(terms.total(still(w)) - error.residual))
        if self.closures and not isinstance(H, LeastMove):
            terms = yielding(self, terms, build.give)
        push = M @ w - error.residual + terms.push(model.dof)
        terms = closed_ahead(self, terms, build.position, w)
        done, share = build.converged[0], 0.5 * build.share_of_step[0]
        iterated = (done > 0.5) | (build.iteration[0] > 1.0) if terms.cones else None
        return self.direct.solved(H, push, terms, MIDDLE, None, w, repeated=done, share=share, iterated=iterated)

    # --- the second half: the velocity at the end ------------------------------------------------------------------

    def _advance(self, begun: Begun, middle: Solved, M: FrontalMatrix) -> None:
        """q⁺, p⁺ and the impulses so far."""
        build, model, terms, w = self.build, self.model, begun.terms, middle.u
        if begun.samples:
            build.taken = [x for sample in begun.samples for x in sample.at(w)]
        q, end = build.position, model.along_chords(State(build.position, w), self.h)
        guess.remember(build, w, end.u)
        impulse = terms.total(middle)
        build.momentum_after = momentum_after(model, q, build.momentum, w, end.q, build.force, impulse, self.h)
        build.impulse = terms.impulses(middle)
        self.energy.first_half(terms, middle)
        if self.closures:
            build.motion = [motion_error(model, q, build.velocity, w, self.h)]
        build.position = end.q
        recovery = StopRecovery(self, M.diagonal(model.dof))
        if self.closures:
            project(self, M, recovery)
        else:
            build.stage("turn")
            recovery.write()

    def _without_balance(self, M: FrontalMatrix, w: Column) -> None:
        """Writes the stage `land`: far from a solution, the momentum at the end is w's own."""
        build = self.build
        with build.unless(Slots.converged):
            lost = (build.converged[0] < 0.5) & negated(build.residual[0] <= 1.0)  # also where it is not finite
            build.momentum_after = select(lost, M @ w, build.momentum_after)
            build.stage("land")

    def _second_half(
        self, begun: Begun, middle: Solved, M: FrontalMatrix, factors: Factors | Masked | None
    ) -> Condition:
        """v⁺, impulses and actuators at the end; whether force laws are on their segments."""
        build, model = self.build, self.model
        mean = build.mean_velocity  # w in the axes of the end
        tree = model.tree(State(build.position, mean))
        half = SecondHalf(self.h, M.diagonal(model.dof), mean)
        now = self.moment(half, tree, model.configuration(tree), M, begun.actuators)
        terms = self.collected(now, M)
        push = build.momentum_after + terms.push(model.dof)
        H = factors or terms.matrix(M)
        ahead = 2.0 * mean - build.velocity if terms.cones else None
        segments = self.direct.started(terms, middle.segments)
        end = self.direct.solved(H, push, terms, "end", segments, mean, ahead=ahead)
        terms = self.direct.carried(terms)
        self.energy.second_half(terms, end, begun.effort, M)
        build.velocity = end.u
        guess.count_quick_steps(build, loops=bool(self.closures))
        build.impulse = build.impulse + terms.impulses(end)
        if end.segments:
            build.segment = end.segments
        self.end_actuators(build.position, end.u, mean, self._taken(now, end.u))
        self.end_frictions(now, tree.v)
        return end.settled

    def _taken(self, now: Moment, u: list[Scalar]) -> list[Taken]:
        """Means of where efforts were taken in both halves."""
        second = [x for sample in self.shaft_samples(now) for x in sample.at(u)]
        mean = 0.5 * (self.build.taken + second) if second else []
        return [Taken(*pair) for pair in zip(mean[::2], mean[1::2], strict=True)]

    def _is_followed(self) -> Condition:
        """Whether w was found, its motion is short enough for one substep, and loops are closed."""
        build = self.build
        followed = (build.converged[0] > 0.5) & (build.motion[0] <= 1.0)
        return followed & (build.loops_closed[0] > 0.5) if self.closures else followed


def still(u: Column) -> Solved:
    """Velocities alone: without laws, rows and curves."""
    return Solved(u, [], [], [], [], True)
