"""The base of all steps with rows: the terms that act in a phase, and the loop that solves for velocities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace

from gearwright.dynamics.actuation.actuator_unit import ActuatorLinearization as ActuatorNow
from gearwright.dynamics.actuation.actuators import actuator_lines
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import Inertia
from gearwright.dynamics.algebra.scalar import (
    Scalar,
    both,
    divided,
    either,
    greatest_of,
    is_zero,
    minus,
    plus,
    times,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.algebra.spatial import ZERO
from gearwright.dynamics.constraints.axis_laws import AxisRow
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.phases import Phase
from gearwright.dynamics.constraints.rows import (
    CompliantCouplingRow,
    ConstraintGroup,
    Instant,
    LoadDependent,
    PositionRow,
)
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve import STARTED, Acting, Problem, Progress, choose, started
from gearwright.dynamics.solve.choosing import one_by_one
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.curves import inertia
from gearwright.dynamics.solve.masked import Masked, masked
from gearwright.dynamics.solve.responses import better_last, responses
from gearwright.dynamics.solve.terms import Collected, Solved, rate
from gearwright.dynamics.steps.builder import StageBoundary, StepBuilder
from gearwright.dynamics.steps.passive import passive_terms
from gearwright.dynamics.steps.reuse import Form, refilled
from gearwright.dynamics.steps.slots import Slots, given_for, lines_for
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.reduction import TreeState

MIDDLE = "middle"  # the phase that is solved first where a step has two
SWITCHES = 200  # of pieces in a phase at most, or the laws' number; one or two are usual, rows may take many
POINTS = 4.5e5  # eps of its rate, 1e-10 in double precision: where a curve is met


class DirectStep:
    """The slots of a step in the making, and what is the same in every phase."""

    def __init__(self, build: StepBuilder, model: Model, kinds: Sequence[ConstraintGroup], eps: float) -> None:
        self.build, self.model, self.kinds, self.eps = build, model, list(kinds), eps
        self.dt: Scalar = build.dt[0]
        self.driven = bool(model.actuation.driven)
        self.closures = [kind for kind in kinds if isinstance(kind, ClosureRows)]
        self._switching: tuple[Inertia, Collected] | None = None  # what the stage `switch` is made for
        self._stored: Collected | None = None  # what acts in the phase that was solved last
        self.silent = 0  # terms without an impulse to be read, which come first

    def inertia(self, at: Configuration, tree: TreeState) -> Inertia:
        """M, with fronts where they take fewer operations. Loops are closed on the matrix itself."""
        return self.model.inertia(at, tree, fronts=not self.closures)

    @property
    def free(self) -> bool:
        """Whether inertia is all that velocities depend on: no dampers, springs, actuators or rows."""
        axes = self.model.bodies.axes
        passive = all(map(is_zero, (*axes.damping, *axes.stiffness)))
        return passive and not self.kinds and not self.driven

    @property
    def targets(self) -> list[Scalar]:
        """Targets of drives for the end of what is made."""
        return self.build[Slots.aim if Slots.aim in self.build else Slots.target]

    # --- what acts -------------------------------------------------------------------------------------------------

    def actuators(self, tree: TreeState) -> list[ActuatorNow]:
        """Each of them at the step's start."""
        if not self.driven:
            return []
        acting = self.model.actuation.acting(tree, self.build.command, self.build.actuator, self.dt)
        return self._with_last_step(tree, acting)

    def _with_last_step(self, tree: TreeState, acting: list[ActuatorNow]) -> list[ActuatorNow]:
        """With the acceleration of shafts whose losses depend on it, and what these losses were."""
        place = 0
        for kind in self.kinds:
            shaft = kind.loaded_shaft if isinstance(kind, LoadDependent) else None
            if shaft is not None:
                now = acting[shaft]
                change = self.last_change()
                rates = combined(now.seen.A, tree.G)
                acceleration = divided(rate(rates, change), self.dt) if change else 0.0
                loss = divided(self.build.impulse[place], self.build.dt[0])
                acting[shaft] = now._replace(acceleration=acceleration, loss=loss)
            place += kind.size
        return acting

    def last_change(self) -> list[Scalar]:
        """Change of the velocities in the last step; none where that is not known."""
        return []

    def held_effort(self, tree: TreeState, acting: Sequence[ActuatorNow]) -> list[Scalar]:
        """Efforts that stay the same over the step: the user's, and what maps add to those of actuators."""
        effort = self.build.effort
        for k, x in self.model.actuation.additions(tree, acting).items():
            effort[k] = plus(effort[k], x)
        return effort

    def collected(
        self, phase: Phase, tree: TreeState, at: Configuration, M: Inertia, acting: Sequence[ActuatorNow]
    ) -> Collected:
        """All that acts in a phase; first what has no impulse to be read, then one term an impulse."""
        command, memory = (self.build.command, self.build.actuator) if self.driven else ([], [])
        now = Moment(
            phase, self.dt, tree, at, M.diagonal(self.model.dof), self._response(M, tree),
            self.targets, command, memory, acting,
        )  # fmt: skip
        terms = [*passive_terms(self.model, now), *actuator_lines(self.model.actuation, now)]
        self.silent = len(terms)
        terms += [term for kind in self.kinds for term in kind.act(now)]
        return Collected.of(terms, tree.G, M)

    def _response(self, M: Inertia, tree: TreeState) -> Callable[[Sparse], Scalar]:
        """`J·M⁻¹·Jᵀ`, M the mechanism's own: a spring by its frequency does not depend on the step."""
        known: list[Callable[[Sparse], Scalar]] = []  # made when first asked for

        def response(J: Sparse) -> Scalar:
            if not known:
                known.append(self._spring_responses(M, tree))
            return known[0](combined(J, tree.G))

        return response

    def _spring_responses(self, M: Inertia, tree: TreeState) -> Callable[[Sparse], Scalar]:
        n, springs = self.model.dof, [kind for kind in self.kinds if isinstance(kind, CompliantCouplingRow)]
        if M.fronts:
            return responses(masked(M, n, {}), len(springs))
        rows = [combined(spring.tie.jacobian(tree.q), tree.G) for spring in springs]
        return responses(self.model.factorised(M.entries, last=better_last(M.entries, n, rows)), len(springs))

    # --- velocities ------------------------------------------------------------------------------------------------

    def matrix(self, H: Inertia, acting: Collected, keep: StageBoundary) -> Inertia | Factors | Masked:
        """H as later stages need it: factorised once, where nothing is held and nothing has to be."""
        if acting.switching or acting.equalities:
            return needed_parts(H, acting).mapped(keep)
        return self.factorised(H).mapped(keep)

    def factorised(self, H: Inertia) -> Factors | Masked:
        """H with nothing held."""
        return masked(H, self.model.dof, {}) if H.fronts else self.model.factorised(H.entries)

    def started(self, acting: Collected, pieces: Sequence[Scalar] | None = None) -> list[Scalar]:
        """The pieces that laws begin a phase on, from those that the last phase, or step, ended on."""
        laws = [Acting(term.law, term.J) for term in acting.laws]
        return started(laws, self.build.piece if pieces is None else pieces) if laws else []

    def solved(
        self, H: Inertia | Factors | Masked, b: Sequence[Scalar], acting: Collected,
        name: str, pieces: Sequence[Scalar] | None, guess: Sequence[Scalar], repeated: Scalar | None = None,
        share: Scalar = 1.0,
    ) -> Solved:  # fmt: skip
        """Velocities with every law on its piece. Without laws there is nothing to switch, and no stage is cut.

        Laws start on the pieces that are given, or on those of the last solution; where that is `repeated`, all goes
        on from where it ended. `share` of the impulses in their slot is expected.
        """
        if isinstance(H, Factors | Masked):
            return Solved(H.solve(list(b)), [], [], [], [], True)
        if not acting.switching:
            found = Problem(H, list(b), (), acting.equalities, self.eps).iterate([])
            return Solved(found.u, [], found.reactions, [], [], True)
        build = self.build
        points, progress = [rate(curve.J, guess) for curve in acting.curves], list(STARTED)
        if pieces is not None:
            build.trial = pieces
        if repeated is not None:
            points, progress = (
                [where(repeated, old, x) for old, x in zip(build[slot], new, strict=True)]
                for slot, new in ((Slots.point, points), (Slots.progress, progress))
            )
        build.rhs, build.point, build.progress, build.settled = b, points, progress, [0.0]
        before = self._as_before(H, acting)
        if before:
            self._stored = acting.mapped(lambda x: x, in_lines=build.carry(lines_for(name)))
            build.stage(f"push_{name}")
            build.again("switch")
        else:
            keep = build.carry(given_for(name), [self.dt])
            self._switching = needed_parts(H, acting).mapped(keep), acting.mapped(keep.unless_cheap)
            self._stored = self._switching[1]
            build.stage(f"push_{name}")
            self._switch(*self._switching)
            build.stage("switch")
        self._until_settled(self._stored, name, share, before=before)
        settled = build.settled[0] > 0.5
        return Solved(build.u, build.law, build.reaction, build.curve, build.trial, settled)

    def _until_settled(self, acting: Collected, name: str, share: Scalar, *, before: bool) -> None:
        """Most phases are solved at once. What they need where they are not is computed nowhere else."""
        build = self.build
        most = max(SWITCHES, len(acting.laws)) - 1
        if not acting.laws:
            with build.loop(most, until=Slots.settled):
                self._follow(again=before)
                build.again("switch")
            return
        with build.loop(1, until=Slots.settled):
            build.way = self._places(acting, build.velocity, self._expected(acting, share))
            build.stage(f"set_out_{name}")
            with build.loop(most, until=Slots.settled):
                if acting.curves:
                    self._follow(again=before)
                with build.loop(1, until=Slots.agreed) if acting.curves else nullcontext():
                    self._choose(acting, again=before)
                build.again("switch")

    def carried(self, acting: Collected) -> Collected:
        """All that acts, its lines as they were stored before laws switched: springs need the mass matrix for them."""
        return self._stored if acting.switching and self._stored is not None else acting

    def _as_before(self, H: Inertia, acting: Collected) -> bool:
        """Whether the stage `switch` serves this phase, too; then its slots are filled for it."""
        if self._switching is None:
            return False
        own = {slot: self.build[slot] for slot in (Slots.system, given_for(MIDDLE))}
        filled = refilled(Form.of(*self._switching), Form.of(needed_parts(H, acting), acting), own)
        for slot, values in (filled or {}).items():
            self.build[slot] = values
        return filled is not None

    def _switch(self, H: Inertia, acting: Collected) -> None:
        """One solution with laws on their pieces and curves on their lines, and the pieces that it belongs to."""
        build, laws = self.build, [Acting(term.law, term.J) for term in acting.laws]
        before, points = build.settled[0] > 0.5, build.point
        progress = Progress(*build.progress)
        b = build.rhs
        lines = [curve.line(point) for curve, point in zip(acting.curves, points, strict=True)]
        H_lines = H.with_lines([(curve.J, slope) for curve, (_, slope) in zip(acting.curves, lines, strict=True)])
        for curve, (constant, _) in zip(acting.curves, lines, strict=True):
            for n, x in curve.J.items():
                b[n] = plus(b[n], times(x, constant))
        found = Problem(H_lines, b, laws, acting.equalities, self.eps).iterate(build.trial, progress.tolerance)
        rates = [rate(curve.J, found.u) for curve in acting.curves]
        impulses = [minus(c, times(s, r)) for (c, s), r in zip(lines, rates, strict=True)]
        build.u, build.law, build.reaction, build.curve = (
            found.u, found.impulses, found.reactions, impulses,
        )  # fmt: skip
        build.found = found.pieces
        settled = found.settled
        if acting.curves:
            build.agreed = [settled]
            d, met = H.diagonal(self.model.dof), found.settled > 0.5
            for curve, r, impulse in zip(acting.curves, rates, impulses, strict=True):
                met = both(met, curve.is_met(r, impulse, inertia(curve.J, d), POINTS * self.eps))
            settled = where(before, 1.0, as_number(met))
        build.settled = [settled]

    def _follow(self, *, again: bool) -> None:
        """Lines go on to where the solution meets their curves.

        Where laws switch one by one, lines stay as they are until all have: that ends, both at once may not.
        """
        if again:
            self.build.again("follow")
            return
        assert self._switching is not None
        build, (H, acting) = self.build, self._switching
        waits = both(one_by_one(Progress(*build.progress), len(acting.laws)), build.agreed[0] < 0.5)
        stays, d = either(build.settled[0] > 0.5, waits), H.diagonal(self.model.dof)
        rows = zip(acting.curves, build.curve, build.point, strict=True)
        new = [(old, c.point(rate(c.J, build.u), impulse, inertia(c.J, d))) for c, impulse, old in rows]
        build.point = [where(stays, old, x) for old, x in new]
        build.stage("follow")

    def _choose(self, acting: Collected, *, again: bool) -> None:
        """Which laws switch. Where only curves have not settled, none does."""
        if again:
            self.build.again("choose")
            return
        build, laws = self.build, [Acting(term.law, term.J) for term in acting.laws]
        places = self._places(acting, build.u, build.law)
        chosen = choose(laws, build.trial, build.found, places, build.way, Progress(*build.progress))
        build.trial, build.progress, build.way = chosen.pieces, list(chosen.progress), chosen.way
        build.stage("choose")

    def _places(self, acting: Collected, u: Sequence[Scalar], impulses: Sequence[Scalar]) -> list[Scalar]:
        """How far along its polyline each law is."""
        return [minus(rate(term.J, u), x) for term, x in zip(acting.laws, impulses, strict=True)]

    def _expected(self, acting: Collected, share: Scalar) -> list[Scalar]:
        """Impulses of laws, by those of the last phase or step."""
        rows = {
            i: x for (kind, i), x in zip(acting.places[self.silent :], self.build.impulse, strict=True) if kind == "law"
        }
        return [times(share, rows[i]) for i in range(len(acting.laws))]

    def closing(self, acting: Collected, q: list[Scalar], w: list[Scalar]) -> Collected:
        """With loops that are to be closed where the step ends: `J·w⁺ = J·w − φ(q ⊕ dt·w)/dt`, w the last guess."""
        if not self.closures:
            return acting
        equalities = list(acting.equalities)
        for i, row, _ in self._ahead(acting, q, w):
            bias = minus(row.error / self.dt, rate(equalities[i].J, w))
            equalities[i] = equalities[i]._replace(bias=bias)
        return replace(acting, equalities=equalities)

    def turning(self, acting: Collected, q: list[Scalar], w: list[Scalar], mass: Sequence[Scalar]) -> Collected:
        """With loops that may give way as much as their rows turn in a step.

        Where a loop passes a pose in which its rows depend on each other, they may look one way at the step's start and
        the other way at its end. No impulse along the former closes the latter: what is left is the projection's.
        """
        equalities = list(acting.equalities)
        for i, row, tree in self._ahead(acting, q, w):
            old, new = equalities[i].J, combined(row.J, tree.G)
            turned = {n: minus(new.get(n, 0.0), old.get(n, 0.0)) for n in sorted({*old, *new})}
            give = total(*(divided(times(x, x), mass[n]) for n, x in turned.items()))
            equalities[i] = equalities[i]._replace(give=give)
        return replace(acting, equalities=equalities)

    @staticmethod
    def yielding(acting: Collected, much: Scalar) -> Collected:
        """With loops that give way so many times as much as their rows turn."""
        return replace(acting, equalities=[e._replace(give=times(much, e.give)) for e in acting.equalities])

    def _ahead(
        self, acting: Collected, q: list[Scalar], w: list[Scalar]
    ) -> Iterator[tuple[int, PositionRow, TreeState]]:
        """By row of a loop: its place among the equalities, and the row where w leads to."""
        tree = self.model.tree(State(self.model.advanced(q, w, self.dt), w))
        now = Instant(tree, self.model.configuration(tree), self.dt)
        place = self.silent
        for kind in self.kinds:
            if isinstance(kind, ClosureRows):
                for n, row in enumerate(kind.position_rows(now)):
                    yield acting.places[place + n][1], row, tree
            place += kind.size

    def loop_speed_squared(self) -> Scalar | None:
        """Square of a loop's fastest joint's angular velocity, whichever closes it; None where no loop has rows."""
        closures = [closure for closure in self.closures if closure.conditions]
        if not closures:
            return None
        model = self.model
        tree = model.tree(State(self.build.position, self.build.velocity))
        at = model.configuration(tree)
        turning = [
            list(zip((s.angular for s in at.S[i]), at.system.bodies[i].velocities, strict=True))
            for i in sorted({i for closure in closures for i in closure.bodies(at.system)})
        ]
        turning += [[(V.angular, k) for k, V in closure.seen(at)[1].items()] for closure in closures]
        rates = [sum((axis * tree.v[k] for axis, k in joint), start=ZERO) for joint in turning]
        return greatest_of([omega @ omega for omega in rates])

    # --- the end of a step -----------------------------------------------------------------------------------------

    def back_within_stops(self, q: list[Scalar]) -> list[Scalar]:
        """Axes beyond their stops are brought back by a part of the way, which gives them no speed."""
        tree = self.model.tree(State(q, [0.0] * self.model.dof))
        independent = {i: n for n, i in enumerate(self.model.reduction.positions)}
        q = list(q)
        for kind in self.kinds:
            if isinstance(kind, AxisRow) and kind.position in independent:
                n = independent[kind.position]
                q[n] = plus(q[n], kind.way_back(tree.q[kind.position], self.dt))
        return q

    def end_actuators(self, q: list[Scalar], u: list[Scalar]) -> None:
        """Efforts and states of the actuators at the end."""
        if not self.driven:
            return
        command, memory = self.build.command, self.build.actuator
        tree = self.model.tree(State(q, u))
        after = list(memory)
        for d in self.model.actuation.driven:
            after[d.command], own = d.at_end(tree, command, memory, self.dt)
            for i, x in zip(d.states, own, strict=True):
                after[i] = x
        self.build.actuator = after

    def read_impulses(self, acting: Collected, found: Solved) -> list[Scalar]:
        """Impulses of the groups' terms, in their order."""
        return acting.impulses(found)[self.silent :]


# --- the mass matrix -------------------------------------------------------------------------------------------------


def needed_parts(H: Inertia, acting: Collected) -> Inertia:
    """Without the diagonal, where nothing asks for it: a later stage would have it computed."""
    rows = [term for term in acting.laws if len(term.J) != 1]
    return H if acting.curves or acting.equalities or rows else replace(H, whole=())
