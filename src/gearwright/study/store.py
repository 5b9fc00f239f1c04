"""Results on disk: a file a chunk while the sweep goes on, one table at the end.

A chunk's file is there whole or not at all, so that a sweep goes on where it was killed.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from gearwright.errors import GearwrightError, ModelError
from gearwright.files import replacing, write_whole
from gearwright.optional import require
from gearwright.sim.recordings.checksums import add_to_parquet, check_parquet

Array = np.ndarray[Any, Any]
ENDINGS = (".parquet", ".csv")
METADATA = "gearwright"
CHECKSUM = "crc32"  # of all that follows the first line of a CSV


class Store:
    """The folder OUT.parts beside a table, or memory where no table is wanted. The folder is this process' until the
    `with` block ends, however it does."""

    def __init__(self, out: str | os.PathLike[str] | None, about: Mapping[str, Any], overwrite: bool = False) -> None:
        self.out, self.about, self.overwrite = None if out is None else Path(out), dict(about), overwrite
        self._memory: dict[int, dict[str, Array]] = {}
        self._lock: Any = None  # as long as the sweep goes on
        if self.out is not None and self.out.suffix not in ENDINGS:
            raise ModelError(f"{self.out.name!r} is no table: it must end in {' or '.join(ENDINGS)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def folder(self) -> Path:
        assert self.out is not None
        return self.out.with_name(self.out.name + ".parts")

    def check(self) -> bool:
        """Whether the table is there already. Raises where a file of that name is something else."""
        if self.out is None or not self.out.exists():
            return False
        held = described(self.out)
        if held.get("fingerprint") == self.about["fingerprint"]:
            return True
        if not self.overwrite:
            call = held.get("call")
            what = "holds no table of a sweep" if call is None else f"holds another sweep, {call!s:.300}"
            if call == self.about["call"]:
                what = "holds this sweep of another state of the robot, or by another version"
            raise GearwrightError(
                f"{self.out} {what}: give another name for the table, or overwrite it "
                f"(overwrite=True, --overwrite on the command line)"
            )
        return False

    def begin(self) -> set[int]:
        """The chunks that are there already."""
        if self.out is None:
            return set()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.folder)
            note = self.folder / "about.json"
            if note.exists() and _read(note) != self.about["fingerprint"]:
                if not self.overwrite:
                    raise GearwrightError(
                        f"{self.folder} holds chunks of another sweep: remove it, or give another name for the table"
                    )
                for chunk in self.folder.glob("*.npz"):
                    chunk.unlink()
            write_whole(note, json.dumps(self.about))
        except OSError as error:
            raise GearwrightError(f"{self.folder} cannot be written: {error.strerror}") from error
        return {int(p.stem) for p in self.folder.glob("*.npz") if p.stem.isdigit() and _sound(p)}

    def add(self, number: int, columns: Mapping[str, Array]) -> None:
        if self.out is None:
            self._memory[number] = dict(columns)
            return
        path = self.folder / f"{number}.npz"
        try:
            with replacing(path, tidy=False) as temporary, temporary.open("wb") as file:
                np.savez(file, **columns)  # type: ignore[arg-type]
        except OSError as error:
            raise GearwrightError(f"{path} cannot be written: {error.strerror}; what is there is kept") from error

    def chunk(self, number: int) -> dict[str, Array]:
        if self.out is None:
            return self._memory[number]
        with (self.folder / f"{number}.npz").open("rb") as file, np.load(file, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}

    def finish(self, columns: Mapping[str, Any]) -> Any:
        """Writes the table, and takes the chunks away. Returns it as a polars table."""
        polars = require_polars()
        table = polars.DataFrame(dict(columns))
        if self.out is not None:
            try:
                write(table, self.out, self.about)
                shutil.rmtree(self.folder, ignore_errors=True)
            except (OSError, polars.exceptions.PolarsError) as error:
                raise GearwrightError(f"{self.out} cannot be written: {error}; all chunks are kept") from error
        return table


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
        crc = found.pop(CHECKSUM, None)  # tables of earlier versions have none
        return found if crc in (None, zlib.crc32(text[text.index(b"\n") + 1 :])) else {}
    except Exception:  # polars has errors of its own for damaged files
        return {}


def read(path: Path) -> Any:
    polars = require_polars()
    return polars.read_parquet(path) if path.suffix == ".parquet" else polars.read_csv(path, comment_prefix="#")


def _read(note: Path) -> str | None:
    try:
        return str(json.loads(note.read_text(encoding="utf-8"))["fingerprint"])
    except (ValueError, KeyError, TypeError):
        return None


def _locked(folder: Path) -> Any:
    """Two sweeps of one table would take away each other's chunks: the second one raises."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    held = (folder / "lock").open("wb")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        held.close()
        raise GearwrightError(f"another process is at work in {folder}: wait for it, or give another name") from None
    except OSError:  # a file system without locks
        pass
    return held


def _sound(path: Path) -> bool:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:  # a damaged one is closed, too
            return bool(data.files)
    except (OSError, ValueError, EOFError):
        return False
    except Exception:  # a damaged zip has errors of its own
        return False
