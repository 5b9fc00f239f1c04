"""A tree's inertia with fronts: bodies at which the freedoms behind them are eliminated before the tree goes on.

Without a front it is the mass matrix, whose elimination costs a chain of n joints n³ (RBDA §6.5). A front at every body
is the articulated-body algorithm (RBDA §7.3), which costs n. Between them lies the multifrontal method (Duff and Reid
1983): what hangs behind a front comes to it as a rigid mass and one force per coordinate, and leaves it as an
articulated-body inertia. A front's parent is a front, or the ground.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.rotation import Transform
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.sparse import Matrix, Sparse, accumulate, add_congruent
from gearwright.dynamics.algebra.spatial import NO_FORCE, REST, Force, Mass, Motion, Symmetric, Vector

GROUND = -1  # the parent of a front that none carries
Change = Callable[[Scalar], Scalar]


@dataclass(frozen=True)
class Front:
    """A body, with all that hangs on it up to the next fronts."""

    parent: int  # the front that carries it, or GROUND
    X: Transform  # its frame in the parent's
    mass: Mass
    columns: dict[int, Force]  # of its coordinates: the force at its origin for a unit acceleration
    motions: tuple[tuple[Sparse, Motion], ...]  # its own freedoms: rows of G, and S

    def mapped(self, change: Change) -> Front:
        return Front(
            self.parent,
            self.X.mapped(change),
            Mass(change(self.mass.m), _vector(self.mass.h, change), Symmetric(*map(change, self.mass.S))),
            {u: Force(*(_vector(half, change) for half in F)) for u, F in self.columns.items()},
            tuple(
                ({u: change(g) for u, g in row.items()}, Motion(*(_vector(half, change) for half in s)))
                for row, s in self.motions
            ),
        )


def _vector(v: Vector, change: Change) -> Vector:
    return Vector(*map(change, v))


@dataclass(frozen=True)
class FrontalMatrix:
    """`entries`: the matrix, less what comes to its coordinates through fronts. `diagonal`: of the whole matrix."""

    entries: Matrix
    fronts: tuple[Front, ...] = ()
    homes: Mapping[int, int] = field(default_factory=dict)  # of a coordinate: the front behind which it is complete
    whole: tuple[Scalar, ...] = ()  # the diagonal; of a matrix without fronts it is among the entries

    @staticmethod
    def of(H: FrontalMatrix | Matrix) -> FrontalMatrix:
        return H if isinstance(H, FrontalMatrix) else FrontalMatrix(H)

    @property
    def pattern(self) -> tuple[object, ...]:
        """All but the numbers."""
        return sorted(self.entries), [(f.parent, *f.columns) for f in self.fronts], len(self.whole)

    def diagonal(self, n: int) -> Column:
        return Column(self.whole if self.fronts else (self.entries.get((i, i), 0.0) for i in range(n)))

    def mapped(self, change: Change) -> FrontalMatrix:
        """The same with other numbers."""
        return replace(
            self,
            entries={entry: change(self.entries[entry]) for entry in sorted(self.entries)},
            fronts=tuple(front.mapped(change) for front in self.fronts),
            whole=tuple(map(change, self.whole)),
        )

    def with_lines(self, lines: Sequence[tuple[Sparse, Scalar]]) -> FrontalMatrix:
        """With `slope·Jᵀ·J` added, for each (J, slope)."""
        entries, whole = dict(self.entries), list(self.whole)
        for J, slope in lines:
            right = {u: x * slope for u, x in J.items()}
            accumulate(entries, J, right, twice=False)
            if whole:
                for u, x in J.items():
                    whole[u] = whole[u] + x * right[u]
        return replace(self, entries=entries, whole=tuple(whole))

    def with_blocks(self, blocks: Sequence[tuple[Sequence[Sparse], Sequence[Sequence[Scalar]]]]) -> FrontalMatrix:
        """With `Jᵀ·G·J` added, for each (rows of J, symmetric G)."""
        entries, whole = dict(self.entries), list(self.whole)
        for rows, G in blocks:
            block: Matrix = {}
            add_congruent(block, rows, G)
            for (i, j), x in block.items():
                entries[i, j] = entries.get((i, j), 0.0) + x
                if whole and i == j:
                    whole[i] = whole[i] + x
        return replace(self, entries=entries, whole=tuple(whole))

    def filled_in_by(self, J: Sparse) -> bool:
        """Whether `Jᵀ·J` would couple coordinates that nothing couples, or whose fronts are on different branches."""

        def coupled(a: int, b: int) -> bool:
            ends = self.homes.get(a, GROUND), self.homes.get(b, GROUND)
            return (max(a, b), min(a, b)) in self.entries or (ends[0] != ends[1] and common(self.fronts, *ends) in ends)

        return not all(coupled(a, b) for a in J for b in J)

    def __matmul__(self, u: Sequence[Scalar]) -> Column:
        y = Column.zeros(len(u))
        for (i, j), value in self.entries.items():
            y[i] = y[i] + value * u[j]
            if i != j:
                y[j] = y[j] + value * u[i]
        carried = [REST for _ in self.fronts]
        moving = [REST for _ in self.fronts]
        for c, front in enumerate(self.fronts):
            if front.parent != GROUND:
                carried[c] = front.X.velocity(moving[front.parent])
            moving[c] = carried[c] + relative(front, u)
        P = [NO_FORCE for _ in self.fronts]  # what further fronts bring
        for c, front in reversed([*enumerate(self.fronts)]):
            add_along(y, front.motions, P[c])
            if front.parent != GROUND:
                momentum = front.mass.momentum(carried[c]) + P[c]
                for k, F in front.columns.items():
                    y[k] = y[k] + carried[c].dot(F)
                    momentum = momentum + F * u[k]
                P[front.parent] = P[front.parent] + front.X.force(momentum)
        return y


def relative(front: Front, u: Sequence[Scalar]) -> Motion:
    """S·G·u: how a front moves against its parent."""
    V = REST
    for row, s in front.motions:
        for k, g in row.items():
            V = V + s * (g * u[k])
    return V


def add_along(x: list[Scalar], motions: Sequence[tuple[Sparse, Motion]], F: Force, share: float = 1.0) -> None:
    """Adds a share of what a force does along the motions."""
    if F.zero:
        return
    for row, s in motions:
        along = share * s.dot(F)
        for k, g in row.items():
            x[k] = x[k] + g * along


def common(fronts: Sequence[Front], a: int, b: int) -> int:
    """The front nearest to both that carries both; fronts come after their parents."""
    while a != b:
        if a > b:
            a = fronts[a].parent
        else:
            b = fronts[b].parent
    return a
