"""Bytes of files that may be anything: bounded, and never waited for."""

from __future__ import annotations

from pathlib import Path

MAX_BYTES = 32 * 2**20


def bounded(path: Path) -> bytes:
    """A file's bytes. Raises OSError for what has no end or no size: pipes, devices, the kernel's own files."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise OSError(f"its size is {size} bytes, more than {MAX_BYTES // 2**20} MiB")
    return beginning(path, MAX_BYTES)


def beginning(path: Path, most: int) -> bytes:
    """A file's first bytes. One without a size is not opened: reading the kernel's log would wait for its next line."""
    size = path.stat().st_size
    if not size:
        raise OSError("its size is 0 bytes")
    with path.open("rb") as f:
        return f.read(min(size, most))  # takes that much memory before it reads
