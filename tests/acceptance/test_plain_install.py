"""After the README's first command, every command of its table works: with the plain dependencies and nothing else.

Each command runs in a process that can import no other package, as in a fresh environment.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from threading import Timer

import pytest
from packaging.requirements import Requirement

import gearwright as gw
from gearwright.optional import DISTRIBUTIONS, EXTRAS
from tests.acceptance.table import ARGUMENTS, SERVERS, TABLE, VARY, WHEEL, write_files
from tests.cli.commands import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PATIENCE = 60  # [s] for a server to start
SLOW = ("demo", "bench")


def _closure(requirements: list[str]) -> set[str]:
    """The distributions that an installer brings for these requirements."""
    found: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        wanted = waiting.pop()
        name = _normal(wanted.name)
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            waiting += [Requirement(text) for text in distribution(name).requires or ()]
        except PackageNotFoundError:  # either: an optional requirement that is not installed
            continue
        found.add(name)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _absent() -> list[str]:
    """The top-level modules of this environment that a plain installation does not have."""
    plain = _closure(PROJECT["dependencies"]) | {"gearwright"}
    return sorted(m for m, owners in packages_distributions().items() if not plain & {_normal(o) for o in owners})


ALONE = f"""
import sys
for name in {_absent()!r}:
    sys.modules[name] = None
sys.path.insert(0, {str(CHECKOUT / "src")!r})
from gearwright.cli import main
main()
"""


def test_every_command_of_the_table_is_here():
    assert sorted(TABLE) == sorted(ARGUMENTS)


def test_the_environment_is_narrowed():
    assert {"mujoco", "scipy", "plotly", "pytest"} <= set(_absent())
    assert not {"numpy", "casadi"} & set(_absent())


@pytest.mark.parametrize(
    "command", [pytest.param(c, marks=pytest.mark.slow) if c in SLOW else c for c in TABLE if c not in SERVERS]
)
def test_a_command_works(command: str, tmp_path: Path):
    write_files(tmp_path)
    if command == "identify":
        sim = gw.compile(gw.loads(WHEEL))
        sim.reset(velocity={"axle": 1.0})
        sim.run(0.5, every=10).save(tmp_path / "wheel.csv")
    words = [sys.executable, "-c", ALONE, command, *ARGUMENTS[command]]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", SERVERS)
def test_a_server_starts(command: str, tmp_path: Path):
    words = [sys.executable, "-u", "-c", ALONE, command, *ARGUMENTS[command]]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None
        printed = [""]
        watchdog = Timer(PATIENCE, running.kill)
        watchdog.start()
        try:
            for line in running.stdout:
                printed.append(line)
                if SERVERS[command] in line:
                    break
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(20)
            watchdog.cancel()
    assert SERVERS[command] in printed[-1], "".join(printed)


MISSING = {
    "polars": ["sweep", "gripper", *VARY],
    "viser": ["view", "gripper"],
    "matplotlib": ["run", "gripper", "--duration", "0.01", "--plot", "run.png"],
    "mcap": ["run", "gripper", "--duration", "0.01", "--out", "run.mcap"],
    "plotly": ["run", "gripper", "--duration", "0.01", "--plot", "run.html"],
    "scipy": ["sweep", "gripper", "--sampling", "sobol", "--designs", "4", *VARY],
    "can": ["serve", "gripper", "--protocol", "cia402", "--tcp", "0", "--socketcand", "0", "--can", "virtual:test"],
    "casadi": ["run", "gripper", "--duration", "0.01"],
}


@pytest.mark.parametrize("package", MISSING)
def test_a_missing_package_is_named_with_the_line_that_installs_it(package: str, tmp_path, monkeypatch):
    if package == "casadi":  # it is not needed for code from the cache
        monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    code = ALONE.replace("import sys\n", f"import sys\nsys.modules[{package!r}] = None\n", 1)
    words = [sys.executable, "-c", code, *MISSING[package]]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    wanted = f"gearwright[{EXTRAS[package]}]" if package in EXTRAS else DISTRIBUTIONS.get(package, package)
    assert package in done.stderr and " -m pip install " in done.stderr and wanted in done.stderr
    assert "bug" not in done.stderr and "Traceback" not in done.stderr


def test_extras_hold_the_packages_that_messages_promise():
    extras = {
        name: {_normal(Requirement(r).name) for r in needs} for name, needs in PROJECT["optional-dependencies"].items()
    }
    for module, extra in EXTRAS.items():
        wanted = _normal(DISTRIBUTIONS.get(module, module))
        assert any(name.startswith(wanted) for name in extras[extra]), module


def test_the_page_lists_the_licences_of_what_is_installed():
    page = (CHECKOUT / "docs/dependencies.md").read_text(encoding="utf-8").partition("## Licences")[2]
    listed = {
        _normal(name) for row in re.findall(r"^\| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE) for name in row.split(", ")
    }
    assert _closure(PROJECT["dependencies"]) <= listed
