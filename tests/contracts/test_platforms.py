"""Everything that is of POSIX or of one CPU has a fallback: the core runs with all of that taken away.

A process without `fork`, terminals, file locks, unix sockets, users and signals that Windows lacks, on a CPU without
vector instructions, imports every module and does what the README shows. Results are those of this process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw

ROOT = Path(__file__).parents[2]
ONLY_POSIX = {"gearwright.hardware.transports.pty_port"}  # modules that are imported where there are pseudo-terminals
MODULES = ("fcntl", "termios", "tty", "pty", "resource", "grp", "pwd", "syslog")
NAMES = {
    "os": "fork forkpty register_at_fork sched_getaffinity getuid geteuid getgid getegid fchmod fchown chown setsid "
    "killpg getpgid mkfifo openpty O_NOFOLLOW O_DIRECTORY statvfs getloadavg",
    "socket": "AF_UNIX SCM_RIGHTS",
    "signal": "SIGALRM SIGKILL SIGHUP SIGUSR1 SIGWINCH setitimer pthread_sigmask sigtimedwait",
}
TAKEN_AWAY = f"""
import asyncio, multiprocessing, pkgutil, importlib, json, os, shutil, signal, socket, subprocess, sys, tempfile, uuid
import casadi, llvmlite.binding as llvm, matplotlib.pyplot, numpy, polars, trimesh, viser  # whose wheels differ there
pair, family = socket.socketpair, socket.AF_UNIX
socket.socketpair = lambda: pair(family)
for name in {MODULES!r}:
    sys.modules[name] = None
for module, names in {NAMES!r}.items():
    for name in names.split():
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
llvm.get_host_cpu_name, llvm.get_host_cpu_features = (lambda: "x86-64"), (lambda: llvm.targets.FeatureMap())
import warnings
warnings.simplefilter("ignore")
import gearwright as gw
"""
EVERY_MODULE = """
failed = {}
for found in pkgutil.walk_packages(gw.__path__, "gearwright."):
    if ".with_bus.site." in found.name or found.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(found.name)
    except ImportError as error:
        failed[found.name] = error.name
    except gw.GearwrightError as error:
        if "is not installed" not in str(error):
            raise
print(json.dumps(failed))
"""
THE_CORE = """
from gearwright.compiler.backends.cpu.target import host
assert host().lanes("double") == 1, host()
sim = gw.compile("gripper")
rec = sim.run(0.2, command={"motor": 0.012})
rec.save("run.csv"), rec.plot("run.png"), gw.render(rec, "still.png")
gw.sweep("gripper", {"motor.stall_torque": (0.02, 0.05, 3)}, {"end": "left_finger.position:last"}, duration=0.02,
         out="designs.csv")
gw.save(gw.load("gripper"), "gripper.urdf")
with gw.view("gripper", port=0, block=False) as page:
    page.player.step(10)
with gw.serve("canopen_arm", clock="lockstep") as bench:
    bench.step(5)
print(json.dumps({"position": rec.position["left_finger"].tolist(), "files": sorted(os.listdir("."))}))
"""


def elsewhere(script: str, folder: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg", "GEARWRIGHT_CACHE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", TAKEN_AWAY + script], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]


def test_every_module_is_imported_without_posix(tmp_path: Path) -> None:
    failed = json.loads(elsewhere(EVERY_MODULE, tmp_path))
    assert {module for module, lacks in failed.items() if lacks in MODULES} == ONLY_POSIX
    others = {lacks.partition(".")[0] for lacks in failed.values() if lacks not in MODULES}
    assert "gearwright" not in others  # packages that are not installed


def test_the_core_runs_without_posix_and_vector_instructions(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("takes away what only POSIX has")
    found = json.loads(elsewhere(THE_CORE, tmp_path))
    assert {"run.csv", "run.png", "still.png", "designs.csv", "gripper.urdf"} <= set(found["files"])
    here = gw.compile("gripper").run(0.2, command={"motor": 0.012}).position["left_finger"]
    np.testing.assert_allclose(found["position"], here, rtol=1e-9, atol=1e-12)
