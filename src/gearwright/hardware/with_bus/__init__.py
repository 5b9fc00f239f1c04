"""`gearwright with-bus`: a driver that names its SocketCAN interface or its serial port finds the simulated one there.

Two ways, neither of which needs a privilege. Python programs import `site/sitecustomize.py`, which changes what
python-can and pyserial open. Programs of any language get `preload.c`, if there is a C compiler: a library that turns
raw CAN sockets into connections to the server.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gearwright.errors import GearwrightError
from gearwright.hardware.transports import can_socket

HERE = Path(__file__).parent
CAN, PORTS, FOLDER, OLD_PATH = (
    "GEARWRIGHT_WITH_CAN", "GEARWRIGHT_WITH_PORTS", "GEARWRIGHT_WITH_FOLDER", "GEARWRIGHT_WITH_PYTHONPATH"
)  # fmt: skip
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-shared", "-fPIC", "-O2", "-Wall")


def environment(channels: Mapping[str, str], ports: Mapping[str, str], *, preload: bool = True) -> dict[str, str]:
    """The environment of a driver. Interfaces that are not given have the channel of their own name."""
    env = dict(os.environ)
    env[CAN] = _table(channels, "CAN interface")
    env[PORTS] = _table({name: os.path.abspath(path) for name, path in ports.items()}, "serial port")
    env[FOLDER] = str(can_socket.folder())
    own = [str(HERE / "site"), str(HERE.parents[2])]  # the second, so that `gearwright` is found
    env[OLD_PATH] = env.get("PYTHONPATH", "")
    env["PYTHONPATH"] = os.pathsep.join([*own, *filter(None, [env[OLD_PATH]])])
    library = built_library() if preload else None
    if library is not None:
        env["LD_PRELOAD"] = " ".join(filter(None, [str(library), env.get("LD_PRELOAD", "")]))
    return env


def _table(pairs: Mapping[str, str], what: str) -> str:
    """One line for each, as both sides read it."""
    for name, place in pairs.items():
        if not name or not place or any(c in name + place for c in "\n="):
            raise GearwrightError(f"give a {what} as NAME=PLACE, for example can0=can0, not as {name}={place}")
    return "\n".join(f"{name}={place}" for name, place in pairs.items())


def built_library() -> Path | None:
    """The library for LD_PRELOAD, built once for each version of its source; None without a compiler, or off Linux."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None or not Path("/proc/self/exe").exists():
        return None
    source = HERE / "preload.c"
    version = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    library = can_socket.folder() / f"with-bus-{version}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            made = Path(folder) / library.name
            done = subprocess.run(
                [compiler, *FLAGS, str(source), "-o", str(made), "-ldl"], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise GearwrightError(f"{compiler} could not build {source}:\n{done.stderr[-2000:]}")
            made.replace(library)
    return library
