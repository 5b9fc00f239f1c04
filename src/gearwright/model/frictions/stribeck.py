"""Friction that is higher at rest than in motion: `c + (s − c)·exp(−(v/v_s)²)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.model.fields import quantity
from gearwright.model.frictions.kind import FrictionModel


@dataclass(frozen=True, kw_only=True)
class Stribeck(FrictionModel):
    """A lubricated bearing: from the static friction at rest, it falls to the Coulomb friction (Stribeck, 1902)."""

    static: float = quantity("N·m | N", at_least=0, doc="at rest")
    coulomb: float = quantity("N·m | N", at_least=0, doc="at high speed")
    stribeck_velocity: float = quantity("rad/s | m/s", above=0, doc="speed at which 63 % of the difference is gone")

    def level(self, speed: Any) -> Any:
        ratio = speed / self.stribeck_velocity
        return self.coulomb + (self.static - self.coulomb) * np.exp(-ratio * ratio)
