""".csv: one line an instant, one column a number, with units in the header; of a batch one column a robot. Exact."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from gearwright.sim.recordings.columns import Chunk
from gearwright.sim.recordings.schema import TIME, Schema, Signal


class CsvSink:
    """Lines are written as they come."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file)
        self._signals: tuple[Signal, ...] = ()

    def open(self, schema: Schema) -> None:
        self._signals = schema.stored
        self._writer.writerow([title for signal in self._signals for title in _titles(signal, schema.batch)])

    def write(self, chunk: Chunk) -> None:
        each = [chunk.time[:, None] if s == TIME else chunk.column(s).reshape(chunk.rows, -1) for s in self._signals]
        self._writer.writerows(np.concatenate(each, axis=1).tolist())  # the shortest digits that read back exactly

    def close(self) -> None:
        self._file.close()


def _titles(signal: Signal, batch: int) -> list[str]:
    """One title for each robot and each number of a signal."""
    title, unit = f"{signal.family} {signal.name}".strip(), f" [{signal.unit}]" if signal.unit else ""
    robots = [""] if batch == 1 or signal == TIME else [f" #{robot}" for robot in range(batch)]
    places = ["" if not i else f" {i}" for i in (",".join(map(str, at)) for at in np.ndindex(signal.shape))]
    return [f"{title}{robot}{place}{unit}" for robot in robots for place in places]
