"""Where episodes start: states, parameters and goals that are drawn ahead for many episodes, on the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.learning.program import EnvironmentSlot
from gearwright.learning.sampling import Distribution, Draw, drawn, starts
from gearwright.model.layout.slots import SLOTS, SlotName, StepSlot
from gearwright.model.sensors.noise_seeds import MODULI
from gearwright.sim import Simulation
from gearwright.sim.state.values import Array


class Starts:
    """Draws `count` starts at a time, a multiple of the batch. Functions of users are called for a batch at a time."""

    def __init__(
        self, sim: Simulation, count: int, *, reset: Mapping[str, Distribution],
        randomize: Mapping[str, Distribution], goal: Mapping[str, Distribution],
        delays: tuple[Distribution, Distribution], keyframe: str | None,
    ) -> None:  # fmt: skip
        self.count = count
        self.free = any(map(callable, (*reset.values(), *randomize.values(), *goal.values())))
        self._times = count // sim.batch
        self._sim = Simulation(sim.robot, replace(sim.options, batch=count), sim.kernels)
        self._sim.batch_state.set(StepSlot.DT, sim.dt)
        self._starts, self._keyframe = starts(reset), keyframe
        self._parameters = {name: drawn(name, given) for name, given in randomize.items()}
        self._goals = {name: drawn(name, given) for name, given in goal.items()}
        self._delays = [drawn(name, d) for name, d in zip(("command_delay", "sensor_delay"), delays, strict=True)]

    def draw(self, rng: np.random.Generator, sizes: Mapping[str, int], late: tuple[float, float]) -> dict[str, Array]:
        """(count, size) of each slot. `late` are the units of the two delays [s]."""
        sim, count = self._sim, self.count
        if self._parameters:
            sim.set_parameters({name: self._given(self._drawn(draw, rng)) for name, draw in self._parameters.items()})
        each = {
            f: {n: self._given(self._drawn(draw, rng)) for n, draw in own.items()} for f, own in self._starts.items()
        }
        sim.reset(position=each["position"], velocity=each["velocity"], keyframe=self._keyframe)
        found = {name: sim.batch_state.get(name) for name in sizes if sim.batch_state.has(name)}
        if StepSlot.SENSOR in found:  # noise that is new in each episode
            sensing = sim.layout.sensing
            places = [len(sensing.readings) + i for i in sensing.generators]
            for k, place in enumerate(places):
                found[StepSlot.SENSOR][:, place] = rng.integers(1, int(MODULI[k % len(MODULI)]), count)
        if self._goals:
            found[EnvironmentSlot.GOAL] = np.stack([self._drawn(draw, rng) for draw in self._goals.values()], axis=1)
        if EnvironmentSlot.LATE in sizes:
            command, sensor = (self._drawn(draw, rng) / unit for draw, unit in zip(self._delays, late, strict=True))
            found[EnvironmentSlot.LATE] = np.stack([np.rint(command), sensor], axis=1)
        return found

    def _drawn(self, draw: Draw, rng: np.random.Generator) -> Array:
        return np.concatenate([draw(rng, self.count // self._times) for _ in range(self._times)])

    def _given(self, values: Array) -> Any:
        return values if self.count > 1 else float(values[0])

    def varying(self, drawn: Mapping[str, Array]) -> list[tuple[str, int]]:
        """The elements that differ from start to start."""
        return [
            (name, i)
            for name, values in drawn.items()
            for i in range(values.shape[1])
            if np.ptp(values[:, i]) > 0 or (self.free and not _begins_at_zero(name))
        ]


def _begins_at_zero(slot: str) -> bool:
    return slot in SLOTS and SLOTS[SlotName(slot)].start == "0"
