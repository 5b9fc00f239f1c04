"""Observations of a policy: signals of a simulation by name, as they are or through a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.sim.recordings.schema import Signal
from gearwright.sim.recordings.schema_text import LOOP
from gearwright.sim.recordings.signal_names import find, label
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim import Simulation

FUNCTIONS: dict[str, Callable[[Any], Any]] = {"sin": np.sin, "cos": np.cos, "tanh": np.tanh, "abs": np.abs}
CALL = re.compile(r"(\w+)\((.+)\)")
FAMILIES = {"position", "velocity", "acceleration", "effort", "sensor", "coupling_error", "coupling_effort"}
ACTUATOR = {"command": "command", "torque": "torque", "shaft_position": "position", "shaft_velocity": "velocity"}


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
            read = _reader(sim, signal)
            self.names.append(f"{called[1]}({label(signal)})" if called else label(signal))
            self._reads.append(read if function is None else lambda f=function, r=read: f(r()))  # type: ignore[misc]

    def read(self) -> Array:
        """A new array (B, n)."""
        found = np.empty((self._batch, len(self._reads)))
        for i, read in enumerate(self._reads):
            found[:, i] = read()
        return found


def _reader(sim: Simulation, signal: Signal) -> Callable[[], Any]:
    """Reads one number of every robot."""
    family, name = LOOP.get(signal.family, signal.family), signal.name
    if family in FAMILIES:
        values = getattr(sim, family)
        return lambda: values[name]
    quantity = ACTUATOR.get(family) or (family.removeprefix("actuator.") if family.startswith("actuator.") else None)
    if quantity is not None:
        actuator = sim.actuator[name]
        return lambda: getattr(actuator, quantity)
    if not family and hasattr(type(sim), name):
        return lambda: getattr(sim, name)
    raise ModelError(f"{label(signal)!r} cannot be observed; positions, velocities, motors, sensors and energy can")
