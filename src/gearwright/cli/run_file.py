"""The file of a run: rows are written while they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.display.runs import PEAK_FAMILIES, Peaks
from gearwright.sim.recordings.sinks import FileSink

if TYPE_CHECKING:
    from gearwright.sim import Recording
    from gearwright.sim.recordings.columns import Chunk
    from gearwright.sim.recordings.schema import Schema


class RunFile:
    """A sink that writes a file and keeps the largest values of some families; with `drawn` the rows, too."""

    def __init__(self, path: str, drawn: Recording | None) -> None:
        self._sink = FileSink(path)
        self._drawn = drawn
        self.peaks: Peaks = {family: {} for family in PEAK_FAMILIES}

    def open(self, schema: Schema) -> None:
        self._signals = [(peaks, schema.by_family.get(family, {})) for family, peaks in self.peaks.items()]
        self._sink.open(schema)

    def write(self, chunk: Chunk) -> None:
        for peaks, signals in self._signals:
            for name, signal in signals.items():
                largest = float(np.abs(chunk.column(signal)).max(initial=0.0))
                peaks[name] = max(largest, peaks.get(name, 0.0))
        if self._drawn is not None:
            self._drawn.add(chunk)
        self._sink.write(chunk)

    def close(self) -> None:
        self._sink.close()
