"""Rows over several coordinates: the Schur complement `S = J·H⁻¹·Jᵀ` on the masked factors, with the laws in its terms.

If `g = J·u` are the rates without the rows, impulses λ lead to the rates `S·λ + g`. This is the same problem with rates
and impulses exchanged: a law's flat segment holds λ, its vertical segment prescribes a rate, and a slope s is a
compliance 1/s. The same masked elimination therefore solves it.

Rows may depend on each other, and a row whose coordinates are all held can move nothing. Hard rows therefore have a
small compliance E: if a row is blocked, its impulse grows until a coordinate is released. Rows that turn within a step
have a larger compliance (`Equality.give`). One step of refinement, `λ ← λ + (S + E)⁻¹·E·λ`, leaves E² of it in the
rates.

Couplings in a cycle may be nearly dependent: a direction in which S is hardly larger than E keeps a fraction of its
rate. Two further steps remove it from the velocities, after laws have chosen their segments: once a creeping coordinate
is at rest, the sign of its rate would be rounding, and its friction would switch for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import (
    Condition,
    Scalar,
    is_number,
    is_zero,
    maximum,
    maximum_number,
    minimum,
    times_reciprocal,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Matrix, Sparse
from gearwright.dynamics.solve.closing import LeastMove
from gearwright.dynamics.solve.directions import OneDirection
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.laws import SegmentLine
from gearwright.dynamics.solve.masked import Masked, Pivot, masked
from gearwright.dynamics.solve.sweeps import Response

FURTHER = 2  # steps of refinement of couplings in a ring
COMPLIANCE = 1e-9  # of hard rows, as a share of their heaviest coordinate's: above rounding, squared by refinement


@dataclass(frozen=True)
class Equality(OneDirection):
    """`J·u + bias + cfm·λ = 0`, always.

    In a group of rows, those that are nothing but rounding beside the largest have λ = 0 (`floors.Floors.noise`).
    `give` is a compliance for directions in which rows answer with no more than that (`masked.Pivot`); `disagreement`
    is one, too, as a share of the row's own answer, of rows that all follow from others but for a file's rounding.
    """

    J: Sparse
    bias: Scalar = 0.0
    cfm: Scalar = 0.0
    group: str | None = None
    give: Scalar = 0.0
    erp: Scalar = 0.0  # share of an error that the bias takes off in a step; 0: it asks for a motion
    disagreement: float = 0.0

    def place(self, M: FrontalMatrix) -> tuple[str, Equality]:
        return "equality", self

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Equality:
        J = {n: change(x) for n, x in self.J.items()}
        bias, cfm, give = change(self.bias), change(self.cfm), change(self.give)
        return replace(self, J=J, erp=change(self.erp), bias=bias, cfm=cfm, give=give)

    # --- one at a time, as sweeps take it --------------------------------------------------------------------------

    @property
    def drifting(self) -> bool:
        return not is_zero(self.erp)

    def project(self, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
        residual = rate + self.bias + self.cfm * impulse
        return impulse - times_reciprocal(residual, own.soft)

    def satisfied(self, impulse: Scalar, rate: Scalar, before: Scalar, tolerance: float) -> Condition:
        return abs(rate + self.bias + self.cfm * impulse) <= tolerance

    def warm_start(self, impulse: Scalar) -> Scalar:
        return impulse

    def undrifted(self) -> Equality:
        """Without what takes its error off."""
        return replace(self, bias=0.0) if self.drifting else self

    def moved_on(self, moved: Scalar, done: Scalar, n: int) -> Equality:
        """As it stands after `done` of n sweeps of dt/n each, in which it has moved by `moved` times that.

        An error that is to be taken off is looked at anew, in each sweep a share of it. A motion that is wanted is made
        on a straight way; what sweeps leave of it is spread over the step. Springs are implicit in the whole step.
        """
        if self.drifting:
            return replace(self, bias=float(n) * self.bias + self.erp * moved)
        if is_zero(self.cfm) and not is_zero(self.bias):
            return replace(self, bias=self.bias + 1.0 / n * (done * self.bias + moved))
        return self


class RowLine(NamedTuple):
    """A law's line along a direction over several coordinates; `holds`: whether it may be vertical."""

    J: Sparse
    line: SegmentLine
    holds: bool


