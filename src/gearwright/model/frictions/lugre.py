"""Friction of bristles that hold more at rest than in motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.model.fields import Rules, quantity
from gearwright.model.frictions.bristles import BristleModel


@dataclass(frozen=True, kw_only=True)
class LuGre(BristleModel):
    """`F = σ₀·z + σ₁·dz/dt + σ₂·v`, `dz/dt = v − (σ₀/g)·|v|·z`, `g = F_c + (F_s − F_c)·exp(−(v/v_s)²)`.

    Canudas de Wit, Olsson, Åström and Lischinsky (1995): presliding, break-away that depends on how fast the push
    grows, and the Stribeck curve.
    """

    kinetic: float = quantity("N·m | N", above=0, doc="F_c, at high speed")
    static: float = quantity("N·m | N", above=0, doc="F_s, at rest")
    stribeck_speed: float = quantity("rad/s | m/s", above=0, doc="v_s, at which 63 % of the difference is gone")
    stiffness: float = quantity("N·m/rad | N/m", above=0, doc="σ₀, of the bristles")
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="σ₁, of the bristles", default=0.0)
    viscous: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="σ₂", default=0.0)

    def rules(self) -> Rules:
        """More at rest than in motion."""
        yield self.static >= self.kinetic, "static friction is at least the kinetic friction"

    @property
    def bristle_stiffness(self) -> Any:
        return self.stiffness

    @property
    def bristle_damping(self) -> Any:
        return self.damping

    def level(self, speed: Any) -> Any:
        ratio = speed / self.stribeck_speed
        return self.kinetic + (self.static - self.kinetic) * np.exp(-ratio * ratio)

    def resist(self, position: Any, speed: Any) -> Any:
        return self.viscous * speed

    @property
    def smooth(self) -> bool:
        return not (isinstance(self.viscous, float) and self.viscous == 0.0)
