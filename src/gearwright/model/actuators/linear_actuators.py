"""Actuators that push along a line: solenoids and pneumatic cylinders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from gearwright.model.actuators.actuator import Actuator, Command, Number, Shaft, given, piecewise
from gearwright.model.fields import Highlight, Rules, quantity


@dataclass(frozen=True, kw_only=True)
class Solenoid(Actuator):
    """Pulls along its stroke. A table gives force over stroke at full command (1); it is constant beyond its ends."""

    type: ClassVar[str] = "solenoid"
    may_rise: ClassVar[bool] = True
    commands: ClassVar[tuple[Command, ...]] = ("effort",)

    force_stroke: tuple[tuple[float, float], ...] = quantity(
        "m, N", table=True, doc="stroke, force, stroke, force … at full command", shown=""
    )

    def rules(self) -> Rules:
        strokes = [s for s, _ in self.force_stroke]
        rising = len(strokes) > 1 and all(b > a for a, b in pairwise(strokes))
        yield rising, "force_stroke takes two or more points with rising strokes"

    def highlights(self) -> Iterator[Highlight]:
        yield Highlight("{}", max(force for _, force in self.force_stroke), "N")
        yield Highlight("over {}", self.force_stroke[-1][0], "m")

    @property
    def depends_on_speed(self) -> bool:
        return True

    def wanted(self, command: Number, shaft: Shaft) -> Number:
        """The command is a fraction of the full current, from 0 to 1."""
        share = np.minimum(np.maximum(command, 0.0), 1.0)
        return share * piecewise(shaft.position, self.force_stroke, extended=False)


@dataclass(frozen=True, kw_only=True)
class PneumaticCylinder(Actuator):
    """A piston whose pressure follows the command with a first-order lag: `T·dp/dt = command·p_supply − p`."""

    type: ClassVar[str] = "pneumatic"
    commands: ClassVar[tuple[Command, ...]] = ("effort",)
    states: ClassVar[tuple[str, ...]] = ("pressure",)
    state_units: ClassVar[tuple[str, ...]] = ("Pa",)

    bore_area: float = quantity("m²", above=0, doc="area of the piston")
    supply_pressure: float = quantity("Pa", above=0, doc="above ambient")
    time_constant: float = quantity("s", above=0, doc="lag of the pressure behind the command")

    def highlights(self) -> Iterator[Highlight]:
        yield Highlight("{}", self.bore_area * self.supply_pressure, "N")
        yield Highlight("lag {}", self.time_constant, "s")

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        """The command is a fraction of the supply pressure, from −1 (the other chamber) to 1.

        In closed form: the pressure at the end of dt, and the force of the mean pressure until then.
        """
        full = np.minimum(np.maximum(command, -1.0), 1.0) * self.supply_pressure
        if not given(shaft.dt):
            return self.bounded(full * self.bore_area, shaft), (full,)
        x = shaft.dt / self.time_constant
        filled = 1.0 - np.exp(-x)
        missing = full - state[0]
        mean = full - missing * filled / x
        return self.bounded(mean * self.bore_area, shaft), (state[0] + filled * missing,)
