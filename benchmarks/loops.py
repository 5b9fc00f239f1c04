"""Closed loops: how far they open in ten seconds of tumbling, and a step's time beside MuJoCo's.

    python benchmarks/loops.py [--seconds 10] [--no-mujoco] [--json FILE] [FILE or FOLDER …]

Gravity is (3, 2, -9) m/s², and joints are as the file has them. Errors are those of every row of every loop-closing
joint, whether a step keeps it or not. Integrators of like order are compared: Euler with MuJoCo's Euler, the default
with MuJoCo's RK4; MuJoCo's loops are soft, and it has the fastest of its solver settings on each robot. CPU time of one
process, slices alternating, the best of several. Without files, the bundled robots, the gallery and
example-robot-data are taken.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from importlib.metadata import files
from pathlib import Path
from statistics import median
from typing import Any

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gearwright as gw
from benchmarks.peers.mujoco_loops import mjcf, started
from tests.sim import spatial_loops

DT = 1e-3
GRAVITY = (3.0, 2.0, -9.0)
WIDTH = 0.1  # [s] between looks at the loops' errors
ROUNDS = 3
REPOSITORY = Path(__file__).resolve().parents[1]
DRAWN = ("rod_round_a_cone", "delta", "hinged_delta", "rssr", "hexapod")  # of `spatial_loops`
mj: Any = mujoco


@dataclass
class Run:
    """Of one robot with one integrator."""

    step: float = float("nan")  # [s]
    opening: float = float("nan")  # [m, rad] the largest
    unsettled: int = 0
    ended: str = ""
    compile: float = float("nan")  # [s]
    memory: float = float("nan")  # [MB] that compiling has added at its peak
    mujoco: float = float("nan")  # [s]
    mujoco_ended: str = ""

    @property
    def ratio(self) -> float:
        return self.mujoco / self.step


def robots(paths: Iterable[Path]) -> Iterator[tuple[str, gw.Mechanism]]:
    """By label. Of a URDF beside a YAML file, that one has the closures."""
    for path in paths:
        try:
            closures = path.with_suffix(".yaml")
            robot = gw.load(path, closures=closures) if path.suffix == ".urdf" and closures.exists() else gw.load(path)
        except gw.GearwrightError:
            continue
        if robot.tree.cuts and robot.dof:
            yield _label(path), robot


def _label(path: Path) -> str:
    return path.parent.name if path.stem in ("robot", "model") else path.stem


def all_files(given: Iterable[Path]) -> Iterator[Path]:
    for path in given:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix in (".sdf", ".urdf", ".world"))
        else:
            yield path


def default_files() -> list[Path]:
    own = [REPOSITORY / "src/gearwright/robots", REPOSITORY / "examples"]
    data = [Path(str(f.locate())).resolve() for f in files("example-robot-data") or ()]
    return [*all_files(own), *sorted(f for f in data if f.suffix == ".sdf")]


def opening(sim: gw.Simulation) -> float:
    return float(spatial_loops.opening(sim))


def tumbled(sim: gw.Simulation, seconds: float) -> tuple[float, str]:
    """The largest error of a loop, and why the run ended before its time."""
    largest = 0.0
    try:
        for _ in range(round(seconds / WIDTH)):
            sim.step(n=round(WIDTH / DT))
            largest = max(largest, opening(sim))
    except gw.GearwrightError as error:
        return largest, f"{type(error).__name__} at {float(sim.time):.2f} s"
    return largest, ""


def measured(robot: gw.Mechanism, integrator: str, seconds: float, *, peer: bool) -> Run:
    found = Run()
    before, start = _memory(), time.process_time()
    sim = gw.compile(robot, dt=DT, integrator=integrator, contacts=[])  # as MuJoCo's
    sim.step()
    found.compile, found.memory = time.process_time() - start, _memory() - before
    position = {j.name: np.atleast_1d(_coordinates(sim, j)).tolist() for j in robot.tree.joints}
    sim.reset()
    found.opening, found.ended = tumbled(sim, seconds)
    found.unsettled = int(np.sum(sim.unsettled))
    steps = round(min(seconds, 2.0) / DT)
    models = _mujoco_models(robot, integrator) if peer else []
    for _ in range(ROUNDS):
        sim.reset()
        found.step = _less(found.step, _timed(lambda: sim.step(n=steps)) / steps)
        for model in models:
            data = started(model, robot, position)
            taken = _timed(lambda model=model, data=data: mj.mj_step(model, data, steps)) / steps
            bad = any(w.number for w in (data.warning[i] for i in (4, 5, 6)))  # positions, velocities, accelerations
            found.mujoco_ended = "diverges" if bad else found.mujoco_ended
            found.mujoco = _less(found.mujoco, taken)
    return found


def _coordinates(sim: gw.Simulation, joint: Any) -> Any:
    return [sim.position[name] for name in joint.positions]


def _mujoco_models(robot: gw.Mechanism, integrator: str) -> list[Any]:
    found = []
    kind = mj.mjtIntegrator.mjINT_EULER if integrator == "euler" else mj.mjtIntegrator.mjINT_RK4
    for sparse in (False, True):
        for islands in (False, True):
            model = mj.MjModel.from_xml_string(mjcf(robot, DT))
            model.opt.integrator = kind
            model.opt.jacobian = mj.mjtJacobian.mjJAC_SPARSE if sparse else mj.mjtJacobian.mjJAC_DENSE
            if not islands:
                model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_ISLAND
            found.append(model)
    return found


def _less(a: float, b: float) -> float:
    return float(np.fmin(a, b))


def _timed(run: Any) -> float:
    start = time.process_time()
    try:
        run()
    except gw.GearwrightError:
        return float("nan")
    return time.process_time() - start


def _memory() -> float:
    """The process's peak [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders; the repository's own if none is given")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--only", nargs="*", default=[], help="parts of labels")
    parser.add_argument("--no-mujoco", action="store_true")
    parser.add_argument("--integrators", nargs="*", default=["euler", "midpoint"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    mj.set_mju_user_warning(lambda _: None)  # a run that diverges says so in the table
    listed = list(robots(all_files(options.paths) if options.paths else default_files()))
    if not options.paths:
        listed += [(name, getattr(spatial_loops, name)()) for name in DRAWN]
    table: dict[str, dict[str, Any]] = {}
    print(f"{'robot':28} loops dof  integrator  step µs  MuJoCo  ratio  opening  unsettled  compile s   MB")
    for label, loaded in listed:
        if options.only and not any(part in label for part in options.only):
            continue
        robot = replace(loaded, gravity=GRAVITY)
        for integrator in options.integrators:
            try:
                run = measured(robot, integrator, options.seconds, peer=not options.no_mujoco)
            except ValueError as error:
                run = measured(robot, integrator, options.seconds, peer=False)
                run.mujoco_ended = str(error)
            table.setdefault(label, {})[integrator] = asdict(run) | {"ratio": run.ratio}
            print(
                f"{label:28.28} {len(robot.tree.cuts):5} {robot.dof:3}  {integrator:10} {1e6 * run.step:8.2f} "
                f"{1e6 * run.mujoco:7.1f} {run.ratio:6.1f}  {run.opening:7.1e}  {run.unsettled:9}  {run.compile:9.1f} "
                f"{run.memory:5.0f} {run.ended} {'MuJoCo ' + run.mujoco_ended if run.mujoco_ended else ''}",
                flush=True,
            )
            if options.json:
                options.json.write_text(json.dumps(table, indent=1))
    for integrator in options.integrators:
        ratios = [own[integrator]["ratio"] for own in table.values() if own[integrator]["ratio"] > 0]
        if ratios:
            print(f"{integrator}: {len(ratios)} robots, median {median(ratios):.1f}, worst {min(ratios):.1f}")


if __name__ == "__main__":
    main()
