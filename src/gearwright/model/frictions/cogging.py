"""Torque that repeats with the position: magnets that hold a rotor in its slots, teeth that are not round."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from gearwright.model.fields import quantity
from gearwright.model.frictions.kind import FrictionModel


@dataclass(frozen=True, kw_only=True)
class Cogging(FrictionModel):
    """`F = A·sin(n·x + φ)` against positive motion. It stores energy and dissipates none."""

    amplitude: float = quantity("N·m | N", at_least=0, doc="A")
    period: float = quantity("rad | m", above=0, doc="2π/n, from detent to detent")
    phase: float = quantity("rad", doc="φ", default=0.0)

    @property
    def _wave(self) -> Any:
        """n."""
        return 2 * pi / self.period

    def resist(self, position: Any, speed: Any) -> Any:
        return self.amplitude * np.sin(self._wave * position + self.phase)

    def stored(self, position: Any) -> Any:
        return (self.amplitude / self._wave) * (1.0 - np.cos(self._wave * position + self.phase))
