"""How long a step takes: of the demo's robots with all they have, and of an arm beside MuJoCo, in the same run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import process_time

from gearwright.demo.chapter import Chapter, TextTable
from gearwright.sim import Simulation, compile

DT = 1e-3  # [s]
STEPS, TURNS = 200, 5  # from rest, many times over in a turn; the best turn counts: others use the machine too


def own(chapters: Sequence[Chapter], quick: bool = False) -> TextTable:
    """One robot, in its first moments of motion."""
    rows = []
    for chapter in chapters:
        each = step_time(compile(chapter.robot, dt=DT), chapter.command, quick)
        faster = f"{1e9 * DT / each:,.0f} ×".replace(",", " ")
        rows.append([chapter.title, str(chapter.robot.dof), f"{each:.0f} ns", faster])
    return TextTable(
        title="One robot on one core, steps of 1 ms",
        columns=["robot", "freedoms", "CPU time of a step", "real time"],
        rows=rows,
        caption="With its motors, gears, stops, friction and encoders, in its first 0.2 s of motion; the best of "
        f"{TURNS} turns.",
    )


def step_time(sim: Simulation, command: Mapping[str, float], quick: bool = False) -> float:
    """CPU time of a step [ns], from rest and with a command held."""
    times = []
    for _ in range(TURNS):
        spent, rounds = 0.0, 20 if quick else 200
        for _ in range(rounds):
            sim.reset()
            sim.step(command=command, n=0)
            before = process_time()
            sim.step(n=STEPS)
            spent += process_time() - before
        times.append(1e9 * spent / (rounds * STEPS))
    return min(times)


def against_mujoco() -> TextTable | None:
    """The reference arm in both, once both compute the same motion; None where MuJoCo is missing."""
    try:
        from gearwright.bench.mujoco import MuJoCo
    except ImportError:
        return None
    from gearwright.bench.effort import QUICK
    from gearwright.bench.machine import version_of
    from gearwright.bench.robots import robots
    from gearwright.bench.speed import robot_result

    result = robot_result(robots(["arm"])[0], {"mujoco": MuJoCo}, QUICK, DT)
    ours, theirs = (next(e for e in result.entries if e.engine == name) for name in ("gearwright", "mujoco"))
    if ours.one is None or ours.batch is None or theirs.one is None or theirs.batch is None:
        return TextTable(
            title="The reference arm beside MuJoCo", columns=["nothing is compared"], rows=[], caption=theirs.note
        )
    rows = [
        ["one robot", f"{ours.one.cpu_ns:.0f} ns", f"{theirs.one.cpu_ns:.0f} ns", f"{theirs.ratio_one:.0f} ×"],
        [
            f"one of a batch of {ours.batch.robots} (MuJoCo: {theirs.batch.robots})",
            f"{ours.batch.cpu_ns:.0f} ns", f"{theirs.batch.cpu_ns:.0f} ns", f"{theirs.ratio_batch:.0f} ×",
        ],
    ]  # fmt: skip
    return TextTable(
        title=f"The reference arm beside MuJoCo {version_of(MuJoCo)}",
        columns=["CPU time of a robot's step", "Gearwright", "MuJoCo", "ratio"],
        rows=rows,
        caption=f"{result.joints} joints, {result.dof} freedoms, one mimic; gravity and damping, no motors, contacts, "
        "stops or friction in either; both make the same motion. The best of short turns taken one after the other; "
        "gearwright bench --peers takes longer ones, on more robots, with stops, friction and motors.",
    )
