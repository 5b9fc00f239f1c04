"""How large a recording will be, and whether there is room for it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from gearwright.errors import RecordingWarning, warn
from gearwright.sim.recorder.free_memory import available_memory, shown_size
from gearwright.sim.recordings.formats import check_format, find_format
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.tables import widths


def file_size(path: str | os.PathLike[str], schema: Schema, rows: int) -> float:
    """Bytes of a file of so many rows, about."""
    return rows * sum(widths(schema)) * find_format(check_format(path)).bytes_per_number


def warn_of_size(path: str | os.PathLike[str], schema: Schema, rows: int) -> None:
    """One warning before a file that will not fit on its disk, or cannot be opened whole in memory."""
    size = file_size(path, schema, rows)
    disk, memory = _free(Path(path)), available_memory()
    what = f"{os.fspath(path)} will have {rows:,} rows of {sum(widths(schema)):,} numbers, about {shown_size(size)}"
    fewer = "run for a shorter time, record fewer steps (every=…), or of a batch bands=…"
    if size > disk:
        warn(f"{what}, and {shown_size(disk)} are free on its disk: {fewer}", RecordingWarning)
    elif size > memory:
        warn(
            f"{what}, more than the {shown_size(memory)} of free memory that opening it takes: {fewer}",
            RecordingWarning,
        )


def _free(path: Path) -> int:
    """Bytes free where a file will stand; a device takes any number."""
    if path.exists() and not path.is_file():
        return sys.maxsize
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return sys.maxsize  # opening the file will say what is wrong
