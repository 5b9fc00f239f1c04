"""Losses of a real transmission: efficiency, friction, damping, and play between its teeth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import atan, cos, pi, tan
from typing import Any, Protocol

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.fields import Highlight, check, highlights, meanings, quantity
from gearwright.model.frictions.kind import FrictionModel

LEAST = 1e-3  # efficiency of a map: what a user's function gives below it, or above 1, would make energy


def backward(efficiency: Any) -> Any:
    """The efficiency of a gear from the joints to the actuator, by that of the other direction."""
    return 2.0 - 1.0 / efficiency


class OwnEfficiency(Protocol):
    """A kind of transmission that knows its efficiency by load and speed."""

    def efficiency_at(self, load: Any, speed: Any) -> Any: ...


@dataclass(frozen=True, kw_only=True, repr=False)
class Losses:
    """Losses on the actuator's side of a transmission, the same for each of its actuators."""

    efficiency: float = quantity(above=0, at_most=1, doc="fraction of the power that is transmitted", default=1.0)
    backward_efficiency: float | None = quantity(
        at_most=1, default=None, parameter=False,
        doc="the same from the joints to the actuator; 0 or less: self-locking; default: 2 − 1/efficiency",
    )  # fmt: skip
    friction: float = quantity("N·m | N", at_least=0, doc="Coulomb friction", default=0.0)
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="viscous friction", default=0.0)
    efficiency_map: tuple[tuple[float, float, float], ...] = quantity(
        "N·m | N, rad/s | m/s, 1", table=True, default=(),
        doc="load, speed, efficiency …, on a grid, instead of one number; linear between points, constant beyond",
    )  # fmt: skip
    friction_model: FrictionModel | None = field(default=None, repr=False)  # beside `friction`
    own: OwnEfficiency | None = field(default=None, repr=False)  # the type whose method gives the efficiency, if any

    @staticmethod
    def of_thread(*, lead_angle: float, friction_coefficient: float, flank_angle: float = 0.0) -> Losses:
        """The losses of a screw or a worm by its thread: efficiency tan γ/tan(γ + ρ), backward tan(γ − ρ)/tan γ.

        `lead_angle` γ [rad]; ρ is the angle of friction on flanks that are inclined by `flank_angle` [rad].
        """
        if not 0 < lead_angle < pi / 2 or not friction_coefficient >= 0 or not 0 <= flank_angle < pi / 2:
            raise ModelError(
                "a thread needs a lead_angle and a flank_angle below 90° and a friction_coefficient of 0 or more"
            )
        rho = atan(friction_coefficient / cos(flank_angle))
        if lead_angle + rho >= pi / 2:
            raise ModelError("a thread with this lead_angle and friction_coefficient transmits nothing")
        lead = tan(lead_angle)
        return Losses(efficiency=lead / tan(lead_angle + rho), backward_efficiency=tan(lead_angle - rho) / lead)

    def __post_init__(self) -> None:
        check(self)
        if self.efficiency_map:
            self._check_map()

    def _check_map(self) -> None:
        if self.efficiency != 1.0:
            raise ModelError("give efficiency_map, or efficiency, not both")
        if any(len(row) != 3 for row in self.efficiency_map):
            raise ModelError("efficiency_map takes triples: load, speed, efficiency")
        loads, speeds, values = zip(*self.efficiency_map, strict=True)
        if min(loads) < 0 or min(speeds) < 0:
            raise ModelError("efficiency_map takes loads and speeds that are not negative: it counts for both signs")
        if not all(0 < value <= 1 for value in values):
            raise ModelError("efficiency_map takes efficiencies above 0 and at most 1")
        if len(set(loads)) * len(set(speeds)) != len(values) or len({*zip(loads, speeds, strict=True)}) != len(values):
            raise ModelError("efficiency_map takes a grid: each of its loads once with each of its speeds")

    def __repr__(self) -> str:
        """As of a dataclass; an efficiency that one number does not say is `own` or in the map."""
        shown = {m.name: repr(getattr(self, m.name)) for m in meanings(type(self)) if m.field.repr}
        if self.own is not None:
            shown |= {"efficiency": "own"}
        return f"Losses({', '.join(f'{name}={text}' for name, text in shown.items())})"

    @property
    def lossless(self) -> bool:
        """Nothing is lost."""
        return self.efficient and not self.friction and not self.damping and self.friction_model is None

    @property
    def efficient(self) -> bool:
        """Nothing is lost in proportion to the load."""
        return self.efficiency == 1 and self.backward_efficiency in (None, 1.0) and not self.varies

    @property
    def varies(self) -> bool:
        """Whether its efficiency depends on load and speed."""
        return bool(self.efficiency_map) or self.own is not None

    def highlights(self) -> Iterator[Highlight]:
        """Texts for `show`."""
        yield from highlights(self)
        if self.own is not None:
            yield Highlight("efficiency by load and speed")

    @cached_property
    def _grid(self) -> tuple[list[float], list[float], list[list[float]]]:
        """Loads, speeds, and the efficiencies of each speed."""
        known = {(load, speed): value for load, speed, value in self.efficiency_map}
        loads, speeds = (sorted({row[i] for row in self.efficiency_map}) for i in (0, 1))
        return loads, speeds, [[known[load, speed] for load in loads] for speed in speeds]

    def efficiency_at(self, load: Any, speed: Any) -> Any:
        """η at this load [N·m, N] and speed [rad/s, m/s] of the actuator's side, of either sign. Arrays or traced."""
        if not self.varies:
            return self.efficiency
        load, speed = np.abs(np.multiply(load, 1.0)), np.abs(np.multiply(speed, 1.0))
        if not self.efficiency_map:
            assert self.own is not None
            return np.minimum(np.maximum(self.own.efficiency_at(load, speed), LEAST), 1.0)
        loads, speeds, rows = self._grid
        found: Any = 0.0
        for k, row in enumerate(rows):
            share = np.interp(speed, speeds, [float(i == k) for i in range(len(speeds))]) if len(speeds) > 1 else 1.0
            found = found + share * np.interp(load, loads, row)
        return found

    def backward_efficiency_at(self, load: Any, speed: Any) -> Any:
        """Efficiency when the joints drive the actuator; 0 or less: they cannot. The default is 2 − 1/η.

        The default holds for a gear whose friction is 1/η − 1 times the load that it transmits to the joints, in both
        directions.
        """
        if self.backward_efficiency is not None:
            return self.backward_efficiency
        own = None if self.efficiency_map else getattr(self.own, "backward_efficiency_at", None)
        if own is not None:
            load, speed = np.abs(np.multiply(load, 1.0)), np.abs(np.multiply(speed, 1.0))
            return np.minimum(own(load, speed), 1.0)
        return backward(self.efficiency_at(load, speed))

    def delivered(self, effort: Any, velocity: Any) -> Any:
        """The actuator's effort that passes into the map, while the actuator moves at this velocity.

        If the actuator drives (`effort·velocity > 0`), η·τ is transmitted. If the joints back-drive the actuator, they
        have to overcome τ/η_b, which is infinite for a self-locking gear. At rest nothing is lost to efficiency.
        Friction and damping resist the motion. Arrays or traced.
        """
        effort, velocity = np.multiply(effort, 1.0), np.multiply(velocity, 1.0)  # lists become arrays
        power, efficiency = effort * velocity, self.efficiency_at(effort, velocity)
        back = self.backward_efficiency_at(effort, velocity)
        held = effort * np.where(back > 0.0, 1.0 / np.where(back > 0.0, back, 1.0), np.inf)
        passed = np.where(power > 0, effort * efficiency, np.where(power < 0, held, effort))
        return passed - self.friction * np.sign(velocity) - self.damping * velocity


@dataclass(frozen=True, kw_only=True)
class Backlash:
    """Play between the actuator and the map: a dead band, and an elastic contact on both sides of it."""

    gap: float = quantity("rad | m", at_least=0, doc="total play, seen at the actuator")
    stiffness: float = quantity("N·m/rad | N/m", above=0, doc="of the contact")
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="of the contact", default=0.0)

    def __post_init__(self) -> None:
        check(self)

    def torque(self, displacement: Any, rate: Any = 0.0) -> Any:
        """Torque of the contact when the actuator is this far ahead of the map, at this rate [N·m, N].

        None within ±gap/2; damping acts in contact and never pulls the sides together. Arrays or traced.
        """
        displacement, half = np.multiply(displacement, 1.0), self.gap / 2
        ahead = np.maximum(displacement - half, 0.0) + np.minimum(displacement + half, 0.0)
        pressed = self.stiffness * ahead + self.damping * np.multiply(rate, 1.0)
        return np.where(ahead > 0, np.maximum(pressed, 0.0), np.where(ahead < 0, np.minimum(pressed, 0.0), 0.0)) + 0.0
