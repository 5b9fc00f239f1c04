"""Speed on a GPU: `gearwright bench --gpu`; or in two halves, as the machine may have neither CasADi nor LLVM.

    python -m benchmarks.gpu prepare FOLDER [NAME=FILE …]   anywhere: kernels as text, start values, what the CPU makes
    python -m benchmarks.gpu measure FOLDER                 with a GPU: agreement and robot-steps per second, as a table

Without files, the robots are those of the package; with files, any robots.

The second half needs NumPy and CuPy, asks nothing, and goes on after a kernel that fails. Of each kernel it says how
many registers and bytes of local memory a thread has, and which share of the card's peaks is used: arithmetic
(additions, multiplications, divisions and functions of the tapes, every loop once: a lower bound) and memory (what a
launch reads and writes of the robots' slots).
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.compiler.backends.cuda.backend import Cuda
from gearwright.compiler.backends.cuda.thread_text import WRITTEN, KernelLayout
from gearwright.compiler.passes import ends_known, optimise, without_unread_stores
from gearwright.compiler.program import Program, SlotKind
from gearwright.compiler.program_text import from_text, to_text

CHECKED = 64  # robots that are compared with the CPU
SPREAD = 0.3  # [rad, m] by which their starts differ from 0, or the nearest position in range
LONG, SHORT = 200, 1  # steps a call: a roll-out, and a policy in the loop
SECONDS = 1.0  # that a figure is measured for
PEAK = {"double": 34e12, "single": 67e12}  # operations a second of an H200, as its maker states them
BANDWIDTH = 4.8e12  # bytes a second of its memory
OPERATIONS = {"fma": 2, "fms": 2, "fnma": 2, "sincos": 2}  # that a tape's instruction counts for
FREE = {  # moved, compared or chosen: no arithmetic
    "const", "load", "assign", "pair_sin", "pair_cos", "neg", "fabs", "copysign", "select", "if_else_zero", "lt", "le",
    "eq", "ne", "and", "or", "not", "fmin", "fmax", "sign",
}  # fmt: skip


class Case(NamedTuple):
    """One kernel."""

    robot: str
    integrator: str
    precision: str
    file: Path | None = None  # one that the package does not have

    @property
    def name(self) -> str:
        return f"{self.robot}-{self.integrator}-{self.precision}"


ROBOTS = {"arm": "reference_arm.urdf", "driven_arm": "reference_arm_driven.urdf", "gripper": "gripper.sdf"}
QUADRUPED = "quadruped"  # of examples/walk.py, with motors and contacts
SWITCHES = 8  # of its active set, at most


def cases(files: Mapping[str, Path] | None = None) -> Iterator[Case]:
    """Of those robots, or of the package's."""
    for robot in files or ROBOTS:
        for integrator in ("euler", "midpoint"):
            for precision in ("single", "double"):
                yield Case(robot, integrator, precision, files[robot] if files else None)
    if not files:
        yield Case(QUADRUPED, "euler", "single")


def simulation(case: Case) -> Any:
    """64 robots at random poses."""
    import gearwright as gw
    import gearwright.robots

    options: dict[str, Any] = {"batch": CHECKED, "integrator": case.integrator, "precision": case.precision}
    if case.robot == QUADRUPED:
        walk = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "walk.py"))
        sim = gw.compile(walk["quadruped"](), dt=walk["DT"], ground=0.8, contacts=[("*_foot", "ground")],
                         switches=SWITCHES, **options)  # fmt: skip
        rng = np.random.default_rng(0)
        joints = {name: rng.uniform(low, high, CHECKED) for name, (low, high) in walk["STARTS"].items()}
        sim.reset(position={"base.z": walk["HEIGHT"], **joints})
        return sim
    file = case.file or Path(gearwright.robots.__file__).parent / ROBOTS[case.robot]
    sim = gw.compile(gw.load(file), **options)
    _move_apart(sim)
    return sim


