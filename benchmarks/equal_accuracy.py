"""CPU time at equal energy error: Gearwright's default step, and MuJoCo's integrators each at the dt that has it, too.

    python benchmarks/equal_accuracy.py [--write]

The error is the largest one of the energy of the free seven-joint arm and of the gallery's four-bar, which Gearwright
has at 1 ms and at longer steps; of the arm, whose motion is chaotic, the median of seven starts. Energies are looked
at after every step, of MuJoCo's steps below 1 ms after every millisecond: longer steps are looked at less often, which
favours the engine that takes them. MuJoCo's dt is the largest that stays within the error; of a first-order integrator
one below 10 µs is found from the error at 10 µs. The arm has neither rows nor actuators, so that our own RK4 serves it,
too, which stands below MuJoCo's.
Times are CPU time of a simulated second, slices in turns, the best of five.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import mujoco.rollout
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import gearwright as gw  # noqa: E402
from benchmarks.page import PERFORMANCE, conditions, write_section  # noqa: E402
from benchmarks.peers.mujoco import first_order_integrators  # noqa: E402
from tests.sim import test_accuracy as small  # noqa: E402

mj: Any = mujoco
BEGIN, END = "<!-- accuracy: begin (written by benchmarks/equal_accuracy.py) -->", "<!-- accuracy: end -->"
DT = 1e-3  # where all integrators are compared
LONGER = (2e-3, 4e-3, 8e-3)  # where the best is: RK4
LARGEST, FINEST, RATIO = 0.04, 1e-5, 2 ** (-1 / 3)  # dt that are tried [s], and each beside the one before
BETWEEN = (2 ** (1 / 4), 2 ** (1 / 6), 2 ** (1 / 12), 1.0)  # between the first that suffices and the last that did not
ARM_STARTS = ((0.3, -0.5), (0.6, 0.4), (1.0, -0.8), (-0.5, 0.9), (1.5, 0.3), (-1.2, -0.4), (0.9, 1.1))  # [rad]
ROUNDS, SLICE, BATCH = 5, 1000, 64
INTEGRATORS = {"RK4": mj.mjtIntegrator.mjINT_RK4, **first_order_integrators()}

FOUR_BAR = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
<body name="crank" quat="0.7071067811865476 0 -0.7071067811865476 0"><joint name="pin_a" axis="0 -1 0"/>
<inertial pos="0.015 -0.006 0" mass="0.00486" fullinertia="6.845e-08 4.228e-07 3.746e-07 0 0 0"/>
<body name="coupler" pos="0.03 0 0" euler="0 0.927295218 0"><joint name="pin_b" axis="0 -1 0"/>
<inertial pos="0.10886 -0.0018059 0" mass="0.0443" fullinertia="8.058e-07 0.0001079 0.0001078 3.291e-06 0 0"/>
</body></body>
<body name="rocker" pos="0.06 0 0" quat="0.7071067811865476 0 -0.7071067811865476 0"><joint name="pin_d" axis="0 -1 0"/>
<inertial pos="0.0375 -0.006 0" mass="0.01215" fullinertia="1.711e-07 5.841e-06 5.721e-06 0 0 0"/></body>
</worldbody><equality><connect body1="coupler" body2="rocker" anchor="0.075 0 0"/></equality></mujoco>"""


@dataclass(frozen=True)
class Case:
    """A mechanism in both engines, where it starts, and what its energy is measured by [J]."""

    title: str
    robot: gw.Mechanism
    gravity: tuple[float, float, float]
    starts: Sequence[dict[str, Any]]  # times are of the first
    seconds: float
    scale: float
    model: Callable[[], Any]  # MuJoCo's
    smooth: bool  # `integrator="rk4"` serves it

    def compiled(self, dt: float = DT, **options: Any) -> gw.Simulation:
        return gw.compile(self.robot, dt=dt, gravity=self.gravity, **options)

    def error(self, dt: float, **options: Any) -> float:
        """Ours; endless where a run diverges."""
        sim, found = self.compiled(dt, **options), []
        for start in self.starts:
            sim.reset(**start)
            try:
                energy = sim.run(self.seconds).energy
                found.append(np.abs(energy - energy[0]).max() / self.scale)
            except gw.SimulationError:
                found.append(np.inf)
        return float(np.median(found))