class RowSolution(NamedTuple):
    """Impulses of the rows, what pushes them and how they answer, equalities first; and the change of `L⁻¹·b`."""

    impulses: list[Scalar]
    pushes: list[Scalar]  # rate − compliance·impulse
    compliances: list[Scalar]  # the pivots of S
    change: Sparse
    unchanged: list[Scalar]  # velocities that the rows took away, to a factor of the branches' number
    further: tuple[list[Scalar], Sparse] | None = None  # impulses beside these, and their change, for the result alone
    system: RowSystem | None = None


class RowSystem(NamedTuple):
    """`S + E` factorised, equalities first."""

    y: list[Sparse]  # L⁻¹·Jᵀ, by rows
    dual: Masked
    E: list[Scalar]

    def least_move(self, factors: Masked) -> LeastMove:
        """The same for other right-hand sides, with nothing else asked for."""
        return LeastMove(factors.without_fronts(), self.y, self.dual.without_fronts(), self.E)


def closing_factors(H: FrontalMatrix, n: int, equalities: Sequence[Equality], eps: float) -> LeastMove:
    """Of rows of loops where no law switches: they serve every solution with this H."""
    factors = masked(H, n, {})
    return _system(H.diagonal(n), equalities, (), factors, Floors.of(eps)).least_move(factors)


def solve_rows(
    d: Sequence[Scalar], equalities: Sequence[Equality], laws: Sequence[RowLine], factors: Masked, x: Sequence[Scalar],
    floors: Floors, *, ring: bool = False,
) -> RowSolution:  # fmt: skip
    """x is `L⁻¹·b`, d the diagonal of H; `ring`: equalities may nearly depend on each other."""
    system = _system(d, equalities, laws, factors, floors)
    y, dual, E = system
    before = {k: factors.scaled(k, x[k]) for k in sorted({k for row in y for k in row})}
    g = [total(*(a * before[k] for k, a in row.items())) for row in y]
    impulses, pushes = dual.backward(dual.forward([-rate for rate in g]))
    more, pushes = _refinement(dual, E, impulses, pushes)
    impulses = impulses + more
    further = None
    if ring:
        beside = Column.zeros(len(y))
        for _ in range(FURTHER):
            more, _ = _refinement(dual, E, more, more)
            beside = beside + more
        further = beside, _change(y, beside)
    compliances = [dual.inertias[i] for i in range(len(y))]
    return RowSolution(impulses, -pushes, compliances, _change(y, impulses), [*before.values()], further, system)


def _system(
    d: Sequence[Scalar], equalities: Sequence[Equality], laws: Sequence[RowLine], factors: Masked, floors: Floors
) -> RowSystem:
    directions = [*(e.J for e in equalities), *(law.J for law in laws)]
    inverse = {k: 1.0 / d[k] for k in sorted({k for J in directions for k in J})}
    answers = [_answers(J, inverse) for J in directions]
    own = [total(*each) for each in answers]
    hard = [*(is_zero(e.cfm) for e in equalities), *(law.holds for law in laws)]
    E = [_compliance(each) if h and each else 0.0 for each, h in zip(answers, hard, strict=True)]
    y = [factors.sparse_forward(J) for J in directions]
    S = _schur(y, factors)
    pivots = {}
    for i, e in enumerate(equalities):
        silent = _noise(equalities, own, i, floors)
        silent = silent | (moves_nothing(e.J) and own[i] <= 0.0)
        give = e.give + e.disagreement * own[i]
        pivots[i] = Pivot(silent, constant=-e.bias, slope=e.cfm + E[i], give=give)
    for i, law in enumerate(laws, start=len(equalities)):
        pivots[i] = _law_pivot(law.line, E[i]) if law.J else Pivot(held=True)  # nothing moves along it
    dual = masked(S, len(y), pivots, [floors.dependent * S[i, i] for i in range(len(y))])
    E = [e if is_zero(e) else dual.pivots[i].slope_with(dual.inertias[i]) for i, e in enumerate(E)]
    return RowSystem(y, dual, E)


