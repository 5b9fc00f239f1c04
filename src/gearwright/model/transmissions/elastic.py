"""Gears that twist: a rotor and a link with a flexible element between them, as in a harmonic drive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.fields import quantity
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.transmissions.losses import Backlash


@dataclass(frozen=True, kw_only=True)
class Elasticity(FrictionModel):
    """`T = k·x + k₃·x³ + d·dx/dt` against the twist x, of the actuator ahead of the joints, seen at the actuator."""

    stiffness: float = quantity("N·m/rad | N/m", above=0, doc="k, of a small twist")
    cubic: float = quantity("N·m/rad³ | N/m³", at_least=0, doc="k₃, by which it hardens", default=0.0)
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="d", default=0.0)

    def resist(self, position: Any, speed: Any) -> Any:
        return (self.stiffness + self.cubic * position * position) * position + self.damping * speed

    def stored(self, position: Any) -> Any:
        square = position * position
        return 0.5 * square * (self.stiffness + 0.5 * self.cubic * square)


@dataclass(frozen=True, kw_only=True)
class ElasticGear(Backlash):
    """A gear without play that twists: two masses, the rotor and what is behind it, with an elastic element between.

    `hysteresis` is friction of the twist itself, such as `gw.Dahl`: the torque lags behind the twist, as it does in a
    harmonic drive's flexible spline.
    """

    gap: float = quantity("rad | m", at_least=0, at_most=0, doc="none", default=0.0, parameter=False)
    cubic: float = quantity("N·m/rad³ | N/m³", at_least=0, doc="by which the gear hardens", default=0.0)
    hysteresis: FrictionModel | None = None  # friction of the twist

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hysteresis is not None and not isinstance(self.hysteresis, FrictionModel):
            raise ModelError(f"hysteresis must be a friction model, not {self.hysteresis!r:.60}")
        if self.hysteresis is not None and self.hysteresis.dry:
            raise ModelError(
                "hysteresis must be a model of bristles, such as gw.Dahl: dry friction would lock the gear"
            )

    @property
    def elasticity(self) -> Elasticity:
        """Its spring and damper."""
        return Elasticity(stiffness=self.stiffness, cubic=self.cubic, damping=self.damping)

    def torque(self, displacement: Any, rate: Any = 0.0) -> Any:
        """Torque of the elastic element at this twist and rate [N·m, N], without hysteresis. Arrays or traced."""
        return self.elasticity.resist(np.multiply(displacement, 1.0), np.multiply(rate, 1.0))
