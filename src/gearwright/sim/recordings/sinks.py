"""Sinks: where rows go while a run makes them, or when a recording is saved."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from gearwright.errors import ModelError
from gearwright.sim.recordings.columns import Chunk
from gearwright.sim.recordings.files import replacing
from gearwright.sim.recordings.formats import check_format, find_format
from gearwright.sim.recordings.schema import Schema


class Sink(Protocol):
    """Takes a recording chunk by chunk. A format's sink is a class made with the path of the file to write."""

    def open(self, schema: Schema) -> None:
        """Called once, before the first chunk."""

    def write(self, chunk: Chunk) -> None:
        """Some more rows. The chunk is not kept."""

    def close(self) -> None:
        """Called once, after the last chunk or after an error: rows that were written stay."""


@contextmanager
def opened(sink: Sink | str | os.PathLike[str], schema: Schema, *, live: bool = False) -> Iterator[Sink]:
    """An open sink. A path's file is there whole at the end, or as it was before; a live one grows under its name, so
    that the rows of a run that fails or is killed are there."""
    if isinstance(sink, str | os.PathLike):
        made = find_format(check_format(sink)).sink
        if live:
            with opened(made(Path(sink)), schema) as own:
                yield own
            return
        with replacing(Path(sink)) as temporary, opened(made(temporary), schema) as own:
            yield own
        return
    if not all(callable(getattr(sink, method, None)) for method in ("open", "write", "close")):
        raise ModelError(f"a sink is a file's name or an object with open, write and close, not {sink!r:.60}")
    sink.open(schema)
    try:
        yield sink
    finally:
        sink.close()


def save(schema: Schema, chunks: Iterable[Chunk], path: str | os.PathLike[str]) -> None:
    """Writes the format that the name's ending says."""
    with opened(path, schema) as sink:
        for chunk in chunks:
            sink.write(chunk)
