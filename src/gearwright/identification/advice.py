"""Which experiment would tell parameters apart: each is simulated with the fitted robot, and counts if it does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.identification.residuals import Residuals
from gearwright.sim.state.values import Array


class Advisor:
    """The fit that experiments are added to."""

    def __init__(self, residuals: Residuals, z: Array, weights: Mapping[str, float]) -> None:
        self.residuals, self.z, self.weights = residuals, z, weights

    def experiments(self, direction: Mapping[str, float]) -> tuple[str, ...]:
        return ()


__all__ = ["Advisor", "np"]
