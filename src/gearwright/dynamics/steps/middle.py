"""The middle of a step, from its mean velocity w: where momentum is balanced, and by which forces.

`Midpoint` is the variational midpoint: second order, for every mechanism.

`Multistep` is for motion without kinks: nothing acts but inertia, gravity and efforts. The steps before tell how
velocity and forces curve, and make it fourth order for a few more operations. With w₀ = w, w₁, w₂, w₃ the mean
velocities and f₀ … f₃ the forces in the middle of this step and the three before,

    q̄ = q + dt·Σ aᵢ·wᵢ      v̄ = Σ bᵢ·wᵢ           of the cubic that has these means
    p̄ = p + dt·Σ cᵢ·fᵢ      p⁺ = p + dt·Σ dᵢ·fᵢ     integrals of the cubic through these forces (Adams)

It is stable up to 1.2 rad a step. Efforts are held over a step and are no part of f. Where an effort jumps, a state is
set by hand or motion is too fast for the steps before to tell, the guess of w is off: this step and the next 2000 are
the midpoint's. Not fewer: to go to and fro between the two, always at the same places of a motion, adds energy.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.dynamics.algebra.scalar import (
    Scalar,
    both,
    either,
    greatest,
    is_zero,
    least,
    minus,
    plus,
    times,
    total,
    where,
)
from gearwright.dynamics.algebra.sparse import transposed
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.conditions import as_number, negated
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.slots import Slots
from gearwright.dynamics.steps.variational_midpoint import balance, momentum_after
from gearwright.dynamics.tree.coordinates import State

SMOOTH = 4.0  # steps that were guessed well, and the cubic through their mean velocities guesses the next one
QUICK, QUICK_MULTISTEP = 3.0, 5.0  # passes of a step that was guessed well
SETTLED, SETTLED_MULTISTEP = 2e-5, 1e-6  # of each axis' speed and 1 rad/s, m/s: a pass that changes less is the last
KINK = 1e-4  # by the same measure: a guess that is off by more has met one
REST = 2000.0  # steps after a kink that are the midpoint's

POSITION = (35 / 128, 47 / 128, -23 / 128, 5 / 128)  # aᵢ
VELOCITY = (11 / 12, 5 / 24, -1 / 6, 1 / 24)  # bᵢ
HALF = (119 / 384, 107 / 384, -43 / 384, 9 / 384)  # cᵢ
WHOLE = (13 / 12, -5 / 24, 1 / 6, -1 / 24)  # dᵢ
# first guess of w, from v and the mean velocities w₁, w₂, … of the last steps
LINE = (2.0, -1.0, 0.0, 0.0, 0.0)
CUBIC = (0.0, 4.0, -6.0, 4.0, -1.0)
FROM_VELOCITY = (4.0, -13 / 3, 5 / 3, -1 / 3, 0.0)  # a fifth of the cubic's error, where v and w agree so well


def has_history(model: Model, kinds: Sequence[ConstraintGroup]) -> bool:
    """Whether the steps before make a step more exact: inertia, gravity and efforts are all that acts; no balls."""
    axes = model.bodies.axes
    passive = any(not is_zero(x) for x in (*axes.damping, *axes.stiffness))
    return not (kinds or model.actuation.driven or passive or model.loads or model.balls)


class Midpoint:
    """Second order."""

    def __init__(self, build: StepBuilder, model: Model, dt: Scalar) -> None:
        self.build, self.model, self.dt = build, model, dt

    @property
    def settled(self) -> Scalar:
        """Share of its speed by which an axis may change in the last pass."""
        return SETTLED

    def guess(self) -> list[Scalar]:
        """First guess of the mean velocity, which goes on like those of the last steps, if these were smooth.

        Else the line through the last one and the velocity: impacts and efforts that jump spoil the cubic.
        """
        smooth = self.build.smooth[0] >= SMOOTH
        return [where(smooth, weighted(CUBIC, row), weighted(LINE, row)) for row in self._shifted()]

    def _shifted(self) -> list[tuple[Scalar, ...]]:
        """By coordinate its velocity, and the mean velocities of earlier steps, which this one moves on."""
        build, n = self.build, self.model.dof
        known = [*build.mean_velocity, *build.earlier_velocity]
        build.earlier_velocity, build.oldest = known[:-n], known[-n:]
        return [*zip(build.velocity, *(known[i : i + n] for i in range(0, len(known), n)), strict=True)]

    def residual(self, w: list[Scalar], effort: Sequence[Scalar]) -> list[Scalar]:
        """Momentum that is missing for w; stores the forces in the middle."""
        build = self.build
        middle = balance(self.model, build.position, build.momentum, w, effort, self.dt)
        build.force = middle.force
        return middle.residual

    def look_for_kinks(self, near: Scalar, passed: Scalar) -> None:
        """After a pass that was not the last; `near`: whether its change was small."""

    def momentum_after(self, w: list[Scalar], impulse: list[Scalar]) -> list[Scalar]:
        build = self.build
        return momentum_after(self.model, build.momentum, w, build.force, impulse, self.dt)

    def count_smooth(self) -> None:
        """At the end of a step."""
        build = self.build
        quick = build.round[0] <= QUICK
        build.smooth = [where(quick, least(plus(build.smooth[0], 1.0), SMOOTH), 0.0)]


class Multistep(Midpoint):
    """Fourth order, after four smooth steps. `curved` is 1 then, and 0 in a step that is the midpoint's.

    `smooth` are the smooth steps, up to eight if four of them were of fourth order, and those left of a rest.
    """

    _held: list[Scalar]  # efforts from outside along the coordinates

    @property
    def settled(self) -> Scalar:
        return plus(SETTLED, times(self.build.curved[0], SETTLED_MULTISTEP - SETTLED))

    def guess(self) -> list[Scalar]:
        """After four steps of fourth order, velocities and mean velocities agree to this order, too."""
        smooth, rest = self.build.smooth
        self.build.curved = [as_number(both(smooth >= SMOOTH, rest < 0.5))]
        weights = chosen(as_number(smooth >= SMOOTH), CUBIC, LINE)
        weights = chosen(as_number(smooth >= 2.0 * SMOOTH), FROM_VELOCITY, weights)
        return [weighted(weights, row) for row in self._shifted()]

    def residual(self, w: list[Scalar], effort: Sequence[Scalar]) -> list[Scalar]:
        build, model = self.build, self.model
        means = by_step(w, build.earlier_velocity)
        a, b = self._timed(self._weights(POSITION, 0.5)), self._weights(VELOCITY, 1.0)
        q = [plus(x, weighted(a, each)) for x, each in zip(build.position, means, strict=True)]
        tree, p, f = model.lagrangian_gradient(State(q, [weighted(b, each) for each in means]))
        build.force, held = f, transposed(tree.G, list(effort), model.dof)
        self._held = list(map(build.carry(Slots.held), held))
        c, half = self._timed(self._weights(HALF, 0.5)), times(0.5, self.dt)
        rows = zip(p, by_step(f, build.earlier_force), held, build.momentum, strict=True)
        return [minus(minus(x, plus(weighted(c, each), times(half, e))), start) for x, each, e, start in rows]

    def look_for_kinks(self, near: Scalar, passed: Scalar) -> None:
        curved = self.build.curved[0]
        self.build.curved = [where(passed, curved, where(near, curved, 0.0))]

    def momentum_after(self, w: list[Scalar], impulse: list[Scalar]) -> list[Scalar]:
        build, earlier, n = self.build, self.build.earlier_force, self.model.dof
        build.earlier_force, build.oldest_force = [*build.force, *earlier[: 2 * n]], earlier[2 * n :]
        d = self._timed(self._weights(WHOLE, 1.0))
        rows = zip(build.momentum, by_step(build.force, earlier), self._held, impulse, strict=True)
        return [total(p, weighted(d, each), times(self.dt, held), i) for p, each, held, i in rows]

    def count_smooth(self) -> None:
        build, (smooth, rest) = self.build, self.build.smooth
        curved = build.curved[0] > 0.5
        lost = either(negated(curved), build.round[0] > QUICK_MULTISTEP)
        kink = both(both(smooth >= SMOOTH, rest < 0.5), lost)
        more = least(plus(where(kink, 0.0, smooth), 1.0), where(curved, 2.0 * SMOOTH, SMOOTH))
        quick = either(curved, build.round[0] <= QUICK)
        build.smooth = [where(quick, more, 0.0), where(kink, REST, greatest(minus(rest, 1.0), 0.0))]

    def _weights(self, curved: Sequence[float], plain: float) -> list[Scalar]:
        """Those of fourth order, or the midpoint's."""
        return chosen(self.build.curved[0], curved, (plain, 0.0, 0.0, 0.0))

    def _timed(self, weights: Sequence[Scalar]) -> list[Scalar]:
        return [times(self.dt, x) for x in weights]


def weighted(weights: Sequence[Scalar], values: Sequence[Scalar]) -> Scalar:
    return total(*(times(a, x) for a, x in zip(weights, values, strict=True)))


def chosen(first: Scalar, weights: Sequence[float], others: Sequence[Scalar]) -> list[Scalar]:
    """The first weights where the number is 1, the others where it is 0."""
    return [plus(b, times(first, minus(a, b))) for a, b in zip(weights, others, strict=True)]


def by_step(now: Sequence[Scalar], earlier: Sequence[Scalar]) -> list[tuple[Scalar, ...]]:
    """By coordinate: its value in this step and in the three before."""
    n = len(now)
    return [*zip(now, earlier[:n], earlier[n : 2 * n], earlier[2 * n :], strict=True)]
