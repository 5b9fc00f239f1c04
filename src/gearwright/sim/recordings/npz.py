""".npz: arrays `time`, `energy`, `kinetic_energy`, `potential_energy`, and `position/NAME`, `velocity/NAME`,
`effort/NAME`, `command/ACTUATOR`, `torque/ACTUATOR`, `shaft_position/ACTUATOR`, `shaft_velocity/ACTUATOR`,
`sensor/NAME`, `coupling_error/NAME`, each (T,) or (T, B). Exact.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from gearwright.sim.recordings.columns import Chunk
from gearwright.sim.recordings.schema import TIME, Schema, Signal

DTYPE = np.dtype("<f8")
READ_AT_ONCE = 1 << 20  # bytes


class NpzSink:
    """An archive wants every array in one piece, so that chunks wait in a file without a name until the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._spool: IO[bytes] = TemporaryFile(dir=path.parent if path.is_file() else None)  # noqa: SIM115  # closed in `close`
        self._signals: tuple[Signal, ...] = ()
        self._batch = 1
        self._rows: list[int] = []  # of each chunk

    def open(self, schema: Schema) -> None:
        self._signals, self._batch = schema.stored, schema.batch

    def write(self, chunk: Chunk) -> None:
        self._rows.append(chunk.rows)
        for signal in self._signals:
            values = chunk.time if signal == TIME else chunk.column(signal)
            self._spool.write(np.ascontiguousarray(values, DTYPE).data)

    def close(self) -> None:
        with self._spool, ZipFile(self._path, "w") as archive:
            for i, signal in enumerate(self._signals):
                with archive.open(ZipInfo(f"{member(signal)}.npy"), "w", force_zip64=True) as file:
                    self._copy(i, signal, file)

    def _copy(self, i: int, signal: Signal, file: IO[bytes]) -> None:
        """One array: its header, and its part of every chunk."""
        robots = () if self._batch == 1 or signal == TIME else (self._batch,)
        shape = (sum(self._rows), *robots, *signal.shape)
        npy.write_array_header_1_0(file, {"descr": DTYPE.str, "fortran_order": False, "shape": shape})
        sizes = [DTYPE.itemsize * self._numbers(s) for s in self._signals]  # a row of each signal, in bytes
        start = 0
        for rows in self._rows:
            self._spool.seek(start + rows * sum(sizes[:i]))
            self._copy_bytes(rows * sizes[i], file)
            start += rows * sum(sizes)

    def _copy_bytes(self, size: int, file: IO[bytes]) -> None:
        while size:
            data = self._spool.read(min(size, READ_AT_ONCE))
            file.write(data)
            size -= len(data)

    def _numbers(self, signal: Signal) -> int:
        return 1 if signal == TIME else self._batch * int(np.prod(signal.shape))


def member(signal: Signal) -> str:
    """A name inside the archive, which is a zip file: no way out of the folder it is unpacked in, and no two columns
    in one file. What could be either is written %XX, as in addresses; `urllib.parse.unquote` reads it back."""
    safe = re.sub(r'[%\\:*?"<>|\x00-\x1f]', _escaped, signal.name)
    safe = re.sub(r"(^|(?<=/))\.\.?(?=/|$)", _escaped, safe)  # this folder, and the one above
    safe = re.sub(r"^/|/$|(?<=/)/", _escaped, safe)
    return f"{signal.family}/{safe}" if signal.family else safe


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{ord(c):02X}" for c in found[0])
