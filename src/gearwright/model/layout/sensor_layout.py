"""Places of the sensors' numbers among the states of a step, and where their noise starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.model.sensors.noise_seeds import seeds


@dataclass(frozen=True, kw_only=True)
class SensorLayout:
    """Readings come first, then the sensors' own states."""

    readings: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    shown: Mapping[str, tuple[str, ...]]  # by sensor its readings, index marks apart
    generators: tuple[int, ...] = ()  # places in `state` of the numbers that `seeds` gives, in its order
    noisy: tuple[tuple[int, str], ...] = ()  # seed and name of each sensor with noise
    untimely: tuple[str, ...] = ()  # warnings: sensors whose times are no whole numbers of steps

    def seeds(self, robots: int) -> Any:
        """Where the noise of each robot starts, (robots, len(generators))."""
        each = [seeds(seed, name, robots) for seed, name in self.noisy]
        return np.hstack(each) if each else np.empty((robots, 0))
