"""Axes beyond their stops are moved part of the way back in each step, without gaining speed.

An axis that nothing connects to others moves alone. Axes that couplings or loops connect move together, so that no
error arises that velocities would have to remove. With eᵢ the rows of axes that are to move by xᵢ, J the rows of
couplings and loops, D the diagonal of M and P the projection onto what J lets move:

    g = Σ wᵢ·xᵢ·eᵢ,    wᵢ = 1/(eᵢ·D⁻¹·eᵢᵀ),    d = P·D⁻¹·gᵀ,    P = 1 − D⁻¹·Jᵀ·(J·D⁻¹·Jᵀ)⁻¹·J
    δq = t·d,          t = g·d/Σ wᵢ·(eᵢ·d)²

t minimises Σ wᵢ·(xᵢ − eᵢ·δq)²: a single axis moves by its x. Axes that rows connect share one t. D is used instead of M
so that anything that no row connects to an axis stays where it is. If J turns with the pose, an axis may be at the end
of its reach; there a damping that vanishes with x, as in `projection`, lets the mechanism rest. Where J lets hardly any
of the move, the loops could not be closed after it, and there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.scalar import (
    Scalar,
    equal,
    is_number,
    maximum,
    maximum_of,
    reciprocal_above,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.axis_laws import way_back
from gearwright.dynamics.constraints.rows import CouplingRow, Instant, Limited
from gearwright.dynamics.solve.closing import LeastMove
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.kinematics import Configuration

STRAIGHT = 3.0  # times the longest way: what is left of a move along rows that turn. Less leads too far to be straight


class Way(NamedTuple):
    """An axis: its row, and how far it is to be brought back."""

    row: Sparse
    x: Scalar


class Tie(NamedTuple):
    """A row that stays as it is; `turns`: the most by which it changes in a unit move, empty if it never does."""

    J: Sparse
    turns: Sparse
    group: str | None = None


class StopRecovery:
    """Brings the step's position back; connected axes in a stage `come_back`, skipped if none is beyond its stop.

    It is made before the stage that ends with positions; `write` comes after that stage. `mass`: M's diagonal, where
    that stage has it at hand. Else it is computed where it is needed.
    """

    def __init__(self, step: ConstrainedStep, mass: Sequence[Scalar] | None) -> None:
        self.step, build = step, step.build
        self.stops = [k for k in step.groups if isinstance(k, Limited) and k.ends != (-inf, inf)]
        ways = list(self._ways(self._instant(build.position)))
        self.together = bool(ways) and not self._alone(ways)
        self.mass: list[Scalar] | None = None
        if self.together:
            if mass is not None:
                carried = build.carry(Slots.inertia)
                self.mass = [carried(m) for m in mass]
            build.within = [as_number(equal(total(*(abs(way.x) for way in ways)), 0.0))]
        else:
            build.position = self._each_alone(build.position, ways)

    @property
    def couplings(self) -> list[CouplingRow]:
        """Hard and compliant ones."""
        return [group for group in self.step.groups if isinstance(group, CouplingRow)]

    def _alone(self, ways: Sequence[Way]) -> bool:
        """Whether an axis with stops moves none but itself."""
        tied = self.couplings or self.step.closures
        return not tied and all(len(way.row) == 1 and all(map(_is_one, way.row.values())) for way in ways)

    def _each_alone(self, q: list[Scalar], ways: Sequence[Way]) -> list[Scalar]:
        places, q = {n: i for i, n in self.step.model.plain}, list(q)
        for way in ways:
            (n,) = way.row
            q[places[n]] = q[places[n]] + way.x
        return q

    def write(self) -> None:
        """Writes the stage."""
        if not self.together:
            return
        build = self.step.build
        with build.unless(Slots.within):
            q = build.position
            moved = self.step.model.advanced(q, self._move(self._instant(q)), 1.0)
            within = build.within[0] > 0.5
            build.position = [where(within, old, new) for old, new in zip(q, moved, strict=True)]
            build.stage("come_back")

    def _instant(self, q: list[Scalar]) -> Instant:
        model = self.step.model
        tree = model.tree(State(q, [0.0] * model.dof))
        nowhere = Configuration(model.bodies, [], [])  # axes of the tree do not ask for it
        at = model.configuration(tree) if self.step.closures else nowhere
        return Instant(tree, at, self.step.h, self.step.targets)

    def _ways(self, now: Instant) -> Iterator[Way]:
        for group in self.stops:
            q, J = group.read(now)
            if row := combined(J, now.tree.G):
                yield Way(row, way_back(q, group.ends, now.h))

    # --- several axes together -------------------------------------------------------------------------------------

    def _move(self, now: Instant) -> list[Scalar]:
        inverse = [1.0 / m for m in self.mass or self._mass(now)]
        return recovery_move(list(self._ways(now)), list(self._ties(now)), inverse, Floors.of(self.step.eps))

    def _mass(self, now: Instant) -> list[Scalar]:
        step, model = self.step, self.step.model
        return step.inertia(model.configuration(now.tree), now.tree).diagonal(model.dof)

    def _ties(self, now: Instant) -> Iterator[Tie]:
        """Rows of couplings, of loops, and of drives of a robot with loops whose positions are prescribed."""
        for coupling in self.couplings:
            if J := combined(coupling.tie.jacobian(now.tree.q), now.tree.G):
                yield Tie(J, J if coupling.tie.curved else {})
        if self.step.closures:
            for row in (row for group in self.step.groups for row in group.position_rows(now)):
                J = combined(row.J, now.tree.G)
                reach = J if row.reach is None else combined(row.reach, now.tree.G)
                if J:
                    yield Tie(J, {n: x for n, x in reach.items() if n in J}, row.group)


# --- in numbers -----------------------------------------------------------------------------------------------------


def recovery_move(ways: Sequence[Way], ties: Sequence[Tie], inverse: list[Scalar], floors: Floors) -> list[Scalar]:
    """δq; `inverse` is D⁻¹."""
    move: list[Scalar] = [0.0] * len(inverse)
    for part in _parts([*(way.row for way in ways), *(tie.J for tie in ties)]):
        own = [way for way in ways if not part.isdisjoint(way.row)]
        if own:
            tied = [tie for tie in ties if not part.isdisjoint(tie.J)]
            for n, x in _together(own, tied, {n: inverse[n] for n in sorted(part)}, floors).items():
                move[n] = x
    return move


def _together(ways: Sequence[Way], ties: Sequence[Tie], inverse: Sparse, floors: Floors) -> Sparse:
    """The move of coordinates that are tied together."""
    weights = [reciprocal_above(_response(way.row, inverse), 0.0) for way in ways]
    g: Sparse = dict.fromkeys(inverse, 0.0)
    for way, weight in zip(ways, weights, strict=True):
        for n, e in way.row.items():
            g[n] = g[n] + weight * way.x * e
    largest = maximum_of([abs(way.x) for way in ways])
    d = _tangent(ties, g, largest, inverse, floors)
    along = _dot(g, d)
    damping = largest * along if any(tie.turns for tie in ties) else 0.0
    squares = total(damping, *(_square(way, w, d) for way, w in zip(ways, weights, strict=True)))
    least = maximum(floors.dependent, STRAIGHT * largest) if any(tie.turns for tie in ties) else floors.dependent
    moves = along > (least * _response(g, inverse))  # else J lets none of them
    t = where(moves, along / where(moves, squares, 1.0), 0.0)
    return {n: t * x for n, x in d.items()}


def _tangent(ties: Sequence[Tie], g: Sparse, largest: Scalar, inverse: Sparse, floors: Floors) -> Sparse:
    """`d = P·D⁻¹·gᵀ`. A row gives way as much as it turns in the move: by that, it may look elsewhere."""
    d, metric = _by_mass(g, inverse), Factors([*inverse], dict(inverse), {k: {} for k in inverse})
    E = [largest * largest * _response(tie.turns, inverse) for tie in ties]
    back = LeastMove.of([tie.J for tie in ties], [tie.group for tie in ties], metric, E, floors)
    move = back.move([_dot(tie.J, d) for tie in ties])
    return {n: x + move[n] for n, x in d.items()}


def _square(way: Way, weight: Scalar, d: Sparse) -> Scalar:
    """`w·(e·d)²` of an axis that is beyond its stop."""
    rate = _dot(way.row, d)
    return where(equal(way.x, 0.0), 0.0, weight * (rate * rate))


def _dot(a: Sparse, b: Sparse) -> Scalar:
    return total(*(x * b[n] for n, x in a.items() if n in b))


def _by_mass(row: Sparse, inverse: Sparse) -> Sparse:
    return {n: x * inverse[n] for n, x in row.items()}


def _response(row: Sparse, inverse: Sparse) -> Scalar:
    """`e·D⁻¹·eᵀ`."""
    return _dot(row, _by_mass(row, inverse))


def _is_one(x: Scalar) -> bool:
    return is_number(x) and x == 1.0


def _parts(rows: Iterable[Sparse]) -> list[set[int]]:
    """Coordinates that rows tie to each other."""
    parts: list[set[int]] = []
    for row in rows:
        joined = set(row).union(*(part for part in parts if not part.isdisjoint(row)))
        parts = [part for part in parts if part.isdisjoint(row)] + [joined]
    return parts
