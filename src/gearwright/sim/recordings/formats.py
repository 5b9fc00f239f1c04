"""Formats of recordings: one row each, by the ending of the file's name, imported when it is first used.

Packages add theirs by an entry point of the group `gearwright.recordings`, whose name is the ending without its dot
and whose value a `Format`:

    [project.entry-points."gearwright.recordings"]
    hdf5 = "my_package.hdf5:FORMAT"
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.errors import GearwrightError
from gearwright.files import checked_path
from gearwright.sim.recordings.robot_files import from_recording

if TYPE_CHECKING:
    from gearwright.sim.recordings.recording import Recording
    from gearwright.sim.recordings.sinks import Sink

GROUP = "gearwright.recordings"


@dataclass(frozen=True)
class Format:
    """A way to write recordings, and perhaps to read them: objects, or where they are (`module:name`)."""

    write: str | Callable[[Path], Sink]  # makes a sink for a path
    read: str | Callable[[Path], Recording] | None = None  # makes a recording of a path
    bytes_per_number: float = 8.0  # in a file, about

    @property
    def sink(self) -> Callable[[Path], Sink]:
        """`write`, imported."""
        found: Callable[[Path], Sink] = _imported(self.write)
        return found

    @property
    def reader(self) -> Callable[[Path], Recording] | None:
        """`read`, imported."""
        found: Callable[[Path], Recording] | None = None if self.read is None else _imported(self.read)
        return found


HERE = "gearwright.sim.recordings"
FORMATS: dict[str, Format] = {
    ".npz": Format(f"{HERE}.npz:NpzSink", f"{HERE}.npz:read_npz"),
    ".csv": Format(f"{HERE}.csv_text:CsvSink", f"{HERE}.csv_text:read_csv", bytes_per_number=18.0),
    ".mcap": Format(f"{HERE}.mcap_file:McapSink", f"{HERE}.mcap_file:read_mcap", bytes_per_number=6.0),
    ".parquet": Format(f"{HERE}.parquet:ParquetSink", f"{HERE}.parquet:read_parquet"),
}


def endings() -> tuple[str, ...]:
    """All endings that can be written, those of other packages too."""
    return tuple(dict.fromkeys([*FORMATS, *_from_outside()]))


def find_format(ending: str) -> Format:
    """The row of an ending."""
    if ending in FORMATS:
        return FORMATS[ending]
    outside = _from_outside()
    if ending in outside:
        found: Format = outside[ending].load()
        return found
    raise GearwrightError(f"{ending!r} is not a recording format; valid: {', '.join(endings())}")


def check_format(path: str | os.PathLike[str]) -> str:
    """The ending, if it can be written."""
    ending = Path(checked_path(path, "a recording")).suffix.lower()
    if ending not in FORMATS and ending not in endings():
        raise GearwrightError(f"{ending or os.fspath(path)!r} is not a recording format; valid: {', '.join(endings())}")
    return ending


def read(path: str | os.PathLike[str]) -> Recording:
    """A recording from a file of a format that has a reader."""
    reader = find_format(check_format(path)).reader
    if reader is None:
        raise GearwrightError(f"{os.fspath(path)!r}: recordings of this format cannot be read")
    try:
        recording = reader(Path(path))
        file = from_recording(recording.schema.file, Path(path).parent)
        recording.schema = replace(recording.schema, file=file)
        return recording
    except OSError as error:
        raise GearwrightError(f"cannot read {os.fspath(path)!r}: {error.strerror or error}") from None


def _imported(what: Any) -> Any:
    if not isinstance(what, str):
        return what
    module, _, attribute = what.partition(":")
    return getattr(import_module(module), attribute)


def _from_outside() -> dict[str, EntryPoint]:
    return {f".{point.name}": point for point in sorted(entry_points(group=GROUP))}
