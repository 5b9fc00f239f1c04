"""Substeps: a step that cannot be followed as a whole is halved until each substep can, or is the shortest.

    whole step      ├───────────────┤     fails: see `tuning`
    half            ├───────┤             fails, too
    quarters        ├───┼───┼───┼───┤     are accepted

Fast loops begin with as many substeps as their speed asks for. A substep that is rejected leaves the state as it was.
Robots of a batch that are done repeat a substep and keep what they had.

The following steps use the same number: steps of changing length lose what a symplectic scheme conserves. After a while
longer substeps are tried: soon if there are many, later if there are few. If these have to be halved again, the next
trial waits longer. Two substeps that only speed has asked for end soon after the loop has become slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple, Protocol, runtime_checkable

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.scalar import Condition, Scalar, equal, maximum, minimum, negated, total, where
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.slots import Slots, before
from gearwright.dynamics.steps.tuning import TUNING
from gearwright.model.layout.slots import slots_that


@runtime_checkable
class Targeted(Protocol):
    """A group that has a target for the end of the step."""

    def on_the_way(self, target: list[Scalar], q: Sequence[Scalar], dt: Scalar, share: Scalar, left: Scalar) -> None:
        """Its target for the end of a substep, `left` before the step's end; both lengths are shares of dt."""


class Substepping(NamedTuple):
    """The numbers in the slot `substepping`, which the next step begins with."""

    extra: Scalar  # substeps beside the first
    calm: Scalar  # steps since that number changed
    patience: Scalar  # how many times as long as usual it stays; below 0 while longer substeps are on trial,
    # and between 0 and 1 where only speed has asked for two substeps


