"""The base of frictions whose bristles bend before they slide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gearwright.model.frictions.kind import FrictionModel


@dataclass(frozen=True, kw_only=True)
class BristleModel(FrictionModel):
    """`F = σ·z + σ₁·dz/dt`, `dz/dt = v − (σ/g)·|v|·z`: z follows the motion, up to ±g/σ.

    At a constant speed the deflection depends on the distance alone: `z⁺ = ±g/σ + (z ∓ g/σ)·exp(−σ·|Δx|/g)`, by the
    direction of motion. A type defines σ, σ₁, and the level g by speed.
    """

    states: ClassVar[tuple[str, ...]] = ("deflection",)

    def lacking(self) -> str:
        """A type of bristles has to define σ and g."""
        if type(self).bristle_stiffness is BristleModel.bristle_stiffness:
            return "the property bristle_stiffness"
        return "level(speed)" if type(self).level is BristleModel.level else super().lacking()

    @property
    def bristle_stiffness(self) -> Any:
        """σ [N·m/rad, N/m]."""
        raise NotImplementedError

    @property
    def bristle_damping(self) -> Any:
        """σ₁ [N·m·s/rad, N·s/m]."""
        return 0.0

    def respond(self, moved: Any, time: Any, state: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """At the end of the displacement; the damping is that of the mean rate of z."""
        (deflection,) = state
        sliding = self.level(np.abs(moved) / time) / self.bristle_stiffness
        after = self.deflected(moved, sliding, deflection)
        effort = self.bristle_stiffness * after + self.bristle_damping * ((after - deflection) / time)
        return effort, (after,)

    @staticmethod
    def deflected(moved: Any, sliding: Any, deflection: Any) -> Any:
        """z after a displacement, between the ends ±`sliding`."""
        ahead = np.where(moved < 0.0, -sliding, sliding)
        return ahead + (deflection - ahead) * np.exp(-np.abs(moved) / sliding)
