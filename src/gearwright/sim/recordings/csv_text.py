""".csv: one line an instant, one column a number, with units in the header; of a batch one column a robot. Exact.

Numbers, names and units read back; the robot's name is taken from the file's, dt from its times.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.sim.recordings.columns import Chunk
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema import TIME, Schema, Signal
from gearwright.sim.recordings.schema_text import KINDS, STATE, kind
from gearwright.sim.recordings.tables import from_columns, table

TITLE = re.compile(r"(?P<what>.*?)(?: #(?P<robot>\d+))?(?: (?P<place>\d+(?:,\d+)*))?(?: \[(?P<unit>[^\]]*)\])?", re.S)


class CsvSink:
    """Lines are written as they come."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file)
        self._schema: Schema | None = None

    def open(self, schema: Schema) -> None:
        self._schema = schema
        self._writer.writerow([title for signal in schema.stored for title in _titles(signal, schema.batch)])
        self._file.flush()

    def write(self, chunk: Chunk) -> None:
        assert self._schema is not None
        self._writer.writerows(table(self._schema, chunk).tolist())  # the shortest digits that read back exactly
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def _titles(signal: Signal, batch: int) -> list[str]:
    """One title for each robot and each number of a signal."""
    family = signal.family.replace("%", "%25").replace(" ", "%20")  # states of a user's kind have any names
    title, unit = f"{family} {signal.name}".strip(), f" [{signal.unit}]" if signal.unit else ""
    robots = [""] if batch == 1 or signal == TIME else [f" #{robot}" for robot in range(batch)]
    places = ["" if not i else f" {i}" for i in (",".join(map(str, at)) for at in np.ndindex(signal.shape))]
    return [f"{title}{robot}{place}{unit}" for robot in robots for place in places]


# --- reading ---------------------------------------------------------------------------------------------------------


class _Title(NamedTuple):
    family: str
    name: str
    robot: int | None
    unit: str


def read_csv(path: Path) -> Recording:
    """A recording from a file that Gearwright wrote; a last line that was cut off is left out."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), None)
            if not header or header[0] != "time [s]":
                raise GearwrightError(f"{path}: not a recording: its first column is not 'time [s]'")
            schema = _schema(header, path)
            numbers = _numbers(file.read(), len(header))
    except (ValueError, csv.Error):
        raise GearwrightError(f"{path}: not a recording of Gearwright, or damaged") from None
    recording = Recording(_with_instants(schema, numbers[:, 0]))
    each = np.split(numbers, np.cumsum([1] + [schema.batch] * (len(schema.signals) - 1))[:-1], axis=1)
    recording.add(from_columns(schema, iter(each), len(numbers)))
    return recording


def _numbers(text: str, columns: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    whole = text[: text.rfind("\n") + 1]  # a killed process leaves half a line
    rows = list(csv.reader(whole.splitlines()))
    if any(len(row) != columns for row in rows):
        raise ValueError
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


def _schema(header: Sequence[str], path: Path) -> Schema:
    titles = [_parsed(title) for title in header[1:]]
    batched = bool(titles) and all(t.robot is not None for t in titles)
    if not batched:
        titles = [_parsed(title, batched=False) for title in header[1:]]
    batch = 1 + max((t.robot or 0 for t in titles), default=0) if batched else 1
    if batch > 1 and (len(titles) % batch or any(t.robot != i % batch for i, t in enumerate(titles))):
        raise ValueError
    signals = [Signal(family=t.family, name=t.name, unit=t.unit) for t in titles[::batch]]
    families = dict.fromkeys(s.family for s in signals)
    return Schema(
        robot=path.stem, batch=batch, dt=0.0, signals=(TIME, *signals),
        members={f: _members([s.name for s in signals if s.family == f]) for f in families if f},
        kinds={f: kind(f) for f in families},
    )  # fmt: skip


def _parsed(title: str, *, batched: bool = True) -> _Title:
    found = TITLE.fullmatch(title)
    if found is None:
        raise ValueError
    unit, what, robot = found["unit"] or "", found["what"], found["robot"]
    if not batched:
        what, robot = title.removesuffix(f" [{unit}]"), None
    elif found["place"]:
        what = f"{what} {found['place']}"
    family, space, name = what.partition(" ")
    if not space or not (family in KINDS or family.startswith(STATE)):
        family, name = "", what
    family = family.replace("%20", " ").replace("%25", "%")
    return _Title(family, name, None if robot is None else int(robot), unit)


def _members(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Joints and sensors of several numbers: `base` of `base.x`, `base.y` …"""
    groups: dict[str, list[str]] = {}
    for name in names:
        head, dot, _ = name.rpartition(".")
        if dot and head not in names:
            groups.setdefault(head, []).append(name)
    return {head: tuple(own) for head, own in groups.items()}


def _with_instants(schema: Schema, time: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Schema:
    from dataclasses import replace

    step = float(time[1] - time[0]) if len(time) > 1 else 0.0
    return replace(schema, dt=float(f"{step:.12g}"), start=float(time[0]) if len(time) else 0.0)
