"""Contacts beside MuJoCo's: errors against closed forms, and times of a step, on the same mechanisms.

    python benchmarks/contacts.py [--dt 1e-3 5e-3] [--robot a1.urdf]

MuJoCo has elliptic cones and the best `impratio` of 1, 10 and 100 of each scene. Times are CPU time of one process,
slices alternating, the best of several; the robot stands on its feet, links whose names end with "foot", and is held by
drives that are implicit on both sides.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import atan, cos, sin
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gearwright as gw
from benchmarks.peers.mujoco_contacts import model
from gearwright.model import Mechanism
from gearwright.model.geometry import Box, Sphere
from gearwright.model.shapes.surface import Surface
from tests.dynamics.contact.scenes import G, body, scene, still

mj: Any = mujoco
OURS, THEIRS = ("euler", "midpoint"), ("Euler", "implicitfast", "discrete")
MU, SLOPE, ROUNDS = 0.5, 0.5, 6
STIFFNESS, DAMPING, EFFORT = 60.0, 2.0, 33.5  # of the robot's drives


@dataclass(frozen=True)
class Scene:
    """`error`: of the position along x after `duration`, from the position and velocity along x at the start."""

    name: str
    unit: str
    robot: Mechanism
    height: float
    speed: float
    duration: float
    error: Callable[[float], float]


def scenes() -> list[Scene]:
    box, ball, floor = (
        body("box", Box(size=(0.4, 0.4, 0.1)), friction=MU),
        body("box", Sphere(radius=0.1)),
        still("floor"),
    )
    down = G * (sin(SLOPE) - 0.3 * cos(SLOPE))
    slippery = body("box", Box(size=(0.4, 0.4, 0.1)), friction=0.3)
    return [
        Scene(
            "way on a slope that holds, in 1 s",
            "m",
            scene([box], [floor], slope=0.8 * atan(MU)),
            0.05,
            0.0,
            1.0,
            lambda x: x,
        ),
        Scene("stopping distance", "%", scene([box], [floor]), 0.05, 1.0, 1.0, lambda x: 100 * (x * 2 * MU * G - 1)),
        Scene(
            "sliding", "%", scene([slippery], [floor], slope=SLOPE), 0.05, 0.0, 1.0, lambda x: 100 * (2 * x / down - 1)
        ),
        Scene("rolls after sliding", "%", scene([ball], [floor]), 0.1, 1.0, 1.0, _rolled),
    ]


def _rolled(x: float) -> float:
    """It slides for 2/7·v/(μ·g)."""
    g, slides = float(G), 2 / 7 / float(G)
    return 100.0 * (x / (slides - 0.5 * g * slides**2 + 5 / 7 * (1.0 - slides)) - 1)


def ours(s: Scene, dt: float, integrator: str) -> float:
    sim = gw.compile(s.robot, dt=dt, integrator=integrator)
    sim.reset(position={"box.z": s.height}, velocity={"box.x": s.speed})
    sim.step(n=round(s.duration / dt))
    return s.error(float(sim.position["box.x"]))


def theirs(s: Scene, dt: float, integrator: str) -> float:
    """Settled on the ground before it is let go."""
    with_contacts, best = gw.compile(s.robot).robot, np.inf
    for ratio in (1.0, 10.0, 100.0):
        m = model(with_contacts, dt, integrator, {"impratio": ratio})
        data = mj.MjData(m)
        data.qpos[2] = s.height
        for _ in range(round(0.3 / dt)):
            data.qvel[0] = data.qvel[4] = 0.0
            mj.mj_step(m, data)
        data.qpos[0], data.qvel[:] = 0.0, 0.0
        data.qvel[0] = s.speed
        mj.mj_step(m, data, round(s.duration / dt))
        best = min(best, s.error(float(data.qpos[0])), key=abs)
    return float(best)


# --- a robot on its feet --------------------------------------------------------------------------------------------


def standing(path: str) -> Mechanism:
    """With contacts at its feet alone."""
    robot = gw.load(path, base="floating")
    links = {
        name: replace(link, collisions=tuple(replace(c, surface=Surface(friction=0.8)) for c in link.collisions))
        if name.endswith("foot")
        else replace(link, collisions=())
        for name, link in robot.links.items()
    }
    return replace(robot, links=links)


def times(path: str, dt: float) -> dict[str, float]:
    """CPU time of a step [s]."""
    robot, height = standing(path), 0.32
    pose = {n: {"thigh": 0.8, "calf": -1.6}.get(n.split("_")[1], 0.0) for n, j in robot.joints.items() if j.axes}
    drives = dict.fromkeys(pose, gw.Drive(stiffness=STIFFNESS, damping=DAMPING, effort=EFFORT))
    runs: dict[str, tuple[Callable[[int], object], int]] = {}
    with_contacts = robot
    for integrator in OURS:
        for feet in (False, True):
            sim = gw.compile(robot, dt=dt, integrator=integrator, drives=drives, ground=0.8 if feet else False)
            sim.reset(position={**pose, f"{next(iter(robot.bases))}.z": height})
            sim.step(n=round(1.0 / dt))
            runs[f"Gearwright {integrator}{'' if feet else ', falling without contacts'}"] = _stepping(sim), 10_000
            with_contacts = sim.robot
    for integrator in THEIRS:
        runs[f"MuJoCo {integrator}"] = _stepping_mujoco(with_contacts, dt, integrator, pose, height), 500
    best = dict.fromkeys(runs, np.inf)
    for _ in range(ROUNDS):
        for name, (run, n) in runs.items():
            start = time.process_time()
            run(n)
            best[name] = min(best[name], (time.process_time() - start) / n)
    return best


def _stepping(sim: Any) -> Callable[[int], object]:
    return lambda n: sim.step(n=n)


def _stepping_mujoco(robot: Mechanism, dt: float, integrator: str, pose: dict[str, float], height: float) -> Any:
    m = model(robot, dt, integrator, {"impratio": 10.0}, drives=dict.fromkeys(pose, (STIFFNESS, DAMPING, EFFORT)))
    data = mj.MjData(m)
    data.qpos[2] = height
    for name, angle in pose.items():
        data.qpos[m.joint(name).qposadr[0]] = data.ctrl[m.actuator(name).id] = angle
    mj.mj_step(m, data, round(1.0 / dt))
    return lambda n: mj.mj_step(m, data, n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dt", type=float, nargs="+", default=[1e-3, 5e-3])
    parser.add_argument("--robot", help="a quadruped's URDF, with links … foot and joints … hip, thigh, calf")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    titles = [*(f"Gearwright {i}" for i in OURS), *(f"MuJoCo {i}" for i in THEIRS)]
    print("| scene | dt | " + " | ".join(titles) + " |\n|" + "---|" * (len(titles) + 2))
    for s in scenes():
        for dt in given.dt:
            cells = [*(ours(s, dt, i) for i in OURS), *(theirs(s, dt, i) for i in THEIRS)]
            print(f"| {s.name} [{s.unit}] | {dt * 1e3:g} ms | " + " | ".join(f"{x:.1e}" for x in cells) + " |")
    if given.robot:
        found = times(given.robot, given.dt[0])
        print("\n" + "\n".join(f"{name}: {x * 1e6:.2f} µs per step" for name, x in found.items()))


if __name__ == "__main__":
    main()