def _change(y: Sequence[Sparse], impulses: Sequence[Scalar]) -> Sparse:
    change: Sparse = {}
    for row, impulse in zip(y, impulses, strict=True):
        for k, a in row.items():
            change[k] = change.get(k, 0.0) + a * impulse
    return change


def compliances(
    equalities: Sequence[Equality], d: Sequence[Scalar], without: Sequence[Collection[int]]
) -> list[Scalar]:
    """E of each, by its coordinates but those; none where it has one of its own."""
    rows = [{k: x for k, x in e.J.items() if k not in out} or e.J for e, out in zip(equalities, without, strict=True)]
    return [_compliance_along(J, d) if is_zero(e.cfm) else 0.0 for e, J in zip(equalities, rows, strict=True)]


def _compliance_along(J: Sparse, d: Sequence[Scalar]) -> Scalar:
    """One quotient where all factors are numbers: no pose leaves a coordinate out of the row."""
    if not all(is_number(a) and a * a > 0.0 for a in J.values()):
        return _compliance(_answers(J, {k: 1.0 / d[k] for k in J}))
    return COMPLIANCE / maximum_number([1.0 / (a * a) * d[k] for k, a in J.items()])


def moves_nothing(J: Sparse) -> bool:
    """Whether there may be a pose in which it does not move along J: no factor is a number other than 0."""
    return not any(is_number(x) and x != 0.0 for x in J.values())


def _answers(J: Sparse, inverse: Sparse) -> list[Scalar]:
    return [times_reciprocal(a * a, inverse[k]) for k, a in J.items()]


def _compliance(answers: Sequence[Scalar]) -> Scalar:
    """Compliance of its heaviest coordinate; not nothing where a pose leaves a coordinate out of the row."""
    return COMPLIANCE * maximum(reduce(minimum, answers), COMPLIANCE * total(*answers))


def _schur(y: Sequence[Sparse], factors: Masked) -> Matrix:
    """`S = yᵀ·D⁻¹·y`, where rows share coordinates."""
    S: Matrix = {}
    for i, row in enumerate(y):
        left = {k: a * factors.reciprocals[k] for k, a in row.items()}
        for j in range(i + 1):
            if shared := left.keys() & y[j].keys():
                S[i, j] = total(*(left[k] * y[j][k] for k in sorted(shared)))
        S.setdefault((i, i), 0.0)  # a row that moves nothing
    return S


def _refinement(dual: Masked, E: Sequence[Scalar], impulses: Sequence[Scalar], pushes: Column) -> tuple[Column, Column]:
    """Impulses that remove the part of the rates that the compliance E has left, and the resulting pushes."""
    if all(map(is_zero, E)):
        return Column.zeros(len(impulses)), pushes
    left = [
        0.0 if is_zero(e) else where(dual.pivots[i].held, 0.0, e * impulse)
        for i, (e, impulse) in enumerate(zip(E, impulses, strict=True))
    ]
    linear = dual.linear()
    more, further = linear.backward(linear.forward(left))
    return more, pushes + (further - left)


def _law_pivot(line: SegmentLine, compliance: Scalar) -> Pivot:
    """Vertical: the rate is asked for. Flat: λ is held. Sloped: `(S + 1/s)·λ = rate + impulse/s − g`."""
    constant = line.rate
    value = 0.0 if line.flat is False else where(line.flat, line.impulse, 0.0)
    if not is_zero(line.slope):
        straight = line.flat | line.vertical
        soft = where(straight, 0.0, 1.0 / where(straight, 1.0, line.slope))
        compliance, constant = compliance + soft, constant + soft * line.impulse
    return Pivot(line.flat, value, constant, compliance)


def _noise(rows: Sequence[Equality], own: Sequence[Scalar], k: int, floors: Floors) -> Condition:
    """Whether a row is nothing but rounding."""
    others = [i for i, row in enumerate(rows) if row.group == rows[k].group and i != k]
    if rows[k].group is None or not others:
        return False
    largest: Scalar = own[k]
    for i in others:
        largest = maximum(largest, own[i])
    return own[k] <= (floors.noise * largest)


def size(J: Sparse) -> Scalar:
    """Σ|J|: how much faster than the fastest coordinate the row may be."""
    return total(*(abs(a) for a in J.values()))
