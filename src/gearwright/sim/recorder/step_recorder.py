"""Records a simulation that others step: a row every so many steps, in chunks, to a file that grows."""

from __future__ import annotations

import os
from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING

from gearwright.sim.recorder.kept_rows import KeptRows
from gearwright.sim.recorder.recorded_signals import KernelEvaluator, run_schema
from gearwright.sim.recordings.columns import SlotChunk
from gearwright.sim.recordings.sinks import opened

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
        self._rows, self._begun = KeptRows(sim, ROWS), perf_counter()
        self._keep_row()
        self.flush()  # what has to be compiled for it is compiled now

    def keep(self) -> None:
        """One step was made."""
        self._steps += 1
        if self._steps % self._every == 0:
            self._keep_row()

    def _keep_row(self) -> None:
        self._rows.keep()
        if self._rows.full or perf_counter() - self._begun > LONGEST_WAIT:
            self.flush()

    def flush(self) -> None:
        """Writes what waits."""
        if self._rows.rows:
            self._sink.write(SlotChunk(self._schema, self._written, self._rows.slots(), self._evaluator))
            self._written += self._rows.rows
            self._rows, self._begun = KeptRows(self._sim, ROWS), perf_counter()

    def close(self) -> None:
        self.flush()
        self._stack.close()
