""".csv: one line per sample, one column per number, with units in the header; for a batch one column per robot. Exact.

Numbers, names and units read back; the robot's name is taken from the file's, dt from its times. The last column,
`crc32`, is the CRC-32 of the header and of all numbers down to its line, so that damage is found, also in a file that
was cut off. A file without it is read unchecked.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.files import open_regular
from gearwright.sim.recordings.checksums import warn_cut_off
from gearwright.sim.recordings.columns import Chunk
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.tables import from_columns, table
from gearwright.sim.signals import TIME, Signal, family_of, kind

CUT_OFF = re.compile(r"[-+.,\deEinfa]*\r?")  # the beginning of a line of numbers
TITLE = re.compile(r"(?P<what>.*?)(?: #(?P<robot>\d+))?(?: (?P<place>\d+(?:,\d+)*))?(?: \[(?P<unit>[^\]]*)\])?", re.S)


CHECKSUM = "crc32"  # title of the last column


class CsvSink:
    """Lines are written as they come."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._schema: Schema | None = None
        self._crc = 0

    def open(self, schema: Schema) -> None:
        self._schema = schema
        titles = [title for signal in schema.stored for title in _titles(signal, schema.batch)]
        header = io.StringIO(newline="")
        csv.writer(header).writerow([*titles, CHECKSUM])
        self._crc = _header_checksum(header.getvalue())
        self._file.write(header.getvalue())
        self._file.flush()

    def write(self, chunk: Chunk) -> None:
        assert self._schema is not None
        for row in table(self._schema, chunk).tolist():
            numbers = ",".join(map(repr, row))  # the shortest digits that read back exactly
            self._crc = zlib.crc32(numbers.encode(), self._crc)
            self._file.write(f"{numbers},{self._crc}\r\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def _header_checksum(header: str) -> int:
    return zlib.crc32(header.rstrip("\r\n").encode())


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
        with open_regular(path) as file:
            text = io.StringIO(file.read().decode(), newline="")
        header = next(csv.reader(text), None)
        if not header or header[0] != "time [s]":
            raise GearwrightError(f"{path}: not a recording: its first column is not 'time [s]'")
        checked = _has_checksums(header[-1])
        schema = _schema(header[:-1] if checked else header, path)
        crc = _header_checksum(text.getvalue()[: text.tell()]) if checked else None
        *lines, rest = text.read().split("\n")
        numbers = _numbers(lines, rest, len(header) - checked, crc)
    except _WrongChecksumError as error:
        raise GearwrightError(
            f"{path}: damaged or changed: the checksum of line {error.line} is wrong. Copy the file again, or remove "
            f"the column {CHECKSUM!r} to read it as it is"
        ) from None
    except (ValueError, csv.Error):
        raise GearwrightError(f"{path}: not a recording of Gearwright, or damaged") from None
    recording = Recording(_with_instants(schema, numbers[:, 0]))
    each = np.split(numbers, np.cumsum([1] + [schema.batch] * (len(schema.signals) - 1))[:-1], axis=1)
    recording.add(from_columns(schema, iter(each), len(numbers)))
    if rest:
        warn_cut_off(path, len(recording))
    return recording


def _has_checksums(title: str) -> bool:
    """Whether this is the title of the column of checksums. Raises ValueError where it is one that was damaged."""
    letters = sum(a == b for a, b in zip(title, CHECKSUM, strict=False))
    if title != CHECKSUM and (CHECKSUM in title or (len(title), letters) == (len(CHECKSUM), len(CHECKSUM) - 1)):
        raise ValueError
    return title == CHECKSUM


class _WrongChecksumError(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


def _numbers(
    lines: Sequence[str], rest: str, columns: int, crc: int | None
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """(rows, columns). `rest`: a line without its end; `crc`: the header's checksum, where lines have checksums."""
    if crc is not None and not CUT_OFF.fullmatch(rest):  # a killed process leaves half a line
        raise _WrongChecksumError(len(lines) + 2)
    numbers = array("d")
    for n, line in enumerate(lines):
        own = line.removesuffix("\r")
        if crc is not None:
            own, _, given = own.rpartition(",")
            crc = zlib.crc32(own.encode(), crc)
            if given != str(crc):
                raise _WrongChecksumError(n + 2)
        numbers.extend(map(float, own.split(",")))
        if len(numbers) != (n + 1) * columns:
            raise ValueError
    return np.frombuffer(numbers, np.float64).reshape(len(lines), columns)


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
    if not space or family_of(family) is None:
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
