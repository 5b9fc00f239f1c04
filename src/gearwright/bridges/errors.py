"""The error of all bridges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gearwright.errors import GearwrightError, suggestion


class BridgeError(GearwrightError):
    """A robot and another engine's model that do not go together."""


def names_there(ours: Sequence[str], given: Mapping[str, str] | None) -> dict[str, str]:
    """By the robot's joint, its name in the other model."""
    for name in given or {}:
        if name not in ours:
            raise BridgeError(f"joints: no actuator moves {name!r}{suggestion(name, ours)}")
    return {name: (given or {}).get(name, name) for name in ours}