def prepare(folder: Path, chosen: Iterable[Case] | None = None) -> None:
    """Writes a kernel's text, and a file with the rest, for every case."""
    from gearwright.sim.programs.programs import program as step_of

    folder.mkdir(parents=True, exist_ok=True)
    for case in cases() if chosen is None else chosen:
        sim = simulation(case)
        start = {s.name: sim.batch_state.get(s.name) for s in _kept(sim.batch_state.program)}
        after = {}
        for steps in (1, LONG - 1):
            sim.step(n=steps)
            after[str(sim.clock.steps)] = sim.state
        program = step_of("step", sim.kernels.equations)
        text = Cuda().code(program, case.precision, None)
        (folder / f"{case.name}.cu").write_bytes(text)
        kept: dict[str, Any] = start | {f"after {n}": x for n, x in after.items()}
        np.savez(folder / f"{case.name}.npz", allow_pickle=False, **kept)
        about = {
            "outline": to_text(program.outline()), "operations": _operations(program), "bytes": _bytes(program, case),
        }  # fmt: skip
        (folder / f"{case.name}.json").write_text(json.dumps(about))
        print(f"{case.name}: {len(text)} bytes, {about['operations']} operations a step at least")


def _kept(program: Program) -> list[Any]:
    return [slot for slot in program.slots if slot.kind is not SlotKind.SCRATCH]


def _move_apart(sim: Any) -> None:
    rng = np.random.default_rng(0)
    group, free = sim.layout.independent("position")
    lower, upper = (x[list(free)] for x in sim.layout.ranges)
    middle = np.clip(0.0, lower, upper)
    low, high = np.maximum(lower, middle - SPREAD), np.minimum(upper, middle + SPREAD)
    sim.reset(position={group.names[i]: rng.uniform(a, b, CHECKED) for i, a, b in zip(free, low, high, strict=True)})


def _operations(program: Program) -> int:
    """Of a step as the kernel has it, every loop once: a lower bound."""
    made = without_unread_stores(ends_known(program)).map_tapes(optimise)
    return sum(OPERATIONS.get(i.op, 1) for s in made.stages for i in s.tape.instructions if i.op not in FREE)


def _bytes(program: Program, case: Case) -> int:
    """That a launch moves for one robot: all slots but scratch in, those that a step writes out, and a mark."""
    layout = KernelLayout(program)
    written = sum(slot.size for slot in layout.kept if slot.kind in WRITTEN)
    return (layout.kept_elements + written) * {"double": 8, "single": 4}[case.precision] + 8


def measure(folder: Path, robots: int, backend: Cuda | None = None) -> list[dict[str, Any]]:
    """Loads every kernel, compares it with the CPU's numbers, and times it. Writes measured.json and measured.md."""
    backend = backend or Cuda()
    about = {"machine": backend.description, "versions": _versions(), "robots": robots}
    print(json.dumps(about))
    table: list[dict[str, Any]] = []
    for file in sorted(folder.glob("*-*-*.json")):
        try:
            row = {"case": file.stem, **_measured(file, robots, backend)}
        except Exception as error:  # a kernel that does not load must not cost the others
            row = {"case": file.stem, "error": f"{type(error).__name__}: {error}"[:500]}
        table.append(row)
        print(json.dumps(row), flush=True)
        (folder / "measured.json").write_text(json.dumps({**about, "cases": table}, indent=1))
    (folder / "measured.md").write_text(text := _as_table(table))
    print(text)
    return table


def report(robots: int = 1 << 20, backend: Cuda | None = None, chosen: Iterable[Case] | None = None) -> None:
    """Both halves here, and MuJoCo Warp beside them where it is installed."""
    from benchmarks import gpu_warp

    backend = backend or Cuda()
    print(backend.description)  # raises where there is no GPU
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), chosen)
        measure(Path(folder), robots, backend)
        if find_spec("mujoco_warp"):
            gpu_warp.prepare(Path(folder))
            gpu_warp.measure(Path(folder))
        else:
            print("MuJoCo Warp is not installed: pip install mujoco-warp")


