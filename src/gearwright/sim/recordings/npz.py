""".npz: arrays `time`, `energy`, `kinetic_energy`, `potential_energy`, and `position/NAME`, `velocity/NAME`,
`effort/NAME`, `loop_position/NAME` and `loop_velocity/NAME` of joints that close loops, `command/ACTUATOR`,
`torque/ACTUATOR`, `shaft_position/ACTUATOR`, `shaft_velocity/ACTUATOR`, `sensor/NAME`, `coupling_error/NAME`, each (T,)
or (T, B), and the text `schema`. Exact.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from gearwright.errors import GearwrightError
from gearwright.files import open_regular
from gearwright.sim.recordings.columns import ArrayChunk
from gearwright.sim.recordings.journal import JournalReader, JournalSink, recovered
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema_text import from_text, to_text
from gearwright.sim.signals import TIME, Signal

DTYPE = np.dtype("<f8")
SCHEMA = "schema"  # the member that describes the others


class NpzSink(JournalSink):
    """An archive wants every array in one piece."""

    def write_whole(self, journal: JournalReader, path: Path) -> None:
        with ZipFile(path, "w") as archive:
            _write(archive, journal)


def _write(archive: ZipFile, journal: JournalReader) -> None:
    schema = journal.schema
    for i, signal in enumerate(schema.stored):
        robots = () if schema.batch == 1 or signal == TIME else (schema.batch,)
        with _member(archive, member(signal)) as file:
            shape = (journal.rows, *robots, *signal.shape)
            npy.write_array_header_1_0(file, {"descr": DTYPE.str, "fortran_order": False, "shape": shape})
            for block in journal.blocks:
                file.write(journal.column(block, i).tobytes())
    with _member(archive, SCHEMA) as file:
        npy.write_array(file, np.array(to_text(schema)), allow_pickle=False)


def _member(archive: ZipFile, name: str) -> IO[bytes]:
    return archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True)


def read_npz(path: Path) -> Recording:
    """A recording from an archive, or from the journal of a run that did not end."""
    if (found := recovered(path)) is not None:
        return found
    try:
        with open_regular(path) as file, ZipFile(file) as archive:
            _check_size(archive, os.fstat(file.fileno()).st_size, path)
            schema = from_text(str(_array(archive, SCHEMA)), str(path))
            columns = {s: np.asarray(_array(archive, member(s)), DTYPE) for s in schema.stored}
        time = columns.pop(TIME)
        shaped = {s.key: x.reshape(len(time), schema.batch, *s.shape) for s, x in columns.items()}
    except (OSError, GearwrightError):
        raise
    except Exception:  # zipfile, NumPy and the tokenizer of its headers have errors of their own
        raise GearwrightError(f"{path}: not a recording of Gearwright, or damaged") from None
    recording = Recording(schema)
    recording.add(ArrayChunk(time, shaped))
    return recording


def _check_size(archive: ZipFile, size: int, path: Path) -> None:
    """A recording's arrays are not compressed: others could take any amount of memory."""
    unpacked = sum(info.file_size for info in archive.infolist())
    if unpacked > size:
        raise GearwrightError(f"{path}: has {size:,} bytes and unpacks to {unpacked:,}: not written by Gearwright")


def _array(archive: ZipFile, name: str) -> np.ndarray[Any, Any]:
    with archive.open(f"{name}.npy") as file:
        found: np.ndarray[Any, Any] = npy.read_array(file, allow_pickle=False)
        if file.read(1):  # the checksum of a member is compared at its end
            raise ValueError
    return found


def member(signal: Signal) -> str:
    """A name inside the archive, which is a zip file: no way out of the folder it is unpacked in, and no two columns
    in one file. What could be either is written %XX, as in addresses; `urllib.parse.unquote` reads it back."""
    safe = re.sub(r'[%\\:*?"<>|\x00-\x1f]', _escaped, signal.name)
    safe = re.sub(r"(^|(?<=/))\.\.?(?=/|$)", _escaped, safe)  # this folder, and the one above
    safe = re.sub(r"^/|/$|(?<=/)/", _escaped, safe)
    return f"{signal.family}/{safe}" if signal.family else safe


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{ord(c):02X}" for c in found[0])
