"""The affine laws that touch contacts' cones (`solve.cones`), and how their points and shifts follow the solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import Condition, Scalar, maximum
from gearwright.dynamics.solve.cones import Cone, Touching
from gearwright.dynamics.solve.terms import Collected
from gearwright.dynamics.steps.builder import StepBuilder

MET = 4.5e5  # eps of its impulse, 1e-10 in double precision: where a cone is met
ROUNDING = 64.0  # eps of the largest part of a rate
SLIP = 1e-3  # share of the slip by which a shift may be off: so fast the contact is lifted,
SLOW = 1e-9  # or this speed [m/s]
SHIFTS = 24.0  # times that shifts follow; the convex problem that is left has a solution in any case


@dataclass(frozen=True)
class ConePoints:
    """Those of a phase, in their slots."""

    build: StepBuilder
    acting: Collected
    eps: float

    def begin(self, guess: Sequence[Scalar], repeated: Scalar | None) -> None:
        """Points where the guess is; of a phase that is `repeated`, where they were."""
        build, cones = self.build, self.acting.cones
        points = Column(c for cone in cones for c in cone.rates(guess))
        shifts = Column(cone.next_shift(cone.rates(guess), cone.expected) for cone in cones)
        if repeated is not None:
            points, shifts = select(repeated, build.cone_point, points), select(repeated, build.shift, shifts)
        build.cone_point, build.shift = points, shifts

    def touching(self) -> list[Touching]:
        rows = zip(self.acting.cones, self._points, self.build.shift, strict=True)
        return [cone.touching(point, shift) for cone, point, shift in rows]

    def added(self, H: FrontalMatrix, b: Column, planes: Sequence[Touching]) -> tuple[FrontalMatrix, Column]:
        """Matrix and right-hand side with what touches."""
        pairs = [*zip(self.acting.cones, planes, strict=True)]
        for cone, plane in pairs:
            for J, constant in zip(cone.rows, plane.constant, strict=True):
                for n, x in J.items():
                    b[n] = b[n] + x * constant
        return H.with_blocks([(cone.rows, plane.gradient) for cone, plane in pairs]), b

    def store(self, u: Column, planes: Sequence[Touching]) -> Condition:
        """Stores the impulses of a solution; whether it is on the cones, with the shifts that belong to it."""
        build, impulses = self.build, Column()
        met: Condition = True
        for cone, plane, shift in zip(self.acting.cones, planes, build.shift, strict=True):
            rates = cone.rates(u)
            own = plane.impulse(rates)
            impulses += own
            met = met & cone.is_met(u, rates, own, shift, MET * self.eps, ROUNDING * self.eps)
            met = met & (self._stands(cone, rates, own, shift) | (build.follows[0] >= SHIFTS))
        build.cone = impulses
        return met

    def _stands(self, cone: Cone, rates: Column, impulse: Column, shift: Scalar) -> Condition:
        """Whether a shift is the slip that it leads to, where the contact is made."""
        if cone.size == 1:
            return True
        slip = cone.next_shift(rates, impulse[0])
        return (abs(slip - shift) <= maximum(SLIP * slip, SLOW)) | cone.is_clear(rates, shift, slip)

    def follow(self, stays: Condition, diagonal: Sequence[Scalar]) -> None:
        """Points and shifts go on with the last solution."""
        build, cones = self.build, self.acting.cones
        points, shifts = Column(), Column()
        for cone, impulse in zip(cones, self.acting.by_cone(build.cone), strict=True):
            rates = cone.rates(build.u)
            new = cone.next_shift(rates, impulse[0])
            points += cone.next_point(rates, impulse, new, cone.inertia(diagonal))
            shifts.append(new)
        build.cone_point = select(stays, build.cone_point, points)
        build.shift = select(stays | (build.follows[0] >= SHIFTS), build.shift, shifts)

    @property
    def _points(self) -> list[Column]:
        return self.acting.by_cone(self.build.cone_point)
