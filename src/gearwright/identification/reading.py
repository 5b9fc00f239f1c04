"""`gw.read_log`: logs from files, one row per ending.

Recordings of Gearwright are read as such. Otherwise a file is a table with a column of times (CSV, Parquet, NPZ), a log
of BAM (JSON), or an MCAP file with messages of ROS 2.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.errors import GearwrightError, ModelError, suggestion
from gearwright.files import checked_path, open_regular
from gearwright.identification.log import Log, log_of
from gearwright.identification.ros_bags import read_ros_bag
from gearwright.optional import require
from gearwright.sim.recordings.formats import FORMATS
from gearwright.sim.recordings.formats import read as read_recording

TIMES = ("time", "t", "timestamp", "stamp", "sec", "seconds")  # names of columns of times
SENT = ("goal_position", "torque_enable")  # columns of BAM that are sent before a row is stamped
LONGEST_LOOP = 0.1  # [s] between sending and stamp: a later first stamp has another meaning
LARGEST = 1 << 30  # bytes of a table that is read
TITLE = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*$")


def read_log(path: str | os.PathLike[str], time: str | None = None) -> Log:
    """Reads a log: .mcap, .csv, .parquet, .npz or .json. `time` names the column of times [s], if its name is unusual.

    Titles such as `elbow.position [deg]` give units.
    """
    file = Path(checked_path(path, "a log"))
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        near = suggestion(file.suffix.lower(), READERS)
        raise ModelError(f"{os.fspath(path)!r} is not a log: its name ends in none of {', '.join(READERS)}{near}")
    try:
        if file.stat().st_size > LARGEST:
            raise ModelError(f"{file.name}: the log is larger than {LARGEST >> 20} MiB; cut it")
        if time is None and file.suffix.lower() in FORMATS and (own := _own_recording(file)) is not None:
            return own
        return reader(file, time)
    except OSError as error:
        raise GearwrightError(f"cannot read {os.fspath(path)!r}: {error.strerror or error}") from None


def _own_recording(path: Path) -> Log | None:
    """The log of a recording of Gearwright; None of another file."""
    try:
        recording = read_recording(path)
    except GearwrightError as error:
        if "damaged" in str(error) and "not a" not in str(error):
            raise
        return None
    return log_of(recording, path.name)


def _csv(path: Path, time: str | None) -> Log:
    with open_regular(path) as file:
        text = _decoded(path, file.read())
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as error:
        raise ModelError(f"{path.name}: not a table of comma-separated values ({error})") from None
    if len(rows) < 2:
        raise ModelError(f"{path.name}: the table has no rows")
    header, body = rows[0], rows[1:]
    uneven = next((k for k, row in enumerate(body) if len(row) != len(header)), None)
    if uneven is not None:
        raise ModelError(f"{path.name}: line {uneven + 2} has {len(body[uneven])} cells, and the header {len(header)}")
    columns = {title.strip(): _cells([row[i] for row in body]) for i, title in enumerate(header)}
    return _table(path, {title: x for title, x in columns.items() if x is not None}, time)


def _cells(cells: list[str]) -> Any:
    """Numbers; NaN of an empty cell; None of a column of texts."""
    words = {"": "nan", "true": "1", "false": "0"}
    try:
        return np.array([float(words.get(c.strip().lower(), c)) for c in cells])
    except ValueError:
        return None


def _parquet(path: Path, time: str | None) -> Log:
    polars = require("polars", "a .parquet log")
    try:
        table = polars.read_parquet(path)
    except Exception as error:  # whatever a damaged file makes it raise
        raise ModelError(f"{path.name}: not a Parquet file, or damaged ({type(error).__name__})") from None
    columns = {name: table[name].to_numpy() for name in table.columns if table[name].dtype.is_numeric()}
    return _table(path, {name: np.asarray(x, float) for name, x in columns.items()}, time)


def _npz(path: Path, time: str | None) -> Log:
    try:
        with np.load(path, allow_pickle=False) as file:
            columns = {name: file[name] for name in file.files}
    except Exception as error:  # whatever a damaged file makes it raise
        raise ModelError(f"{path.name}: not an .npz file, or damaged ({type(error).__name__})") from None
    plain = {name: x for name, x in columns.items() if x.ndim == 1 and x.dtype.kind in "iufb"}
    return _table(path, {name: x.astype(float) for name, x in plain.items()}, time)


def _table(path: Path, columns: dict[str, Any], time: str | None) -> Log:
    """Columns by their titles, one of which is the time."""
    names, units = {}, {}
    for title in columns:
        found = TITLE.match(title)
        names[title] = found["name"] if found else title
        if found:
            units[found["name"]] = found["unit"]
    known = {name: columns[title] for title, name in names.items()}
    own = time if time is not None else next((n for n in known if n.lower() in TIMES), None)
    if own is None or own not in known:
        said = (
            f"no column {time!r}{suggestion(time, known)}" if time else f"no column of times ({', '.join(TIMES[:3])})"
        )
        raise ModelError(f"{path.name}: {said}; its columns are {', '.join(known) or 'none'}. Name it: time='…'")
    stamps = known.pop(own) * TIME_UNITS.get(units.pop(own, "s"), 1.0)
    return Log(name=path.name, time=stamps, columns=known, units=units)


TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def _bam(path: Path, time: str | None) -> Log:
    """A log of BAM: `entries`, each a mapping of numbers; what stands beside them are the notes.

    A row is stamped when the servo has answered; its goal was sent before that, when the loop began. The first loop
    begins at 0, so the first stamp is the time between the two.
    """
    with open_regular(path) as file:
        text = _decoded(path, file.read())
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path.name}: not JSON, or damaged ({type(error).__name__})") from None
    entries = data.get("entries") if isinstance(data, dict) else data
    if not (isinstance(entries, list) and entries and all(isinstance(e, dict) for e in entries)):
        raise ModelError(f"{path.name}: not a log of BAM: it has no list 'entries' of rows")
    names = [n for n in entries[0] if all(isinstance(e.get(n), int | float) for e in entries)]
    missing = [n for n in entries[0] if n not in names and isinstance(entries[0][n], int | float)]
    if missing:
        row = next(k for k, e in enumerate(entries) if not isinstance(e.get(missing[0]), int | float))
        raise ModelError(f"{path.name}: {missing[0]!r} is missing in row {row}")
    columns = {n: np.array([float(e[n]) for e in entries]) for n in names}
    own = time if time is not None else next((n for n in columns if n.lower() in TIMES), None)
    if own not in columns:
        raise ModelError(f"{path.name}: its rows have no time stamps; they have {', '.join(columns) or 'no numbers'}")
    stamps = columns.pop(own)
    notes = {k: v for k, v in data.items() if k != "entries"} if isinstance(data, dict) else {}
    leads = {n: float(stamps[0]) for n in SENT if n in columns and 0.0 < stamps[0] < LONGEST_LOOP}
    return Log(name=path.name, time=stamps, columns=columns, notes=notes, leads=leads)


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ModelError(f"{path.name}: not UTF-8 text") from None


READERS: dict[str, Callable[[Path, str | None], Log]] = {
    ".mcap": lambda path, time: read_ros_bag(path),
    ".csv": _csv,
    ".parquet": _parquet,
    ".npz": _npz,
    ".json": _bam,
}
