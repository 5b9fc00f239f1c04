"""What a proof has compared, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, kw_only=True)
class Check:
    """One quantity of a written file, as one program has it, against the robot that was written."""

    program: str  # that read the file
    what: str  # "poses", "mass matrix", "bias", "motion"
    difference: float | None = None  # the largest; None: not compared
    tolerance: float = 0.0
    note: str = ""  # why it was not compared, or not to the tolerance asked for

    @property
    def ok(self) -> bool:
        """Not above the tolerance. What a program does not read is no difference."""
        return self.difference is None or (isfinite(self.difference) and self.difference <= self.tolerance)

    def __str__(self) -> str:
        if self.difference is None:
            return f"{self.program:<11} {self.what:<12} {'–':>9}  {self.note}"
        mark = "ok" if self.ok else f"above {self.tolerance:g}"
        return (
            f"{self.program:<11} {self.what:<12} {self.difference:>9.2g}  {mark}{f'; {self.note}' if self.note else ''}"
        )


def table(checks: tuple[Check, ...]) -> str:
    head = f"{'program':<11} {'compared':<12} {'largest':>9}"
    return "\n".join([head, *map(str, checks)])
