"""Terms that act in one phase of a step, by how their impulse depends on the rate along their direction J.

    Line        λ = constant − slope·rate               dampers, springs, unlimited drives, motors on a line
    Polyline    λ on a segment of a force law           stops, friction, limited drives, backlash
    Equality    rate + bias + cfm·λ = 0                 loop closures, hard couplings, prescribed motion
    Curve       λ = f(rate), any that does not rise     motors on their curve, users' own
    Cone        |λₜ| ≤ λₙ, along several directions     contacts

Directions are over the tree's velocities. `collected` takes them to the independent ones, where straight lines go into
the matrix as far as they fill nothing in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeAlias

from gearwright.dynamics.algebra.column import Column
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Condition, Scalar, total
from gearwright.dynamics.algebra.sparse import Sparse
from gearwright.dynamics.solve import swept_laws
from gearwright.dynamics.solve.cones import Cone, Shape
from gearwright.dynamics.solve.curves import Curve
from gearwright.dynamics.solve.directions import OneDirection
from gearwright.dynamics.solve.laws import ForceLaw
from gearwright.dynamics.solve.rows import Equality
from gearwright.dynamics.solve.sweeps import Response


@dataclass(frozen=True)
class Line(OneDirection):
    """`as_row`: bias and compliance of the row that is the same, `J·u + bias + cfm·λ = 0`: bias = −constant/slope and
    cfm = 1/slope. It is solved as that where it would fill the matrix in."""

    J: Sparse
    constant: Scalar
    slope: Scalar
    as_row: tuple[Scalar, Scalar] | None = None

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Line:
        """The same line with other numbers."""
        return Line({n: change(x) for n, x in self.J.items()}, change(self.constant), change(self.slope))

    def place(self, M: FrontalMatrix) -> tuple[str, Line | Equality]:
        """In the matrix, or as a row."""
        if self.as_row is None or not M.filled_in_by(self.J):
            return "line", self
        return "equality", Equality(self.J, *self.as_row)


@dataclass(frozen=True)
class Polyline(OneDirection):
    J: Sparse
    law: ForceLaw
    cfm: ClassVar[Scalar] = 0.0
    drifting: ClassVar[bool] = False

    def place(self, M: FrontalMatrix) -> tuple[str, Polyline]:
        return "polyline", self

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Polyline:
        return Polyline({n: change(x) for n, x in self.J.items()}, self.law.mapped(change))

    def project(self, impulse: Scalar, rate: Scalar, own: Response, tolerance: float) -> Scalar:
        return swept_laws.project(self.law, impulse, rate, own, tolerance)

    def satisfied(self, impulse: Scalar, rate: Scalar, before: Scalar, tolerance: float) -> Condition:
        return swept_laws.satisfied(self.law, impulse, rate, before, tolerance)

    def warm_start(self, impulse: Scalar) -> Scalar:
        return swept_laws.warm_start(self.law, impulse)

    def undrifted(self) -> Polyline:
        return self

    def moved_on(self, moved: Scalar, done: Scalar, n: int) -> Polyline:
        return Polyline(self.J, swept_laws.moved_on(self.law, moved, done, n))


Term: TypeAlias = Line | Polyline | Equality | Curve | Cone


class Solved(NamedTuple):
    """Velocities of a phase, impulses by the kind of their terms, and the segments that polylines are on."""

    u: Column
    polylines: list[Scalar]
    equalities: list[Scalar]
    curves: list[Scalar]
    segments: list[Scalar]
    settled: Condition  # whether all are
    cones: Sequence[Scalar] = ()  # one cone after the other


@dataclass(frozen=True)
class Collected:
    """All terms over the independent velocities, ready to be solved; `places` says where each one's impulse is.

    The first terms, as many as `unread`, have an impulse that nobody reads.
    """

    lines: list[Line]  # in the matrix
    polylines: list[Polyline]
    equalities: list[Equality]
    curves: list[Curve]
    places: list[tuple[str, int]]  # of each term: the list it is in, and where
    unread: int = 0
    cones: list[Cone] = field(default_factory=list)

    @staticmethod
    def of(terms: Sequence[Term], G: list[Sparse], M: FrontalMatrix, unread: int = 0) -> Collected:
        """Each term says itself which list it belongs to: `place`."""
        found = Collected([], [], [], [], [], unread)
        lists: dict[str, list[Any]] = {
            "line": found.lines, "polyline": found.polylines, "equality": found.equalities, "curve": found.curves,
            "cone": found.cones,
        }  # fmt: skip
        for term in terms:
            kind, placed = term.reduced(G).place(M)
            found.places.append((kind, len(lists[kind])))
            lists[kind].append(placed)
        return found

    def matrix(self, M: FrontalMatrix) -> FrontalMatrix:
        """M with the slopes of the lines."""
        return M.with_lines([(line.J, line.slope) for line in self.lines])

    def push(self, n: int) -> Column:
        """Constants of the lines."""
        b = Column.zeros(n)
        for line in self.lines:
            for i, x in line.J.items():
                b[i] = b[i] + x * line.constant
        return b

    @property
    def switching(self) -> bool:
        """Whether its solution has to be looked for."""
        return bool(self.polylines or self.followed)

    @property
    def followed(self) -> bool:
        """Whether there are laws that are replaced by what touches them at a point, which follows the solution."""
        return bool(self.curves or self.cones)

    @property
    def read_places(self) -> list[tuple[str, int]]:
        """Places of the terms whose impulses are read, in the order of these; a curve or cone may have several."""
        several: dict[str, Sequence[Curve | Cone]] = {"curve": self.curves, "cone": self.cones}
        read = self.places[self.unread :]
        return [(kind, i) for kind, i in read for _ in range(several[kind][i].size if kind in several else 1)]

    def by_cone(self, values: Sequence[Scalar]) -> list[Column]:
        """Numbers along all directions of all cones, cone by cone."""
        return Shape.of(self.cones).split(values)

    def impulses(self, found: Solved) -> Column:
        """Those that are read."""
        lines = [[t.constant - t.slope * rate(t.J, found.u)] for t in self.lines]
        curves = [c.read(rate(c.J, found.u), x) for c, x in zip(self.curves, found.curves, strict=True)]
        polylines, equalities = ([[x] for x in own] for own in (found.polylines, found.equalities))
        each: Mapping[str, Sequence[list[Scalar]]] = {
            "line": lines, "polyline": polylines, "equality": equalities, "curve": curves,
            "cone": self.by_cone(found.cones),
        }  # fmt: skip
        return Column(x for kind, i in self.places[self.unread :] for x in each[kind][i])

    def total(self, solved: Solved) -> Column:
        """All impulses along the independent velocities."""
        found = Column.zeros(len(solved.u))
        rows = [t.J for t in self.lines] + [t.J for t in self.polylines]
        rows += [t.J for t in self.equalities] + [t.J for t in self.curves]
        rows += [J for t in self.cones for J in t.over_velocities]
        lines = [t.constant - t.slope * rate(t.J, solved.u) for t in self.lines]
        impulses = (*lines, *solved.polylines, *solved.equalities, *solved.curves, *solved.cones)
        for J, impulse in zip(rows, impulses, strict=True):
            for n, x in J.items():
                found[n] = found[n] + x * impulse
        return found

    def mapped(
        self, change: Callable[[Scalar], Scalar], in_lines: Callable[[Scalar], Scalar] | None = None
    ) -> Collected:
        """The same with other numbers; lines may have their own change."""
        straight = in_lines or change

        return Collected(
            [line.mapped(straight) for line in self.lines],
            [polyline.mapped(change) for polyline in self.polylines],
            [e.mapped(change) for e in self.equalities],
            [curve.mapped(change) for curve in self.curves],
            self.places,
            self.unread,
            [cone.mapped(change) for cone in self.cones],
        )


def rate(J: Sparse, u: Sequence[Scalar]) -> Scalar:
    """J·u."""
    return total(*(x * u[n] for n, x in J.items()))
