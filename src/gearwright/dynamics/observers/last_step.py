"""The step that ends at the present state: its middle, and its springs and dampers as they acted on average.

A step takes these twice (`constraints.phases`), between its middle and its end where they are stiff. Beside motors that
are known by what they did on average, the force of a stiff damper has to be its mean, too: the difference of both
accelerates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.dynamics.algebra.scalar import Scalar, is_zero
from gearwright.dynamics.algebra.sparse import Sparse, combined
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.constraints.phases import FirstHalf, SecondHalf
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.terms import rate
from gearwright.dynamics.steps.passive import along_coordinates, damper_rows
from gearwright.dynamics.tree.coordinates import State


@dataclass(frozen=True)
class LastStep:
    """`end` is the present state, w are the mean velocities; dt is 0 before the first step [s]."""

    model: Model
    end: State
    w: list[Scalar]
    h: Scalar

    @property
    def middle(self) -> State:
        return State(self.model.advanced(self.end.q, self.w, -0.5 * self.h), self.w)

    def beside_middle(self, now: Moment, mass: Sequence[Scalar]) -> list[Scalar]:
        """Efforts along the tree's velocities: means of springs and dampers, less what they are in the middle.

        `now`: the middle; `mass`: the diagonal of M there.
        """
        G = now.tree.G
        found: list[Scalar] = [0.0] * len(now.tree.v)
        for J, damping, stiffness, slope in self._rows(now):
            along = combined(J, G)
            moved, faster = self._ahead(along, slope, mass)
            effort = stiffness * moved + damping * faster
            for k, x in J.items():
                found[k] = found[k] - x * effort
        return found

    def _rows(self, now: Moment) -> list[tuple[Sparse, Scalar, Scalar, Scalar]]:
        """Direction, damping and stiffness of each, and the slope by which its step decides what is stiff."""
        axes, dampers = self.model.bodies.axes, damper_rows(self.model, now)
        springs = enumerate(zip(axes.damping, axes.stiffness, strict=True))
        found: list[tuple[Sparse, Scalar, Scalar, Scalar]] = [
            ({k: 1.0}, d, s, d + self.h * s) for k, (d, s) in springs if not is_zero(s)
        ]
        together = along_coordinates(dampers, now.tree.G)
        for J, d in dampers:
            row = combined(J, now.tree.G)
            slope = d
            if len(row) == 1:
                ((n, x),) = row.items()
                slope = together[n] / (x * x)
            found.append((J, d, 0.0, slope))
        return found

    def _ahead(self, along: Sparse, slope: Scalar, mass: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """How far ahead of the middle, and how much faster, the samples of both halves are on average."""
        if is_zero(slope):
            return 0.0, 0.0
        w, v, half = rate(along, self.w), rate(along, self.end.u), 0.5 * self.h
        first = FirstHalf(self.h, mass).sample(along, slope)
        second = SecondHalf(self.h, mass, self.w).sample(along, slope)
        a = first.ahead * w - half * w
        b = half * w + (second.shift + second.ahead * v)
        faster = second.known + second.share * v - w
        return 0.5 * (a + b), 0.5 * faster
