"""Friction of bristles that bend before they slide: hysteresis by displacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gearwright.model.fields import quantity
from gearwright.model.frictions.kind import FrictionModel


@dataclass(frozen=True, kw_only=True)
class Dahl(FrictionModel):
    """`F = σ·z`, `dz/dt = v − (σ/F_c)·|v|·z`: a spring before it slides, and Coulomb friction after (Dahl, 1968).

    The deflection z depends on the way alone: `z⁺ = ±z_c + (z ∓ z_c)·exp(−|Δx|/z_c)` with `z_c = F_c/σ`, by the
    direction of the way.
    """

    states: ClassVar[tuple[str, ...]] = ("deflection",)

    coulomb: float = quantity("N·m | N", above=0, doc="F_c, while it slides")
    stiffness: float = quantity("N·m/rad | N/m", above=0, doc="σ, of the bristles at rest")

    def respond(self, moved: Any, time: Any, state: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        (deflection,) = state
        sliding = self.coulomb / self.stiffness
        ahead = np.where(moved < 0.0, -sliding, sliding)
        after = ahead + (deflection - ahead) * np.exp(-np.abs(moved) / sliding)
        return self.stiffness * after, (after,)
