"""How long a step takes: of the demo's robots with all they have, and of an arm beside MuJoCo, in the same run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np

from gearwright import robots
from gearwright.demo.chapter import Chapter, TextTable
from gearwright.formats import load
from gearwright.sim import Simulation, compile

DT = 1e-3  # [s]
STEPS, TURNS = 200, 5  # from rest, many times over in a turn; the best turn counts: others use the machine too
OURS, THEIRS = 1024, 64  # robots of a batch, as many as suit each engine
AGREEING = 1e-3  # largest difference of the motion, as a share of it


def own(chapters: Sequence[Chapter], quick: bool = False) -> TextTable:
    """One robot, in its first moments of motion."""
    rows = []
    for chapter in chapters:
        each = step_time(compile(chapter.robot, dt=DT), chapter.command, quick)
        faster = f"{1e9 * DT / each:,.0f} ×".replace(",", " ")
        rows.append([chapter.title, str(chapter.robot.dof), f"{each:.0f} ns", faster])
    return TextTable(
        title="One robot on one core, steps of 1 ms",
        columns=["robot", "DoF", "CPU time of a step", "real time"],
        rows=rows,
        caption="With its motors, gears, stops, friction and encoders, in its first 0.2 s of motion; the best of "
        f"{TURNS} turns.",
    )


def step_time(sim: Simulation, command: Mapping[str, float], quick: bool = False) -> float:
    """CPU time of a step [ns], from rest and with a command held."""

    def begin() -> None:
        sim.reset()
        sim.step(command=command, n=0)

    return _best(begin, lambda: sim.step(n=STEPS), 20 if quick else 200)


def _best(begin: Callable[[], object], run: Callable[[], object], rounds: int, robots: int = 1) -> float:
    """CPU time of one robot's step [ns], if `run` takes STEPS of them from where `begin` puts the robots."""
    times = []
    for _ in range(TURNS):
        spent = 0.0
        for _ in range(rounds):
            begin()
            before = process_time()
            run()
            spent += process_time() - before
        times.append(1e9 * spent / (rounds * STEPS * robots))
    return min(times)


def against_mujoco() -> TextTable | None:
    """The reference arm in both, if both compute the same motion; None where MuJoCo is missing."""
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return None
    mj: Any = mujoco
    model = mj.MjModel.from_xml_path(str(robots.path("reference_arm").with_suffix(".xml")))
    model.opt.timestep, model.opt.integrator = DT, mj.mjtIntegrator.mjINT_EULER
    model.eq_solref[:] = 2 * DT, 1.0  # the stiffest mimic that it takes
    data = mj.MjData(model)
    sim, many = (compile(load("reference_arm"), dt=DT, integrator="euler", batch=n) for n in (1, OURS))
    starts = np.zeros((THEIRS, mj.mj_stateSize(model, mj.mjtState.mjSTATE_FULLPHYSICS)))
    states = np.zeros((THEIRS, STEPS, starts.shape[1]))
    names = [model.joint(i).name for i in range(model.njnt)]
    sim.step(n=STEPS)
    mj.mj_step(model, data, STEPS)
    expected = np.array([sim.position[name] for name in names])
    apart = float(np.abs(data.qpos - expected).max() / np.abs(expected).max())
    title = f"The reference arm beside MuJoCo {mj.__version__}"
    if not apart < AGREEING:
        return TextTable(
            title=title, columns=["nothing is compared"], rows=[], caption=f"motions differ by {apart:.1e}"
        )
    one = (
        _best(sim.reset, lambda: sim.step(n=STEPS), 100),
        _best(lambda: mj.mj_resetData(model, data), lambda: mj.mj_step(model, data, STEPS), 5),
    )
    with rollout.Rollout(nthread=0) as pool:
        batch = (
            _best(many.reset, lambda: many.step(n=STEPS), 2, OURS),
            _best(bool, lambda: pool.rollout(model, data, starts, nstep=STEPS, state=states), 1, THEIRS),
        )
    whats = {"one robot": one, f"one of a batch of {OURS} (MuJoCo: {THEIRS})": batch}
    return TextTable(
        title=title,
        columns=["CPU time of a robot's step", "Gearwright", "MuJoCo", "ratio"],
        rows=[[what, f"{a:.0f} ns", f"{b:.0f} ns", f"{b / a:.0f} ×"] for what, (a, b) in whats.items()],
        caption=f"{len(names)} joints, {sim.robot.dof} degrees of freedom, one mimic; gravity and damping, no motors, "
        "contacts, stops or friction in either; both make the same motion. The best of short turns; in a clone of the "
        "repository, gearwright bench --peers takes longer ones, on more robots, with stops, friction and motors.",
    )
