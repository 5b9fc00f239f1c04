"""What a real transmission takes off: efficiency, friction, damping, and play between its teeth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.model.fields import check, quantity


@dataclass(frozen=True, kw_only=True)
class Losses:
    """On the actuator's side of a transmission, the same for each of its actuators."""

    efficiency: float = quantity(above=0, at_most=1, doc="share of the power that passes", default=1.0)
    friction: float = quantity("N·m | N", at_least=0, doc="Coulomb friction", default=0.0)
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="viscous friction", default=0.0)

    def __post_init__(self) -> None:
        check(self)

    @property
    def lossless(self) -> bool:
        """Nothing is lost."""
        return self.efficiency == 1 and not self.friction and not self.damping

    def delivered(self, effort: Any, velocity: Any) -> Any:
        """What of an actuator's effort passes into the map, while the actuator moves at this velocity.

        Power that the actuator gives (`effort·velocity > 0`) arrives as η·τ; where the joints drive the actuator
        back it takes only τ/η to hold them; at rest nothing is lost to efficiency. Friction and damping resist the
        motion. Arrays or traced.
        """
        effort, velocity = np.multiply(effort, 1.0), np.multiply(velocity, 1.0)  # lists become arrays
        power = effort * velocity
        passed = np.where(power > 0, effort * self.efficiency, np.where(power < 0, effort / self.efficiency, effort))
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
        """What the contact passes on when the actuator is this far ahead of the map, at this rate [N·m, N].

        None within ±gap/2; damping acts in contact and never pulls the sides together. Arrays or traced.
        """
        displacement, half = np.multiply(displacement, 1.0), self.gap / 2
        ahead = np.maximum(displacement - half, 0.0) + np.minimum(displacement + half, 0.0)
        pressed = self.stiffness * ahead + self.damping * np.multiply(rate, 1.0)
        return np.where(ahead > 0, np.maximum(pressed, 0.0), np.where(ahead < 0, np.minimum(pressed, 0.0), 0.0)) + 0.0
