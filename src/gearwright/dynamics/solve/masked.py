"""Sparse LDLᵀ in which a coordinate may be held: its pivot is masked, `1/d = 0`, and its column drops out.

With the coordinates C held at X and `H·u = b + λ`, λ zero except on C, the elimination of RBDA §6.5 stays the same: a
held coordinate's column goes to the right-hand side instead of into the other columns, and the effort that holds it is
the residual of its own row. A solve therefore costs the same whatever is held.

If the tree has fronts (`tree.fronts`), the column of a coordinate that is eliminated at one is passed on as a single
force F at its origin, however many coordinates carry it. With a front at every body this is the articulated-body
algorithm, a held axis being a masked joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from gearwright.dynamics.algebra.articulated import ArticulatedInertia
from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.factorise import Factors, adjacency, found_first, next_pivot
from gearwright.dynamics.algebra.fronts import GROUND, Front, FrontalMatrix, add_along, common, relative
from gearwright.dynamics.algebra.scalar import (
    TINY,
    Condition,
    Scalar,
    is_zero,
    maximum,
    negated,
    times_reciprocal,
    where,
)
from gearwright.dynamics.algebra.sparse import Matrix, Sparse, accumulate
from gearwright.dynamics.algebra.spatial import NO_FORCE, REST, Force, Motion, Vector
from gearwright.dynamics.solve.conditions import as_number


class Pivot(NamedTuple):
    """What a law demands of its coordinate: `(d + slope)·u = w + constant`, or `u = value` if `held`.

    `give` is a slope that only matters if d is no larger: give²/(d + give).
    """

    held: Condition = False
    value: Scalar = 0.0  # 0 where it is not held
    constant: Scalar = 0.0
    slope: Scalar = 0.0
    give: Scalar = 0.0

    def slope_with(self, d: Scalar) -> Scalar:
        if is_zero(self.give):
            return self.slope
        return self.slope + self.give * self.give / (TINY + (d + self.give))

    @property
    def push(self) -> Scalar:
        """The constant where it is an impulse. It is then of the size of what it is added to."""
        return self.constant if is_zero(self.slope) else 0.0

    @property
    def beside(self) -> Scalar:
        """The constant of a slope. A steep line's is so large that nothing is left of what it is added to."""
        return 0.0 if is_zero(self.slope) else self.constant


FREE = Pivot()


