"""Solvers that find impulses by sweeps, one term after another: PGS and TGS.

    predict                 what acts, u⁺ with last step's impulses, and whether they still suit: `swept`
    unless swept:
        respond             the Delassus matrix A
        sweep, up to n ×    until `swept`
        correct             u⁺ from the impulses

TGS makes all n sweeps, each of dt/n, and positions go on with the mean of their velocities.

Sweeps start from the last step's impulses. For hard couplings, these are kept without the part that corrected errors,
which is found separately: pushing against an error that is already gone would be a new error, which would build up in
long chains.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Condition, Scalar, expression, negated, where
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.curves import CurveRemainder
from gearwright.dynamics.solve.masked import Masked
from gearwright.dynamics.solve.sweeps import SweptTerm, TermResponses, jacobian_transpose, sweep
from gearwright.dynamics.solve.terms import Collected, Solved, rate
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.slots import Slots

ENOUGH = 0.01  # of the tolerance: sweeps go further than what is accepted, so that a robot at rest stays accepted


class Swept(NamedTuple):
    """The terms that are swept over, their initial values, and the matrix of their responses."""

    rows: list[SweptTerm]
    warm: Column
    u: Column  # with the warm impulses
    H: Factors

    @property
    def drifting(self) -> bool:
        return any(row.drifting for row in self.rows)

    def velocities(self, impulses: Sequence[Scalar]) -> Column:
        return self.u + self.H.solve(jacobian_transpose(self.rows, impulses - self.warm, len(self.u)))


class SweepSolver(ABC):
    """The base of PGS and TGS. `tolerance`: of velocities, at which sweeps end [rad/s, m/s]."""

    fronts = False

    def __init__(self, build: StepBuilder, model: Model, *, iterations: int, tolerance: float) -> None:
        self.build, self.model, self.iterations, self.tolerance = build, model, iterations, tolerance

    def started(self, acting: Collected, segments: Sequence[Scalar]) -> list[Scalar]:
        return []  # no segments are kept: a projection finds its own

    def solved(
        self, H: FrontalMatrix | Factors | Masked, b: Sequence[Scalar], acting: Collected,
        name: str, segments: Sequence[Scalar] | None, guess: Sequence[Scalar],
    ) -> Solved:  # fmt: skip
        assert isinstance(H, FrontalMatrix)
        if not (acting.switching or acting.equalities):
            return Solved(self.model.factorised(H.entries).solve(list(b)), [], [], [], [], True)
        kept = self._swept(self._warm_started(H, b, acting, guess))
        found = dict(zip(_order(acting), kept, strict=True))
        each = (("polyline", acting.polylines), ("equality", acting.equalities), ("curve", acting.curves))
        polylines, equalities, beside = ([found[kind, i] for i in range(len(own))] for kind, own in each)
        u = self.build.u
        lines = [(c, *c.line(rate(c.J, guess))) for c in acting.curves]
        curves = [a - s * rate(c.J, u) + x for (c, a, s), x in zip(lines, beside, strict=True)]
        return Solved(u, polylines, equalities, curves, [], True)

    def carried(self, acting: Collected) -> Collected:
        return acting

    def travel(self, found: Solved) -> list[Scalar]:
        return found.u

    def _warm_started(self, H: FrontalMatrix, b: Sequence[Scalar], acting: Collected, guess: Sequence[Scalar]) -> Swept:
        """Tangents of the curves are in the matrix; the remainder of the curves is swept over."""
        b, remainders = list(b), []
        for curve in acting.curves:
            constant, slope = curve.line(rate(curve.J, guess))
            for n, x in curve.J.items():
                b[n] = b[n] + x * constant
            remainders.append(CurveRemainder(curve, constant, slope))
        terms: dict[str, Sequence[SweptTerm]] = {
            "polyline": acting.polylines, "equality": acting.equalities, "curve": remainders,
        }  # fmt: skip
        rows = [terms[kind][i] for kind, i in _order(acting)]
        last = dict(zip(acting.read_places, self.build.impulse, strict=True))
        warm = Column(row.warm_start(last[place]) for row, place in zip(rows, _order(acting), strict=True))
        H = H.with_lines([(remainder.J, remainder.slope) for remainder in remainders])
        factors = self.model.factorised(H.entries)
        return Swept(rows, warm, factors.solve(b + jacobian_transpose(rows, warm, len(b))), factors)

    def _swept(self, start: Swept) -> list[Scalar]:
        """Writes the stages; gives the impulses to keep. The velocities are in `u` then."""
        build = self.build
        rates = [rate(row.J, start.u) for row in start.rows]
        build.u, build.swept_impulse, build.rate = start.u, start.warm, rates
        if start.drifting:
            build.kept, build.kept_rate = start.warm, rates
        self._prepare(start, rates)
        given = build.carry(Slots.system)
        later = Swept(
            [row.mapped(given) for row in start.rows], Column(map(given, start.warm)), Column(map(given, start.u)),
            start.H.mapped(given),
        )  # fmt: skip
        build.stage("predict")
        self._sweeps(later)
        return build.kept if start.drifting else build.swept_impulse

    @abstractmethod
    def _prepare(self, start: Swept, rates: Sequence[Scalar]) -> None:
        """Slots of its own, before the first sweep."""

    @abstractmethod
    def _sweeps(self, system: Swept) -> None:
        """The stages from the first sweep to the velocities."""

    def _responses(self, system: Swept) -> TermResponses:
        responses = self.build.carry(Slots.responses)
        A = TermResponses.of(system.rows, system.H, self.model.dof).mapped(responses)
        self.build.stage("respond")
        return A

    def _sweep(self, system: Swept, rows: Sequence[SweptTerm], A: TermResponses, going: Scalar) -> Scalar:
        """One sweep; how much has changed."""
        build = self.build
        build.swept_impulse, build.rate, change = sweep(rows, A, build.swept_impulse, build.rate, going, self.tolerance)
        if system.drifting:
            undrifted = [row.undrifted() for row in system.rows]
            build.kept, build.kept_rate, more = sweep(undrifted, A, build.kept, build.kept_rate, going, self.tolerance)
            change = change + more
        return change


def _order(acting: Collected) -> list[tuple[str, int]]:
    """Places of the terms that are swept over, as their groups come: couplings before what they carry along."""
    return [place for place in acting.places if place[0] != "line"]


class PgsSolver(SweepSolver):
    """Projected Gauss–Seidel: sweeps until nothing changes; none where the last step's impulses still suit."""

    def _prepare(self, start: Swept, rates: Sequence[Scalar]) -> None:
        before = self.build.velocity
        suits: Condition = True
        for row, impulse, own in zip(start.rows, start.warm, rates, strict=True):
            suits = suits & row.satisfied(impulse, own, rate(row.J, before), self.tolerance)
        self.build.swept = [where(suits, 1.0, 0.0)]

    def _sweeps(self, system: Swept) -> None:
        build = self.build
        with build.unless(Slots.swept):
            A = self._responses(system)
            with build.loop(self.iterations, until=Slots.swept):
                swept = expression(build.swept[0])
                change = self._sweep(system, system.rows, A, negated(swept))
                build.swept = [where(swept | (change <= ENOUGH * self.tolerance), 1.0, 0.0)]
                build.stage("sweep")
            build.u = system.velocities(build.swept_impulse)  # the same where none was needed: no impulse has changed
            build.stage("correct")


