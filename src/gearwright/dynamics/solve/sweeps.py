"""Projected Gauss–Seidel: impulses of all terms, one after another, each based on the results of those before it.

With `u* = H⁻¹·b` the velocities without them, `Y = H⁻¹·Jᵀ` and `A = J·Y`:

    u⁺ = u* + Y·λ        each λ on its term's law over the rate J·u⁺

PGS and TGS sweep over all of them (the PhysX document, equations 16 and 18); a sweep of TGS takes dt/n, after which
positions, and so the errors, have moved on. A term brings its own projection, test and first guess (`SweptTerm`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.scalar import (
    Condition,
    Scalar,
    is_number,
    is_zero,
    maximum,
    reciprocal_above,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Matrix, Sparse


class Response(NamedTuple):
    """How the rate along a direction answers to an impulse, the other terms given."""

    whole: Scalar  # A_ii
    reciprocal: Scalar  # 1/A_ii, or 0 where nothing moves
    soft: Scalar  # 1/(A_ii + cfm)


class SweptTerm(Protocol):
    """A term as sweeps take it: `Polyline`, `Equality`, `CurveRemainder`."""

    @property
    def J(self) -> Sparse: ...
    @property
    def cfm(self) -> Scalar:
        """Its compliance, beside that of what it moves."""

    @property
    def drifting(self) -> bool:
        """Whether a part of its impulse only takes an error off."""

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Self:
        """The same with other numbers."""

    def project(self, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
        """The impulse that suits it, the others given."""

    def satisfied(self, impulse: Scalar, rate: Scalar, before: Scalar, tolerance: float) -> Condition:
        """Whether impulse and rate are on its law, and will be in the next step; `before` is the rate at the start."""

    def warm_start(self, impulse: Scalar) -> Scalar:
        """The first guess, from the last step's impulse."""

    def undrifted(self) -> Self:
        """Without what takes an error off."""

    def moved_on(self, moved: Scalar, done: Scalar, n: int) -> Self:
        """As it stands after `done` of n sweeps of dt/n each, in which it has moved by `moved` times that."""


def dense(J: Sparse, n: int) -> list[Scalar]:
    return [J.get(i, 0.0) for i in range(n)]


def dot(J: Sparse, x: Sequence[Scalar]) -> Scalar:
    return total(*(value * x[n] for n, value in J.items()))


def jacobian_transpose(rows: Sequence[SweptTerm], impulses: Sequence[Scalar], n: int) -> Column:
    """Jᵀ·λ."""
    push = Column.zeros(n)
    for row, impulse in zip(rows, impulses, strict=True):
        for i, x in row.J.items():
            push[i] = push[i] + x * impulse
    return push


@dataclass(frozen=True)
class TermResponses:
    """A = J·Y, and how each term's own rate answers to its impulse."""

    A: Matrix
    own: list[Response]

    @staticmethod
    def of(rows: Sequence[SweptTerm], H: Factors, n: int) -> TermResponses:
        A: Matrix = {}
        own = []
        for j, row in enumerate(rows):
            y = H.solve(dense(row.J, n))
            for i in range(j, len(rows)):
                value = dot(rows[i].J, y)
                if not is_zero(value):
                    A[i, j] = value
            whole = A.setdefault((j, j), 0.0)
            stiff = reciprocal_above(whole, 0.0)
            soft = stiff if is_zero(row.cfm) else reciprocal_above(whole + row.cfm, 0.0)
            own.append(Response(whole, stiff, soft))
        return TermResponses(A, own)

    def mapped(self, change: Callable[[Scalar], Scalar]) -> TermResponses:
        A = {entry: change(x) for entry, x in self.A.items()}
        return TermResponses(A, [Response(*map(change, own)) for own in self.own])

    def column(self, i: int) -> Sparse:
        return {b if a == i else a: x for (a, b), x in self.A.items() if i in (a, b)}


def sweep(
    rows: Sequence[SweptTerm], A: TermResponses, impulses: Sequence[Scalar], rates: Sequence[Scalar], going: Scalar,
    tolerance: float,
) -> tuple[Column, Column, Scalar]:  # fmt: skip
    """One pass over the terms. Also gives how much velocities have changed, as a share of the fastest where that is
    above 1: a rotor's speed is rounded to more than a joint's tolerance.

    `going` is 0 for a robot that has done: nothing of it changes.
    """
    after, rates = Column(impulses), Column(rates)
    change: Scalar = 0.0
    for i, row in enumerate(rows):
        step = row.project(after[i], rates[i], A.own[i], tolerance) - after[i]
        step = step if is_number(going) else where(going, step, 0.0)
        after[i] = after[i] + step
        for k, a in A.column(i).items():
            rates[k] = rates[k] + a * step
        change = change + abs((A.own[i].whole + row.cfm) * step)
    fastest: Scalar = 1.0
    for rate in rates:
        fastest = maximum(fastest, abs(rate))
    return after, rates, change / fastest
