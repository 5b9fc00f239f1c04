"""Responses `J·M⁻¹·Jᵀ` of many rows along the limbs of a tree, in one pass from its root outwards.

With one solution per row, a finger of m springs would cost m² operations. Entries of M⁻¹ are covariances: with `u =
M⁻¹·x` and x of covariance M, u has the covariance M⁻¹. Backward substitution is a linear recursion, along which
covariances go on from those of a front's motion, 21 numbers (Takahashi, Fagan and Chen 1973, for the multifrontal
factors).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

from gearwright.dynamics.algebra.articulated import ArticulatedInertia
from gearwright.dynamics.algebra.factorise import Factors, factorise
from gearwright.dynamics.algebra.fronts import GROUND, Front, common
from gearwright.dynamics.algebra.scalar import Scalar, times_reciprocal, total
from gearwright.dynamics.algebra.sparse import Matrix, Sparse
from gearwright.dynamics.algebra.spatial import REST, ZERO, Force, Motion, Symmetric, Vector, twice_symmetric
from gearwright.dynamics.solve.masked import Masked

TOGETHER = 4  # rows, from which on all at once take less than a solution each
NO_MOTION = ArticulatedInertia(Symmetric(), (ZERO, ZERO, ZERO), Symmetric())


def responses(factors: Factors | Masked, count: int) -> Callable[[Sparse], Scalar]:
    """By rows, about so many of them."""
    together = Responses(factors) if isinstance(factors, Masked) and count >= TOGETHER else None

    def response(J: Sparse) -> Scalar:
        if together is not None and together.along_a_limb(J):
            return together.of(J)
        return squared(factors, J)

    return response


def squared(factors: Factors | Masked, J: Sparse) -> Scalar:
    """`J·L⁻ᵀ·D⁻¹·L⁻¹·Jᵀ` by forward substitution alone: a sum of squares."""
    y = factors.sparse_forward(J)
    return total(*(a * times_reciprocal(a, factors.reciprocals[k]) for k, a in y.items()))


def better_last(M: Matrix, n: int, rows: Sequence[Sparse]) -> AbstractSet[int]:
    """The rows' coordinates, if eliminating them after all others takes fewer operations; otherwise none.

    Rows are then theirs already, but the others' columns are longer.
    """
    own = frozenset(k for row in rows for k in row)
    numbers: Matrix = {(i, j): 1.0 + n * (i == j) for i, j in M}
    counts = {last: _operations(factorise(numbers, n, last=last), rows) for last in (frozenset[int](), own)}
    return min(counts, key=counts.__getitem__)


def _operations(factors: Factors, rows: Sequence[Sparse]) -> float:
    """Operations of the factors and of the responses of rows."""
    near = {k: len(column) for k, column in factors.columns.items()}
    reached = [k for row in rows for k in factors.sparse_forward(dict.fromkeys(row, 1.0))]
    return sum(0.5 * m * (m + 1) + m for m in near.values()) + sum(near[k] + 2 for k in reached)


class Responses:
    """Responses of the mechanism whose mass matrix has these factors; nothing is held."""

    def __init__(self, factors: Masked) -> None:
        self.factors, self.fronts = factors, factors.fronts
        self.group = {k: c for c, group in factors.groups.items() for k in group}
        self.place = {k: n for n, k in enumerate(k for group in factors.groups.values() for k in group)}
        self._pairs: dict[tuple[int, int], Scalar] = {}
        self._motions: dict[tuple[int, int], Motion] = {}
        self._fronts: dict[int, ArticulatedInertia] = {GROUND: NO_MOTION}

    def along_a_limb(self, J: Sparse) -> bool:
        """Whether its coordinates carry each other: only such pairs are known."""
        ends = [(self.group[a], self.group[b]) for a, b in combinations(J, 2)]
        return all(common(self.fronts, a, b) in (a, b) for a, b in ends)

    def of(self, J: Sparse) -> Scalar:
        found: Scalar = 0.0
        for a, x in J.items():
            for b, y in J.items():
                if a <= b:
                    share = x * y if a == b else 2.0 * (x * y)
                    found = found + share * self.pair(a, b)
        return found

    def pair(self, a: int, b: int) -> Scalar:
        """Covariance of two coordinates: by the recursion of the one that is eliminated first."""
        a, b = sorted((a, b), key=self.place.__getitem__)
        if (a, b) not in self._pairs:
            found: Scalar = self.factors.reciprocals[a] if a == b else 0.0
            for i, factor in self.factors.factors[a].items():
                found = found - factor * self.pair(i, b)
            if a in self.factors.forces:
                front = self.fronts[self.group[a]]
                found = found - front.X.velocity(self.motion(front.parent, b)).dot(self._force(a))
            self._pairs[a, b] = found
        return self._pairs[a, b]

    def _force(self, k: int) -> Force:
        F, r = self.factors.forces[k], self.factors.reciprocals[k]
        return Force(*(Vector(*(times_reciprocal(x, r) for x in half)) for half in F))

    def motion(self, c: int, b: int) -> Motion:
        """Covariance of a front's motion with a coordinate of the same front, or of one on either side of it."""
        way = []
        while c != GROUND and (c, b) not in self._motions:
            way.append(c)
            if self._is_behind(b, c):
                break
            c = self.fronts[c].parent
        for c in reversed(way):
            self._motions[c, b] = self._behind(c, b) if self._is_behind(b, c) else self._ahead(c, b)
        return self._motions.get((way[0] if way else c, b), REST)

    def _is_behind(self, b: int, c: int) -> bool:
        g = self.group[b]
        return g != c and common(self.fronts, g, c) == c

    def _behind(self, c: int, b: int) -> Motion:
        """A coordinate that is eliminated behind the front: by its own recursion, on the way from its front."""
        g = self.group[b]
        found = REST
        for i, factor in self.factors.factors[b].items():
            found = found + self.motion(c, i) * (-factor)
        if b in self.factors.forces:
            found = found + _moved(self._front(c), self._force_at(c, g, b)) * -1.0
        return found

    def _force_at(self, c: int, g: int, b: int) -> Force:
        F = self._force(b)
        while g != c:
            F, g = self.fronts[g].X.force(F), self.fronts[g].parent
        return F

    def _ahead(self, c: int, b: int) -> Motion:
        front = self.fronts[c]
        found = front.X.velocity(self.motion(front.parent, b))
        for row, s in front.motions:
            for k, g in row.items():
                found = found + s * (g * self.pair(k, b))
        return found

    def _front(self, c: int) -> ArticulatedInertia:
        """Covariance of a front's motion."""
        way = []
        while c not in self._fronts:
            way.append(c)
            c = self.fronts[c].parent
        for c in reversed(way):
            self._fronts[c] = self._next(self.fronts[c])
        return self._fronts[c]

    def _next(self, front: Front) -> ArticulatedInertia:
        found = self._fronts[front.parent].moved(front.X.inverse)
        before: list[tuple[Sparse, Motion]] = []
        for row, s in front.motions:
            h = REST
            for k, g in row.items():
                own = front.X.velocity(self.motion(front.parent, k))
                for other, t in (*before, (row, s * 0.5)):
                    for i, x in other.items():
                        own = own + t * (x * self.pair(i, k))
                h = h + own * g
            found = _with_products(found, s, h)
            before.append((row, s))
        return found


def _moved(P: ArticulatedInertia, F: Force) -> Motion:
    """P·F; linear velocities are P's moments, angular ones its forces, so that it transforms as an inertia does."""
    V = P.force(Motion(F.linear, F.moment))
    return Motion(V.linear, V.moment)


def _with_products(P: ArticulatedInertia, s: Motion, h: Motion) -> ArticulatedInertia:
    """With `s·hᵀ + h·sᵀ`."""
    rows = zip(P.B, s.linear, h.linear, strict=True)
    x, y, z = (row + h.angular * a + s.angular * b for row, a, b in rows)
    A, C = twice_symmetric(s.linear, h.linear), twice_symmetric(s.angular, h.angular)
    return ArticulatedInertia(P.A + A, (x, y, z), P.C + C)
