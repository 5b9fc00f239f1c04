"""The direct solver: velocities of a phase with every law on its segment and every curve on its tangent.

    push        right-hand side, points of the curves
    unless a contact may touch:
        free        the solution without contacts, which is final if it stays clear of them
    switch      one solution, and the segments that it belongs to
    until these are the segments that it was made with:
        set_out     once: how far along its polyline each law was
        follow      curves' lines to where the solution meets their curves
        choose      which laws switch
        switch

The first phase's stages also serve later phases that differ only in numbers (`reuse`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Scalar, maximum, where
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.choosing import STARTED, Progress, choose, one_by_one
from gearwright.dynamics.solve.closing import LeastMove
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.cones import Touching
from gearwright.dynamics.solve.curves import inertia
from gearwright.dynamics.solve.masked import Masked, masked
from gearwright.dynamics.solve.rows import closing_factors
from gearwright.dynamics.solve.switching import Problem, started
from gearwright.dynamics.solve.terms import Collected, Solved, rate
from gearwright.dynamics.steps.builder import StageBoundary, StepBuilder
from gearwright.dynamics.steps.cone_points import BOUNDED, ConePoints
from gearwright.dynamics.steps.reuse import Form, refilled
from gearwright.dynamics.steps.slots import Slots, given_for, lines_for

Factored = FrontalMatrix | Factors | Masked | LeastMove  # a matrix, or what it is solved with
MIDDLE = "middle"  # the phase that is solved first where a step has two
SWITCHES = 200  # of segments in a phase at most, or the laws' number; one or two are usual, rows may take many
POINTS = 4.5e5  # eps of its rate, 1e-10 in double precision: where a curve is met
FOUND = (Slots.u, Slots.polyline, Slots.equality, Slots.curve, Slots.cone)  # by a solution
DIRECT = 8.0  # times that points go all the way; then ever less, where saturated drives throw each other to and fro


class DirectSolver:
    """Writes the stages of phases, one after the other."""

    fronts = True

    def __init__(self, build: StepBuilder, model: Model, eps: float, switches: int | None = None) -> None:
        self.build, self.model, self.eps, self.switches = build, model, eps, switches
        self._switching: tuple[FrontalMatrix, Collected] | None = None  # what the stage `switch` is made for
        self._stored: Collected | None = None  # what acts in the phase that was solved last
        self.closing: LeastMove | None = None  # along the rows of the last solution, if `keeps_closing`
        self.keeps_closing = False

    # --- before a phase --------------------------------------------------------------------------------------------

    def matrix(self, H: FrontalMatrix, acting: Collected, keep: StageBoundary) -> FrontalMatrix | Factors | Masked:
        """H as later stages need it: factorised once, if nothing is held and nothing has to be."""
        if acting.switching or acting.equalities:
            return needed_parts(H, acting).mapped(keep)
        return self.factorised(H).mapped(keep)

    def closes_alone(self, acting: Collected) -> bool:
        """Whether there are loops and nothing that switches: the same factors serve all solutions of a phase."""
        return not acting.switching and any(e.group for e in acting.equalities)

    def closing_factors(self, H: FrontalMatrix, acting: Collected) -> LeastMove:
        """Of H and the rows of loops."""
        return closing_factors(H, self.model.dof, acting.equalities, self.eps)

    def factorised(self, H: FrontalMatrix) -> Factors | Masked:
        """H with nothing held."""
        return masked(H, self.model.dof, {}) if H.fronts else self.model.factorised(H.entries)

    def started(self, acting: Collected, segments: Sequence[Scalar]) -> list[Scalar]:
        return started(acting.polylines, segments)

    # --- a phase ---------------------------------------------------------------------------------------------------

    def solved(
        self, H: Factored, b: Sequence[Scalar], acting: Collected,
        name: str, segments: Sequence[Scalar] | None, guess: Sequence[Scalar], repeated: Scalar | None = None,
        share: Scalar = 1.0, iterated: Scalar | None = None,
        ahead: Sequence[Scalar] | None = None,
    ) -> Solved:  # fmt: skip
        """Velocities with every law on its segment. Without laws there is nothing to switch, and no stage is cut.

        Laws start on the segments that are given, or on those of the last solution; if that is `repeated`, everything
        continues from where it ended. A fraction `share` of the impulses in their slot is expected. Contacts continue
        from where they were if the phase is `iterated`, or start `ahead`, at a better guess.
        """
        if isinstance(H, Factors | Masked):
            return Solved(H.solve(list(b)), [], [], [], [], True)
        if self.closes_alone(acting):
            self.closing = H if isinstance(H, LeastMove) else self.closing_factors(H, acting)
            u, reactions = self.closing.velocities(b, [e.bias for e in acting.equalities])
            return Solved(u, [], reactions, [], [], True)
        assert not isinstance(H, LeastMove)
        if not acting.switching:
            found = Problem(H, list(b), (), acting.equalities, self.eps).iterate([])
            return Solved(found.u, [], found.equalities, [], [], True)
        build = self.build
        points, progress = [rate(curve.J, guess) for curve in acting.curves], list(STARTED)
        if segments is not None:
            build.segment_tried = segments
        if repeated is not None:
            points = select(repeated, build.point, points)
            progress = select(repeated, build.progress, progress)
        build.rhs, build.point, build.progress, build.settled = b, points, progress, [0.0]
        if acting.followed:
            build.follows = [0.0]
        if acting.cones:
            self._cone_points(acting).begin(guess if ahead is None else ahead, iterated, repeated)
        again = self._push(H, acting, name)
        assert self._stored is not None
        with build.unless(Slots.is_free) if self._may_be_free(acting) else nullcontext():
            self._until_settled(self._stored, name, share, again=again)
        settled = build.settled[0] > 0.5
        cones = build.cone if acting.cones else []
        return Solved(build.u, build.polyline, build.equality, build.curve, build.segment_tried, settled, cones)

    def carried(self, acting: Collected) -> Collected:
        """All that acts, its lines as they were stored before laws switched: springs need the mass matrix for them."""
        return self._stored if acting.switching and self._stored is not None else acting

    def travel(self, found: Solved) -> list[Scalar]:
        return found.u

    def _push(self, H: FrontalMatrix, acting: Collected, name: str) -> bool:
        """The stages before the first solution; whether they are those of an earlier phase."""
        build = self.build
        again = self._refill(H, acting)
        if again:
            self._stored = acting.mapped(lambda x: x, in_lines=build.carry(lines_for(name)))
        else:
            keep = build.carry(given_for(name), [build.length_now])
            self._switching = needed_parts(H, acting).mapped(keep), acting.mapped(keep.unless_cheap)
            self._stored = self._switching[1]
        if self._may_be_free(acting):
            build.is_free = [0.0]
        build.stage(f"push_{name}")
        if self._may_be_free(acting):
            with build.unless(Slots.may_touch):
                self._free(again=again)
        return again

    def _may_be_free(self, acting: Collected) -> bool:
        """Whether there is a stage for when nothing touches: stages after it may ask for factors of all that acts."""
        return bool(acting.cones) and not self.keeps_closing

    def _refill(self, H: FrontalMatrix, acting: Collected) -> bool:
        """Whether the stage `switch` also serves this phase; then its slots are filled for it."""
        if self._switching is None:
            return False
        slots = (Slots.system, given_for(MIDDLE), Slots.give)
        own = {slot: self.build[slot] for slot in slots if slot in self.build}
        filled = refilled(Form.of(*self._switching), Form.of(needed_parts(H, acting), acting), own)
        for slot, values in (filled or {}).items():
            self.build[slot] = values
        return filled is not None

    def _until_settled(self, acting: Collected, name: str, share: Scalar, *, again: bool) -> None:
        """Most phases are solved at once. What the others need in addition is computed only here."""
        build = self.build
        if again:
            build.again("switch")
        else:
            assert self._switching is not None
            self._switch(*self._switching)
        most = (self.switches or max(SWITCHES, len(acting.polylines))) - 1
        if not acting.polylines:
            with build.loop(most, until=Slots.settled):
                self._follow(again=again)
                self._measure(acting, again=again)
                build.again("switch")
            return
        with build.unless(Slots.settled):
            build.way = _along_polylines(acting, build.velocity, self._expected(acting, share))
            build.stage(f"set_out_{name}")
            with build.loop(most, until=Slots.settled):
                if acting.followed:
                    self._follow(again=again)
                self._measure(acting, again=again)
                with build.unless(Slots.agreed) if acting.followed else nullcontext():
                    self._choose(acting, again=again)
                build.again("switch")

    # --- its stages ------------------------------------------------------------------------------------------------

    def _free(self, *, again: bool) -> None:
        """One solution without contacts. A robot that may touch something is solved for again by `switch`."""
        build = self.build
        if again:
            build.again("free")
            return
        assert self._switching is not None
        H, acting = self._switching
        cones = self._cone_points(acting)
        met = (self._solution(H, acting, []) > 0.5) & cones.are_clear(build.u) & (build.may_touch[0] < 0.5)
        build.cone = [0.0] * sum(cone.size for cone in acting.cones)
        build.is_free = build.settled = [as_number(met)]
        build.stage("free")

    def _switch(self, H: FrontalMatrix, acting: Collected) -> None:
        """One solution with laws on their segments and curves on their lines, and the segments that it belongs to."""
        build, cones = self.build, self._cone_points(acting)
        alone = {slot: build[slot] for slot in FOUND if self._may_be_free(acting) and slot in build}
        planes = cones.touching() if acting.cones else []
        settled = self._solution(H, acting, planes)
        if planes:
            settled = as_number((settled > 0.5) & cones.store(build.u, planes))
        for slot, values in alone.items():
            build[slot] = select(build.is_free[0], values, build[slot])
        build.settled = [where(build.settled[0] > 0.5, 1.0, settled) if acting.followed else settled]
        build.stage("switch")

    def _solution(self, H: FrontalMatrix, acting: Collected, planes: Sequence[Touching]) -> Scalar:
        """Velocities and impulses in their slots; whether laws are on their segments and curves are met."""
        build, progress = self.build, Progress(*self.build.progress)
        lines = [curve.line(point) for curve, point in zip(acting.curves, build.point, strict=True)]
        H_lines = H.with_lines([(curve.J, slope) for curve, (_, slope) in zip(acting.curves, lines, strict=True)])
        b = build.rhs
        for curve, (constant, _) in zip(acting.curves, lines, strict=True):
            for n, x in curve.J.items():
                b[n] = b[n] + x * constant
        if planes:
            H_lines, b = self._cone_points(acting).added(H_lines, b, planes)
        problem = Problem(H_lines, b, acting.polylines, acting.equalities, self.eps)
        found = problem.iterate(build.segment_tried, progress.tolerance)
        rates = [rate(curve.J, found.u) for curve in acting.curves]
        impulses = [c - s * r for (c, s), r in zip(lines, rates, strict=True)]
        if self.keeps_closing and found.closing is not None:
            self.closing = found.closing.mapped(build.carry(Slots.closing))
        build.u, build.polyline, build.equality, build.curve = found.u, found.impulses, found.equalities, impulses
        build.segment_found = found.segments
        if not acting.followed:
            return found.settled
        build.agreed, d, met = [found.settled], H.diagonal(self.model.dof), found.settled > 0.5
        for curve, r, impulse in zip(acting.curves, rates, impulses, strict=True):
            met = met & curve.is_met(r, impulse, inertia(curve.J, d), POINTS * self.eps)
        return as_number(met)

    def _follow(self, *, again: bool) -> None:
        """Moves lines to where the solution meets their curves, and contacts to where it meets their cones.

        While laws switch one by one, lines stay as they are: switching alone terminates, both together may not.
        """
        if again:
            self.build.again("follow")
            return
        assert self._switching is not None
        build, (H, acting) = self.build, self._switching
        waits = one_by_one(Progress(*build.progress), len(acting.polylines)) & (build.agreed[0] < 0.5)
        stays, d = (build.settled[0] > 0.5) | waits, H.diagonal(self.model.dof)
        rows = zip(acting.curves, build.curve, strict=True)
        new = [c.point(rate(c.J, build.u), impulse, inertia(c.J, d)) for c, impulse in rows]
        (follows,) = build.follows
        share = 1.0 / maximum(1.0, follows - DIRECT)
        pairs = zip(build.point, new, strict=True)
        new = [where(follows > DIRECT, old + share * (x - old), x) for old, x in pairs]
        build.point = select(stays, build.point, new)
        if acting.cones:
            self._cone_points(acting).follow(stays, d)
        build.follows = [follows + 1.0]
        build.stage("follow")

    def _measure(self, acting: Collected, *, again: bool) -> None:
        """If contacts have not converged for long, their points move a measured fraction of the way."""
        if acting.cones:
            assert self._switching is not None
            H, first = self._switching
            self._cone_points(first).measure(H, again=again)

    def _choose(self, acting: Collected, *, again: bool) -> None:
        """Which laws switch. If only curves have not converged, none does."""
        if again:
            self.build.again("choose")
            return
        build = self.build
        places = _along_polylines(acting, build.u, build.polyline)
        chosen = choose(
            acting.polylines, build.segment_tried, build.segment_found, places, build.way, Progress(*build.progress)
        )
        build.segment_tried, build.progress, build.way = chosen.segments, list(chosen.progress), chosen.way
        build.stage("choose")

    def _cone_points(self, acting: Collected) -> ConePoints:
        enough = self.switches is None or self.switches >= 2 * BOUNDED
        return ConePoints(self.build, acting, self.eps, BOUNDED if enough else 0.0)

    def _expected(self, acting: Collected, share: Scalar) -> list[Scalar]:
        """Expected impulses of laws, from those of the last phase or step."""
        places = zip(acting.read_places, self.build.impulse, strict=True)
        rows = {i: x for (kind, i), x in places if kind == "polyline"}
        return [share * rows[i] for i in range(len(acting.polylines))]


def _along_polylines(acting: Collected, u: Sequence[Scalar], impulses: Sequence[Scalar]) -> Column:
    """How far along its polyline each law is."""
    return Column(rate(term.J, u) for term in acting.polylines) - impulses


def needed_parts(H: FrontalMatrix, acting: Collected) -> FrontalMatrix:
    """Without the diagonal, where nothing asks for it: a later stage would have it computed."""
    rows = [term for term in acting.polylines if len(term.J) != 1]
    return H if acting.followed or acting.equalities or rows else replace(H, whole=())
