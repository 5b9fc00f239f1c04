"""A step in parts: halved where it cannot be followed whole, until each part can or is the smallest.

    whole step      ├───────────────┤     does not settle, or turns too far
    half            ├───────┤             does not settle, either
    quarters        ├───┼───┼───┼───┤     settle

Steps that follow are made in as many parts: steps of changing length lose what a symplectic scheme keeps. A part that
is given up leaves the state as it was. Robots of a batch that are done repeat a part and keep what they had.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from gearwright.dynamics.algebra.scalar import Scalar, both, divided, either, greatest, minus, plus, times, where
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.solve.conditions import as_number, negated
from gearwright.dynamics.steps.builder import StepBuilder

MOST = 31.0  # parts of a step beside the first
TRIES = 37  # five that are given up, and 32 parts
CALM = 500.0  # steps without a halving after which parts of twice the length are tried
STATES = ("position", "velocity", "mean_velocity", "impulse", "piece", "piece_end", "actuator")


@runtime_checkable
class Targeted(Protocol):
    """A kind that has a target for the end of the step."""

    def on_the_way(self, target: list[Scalar], q: Sequence[Scalar], dt: Scalar, part: Scalar, left: Scalar) -> None:
        """Its target for the end of a part, of which there are `left` with it; both are shares of dt."""


class Substeps:
    """The part that is made, as slots: `part` and `left` of the step, what the state was, what has acted so far."""

    def __init__(self, build: StepBuilder) -> None:
        self.build, self.dt = build, build["dt"][0]
        self.states = [slot for slot in STATES if slot in build]
        part = divided(1.0, plus(1.0, build["parts"][0]))
        build["part"], build["left"], build["span"] = [part], [1.0], [times(part, self.dt)]
        build["made"], build["failed"] = [0.0], [0.0]
        build["acted"] = [0.0] * len(build["impulse"])
        build.stage("whole")

    def begin(self, kinds: Sequence[ConstraintGroup], q: Sequence[Scalar]) -> None:
        """Stores what a part that is given up goes back to, and where drives are to be at its end."""
        build = self.build
        for slot in self.states:
            build[f"{slot}_before"] = build[slot]
        aim = build["target"]
        for kind in kinds:
            if isinstance(kind, Targeted):
                kind.on_the_way(aim, q, self.dt, build["part"][0], build["left"][0])
        build["aim"] = aim

    def end(self, done: Scalar) -> None:
        """Takes the part, or gives it up."""
        build = self.build
        (part,), (left,), (beside, calm) = build["part"], build["left"], build["parts"]
        goes_on = build["made"][0] < 0.5
        taken = both(goes_on, either(done, beside >= MOST))
        left = where(taken, minus(left, part), left)
        ends = both(taken, left <= 0.0)
        build["failed"] = [greatest(build["failed"][0], where(both(taken, negated(done)), 1.0, 0.0))]
        build["unsettled"] = [plus(build["unsettled"][0], where(ends, build["failed"][0], 0.0))]
        self._add_impulses(part, taken, ends)
        for slot in self.states:
            pairs = zip(build[slot], build[f"{slot}_before"], strict=True)
            build[slot] = [where(taken, new, old) for new, old in pairs]
        build["fresh"] = [as_number(taken)]
        halved = both(goes_on, negated(taken))
        longer = both(both(ends, calm >= CALM), beside > 0.0)
        more = where(halved, plus(times(2.0, beside), 1.0), where(longer, times(0.5, minus(beside, 1.0)), beside))
        build["parts"] = [more, where(either(halved, longer), 0.0, where(ends, plus(calm, 1.0), calm))]
        part = where(halved, times(0.5, part), part)
        build["part"], build["left"], build["span"] = [part], [left], [times(part, self.dt)]
        build["made"] = [where(either(negated(goes_on), ends), 1.0, 0.0)]

    def _add_impulses(self, part: Scalar, taken: Scalar, ends: Scalar) -> None:
        """At the end of the step, all; at that of a part, what they would be in a whole step."""
        build = self.build
        rows = list(zip(build["acted"], build["impulse"], strict=True))
        acted = [where(taken, plus(a, x), a) for a, x in rows]
        build["acted"] = acted
        build["impulse"] = [where(ends, a, divided(x, part)) for a, (_, x) in zip(acted, rows, strict=True)]
