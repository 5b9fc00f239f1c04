"""What a file cannot say of a robot, and what somebody should know who reads the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Something of a robot that a file does not hold."""

    part: str  # "joint 'elbow'"
    field: str  # "limits.velocity"; "" of the whole part
    reason: str

    def __str__(self) -> str:
        return f"{self.part}{f', {self.field}' if self.field else ''}: {self.reason}"


@dataclass(frozen=True, kw_only=True)
class SaveReport:
    """What `save` wrote, and what it could not write."""

    path: Path  # the file that was written
    lost: tuple[Loss, ...] = ()  # what the file does not say
    notes: tuple[str, ...] = ()  # what it says in another way
    files: tuple[Path, ...] = ()  # meshes that were copied

    def __str__(self) -> str:
        lines = [f"{self.path}: {'everything is written' if not self.lost else f'{len(self.lost)} lost'}"]
        lines += [f"  lost: {loss}" for loss in self.lost]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


@dataclass(kw_only=True)
class LossLog:
    """A report under construction, which writers add to."""

    lost: list[Loss] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lose(self, part: str, field: str, reason: str) -> None:
        loss = Loss(part=part, field=field, reason=reason)
        if loss not in self.lost:
            self.lost.append(loss)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
