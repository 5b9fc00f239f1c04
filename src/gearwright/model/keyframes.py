"""Named states of a mechanism: a pose to begin from, with velocities and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.given_numbers import numbers

Values = Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, kw_only=True)
class Keyframe:
    """A named state. `Simulation.reset(keyframe=…)` begins there; joints that it does not name are at their start."""

    name: str
    position: Values = field(default_factory=dict)  # joint or base → its positions [rad, m]
    velocity: Values = field(default_factory=dict)  # joint or base → its velocities [rad/s, m/s]
    command: Mapping[str, float] = field(default_factory=dict)  # actuator → command
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for kind in ("position", "velocity"):
            values = getattr(self, kind)
            given = {name: tuple(numbers(repr(name), x).ravel().tolist()) for name, x in values.items()}
            object.__setattr__(self, kind, given)
        try:
            object.__setattr__(self, "command", {str(name): float(x) for name, x in self.command.items()})
        except (TypeError, ValueError):
            raise ModelError(f"keyframe {self.name!r}: a command is a number") from None
