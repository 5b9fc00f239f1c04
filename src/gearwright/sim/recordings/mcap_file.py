""".mcap, which Foxglove opens as it is: joint states, transforms, scene, motors, sensors and energy as JSON channels.

Channels are for viewing: nine digits, one robot of a batch, and not every row for robots with many numbers. The exact
numbers of all rows and robots are in compressed attachments (`blocks`), from which `Recording.open` reads them.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from time import perf_counter
from typing import IO, Any, cast

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.files import open_regular
from gearwright.optional import require
from gearwright.sim.recordings.blocks import decode, encode, rows
from gearwright.sim.recordings.channels import (
    MessageChannel,
    channels,
    nanoseconds,
    strides,
    transform_numbers,
    transforms_text,
)
from gearwright.sim.recordings.checksums import crc_of, warn_cut_off
from gearwright.sim.recordings.columns import Array, Chunk
from gearwright.sim.recordings.foxglove import SCHEMAS
from gearwright.sim.recordings.reading_memory import check_memory
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.scene import scene_update
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.recordings.schema_text import from_text, to_text
from gearwright.sim.recordings.tables import from_table, table, widths

NAME, MEDIA_TYPE = "gearwright.columns", "application/x-gearwright-columns"
PATIENCE = 0.5  # [s] that rows wait to be compressed together
SLOW = 0.1  # [s] between two writes from which nothing waits
PENDING = 1 << 19  # numbers that wait at most
MOST_RECORD = 1 << 31  # bytes of a record that is read
MARK = b"\x89MCAP0\r\n"  # at both ends of a finished file
DATA_END = struct.Struct("<BQI")  # opcode, length, CRC-32 of all before
FOOTER = struct.Struct("<BQQQI8s")  # opcode, length, place of the summary and of its index, its CRC-32, mark


class McapSink:
    """Writes messages as rows come, and their exact numbers twice a second."""

    def __init__(self, path: Path) -> None:
        writer = require("mcap.writer", "an .mcap recording")
        self._file: IO[bytes] = path.open("wb")
        self._writer: Any = writer.Writer(self._file, chunk_size=1 << 18, enable_data_crcs=True)
        self._channels: list[tuple[int, MessageChannel]] = []
        self._pending: list[Array] = []
        self._row = 0
        self._flushed = self._written = perf_counter()

    def open(self, schema: Schema) -> None:
        from gearwright import __version__

        self._schema = schema
        self._robot = schema.batch // 2 if schema.bands else 0
        self._writer.start(profile="", library=f"gearwright {__version__}")
        text = to_text(schema)
        self._writer.add_metadata("gearwright", {"schema": text, "crc32": str(zlib.crc32(text.encode()))})
        made = channels(schema)
        self._channels = [(self._register(c.topic, c.title, c.schema), c) for c in made]
        self._stride, self._pose_stride = strides(schema, made)
        self._links = schema.tables.get("link_pose", ())
        if self._links:
            self._open_scene(schema)
        self._flush()

    def _open_scene(self, schema: Schema) -> None:
        self._transforms_text = transforms_text(self._links)
        self._transforms = self._register("/tf", "foxglove.FrameTransforms", SCHEMAS["foxglove.FrameTransforms"])
        scene = self._register("/scene", "foxglove.SceneUpdate", SCHEMAS["foxglove.SceneUpdate"])
        start = int(nanoseconds(np.array([schema.start + schema.first_step * schema.dt]))[0])
        sec, nsec = divmod(start, 10**9)
        update = scene_update(schema.scene, {"sec": sec, "nsec": nsec})
        self._add(scene, start, json.dumps(update).encode())

    def _register(self, topic: str, title: str, schema: dict[str, Any]) -> int:
        kept = self._writer.register_schema(title, "jsonschema", json.dumps(schema).encode())
        channel: int = self._writer.register_channel(topic=topic, message_encoding="json", schema_id=kept)
        return channel

    def write(self, chunk: Chunk) -> None:
        times = nanoseconds(chunk.time)
        shown = slice(-self._row % self._stride, None, self._stride)
        for channel, own in self._channels:
            for time, data in own.messages(times, chunk, shown, self._robot):
                self._add(channel, time, data)
        if self._links:
            self._write_transforms(chunk, times, slice(-self._row % self._pose_stride, None, self._pose_stride))
        self._row += chunk.rows
        self._pending.append(table(self._schema, chunk))
        now, before = perf_counter(), self._written
        self._written = now
        waiting = sum(x.size for x in self._pending)
        if now - self._flushed > PATIENCE or now - before > SLOW or waiting > PENDING:
            self._flush()

    def _write_transforms(self, chunk: Chunk, times: Array, rows: slice) -> None:
        if len(times[rows]) == 0:
            return
        poses = chunk.thinned(rows).column(self._schema.signal("table", "link_pose"))[:, self._robot]
        for time, numbers in zip(times[rows].tolist(), transform_numbers(poses), strict=True):
            stamp = np.broadcast_to(divmod(time, 10**9), (len(numbers), 2))
            gaps = np.concatenate([stamp, numbers], axis=1).ravel().tolist()
            self._add(self._transforms, time, (self._transforms_text % tuple(gaps)).encode())

    def _add(self, channel: int, time: int, data: bytes) -> None:
        self._writer.add_message(channel_id=channel, log_time=time, publish_time=time, data=data)

    def _flush(self) -> None:
        """Rows that wait go into an attachment, and everything to the system."""
        if self._pending:
            numbers = np.concatenate(self._pending)
            self._pending = []
            time = int(nanoseconds(numbers[:1, 0])[0]) if numbers.size else 0
            self._writer.add_attachment(time, time, NAME, MEDIA_TYPE, encode(numbers))
        self._writer.flush()
        self._file.flush()
        self._flushed = perf_counter()

    def close(self) -> None:
        self._flush()
        self._writer.finish()
        self._file.close()


def read_mcap(path: Path) -> Recording:
    """A recording from a file that Gearwright wrote; of one that was cut off all rows that are whole."""
    require("mcap.stream_reader", "an .mcap recording")
    recording, numbers = None, 0
    with open_regular(path) as file:
        finished = is_finished(file, path)
        for record in _records(file, path, finished):
            if record.__class__.__name__ == "Metadata" and record.name == "gearwright" and recording is None:
                recording = Recording(_schema(record.metadata, path))
                columns = sum(widths(recording.schema))
            elif record.__class__.__name__ == "Attachment" and record.name == NAME and recording is not None:
                numbers += rows(record.data) * columns
                check_memory(path, numbers)
                recording.add(from_table(recording.schema, decode(record.data, columns)))
    if recording is None:
        raise GearwrightError(f"{path}: not a recording of Gearwright: it holds messages, but no exact columns")
    if not finished:
        warn_cut_off(path, len(recording))
    return recording


def is_finished(file: IO[bytes], path: Path) -> bool:
    """Whether the file has its end, which a killed run does not write. Raises if the checksum there is wrong.

    At the end stand the footer, which has the place of the summary, and MCAP's mark. Before the summary stands the
    CRC-32 of everything before: the record DataEnd; 0 in files that have none.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - FOOTER.size))
    opcode, _, summary, _, _, mark = FOOTER.unpack(file.read(FOOTER.size).rjust(FOOTER.size, b"\0"))
    file.seek(0)
    if (opcode, mark) != (2, MARK) or not DATA_END.size < summary < size:
        return False
    crc = crc_of(file, summary - DATA_END.size)
    _, _, given = DATA_END.unpack(file.read(DATA_END.size))
    if given not in (0, crc):
        raise GearwrightError(f"{path}: damaged: its checksum is wrong. Copy it again")
    file.seek(0)
    return True


def _schema(metadata: dict[str, str], path: Path) -> Schema:
    text = metadata.get("schema", "")
    found = str(zlib.crc32(text.encode()))
    if metadata.get("crc32", found) != found:
        raise GearwrightError(f"{path}: damaged: the checksum of its description is wrong")
    return from_text(text, str(path))


def _records(file: IO[bytes], path: Path, finished: bool) -> Any:
    """Records up to the end, or to where a file was cut off."""
    from mcap.exceptions import McapError
    from mcap.stream_reader import StreamReader

    found, bounded = 0, cast(IO[bytes], _Bounded(file))
    try:
        for record in StreamReader(bounded, emit_chunks=True, record_size_limit=MOST_RECORD).records:
            found += 1
            yield record
    except (McapError, struct.error, EOFError, UnicodeDecodeError, ValueError) as error:
        if finished or not found:
            raise GearwrightError(f"{path}: not an MCAP file, or damaged ({type(error).__name__})") from None


class _Bounded:
    """A file whose `read` takes memory for the bytes that are left, and not for those that a damaged length claims."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, os.fstat(file.fileno()).st_size

    def read(self, count: int) -> bytes:
        data = self._file.read(min(count, self._left))
        self._left -= len(data)
        return data
