"""Records a simulation that others step: a row every so many steps, in chunks, to a file that grows."""

from __future__ import annotations

import os
from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING

from gearwright.sim.recorded_signals import KernelEvaluator, run_schema
from gearwright.sim.recordings.columns import SlotChunk
from gearwright.sim.recordings.sinks import opened
from gearwright.sim.running import recorded_slots

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

ROWS = 256  # of a chunk
LONGEST_WAIT = 0.25  # [s] that a row waits before it is written: what a killed process may lose


class StepRecorder:
    """`keep` after every step. The first row is the state at the start; time counts on whatever else is reset."""

    def __init__(self, sim: Simulation, path: str | os.PathLike[str], every: int = 1) -> None:
        self._sim, self._every = sim, every
        self._schema, self._evaluator = run_schema(sim, every), KernelEvaluator(sim.kernels)
        self._stack = ExitStack()
        self._sink = self._stack.enter_context(opened(path, self._schema))
        self._written = self._steps = 0
        self._begin()
        self._keep_row()
        self.flush()  # what has to be compiled for it is compiled now

    def _begin(self) -> None:
        state = self._sim.batch_state
        self._buffers = {slot: state.instance.buffer(slot, ROWS) for slot in recorded_slots(self._sim)}
        self._keepers = [buffer.keeper(state.slot(slot)) for slot, buffer in self._buffers.items()]
        self._row, self._begun = 0, perf_counter()

    def keep(self) -> None:
        """One step was made."""
        self._steps += 1
        if self._steps % self._every == 0:
            self._keep_row()

    def _keep_row(self) -> None:
        for keep in self._keepers:
            keep(self._row)
        self._row += 1
        if self._row == ROWS or perf_counter() - self._begun > LONGEST_WAIT:
            self.flush()

    def flush(self) -> None:
        """Writes what waits."""
        if self._row:
            slots = {slot: buffer.rows(slice(0, self._row)) for slot, buffer in self._buffers.items()}
            self._sink.write(SlotChunk(self._schema, self._written, slots, self._evaluator))
            self._written += self._row
            self._begin()

    def close(self) -> None:
        self.flush()
        self._stack.close()
