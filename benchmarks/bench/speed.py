"""One robot in all engines: agreement first, then a race on one robot and a race on batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchmarks.bench.agreement import Agreement, DisagreementError, agreement, start
from benchmarks.bench.clock import Runner, StepTiming, race
from benchmarks.bench.contestant import Array, Contestant
from benchmarks.bench.effort import Effort
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.quiet import quiet
from benchmarks.bench.results import Entry, RobotResult
from benchmarks.bench.robots import Robot
from gearwright.sim.options import cores

OURS, UNCOUPLED = "gearwright", "gearwright without couplings"
ALL_CORES, RECORDED = " on all cores", ", recorded"


def robot_result(robot: Robot, peers: Mapping[str, type[Contestant]], effort: Effort, dt: float) -> RobotResult:
    """Everything about a robot but its compile time."""
    ours = {True: Gearwright(robot, dt)}
    if robot.coupled and any(not peer.couplings for peer in peers.values()):
        ours[False] = Gearwright(robot.uncoupled, dt)
    entries, contestants = _admitted(robot, peers, ours, dt)
    one = _race_of_one(ours, contestants, effort)
    batch = _race_of_batches(ours, contestants, effort)
    own = [Entry(engine=OURS, title=Gearwright.title, one=one[OURS], batch=batch[OURS])]
    if threaded := batch.get(OURS + ALL_CORES):
        own.append(Entry(engine=OURS, title=Gearwright.title + ALL_CORES, batch=threaded, threads=cores()))
    own.append(Entry(engine=OURS, title=Gearwright.title + RECORDED, batch=batch[OURS + RECORDED]))
    return RobotResult(
        name=robot.name,
        title=robot.title,
        joints=len(ours[True].names),
        dof=len(ours[True].independent),
        entries=(*own, *(_timed(entry, one, batch) for entry in entries)),
        call_overhead_ns=_call_overhead(ours[True], effort),
    )


def _admitted(
    robot: Robot, peers: Mapping[str, type[Contestant]], ours: Mapping[bool, Gearwright], dt: float
) -> tuple[list[Entry], dict[str, Contestant]]:
    """The peers that load the robot and compute the same motion; the others' entries say what is wrong."""
    entries, contestants = [], {}
    for name, peer in peers.items():
        coupled = peer.couplings or not robot.coupled
        entry = Entry(engine=name, title=peer.title, couplings=coupled)
        try:
            with quiet():
                contestant = peer(robot if coupled else robot.uncoupled, dt)
                found: Agreement = agreement(ours[coupled], contestant)
        except DisagreementError as error:
            entry = replace(entry, note=f"not timed: {error}")
        except Exception as error:  # whatever an engine raises, the others are still measured
            entry = replace(entry, note=f"not loaded: {type(error).__name__}: {str(error).splitlines()[0][:200]}")
        else:
            contestants[name] = contestant
            entry = replace(entry, agreement=found)
        entries.append(entry)
    return entries, contestants


def _race_of_one(
    ours: Mapping[bool, Gearwright], contestants: Mapping[str, Contestant], effort: Effort
) -> dict[str, StepTiming]:
    begin = start(ours[True], np.random.default_rng(1))
    runners = {OURS: ours[True].runner(begin)}
    if False in ours:
        runners[UNCOUPLED] = ours[False].runner(begin)
    for name, contestant in contestants.items():
        runners[name] = contestant.runner(_in_order(begin, ours[True], contestant))
    return race(runners, slices=effort.slices, seconds=effort.seconds)


def _race_of_batches(
    ours: Mapping[bool, Gearwright], contestants: Mapping[str, Contestant], effort: Effort
) -> dict[str, StepTiming]:
    """Every engine that can, on one core and on all."""
    rng = np.random.default_rng(2)
    begins = np.array([start(ours[True], rng) for _ in range(Gearwright.batch_robots)])
    everybody: dict[str, Contestant] = {OURS: ours[True], **contestants}
    if False in ours:
        everybody[UNCOUPLED] = ours[False]
    runners: dict[str, Runner] = {}
    for name, contestant in everybody.items():
        some = np.array([_in_order(b, ours[True], contestant) for b in begins[: contestant.batch_robots]])
        for suffix, threads in {"": 1, ALL_CORES: cores()}.items() if cores() > 1 else [("", 1)]:
            for way, runner in contestant.batches(some, threads).items():
                runners[name + suffix + way] = runner
    runners[OURS + RECORDED] = ours[True].recorded_batch(begins)
    return race(runners, slices=effort.slices, seconds=effort.seconds)


def _timed(entry: Entry, one: Mapping[str, StepTiming], batch: Mapping[str, StepTiming]) -> Entry:
    """With the times, and the ratio to Gearwright on the same mechanism; batches on whichever threads serve it best."""
    own = OURS if entry.couplings or UNCOUPLED not in one else UNCOUPLED
    mine = one.get(entry.engine)
    many = [(t, cores() if ALL_CORES in name else 1) for name, t in batch.items() if _is_of(entry.engine, name)]
    best, threads = min(many, key=lambda pair: pair[0].cpu_ns, default=(None, 1))
    return replace(
        entry,
        one=mine,
        batch=best,
        threads=threads,
        ratio_one=None if mine is None else mine.cpu_ns / one[own].cpu_ns,
        ratio_batch=None if best is None else best.cpu_ns / batch[own].cpu_ns,
    )


def _is_of(engine: str, name: str) -> bool:
    """Whether a batch's name is an engine's, on some number of cores and in some way."""
    return name.replace(ALL_CORES, "").split(", ")[0] == engine


def _call_overhead(ours: Gearwright, effort: Effort) -> float:
    """CPU nanoseconds of `sim.step()` beyond a step within `sim.step(n=…)`."""
    sim = ours.sim

    def calls(n: int) -> None:
        step = sim.step
        for _ in range(n):
            step()

    begin = start(ours, np.random.default_rng(1))
    at_once = ours.runner(begin)
    runners = {"at once": at_once, "calls": replace(at_once, run=calls)}
    timings = race(runners, slices=effort.slices, seconds=effort.seconds)
    return timings["calls"].cpu_ns - timings["at once"].cpu_ns


def _in_order(position: Array, ours: Contestant, theirs: Contestant) -> Array:
    return position[[ours.names.index(name) for name in theirs.names]]
