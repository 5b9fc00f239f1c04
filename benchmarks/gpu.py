"""Speed on a GPU, in two halves, because the machine with the GPU may have neither CasADi nor LLVM.

    python -m benchmarks.gpu prepare FOLDER     anywhere: kernels as text, start values, and what the CPU makes of them
    python -m benchmarks.gpu measure FOLDER     with a GPU: agreement and robot-steps a second, as JSON and a table

The second half needs NumPy and CuPy.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.compiler.backends.cuda.backend import Cuda
from gearwright.compiler.program import Program, SlotKind
from gearwright.compiler.program_text import from_text, to_text

CHECKED = 64  # robots that are compared with the CPU
SPREAD = 0.3  # [rad, m] by which their starts differ
LONG, SHORT = 200, 1  # steps a call: a roll-out, and a policy in the loop
SECONDS = 1.0  # that a figure is measured for
PEAK = {"double": 34e12, "single": 67e12}  # operations a second of an H200, as its maker states them


class Case(NamedTuple):
    """One kernel."""

    robot: str
    integrator: str
    precision: str

    @property
    def name(self) -> str:
        return f"{self.robot}-{self.integrator}-{self.precision}"


ROBOTS = {"arm": "reference_arm.urdf", "driven_arm": "reference_arm_driven.urdf", "gripper": "gripper.sdf"}


def cases() -> Iterator[Case]:
    for robot in ROBOTS:
        for integrator in ("euler", "midpoint"):
            for precision in ("single", "double"):
                yield Case(robot, integrator, precision)


def prepare(folder: Path) -> None:
    """Writes a kernel's text, and a file with the rest, for every case."""
    import gearwright as gw
    import gearwright.robots
    from gearwright.sim.programs import program as step_of

    robots = Path(gearwright.robots.__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases():
        sim = gw.compile(gw.load(robots / ROBOTS[case.robot]), batch=CHECKED, integrator=case.integrator,
                         precision=case.precision)  # fmt: skip
        _move_apart(sim)
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
        about = {"outline": to_text(program.outline()), "operations": _operations(program)}
        (folder / f"{case.name}.json").write_text(json.dumps(about))
        print(f"{case.name}: {len(text)} bytes, {about['operations']} operations a step at least")


def _kept(program: Program) -> list[Any]:
    return [slot for slot in program.slots if slot.kind is not SlotKind.SCRATCH]


def _move_apart(sim: Any) -> None:
    rng = np.random.default_rng(0)
    group, free = sim.layout.independent("position")
    lower, upper = (x[list(free)] for x in sim.layout.ranges)
    low, high = np.maximum(lower, -SPREAD), np.minimum(upper, SPREAD)
    sim.reset(position={group.names[i]: rng.uniform(a, b, CHECKED) for i, a, b in zip(free, low, high, strict=True)})


def _operations(program: Program) -> int:
    """Of a step, every loop once: a lower bound. A fused multiply-add is two."""
    return sum(
        (2 if i.op in ("fma", "fms", "fnma") else 1) for s in program.stages for i in s.tape.instructions
        if i.op not in ("const", "load", "assign", "pair_sin", "pair_cos")
    )  # fmt: skip


def measure(folder: Path, robots: int) -> None:
    """Loads every kernel, compares it with the CPU's numbers, and times it."""
    print(Cuda().description)
    table = []
    for about in sorted(folder.glob("*.json")):
        row = {"case": about.stem, **_measured(about, robots)}
        table.append(row)
        print(json.dumps(row), flush=True)
    (folder / "measured.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))


def _measured(about: Path, robots: int) -> dict[str, Any]:
    import cupy

    facts, precision = json.loads(about.read_text()), about.stem.rsplit("-", 1)[1]
    begun = time.perf_counter()
    executable = Cuda().load(from_text(facts["outline"]), about.with_suffix(".cu").read_bytes(), precision, None)
    row: dict[str, Any] = {"load_s": round(time.perf_counter() - begun, 1)}
    data = np.load(about.with_suffix(".npz"))
    checked = _started(executable, data, CHECKED)
    for key in (k for k in data.files if k.startswith("after ")):
        steps = int(key.removeprefix("after "))
        checked.step(steps - checked.clock.value)
        row[f"difference_{steps}"] = float(np.abs(checked.states.numbers()[0] - data[key]).max())
    many = _started(executable, data, robots)
    for steps in (LONG, SHORT):
        rate = _rate(many, steps, robots, cupy)
        row[f"steps_per_s_{steps}"] = f"{rate:.3e}"
        row[f"share_of_arithmetic_{steps}"] = round(rate * facts["operations"] / PEAK[precision], 3)
    row["failed"] = len(many.failures)
    return row


def _started(executable: Any, data: Any, robots: int) -> Any:
    instance = executable.instance(robots)
    for slot in _kept(executable.program):
        instance.set(slot.name, np.resize(data[slot.name], (robots, *slot.shape)))
    return instance


def _rate(instance: Any, steps: int, robots: int, cupy: Any) -> float:
    """Robot-steps a second, the best of several calls."""
    instance.step(steps)
    best, until = 0.0, time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        cupy.cuda.Device().synchronize()
        begun = time.perf_counter()
        instance.step(steps)
        best = max(best, robots * steps / (time.perf_counter() - begun))
    return best


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=("prepare", "measure"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--robots", type=int, default=1 << 20)
    given = parser.parse_args(arguments)
    if given.half == "prepare":
        prepare(given.folder)
    else:
        measure(given.folder, given.robots)


if __name__ == "__main__":
    main(sys.argv[1:])