class Substeps:
    """The present substep, as slots: `share_of_step` and `remaining`, the state before it, and what has acted so far.

    With loops that have rows, `loop_speed_squared` is the square of their fastest link's speed [rad²/s²]. `means` are
    the places of numbers of actuators that are means over the step. `measured`: energy is.
    """

    def __init__(
        self, build: StepBuilder, loop_speed_squared: Scalar | None = None, means: Sequence[int] = (),
        *, measured: bool = False,
    ) -> None:  # fmt: skip
        self.build, self.dt, self.means, self.measured = build, build.dt[0], means, measured
        self.states = [slot for slot in slots_that("retried") if slot in build]
        self.calm = maximum(TUNING.calm, TUNING.calm_loop / self.dt) if measured else TUNING.calm
        self.paced = loop_speed_squared is not None
        if loop_speed_squared is not None:
            self._by_speed(loop_speed_squared)
        share = 1.0 / (1.0 + self._stepping.extra)
        build.share_of_step, build.remaining, build.length = [share], [1.0], [share * self.dt]
        build.step_done, build.failed = [0.0], [0.0]
        build.impulse_so_far, build.mean_so_far = Column.zeros(len(build.impulse)), Column.zeros(len(means))
        build.stage("lengths")

    @property
    def _stepping(self) -> Substepping:
        return Substepping(*self.build.substepping)

    def _by_speed(self, square: Scalar) -> None:
        """At least as many substeps as loops of this speed ask for.

        A chord is shorter than its arc, so a loop's energy oscillates with the square of the angle per substep. The
        number of substeps depends on the speed instead of the angle, so that halving dt divides the error by four at
        any speed. Substeps begin before the oscillation is large, because each change of their number makes the present
        energy error permanent. In a slow loop that error is small: two substeps end there. The next time, they begin at
        a lower speed.
        """
        build = self.build
        extra, calm, patience = self._stepping
        slow = (square <= TUNING.slow**2) & (calm >= TUNING.calm_slow * self.calm) & _by_speed(patience)
        first = where(equal(patience, TUNING.again), TUNING.loop_speed_again, TUNING.loop_speed)
        needed = where(square > first * first, 1.0, 0.0)
        needed = total(needed, *(where(square > (n * TUNING.loop_speed) ** 2, n, 0.0) for n in (2.0, 4.0, 8.0, 16.0)))
        in_use = (2.0 * needed) >= extra  # half of the substeps would not do
        alone = equal(extra + needed, 1.0)
        asked = where(patience > 0.0, patience, TUNING.by_speed)
        asked = where(alone, asked, self._tried_too_early(calm, patience))
        calm = where(in_use, 0.0, where(slow, self.calm, calm))
        build.substepping = Substepping(maximum(extra, needed), calm, where(needed > extra, asked, patience))
        build.stage("pace")  # of its own: a linearized step is whole

    def begin(self, groups: Sequence[ConstraintGroup], q: Sequence[Scalar]) -> None:
        """Stores where drives are to be at the substep's end."""
        build = self.build
        aim = build.target
        for group in groups:
            if isinstance(group, Targeted):
                group.on_the_way(aim, q, self.dt, build.share_of_step[0], build.remaining[0])
        build.aim = aim

    def keep(self) -> None:
        """Stores the state to which a rejected substep returns; nothing if it is known to be accepted."""
        build = self.build
        with nullcontext() if self.measured else build.unless(Slots.accepted):
            for slot in self.states:
                build[before(slot)] = build[slot]
            build.stage("keep")

    def decide(self, followed: Condition, solved: Condition, energy: Scalar = 0.0) -> None:
        """Ends the stage `finish`: whether the substep is accepted, whether it is sound, and whether the step is
        complete.

        `followed`: the iteration has converged to a motion that can be followed. `solved`: force laws are on their
        segments; they would be no more so in a shorter substep. `energy`: its error.
        """
        build = self.build
        (extra, calm, patience), goes_on = self._stepping, build.remaining[0] > 0.0
        right, kept = followed & solved, followed
        if self.measured:
            right, kept = right & (energy <= TUNING.counted), kept & (energy <= TUNING.clamped)
            followed = followed & negated((energy > 1.0) & (build.iteration[0] < TUNING.many))
            build.substepping = Substepping(extra, where(goes_on & (energy > TUNING.in_use), 0.0, calm), patience)
        shortest = extra >= TUNING.most
        accepted = goes_on & (followed | shortest)
        fails = accepted & negated(right)
        build.accepted = [as_number(accepted)]
        build.sound = [as_number(kept | negated(goes_on & shortest))]
        build.failed = [maximum(build.failed[0], as_number(fails))]
        build.step_done = [as_number(accepted & negated(fails) & (build.share_of_step[0] >= 1.0))]
        build.stage("finish")

    def go_back(self) -> None:
        """Writes the stage `back`: the state as it was before a substep that is rejected."""
        build = self.build
        with build.unless(Slots.accepted):
            accepted = build.accepted[0] > 0.5
            for slot in self.states:
                build[slot] = select(accepted, build[slot], build[before(slot)])
            build.fresh = [as_number(accepted)]
            build.stage("back")

    def go_on(self) -> None:
        """Writes the stage `next`: the next substep, or the same in half the length."""
        build = self.build
        (share,), (left,), (extra, calm, patience) = build.share_of_step, build.remaining, self._stepping
        accepted, goes_on = build.accepted[0] > 0.5, left > 0.0
        left = where(accepted, left - share, left)
        done, ends = left <= 0.0, accepted & (left <= 0.0)
        self._add_up(share, accepted, done)
        build.unsettled = [build.unsettled[0] + where(ends, build.failed[0], 0.0)]
        halved = goes_on & negated(accepted)
        longer = ends & (calm >= self._due(extra, patience)) & (extra > 0.0)
        more = where(halved, 2.0 * extra + 1.0, where(longer, 0.5 * (extra - 1.0), extra))
        counted = where(ends & (extra > 0.0), calm + 1.0, calm)
        tried = where(more > 0.0, TUNING.on_trial, 0.0)  # steps that are whole are not counted
        if self.paced:
            tried = where(_by_speed(patience), TUNING.again, tried)
        patience = where(halved, self._tried_too_early(calm, patience), where(longer, tried, patience))
        build.substepping = Substepping(more, where(halved | longer, 0.0, counted), patience)
        share = where(halved, 0.5 * share, share)
        build.share_of_step, build.remaining, build.length = [share], [left], [share * self.dt]
        build.step_done = [as_number(done)]
        build.stage("next")

    def _due(self, extra: Scalar, patience: Scalar) -> Scalar:
        """Steps after which substeps of twice the length are tried: few if there are many substeps, which cost most."""
        pair = 2.0 / (1.0 + extra)
        share = maximum(pair * pair, TUNING.least_calm if self.measured else 0.0) * maximum(1.0, patience)
        return self.calm * minimum(share, 1.0)

    def _tried_too_early(self, calm: Scalar, patience: Scalar) -> Scalar:
        """The patience of more substeps than before: greater if fewer of them were on trial until now."""
        return where((patience < 0.0) & (calm < self.calm), TUNING.longer, maximum(1.0, patience))

    def _add_up(self, share: Scalar, accepted: Condition, done: Condition) -> None:
        """Impulses and means so far. The state has those of the step at its end, before as a whole step would."""
        build, actuator = self.build, self.build.actuator if self.means else Column()
        own, mean = build.impulse, Column(actuator[i] for i in self.means)
        build.impulse_so_far = select(accepted, build.impulse_so_far + own, build.impulse_so_far)
        build.mean_so_far = select(accepted, build.mean_so_far + share * mean, build.mean_so_far)
        build.impulse = select(done, build.impulse_so_far, select(accepted, own / share, own))
        for i, x in zip(self.means, select(done, build.mean_so_far, mean), strict=True):
            actuator[i] = x
        if self.means:
            build.actuator = actuator


def _by_speed(patience: Scalar) -> Condition:
    """Whether speed has asked for two substeps, and nothing else has."""
    return (patience > 0.0) & (patience < 1.0)
