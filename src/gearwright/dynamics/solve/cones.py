"""Contacts: impulses in a cone, λ = −∂φ(rates), along a normal and any number of directions of friction.

    λₙ ≥ 0,    |λₜ| ≤ λₙ        each direction of friction is multiplied by its coefficient, so that the cone is round

With the rates c along the directions, the normal rate v̂ at which the contact lets go, offsets a and compliances R,

    y = ((v̂ − s − cₙ)/Rₙ, −(cₜ + a)/Rₜ)        what springs would do
    λ = P(y)                                      the nearest point of the cone, in the metric of R

which is the gradient of a convex potential (Castro, Permenter and Han, "An unconstrained convex formulation of
compliant contact", 2022). P has three regions, r = |yₜ| and ρ = Rₜ/Rₙ:

    sticks   r ≤ yₙ           λ = y
    off      yₙ ≤ −ρ·r        λ = 0
    slides   else             λₙ = (yₙ + ρ·r)/(1 + ρ),   λₜ = λₙ·yₜ/r

A sliding body would be lifted in proportion to its speed: the price of having a potential. The shift s corrects this
(de Saxcé and Feng 1998): s = |cₜ + a| − Rₜ·λₙ makes λₙ = (v̂ − cₙ)/Rₙ, Coulomb's law. It is constant while velocities
are solved for, and follows the solution from one iteration to the next.

A shift has to be found to within a fraction of Rₙ·λₙ, which is hard: if several corners of a body slide, the shifts
decide which of them carry the load. So the first iterations use Coulomb's law itself (the shift is `COULOMB`),

    λₙ = (v̂ − cₙ)/Rₙ,    λₜ = λₙ·yₜ/r where it slides

with the normal impulse of the point as the friction bound. That has no potential, and may not converge if friction
strongly affects the normal impulses.

A phase replaces a cone by its tangent at a point, the affine law `λ = k − G·c` with G symmetric and positive
semidefinite, which enters the matrix as Jᵀ·G·J. The next point is where the solution would meet the cone itself if the
mechanism were a mass D along each direction, `D·c − λ = D·c₁ − λ₁`: the same projection with R + 1/D in place of R.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import (
    TINY,
    Condition,
    Scalar,
    maximum,
    maximum_of,
    sqrt,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Matrix, Sparse, add_congruent, combined

Block = list[list[Scalar]]  # symmetric, by rows
COULOMB = -1.0  # in place of a shift


class Projection(NamedTuple):
    """The nearest point of the cone, and what the gradient there is made of."""

    impulse: Column
    direction: list[Scalar]  # yₜ/r
    sticks: Condition
    off: Condition
    share: Scalar  # of yₜ in λₜ

    @staticmethod
    def of(normal: Scalar, friction: Sequence[Scalar], rho: Scalar) -> Projection:
        if not friction:
            return Projection(Column([maximum(normal, 0.0)]), [], normal > 0.0, normal <= 0.0, 1.0)
        r = sqrt(total(TINY, *(y * y for y in friction)))
        sticks, off = r <= normal, normal + rho * r <= 0.0
        along = where(sticks, normal, where(off, 0.0, (normal + rho * r) / (1.0 + rho)))
        inverse = 1.0 / r
        share = where(sticks, 1.0, along * inverse)
        return Projection(
            Column([along, *(share * y for y in friction)]), [y * inverse for y in friction], sticks, off, share
        )


class Touching(NamedTuple):
    """The affine law `λ = constant − gradient·c`."""

    constant: Column
    gradient: Block

    def impulse(self, rates: Sequence[Scalar]) -> Column:
        return self.constant - _times(self.gradient, rates)


@dataclass(frozen=True)
class SharedTwist:
    """How one body moves against another, about x, y, z and along them: what the points between the two share."""

    bodies: tuple[int, int]
    rows: tuple[Sparse, ...]

    def reduced(self, G: list[Sparse]) -> SharedTwist:
        return replace(self, rows=tuple(combined(J, G) for J in self.rows))

    def mapped(self, change: Callable[[Scalar], Scalar]) -> SharedTwist:
        return replace(self, rows=tuple({n: change(x) for n, x in J.items()} for J in self.rows))

    def rates(self, u: Sequence[Scalar]) -> Column:
        return Column(total(*(x * u[n] for n, x in J.items())) for J in self.rows)

    def response(self, diagonal: Sequence[Scalar]) -> Matrix:
        """J·D⁻¹·Jᵀ of a diagonal D."""
        found: Matrix = {}
        given = [{n: x / diagonal[n] for n, x in J.items()} for J in self.rows]
        for i, J in enumerate(self.rows):
            for j, K in enumerate(given[: i + 1]):
                found[i, j] = total(*(x * K[n] for n, x in J.items() if n in K))
        return found


@dataclass(frozen=True)
class Cone:
    """`rows`: the normal, then the directions of friction, over the velocities, or the six of a twist.

    `expected`: the normal impulse, about.
    """

    rows: tuple[Sparse, ...]
    target: Scalar  # v̂
    offset: tuple[Scalar, ...]  # a, one a direction of friction
    normal_compliance: Scalar  # Rₙ
    friction_compliance: Scalar  # Rₜ
    expected: Scalar = 0.0
    twist: SharedTwist | None = None

    def reduced(self, G: list[Sparse]) -> Cone:
        if self.twist is not None:
            return replace(self, twist=self.twist.reduced(G))
        return replace(self, rows=tuple(combined(J, G) for J in self.rows))

    def place(self, M: FrontalMatrix) -> tuple[str, Cone]:
        return "cone", self

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Cone:
        return Cone(
            tuple({n: change(x) for n, x in J.items()} for J in self.rows),
            change(self.target),
            tuple(change(a) for a in self.offset),
            change(self.normal_compliance),
            change(self.friction_compliance),
            change(self.expected),
            self.twist and self.twist.mapped(change),
        )

    @property
    def size(self) -> int:
        """Number of its impulses."""
        return len(self.rows)

    def rates(self, u: Sequence[Scalar]) -> Column:
        along = u if self.twist is None else self.twist.rates(u)
        return Column(total(*(x * along[n] for n, x in J.items())) for J in self.rows)

    @property
    def over_velocities(self) -> list[Sparse]:
        """Its rows."""
        return [*self.rows] if self.twist is None else [combined(J, [*self.twist.rows]) for J in self.rows]

    # --- the law ---------------------------------------------------------------------------------------------------

    def at(self, rates: Sequence[Scalar], shift: Scalar) -> Projection:
        """The law itself."""
        normal = (self.target - maximum(shift, 0.0) - rates[0]) / self.normal_compliance
        stiffness = 1.0 / self.friction_compliance if len(rates) > 1 else 0.0
        friction = [-(stiffness * (c + a)) for c, a in zip(rates[1:], self.offset, strict=True)]
        return Projection.of(
            normal, friction, where(shift < 0.0, 0.0, self.friction_compliance) / self.normal_compliance
        )

    def touching(self, point: Sequence[Scalar], shift: Scalar) -> Touching:
        """The affine law that touches it at a point."""
        found = self.at(point, shift)
        G = self._gradient(found, shift < 0.0)
        return Touching(found.impulse + _times(G, point), G)

    def _gradient(self, found: Projection, bounded: Condition) -> Block:
        """G: 1/R where it sticks; where it slides, along (1, t) and across it; 0 where it is off.

        If friction is `bounded` by a given normal impulse, only the normal one depends on the rates.
        """
        if not found.direction:
            return [[where(found.off, 0.0, 1.0 / self.normal_compliance)]]
        t, stiffness = found.direction, 1.0 / self.friction_compliance
        together = where(bounded, 0.0, 1.0 / (self.normal_compliance + self.friction_compliance))
        both = where(found.sticks | found.off, 0.0, together)
        alone = where(found.sticks | bounded, 1.0 / self.normal_compliance, together)
        normal = where(found.off, 0.0, alone)
        across = found.share * stiffness
        along = where(found.sticks, 0.0, both - across)
        rows: Block = [[normal, *(both * x for x in t)]]
        for i, x in enumerate(t):
            rows.append([both * x, *((along * x) * y + (across if i == j else 0.0) for j, y in enumerate(t))])
        return rows

    # --- on the way to the solution --------------------------------------------------------------------------------

    def first_point(self, guess: Sequence[Scalar]) -> Column:
        """The rates of a guess, but along the normal where the law has the impulse that is expected."""
        rates = self.rates(guess)
        rates[0] = where(self.expected > 0.0, self.target - self.normal_compliance * self.expected, rates[0])
        return rates

    def next_shift(self, rates: Sequence[Scalar], normal_impulse: Scalar) -> Scalar:
        """The speed with which it slides; of friction's springs as they stretch, nothing."""
        if self.size == 1:
            return 0.0
        slip = sqrt(total(TINY, *((c + a) * (c + a) for c, a in zip(rates[1:], self.offset, strict=True))))
        return maximum(slip - self.friction_compliance * maximum(normal_impulse, 0.0), 0.0)

    def next_point(
        self, rates: Sequence[Scalar], impulse: Sequence[Scalar], shift: Scalar, inertia: tuple[Scalar, Scalar]
    ) -> Column:
        """Where a mass along each direction would meet the law; `inertia`: along the normal, and across it."""
        give = [1.0 / d for d in (inertia[0], *[inertia[1]] * (self.size - 1))]
        free = [c - g * x for c, g, x in zip(rates, give, impulse, strict=True)]
        soft = replace(
            self,
            normal_compliance=self.normal_compliance + give[0],
            friction_compliance=self.friction_compliance + (give[1] if self.size > 1 else 0.0),
        )
        found = soft.at(free, shift).impulse
        return Column(c + g * x for c, g, x in zip(free, give, found, strict=True))

    def inertia(self, diagonal: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """By the matrix's diagonal: along the normal, and along the mean direction of friction."""
        give = [response(J, diagonal, self.twist) for J in self.rows]
        across = total(*give[1:]) / max(1, self.size - 1)
        return tuple(1.0 / maximum(g, TINY) for g in (give[0], across))  # type: ignore[return-value]

    def is_clear(self, rates: Sequence[Scalar], *shifts: Scalar) -> Condition:
        """Whether nothing touches, whichever of the shifts holds."""
        clear: Condition = True
        for shift in shifts:
            clear = clear & self.at(rates, shift).off
        return clear

    def rounding(
        self, u: Sequence[Scalar], impulse: Sequence[Scalar], shift: Scalar, share: float, eps: float
    ) -> Column:
        """How far impulses may be off: a fraction of the normal one, or the rounding error of a rate.

        Where it slides, the normal impulse is what is left of the slip and the shift.
        """
        parts: Sequence[Scalar] = [abs(x) for x in u]
        if self.twist is not None:
            parts = [total(*(abs(x) * parts[n] for n, x in J.items())) for J in self.twist.rows]
        size = [total(*(abs(x) * parts[n] for n, x in J.items())) for J in self.rows]
        if self.size > 1:
            size[0] = size[0] + where(shift > 0.0, maximum_of(size[1:]), 0.0)
        compliances = [self.normal_compliance, *[self.friction_compliance] * (self.size - 1)]
        most = share * abs(impulse[0])
        return Column(most + (eps / R) * s for R, s in zip(compliances, size, strict=True))

    def is_met(
        self, rates: Sequence[Scalar], impulse: Sequence[Scalar], shift: Scalar, rounding: Sequence[Scalar]
    ) -> Condition:
        """Whether a solution is on the law."""
        met: Condition = True
        for x, y, admitted in zip(self.at(rates, shift).impulse, impulse, rounding, strict=True):
            met = met & (abs(x - y) <= admitted)
        return met


def response(J: Sparse, diagonal: Sequence[Scalar], twist: SharedTwist | None) -> Scalar:
    """J·D⁻¹·Jᵀ of a diagonal D."""
    if twist is None:
        return total(*(x * x / diagonal[n] for n, x in J.items()))
    W = twist.response(diagonal)
    return total(*((1.0 if i == j else 2.0) * (x * y * W[i, j]) for i, x in J.items() for j, y in J.items() if i >= j))


class Law(NamedTuple):
    """The affine law `constant − gradient·c` along rows."""

    rows: Sequence[Sparse]
    constant: Sequence[Scalar]
    gradient: Block


def gathered(cones: Sequence[Cone], planes: Sequence[Touching]) -> list[Law]:
    """What touches. All points with the same twist add up to one law along it."""
    laws: list[Law] = []
    shared: dict[tuple[int, int], list[tuple[Cone, Touching]]] = {}
    for cone, plane in zip(cones, planes, strict=True):
        if cone.twist is None:
            laws.append(Law(cone.rows, plane.constant, plane.gradient))
        else:
            shared.setdefault(cone.twist.bodies, []).append((cone, plane))
    return laws + [_along_twist(own) for own in shared.values()]


def _along_twist(own: Sequence[tuple[Cone, Touching]]) -> Law:
    twist = own[0][0].twist
    assert twist is not None
    n = len(twist.rows)
    constant, gradient = Column.zeros(n), dict[tuple[int, int], Scalar]()
    for cone, plane in own:
        add_congruent(gradient, cone.rows, plane.gradient)
        for J, k in zip(cone.rows, plane.constant, strict=True):
            for i, x in J.items():
                constant[i] = constant[i] + x * k
    return Law(twist.rows, constant, [[gradient.get((max(i, j), min(i, j)), 0.0) for j in range(n)] for i in range(n)])


class Shape(NamedTuple):
    """Where the cones' numbers are in one column."""

    sizes: tuple[int, ...]

    @staticmethod
    def of(cones: Sequence[Cone]) -> Shape:
        return Shape(tuple(cone.size for cone in cones))

    def split(self, values: Sequence[Scalar]) -> list[Column]:
        found, first = [], 0
        for n in self.sizes:
            found.append(Column(values[first : first + n]))
            first += n
        return found


def _times(G: Block, x: Sequence[Scalar]) -> Column:
    return Column(total(*(g * a for g, a in zip(row, x, strict=True))) for row in G)