def free_arm() -> Case:
    robot = small.free_arm()
    sim = gw.compile(robot)
    heights = []
    for angle in (0.0, np.pi):
        sim.reset(position={"j1": angle})
        heights.append(float(sim.potential_energy))
    text = small.free_arm_text().replace(
        "</robot>", '<mujoco><compiler fusestatic="true" balanceinertia="true"/></mujoco></robot>'
    )
    starts = [{"position": {"j1": a, "j3": b}} for a, b in ARM_STARTS]
    model = lambda: mj.MjModel.from_xml_string(text)  # noqa: E731
    scale = abs(heights[0] - heights[1])
    return Case("free seven-joint arm, 5 s", robot, (0, 0, -9.81), starts, 5.0, scale, model, smooth=True)


def four_bar(turns: float) -> Case:
    robot, start = small.four_bar(), dict[str, Any](velocity={"pin_a": 2 * np.pi * turns})
    sim = gw.compile(robot, gravity=(0, 0, 0))
    sim.reset(**start)
    model = lambda: mj.MjModel.from_xml_string(FOUR_BAR)  # noqa: E731
    title = f"four-bar at {turns:g} turns per second, 1 s"
    return Case(title, robot, (0, 0, 0), [start], 1.0, float(sim.kinetic_energy), model, smooth=False)


class MuJoCo:
    """One integrator at one dt. Loops are as stiff as it takes them: time constants of two steps."""

    def __init__(self, case: Case, integrator: Any, dt: float) -> None:
        self.model, self.case = case.model(), case
        option = self.model.opt
        option.timestep, option.integrator = dt, integrator
        option.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_LIMIT
        option.disableflags |= mj.mjtDisableBit.mjDSBL_ISLAND
        self.model.eq_solref[:] = (2 * dt, 1.0)
        self.model.eq_solimp[:] = (0.999, 0.999, 0.001, 0.5, 2.0)
        self.data = mj.MjData(self.model)
        self.begin()

    def begin(self, which: int = 0) -> None:
        """One of the starts, with the velocities that our loop has there."""
        mj.mj_resetData(self.model, self.data)
        sim = self.case.compiled()
        sim.reset(**self.case.starts[which])
        for i in range(self.model.njnt):
            name = self.model.joint(i).name
            self.data.qpos[i], self.data.qvel[i] = sim.position[name], sim.velocity[name]
        mj.mj_forward(self.model, self.data)

    def error(self) -> float:
        """Median of the starts."""
        return float(np.median([self._error(which) for which in range(len(self.case.starts))]))

    def _error(self, which: int) -> float:
        """Largest error of the energy, looked at every millisecond or step; endless where the state is lost."""
        self.model.opt.enableflags |= mj.mjtEnableBit.mjENBL_ENERGY
        self.begin(which)
        start, worst = self.data.energy.sum(), 0.0
        every = max(1, round(DT / self.model.opt.timestep))
        for _ in range(round(self.case.seconds / self.model.opt.timestep / every)):
            mj.mj_step(self.model, self.data, every)
            mj.mj_forward(self.model, self.data)
            worst = max(worst, abs(self.data.energy.sum() - start))
            if not worst < 10.0 * self.case.scale:
                return np.inf
        return float(worst / self.case.scale)

    def step(self, n: int) -> None:
        mj.mj_step(self.model, self.data, n)

    def batch(self) -> Callable[[int], None]:
        """All robots of a batch on one core."""
        state = np.empty(mj.mj_stateSize(self.model, mj.mjtState.mjSTATE_FULLPHYSICS))
        mj.mj_getState(self.model, self.data, state, mj.mjtState.mjSTATE_FULLPHYSICS)
        states = np.tile(state, (BATCH, 1))
        return lambda n: mujoco.rollout.rollout(self.model, self.data, states, nstep=n) and None


class NotReachedError(RuntimeError):
    """No dt that was tried has so small an error."""


def as_exact(case: Case, integrator: Any, error: float) -> tuple[float, bool]:
    """The largest dt with no more than this error, and whether that was found by the order."""
    first_order = integrator != INTEGRATORS["RK4"]
    finest = MuJoCo(case, integrator, FINEST).error() if first_order else 0.0
    if finest > error:
        return FINEST * error / finest, True
    try:
        return largest(lambda dt: MuJoCo(case, integrator, dt).error() <= error), False
    except NotReachedError as not_reached:
        if first_order:
            return FINEST, False
        raise NotReachedError(f"{case.title}: {not_reached}: {error:g}") from None