class TgsSolver(SweepSolver):
    """Temporal Gauss–Seidel: each sweep is a substep, after which positions and errors are updated."""

    mean: Sequence[Scalar] = ()  # velocity over the sweeps

    def _prepare(self, start: Swept, rates: Sequence[Scalar]) -> None:
        self.build.moved, self.build.mean, self.build.done = [0.0] * len(rates), [0.0] * len(rates), [0.0]

    def _sweeps(self, system: Swept) -> None:
        build, n = self.build, self.iterations
        A = self._responses(system)
        with build.loop(n):
            done, moved, mean = build.done[0], build.moved, build.mean
            rows = [row.moved_on(d, done, n) for row, d in zip(system.rows, moved, strict=True)]
            self._sweep(system, rows, A, 1.0)
            build.moved = moved + build.rate
            build.mean = mean + 1.0 / n * build.swept_impulse
            build.done = [done + 1.0]
            build.stage("sweep")
        build.u = system.velocities(build.swept_impulse)
        build.mean_u = system.velocities(build.mean)
        build.stage("correct")
        self.mean = build.mean_u

    def travel(self, found: Solved) -> list[Scalar]:
        return list(self.mean) or found.u


SOLVERS: dict[str, type[SweepSolver] | None] = {"direct": None, "pgs": PgsSolver, "tgs": TgsSolver}
TOLERANCE = {"double": 1e-10, "single": 1e-5}  # of velocities, at which sweeps end [rad/s, m/s]
EPS = {"double": 2.0**-52, "single": 2.0**-23}
STATE = (Slots.position, Slots.velocity, Slots.impulse, Slots.effort, Slots.target, Slots.parameter, Slots.dt)
DRIVEN = (*STATE, Slots.actuator, Slots.command)  # of a robot with actuators
