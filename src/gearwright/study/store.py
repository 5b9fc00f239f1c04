"""Results on disk: one file per chunk while the sweep goes on, one table at the end.

A chunk's file is there whole or not at all, so a sweep goes on where it was killed. A chunk or a table is used again
only where a fingerprint says that it is of the same sweep, and only files that a sweep has written are removed.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from gearwright.errors import GearwrightError, ModelError, SweepWarning, warn
from gearwright.files import ENDING, replacing, write_whole
from gearwright.optional import require
from gearwright.sim.recordings.checksums import add_to_parquet, check_parquet
from gearwright.study.designs import Chunking

Array = np.ndarray[Any, Any]
ENDINGS = (".parquet", ".csv")
METADATA = "gearwright"
NOTE, LOCK = "about.json", "lock"  # files of the folder, beside the chunks
CHECKSUM = "crc32"  # of all that follows the first line of a CSV


class ResultStore:
    """The folder OUT.parts beside a table, or memory where no table is wanted. The folder is this process' until the
    `with` block ends, however it does."""

    def __init__(
        self, out: str | os.PathLike[str] | None, about: Mapping[str, Any], metrics: tuple[str, ...],
        chunking: Chunking, overwrite: bool = False,
    ) -> None:  # fmt: skip
        self.out, self.about, self.overwrite = None if out is None else Path(out), dict(about), overwrite
        self._metrics, self._chunking = metrics, chunking
        self._memory: dict[int, dict[str, Array]] = {}
        self._lock: Any = None  # as long as the sweep goes on
        if self.out is not None and self.out.suffix not in ENDINGS:
            raise ModelError(f"{self.out.name!r} is not a table: its name must end in {' or '.join(ENDINGS)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def folder(self) -> Path:
        assert self.out is not None
        return self.out.with_name(self.out.name + ".parts")

    def _same(self, held: Mapping[str, Any]) -> bool:
        """Whether notes are of this very sweep. One that depends on something unknown is the same as no other."""
        return self.about["fingerprint"] is not None and held.get("fingerprint") == self.about["fingerprint"]

    @property
    def _unknown(self) -> str:
        """Message part: why nothing can be used again."""
        what = self.about.get("unknown")
        return "" if what is None else f" (it depends on {what}, which cannot be compared, so nothing is reused)"

    def check(self) -> bool:
        """Whether the table is there already. Raises where a file of that name is something else."""
        if self.out is None or not self.out.exists():
            return False
        held = described(self.out)
        if self._same(held):
            return True
        if not self.overwrite:
            call = held.get("call")
            what = "holds no table of a sweep" if call is None else f"holds another sweep, {call!s:.300}"
            if call == self.about["call"]:
                what = "holds this sweep of another state of the robot, or by another version"
            raise GearwrightError(
                f"{self.out} {what}{self._unknown}: give another name for the table, or overwrite it "
                f"(overwrite=True, --overwrite on the command line)"
            )
        return False

    def begin(self) -> set[int]:
        """The chunks that are there already."""
        if self.out is None:
            return set()
        if self._unknown:
            warn(f"if interrupted, this sweep starts again from the beginning{self._unknown}", SweepWarning)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.folder)
            note = self.folder / NOTE
            if not self._same(_notes(note)):
                self._clear(note)
            write_whole(note, json.dumps(self.about))
        except OSError as error:
            raise GearwrightError(f"{self.folder} cannot be written: {error.strerror}") from error
        return {k for k, path in self._chunks() if self._read(k, path) is not None}

    def _clear(self, note: Path) -> None:
        """Makes room in a folder that holds chunks of another sweep, if the caller lets it."""
        there = [path for _, path in self._chunks()]
        if (note.exists() or there) and not self.overwrite:
            whose = "chunks of another sweep" if note.exists() else f"{there[0].name}, which no sweep has written"
            what = f"{self.folder} holds {whose}{self._unknown}"
            raise GearwrightError(f"{what}: remove it, overwrite it, or give another name for the table")
        for path in there:
            path.unlink()

    def _chunks(self) -> Iterator[tuple[int, Path]]:
        """The files that are named as chunks of this sweep."""
        for path in sorted(self.folder.glob("*.npz")):
            if path.stem.isdecimal() and str(int(path.stem)) == path.stem and int(path.stem) < len(self._chunking):
                yield int(path.stem), path

    def add(self, number: int, columns: Mapping[str, Array]) -> None:
        if self.out is None:
            self._memory[number] = dict(columns)
            return
        path = self.folder / f"{number}.npz"
        try:
            with replacing(path, tidy=False) as temporary, temporary.open("wb") as file:
                np.savez(file, *(columns[name] for name in self._metrics))
        except OSError as error:
            raise GearwrightError(
                f"{path} cannot be written: {error.strerror}; what has been written is kept"
            ) from error

    def chunk(self, number: int) -> dict[str, Array]:
        """The metrics of a chunk, (n,) each."""
        if self.out is None:
            return self._memory[number]
        path = self.folder / f"{number}.npz"
        found = self._read(number, path)
        if found is None:
            raise GearwrightError(f"{path} is damaged: run the same sweep again to simulate this chunk again")
        return found

    def _read(self, number: int, path: Path) -> dict[str, Array] | None:
        """None of a file that is not whole, or not what `add` writes."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as data:  # a damaged one is closed, too
                columns = [data[f"arr_{i}"] for i in range(len(self._metrics))]
        except Exception:  # a damaged zip has errors of its own, and of its decompressor
            return None
        expected = (self._chunking.rows(number),)
        if any(c.shape != expected or c.dtype != np.float64 for c in columns):
            return None
        return dict(zip(self._metrics, columns, strict=True))

    def finish(self, columns: Mapping[str, Any]) -> Any:
        """Writes the table, and takes the chunks away. Returns it as a polars table."""
        polars = require_polars()
        table = polars.DataFrame(dict(columns))
        if self.out is not None:
            try:
                write(table, self.out, self.about)
                self._remove()
            except (OSError, polars.exceptions.PolarsError) as error:
                raise GearwrightError(f"{self.out} cannot be written: {error}; all chunks are kept") from error
        return table

    def _remove(self) -> None:
        """Takes away what the sweep has written; the folder too, if nothing else is in it."""
        own = [path for _, path in self._chunks()] + [self.folder / NOTE, self.folder / LOCK]
        for path in (*own, *self.folder.glob(f".[0-9]*.npz.*{ENDING}")):  # and what a killed process was writing
            path.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()


