"""Friction of bristles that bend before they slide: hysteresis by displacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gearwright.model.fields import quantity
from gearwright.model.frictions.bristles import BristleModel


@dataclass(frozen=True, kw_only=True)
class Dahl(BristleModel):
    """`F = σ·z`, `dz/dt = v − (σ/F_c)·|v|·z`: a spring before it slides, and Coulomb friction after (Dahl, 1968).

    The deflection z depends on the distance alone: `z⁺ = ±z_c + (z ∓ z_c)·exp(−|Δx|/z_c)` with `z_c = F_c/σ`, by the
    direction of motion.
    """

    coulomb: float = quantity("N·m | N", above=0, doc="F_c, while it slides")
    stiffness: float = quantity("N·m/rad | N/m", above=0, doc="σ, of the bristles at rest")

    @property
    def bristle_stiffness(self) -> Any:
        return self.stiffness

    def level(self, speed: Any) -> Any:
        return self.coulomb + 0.0 * speed
