"""Arm and hand with couplings, stops and friction, here and in MuJoCo: agreement first, then two races a case.

A case is a robot, a mode of its couplings, and what it is doing. MuJoCo runs with the fastest of its settings that
computes the same motion, chosen anew for every case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.bench.agreement import Agreement, DisagreementError, agreement_of
from benchmarks.bench.clock import Runner, StepTiming, race
from benchmarks.bench.contestant import Array, Begin, BoundedContestant, Peers, Settings
from benchmarks.bench.effort import Effort
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.results import Case, Entry
from benchmarks.bench.robots import Robot, bounded_robots
from benchmarks.bench.situations import SITUATIONS, Ranges, Situation

OURS, MUJOCO = "gearwright", "mujoco"
STEPS = 100  # of the motion that is compared, at most


def cases(
    names: Collection[str], effort: Effort, dt: float, peers: Peers, progress: Callable[[str], None]
) -> Iterator[Case]:
    """Measures the named robots, or all, in every mode of their couplings."""
    for robot in (r for r in bounded_robots() if not names or r.name in names):
        for mode in effort.modes:
            ours = Gearwright(robot, dt, mode)
            settings = peers.bounded(robot, dt, mode) if peers.bounded else {}
            for situation in SITUATIONS:
                progress(f"{robot.title}, {mode} couplings, {situation.title}")
                yield case(robot, ours, situation, effort, settings)


def case(robot: Robot, ours: Gearwright, situation: Situation, effort: Effort, settings: Settings) -> Case:
    begin = situation.begin(ours, Gearwright.batch_robots, np.random.default_rng(4))
    one = {OURS: ours.in_turn(begin.some(0, effort.states), situation.settle, situation.longest)}
    batch = {OURS: ours.together(begin, situation.settle, situation.longest)}
    theirs: Entry | None = None
    if settings:
        theirs, runners = _mujoco(settings, ours, situation, begin, effort)
        for race_of, runner in zip((one, batch), runners, strict=False):
            race_of[MUJOCO] = runner
    timings = [race(r, slices=effort.slices, seconds=effort.seconds) for r in (one, batch)]
    entries = [Entry(engine=OURS, title=Gearwright.title, one=timings[0][OURS], batch=timings[1][OURS])]
    if theirs is not None:
        entries.append(_timed(theirs, *timings))
    return Case(
        robot=robot.name,
        title=robot.title,
        joints=len(ours.names),
        dof=len(ours.independent),
        mode=ours.coupling,
        situation=situation.title,
        entries=tuple(entries),
    )


def _mujoco(
    settings: Settings, ours: Gearwright, situation: Situation, begin: Begin, effort: Effort
) -> tuple[Entry, tuple[Runner, ...]]:
    """The fastest setting that agrees, with its runners of one robot and of many; none if no setting agrees."""
    admitted: dict[str, tuple[BoundedContestant, Agreement]] = {}
    why_not = ""
    steps = min(STEPS, situation.longest)
    expected = ours.after(begin, steps)
    scale = _scale(ours, situation, begin, expected)
    title = ""
    for setting, make in settings.items():
        contestant = make()
        title = contestant.title
        try:
            found = agreement_of(ours, contestant, expected, contestant.after(begin, steps), scale)
            admitted[setting] = contestant, found
        except DisagreementError as error:
            why_not = why_not or f"not timed: {error}"
    if not admitted:
        return Entry(engine=MUJOCO, title=title, note=why_not), ()
    some = begin.some(0, effort.states)
    runners = {k: c.in_turn(some, situation.settle, situation.longest) for k, (c, _) in admitted.items()}
    trial = race(runners, slices=max(3, effort.slices // 3), seconds=effort.seconds / 4)
    best = min(trial, key=lambda k: trial[k].cpu_median_ns)
    contestant, found = admitted[best]
    many = contestant.together(begin.some(0, contestant.batch_robots), situation.settle, situation.longest)
    return Entry(engine=MUJOCO, title=contestant.title, agreement=found, note=best), (runners[best], many)


def _scale(ours: Gearwright, situation: Situation, begin: Begin, end: Array) -> Array:
    """Scale for differences: the largest motion; for robots at rest, each joint's range."""
    if situation.at_rest:
        return Ranges.of(ours).width
    return np.full(len(end), np.abs(end - begin.position[0]).max())


def _timed(theirs: Entry, one: dict[str, StepTiming], batch: dict[str, StepTiming]) -> Entry:
    """Ratios of medians: neighbouring slices see the same machine, so that what disturbs one disturbs the other."""
    if MUJOCO not in one:
        return theirs
    return replace(
        theirs,
        one=one[MUJOCO],
        batch=batch[MUJOCO],
        ratio_one=one[MUJOCO].cpu_median_ns / one[OURS].cpu_median_ns,
        ratio_batch=batch[MUJOCO].cpu_median_ns / batch[OURS].cpu_median_ns,
    )
