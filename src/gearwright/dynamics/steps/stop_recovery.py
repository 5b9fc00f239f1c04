"""Axes beyond their stops are brought back by a part of the way in each step, which gives them no speed.

An axis that nothing ties to others moves alone. Where couplings or loops do, all of them move together. With e the row
of the axis, J the rows of couplings and loops, D the diagonal of M, and P the projection onto what J lets move:

    δq = P·D⁻¹·eᵀ · way/(e·P·D⁻¹·eᵀ),      P = 1 − D⁻¹·Jᵀ·(J·D⁻¹·Jᵀ)⁻¹·J

So no error of J is opened, which velocities would have to close. D instead of M: what no row ties to the axis stays
where it is. Where J turns with the pose, an axis may be at the end of its reach: a damping that goes to zero with the
way, as in `projection`, ends there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from gearwright.dynamics.algebra.factorise import Factors, factorise
from gearwright.dynamics.algebra.scalar import (
    Scalar,
    equal,
    greatest,
    is_zero,
    least,
    magnitude,
    minus,
    plus,
    reciprocal,
    reciprocal_above,
    times,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.axis_laws import AxisRow, way_back
from gearwright.dynamics.constraints.loop_joint_axes import CutStopRow
from gearwright.dynamics.constraints.rows import CouplingRow, Instant, PositionRow
from gearwright.dynamics.solve.closing import least_pivots, responses
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.sweeps import dot
from gearwright.dynamics.steps.constrained_step import ConstrainedStep
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.tree.coordinates import State


class StopRecovery:
    """Brings the step's position back; tied axes in a stage `back`, which is left out where none is beyond its stop.

    It is made before the stage that ends with positions, whose mass it needs; `write` comes after that stage.
    """

    def __init__(self, step: ConstrainedStep, mass: Sequence[Scalar]) -> None:
        self.step, build = step, step.build
        self.stops = [k for k in step.kinds if isinstance(k, AxisRow | CutStopRow) and k.ends != (-inf, inf)]
        self.ties = [k for k in step.kinds if isinstance(k, CouplingRow)]
        self.together = bool(self.stops) and self._tied
        if not self.together:
            build.position = self._each_alone(build.position)
            return
        carried = build.carry(Slots.inertia)
        self.mass = [carried(m) for m in mass]
        ways = [way for _, way in self._ways(self._instant(build.position))]
        build.within = [as_number(equal(total(*map(magnitude, ways)), 0.0))]

    @property
    def _tied(self) -> bool:
        """Whether an axis with stops may move others than itself."""
        independent = self.step.model.reduction.positions
        follows = any(isinstance(stop, AxisRow) and stop.position not in independent for stop in self.stops)
        return bool(self.ties or self.step.closures) or follows

    def _each_alone(self, q: list[Scalar]) -> list[Scalar]:
        tree = self.step.model.tree(State(q, [0.0] * self.step.model.dof))
        independent = {i: n for n, i in enumerate(self.step.model.reduction.positions)}
        q = list(q)
        for kind in self.stops:
            assert isinstance(kind, AxisRow)
            n = independent[kind.position]
            q[n] = plus(q[n], way_back(tree.q[kind.position], kind.ends, self.step.dt))
        return q

    def write(self) -> None:
        """Writes the stage."""
        if not self.together:
            return
        build = self.step.build
        with build.loop(1, until=Slots.within):
            q = build.position
            moved = self.step.model.advanced(q, self._move(self._instant(q)), 1.0)
            within = build.within[0] > 0.5
            build.position = [where(within, old, new) for old, new in zip(q, moved, strict=True)]
            build.stage("back")

    # --- several axes together -------------------------------------------------------------------------------------

    def _instant(self, q: list[Scalar]) -> Instant:
        model = self.step.model
        tree = model.tree(State(q, [0.0] * model.dof))
        return Instant(tree, model.configuration(tree), self.step.dt)

    def _ways(self, now: Instant) -> Iterator[tuple[Sparse, Scalar]]:
        """By stop: its axis's row over the independent velocities, and how far it is to be brought back."""
        for kind in self.stops:
            if isinstance(kind, CutStopRow):
                q, J = kind.axis.read(now)
            else:
                q, J = now.tree.q[kind.position], {kind.velocity: 1.0}
            if row := combined(J, now.tree.G):
                yield row, way_back(q, kind.ends, now.dt)

    def _move(self, now: Instant) -> list[Scalar]:
        """δq. An axis that another one's way has brought back far enough adds nothing."""
        tangent = self._tangent(now)
        move: list[Scalar] = [0.0] * self.step.model.dof
        for row, way in self._ways(now):
            rest = minus(way, dot(row, move))
            rest = where(way > 0.0, greatest(rest, 0.0), where(way < 0.0, least(rest, 0.0), 0.0))
            for n, x in tangent.along(row, rest).items():
                move[n] = plus(move[n], x)
        return move

    def _tangent(self, now: Instant) -> Tangent:
        """What couplings and loops let move."""
        found = [PositionRow(tie.tie.jacobian(now.tree.q), 0.0) for tie in self.ties]
        found += [row for closure in self.step.closures for row in closure.position_rows(now)]
        rows = [(J, row.group) for row in found if (J := combined(row.J, now.tree.G))]
        turning = bool(self.step.closures) or any(tie.tie.curved for tie in self.ties)
        inverse = [reciprocal(m) for m in self.mass]
        return Tangent([J for J, _ in rows], [group for _, group in rows], inverse, Floors.of(self.step.eps), turning)


class Tangent:
    """Moves along which rows J stay as they are. `turning`: J is another one after them."""

    def __init__(
        self, J: list[Sparse], groups: list[str | None], inverse: list[Scalar], floors: Floors, turning: bool
    ) -> None:
        self.J, self.inverse, self.floors, self.turning = J, inverse, floors, turning
        self.Y = [self._by_mass(each) for each in J]
        A = responses(J, [[y.get(n, 0.0) for n in range(len(inverse))] for y in self.Y])
        self.factors: Factors = factorise(A, len(J), least_pivots(A, groups, floors))

    def _by_mass(self, row: Sparse) -> Sparse:
        return {n: times(x, self.inverse[n]) for n, x in row.items()}

    def along(self, row: Sparse, way: Scalar) -> Sparse:
        """The move that takes the row's axis by so much; none where J does not let it."""
        move = self._by_mass(row)
        own = total(*(times(x, move[n]) for n, x in row.items()))
        dense = [move.get(n, 0.0) for n in range(len(self.inverse))]
        forces = self.factors.solve([dot(J, dense) for J in self.J])
        held = False
        for force, y in zip(forces, self.Y, strict=True):
            if not is_zero(force):
                held = True
                for n, x in y.items():
                    move[n] = minus(move.get(n, 0.0), times(force, x))
        response = total(*(times(x, move[n]) for n, x in row.items()))
        damping = times(magnitude(way), own) if held and self.turning else 0.0
        scale = times(way, reciprocal_above(plus(response, damping), times(self.floors.dependent, own)))
        return {n: times(x, scale) for n, x in move.items()}
