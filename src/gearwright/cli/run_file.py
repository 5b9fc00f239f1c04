"""The file of a run: rows are written while they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.sim.recordings.sinks import FileSink

if TYPE_CHECKING:
    from gearwright.sim import Recording
    from gearwright.sim.recordings import Schema
    from gearwright.sim.recordings.columns import Chunk


class RunFile:
    """A sink that writes a file and keeps the largest coupling errors; with `drawn` the rows, too."""

    def __init__(self, path: str, drawn: Recording | None) -> None:
        self._sink = FileSink(path)
        self._drawn = drawn
        self.coupling_errors: dict[str, float] = {}

    def open(self, schema: Schema) -> None:
        self._signals = schema.by_family.get("coupling_error", {})
        self._sink.open(schema)

    def write(self, chunk: Chunk) -> None:
        for name, signal in self._signals.items():
            largest = float(np.abs(chunk.column(signal)).max(initial=0.0))
            self.coupling_errors[name] = max(largest, self.coupling_errors.get(name, 0.0))
        if self._drawn is not None:
            self._drawn.add(chunk)
        self._sink.write(chunk)

    def close(self) -> None:
        self._sink.close()
