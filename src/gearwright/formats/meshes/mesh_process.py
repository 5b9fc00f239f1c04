"""The process that reads mesh files (`mesh_reader`), from outside: asked for one file at a time, with a deadline."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from gearwright.errors import GearwrightError

PATIENCE = 30.0  # [s] for one file
LARGEST = 1 << 30  # bytes of an answer
READER = Path(__file__).with_name("mesh_reader.py")


class UnreadableMeshError(GearwrightError):
    """A mesh that cannot be had, and why: the end of a sentence that begins with its name."""


class MeshProcess:
    """Started with the first file; ended and started anew by a file that takes too long or takes it down."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def read(self, path: Path, roots: Sequence[Path], want: str = "") -> bytes:
        """The answer of `mesh_reader.read`: a zero byte, bounds, glTF. Files that it names are read below `roots`.

        Of "points" or "heights" it is the answer of `read_points` or `read_heights`.
        """
        with self._lock:
            answer = self._ask({"path": str(path), "roots": [str(root) for root in roots], "want": want})
        if answer[:1] == b"\0":
            return answer
        raise UnreadableMeshError(str(json.loads(answer)))

    def _ask(self, request: dict[str, Any]) -> bytes:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(PATIENCE, end)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            (size,) = struct.unpack("<Q", _exactly(process.stdout, 8))
            if size > LARGEST:
                raise EOFError
            return _exactly(process.stdout, size)
        except (EOFError, OSError):
            self.close()
            why = f"takes longer than {PATIENCE:g} s" if late.is_set() else "ended the process that was to read it"
            raise UnreadableMeshError(why) from None
        finally:
            timer.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(READER)],  # the file alone: it needs nothing else of the package
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        return self._process

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _exactly(file: IO[bytes], size: int) -> bytes:
    parts = file.read(size)
    if len(parts) != size:
        raise EOFError
    return parts
