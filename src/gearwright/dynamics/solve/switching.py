"""The velocities at the end of a step, by switching pieces until every law is on its own.

    u = argmin ½·uᵀ·H·u − bᵀ·u + Σ φ(J·u)     with  J·u + bias + cfm·λ = 0  for the equalities

A law's impulse λ ∈ −∂φ is a polyline over its rate (`laws`), so that the solution is known as soon as each law's piece
is. One iteration solves for the pieces as they are and looks which laws have left theirs. All of these switch, as long
as their number falls; where it does not, only the first does, which ends for every positive definite H (Murty 1974;
Júdice and Pires 1994). Iterations after the last one repeat it to the bit: a loop may go on for another robot's sake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gearwright.dynamics.algorithms import Matrix, Row
from gearwright.dynamics.scalar import (
    Scalar,
    equal,
    greatest,
    is_zero,
    least,
    magnitude,
    minus,
    plus,
    times,
    where,
)
from gearwright.dynamics.solve.conditions import as_number, differs
from gearwright.dynamics.solve.laws import Line, Polyline, Seen
from gearwright.dynamics.solve.masked import Masked, Pivot, masked
from gearwright.dynamics.solve.rows import Equality, RowLine, RowSolution, size, solve_rows
from gearwright.dynamics.solver import Floors

PATIENCE = 3.0  # iterations in which the number of wrong pieces need not fall before laws switch one by one
ALL = 1e9  # more laws than there are
ROUNDING = 64.0  # a push is a sum over the branches: so many eps of the fastest coordinate's may be rounding
LARGEST = 1e4  # and so much more at most
GROWTH = 1.1  # of that, in each single switch: what is ill-conditioned ends where its rounding does


class Acting(NamedTuple):
    """A law and its direction over the coordinates."""

    law: Polyline
    direction: Row


class Progress(NamedTuple):
    """What an iteration tells the next one; a step begins with `STARTED`."""

    least: Scalar  # number of laws that were off their pieces, at best
    stalled: Scalar  # iterations since that fell
    tolerance: Scalar  # of pushes, as a share of the fastest coordinate's


STARTED = Progress(ALL, 0.0, 1.0)


class Iteration(NamedTuple):
    """Velocities and impulses with the pieces as they were, and the pieces to go on with."""

    u: list[Scalar]
    impulses: list[Scalar]  # one a law
    reactions: list[Scalar]  # one an equality
    pieces: list[Scalar]
    progress: Progress
    settled: Scalar  # 1, or 0


@dataclass(frozen=True)
class Problem:
    """A step's velocities. H is the lower triangle; `eps` is the rounding of the numbers that will be computed with."""

    H: Matrix
    b: list[Scalar]
    laws: Sequence[Acting]
    equalities: Sequence[Equality] = ()
    eps: float = 2.0**-52

    def iterate(self, pieces: Sequence[Scalar], progress: Progress = STARTED) -> Iteration:
        lines = [acting.law.line(piece) for acting, piece in zip(self.laws, pieces, strict=True)]
        roles = Roles.of(self.laws)
        factors = self._factors(lines, roles)
        x = factors.forward(self._pushed(lines, roles))
        rows: RowSolution | None = None
        if self.equalities or roles.rows:
            row_lines = [RowLine(self.laws[i].direction, lines[i], self.laws[i].law.holds) for i in roles.rows]
            rows = solve_rows(self.H, self.equalities, row_lines, factors, x, Floors.of(self.eps))
            x = [plus(a, rows.change.get(k, 0.0)) for k, a in enumerate(x)]
        u, w = factors.backward(x)
        found = _Solved(self, lines, roles, factors, rows, u, w)
        return found.switched(pieces, progress)

    def _factors(self, lines: Sequence[Line], roles: Roles) -> Masked:
        H = dict(self.H)
        for i in roles.diagonal:
            ((k, ratio),) = self.laws[i].direction.items()
            H[k, k] = plus(H[k, k], times(times(ratio, ratio), lines[i].slope))
        pivots = {}
        for k, i in roles.pivots.items():
            line = lines[i]
            held = 0.0 if line.vertical is False else line.rate
            constant = line.impulse
            if not is_zero(line.slope):
                constant = plus(constant, times(line.slope, line.rate))
                held = where(line.vertical, line.rate, 0.0)
            pivots[k] = Pivot(line.vertical, held, constant, line.slope)
        return masked(H, len(self.b), pivots)

    def _pushed(self, lines: Sequence[Line], roles: Roles) -> list[Scalar]:
        b = list(self.b)
        for i in roles.diagonal:
            ((k, ratio),) = self.laws[i].direction.items()
            b[k] = plus(b[k], times(ratio, plus(lines[i].impulse, times(lines[i].slope, lines[i].rate))))
        return b


