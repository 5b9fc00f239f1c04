"""How long it takes to load PR2, and to import: against yourdfpy, Pinocchio and Drake, in one run.

    python benchmarks/loading.py [--rounds N] [--no-write]

The contestants take turns, so that a slow moment of the machine hits all of them; the best of N counts. The table is
printed, and written between the markers of docs/performance.md.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import perf_counter

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "src")]

from benchmarks.bench.quiet import quiet  # noqa: E402
from benchmarks.page import PERFORMANCE, conditions, write_section  # noqa: E402

BEGIN, END = "<!-- loading: begin (written by benchmarks/loading.py) -->", "<!-- loading: end -->"
LIMIT_MS = 150  # of imports beyond NumPy

Load = Callable[[str], object]


# --- contestants ----------------------------------------------------------------------------------------------------


def _gearwright() -> Load:
    import gearwright

    return gearwright.load


def _yourdfpy(**options: bool) -> Load:
    from yourdfpy import URDF

    logging.getLogger("yourdfpy").setLevel(logging.ERROR)
    return lambda path: URDF.load(path, load_meshes=False, load_collision_meshes=False, **options)


def _yourdfpy_parse_only() -> Load:
    """Its fastest options: the tree is neither built nor checked."""
    return _yourdfpy(build_scene_graph=False, build_collision_scene_graph=False)


def _pinocchio() -> Load:
    load: Load = import_module("pinocchio").buildModelFromUrdf
    return load


def _drake() -> Load:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    logging.getLogger("drake").setLevel(logging.ERROR)

    def load(path: str) -> object:
        plant = MultibodyPlant(0.0)
        Parser(plant).AddModels(Path(path))
        plant.Finalize()
        return plant

    return load


# name → the package that holds it, and what makes its loader
CONTESTANTS: dict[str, tuple[str, Callable[[], Load]]] = {
    "gearwright": ("gearwright", _gearwright),
    "yourdfpy (no meshes)": ("yourdfpy", _yourdfpy),
    "yourdfpy (no meshes, no scene graph: parsing only)": ("yourdfpy", _yourdfpy_parse_only),
    "Pinocchio (C++, inertias and tree only)": ("pin", _pinocchio),
    "Drake (C++, collision shapes registered nowhere)": ("drake", _drake),
}


# --- measuring ------------------------------------------------------------------------------------------------------


def loading_times(path: Path, rounds: int) -> dict[str, float]:
    """Best time of each contestant that is installed [s]."""
    loaders: dict[str, Load] = {}
    for name, (_, make) in CONTESTANTS.items():
        with contextlib.suppress(ImportError):
            loaders[name] = make()
    best = dict.fromkeys(loaders, float("inf"))
    with quiet():
        for _ in range(rounds + 1):  # the first round warms up; its times count too, being never the best
            for name, load in loaders.items():
                start = perf_counter()
                load(str(path))
                best[name] = min(best[name], perf_counter() - start)
    return best


def import_time(code: str, rounds: int) -> float | None:
    """What running `code` imports beyond NumPy: best of N fresh interpreters [s]; None where it fails."""
    best = None
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])}
    for _ in range(rounds):
        command = [sys.executable, "-X", "importtime", "-c", f"import numpy\n{code}"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            return None
        spent = _beyond_numpy(done.stderr)
        best = spent if best is None else min(best, spent)
    return best


def _beyond_numpy(report: str) -> float:
    """Sum of the self times [s] of what was imported after NumPy: `import time: self [us] | cumulative | name`."""
    total, after = 0, False
    for line in report.splitlines():
        fields = line.removeprefix("import time:").split("|")
        if not line.startswith("import time:") or not fields[0].strip().isdigit():
            continue
        if after:
            total += int(fields[0])
        after = after or fields[2].rstrip() == " numpy"
    return total / 1e6


IMPORTS = {
    "`import gearwright`": "import gearwright",
    "`gearwright.load` (first use)": "import gearwright; gearwright.load",
    "`gearwright --help`": (
        "import sys; sys.argv = ['gearwright', '--help']\nfrom gearwright.cli import main\n"
        "try:\n    main()\nexcept SystemExit as e:\n    raise SystemExit(e.code or 0)"
    ),
}


# --- report ---------------------------------------------------------------------------------------------------------


def report(loads: dict[str, float], imports: dict[str, float | None], rounds: int) -> str:
    ours = loads["gearwright"]
    lines = [
        conditions(*(package for package, _ in CONTESTANTS.values()), "numpy", "lxml"),
        "",
        f"PR2's URDF (example-robot-data), best of {rounds}, taking turns:",
        "",
        "| | ms | × gearwright |",
        "|---|---:|---:|",
        *(f"| {name} | {t * 1e3:.1f} | {t / ours:.2f} |" for name, t in loads.items()),
        "",
        f"Imports beyond NumPy (`python -X importtime`, best of 3; target for the first and the last: {LIMIT_MS} ms):",
        "",
        "| | ms |",
        "|---|---:|",
        *(f"| {name} | {'not there yet' if t is None else f'{t * 1e3:.0f}'} |" for name, t in imports.items()),
    ]
    return "\n".join(lines)


def main() -> int:
    from tests.corpus.files import robot_data

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-write", action="store_true", help="print only")
    options = parser.parse_args()
    folder = robot_data()
    if folder is None:
        print("the package example-robot-data is not installed", file=sys.stderr)
        return 1
    loads = loading_times(folder / "pr2_description" / "urdf" / "pr2.urdf", options.rounds)
    text = report(loads, {name: import_time(code, 3) for name, code in IMPORTS.items()}, options.rounds)
    print(text)
    if not options.no_write:
        write_section(PERFORMANCE, BEGIN, END, text, heading="Loading")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