@dataclass(frozen=True)
class Masked:
    """The factors; of each pivot, in the order of elimination: front by front, the ground last."""

    fronts: Sequence[Front]
    groups: dict[int, list[int]]  # by fronts, and GROUND
    columns: dict[int, Sparse]  # A, as it stands when the pivot's turn comes; first what is found first
    factors: dict[int, Sparse]  # the same times the pivot's reciprocal: L
    forces: dict[int, Force]  # the rest of the column, for all that carries the front
    inertias: dict[int, Scalar]  # the pivot without the law's slope: d
    reciprocals: dict[int, Scalar]
    pivots: Mapping[int, Pivot]

    def linear(self) -> Masked:
        """The same factors with nothing asked for: what is held has the value 0."""
        return replace(self, pivots={})

    def without_fronts(self) -> Factors:
        """The same factors where there are no fronts, with nothing asked for."""
        order = [k for group in self.groups.values() for k in group]
        return Factors(order, self.reciprocals, self.factors)

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Masked:
        """The same pattern with other numbers, nothing asked for."""

        def rows(each: dict[int, Sparse]) -> dict[int, Sparse]:
            return {k: {i: change(x) for i, x in row.items()} for k, row in each.items()}

        def vector(v: Vector) -> Vector:
            return Vector(*map(change, v))

        return Masked(
            [front.mapped(change) for front in self.fronts],
            self.groups,
            rows(self.columns),
            rows(self.factors),
            {k: Force(vector(F.moment), vector(F.linear)) for k, F in self.forces.items()},
            {k: change(x) for k, x in self.inertias.items()},
            {k: change(x) for k, x in self.reciprocals.items()},
            {},
        )

    def solve(self, b: Sequence[Scalar]) -> Column:
        """H⁻¹·b, what is held held."""
        return self.backward(self.forward(b))[0]

    def forward(self, b: Sequence[Scalar]) -> Column:
        """`L⁻¹·b`, with constants and what is held taken to the right-hand side."""
        x = Column(w + self.pivots.get(k, FREE).push for k, w in enumerate(b))
        forces = [NO_FORCE for _ in self.fronts]
        for c, group in self.groups.items():
            if c != GROUND:
                add_along(x, self.fronts[c].motions, forces[c], share=-1.0)
            for k in group:
                z = self.scaled(k, x[k])
                for i, a in self.columns[k].items():
                    x[i] = x[i] - a * z
                if k in self.forces:
                    forces[c] = forces[c] + self.forces[k] * z
            self._hand_on(c, forces)
        return x

    def _hand_on(self, c: int, forces: list[Force]) -> None:
        if c != GROUND and (parent := self.fronts[c].parent) != GROUND and not forces[c].zero:
            forces[parent] = forces[parent] + self.fronts[c].X.force(forces[c])

    def scaled(self, k: int, w: Scalar) -> Scalar:
        """The coordinate, where nothing but w pushes it; `push` of its pivot is part of w."""
        pivot = self.pivots.get(k, FREE)
        return times_reciprocal(w + pivot.beside, self.reciprocals[k]) + pivot.value

    def sparse_forward(self, J: Sparse) -> Sparse:
        """`L⁻¹·Jᵀ` in the space of what is not held: only where the branches of J's coordinates go."""
        y = dict(J)
        forces = [NO_FORCE for _ in self.fronts]
        for c, group in self.groups.items():
            if c != GROUND and not forces[c].zero:
                for row, s in self.fronts[c].motions:
                    along = s.dot(forces[c])
                    for u, g in row.items():
                        y[u] = y.get(u, 0.0) - g * along
            for k in group:
                if k not in y:
                    continue
                for i, factor in self.factors[k].items():
                    y[i] = y.get(i, 0.0) - factor * y[k]
                if k in self.forces:
                    forces[c] = forces[c] + self.forces[k] * times_reciprocal(y[k], self.reciprocals[k])
            self._hand_on(c, forces)
        return y

    def backward(self, x: Sequence[Scalar]) -> tuple[Column, Column]:
        """The coordinates u, and what pushes each: `w = d·u − λ`."""
        u, w = Column(x), Column(x)
        carrying = {front.parent for front in self.fronts}
        V = [REST for _ in self.fronts]
        for c, group in reversed(self.groups.items()):
            carried = self._carried(c, V)
            for k in reversed(group):
                if k in self.forces:
                    w[k] = w[k] - carried.dot(self.forces[k])
                for i, a in self.columns[k].items():
                    w[k] = w[k] - a * u[i]
                u[k] = self.scaled(k, w[k])
            if c in carrying and c != GROUND:
                V[c] = carried + relative(self.fronts[c], u)
        return u, Column(x - self.pivots.get(k, FREE).push for k, x in enumerate(w))

    def _carried(self, c: int, V: Sequence[Motion]) -> Motion:
        """How a front moves because its parent does."""
        if c == GROUND or self.fronts[c].parent == GROUND:
            return REST
        return self.fronts[c].X.velocity(V[self.fronts[c].parent])


def masked(
    H: FrontalMatrix | Matrix, n: int, pivots: Mapping[int, Pivot], floors: Sequence[Scalar] | None = None,
    after: Mapping[int, AbstractSet[int]] = MappingProxyType({}),
    ceilings: Mapping[int, Scalar] = MappingProxyType({}),
) -> Masked:  # fmt: skip
    """Factorises H. A pivot is no less than its floor, which is what rounding leaves of 0; one below 0 has a ceiling.

    `after`: by coordinate, those that have to be eliminated before it.
    """
    return _Elimination(FrontalMatrix.of(H), n, pivots, floors, after, ceilings).factors()


