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
    direction of motion. A type defines σ, σ₁, and the level g: `level(speed)`.

    A type with more states, on which its level depends, lists them after the deflection, and defines
    `level_in(speed, state)` and `follow(moved, time, state)`; both get all of the states.
    """

    states: ClassVar[tuple[str, ...]] = ("deflection",)
    state_units: ClassVar[tuple[str, ...]] = ("rad | m",)

    def lacking(self) -> str:
        """A type of bristles has to define σ and g, and how further states go on."""
        own, base = type(self), BristleModel
        if own.bristle_stiffness is base.bristle_stiffness:
            return "the property bristle_stiffness"
        if own.level is base.level and own.level_in is base.level_in:
            return "level(speed)"
        if self.states[:1] != base.states:
            return f"{base.states[0]!r} as the first of its states"
        return "follow(moved, time, state)" if len(self.states) > 1 and own.follow is base.follow else ""

    @property
    def dry(self) -> bool:
        """Its level is that at which bristles slide."""
        return False

    @property
    def bristle_stiffness(self) -> Any:
        """σ [N·m/rad, N/m]."""
        raise NotImplementedError

    @property
    def bristle_damping(self) -> Any:
        """σ₁ [N·m·s/rad, N·s/m]."""
        return 0.0

    def follow(self, moved: Any, time: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """z at the end of a way, by the level in these states; any others as they are."""
        deflection, *others = state
        sliding = self.level_in(np.abs(moved) / time, state) / self.bristle_stiffness
        return self.deflected(moved, sliding, deflection), *others

    @staticmethod
    def deflected(moved: Any, sliding: Any, deflection: Any) -> Any:
        """z after a displacement, between the ends ±`sliding`."""
        ahead = np.where(moved < 0.0, -sliding, sliding)
        return ahead + (deflection - ahead) * np.exp(-np.abs(moved) / sliding)
