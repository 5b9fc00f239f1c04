"""Journals: rows as they come, beside a file that can only be written whole (.npz, .parquet).

Every block is checked and flushed, so that the rows of a process that was killed are there: `Recording.open` of the
file reads its journal if that is newer. A run that ends writes the file and removes the journal.
"""

from __future__ import annotations

import os
import struct
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from tempfile import mkstemp
from typing import IO, NamedTuple

import numpy as np

from gearwright.errors import GearwrightError, RecordingWarning, warn
from gearwright.files import is_special, open_regular, replacing
from gearwright.sim.recordings.columns import Array, ArrayChunk, Chunk
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.schema_text import from_text, to_text
from gearwright.sim.recordings.tables import columns, from_columns, widths

MAGIC = b"gearwright journal 1\n"
HEAD = struct.Struct("<II")  # bytes or rows, CRC-32
MOST_TEXT = 1 << 28  # bytes of a schema


def journal_of(path: Path) -> Path:
    """The journal of a file, which stands beside it."""
    return path.with_name(f"{path.name}.journal")


def remove_journal(path: Path) -> None:
    """Removes the journal of a file; other files of that name stay."""
    journal = journal_of(path)
    with suppress(OSError):
        with open_regular(journal) as file:
            found = file.read(len(MAGIC)) in (MAGIC, b"")
        if found:
            journal.unlink()


class JournalWriter:
    """Writes blocks: signal after signal, all rows of each. The journal of a device is a temporary file."""

    def __init__(self, path: Path) -> None:
        self.path = journal_of(path)
        if is_special(path):
            handle, name = mkstemp(suffix=".journal")
            os.close(handle)
            self.path = Path(name)
        self._file = self.path.open("w+b")
        self._schema: Schema | None = None

    def open(self, schema: Schema) -> None:
        text = to_text(schema).encode()
        self._schema = schema
        self._file.write(MAGIC + HEAD.pack(len(text), zlib.crc32(text)) + text)
        self._file.flush()

    def write(self, chunk: Chunk) -> None:
        assert self._schema is not None
        data = b"".join(np.ascontiguousarray(c).tobytes() for c in columns(self._schema, chunk))
        self._file.write(HEAD.pack(chunk.rows, zlib.crc32(data)) + data)
        self._file.flush()

    def reader(self) -> JournalReader:
        """Reads what was written, also where somebody has removed the file."""
        self._file.flush()
        self._file.seek(0)
        return JournalReader(self._file, self.path)

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # of a full disk, which refuses what is still to be written
            self.close()


class Block(NamedTuple):
    start: int  # of its numbers in the file
    rows: int


class JournalReader:
    """The rows of a journal, as far as they are whole. `damaged`: more follows that was not merely cut off."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self.path, self._file, self.damaged = path, file, False
        self.schema = self._read_schema()
        self.widths = widths(self.schema)
        self.blocks = list(self._read_blocks())

    @property
    def rows(self) -> int:
        return sum(block.rows for block in self.blocks)

    def _read_schema(self) -> Schema:
        if self._file.read(len(MAGIC)) != MAGIC:
            raise GearwrightError(f"{self.path}: not a journal of a recording")
        size, crc = HEAD.unpack(self._file.read(HEAD.size).ljust(HEAD.size, b"\0"))
        text = self._file.read(min(size, MOST_TEXT))
        if len(text) != size or zlib.crc32(text) != crc:
            raise GearwrightError(f"{self.path}: cut off before the first row")
        return from_text(text, str(self.path))

    def _read_blocks(self) -> Iterator[Block]:
        each, end = 8 * sum(self.widths), os.fstat(self._file.fileno()).st_size
        while len(head := self._file.read(HEAD.size)) == HEAD.size:
            rows, crc = HEAD.unpack(head)
            start, size = self._file.tell(), rows * each
            if size > end - start:
                return  # the last one, cut off
            if zlib.crc32(self._file.read(size)) != crc:
                self.damaged = True
                return
            yield Block(start, rows)

    def column(self, block: Block, i: int) -> Array:
        """The numbers of stored signal i, (rows, width)."""
        self._file.seek(block.start + 8 * block.rows * sum(self.widths[:i]))
        data = self._file.read(8 * block.rows * self.widths[i])
        return np.frombuffer(data, "<f8").reshape(block.rows, self.widths[i])

    def chunk(self, block: Block) -> ArrayChunk:
        self._file.seek(block.start)
        numbers = np.frombuffer(self._file.read(8 * block.rows * sum(self.widths)), "<f8")
        ends = np.cumsum([0, *(block.rows * w for w in self.widths)])
        each = (numbers[a:b].reshape(block.rows, w) for (a, b), w in zip(pairwise(ends), self.widths, strict=True))
        return from_columns(self.schema, each, block.rows)


class JournalSink(ABC):
    """A sink of a format that is written in one piece: rows wait in a journal until the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._journal = JournalWriter(path)

    def open(self, schema: Schema) -> None:
        try:
            self._journal.open(schema)
        except BaseException:
            self._journal.remove()
            raise

    def write(self, chunk: Chunk) -> None:
        self._journal.write(chunk)

    def close(self) -> None:
        try:
            with replacing(self._path) as temporary:
                self.write_whole(self._journal.reader(), temporary)
        except BaseException:
            self._journal.close()  # its rows stay, and `recovered` reads them
            raise
        self._journal.remove()

    @abstractmethod
    def write_whole(self, journal: JournalReader, path: Path) -> None:
        """Writes the file."""


def recovered(path: Path) -> Recording | None:
    """The recording of a journal that is newer than its file, with a warning: the run that wrote it has not ended."""
    journal = journal_of(path)
    if not journal.is_file() or (path.is_file() and path.stat().st_mtime_ns >= journal.stat().st_mtime_ns):
        return None
    with open_regular(journal) as file:
        try:
            reader = JournalReader(file, journal)
        except GearwrightError as error:
            if not path.is_file():
                raise
            warn(f"{error}; the previous content of {path} is read", RecordingWarning)
            return None
        recording = Recording(reader.schema)
        for block in reader.blocks:
            recording.add(reader.chunk(block))
    rows = f"{len(recording)} rows are read from {journal.name}"
    rest = ", and what follows them is damaged" if reader.damaged else ""
    warn(f"{path}: the run that writes it has not ended; {rows}{rest}", RecordingWarning)
    return recording
