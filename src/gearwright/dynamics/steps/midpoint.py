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
        turn        q⁺ = q ⊕ dt·w, p⁺; with loops in two, `advance` and `project`
        mass        M(q⁺)
        land        another p⁺, where w was not found
        push        what acts in the second half
        switch      laws on the pieces that v⁺ is on
        finish      velocities, impulses, actuators
        part        where there are several: taken, or given up and halved

`builder` cuts it into stages, `substeps` has its parts, `variational_midpoint` the balance, `terms` what acts, `phases`
when, `solve` the laws.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization as ActuatorNow
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import Inertia
from gearwright.dynamics.algebra.scalar import (
    TINY,
    Scalar,
    both,
    divided,
    either,
    equal,
    greatest,
    greatest_of,
    least,
    magnitude,
    minus,
    plus,
    square_root,
    times,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import transposed
from gearwright.dynamics.constraints.phases import FirstHalf, SecondHalf
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve import STARTED
from gearwright.dynamics.solve.conditions import as_number, negated
from gearwright.dynamics.solve.masked import Masked
from gearwright.dynamics.solve.terms import Collected, Solved
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.direct import MIDDLE, DirectStep
from gearwright.dynamics.steps.projection import project
from gearwright.dynamics.steps.reuse import unknowns, with_unknowns
from gearwright.dynamics.steps.slots import Slots, before
from gearwright.dynamics.steps.substeps import TRIES, Substeps
from gearwright.dynamics.steps.variational_midpoint import balance, momentum_after
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState

PASSES = 24  # at most; where they lead nowhere, the last one starts from v again: a first-order step
FAR_IN_A_STEP, MUCH = 0.15, 0.15  # [rad, m]; share of its speed that half a step takes off or adds
NONLINEAR = 3.0  # rounds: the second pass of what is linear, whatever its motors and stops, changes nothing
YIELDING = {10.0: 4.0, 17.0: 400.0}  # passes from which on loops give way, if none has settled; by how much
QUICK, SMOOTH = 3.0, 2.0  # passes of a step that was guessed well; so many of those, and what they missed is added
NEAR = 5e-3  # by the same measure as SETTLED: passes that change less are on their way to a solution
MOST_DAMPED = 0.3  # relaxation of a pass at least, and its reciprocal at most
SETTLED = 2e-5  # of each axis' speed and 1 rad/s, m/s: a pass that changes less is the last, and leaves a hundredth;
SHORT = 1e-3  # [s] below this, less by dt²: as a step's own error falls

ROUNDING = 2e3  # eps by which passes may go on changing in single precision
CLOSING = 20.0  # eps, over dt [s]: the same of loops, whose errors are rounded as angles and lengths are


class MidpointStep(DirectStep):
    """Writes the stages."""

    def __init__(
        self, build: StepBuilder, model: Model, kinds: Sequence[ConstraintGroup], eps: float, passes: int | None = None
    ) -> None:
        super().__init__(build, model, kinds, eps)
        self.passes = PASSES if passes is None else passes  # at most
        self._own_factors: Factors | Masked | None = None  # those of M, where nothing else is solved with

    def write(self) -> None:
        parts = Substeps(self.build, self.loop_speed_squared())
        self.dt = self.build.span[0]
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
        first = self.collected(FirstHalf(self.dt, mass), tree, model.configuration(tree), M, acting)
        guess = self._guess()
        if self.closures:
            first, build.guess = self.turning(first, q, guess, mass), guess
        effort = self.held_effort(tree, acting)
        given, begun = build.carry(Slots.system, [self.dt]), build.carry(Slots.at_start, [self.dt])
        later = first.mapped(given.unless_cheap, in_lines=begun.unless_cheap)
        later = replace(later, curves=[curve.sampled_anew(given.number_too) for curve in later.curves])
        H = self._own_factors or self.matrix(first.matrix(M), first, given)
        effort = [begun(x) for x in effort]
        acting = [ActuatorNow(a.seen, *map(begun, a[1:])) for a in acting]
        build.start = guess
        build.change, build.relaxation, build.nearly_converged = [0.0] * model.dof, [1.0], [0.0]
        build.momentum = M.product(v)
        build.converged, build.iteration, build.unresolved = [0.0], [1.0], [0.0]
        if first.switching:
            build.trial, build.progress = self.started(first), list(STARTED)
            build.point = [0.0] * len(first.curves)
        build.stage("begin")
        with build.loop(self.passes, until=Slots.converged):
            found = self._pass(later, H, M, effort)
        parts.keep()
        settled = self._second_half(later, found, M, acting, effort)
        parts.end(both(build.converged[0] > 0.5, build.followed[0] > 0.5), settled)

    def _guess(self) -> list[Scalar]:
        """First guess of the mean velocity: the line through the last one and the velocity.

        It misses by dt²/2 times the jerk. Where the last steps were smooth, so is what it missed by, and the line
        through that of the last two steps is added; impacts and efforts that jump spoil it.
        """
        build, n = self.build, self.model.dof
        smooth = build.smooth[0] >= SMOOTH
        rows = zip(self._line(), build.missed[:n], build.missed[n:], strict=True)
        return [plus(x, where(smooth, minus(times(2.0, a), b), 0.0)) for x, a, b in rows]

    def _line(self) -> list[Scalar]:
        rows = zip(self.build.velocity, self.build.mean_velocity, strict=True)
        return [minus(times(2.0, v), mean) for v, mean in rows]

    def last_change(self) -> list[Scalar]:
        """Twice that since the middle of the last step."""
        rows = zip(self.build.velocity, self.build.mean_velocity, strict=True)
        return [times(2.0, minus(v, mean)) for v, mean in rows]

    def _prepared(self, tree: TreeState) -> Inertia:
        """M at the step's start, as the last step left it; anew where something else has moved the robot."""
        M = self.inertia(self.model.configuration(tree), tree)
        build = self.build
        factors = self.factorised(M) if self.free else None
        with build.loop(1, until=Slots.fresh):
            build.mass, build.fresh = unknowns(M), [1.0]
            if factors is not None:
                build.factors = unknowns(factors)
            build.stage("mass")
        if factors is not None:
            self._own_factors = with_unknowns(factors, build.factors)
        return with_unknowns(M, build.mass)

    def _pass(self, acting: Collected, H: Inertia | Factors | Masked, M: Inertia, effort: Sequence[Scalar]) -> Solved:
        """w anew: a quasi-Newton step on M at the step's start, in which laws are solved to their end.

        A robot that is done starts from the same w on the same pieces again, and finds the same to the bit.
        """
        build, model = self.build, self.model
        passed, turn, w = build.converged[0], build.iteration[0], build.start
        if self.closures:
            acting = self.yielding(acting, chosen_from(turn, YIELDING))
        middle = balance(model, build.position, build.momentum, w, effort, self.dt)
        build.force = middle.force
        if isinstance(H, Factors | Masked):
            change = H.solve([minus(c, r) for c, r in zip(acting.total(still(w)), middle.residual, strict=True)])
            found = still([plus(x, d) for x, d in zip(w, change, strict=True)])
        else:
            rows = zip(M.product(w), middle.residual, acting.push(model.dof), strict=True)
            push = [plus(minus(x, r), c) for x, r, c in rows]
            acting = self.closing(acting, build.position, w)
            found = self.solved(H, push, acting, MIDDLE, None, w, repeated=passed, share=times(0.5, build.part[0]))
        if not acting.switching:
            build.u, build.reaction = found.u, found.equalities
        settled = both(has_settled(found.u, w, self._tolerance(turn)), found.settled)
        passed = either(passed > 0.5, settled)
        build.converged = [as_number(passed)]
        build.iteration = [plus(turn, where(passed, 0.0, 1.0))]
        unresolved = self._unresolved(found.u) if self.closures else build.unresolved[0] > 0.5
        goes_on = build.step_done[0] < 0.5
        build.assured = [as_number(both(both(passed, negated(unresolved)), goes_on))]
        build.stage("pass")
        with build.loop(1, until=Slots.converged):
            self._start_next_pass()
            build.stage("relax")
        law, curve = (build.law, build.curve) if acting.switching else ([], [])
        return Solved(build.u, law, build.reaction, curve, build.trial if acting.laws else [], True)

    def _tolerance(self, turn: Scalar) -> Scalar:
        """Share of its speed by which an axis may change in the last pass.

        In short steps rounding may be more than that, where a loop's rows are short of depending on each other.
        """
        short = times(SETTLED / SHORT**2, times(self.dt, self.dt))
        rounding: Scalar = ROUNDING * self.eps
        if self.closures:
            short = where(turn >= min(YIELDING), SETTLED, short)
            rounding = greatest(rounding, divided(CLOSING * self.eps, self.dt))
        return greatest(least(SETTLED, short), rounding)

    def _land(self, M: Inertia, acting: Collected, first: Solved, effort: Sequence[Scalar]) -> None:
        """The momentum at the end of what could not be followed: w's own, with no more kinetic energy than there was.

        And with the work of efforts and of all that acts beside loops, whose impulses mean nothing there: an absurd
        effort is not lost, and its speeds are found to diverge.
        """
        build, w = self.build, first.u
        own = M.product(w)
        square = total(TINY, *(times(p, x) for p, x in zip(own, w, strict=True)))
        tree = self.model.tree(State(build[before(Slots.position)], w))
        kicks = zip(
            transposed(tree.G, list(effort), self.model.dof),
            acting.total(first._replace(equalities=[0.0] * len(first.equalities))),
            strict=True,
        )
        work = total(*(times(plus(times(self.dt, f), x), u) for (f, x), u in zip(kicks, w, strict=True)))
        kinetic = total(*(times(p, v) for p, v in zip(build.momentum, build.velocity, strict=True)))
        twice = plus(magnitude(kinetic), times(2.0, greatest(work, 0.0)))  # the kinetic energy
        share = square_root(least(1.0, plus(TINY, twice / square)))
        lost = build.followed[0] < 0.5
        rows = zip(own, build.momentum_after, strict=True)
        build.momentum_after = [where(lost, times(share, x), p) for x, p in rows]
        build.stage("land")

    def _unresolved(self, w: Sequence[Scalar]) -> Scalar:
        """Whether an axis goes far in the step while its speed changes much: no step of this length follows that.

        A ball is one: what turns in its own axes is a part of its motion.
        """
        model, v = self.model, self.build.velocity
        found: Scalar = False
        for axes in (*([k] for _, k in model.plain), *(three for _, three in model.balls)):
            square = total(*(times(w[k], w[k]) for k in axes))
            change = total(*(times(d, d) for d in (minus(w[k], v[k]) for k in axes)))
            far = times(times(self.dt, self.dt), square) > FAR_IN_A_STEP**2
            found = either(found, both(far, change > times(MUCH**2, square)))
        return found

    def _start_next_pass(self) -> None:
        """Where it starts: Aitken's relaxation, since changes of alternating sign settle slowly alone.

        Loops that are about to give way start from the guess again, and the last pass of a step that is lost from v.
        """
        build, turn = self.build, self.build.iteration[0]
        u, start, passed = build.u, build.start, build.converged[0] > 0.5
        near = has_settled(u, start, NEAR)
        change, before = [minus(a, b) for a, b in zip(u, start, strict=True)], build.change
        differences = [minus(a, b) for a, b in zip(change, before, strict=True)]
        along = total(*(times(a, b) for a, b in zip(before, differences, strict=True)))
        square = total(TINY, *(times(a, a) for a in differences))
        aitken = minus(0.0, times(build.relaxation[0], along / square))
        begins = one_of(turn, [first + 1.0 for first in (1.0, *(YIELDING if self.closures else ()))])
        relaxation = where(begins, 1.0, least(greatest(aitken, MOST_DAMPED), 1.0 / MOST_DAMPED))
        build.nearly_converged, build.change, build.relaxation = [where(near, 1.0, 0.0)], change, [relaxation]
        start = [plus(w, times(relaxation, d)) for w, d in zip(start, change, strict=True)]
        if self.closures:
            start = [where(one_of(turn, YIELDING), a, x) for a, x in zip(build.guess, start, strict=True)]
        if not self.closures:
            unresolved = both(turn >= NONLINEAR, self._unresolved(u))
            build.unresolved = [where(passed, build.unresolved[0], as_number(unresolved))]
        lost = both(turn >= self.passes, build.nearly_converged[0] < 0.5)
        rows = zip(build.start, build.velocity, start, strict=True)
        build.start = [where(passed, same, where(lost, v, x)) for same, v, x in rows]

    def _second_half(
        self, acting: Collected, first: Solved, M: Inertia, actuators: Sequence[ActuatorNow], effort: Sequence[Scalar]
    ) -> Scalar:
        """Whether its laws have settled."""
        build, model, dt = self.build, self.model, self.dt
        w = first.u
        missed = [minus(x, y) for x, y in zip(w, self._line(), strict=True)]
        build.missed, build.mean_velocity = [*missed, *build.missed[: model.dof]], w
        impulse = acting.total(first)
        build.momentum_after = momentum_after(model, build.momentum, w, build.force, impulse, dt)
        lost = both(build.converged[0] < 0.5, build.nearly_converged[0] < 0.5)
        unresolved = self._unresolved(w) if self.closures else build.unresolved[0] > 0.5
        build.followed = [as_number(negated(either(lost, unresolved)))]
        build.impulse = self.read_impulses(acting, first)
        build.position = self.back_within_stops(model.advanced(build.position, w, dt))
        if self.closures:
            project(self, M.entries)
        else:
            build.stage("turn")
        build.again("mass")
        with build.loop(1, until=Slots.followed):
            self._land(M, acting, first, effort)
        w = build.mean_velocity
        tree = model.tree(State(build.position, w))
        at = model.configuration(tree)
        second = self.collected(SecondHalf(dt, M.diagonal(model.dof), w), tree, at, M, actuators)
        push = [plus(x, c) for x, c in zip(build.momentum_after, second.push(model.dof), strict=True)]
        H = self._own_factors or second.matrix(M)
        found = self.solved(H, push, second, "end", self.started(second, first.pieces), w)
        build.velocity = found.u
        quick = build.iteration[0] <= QUICK
        build.smooth = [where(quick, least(plus(build.smooth[0], 1.0), SMOOTH), 0.0)]
        impulses = zip(build.impulse, self.read_impulses(self.carried(second), found), strict=True)
        build.impulse = [plus(a, b) for a, b in impulses]
        if found.pieces:
            build.piece = found.pieces
        self.end_actuators(build.position, found.u)
        return found.settled


def still(u: list[Scalar]) -> Solved:
    """Velocities alone: without laws, rows and curves."""
    return Solved(u, [], [], [], [], True)


def one_of(x: Scalar, values: Iterable[float]) -> Scalar:
    found: Scalar = False
    for value in values:
        found = either(found, equal(x, value))
    return found


def chosen_from(x: Scalar, table: Mapping[float, float]) -> Scalar:
    """The value of the largest key that x has reached; 0 before the first."""
    found: Scalar = 0.0
    for key, value in table.items():
        found = where(x >= key, value, found)
    return found


def has_settled(u: Sequence[Scalar], w: Sequence[Scalar], share: Scalar) -> Scalar:
    """Each axis by its own speed and 1 rad/s, m/s: a rotor's is no measure for the gimbal that carries it."""
    changes = zip(u, (magnitude(minus(x, y)) for x, y in zip(u, w, strict=True)), strict=True)
    return greatest_of([minus(d, times(share, magnitude(x))) for x, d in changes]) <= share
