"""Sinks: where rows go while a run makes them, or when a recording is saved."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from gearwright.errors import ModelError
from gearwright.files import naming, replacing
from gearwright.sim.recordings.columns import Chunk
from gearwright.sim.recordings.formats import check_format, find_format
from gearwright.sim.recordings.journal import remove_journal
from gearwright.sim.recordings.robot_files import to_recording
from gearwright.sim.recordings.schema import Schema


class Sink(Protocol):
    """Takes a recording chunk by chunk. A format's sink is a class made with the path of the file to write."""

    def open(self, schema: Schema) -> None:
        """Called once, before the first chunk."""

    def write(self, chunk: Chunk) -> None:
        """Some more rows. The chunk is not kept."""

    def close(self) -> None:
        """Called once, after the last chunk or after an error: rows that were written stay."""


class FileSink:
    """The sink of a file's format. The file is not touched before `open`, and errors of the system name it."""

    def __init__(self, path: str | os.PathLike[str], name: str | os.PathLike[str] | None = None) -> None:
        """`name`: the file in messages, where `path` is a temporary name."""
        self.path, self._name = Path(path), path if name is None else name
        self._format = find_format(check_format(self._name))

    def open(self, schema: Schema) -> None:
        with naming(self._name):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._own = self._format.sink(self.path)
            try:
                self._own.open(replace(schema, file=to_recording(schema.file, Path(self._name).parent)))
            except BaseException:
                with suppress(Exception):
                    self._own.close()
                raise

    def write(self, chunk: Chunk) -> None:
        with naming(self._name):
            self._own.write(chunk)

    def close(self) -> None:
        with naming(self._name):
            self._own.close()


class ReplacingSink:
    """A sink that replaces an older file, which stays until there is more to write than the first chunk.

    A run begins with a chunk that holds its start alone. If it fails in its first step, the older file is worth more.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink, self._first, self._begun = sink, list[Chunk](), False

    def open(self, schema: Schema) -> None:
        self._schema = schema

    def write(self, chunk: Chunk) -> None:
        if not self._first:
            self._first.append(chunk)
            return
        self.replace()
        self._sink.write(chunk)

    def replace(self) -> None:
        """Removes the older file."""
        if not self._begun:
            self._sink.open(self._schema)
            self._begun = True
            for chunk in self._first:
                self._sink.write(chunk)

    def close(self) -> None:
        if self._begun:
            self._sink.close()


@contextmanager
def opened(sink: Sink | str | os.PathLike[str], schema: Schema) -> Iterator[Sink]:
    """An open sink. A file grows under its name, so that the rows of a run that fails or is killed are there."""
    own = FileSink(sink) if isinstance(sink, str | os.PathLike) else sink
    if not all(callable(getattr(own, method, None)) for method in ("open", "write", "close")):
        raise ModelError(f"a sink must be a file's name or an object with open, write and close, not {sink!r:.60}")
    if isinstance(own, FileSink) and own.path.is_file():
        own = ReplacingSink(own)
    own.open(schema)
    try:
        yield own
        if isinstance(own, ReplacingSink):
            own.replace()
    finally:
        own.close()


def save(schema: Schema, chunks: Iterable[Chunk], path: str | os.PathLike[str]) -> None:
    """Writes the format of the name's ending. At the end the file is there whole, or as it was before."""
    check_format(path)
    with replacing(path) as temporary:
        try:
            with opened(FileSink(temporary, path), schema) as sink:
                for chunk in chunks:
                    sink.write(chunk)
        finally:
            remove_journal(temporary)
    remove_journal(Path(path))  # rows of an earlier run that was killed: this file takes their place
