"""One step of the variational midpoint, as the list of its calls.

    pace        of loops: how many parts their speed asks for
    whole       how long the parts are
    until all parts are made:
        mass        M(q), where it is not known from the last part
        begin       p = M·v, what acts in the first half, a first guess of the mean velocity w
        until w has settled:
            push        balance of momentum in the middle of the part
            switch      laws on the pieces that w is on; where one is not on its own:
                set_out     how far along its polyline each law was,
                follow      curves' lines where the solution meets their curves,
                choose      which of them switch, and switch again
            pass        how far w has moved
            relax       where the next pass starts
        keep        the state, where the part may be given up
        turn        q⁺ = q ⊕ dt·w, p⁺; with loops `advance` and `project`, before which, as with couplings,
                    `come_back` from beyond a stop
        mass        M(q⁺)
        land        another p⁺, where w was not found
        push        what acts in the second half
        switch      laws on the pieces that v⁺ is on
        finish      velocities, impulses, actuators
        part        where there are several: taken, or given up and halved

`builder` cuts it into stages, `substeps` has its parts, `passes` says when w has settled, `variational_midpoint` has
the balance of momentum and `energy_balance` that of energy, `constrained_step` what acts, `phases` when, `direct`
solves for velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization as ActuatorNow
from gearwright.dynamics.actuation.actuator_unit import ShaftSample, Taken
from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import Inertia
from gearwright.dynamics.algebra.scalar import Condition, Scalar, is_zero, negated, where
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.phases import FirstHalf, SecondHalf
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve import STARTED
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.masked import Masked
from gearwright.dynamics.solve.terms import Collected, Solved
from gearwright.dynamics.steps import guess
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.direct import MIDDLE, DirectSolver
from gearwright.dynamics.steps.energy_balance import EnergyBalance, may_stray
from gearwright.dynamics.steps.landing import land
from gearwright.dynamics.steps.loop_rows import closed_ahead, loop_speed_squared, turning_ahead, yielding
from gearwright.dynamics.steps.passes import (
    PASSES,
    give_way,
    has_settled,
    is_racing,
    is_unresolved,
    slender_gain,
    start_next_pass,
    tolerance,
)
from gearwright.dynamics.steps.projection import project
from gearwright.dynamics.steps.reuse import unknowns, with_unknowns
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.steps.stop_recovery import StopRecovery
from gearwright.dynamics.steps.substeps import TRIES, Substeps
from gearwright.dynamics.steps.variational_midpoint import balance, momentum_after
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState


class MidpointStep(ConstrainedStep):
    """Writes the stages. `passes`: at most."""

    def __init__(
        self, build: StepBuilder, model: Model, kinds: Sequence[ConstraintGroup], eps: float, passes: int | None = None
    ) -> None:
        self.direct = DirectSolver(build, model, eps)
        super().__init__(build, model, kinds, eps, self.direct)
        self.passes = PASSES if passes is None else passes
        self._own_factors: Factors | Masked | None = None  # those of M, where nothing else is solved with
        self.energy = EnergyBalance(self) if may_stray(model, kinds) else None

    def write(self) -> None:
        means, strays = self.model.actuation.means, self.energy is not None
        parts = Substeps(self.build, loop_speed_squared(self), means, may_stray=strays)
        with self.build.loop(TRIES, until=Slots.step_done):
            self._step(parts)

    def _step(self, parts: Substeps) -> None:
        build, model = self.build, self.model
        q, v = build.position, build.velocity
        tree = model.tree(State(q, v))
        M = self._prepared(tree)
        parts.begin(self.kinds, tree.q)
        acting = self.actuators(tree)
        mass = M.diagonal(model.dof)
        now = self.moment(FirstHalf(self.dt, mass), tree, model.configuration(tree), M, acting)
        first = self.collected(now, M)
        w = guess.first_guess(build)
        if self.closures:
            first, build.guess = turning_ahead(self, first, q, w, mass), w
        effort = self.held_effort(tree, acting)
        given, begun = build.carry(Slots.system, [self.dt]), build.carry(Slots.at_start, [self.dt])
        later = first.mapped(given.unless_cheap, in_lines=begun.unless_cheap)
        later = replace(later, curves=[curve.sampled_anew(given.number_too) for curve in later.curves])
        H = self._own_factors or self.direct.matrix(first.matrix(M), first, given)
        effort = Column(map(begun, effort))
        acting = [ActuatorNow(a.seen, *map(begun, a[1:])) for a in acting]
        samples = [sample.mapped(begun) for sample in self.shaft_samples(now)]
        if self.energy:
            self.energy.begin(effort)
        self._begin_passes(first, w, M @ v)
        with build.loop(self.passes, until=Slots.converged):
            found = self._pass(later, H, M, effort)
        parts.keep(always=self.energy is not None)
        settled = self._second_half(later, found, M, acting, effort, samples)
        followed = (build.converged[0] > 0.5) & (build.followed[0] > 0.5)
        if self.closures:
            followed = followed & (build.held[0] > 0.5)
        parts.end(followed, settled, self.energy)

    # --- the mass matrix -------------------------------------------------------------------------------------------

    def _prepared(self, tree: TreeState) -> Inertia:
        """M at the step's start, as the last step left it; anew where something else has moved the robot."""
        M = self.inertia(self.model.configuration(tree), tree)
        build = self.build
        factors = self.direct.factorised(M) if self._free else None
        with build.unless(Slots.fresh):
            build.mass, build.fresh = unknowns(M), [1.0]
            if factors is not None:
                build.factors = unknowns(factors)
            build.stage("mass")
        if factors is not None:
            self._own_factors = with_unknowns(factors, build.factors)
        return with_unknowns(M, build.mass)

    @property
    def _free(self) -> bool:
        """Whether inertia is all that velocities depend on: no dampers, springs, actuators or rows."""
        axes = self.model.bodies.axes
        passive = all(map(is_zero, (*axes.damping, *axes.stiffness)))
        return passive and not self.kinds and not self.driven

    # --- the first half: the mean velocity w -----------------------------------------------------------------------

    def _begin_passes(self, first: Collected, w: Column, momentum: Column) -> None:
        """Writes the stage `begin`."""
        build = self.build
        build.start = w
        build.change, build.relaxation, build.nearly_converged = [0.0] * self.model.dof, [1.0], [0.0]
        build.momentum = momentum
        build.converged, build.iteration, build.unresolved = [0.0], [1.0], [0.0]
        if first.switching:
            pieces = build.piece if first.laws else []
            build.trial, build.progress = self.direct.started(first, pieces), list(STARTED)
            build.point = [0.0] * len(first.curves)
        build.stage("begin")

    def _pass(self, acting: Collected, H: Inertia | Factors | Masked, M: Inertia, effort: Sequence[Scalar]) -> Solved:
        """w anew: a quasi-Newton step on M at the step's start, in which laws are solved to their end.

        A robot that is done starts from the same w on the same pieces again, and finds the same to the bit.
        """
        build = self.build
        turn, w = build.iteration[0], build.start
        found = self._next_mean(acting, H, M, effort)
        if not acting.switching:
            build.u, build.reaction = found.u, found.equalities
        enough = tolerance(turn, self.dt, self.eps, loops=bool(self.closures))
        gain = slender_gain(self.model, found.u, self.dt, self.eps)
        settled = has_settled(found.u, w, enough, gain) & found.settled
        passed = (build.converged[0] > 0.5) | settled
        build.converged = [as_number(passed)]
        build.iteration = [turn + where(passed, 0.0, 1.0)]
        if self.energy is None:
            goes_on = build.step_done[0] < 0.5
            build.assured = [as_number(passed & negated(self._too_long(found.u)) & goes_on)]
        build.stage("pass")
        with build.unless(Slots.converged):
            if self.closures:
                start_next_pass(build, self.passes, None)
            else:
                start_next_pass(build, self.passes, self._unresolved(build.u), self._racing(build.u))
        law, curve = (build.law, build.curve) if acting.switching else ([], [])
        return Solved(build.u, law, build.reaction, curve, build.trial if acting.laws else [], True)

    def _next_mean(
        self, acting: Collected, H: Inertia | Factors | Masked, M: Inertia, effort: Sequence[Scalar]
    ) -> Solved:
        """The balance of momentum in the middle, solved for w with M at the start."""
        build, model = self.build, self.model
        w = build.start
        middle = balance(model, build.position, build.momentum, w, effort, self.dt)
        build.force = middle.force
        if isinstance(H, Factors | Masked):
            return still(w + H.solve(acting.total(still(w)) - middle.residual))
        if self.closures:
            acting = yielding(acting, give_way(build.iteration[0]))
        push = M @ w - middle.residual + acting.push(model.dof)
        acting = closed_ahead(self, acting, build.position, w)
        done, share = build.converged[0], 0.5 * build.part[0]
        return self.direct.solved(H, push, acting, MIDDLE, None, w, repeated=done, share=share)

    def _unresolved(self, w: Sequence[Scalar]) -> Condition:
        return is_unresolved(self.model, self.build.velocity, w, self.dt)

    def _racing(self, w: list[Scalar]) -> Condition:
        return is_racing(self.model, self.build.position, w, self.dt)

    def _too_long(self, w: list[Scalar]) -> Condition:
        """Whether the step is, for this motion: with loops as the last pass found it, else as one of the first did."""
        return self._unresolved(w) | self._racing(w) if self.closures else self.build.unresolved[0] > 0.5

    # --- the second half: the velocity at the end ------------------------------------------------------------------

    def _second_half(
        self, acting: Collected, first: Solved, M: Inertia, actuators: Sequence[ActuatorNow], effort: Sequence[Scalar],
        samples: Sequence[ShaftSample],
    ) -> Condition:  # fmt: skip
        """Whether its laws have settled."""
        build, model = self.build, self.model
        if samples:
            build.taken = [x for sample in samples for x in sample.at(first.u)]
        self._advance(acting, first, M)
        build.again("mass")
        with build.unless(Slots.followed):
            land(self, M, acting, first, effort)
        w = build.mean_velocity
        tree = model.tree(State(build.position, w))
        half = SecondHalf(self.dt, M.diagonal(model.dof), w)
        now = self.moment(half, tree, model.configuration(tree), M, actuators)
        second = self.collected(now, M)
        push = build.momentum_after + second.push(model.dof)
        H = self._own_factors or second.matrix(M)
        found = self.direct.solved(H, push, second, "end", self.direct.started(second, first.pieces), w)
        if self.energy:
            self.energy.second_half(self.direct.carried(second), found, effort, M)
        build.velocity = found.u
        guess.count_quick_steps(build)
        build.impulse = build.impulse + self.direct.carried(second).impulses(found)
        if found.pieces:
            build.piece = found.pieces
        self.end_actuators(build.position, found.u, w, self._taken(now, found.u))
        self.end_frictions(now, tree.v)
        return found.settled

    def _taken(self, now: Moment, u: list[Scalar]) -> list[Taken]:
        """Means of where efforts were taken in both halves."""
        second = [x for sample in self.shaft_samples(now) for x in sample.at(u)]
        mean = 0.5 * (self.build.taken + second) if second else []
        return [Taken(*pair) for pair in zip(mean[::2], mean[1::2], strict=True)]

    def _advance(self, acting: Collected, first: Solved, M: Inertia) -> None:
        """q⁺, p⁺ and the impulses so far; whether the passes have found the motion."""
        build, model, w = self.build, self.model, first.u
        q, end = build.position, model.along_chords(State(build.position, w), self.dt)
        guess.remember(build, w, end.u)
        impulse = acting.total(first)
        build.momentum_after = momentum_after(model, q, build.momentum, w, end.q, build.force, impulse, self.dt)
        lost = build.converged[0] < 0.5
        if self.energy or self.passes < PASSES:  # energy is restored, or a few more passes would find w
            lost = lost & (build.nearly_converged[0] < 0.5)
        build.followed = [as_number(negated(lost | self._too_long(w)))]
        build.impulse = acting.impulses(first)
        if self.energy:
            self.energy.first_half(acting, first)
        build.position = end.q
        recovery = StopRecovery(self, M.diagonal(model.dof))
        if self.closures:
            project(self, M, recovery)
        else:
            build.stage("turn")
            recovery.write()


def still(u: Column) -> Solved:
    """Velocities alone: without laws, rows and curves."""
    return Solved(u, [], [], [], [], True)
