"""Real robots as their files have them (stops, friction, dampers), dropped from their zero pose: ours beside MuJoCo's.

    python benchmarks/dropped.py [--seconds 2] [--write] [--file URDF …] [NAME …]

Integrators of like order are compared: `integrator="euler"` with the fastest of MuJoCo's first-order ones, the default
with MuJoCo's RK4. Contacts are off, and MuJoCo has the fastest of its settings on each robot. CPU time of one process,
slices alternating, the best of three. Robots of a batch start alike, or up to 0.1 rad (or m) apart: eight share a SIMD
register, so each group is as slow as its slowest member.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import files
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import gearwright as gw
from benchmarks.bench.plain_urdf import plain
from benchmarks.page import PERFORMANCE, conditions, write_section
from benchmarks.peers.mujoco import first_order_integrators

DT = 1e-3
ROUNDS = 3
BATCH = 64
APART = 0.1  # [rad] or [m], at most
BEGIN, END = "<!-- dropped: begin (written by benchmarks/dropped.py) -->", "<!-- dropped: end -->"
mj: Any = mujoco
SETTINGS: dict[str, dict[str, Any]] = {
    "Newton": {},
    "Newton, no islands": {"islands": False},
    "Newton, sparse, no islands": {"islands": False, "jacobian": mj.mjtJacobian.mjJAC_SPARSE},
    "CG": {"solver": mj.mjtSolver.mjSOL_CG},
}
ROBOTS = (
    "a1_description/urdf/a1.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "alex_description/urdf/alex",
    "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "b1_description/urdf/b1.urdf",
    "baxter_description/urdf/baxter.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "bolt_description/robots/bolt.urdf",
    "centauro_description/urdf/centauro.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "g1_description/urdf",
    "go1_description/urdf/go1.urdf",
    "go2_description/urdf/go2.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "icub_description/robots/icub_reduced.urdf",
    "iris_description",
    "kinova_description/robots/kinova.urdf",
    "laikago_description/urdf/laikago.urdf",
    "panda_description/urdf/panda.urdf",
    "pr2_description/urdf/pr2.urdf",
    "quadruped_description",
    "human_description/robots/human.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "so_arm_description/urdf/so101.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "tiago_description/robots/tiago.urdf",
    "tiago_pro",
    "ur_description/urdf/ur5_robot.urdf",
    "xarm_description",
    "z1_description/urdf/z1.urdf",
)


class Row(NamedTuple):
    name: str
    freedoms: int
    compile: float  # [s]
    euler: float  # [s] a step
    default: float
    batch: float  # of a robot in a batch, Euler
    apart: float  # of one in a batch of robots that start apart
    mujoco_euler: float
    mujoco_rk4: float

    @property
    def ratios(self) -> tuple[float, ...]:
        first = (self.mujoco_euler / x for x in (self.batch, self.apart))
        return self.mujoco_euler / self.euler, self.mujoco_rk4 / self.default, *first


def robot_files() -> Iterator[Path]:
    """One file of each kind of robot in example-robot-data."""
    all_files = [Path(str(f.locate())) for f in files("example-robot-data") or ()]
    found = [f.resolve() for f in all_files if f.suffix == ".urdf"]
    for part in ROBOTS:
        match = sorted(f for f in found if part in f.as_posix())
        if match:
            yield match[0]


def mujoco_model(text: str, setting: dict[str, Any], integrator: Any) -> Any:
    header = '<mujoco><compiler fusestatic="true" strippath="false" balanceinertia="true"/></mujoco></robot>'
    own = re.compile(r"<mujoco>.*?</mujoco>", re.DOTALL)  # a file's own settings: one element is allowed
    model = mj.MjModel.from_xml_string(own.sub("", text).replace("</robot>", header))
    model.opt.timestep, model.opt.integrator = DT, integrator
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT
    if not setting.get("islands", True):
        model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_ISLAND
    for option in ("jacobian", "solver"):
        if option in setting:
            setattr(model.opt, option, setting[option])
    return model


def timed(run: Callable[[], None]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def fastest(text: str, integrator: Any, steps: int) -> float:
    """Of MuJoCo's settings [s a step]."""
    best = np.inf
    for setting in SETTINGS.values():
        model = mujoco_model(text, setting, integrator)
        data = mj.MjData(model)
        best = min(best, timed(lambda model=model, data=data: mj.mj_step(model, data, steps // 4)) / (steps // 4))  # type: ignore[misc]
    return float(best)


def measured(path: Path, steps: int) -> Row:
    text = plain(path.read_bytes(), bounded=True)
    robot = gw.loads(text)
    if not robot.dof:
        raise ValueError("nothing moves")
    start = time.process_time()
    default = gw.compile(robot, dt=DT)
    compiling = time.process_time() - start
    euler = gw.compile(robot, dt=DT, integrator="euler")
    many = gw.compile(robot, dt=DT, integrator="euler", batch=BATCH, threads=1)
    kinds = ("euler", "default", "batch", "apart", "mujoco", "rk4")
    times: dict[str, float] = dict.fromkeys(kinds, np.inf)
    starts = _starts(robot)
    runs = ("euler", euler, 1), ("default", default, 1), ("batch", many, BATCH), ("apart", many, BATCH)
    for _ in range(ROUNDS):
        for name, sim, robots in runs:
            sim.reset(starts if name == "apart" else None)
            times[name] = min(times[name], timed(lambda sim=sim: sim.step(n=steps)) / steps / robots)  # type: ignore[misc]
        for kind in first_order_integrators().values():
            times["mujoco"] = min(times["mujoco"], fastest(text, kind, steps))
        times["rk4"] = min(times["rk4"], fastest(text, mj.mjtIntegrator.mjINT_RK4, steps))
    return Row(_label(path), robot.dof, compiling, *(times[name] for name in kinds))


def _starts(robot: gw.Mechanism) -> dict[str, Any]:
    """Of joints with one axis: near where the file has them, within their stops."""
    rng, found = np.random.default_rng(1), {}
    followers = {coupling.follower.joint for coupling in robot.couplings.values()}
    for joint in robot.joints.values():
        if len(joint.axes) == 1 and joint.name not in followers:
            limits = joint.axes[0].limits
            found[joint.name] = np.clip(rng.uniform(-APART, APART, BATCH), limits.lower, limits.upper)
    return found


def _label(path: Path) -> str:
    """Its name, and the folder's where several robots have that one."""
    shared = [part for part in ROBOTS if Path(part).stem == path.stem]
    folder = next((part.split("_description")[0] for part in shared if part in path.as_posix()), "")
    return path.stem if len(shared) < 2 else folder


def table(rows: list[Row]) -> str:
    lines = [
        "| robot | DoF | compile [s] | ours, Euler [µs] | MuJoCo, first order | ratio | ours, default | MuJoCo, RK4 "
        "| ratio | ours, per robot in a batch | ratio | starting apart | ratio |",
        "|" + "---|" * 13,
    ]
    for r in rows:
        a, b, c, d = r.ratios
        us = [1e6 * x for x in (r.euler, r.mujoco_euler, r.default, r.mujoco_rk4, r.batch, r.apart)]
        lines.append(
            f"| {r.name} | {r.freedoms} | {r.compile:.1f} | {us[0]:.2f} | {us[1]:.1f} | {a:.1f} | {us[2]:.2f} "
            f"| {us[3]:.1f} | {b:.1f} | {us[4]:.3f} | {c:.0f} | {us[5]:.3f} | {d:.0f} |"
        )
    for name, choose in (("median", median), ("worst", min)):
        a, b, c, d = (choose([r.ratios[k] for r in rows]) for k in range(4))
        lines.append(f"| **{name}** | | | | | **{a:.1f}** | | | **{b:.1f}** | | **{c:.0f}** | | **{d:.0f}** |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="parts of file names; all robots if none is given")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--file", type=Path, nargs="*", default=[], help="further URDF files")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for path in (*robot_files(), *options.file):
        if options.names and path not in options.file and not any(n in path.as_posix() for n in options.names):
            continue
        try:
            rows.append(measured(path, round(options.seconds / DT)))
        except (gw.GearwrightError, ValueError) as error:
            print(f"{path.stem}: left out: {error}", file=sys.stderr)
            continue
        print(table(rows[-1:]).splitlines()[2], flush=True)
    print(text := table(rows))
    if options.write:
        write_section(PERFORMANCE, BEGIN, END, f"{conditions('mujoco', 'example-robot-data')}\n\n{text}")


if __name__ == "__main__":
    main()
