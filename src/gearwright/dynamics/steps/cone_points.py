"""The affine laws that touch contacts' cones (`solve.cones`), and how their points and shifts follow the solution.

Each point moves to where its contact alone would meet its cone. That is fast, but may cycle. So after `FAST` iterations
the points follow a base velocity, from which a fraction α of the step to the solution u₁ is taken: the one with the
least potential on the way. In a convex problem this terminates. With d = u₁ − base, c(α) the rates on the way and λ₁
the affine impulses of the solution, the slope of the potential, or of a bound on it if other laws are piecewise, is

    m'(α) = −(1 − α)·dᵀ·H·d + Σ (λ₁ − λ(c(α)))·(c(1) − c(0))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.fronts import FrontalMatrix
from gearwright.dynamics.algebra.scalar import TINY, Condition, Scalar, maximum, negated, total, where
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.solve.cones import COULOMB, Cone, Touching, gathered
from gearwright.dynamics.solve.terms import Collected
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.slots import Slots

MET = 4.5e5  # eps of its impulse, 1e-10 in double precision: where a cone is met
ROUNDING = 64.0  # eps of the largest part of a rate
SLIP = 1e-5  # share of the slip by which a shift may be off: so fast the contact is lifted,
SLOW = 1e-9  # or this speed [m/s]
BOUNDED = 8.0  # iterations of Coulomb's law with a bound of friction; then, without counting these,
FAST = 8.0  # iterations before the way is measured
SHIFTS = 24.0  # iterations in which shifts follow; the convex problem that is left has a solution in any case
MOVING = 3.0  # iterations of the mean velocity in which shifts follow: where corners slide each its own way, both crawl
LEVEL = 0.1  # share of the slope at the start that the slope where a way ends may have
SEARCHES = 30  # evaluations of the slope on a way, at most


@dataclass(frozen=True)
class ConePoints:
    """Those of a phase, in their slots."""

    build: StepBuilder
    acting: Collected
    eps: float
    bounded: float = BOUNDED  # none where iterations are too few to end the others

    def begin(self, guess: Sequence[Scalar], iterated: Scalar | None, repeated: Scalar | None) -> None:
        """Points at the guess, with the expected impulses; in a phase that is `iterated`, points stay where they were,
        because shifts that jump within their tolerance would keep the iteration from ending."""
        build, cones = self.build, self.acting.cones
        if self.bounded:
            points, shifts = (
                Column(c for cone in cones for c in cone.first_point(guess)),
                Column([COULOMB] * len(cones)),
            )
        else:
            points = Column(c for cone in cones for c in cone.rates(guess))
            shifts = Column(cone.next_shift(cone.rates(guess), cone.expected) for cone in cones)
        if iterated is not None:
            points, shifts = select(iterated, build.cone_point, points), select(iterated, build.shift, shifts)
        build.cone_point, build.shift, build.base = points, shifts, guess
        near = as_number(negated(self._stay_clear(self.acting.by_cone(points))))
        build.may_touch = [near if repeated is None else where(repeated > 0.5, build.may_touch[0], near)]
        if repeated is not None:  # what was accepted after so many iterations is again
            build.follows = [where((repeated > 0.5) | (build.iteration[0] > MOVING), self.bounded + SHIFTS, 0.0)]

    def are_clear(self, u: Sequence[Scalar]) -> Condition:
        """Whether nothing touches at these velocities."""
        return self._stay_clear(self._rates(u))

    def _stay_clear(self, rates: Sequence[Sequence[Scalar]]) -> Condition:
        clear: Condition = True
        for cone, own in zip(self.acting.cones, rates, strict=True):
            clear = clear & (cone.target <= own[0])
        return clear

    # --- a solution ------------------------------------------------------------------------------------------------

    def touching(self) -> list[Touching]:
        rows = zip(self.acting.cones, self.acting.by_cone(self.build.cone_point), self.build.shift, strict=True)
        return [cone.touching(point, shift) for cone, point, shift in rows]

    def added(self, H: FrontalMatrix, b: Column, planes: Sequence[Touching]) -> tuple[FrontalMatrix, Column]:
        """Matrix and right-hand side with what touches."""
        laws = gathered(self.acting.cones, planes)
        for law in laws:
            for J, constant in zip(law.rows, law.constant, strict=True):
                for n, x in J.items():
                    b[n] = b[n] + x * constant
        return H.with_blocks([(law.rows, law.gradient) for law in laws]), b

    def store(self, u: Column, planes: Sequence[Touching]) -> Condition:
        """Stores the impulses of a solution; whether it is on the cones, with the shifts that belong to it."""
        build, impulses = self.build, Column()
        met: Condition = True
        stand: Condition = True
        for cone, plane, shift in zip(self.acting.cones, planes, build.shift, strict=True):
            rates = cone.rates(u)
            own = plane.impulse(rates)
            impulses += own
            met = met & cone.is_met(rates, own, shift, self._rounding(cone, u, own, shift))
            stand = stand & self._stands(cone, rates, own, shift)
        build.cone, build.met = impulses, [as_number(met)]
        return met & (stand | (build.follows[0] >= self.bounded + SHIFTS))

    def _rounding(self, cone: Cone, u: Sequence[Scalar], impulse: Sequence[Scalar], shift: Scalar) -> Column:
        return cone.rounding(u, impulse, shift, MET * self.eps, ROUNDING * self.eps)

    def _stands(self, cone: Cone, rates: Column, impulse: Column, shift: Scalar) -> Condition:
        """Whether a shift is the slip that it leads to, where the contact is made."""
        if cone.size == 1:
            return True
        slip = cone.next_shift(rates, impulse[0])
        return (shift < 0.0) | (abs(slip - shift) <= maximum(SLIP * slip, SLOW)) | cone.is_clear(rates, shift, slip)

    # --- the next one ----------------------------------------------------------------------------------------------

    def follow(self, stays: Condition, diagonal: Sequence[Scalar]) -> None:
        """Points and shifts follow the last solution; shifts that are close enough stay, or it would not converge.

        The first iterations do without shifts. Once the way is measured, shifts stay until the convex problem is solved
        with them.
        """
        build, (follows,) = self.build, self.build.follows
        convex = follows - self.bounded  # iterations
        fast = stays | (convex < FAST)
        waits = (convex >= SHIFTS) | (convex >= FAST) & (build.met[0] < 0.5)
        points, shifts = Column(), Column()
        for cone, shift, impulse in self._each(build.shift, self.acting.by_cone(build.cone)):
            rates = cone.rates(build.u)
            stands = (shift >= 0.0) & (waits | self._stands(cone, rates, impulse, shift))
            new = where(stands, shift, cone.next_shift(rates, impulse[0]))
            new = where(convex + 1.0 < 0.0, COULOMB, new)
            points += cone.next_point(rates, impulse, new, cone.inertia(diagonal))
            shifts.append(new)
        build.cone_point = select(stays, build.cone_point, points)
        build.shift = select(stays, build.shift, shifts)
        build.base = select(convex <= FAST, build.u, build.base)
        build.fast = [as_number(fast)]

    def measure(self, H: FrontalMatrix, *, again: bool) -> None:
        """Writes the stages that go a share of the way, unless points are fast."""
        build = self.build
        with build.unless(Slots.fast):
            if again:
                build.again("measure")
                with build.loop(SEARCHES, until=Slots.found_share):
                    build.again("search")
                build.again("go")
                return
            way = build.u - build.base
            along = way @ (H @ way)
            affine = total(*(x @ c for _, x, c in self._each(self.acting.by_cone(build.cone), self._rates(way))))
            build.way_numbers = [along, affine]
            first, last = self._slope(0.0), self._slope(1.0)
            impulses = self.acting.by_cone(build.cone)
            noise = total(
                *(
                    self._rounding(k, build.u, x, s) @ abs(c)
                    for k, x, s, c in self._each(impulses, build.shift, self._rates(way))
                )
            )
            build.ends, build.share, build.level = [0.0, 1.0, first, last], [1.0], [maximum(LEVEL * abs(first), noise)]
            build.found_share = [as_number((last <= build.level[0]) | (build.fast[0] > 0.5))]
            build.stage("measure")
            with build.loop(SEARCHES, until=Slots.found_share):
                self._search()
            build.base = select(build.fast[0], build.base, build.base + build.share[0] * way)
            points = Column(c for rates in self._rates(build.base) for c in rates)
            build.cone_point = select(build.fast[0], build.cone_point, points)
            build.stage("go")

    def _search(self) -> None:
        """Regula falsi; the end that stays has its slope halved (Illinois)."""
        build = self.build
        low, high, slope_low, slope_high = build.ends
        share = low + (high - low) * (slope_low / (slope_low - slope_high - TINY))
        slope = self._slope(share)
        done, short = build.found_share[0] > 0.5, slope < 0.0
        new = [where(short, share, low), where(short, high, share)]
        new += [where(short, slope, 0.5 * slope_low), where(short, 0.5 * slope_high, slope)]
        build.ends, build.share = select(done, build.ends, new), select(done, build.share, [share])
        build.found_share = [as_number(done | (abs(slope) <= build.level[0]))]
        build.stage("search")

    def _slope(self, share: Scalar) -> Scalar:
        """m'(α)."""
        build = self.build
        along, affine = build.way_numbers
        rates = self._rates(build.base), self._rates(build.u - build.base)
        met = [
            cone.at(start + share * way, shift).impulse @ way
            for cone, start, way, shift in self._each(*rates, build.shift)
        ]
        return affine - (1.0 - share) * along - total(*met)

    def _rates(self, u: Sequence[Scalar]) -> list[Column]:
        return [cone.rates(u) for cone in self.acting.cones]

    def _each(self, *values: Sequence) -> zip:  # type: ignore[type-arg]
        return zip(self.acting.cones, *values, strict=True)