class _Elimination:
    """The factors in the making."""

    def __init__(
        self, H: FrontalMatrix, n: int, pivots: Mapping[int, Pivot], floors: Sequence[Scalar] | None,
        after: Mapping[int, AbstractSet[int]], ceilings: Mapping[int, Scalar],
    ) -> None:  # fmt: skip
        self.A, self.fronts, self.after = dict(H.entries), H.fronts, after
        self.floors, self.ceilings = floors, ceilings
        self.neighbours = adjacency(self.A, n)
        self.home = eliminated_at(H, n)
        self.found = Masked(H.fronts, {}, {}, {}, {}, {}, {}, pivots)

    def factors(self) -> Masked:
        behind: dict[int, list[tuple[ArticulatedInertia, dict[int, Force]]]] = {}
        for c, front in reversed([*enumerate(self.fronts)]):
            columns = {} if front.parent == GROUND else dict(front.columns)
            inertia = ArticulatedInertia.of(front.mass)
            for added, forces in behind.pop(c, ()):
                inertia = inertia + added
                self._absorb(front, added, forces, columns)
            inertia = self._eliminate(c, columns, inertia)
            if front.parent != GROUND:
                forces = {u: front.X.force(F) for u, F in columns.items()}
                behind.setdefault(front.parent, []).append((inertia.moved(front.X), forces))
        self._eliminate(GROUND, {}, None)
        order = [k for group in self.found.groups.values() for k in group]
        return replace(self.found, columns=found_first(self.found.columns, order))

    def _absorb(
        self, front: Front, added: ArticulatedInertia, forces: Mapping[int, Force], columns: dict[int, Force]
    ) -> None:
        """Adds what a further front contributes, in this one's frame, along its degrees of freedom."""
        new: Matrix = {}
        own = [(row, s, added.force(s)) for row, s in front.motions]
        for n, (row, s, _) in enumerate(own):
            for u, F in forces.items():
                accumulate(new, row, {u: s.dot(F)})
            for m, (other, _, F) in enumerate(own[: n + 1]):
                accumulate(new, row, {u: g * s.dot(F) for u, g in other.items()}, twice=m != n)
        for (i, j), value in new.items():
            self.A[i, j] = self.A.get((i, j), 0.0) + value
            if i != j:
                self.neighbours[i].add(j)
                self.neighbours[j].add(i)
        if front.parent != GROUND:
            for u, F in forces.items():
                columns[u] = columns.get(u, NO_FORCE) + F
            for row, _, F in own:
                for u, g in row.items():
                    columns[u] = columns.get(u, NO_FORCE) + F * g

    def _eliminate(self, c: int, columns: dict[int, Force], inertia: ArticulatedInertia | None) -> ArticulatedInertia:
        """The coordinates that are complete at a front; returns what is left of its inertia."""
        found, waiting = self.found, {k for k in self.neighbours if self.home[k] == c}
        found.groups[c] = []
        while waiting:
            k = next_pivot(self.neighbours, [k for k in waiting if not self._waits(k)])
            waiting.remove(k)
            factors = self._eliminate_pivot(k)
            found.groups[c].append(k)
            F = columns.pop(k, NO_FORCE)
            if not F.zero and inertia is not None:
                found.forces[k] = F
                inertia = inertia.without(F, found.reciprocals[k])
                for i, factor in factors.items():
                    columns[i] = columns.get(i, NO_FORCE) - F * factor
        return inertia  # type: ignore[return-value]

    def _waits(self, k: int) -> bool:
        return k in self.after and not self.after[k].isdisjoint(self.neighbours)

    def _eliminate_pivot(self, k: int) -> Sparse:
        A, found, neighbours = self.A, self.found, self.neighbours
        near = sorted(neighbours.pop(k))
        d = A[k, k] if self.floors is None else maximum(A[k, k], self.floors[k])
        if k in self.ceilings:  # of what is not a number, the rest of the matrix is not either
            d = where(d < self.ceilings[k], d, self.ceilings[k])
        r = _reciprocal(d, found.pivots.get(k, FREE), singular=self.floors is not None)
        column = {i: A[max(i, k), min(i, k)] for i in near}
        factors = {i: times_reciprocal(a, r) for i, a in column.items()}
        for i in near:
            neighbours[i] = (neighbours[i] | set(near)) - {i, k}
            for j in near:
                if i >= j:
                    A[i, j] = A.get((i, j), 0.0) - factors[i] * column[j]
        found.columns[k], found.factors[k], found.inertias[k], found.reciprocals[k] = column, factors, d, r
        return factors


def eliminated_at(H: FrontalMatrix, n: int) -> dict[int, int]:
    """The front of each coordinate. Coordinates that share an entry across branches meet where the branches do."""
    home = {k: H.homes.get(k, GROUND) for k in range(n)}
    moved = bool(H.fronts)
    while moved:
        moved = False
        for i, j in H.entries:
            meeting = common(H.fronts, home[i], home[j])
            if meeting not in (home[i], home[j]):
                home[i], moved = meeting, True
    return home


def _reciprocal(d: Scalar, pivot: Pivot, singular: bool) -> Scalar:
    """1/(d + slope), or 0 where the coordinate is held; `singular`: d may be 0 there.

    The mask is the numerator: of a choice CasADi would make one out of every product with it.
    """
    whole = d + pivot.slope_with(d)
    if pivot.held is False:
        return 0.0 if is_zero(whole) else 1.0 / whole
    free = as_number(negated(pivot.held))
    return free / (whole + (1.0 - free) if singular else whole)