def largest(suffices: Callable[[float], bool]) -> float:
    """The largest dt of those tried that does."""
    dt = LARGEST
    while dt > FINEST:
        if suffices(dt):
            return next(x * dt for x in BETWEEN if x == 1.0 or suffices(x * dt))
        dt *= RATIO
    raise NotReachedError(f"no dt down to {FINEST:g} s has so small an energy error")


class Run(NamedTuple):
    """`steps` from the beginning, of so many robots. Ours is the whole motion: passes grow with its speed."""

    begin: Callable[[], None]
    step: Callable[[int], None]
    steps: int
    robots: int = 1


def timed(runs: dict[str, Run]) -> dict[str, float]:
    """CPU seconds of a robot's step by name."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(ROUNDS):
        for name, run in runs.items():
            run.begin()
            start = time.process_time()
            run.step(run.steps)
            best[name] = min(best[name], (time.process_time() - start) / run.steps / run.robots)
    return best


def our_runs(case: Case, dt: float, name: str, **options: Any) -> dict[str, Run]:
    """One robot, and a batch of them."""
    alone, many = case.compiled(dt, **options), case.compiled(dt, batch=BATCH, threads=1, **options)
    steps, start = round(case.seconds / dt), case.starts[0]
    return {
        name: Run(lambda: alone.reset(**start), lambda n: alone.step(n=n), steps),
        f"{name} batch": Run(lambda: many.reset(**start), lambda n: many.step(n=n), steps, BATCH),
    }


def rows(case: Case, dt: float, integrators: Sequence[str]) -> list[str]:
    """Ours at this dt, and each integrator at the one that is as exact."""
    error = case.error(dt)
    found, not_reached = reached_by(case, error, integrators)
    runs = our_runs(case, dt, "ours")
    for name, (theirs, _) in found.items():
        peer = MuJoCo(case, INTEGRATORS[name], max(theirs, FINEST))
        runs[name] = Run(peer.begin, peer.step, SLICE)
        runs[f"{name} batch"] = Run(peer.begin, peer.batch(), SLICE // 4, BATCH)
    fourth = largest(lambda x: case.error(x, integrator="rk4") <= error) if case.smooth else 0.0
    if fourth:
        runs |= our_runs(case, fourth, "our RK4", integrator="rk4")
    times = timed(runs)
    own, own_batch = times["ours"] / dt, times["ours batch"] / dt
    title = case.title if dt == DT else ""
    lines = [
        f"| {title} | {100 * error:.2g} % | Gearwright | {1e3 * dt:g} | {1e3 * own:.3g} | | {1e3 * own_batch:.3g} | |",
    ]
    for name, (theirs, by_order) in found.items():
        one, each = times[name] / theirs, times[f"{name} batch"] / theirs
        about = "≈ " if by_order else ""
        lines.append(
            f"| | | MuJoCo, {name} | {about}{1e3 * theirs:.2g} | {1e3 * one:.3g} | {one / own:.3g} × "
            f"| {1e3 * each:.3g} | {each / own_batch:.3g} × |"
        )
    if fourth:
        one, each = times["our RK4"] / fourth, times["our RK4 batch"] / fourth
        lines.append(
            f"| | | Gearwright, `rk4` | {1e3 * fourth:.2g} | {1e3 * one:.3g} | {one / own:.2g} × "
            f"| {1e3 * each:.3g} | {each / own_batch:.2g} × |"
        )
    return lines + [f"| | | MuJoCo, {name} | not reached | | | | |" for name in not_reached]


def reached_by(case: Case, error: float, integrators: Sequence[str]) -> tuple[dict[str, tuple[float, bool]], list[str]]:
    """`as_exact` of each integrator, and those of which no dt is."""
    found, not_reached = {}, []
    for name in integrators:
        try:
            found[name] = as_exact(case, INTEGRATORS[name], error)
        except NotReachedError:
            not_reached.append(name)
    return found, not_reached


def table() -> str:
    """In Markdown."""
    lines = [
        "| | largest error of the energy | | dt [ms] | one robot [ms per s] | | per robot, 64 on a core | |",
        "|---|---|---|---:|---:|---:|---:|---:|",
    ]
    for case in (free_arm(), four_bar(3.0)):
        lines += rows(case, DT, list(INTEGRATORS))
        for dt in LONGER:
            lines += rows(case, dt, ["RK4"])
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(text := table())
    if options.write:
        write_section(PERFORMANCE, BEGIN, END, f"{conditions('mujoco')}\n\n{text}")


if __name__ == "__main__":
    main()
