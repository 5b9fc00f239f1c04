"""Actuators that push along a line: solenoids and pneumatic cylinders."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.actuators.actuator import Actuator, Command, Number, Shaft, given, piecewise


@dataclass(frozen=True, kw_only=True)
class Solenoid(Actuator):
    """Pulls along its stroke: force against stroke at full command (1), as a table; level beyond its ends."""

    type: ClassVar[str] = "solenoid"
    may_rise: ClassVar[bool] = True
    commands: ClassVar[tuple[Command, ...]] = ("effort",)

    force_stroke: tuple[tuple[float, float], ...]  # (stroke [m], force [N]) …

    def __post_init__(self) -> None:
        super().__post_init__()
        strokes = [s for s, _ in self.force_stroke]
        if len(strokes) < 2 or any(b <= a for a, b in pairwise(strokes)):
            raise ModelError("force_stroke takes two or more points with rising strokes")
        if not all(isfinite(x) for point in self.force_stroke for x in point):
            raise ModelError("force_stroke takes finite numbers")

    @property
    def depends_on_speed(self) -> bool:
        return True

    def wanted(self, command: Number, shaft: Shaft) -> Number:
        """The command is the share of the full current, from 0 to 1."""
        share = np.minimum(np.maximum(command, 0.0), 1.0)
        return share * piecewise(shaft.position, self.force_stroke, extended=False)


@dataclass(frozen=True, kw_only=True)
class PneumaticCylinder(Actuator):
    """A piston whose pressure follows the command with a first-order lag: `T·dp/dt = command·p_supply − p`."""

    type: ClassVar[str] = "pneumatic"
    commands: ClassVar[tuple[Command, ...]] = ("effort",)
    positive: ClassVar[tuple[str, ...]] = ("bore_area", "supply_pressure", "time_constant")
    states: ClassVar[tuple[str, ...]] = ("pressure",)  # [Pa]

    bore_area: float  # [m²]
    supply_pressure: float  # above ambient [Pa]
    time_constant: float  # [s]

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        """The command is the share of the supply pressure, from −1 (the other chamber) to 1."""
        full = np.minimum(np.maximum(command, -1.0), 1.0) * self.supply_pressure
        share = shaft.dt / (self.time_constant + shaft.dt) if given(shaft.dt) else 1.0
        pressure = state[0] + share * (full - state[0])
        return self.bounded(pressure * self.bore_area, shaft), (pressure,)
