"""From a loaded robot to its first step, in fresh processes: without a cache entry, and with one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import gearwright
from benchmarks.bench.results import Compilation
from benchmarks.bench.robots import Robot

# What a user's process does. Imports are timed apart: a process pays them once, however many robots it compiles.
PROGRAM = """
import json, sys, time
from pathlib import Path
from gearwright.formats import loads
text, dt = Path(sys.argv[1]).read_text(encoding="utf-8"), float(sys.argv[2])
robot = loads(text)
now = lambda: (time.perf_counter(), time.process_time())
begin = now()
from gearwright.sim import compile
if sys.argv[3] == "cold":
    import casadi
import llvmlite.binding
imported = now()
compile(robot, dt=dt).step()
end = now()
print(json.dumps([imported[1] - begin[1], end[0] - imported[0], end[1] - imported[1]]))
"""


def compilation(robot: Robot, dt: float, processes: int) -> Compilation:
    """The best of so many processes of each kind."""
    cold, cached = [], []
    for _ in range(processes):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            file.write_text(robot.urdf, encoding="utf-8")
            cold.append(_process(file, dt, "cold", Path(folder) / "cache"))
            cached.append(_process(file, dt, "cached", Path(folder) / "cache"))
    imports_cold, cold_wall, cold_cpu = map(min, zip(*cold, strict=True))
    imports_cached, cached_wall, cached_cpu = map(min, zip(*cached, strict=True))
    return Compilation(
        cold=cold_cpu,
        cold_wall=cold_wall,
        cached=cached_cpu,
        cached_wall=cached_wall,
        imports_cold=imports_cold,
        imports_cached=imports_cached,
    )


def _process(file: Path, dt: float, kind: str, cache: Path) -> tuple[float, float, float]:
    """CPU seconds of imports; wall and CPU seconds of the compilation with the first step."""
    package = str(Path(gearwright.__file__).parents[1])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "GEARWRIGHT_CACHE": str(cache), "PYTHONPATH": path}
    command = [sys.executable, "-c", PROGRAM, str(file), repr(dt), kind]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=True, timeout=600)
    imports, wall, cpu = json.loads(done.stdout)
    return imports, wall, cpu