def _versions() -> dict[str, str]:
    import gearwright

    found = {"gearwright": gearwright.__version__, "numpy": np.__version__}
    try:
        import cupy
    except ImportError:
        return found
    runtime = cupy.cuda.runtime
    return found | {
        "cupy": cupy.__version__, "cuda": str(runtime.runtimeGetVersion()), "driver": str(runtime.driverGetVersion()),
    }  # fmt: skip


def _as_table(rows: list[dict[str, Any]]) -> str:
    """Markdown, for docs/performance.md."""
    shares = ("arithmetic", "memory")
    head = ("case", "registers", "local bytes", "steps/s", *shares, "one a launch", *shares)
    lines = [" | ".join(head), " | ".join("---" for _ in head)]
    for row in rows:
        if "error" in row:
            lines.append(f"{row['case']} | {row['error'].splitlines()[0]:.80}" + " |" * (len(head) - 2))
            continue
        cells = [row["case"], str(row["registers"]), str(row["local_bytes"])]
        for steps in (LONG, SHORT):
            used = (f"{100 * row[f'{share}_{steps}']:.1f} %" for share in shares)
            cells += [f"{row[f'steps_per_s_{steps}'] / 1e9:.3f} billion", *used]
        lines.append(" | ".join(cells))
    return "".join(f"| {line} |\n" for line in lines)


def _measured(about: Path, robots: int, backend: Cuda) -> dict[str, Any]:
    facts, precision = json.loads(about.read_text()), about.stem.rsplit("-", 1)[1]
    begun = time.perf_counter()
    executable: Any = backend.load(from_text(facts["outline"]), about.with_suffix(".cu").read_bytes(), precision, None)
    row: dict[str, Any] = {"load_s": round(time.perf_counter() - begun, 1), **executable.resources()}
    data = np.load(about.with_suffix(".npz"))
    checked = _started(executable, data, CHECKED)
    for key in (k for k in data.files if k.startswith("after ")):
        steps = int(key.removeprefix("after "))
        checked.step(steps - checked.clock.value)
        row[f"difference_{steps}"] = float(np.abs(checked.states.numbers()[0] - data[key]).max())
    many = _started(executable, data, robots)
    for steps in (LONG, SHORT):
        rate = _rate(many, steps, robots)
        row[f"steps_per_s_{steps}"] = round(rate)
        row[f"arithmetic_{steps}"] = round(rate * facts["operations"] / PEAK[precision], 4)
        row[f"memory_{steps}"] = round(rate / steps * facts["bytes"] / BANDWIDTH, 4)
    row["failed"] = len(many.failures)
    return row | {"operations": facts["operations"], "bytes": facts["bytes"]}


def _started(executable: Any, data: Any, robots: int) -> Any:
    instance = executable.instance(robots)
    for slot in _kept(executable.program):
        instance.set(slot.name, np.resize(data[slot.name], (robots, *slot.shape)))
    return instance


def _rate(instance: Any, steps: int, robots: int) -> float:
    """Robot-steps a second, the best of several calls; each waits for the kernel."""
    instance.step(steps)
    best, until = 0.0, time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        begun = time.perf_counter()
        instance.step(steps)
        best = max(best, robots * steps / (time.perf_counter() - begun))
    return best


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=("prepare", "measure"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="*", metavar="NAME=FILE")
    parser.add_argument("--robots", type=int, default=1 << 20)
    given = parser.parse_args(arguments)
    if given.half == "prepare":
        prepare(given.folder, cases({name: Path(file) for name, _, file in (x.partition("=") for x in given.files)}))
    else:
        measure(given.folder, given.robots)


if __name__ == "__main__":
    main(sys.argv[1:])
