"""Chains and trees of 5 to 200 joints with stops and friction on every axis: time, instructions and compile time.

    python benchmarks/lengths.py [--write] [--most 200]

Joints turn about y and z in turn; every joint of a tree but the last ones carries two. Dropped for 0.4 s at 1 ms beside
MuJoCo with the fastest of its settings; CPU time, the best of three.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from pathlib import Path

import mujoco
from dropped import DT, PAGE, fastest, timed

import gearwright as gw
from gearwright.compiler.backends.cpu.passes import optimise_program
from gearwright.dynamics import Equations
from gearwright.sim.programs import step_program

BEGIN, END = "<!-- lengths: begin (written by benchmarks/lengths.py) -->", "<!-- lengths: end -->"
SIZES = (5, 10, 20, 50, 100, 200)
STEPS = 400
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


def row(kind: str, n: int) -> str:
    text = robot_text(kind, n)
    robot, cells = gw.loads(text), [kind, str(n)]
    integrators = (("euler", mujoco.mjtIntegrator.mjINT_EULER), ("midpoint", mujoco.mjtIntegrator.mjINT_RK4))
    for integrator, peer in integrators:
        compiling = timed(lambda i=integrator: gw.compile(robot, dt=DT, integrator=i))
        sim = gw.compile(robot, dt=DT, integrator=integrator)
        ours = min(_dropped(sim) for _ in range(3))
        theirs = fastest(text, peer, 4 * STEPS)
        cells += [f"{1e9 * ours:.0f}", f"{1e9 * ours / n:.0f}", f"{theirs / ours:.1f}"]
        cells += [f"{instructions(robot, integrator)}", f"{compiling:.1f}"]
    return f"| {' | '.join(cells)} |"


def _dropped(sim: gw.Simulation) -> float:
    sim.reset()
    return float(timed(lambda: sim.step(n=STEPS))) / STEPS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="joints")
    parser.add_argument("--kind", nargs="*", default=["chain", "tree"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["GEARWRIGHT_CACHE"] = tempfile.mkdtemp()
    part = "ns | ns a joint | × MuJoCo | instructions | compile [s]"
    lines = [f"| | joints | Euler: {part} | default: {part} |", "|---|" + "---:|" * 11]
    print(*lines, sep="\n")
    for kind in options.kind:
        for n in (n for n in SIZES if n <= options.most):
            lines.append(row(kind, n))
            print(lines[-1], flush=True)
    if options.write:
        write(PAGE, "\n".join(lines))


def write(page: Path, text: str) -> None:
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
