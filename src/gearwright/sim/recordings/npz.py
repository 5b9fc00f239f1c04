""".npz: arrays `time`, `energy`, `kinetic_energy`, `potential_energy`, and `position/NAME`, `velocity/NAME`,
`effort/NAME`, `loop_position/NAME` and `loop_velocity/NAME` of joints that close loops, `command/ACTUATOR`,
`torque/ACTUATOR`, `shaft_position/ACTUATOR`, `shaft_velocity/ACTUATOR`, `sensor/NAME`, `coupling_error/NAME`, each (T,)
or (T, B), and the text `schema`. Exact.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from gearwright.errors import GearwrightError
from gearwright.sim.recordings.columns import ArrayChunk
from gearwright.sim.recordings.journal import JournalReader, JournalSink, recovered
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.schema import TIME, Signal
from gearwright.sim.recordings.schema_text import from_text, to_text

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
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:  # a damaged one is closed, too
            schema = from_text(str(data[SCHEMA]), str(path))
            columns = {s: np.asarray(data[member(s)], DTYPE) for s in schema.stored}
        time = columns.pop(TIME)
        shaped = {s.key: x.reshape(len(time), schema.batch, *s.shape) for s, x in columns.items()}
    except (ValueError, KeyError, BadZipFile, EOFError, MemoryError, NotImplementedError):  # a zip's version, damaged
        raise GearwrightError(f"{path}: not a recording of Gearwright, or damaged") from None
    recording = Recording(schema)
    recording.add(ArrayChunk(time, shaped))
    return recording


def member(signal: Signal) -> str:
    """A name inside the archive, which is a zip file: no way out of the folder it is unpacked in, and no two columns
    in one file. What could be either is written %XX, as in addresses; `urllib.parse.unquote` reads it back."""
    safe = re.sub(r'[%\\:*?"<>|\x00-\x1f]', _escaped, signal.name)
    safe = re.sub(r"(^|(?<=/))\.\.?(?=/|$)", _escaped, safe)  # this folder, and the one above
    safe = re.sub(r"^/|/$|(?<=/)/", _escaped, safe)
    return f"{signal.family}/{safe}" if signal.family else safe


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{ord(c):02X}" for c in found[0])
