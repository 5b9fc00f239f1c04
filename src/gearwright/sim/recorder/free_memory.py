"""How much memory this process may still take: the machine's, its control group's, and its own limits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gearwright.errors import GearwrightError, ModelError

UNKNOWN = 4 * 2**30  # bytes, where the system does not say
LITTLE = 2**24  # bytes that are not asked for: looking at what is free takes longer
UNLIMITED = 2**60  # bytes; a larger limit does not limit
PROC, CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def require_memory(needed: float, what: str, instead: str, error: type[GearwrightError] = ModelError) -> None:
    """Raises an error if fewer bytes are free: work on numbers that do not fit is not even started."""
    if needed > LITTLE and needed > (available := available_memory()):
        raise error(f"{what} needs {shown_size(needed)}, but only {shown_size(available)} is free: {instead}")


def shown_size(count: float) -> str:
    count = min(count, 10**24)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            break
        count /= 1000
    return f"{count:.3g} {unit}"


def available_memory() -> int:
    """Bytes."""
    found = [*_machine(), *_control_groups(), *_limits()]
    return max(0, min(found)) if found else UNKNOWN


def _machine() -> Iterator[int]:
    try:
        lines = (PROC / "meminfo").read_text(encoding="ascii").splitlines()
        yield next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        try:
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        except (AttributeError, OSError, ValueError):
            return


def _control_groups() -> Iterator[int]:
    """Bytes left in each control group of this process, of either version."""
    try:
        lines = (PROC / "self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if not controllers:
            yield from _left(CGROUPS, path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _left(CGROUPS / "memory", path, *names)


def _left(root: Path, path: str, limit: str, usage: str, cache: str) -> Iterator[int]:
    """Bytes left in a group and in all above it. A container sees its own group as the root, whatever its path says."""
    parts = [p for p in path.split("/") if p not in ("", "..")]
    for depth in range(len(parts), -1, -1):
        folder = root.joinpath(*parts[:depth])
        try:
            most, used = (int((folder / name).read_text(encoding="ascii")) for name in (limit, usage))
        except (OSError, ValueError):  # no such group, or "max"
            continue
        if most < UNLIMITED:
            yield most - used + _reclaimable(folder, cache)


def _reclaimable(folder: Path, name: str) -> int:
    """Bytes of cached files that are no longer needed: they count as used, but can be reclaimed."""
    try:
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.split()[:1] == [name])
    except (OSError, StopIteration, ValueError, IndexError):
        return 0


def _limits() -> Iterator[int]:
    """RLIMIT_AS and RLIMIT_DATA, less what is taken already."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    taken = _taken()
    for name, used in zip(("RLIMIT_AS", "RLIMIT_DATA"), taken, strict=True):
        soft = resource.getrlimit(getattr(resource, name))[0]
        if soft not in (resource.RLIM_INFINITY, -1) and soft < UNLIMITED:
            yield soft - used


def _taken() -> tuple[int, int]:
    """Bytes of address space, and of data."""
    try:
        pages = (PROC / "self/statm").read_text(encoding="ascii").split()
        return int(pages[0]) * os.sysconf("SC_PAGE_SIZE"), int(pages[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0, 0
