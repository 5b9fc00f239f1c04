"""The processor and the versions that the benchmark ran on; nothing that names the machine or its owner."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.bench.contestant import Contestant
from gearwright import __version__

LIBRARIES = ("casadi", "llvmlite", "numpy", "example-robot-data")


def machine() -> str:
    model = platform.processor() or platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return f"{model}{_simd()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def _simd() -> str:
    from gearwright.compiler import find_backend

    return f" ({find_backend('cpu').description})"


def versions(peers: Mapping[str, type[Contestant]]) -> dict[str, str]:
    found = {"gearwright": __version__}
    for library in LIBRARIES:
        with suppress(PackageNotFoundError):
            found[library] = version(library)
    return found | {peer.title: version_of(peer) for peer in peers.values()}


def version_of(engine: type[Contestant]) -> str:
    try:
        return version(engine.package)
    except PackageNotFoundError:
        return "unknown version"


def load() -> float:
    """Processes that want a core, averaged over the last minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
