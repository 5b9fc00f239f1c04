"""Observations of a policy: signals of a simulation by name, as they are or through a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.sim.recordings.signal_names import find, label
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim import Simulation

FUNCTIONS: dict[str, Callable[[Any], Any]] = {"sin": np.sin, "cos": np.cos, "tanh": np.tanh, "abs": np.abs}
CALL = re.compile(r"(\w+)\((.+)\)")


class Observations:
    """Numbers of all robots, (B, n), by name."""

    def __init__(self, sim: Simulation, names: str | Sequence[str]) -> None:
        self.names: list[str] = []
        self._reads: list[Callable[[], Any]] = []
        self._batch = sim.batch
        for name in [names] if isinstance(names, str) else names:
            self._add(sim, name)
        if not self._reads:
            raise ModelError("observe names what a policy sees, such as ('knee.position', 'motor.velocity')")

    def _add(self, sim: Simulation, name: str) -> None:
        called = CALL.fullmatch(name) if isinstance(name, str) else None
        if called and called[1] not in FUNCTIONS:
            raise ModelError(f"{name!r}: a function of a signal is one of {', '.join(FUNCTIONS)}")
        function = FUNCTIONS[called[1]] if called else None
        for signal in find(sim.schema, called[2] if called else name):
            read = sim.reader(signal)
            self.names.append(f"{called[1]}({label(signal)})" if called else label(signal))
            self._reads.append(read if function is None else lambda f=function, r=read: f(r()))  # type: ignore[misc]

    def read(self) -> Array:
        """A new array (B, n)."""
        found = np.empty((self._batch, len(self._reads)))
        for i, read in enumerate(self._reads):
            found[:, i] = read()
        return found
