""".parquet, by polars: the table of `Recording.to_polars`, with the schema among the file's metadata. Exact."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.optional import require
from gearwright.sim.recordings.checksums import add_to_parquet, check_parquet
from gearwright.sim.recordings.columns import ArrayChunk
from gearwright.sim.recordings.frames import chunk_of, frame_columns
from gearwright.sim.recordings.journal import JournalReader, JournalSink, recovered
from gearwright.sim.recordings.reading_memory import check_memory
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.schema_text import from_text, to_text

KEY = "gearwright"  # of the metadata
GROUP = 1 << 16  # rows of a row group


class ParquetSink(JournalSink):
    """The table of contents stands at the file's end."""

    def __init__(self, path: Path) -> None:
        require("polars", "a .parquet recording")
        super().__init__(path)

    def write_whole(self, journal: JournalReader, path: Path) -> None:
        _write(journal, path)


def _write(journal: JournalReader, path: Path) -> None:
    """Block by block, in memory that does not grow with their number."""
    polars = require("polars", "a .parquet recording")
    from polars.io.plugins import register_io_source

    schema = journal.schema
    empty = polars.DataFrame(frame_columns(schema, ArrayChunk(*chunk_of_nothing(schema))))

    def frames(columns: Any, predicate: Any, most: Any, size: Any) -> Iterator[Any]:
        for block in journal.blocks:
            frame = polars.DataFrame(frame_columns(schema, journal.chunk(block)))
            yield frame if columns is None else frame.select(columns)

    lazy = register_io_source(frames, schema=dict(empty.schema))
    with system_errors():
        lazy.sink_parquet(path, metadata={KEY: to_text(schema)}, row_group_size=GROUP, engine="streaming")
    add_to_parquet(path)


@contextmanager
def system_errors() -> Iterator[None]:
    """Errors of the system that polars reports as its own become OSError again."""
    polars = require("polars", "a .parquet recording")
    try:
        yield
    except polars.exceptions.PolarsError as error:
        if found := re.search(r"\(os error (\d+)\)", str(error)):
            raise OSError(int(found[1]), os.strerror(int(found[1]))) from error
        raise


def chunk_of_nothing(schema: Schema) -> tuple[Any, dict[tuple[str, str], Any]]:
    """No rows of every signal."""
    import numpy as np

    return np.zeros(0), {s.key: np.zeros((0, schema.batch, *s.shape)) for s in schema.stored}


def read_parquet(path: Path) -> Recording:
    """A recording from a file, or from the journal of a run that did not end."""
    polars = require("polars", "a .parquet recording")
    if (found := recovered(path)) is not None:
        return found
    check_parquet(path)
    try:
        table = polars.scan_parquet(path)
        check_memory(path, table.select(polars.len()).collect().item() * len(table.collect_schema()))
        metadata = polars.read_parquet_metadata(path)
        frame = polars.read_parquet(path) if KEY in metadata else None
    except (OSError, GearwrightError):
        raise
    except Exception as error:  # polars raises kinds of its own
        raise GearwrightError(f"{path}: not a Parquet file, or damaged ({type(error).__name__})") from None
    if frame is None:
        raise GearwrightError(f"{path}: not a recording of Gearwright: its metadata has no {KEY!r}")
    schema = from_text(metadata[KEY], str(path))
    recording = Recording(schema)
    try:
        recording.add(ArrayChunk(*chunk_of(schema, {name: frame[name].to_numpy() for name in frame.columns})))
    except (KeyError, ValueError):
        raise GearwrightError(f"{path}: its columns are not those that it describes") from None
    return recording
