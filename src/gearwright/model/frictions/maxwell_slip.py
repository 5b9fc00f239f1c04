"""Friction of springs in parallel, each of which slides at a level of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gearwright.model.fields import Rules, quantity
from gearwright.model.frictions.kind import FrictionModel


@dataclass(frozen=True, kw_only=True)
class MaxwellSlip(FrictionModel):
    """`F = Σ kᵢ·zᵢ`; each zᵢ follows the motion, within ±Wᵢ/kᵢ.

    Hysteresis that remembers where the motion turned round: a small loop ends on the large one from which it began
    (Iwan, 1966). The first push draws the curve of the elements, one after the other; from a turning point on, the same
    curve is twice as large (Masing).
    """

    states: ClassVar[tuple[str, ...]] = ("deflection_1",)  # and so on, one an element

    elements: tuple[tuple[float, float], ...] = quantity(
        "N·m/rad | N/m, N·m | N", table=True, doc="stiffness k₁, level W₁, k₂, W₂ … of each element", shown=""
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(self.elements)
        object.__setattr__(self, "states", tuple(f"deflection_{i}" for i in range(1, count + 1)))
        object.__setattr__(self, "state_units", ("rad | m",) * count)

    def rules(self) -> Rules:
        """Springs that slide."""
        yield len(self.elements) > 0, "there is at least one element"
        yield all(k > 0.0 and level > 0.0 for k, level in self.elements), "stiffnesses and levels are positive"

    def respond(self, moved: Any, time: Any, state: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        ends = [level / k for k, level in self.elements]
        after = tuple(np.minimum(np.maximum(z + moved, -end), end) for z, end in zip(state, ends, strict=True))
        return sum(k * z for (k, _), z in zip(self.elements, after, strict=True)), after
