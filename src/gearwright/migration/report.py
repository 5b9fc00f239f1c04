"""The report of a migration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Change:
    """An older joint that became a <mimic>."""

    name: str  # of the older joint, in the mechanism
    spelling: str  # "gearbox" or "mimic joint"
    line: int  # where it stood in the old file
    joint: str  # that follows now, in the mechanism
    axis: str  # "axis" or "axis2", the element that holds the <mimic>
    leader: str  # in the mechanism
    multiplier: float  # follower's unit per leader's unit
    mimic: str  # the new element, on one line

    def __str__(self) -> str:
        return f"line {self.line}: {self.spelling} {self.name!r} → <{self.axis}> of joint {self.joint!r}: {self.mimic}"


@dataclass(frozen=True, kw_only=True)
class Migration:
    """Made by `gearwright.migrate`. `ok` says whether both files move alike; nothing is written where they do not."""

    source: str
    target: str
    changes: tuple[Change, ...]
    rewritten: tuple[str, ...]  # what else was written differently, because the version was raised
    notes: tuple[str, ...]  # what is left for the user to do
    difference: float | None  # largest difference of a joint's position [rad, m] in the proof; None: not simulated
    tolerance: float
    written: bool  # whether the target was written

    @property
    def ok(self) -> bool:
        return self.difference is None or self.difference <= self.tolerance