@dataclass(frozen=True)
class Roles:
    """Where each law acts: on a pivot (at most one that holds a coordinate), on the diagonal, or as a row."""

    pivots: dict[int, int]  # coordinate: law
    diagonal: list[int]
    rows: list[int]

    @staticmethod
    def of(laws: Sequence[Acting]) -> Roles:
        alone = {i: next(iter(a.direction)) for i, a in enumerate(laws) if [*a.direction.values()] == [1.0]}
        pivots: dict[int, int] = {}
        for holds in (True, False):
            for i, k in alone.items():
                if laws[i].law.holds == holds:
                    pivots.setdefault(k, i)
        rest = [i for i in range(len(laws)) if i not in pivots.values()]
        diagonal = [i for i in rest if len(laws[i].direction) == 1 and not laws[i].law.holds]
        return Roles(pivots, diagonal, [i for i in rest if i not in diagonal])


@dataclass(frozen=True)
class _Solved:
    """The solution for given lines."""

    problem: Problem
    lines: Sequence[Line]
    roles: Roles
    factors: Masked
    rows: RowSolution | None
    u: list[Scalar]
    w: list[Scalar]

    def switched(self, pieces: Sequence[Scalar], progress: Progress) -> Iteration:
        laws, share = self.problem.laws, times(progress.tolerance, ROUNDING * self.problem.eps)
        speed: Scalar = 0.0
        for x in (*self.u, *(self.rows.unchanged if self.rows else ())):
            speed = greatest(speed, magnitude(x))
        most = where(progress.stalled >= PATIENCE, 1.0, ALL)
        seen, impulses = self._seen(times(share, speed))
        new, wrong = [], 0.0
        for i, (acting, piece) in enumerate(zip(laws, pieces, strict=True)):
            jumps = self.rows is None and i in self.roles.pivots.values()
            there = acting.law.next(piece, self.lines[i], seen[i], jumps=jumps)
            new.append(where(wrong < most, there, piece))
            wrong = plus(wrong, as_number(differs(there, piece)))
        reactions = self.rows.impulses[: len(self.problem.equalities)] if self.rows else []
        return Iteration(
            self.u, impulses, reactions, new, self._progress(progress, wrong), as_number(equal(wrong, 0.0))
        )

    @staticmethod
    def _progress(before: Progress, wrong: Scalar) -> Progress:
        alone = as_number(before.stalled >= PATIENCE)
        return Progress(
            least(before.least, wrong),
            where(wrong < before.least, 0.0, plus(before.stalled, 1.0)),
            least(times(before.tolerance, plus(1.0, times(GROWTH - 1.0, alone))), LARGEST),
        )

    def _seen(self, tolerance: Scalar) -> tuple[list[Seen], list[Scalar]]:
        """Of each law: what pushes its direction, and its impulse."""
        seen: dict[int, Seen] = {}
        impulses: dict[int, Scalar] = {}
        for k, i in self.roles.pivots.items():
            d, line = self.factors.inertias[k], self.lines[i]
            seen[i] = Seen(self.w[k], d, 1.0, times(d, tolerance))
            impulses[i] = where(line.flat, line.impulse, minus(times(d, self.u[k]), self.w[k]))
        for i in self.roles.diagonal:
            ((k, ratio),), line = self.problem.laws[i].direction.items(), self.lines[i]
            rate = times(ratio, self.u[k])
            seen[i] = Seen(rate, 1.0, 0.0, times(magnitude(ratio), tolerance))
            impulses[i] = minus(line.impulse, times(line.slope, minus(rate, line.rate)))
        for n, i in enumerate(self.roles.rows, start=len(self.problem.equalities)):
            assert self.rows is not None
            wide = times(size(self.problem.laws[i].direction), tolerance)
            seen[i] = Seen(self.rows.pushes[n], 1.0, self.rows.compliances[n], wide)
            impulses[i] = self.rows.impulses[n]
        order = range(len(self.problem.laws))
        return [seen[i] for i in order], [impulses[i] for i in order]
