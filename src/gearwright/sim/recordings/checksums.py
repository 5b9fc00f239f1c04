"""Checksums of whole files. A Parquet file gets one that is not part of the format.

Readers find a Parquet file's table of contents (the footer) from the file's end, and everything else from there. Other
bytes may stand before the footer: here a mark, and the CRC-32 of the rest of the file. It is checked before the file
is decoded, since a damaged bit can change numbers silently, or make a decoder ask for memory until the process ends.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from pathlib import Path
from typing import IO

from gearwright.errors import GearwrightError, RecordingWarning, warn
from gearwright.files import is_special, open_regular

MARK = b"gearwright crc32 "
CHECKSUM = struct.Struct("<I")
END = struct.Struct("<I4s")  # length of the footer, and Parquet's own mark
BLOCK = 1 << 20  # bytes that are read at a time


def crc_of(file: IO[bytes], count: int) -> int:
    """CRC-32 of so many bytes, from where the file stands."""
    crc = 0
    while count > 0 and (block := file.read(min(BLOCK, count))):
        crc, count = zlib.crc32(block, crc), count - len(block)
    return crc


def warn_cut_off(path: Path, rows: int) -> None:
    """For a file without its end."""
    warn(
        f"{path}: the file is cut off, or the run that writes it has not ended; {rows} rows are read", RecordingWarning
    )


def add_to_parquet(path: Path) -> None:
    """Inserts the checksum before the footer of a file that has just been written. A device keeps none."""
    if is_special(path):
        return
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(end - END.size)
        length, _ = END.unpack(file.read(END.size))
        start = file.seek(end - END.size - length)
        footer = file.read()
        file.seek(0)
        crc = zlib.crc32(footer, crc_of(file, start))
        file.seek(start)
        file.write(MARK + CHECKSUM.pack(crc) + footer)


def check_parquet(path: Path) -> None:
    """Raises GearwrightError if the file is damaged. A file of other programs, without a checksum, is not checked."""
    with open_regular(path) as file:
        if not os.fstat(file.fileno()).st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content, memoryview(content) as view:
            at = content.rfind(MARK)
            if at < 0:
                return
            after = at + len(MARK) + CHECKSUM.size
            found = zlib.crc32(view[after:], zlib.crc32(view[:at]))
            if view[at + len(MARK) : after] != CHECKSUM.pack(found):
                raise GearwrightError(f"{path}: damaged: its checksum is wrong. Copy it again")
