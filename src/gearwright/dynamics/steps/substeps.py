"""A step in parts: halved where it cannot be followed whole, until each part can or is the smallest.

    whole step      ├───────────────┤     does not settle, turns too far, or does not keep energy
    half            ├───────┤             does not settle, either
    quarters        ├───┼───┼───┼───┤     settle

Fast loops begin with as many parts as their speed asks for. A part that is given up leaves the state as it was. Robots
of a batch that are done repeat a part and keep what they had.

Steps that follow are made in as many parts: steps of changing length lose what a symplectic scheme keeps. After a while
longer parts are tried: soon where there are many, later where there are few. If these have to be halved again, the next
trial waits longer. `parts` has how many there are beside the first, the steps since that number changed, and how many
times as long as usual it stays (`patience`), which is negative while longer parts are on trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Protocol, runtime_checkable

from gearwright.dynamics.algebra.column import Column, select
from gearwright.dynamics.algebra.scalar import Condition, Scalar, maximum, minimum, negated, total, where
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.solve.conditions import as_number
from gearwright.dynamics.steps.builder import StepBuilder
from gearwright.dynamics.steps.slots import Slots, before
from gearwright.model.layout.slots import slots_that

MOST = 31.0  # parts of a step beside the first
TRIES = 37  # five that are given up, and 32 parts
CALM = 500.0  # steps without a halving after which a step in two parts is made as a whole
CALM_LOOP = 2.0  # [s] the same where energy may stray: longer than a turn of any loop that has parts for its speed
LEAST_CALM = 0.5  # share of that time that any number of parts stays there
LONGER = 4.0  # times as long do parts stay where fewer of them were tried too early
ON_TRIAL = -1.0  # in place of that number: the last change was to fewer parts
LOOP_SPEED = 20.0  # [rad/s] of a loop's fastest joint: beyond it two parts, beyond twice as much four, …
STRAYED = 0.2  # [1/s] times dt: share of its kinetic energy that a part may lose or find; beyond it, it is halved
MANY = 7.0  # passes: where rows nearly depend on each other, shorter parts settle no better, and are not tried
RESTORED = 1.0  # [1/s] the same of the smallest parts: beyond it, their velocity is scaled to the energy that is due,
COUNTED = 30.0  # [1/s] and beyond this the step is counted: nothing of the motion in it can be relied on
IN_USE = STRAYED / 16.0  # [1/s] parts of twice the length would err by eight times as much


@runtime_checkable
class Targeted(Protocol):
    """A kind that has a target for the end of the step."""

    def on_the_way(self, target: list[Scalar], q: Sequence[Scalar], dt: Scalar, part: Scalar, left: Scalar) -> None:
        """Its target for the end of a part, of which there are `left` with it; both are shares of dt."""


class Energy(Protocol):
    """That of a part, where it may not be kept."""

    def beyond(self, rate: float) -> Condition:
        """Whether its error is more than this share of it, per second of the step."""

    def restore(self) -> None:
        """Corrects the velocity of a part that is taken and cannot be halved, where `restored` is not set."""


class Substeps:
    """The part that is made, as slots: `part` and `remaining` of the step, what the state was, what has acted so far.

    With loops that have rows, `loop_speed_squared` is the square of their fastest joint's speed [rad²/s²]. `means` are
    the places of numbers of actuators that are means over the step. `may_stray`: energy is measured.
    """

    def __init__(
        self, build: StepBuilder, loop_speed_squared: Scalar | None = None, means: Sequence[int] = (),
        *, may_stray: bool = False,
    ) -> None:  # fmt: skip
        self.build, self.dt, self.means = build, build.dt[0], means
        self.states = [slot for slot in slots_that("retried") if slot in build]
        self.calm = maximum(CALM, CALM_LOOP / self.dt) if may_stray else CALM
        self.least_calm = LEAST_CALM if may_stray else 0.0
        if loop_speed_squared is not None:
            self._by_speed(loop_speed_squared)
        part = 1.0 / (1.0 + build.parts[0])
        build.part, build.remaining, build.span = [part], [1.0], [part * self.dt]
        build.step_done, build.failed, build.summed = [0.0], [0.0], [0.0]
        build.stage("whole")

    def _by_speed(self, square: Scalar) -> None:
        """At least as many parts as loops of this speed ask for.

        A chord is shorter than its arc: by the square of the angle that a part turns by, a loop's energy swings. Parts
        go by speed instead of angle, so that halving dt divides the error by four at any speed. They begin before the
        swing is large: where their number changes, the energy stays off by what it was then.
        """
        build = self.build
        beside, calm, patience = build.parts
        needed = total(*(where(square > (n * LOOP_SPEED) ** 2, n, 0.0) for n in (1.0, 2.0, 4.0, 8.0, 16.0)))
        in_use = (2.0 * needed) >= beside  # half of the parts would not do
        patience = where(needed > beside, self._tried_too_early(calm, patience), patience)
        build.parts = [maximum(beside, needed), where(in_use, 0.0, calm), patience]
        build.stage("pace")  # of its own: a linearized step is whole

    def begin(self, kinds: Sequence[ConstraintGroup], q: Sequence[Scalar]) -> None:
        """Stores where drives are to be at the part's end."""
        build = self.build
        aim = build.target
        for kind in kinds:
            if isinstance(kind, Targeted):
                kind.on_the_way(aim, q, self.dt, build.part[0], build.remaining[0])
        build.aim = aim

    def keep(self, *, always: bool = False) -> None:
        """Stores what a part that is given up goes back to; where it will not be, nothing, unless `always`."""
        build = self.build
        with nullcontext() if always else build.unless(Slots.assured):
            for slot in self.states:
                build[before(slot)] = build[slot]
            build.stage("keep")

    def end(self, followed: Condition, settled: Condition, energy: Energy | None = None) -> None:
        """Ends the step where it was made as a whole; else the part is taken or given up.

        A shorter part is easier to follow, and strays less. Laws that have not settled would do so no better: those
        steps are counted, as are those whose smallest parts stray far.
        """
        build = self.build
        part, goes_on = build.part[0], build.step_done[0] < 0.5
        smallest, right = build.parts[0] >= MOST, followed & settled
        if energy is not None:
            followed, right = self._faithful(energy, followed, right)
        taken = goes_on & (followed | smallest)
        build.part_taken, build.unfinished = [as_number(taken)], [as_number(goes_on)]
        fails = taken & negated(right)
        build.failed = [maximum(build.failed[0], where(fails, 1.0, 0.0))]
        build.whole = build.step_done = [where(taken & negated(fails) & (part >= 1.0), 1.0, 0.0)]
        build.stage("finish")
        with build.unless(Slots.whole):
            with build.unless(Slots.summed):
                build.impulse_so_far, build.summed = [0.0] * len(build.impulse), [1.0]
                if self.means:
                    build.mean_so_far = [0.0] * len(self.means)
                build.stage("sum")
            with build.unless(Slots.part_taken):
                self._go_back()
            if energy is not None:
                energy.restore()
            self._take_or_give_up()
            build.stage("part")

    def _faithful(self, energy: Energy, followed: Condition, right: Condition) -> tuple[Condition, Condition]:
        """The same where energy is kept, too: to a small error, and to a larger one where the part is the smallest."""
        build = self.build
        (beside, calm, patience), goes_on = build.parts, build.step_done[0] < 0.5
        build.parts = [beside, where(goes_on & energy.beyond(IN_USE), 0.0, calm), patience]
        build.restored = [where(goes_on & (beside >= MOST) & energy.beyond(RESTORED), 0.0, 1.0)]
        strays = energy.beyond(STRAYED) & (build.iteration[0] < MANY)
        return followed & negated(strays), right & negated(energy.beyond(COUNTED))

    def _go_back(self) -> None:
        """The state as it was before a part that is given up."""
        build = self.build
        taken = build.part_taken[0] > 0.5
        for slot in self.states:
            build[slot] = select(taken, build[slot], build[before(slot)])
        build.fresh = [as_number(taken)]
        build.stage("back")

    def _take_or_give_up(self) -> None:
        build = self.build
        (part,), (left,), (beside, calm, patience) = build.part, build.remaining, build.parts
        taken, goes_on = build.part_taken[0] > 0.5, build.unfinished[0] > 0.5
        left = where(taken, left - part, left)
        ends = taken & (left <= 0.0)
        self._add_impulses(part, taken, ends)
        if self.means:
            self._add_means(part, taken, ends)
        build.unsettled = [build.unsettled[0] + where(ends, build.failed[0], 0.0)]
        halved = goes_on & negated(taken)
        longer = ends & (calm >= self._due(beside, patience)) & (beside > 0.0)
        more = where(halved, 2.0 * beside + 1.0, where(longer, 0.5 * (beside - 1.0), beside))
        counted = where(ends & (beside > 0.0), calm + 1.0, calm)
        tried = where(more > 0.0, ON_TRIAL, 0.0)  # steps that are whole are not counted
        patience = where(halved, self._tried_too_early(calm, patience), where(longer, tried, patience))
        build.parts = [more, where(halved | longer, 0.0, counted), patience]
        part = where(halved, 0.5 * part, part)
        build.part, build.remaining, build.span = [part], [left], [part * self.dt]
        build.step_done = [where(negated(goes_on) | ends, 1.0, 0.0)]

    def _due(self, beside: Scalar, patience: Scalar) -> Scalar:
        """Steps after which parts of twice the length are tried: few where there are many parts, which cost most."""
        pair = 2.0 / (1.0 + beside)
        share = maximum(pair * pair, self.least_calm) * maximum(1.0, patience)
        return self.calm * minimum(share, 1.0)

    def _tried_too_early(self, calm: Scalar, patience: Scalar) -> Scalar:
        """The patience of more parts than before: it is greater where fewer of them were on trial till now."""
        return where((patience < 0.0) & (calm < self.calm), LONGER, maximum(1.0, patience))

    def _add_impulses(self, part: Scalar, taken: Condition, ends: Condition) -> None:
        """At the end of the step, all; at that of a part, what they would be in a whole step; given up, as before."""
        build = self.build
        whole = build.whole[0] > 0.5
        so_far, own = build.impulse_so_far, build.impulse
        acted = select(whole, own, select(taken, so_far + own, so_far))
        done = ends | (build.unfinished[0] < 0.5)
        build.impulse_so_far = acted
        build.impulse = select(done, acted, select(taken, own / part, own))

    def _add_means(self, part: Scalar, taken: Condition, ends: Condition) -> None:
        """At the end of the step, the mean over its parts."""
        build, whole = self.build, self.build.whole[0] > 0.5
        after = build.actuator
        so_far, own = build.mean_so_far, Column(after[i] for i in self.means)
        mean = select(whole, own, select(taken, so_far + part * own, so_far))
        done = ends | (build.unfinished[0] < 0.5)
        for i, x in zip(self.means, select(done, mean, own), strict=True):
            after[i] = x
        build.mean_so_far, build.actuator = mean, after
