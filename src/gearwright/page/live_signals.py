"""Signals of a running simulation, by the names that recordings give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gearwright.sim.recordings.schema import Signal
from gearwright.sim.recordings.signal_names import label

if TYPE_CHECKING:
    from gearwright.sim import Simulation

MOST = 600  # signals that are read at every picture


@dataclass(frozen=True)
class LiveSignal:
    """One number of the simulation."""

    unit: str
    read: Callable[[], float]


# family of a recording → how a simulation reads it
READS: dict[str, Callable[[Simulation, str], float]] = {
    "position": lambda sim, name: float(sim.position[name]),
    "velocity": lambda sim, name: float(sim.velocity[name]),
    "loop_position": lambda sim, name: float(sim.position[name]),
    "loop_velocity": lambda sim, name: float(sim.velocity[name]),
    "torque": lambda sim, name: float(sim.actuator[name].torque),
    "shaft_velocity": lambda sim, name: float(sim.actuator[name].velocity),
    "sensor": lambda sim, name: float(sim.sensor[name]),
    "coupling_error": lambda sim, name: float(sim.coupling_error[name]),
}


def live_signals(sim: Simulation) -> dict[str, LiveSignal]:
    """Numbers that plots can show, motors' after joints'."""
    found = {label(s): LiveSignal(s.unit, _reader(sim, s)) for s in _shown(sim)}
    found["energy"] = LiveSignal("J", lambda: float(sim.energy))
    return found


def _shown(sim: Simulation) -> Iterator[Signal]:
    """Scalars of the families above, the first ones of a robot with very many."""
    scalars = [s for s in sim.schema.stored if s.family in READS and not s.shape]
    return iter(scalars[:MOST])


def _reader(sim: Simulation, signal: Signal) -> Callable[[], float]:
    read = READS[signal.family]
    return lambda: read(sim, signal.name)
