"""Chains and trees of 5 to 200 joints with stops and friction on every axis: time, instructions and compile time.

    python benchmarks/lengths.py [--write] [--most 200]

Joints turn about y and z in turn; every joint of a tree but the last ones carries two. Dropped for 0.4 s at 1 ms beside
MuJoCo with the fastest of its settings; CPU time, the best of three in turns.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gearwright as gw
from benchmarks.dropped import DT, ROUNDS, fastest, timed
from benchmarks.page import PERFORMANCE, conditions, write_section
from benchmarks.plots import COLOURS, STYLES, finished, saved
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.dynamics import Equations
from gearwright.sim.programs.programs import step_program

BEGIN, END = "<!-- lengths: begin (written by benchmarks/lengths.py) -->", "<!-- lengths: end -->"
SIZES = (5, 10, 20, 50, 100, 200)
STEPS = 400
INTEGRATORS = {"euler": mujoco.mjtIntegrator.mjINT_EULER, "midpoint": mujoco.mjtIntegrator.mjINT_RK4}
AXES = ("0 1 0", "0 0 1")
LINK = """<link name="l{n}"><inertial><origin xyz="0.05 0 0.01"/><mass value="0.2"/>
<inertia ixx="2e-5" iyy="1.67e-4" izz="1.67e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j{n}" type="revolute"><parent link="l{parent}"/><child link="l{n}"/><origin xyz="0.1 0 0"/>
<axis xyz="{axis}"/><limit lower="-0.35" upper="0.28" effort="0" velocity="0"/>
<dynamics damping="0.002" friction="0.01"/></joint>"""


def robot_text(kind: str, n: int) -> str:
    """The URDF of a chain, or of a tree that branches in two."""
    parents = [i if kind == "chain" else max(0, (i - 1) // 2) for i in range(n)]
    links = [LINK.format(n=i + 1, parent=parent, axis=AXES[i % 2]) for i, parent in enumerate(parents)]
    return f'<robot name="{kind}"><link name="l0"/>{"".join(links)}</robot>'


def instructions(robot: gw.Mechanism, integrator: str) -> int:
    """Of all stages of a step, each counted once."""
    program = optimise_program(step_program(Equations(robot, integrator=integrator)))
    return sum(len(stage.tape.instructions) for stage in program.stages)


class Point(NamedTuple):
    """A robot with one integrator."""

    kind: str
    joints: int
    integrator: str
    ns: float
    mujoco_ns: float
    instructions: int
    compile: float  # [s]

    @property
    def cells(self) -> list[str]:
        times = [f"{self.ns:.0f}", f"{self.ns / self.joints:.0f}", f"{self.mujoco_ns / self.ns:.1f}"]
        return [*times, f"{self.instructions}", f"{self.compile:.1f}"]


def measured(kind: str, n: int) -> list[Point]:
    text = robot_text(kind, n)
    robot, found = gw.loads(text), []
    for integrator, peer in INTEGRATORS.items():
        compiling = timed(lambda i=integrator: gw.compile(robot, dt=DT, integrator=i))  # type: ignore[misc, arg-type]
        sim = gw.compile(robot, dt=DT, integrator=integrator)
        ours, theirs = np.inf, np.inf
        for _ in range(ROUNDS):  # in turns
            ours = min(ours, _dropped(sim))
            theirs = min(theirs, fastest(text, peer, 4 * STEPS))
        count = instructions(robot, integrator)
        found.append(Point(kind, n, integrator, 1e9 * ours, 1e9 * theirs, count, compiling))
    return found


def _dropped(sim: gw.Simulation) -> float:
    sim.reset()
    return float(timed(lambda: sim.step(n=STEPS))) / STEPS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="put table and plots into docs")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="joints")
    parser.add_argument("--kind", nargs="*", default=["chain", "tree"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["GEARWRIGHT_CACHE"] = tempfile.mkdtemp()
    part = "ns | ns per joint | × MuJoCo | instructions | compile [s]"
    lines, points = [f"| | joints | Euler: {part} | default: {part} |", "|---|" + "---:|" * 11], []
    print(*lines, sep="\n")
    for kind in options.kind:
        for n in (n for n in SIZES if n <= options.most):
            own = measured(kind, n)
            points += own
            lines.append(f"| {' | '.join([kind, str(n), *(cell for p in own for cell in p.cells)])} |")
            print(lines[-1], flush=True)
    if options.write:
        write_section(PERFORMANCE, BEGIN, END, "\n".join([conditions("mujoco"), "", *lines]))
        draw(points, PERFORMANCE.parent / "figures" / "lengths.svg")


def draw(points: Sequence[Point], path: Path) -> None:
    """Time, instructions and compile time against joints."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4))
    for kind, line in STYLES.items():
        for integrator, colour in (("euler", COLOURS["batch"]), ("midpoint", COLOURS["one"])):
            own = [p for p in points if (p.kind, p.integrator) == (kind, integrator)]
            joints, label = [p.joints for p in own], f"{kind}, {'default' if integrator == 'midpoint' else 'Euler'}"
            for ax, values in zip(axes, zip(*((p.ns, p.instructions, p.compile) for p in own)), strict=True):  # noqa: B905
                ax.plot(joints, values, line, marker=".", color=colour, label=label)
            if integrator == "euler":
                axes[0].plot(joints, [p.mujoco_ns for p in own], line, color=COLOURS["mujoco"], label=f"{kind}, MuJoCo")
    for ax, title in zip(axes, ("CPU ns per step", "instructions of a step", "seconds to compile"), strict=True):
        ax.set(xlabel="joints", ylabel=title, xscale="log", yscale="log")
    saved(finished(figure, *axes), path)


if __name__ == "__main__":
    main()
