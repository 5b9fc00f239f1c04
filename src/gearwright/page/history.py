"""The last seconds of a running simulation: every step, and every signal that a recording has."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.sim.recorder.kept_rows import KeptRows
from gearwright.sim.recorder.recorded_signals import KernelEvaluator
from gearwright.sim.recordings.columns import SlotChunk
from gearwright.sim.recordings.signal_names import label
from gearwright.sim.signals import Signal

if TYPE_CHECKING:
    from gearwright.sim import Simulation
    from gearwright.sim.running.clock import Clock

PERIOD = 5e-4  # [s] of the simulation between two rows; a longer step has a row each
ROWS, CHUNKS = 256, 40  # of a chunk; chunks that are kept: ten seconds at 1 ms
MOST = 600  # signals to choose from


class History:
    """Listens to the simulation's clock until `close`. What follows from the state is computed when it is asked for."""

    def __init__(self, sim: Simulation) -> None:
        self._sim, self._lock = sim, Lock()
        scalars = [s for s in sim.schema.stored if not s.shape and s.name != "time"]
        self.signals = {label(s): s for s in scalars[:MOST]}
        self._chunks: deque[_Chunk] = deque(maxlen=CHUNKS)
        self.close = sim.clock.listen(self._keep, every=max(1, round(PERIOD / sim.dt)))

    def __len__(self) -> int:
        with self._lock:
            return sum(len(chunk.times) for chunk in self._chunks)

    def __getitem__(self, row: int) -> tuple[float, dict[str, float]]:
        """Time and all signals of a row."""
        columns = {name: self.series(name) for name in self.signals}
        times, _ = next(iter(columns.values()))
        return float(times[row]), {name: float(values[row]) for name, (_, values) in columns.items()}

    def _keep(self, clock: Clock) -> None:
        with self._lock:
            if self._chunks and clock.time <= self._chunks[-1].times[-1]:  # it was set back
                self._chunks.clear()
            if not self._chunks or self._chunks[-1].full:
                self._chunks.append(_Chunk(self._sim))
            self._chunks[-1].keep(clock.time)

    def clear(self) -> None:
        with self._lock:
            self._chunks.clear()

    def series(self, name: str) -> tuple[Any, Any]:
        """All times and values of a signal; none of one that there is not."""
        with self._lock:
            if name not in self.signals or not self._chunks:
                return np.zeros(0), np.zeros(0)
            columns = [chunk.column(self.signals[name]) for chunk in self._chunks]
            return np.concatenate([chunk.times for chunk in self._chunks]), np.concatenate(columns)


class _Chunk:
    """Some rows, with their times. Columns are computed once where it is full."""

    def __init__(self, sim: Simulation) -> None:
        self._rows, self.times = KeptRows(sim, ROWS), list[float]()
        self._schema, self._evaluator = sim.schema, KernelEvaluator(sim.kernels)
        self._whole: SlotChunk | None = None
        self._columns: dict[tuple[str, str], Any] = {}

    @property
    def full(self) -> bool:
        return self._rows.full

    def keep(self, time: float) -> None:
        self._rows.keep()
        self.times.append(time)

    def column(self, signal: Signal) -> Any:
        """(rows,)."""
        if signal.key in self._columns:
            return self._columns[signal.key]
        chunk = self._whole or SlotChunk(self._schema, 0, self._rows.slots(), self._evaluator)
        found = chunk.column(signal)[:, 0]
        if self.full:
            self._whole, self._columns[signal.key] = chunk, found
        return found
