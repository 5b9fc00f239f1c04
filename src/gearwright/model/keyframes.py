"""Named states of a mechanism: a pose to begin from, with velocities and commands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

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
            raise ModelError(f"keyframe {self.name!r}: a command must be a number") from None


def within(k: Keyframe, joints: Collection[str], actuators: Collection[str]) -> Keyframe:
    """A copy that names no others."""
    position, velocity = (
        {name: x for name, x in values.items() if name in joints} for values in (k.position, k.velocity)
    )
    command = {name: x for name, x in k.command.items() if name in actuators}
    return replace(k, position=position, velocity=velocity, command=command)


def joined(k: Keyframe, other: Keyframe) -> Keyframe:
    """A copy with the values of another one, too."""
    return replace(
        k, position={**k.position, **other.position}, velocity={**k.velocity, **other.velocity},
        command={**k.command, **other.command},
    )  # fmt: skip


def unknown_names(k: Keyframe, joints: Collection[str], actuators: Collection[str]) -> list[str]:
    """What it names, and a robot with these parts has not."""
    named = [name for name in {**k.position, **k.velocity} if name not in joints]
    return [*named, *(name for name in k.command if name not in actuators)]
