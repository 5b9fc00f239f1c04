"""Drives: gains and limits by which a joint is brought to a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from gearwright.errors import ModelError
from gearwright.model.fields import check, quantity

UNGIVEN_RATE = 1e30  # a target's rate that nobody has given: the joint has the rate with which it got there


@dataclass(frozen=True, kw_only=True)
class Drive:
    """`τ = stiffness·(target − q⁺) + damping·(target rate − v⁺)`, at most `effort`, at the end of the step.

    It is stable at any gain. Its default effort limit is that of the joint; without any limit, it is solved as an
    equality. `kinematic` prescribes the position itself, with whatever effort that takes, and has neither gains nor a
    limit.
    """

    stiffness: float = quantity("N·m/rad | N/m", at_least=0, doc="gain on the position error", default=0.0)
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="gain on the velocity error", default=0.0)
    effort: float = quantity("N·m | N", at_least=0, infinite=True, doc="the largest effort", default=inf)
    kinematic: bool = False  # prescribes the position itself

    def __post_init__(self) -> None:
        check(self, "a drive's ")
        gains = (self.stiffness, self.damping)
        if self.kinematic and (any(gains) or self.effort < inf):
            raise ModelError("a kinematic drive prescribes the motion: it has neither gains nor an effort limit")
        if not self.kinematic and not any(gains):
            raise ModelError("a drive needs stiffness or damping, or to be kinematic")

    def within(self, limit: float) -> Drive:
        """A copy with the joint's effort limit, if it has none of its own; a limit of 0 in a file means none."""
        if self.kinematic or self.effort < inf or not 0.0 < limit < inf:
            return self
        return replace(self, effort=limit)
