"""The velocities at the end of a step, found by switching segments until every force law is on its own.

    u = argmin ½·uᵀ·H·u − bᵀ·u + Σ φ(J·u)     with  J·u + bias + cfm·λ = 0  for the equalities

A law's impulse λ ∈ −∂φ is a polyline over its rate (`laws`), so the solution is known as soon as each law's segment is.
One iteration solves with the present segments and finds the laws that have left theirs; `choosing` decides which of
these switch. Iterations after convergence repeat the result to the bit, because the loop may continue for another
robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Scalar, equal, is_number, is_zero, maximum, maximum_number, total, where
from gearwright.dynamics.algebra.sparse import Matrix, Sparse
from gearwright.dynamics.solve.closing import LeastMove
from gearwright.dynamics.solve.conditions import as_number, differs
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.laws import LoadLine, SegmentLine
from gearwright.dynamics.solve.masked import Masked, Pivot, masked
from gearwright.dynamics.solve.rows import Equality, RowLine, RowSolution, size, solve_rows
from gearwright.dynamics.solve.terms import Polyline
from gearwright.dynamics.solve.tied import in_rings, solve_tied, tied

ROUNDING = 64.0  # a push is a sum over the branches: so many eps of the fastest coordinate's may be rounding


def started(polylines: Sequence[Polyline], segments: Sequence[Scalar]) -> list[Scalar]:
    """Segments at the start of a step, from those at the end of the last one (0 at first)."""
    return [polyline.law.started(segment) for polyline, segment in zip(polylines, segments, strict=True)]


class Iteration(NamedTuple):
    """Velocities and impulses with the present segments, and the segments that these belong to."""

    u: Column
    impulses: list[Scalar]  # one a law
    equalities: list[Scalar]  # impulses, too
    segments: list[Scalar]  # one a law
    settled: Scalar  # 1, or 0
    closing: LeastMove | None = None  # along the rows, with what is held held


@dataclass(frozen=True)
class Problem:
    """A step's velocities. `eps` is the rounding of the numbers that will be computed with.

    `speed`: of the fastest coordinate, about, if that is known beforehand; what rounding is a share of.
    """

    H: FrontalMatrix | Matrix
    b: list[Scalar]
    polylines: Sequence[Polyline]
    equalities: Sequence[Equality] = ()
    eps: float = 2.0**-52
    speed: Scalar | None = None

    def iterate(self, segments: Sequence[Scalar], tolerance: Scalar = 1.0) -> Iteration:
        """`tolerance`: how many times as much as usual may be rounding."""
        lines = [polyline.law.line(segment) for polyline, segment in zip(self.polylines, segments, strict=True)]
        roles = Roles.of(self.polylines)
        pivots, H, n = self._pivots(lines, roles), FrontalMatrix.of(self.H), len(self.b)
        ties = None if roles.rows else tied(H, n, self.equalities)
        if ties is not None:
            factors, u, w, rows = solve_tied(ties, H, pivots, self.b)
            return _Solved(self, lines, roles, factors, rows, Column(u), Column(w)).looked_at(segments, tolerance)
        factors = masked(H, n, pivots)
        x = factors.forward(self.b)
        beside: RowSolution | None = None
        if self.equalities or roles.rows:
            row_lines = [RowLine(self.polylines[i].J, lines[i], self.polylines[i].law.holds) for i in roles.rows]
            floors, ring = Floors.of(self.eps), in_rings(self.equalities) and not any(e.group for e in self.equalities)
            beside = solve_rows(H.diagonal(n), self.equalities, row_lines, factors, x, floors, ring=ring)
            x = Column(a + beside.change.get(k, 0.0) for k, a in enumerate(x))
        u, w = factors.backward(x)
        return _Solved(self, lines, roles, factors, beside, u, w).looked_at(segments, tolerance)

    def _pivots(self, lines: Sequence[SegmentLine], roles: Roles) -> dict[int, Pivot]:
        slopes, constants = self.beside(lines, roles)
        pivots = {k: Pivot(False, 0.0, constants[k], slopes[k]) for k in slopes}
        for k, i in roles.pivots.items():
            line, sloped = lines[i], not is_zero(lines[i].slope)
            held = 0.0 if line.vertical is False else line.rate
            held = where(line.vertical, held, 0.0) if sloped else held
            constant = line.impulse + line.slope * line.rate
            slope, more = slopes.get(k, 0.0), constants.get(k, 0.0)
            pivots[k] = Pivot(line.vertical, held, constant + more, line.slope + slope)
        return pivots

    def beside(self, lines: Sequence[SegmentLine], roles: Roles) -> tuple[Sparse, Sparse]:
        """Slopes and constants of laws that share a coordinate with another one, by coordinates."""
        slopes: Sparse = {}
        constants: Sparse = {}
        for i in roles.diagonal:
            ((k, ratio),), line = self.polylines[i].J.items(), lines[i]
            slopes[k] = slopes.get(k, 0.0) + ratio * ratio * line.slope
            constant = line.impulse + line.slope * line.rate
            constants[k] = constants.get(k, 0.0) + ratio * constant
        return slopes, constants


@dataclass(frozen=True)
class Roles:
    """Where each law acts: on a pivot (at most one that holds a coordinate), on the diagonal, or as a row."""

    pivots: dict[int, int]  # coordinate: law
    diagonal: list[int]
    rows: list[int]

    @staticmethod
    def of(polylines: Sequence[Polyline]) -> Roles:
        alone = {i: next(iter(a.J)) for i, a in enumerate(polylines) if _is_one_axis(a.J)}
        pivots: dict[int, int] = {}
        for holds in (True, False):
            for i, k in alone.items():
                if polylines[i].law.holds == holds:
                    pivots.setdefault(k, i)
        rest = [i for i in range(len(polylines)) if i not in pivots.values()]
        diagonal = [i for i in rest if len(polylines[i].J) == 1 and not polylines[i].law.holds]
        return Roles(pivots, diagonal, [i for i in rest if i not in diagonal])


def _is_one_axis(J: Sparse) -> bool:
    return len(J) == 1 and all(is_number(x) and x == 1.0 for x in J.values())


@dataclass(frozen=True)
class _Solved:
    """The solution for given lines."""

    problem: Problem
    lines: Sequence[SegmentLine]
    roles: Roles
    factors: Masked
    rows: RowSolution | None
    u: Column
    w: Column

    def looked_at(self, segments: Sequence[Scalar], tolerance: Scalar) -> Iteration:
        """With the segments that rates and impulses belong to."""
        loads = self.load_lines(tolerance * (ROUNDING * self.problem.eps))
        found = [self._next(i, segment, loads[i]) for i, segment in enumerate(segments)]
        wrong = total(*(as_number(differs(new, old)) for new, old in zip(found, segments, strict=True)))
        result = self._refined()
        impulses = [each.impulse for each in (loads if result is self else result.load_lines(0.0))]
        equalities = result.rows.impulses[: len(self.problem.equalities)] if result.rows else []
        return Iteration(result.u, impulses, equalities, found, as_number(equal(wrong, 0.0)), self._closing)

    @property
    def _closing(self) -> LeastMove | None:
        system = self.rows.system if self.rows else None
        return system.least_move(self.factors) if system else None

    def _refined(self) -> _Solved:
        """With the further impulses of rows; segments are chosen without them."""
        if self.rows is None or self.rows.further is None:
            return self
        impulses, change = self.rows.further
        u, w = self.factors.linear().backward([change.get(k, 0.0) for k in range(len(self.u))])
        rows = self.rows._replace(impulses=Column(self.rows.impulses) + impulses)
        return replace(self, rows=rows, u=self.u + u, w=self.w + w)

    def _next(self, i: int, segment: Scalar, load: LoadLine) -> Scalar:
        jumps = self.rows is None and i in self.roles.pivots.values()
        return self.problem.polylines[i].law.next(segment, self.lines[i], load, jumps=jumps)

    def _speed(self) -> Scalar:
        """Speed of the fastest coordinate."""
        if self.problem.speed is not None:
            return self.problem.speed
        return maximum_number([abs(x) for x in (*self.u, *(self.rows.unchanged if self.rows else ()))])

    def load_lines(self, share: Scalar) -> list[LoadLine]:
        """One a law. `share`: of a velocity, may be rounding."""
        found: dict[int, LoadLine] = {}
        rounding = 0.0 if is_zero(share) else share * self._speed()
        slopes, constants = self.problem.beside(self.lines, self.roles)
        for k, i in self.roles.pivots.items():
            line = self.lines[i]
            d, w = self.factors.inertias[k] + slopes.get(k, 0.0), self.w[k] + constants.get(k, 0.0)
            impulse = where(line.flat, line.impulse, d * self.u[k] - w)
            found[i] = LoadLine(w, d, 1.0, d * rounding, impulse)
        for i in self.roles.diagonal:
            ((k, ratio),) = self.problem.polylines[i].J.items()
            rate = ratio * self.u[k]
            impulse = self._beside_impulse(i, k, ratio, rate)
            without = abs(self.w[k]) / self.factors.inertias[k]  # at rest, the laws take this speed away
            found[i] = LoadLine(rate, 1.0, 0.0, abs(ratio) * maximum(rounding, share * without), impulse)
        for n, i in enumerate(self.roles.rows, start=len(self.problem.equalities)):
            assert self.rows is not None
            push, answer, impulse = self.rows.pushes[n], self.rows.compliances[n], self.rows.impulses[n]
            found[i] = LoadLine(push, 1.0, answer, size(self.problem.polylines[i].J) * rounding, impulse)
        return [found[i] for i in range(len(self.problem.polylines))]

    def _beside_impulse(self, law: int, k: int, ratio: Scalar, rate: Scalar) -> Scalar:
        """By the law's line; or, where it is the only one that slopes, by what the coordinate lacks.

        A steep line would make much of the rate's rounding.
        """
        line = self.lines[law]
        by_line = line.impulse - line.slope * (rate - line.rate)
        others = [i for i in self.roles.diagonal if k in self.problem.polylines[i].J and i != law]
        if others or is_zero(line.slope):
            return by_line
        lacking = self.factors.inertias[k] * self.u[k] - self.w[k]
        if k not in self.roles.pivots:
            return lacking / ratio
        main = self.lines[self.roles.pivots[k]]
        return where(main.flat, (lacking - main.impulse) / ratio, by_line)
