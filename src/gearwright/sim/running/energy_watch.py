"""Whether Euler's step created energy: the energy of a robot on which nothing acts can only fall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import UnsettledWarning, warn
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.recordings.columns import SlotChunk
    from gearwright.sim.recordings.schema import Schema
    from gearwright.sim.simulation import Simulation

FAST = 30.0  # [rad/s, m/s] below which no energy is computed: it would cost slow robots a kernel
GREW = 1.0  # times the kinetic energy at the start and the weight's work: what is made beyond that is worth a warning
SOURCES = ("ideal", "electric_motor")  # kinds of actuators that give nothing without a command


class EnergyWatch:
    """Sees the rows of a run, and keeps the first one and the fastest one of any robot."""

    def __init__(self, sim: Simulation, schema: Schema) -> None:
        self._sim, self._signals = sim, schema.family("").signals
        self._first: SlotChunk | None = None
        self._fastest: SlotChunk | None = None
        self._speed, self._robot = FAST, 0

    def add(self, chunk: SlotChunk, velocities: Array) -> None:
        """`velocities`: (rows, B, nv)."""
        self._first = self._first or chunk.thinned(slice(0, 1))
        if not velocities.size:
            return
        speeds = np.abs(velocities).max(axis=2)
        row, robot = np.unravel_index(int(np.argmax(speeds)), speeds.shape)
        if speeds[row, robot] > self._speed:
            self._speed, self._robot = float(speeds[row, robot]), int(robot)
            self._fastest = chunk.thinned(slice(int(row), int(row) + 1))

    def warn(self) -> None:
        """One warning if the robot has more energy at its fastest than it can have gained."""
        if self._first is None or self._fastest is None:
            return
        (kinetic, potential), (T, V) = (self._energies(chunk) for chunk in (self._first, self._fastest))
        made = T + V - kinetic - potential
        if made > GREW * (kinetic + abs(V - potential)):
            most = max(0.0, kinetic + potential - V)
            warn(
                f"Euler's step made {made:.3g} J by {self._fastest.time[0]:g} s, where the robot can have {most:.3g} J "
                f"of kinetic energy: take the default integrator, or reduce dt, now {self._sim.dt:g} s",
                UnsettledWarning,
            )

    def _energies(self, chunk: SlotChunk) -> tuple[float, float]:
        """Kinetic and potential, of the robot that was the fastest [J]."""
        kinetic, potential = (
            float(chunk.column(self._signals[n])[0, self._robot]) for n in ("kinetic_energy", "potential_energy")
        )
        return kinetic, potential


def is_left_alone(sim: Simulation) -> bool:
    """Whether only weight, springs and stops act on the robot with the present inputs."""
    acting = any(a.type not in SOURCES or a.command != "effort" for a in sim.robot.actuators.values())
    held = any(slot.numbers().any() for slot in sim.inputs.slots.values())
    return not (acting or held or sim.options.drives or sim.options.controller)