def require_polars() -> Any:
    return require("polars", "a sweep's table")


def write(table: Any, path: Path, about: Mapping[str, Any]) -> None:
    """The table with the call, the versions, the seed and a checksum. A CSV has them in comments at its head."""
    with replacing(path) as temporary:
        if path.suffix == ".parquet":
            table.write_parquet(temporary, metadata={METADATA: json.dumps(dict(about))})
            add_to_parquet(temporary)
            return
        text = "".join(f"# {key}: {json.dumps(value)}\n" for key, value in about.items()) + table.write_csv()
        temporary.write_text(f"# {CHECKSUM}: {zlib.crc32(text.encode())}\n{text}", encoding="utf-8", newline="")


def described(path: Path) -> dict[str, Any]:
    """The notes that `write` has put into a table; none of any other file, nor of one that is damaged."""
    try:
        if path.suffix == ".parquet":
            check_parquet(path)
            polars = require_polars()
            held = json.loads(polars.read_parquet_metadata(path)[METADATA])
            return held if isinstance(held, dict) else {}
        found: dict[str, Any] = {}
        text = path.read_bytes()
        for line in text.decode().splitlines():
            if not line.startswith("# "):
                break
            key, _, value = line[2:].partition(": ")
            found[key] = json.loads(value)
        return found if found.pop(CHECKSUM, None) == zlib.crc32(text[text.index(b"\n") + 1 :]) else {}
    except Exception:  # polars has errors of its own for damaged files
        return {}


def read(path: Path) -> Any:
    polars = require_polars()
    return polars.read_parquet(path) if path.suffix == ".parquet" else polars.read_csv(path, comment_prefix="#")


def _notes(note: Path) -> dict[str, Any]:
    try:
        held = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _locked(folder: Path) -> Any:
    """Two sweeps of one table would take away each other's chunks: the second one raises."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    held = (folder / LOCK).open("ab")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        held.close()
        raise GearwrightError(f"another process is working in {folder}: wait for it, or give another name") from None
    except OSError:  # a file system without locks
        pass
    return held
