"""The performance targets, one row each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.bench.results import Case, Entry, Results, RobotResult

ONE_ROBOT = {"arm": 20.0, "panda": 10.0, "allegro": 10.0, "talos": 10.0}  # times as fast as `mj_step`
BATCH = {"arm": 60.0, "panda": 30.0, "allegro": 30.0, "pr2": 30.0, "talos": 30.0}  # as `rollout`, per core
ROWS = (20.0, 40.0)  # one robot and batch with couplings, stops and friction
MOTORS = (15.0, 30.0)  # the same with motors, gears and encoders
COLD = {"arm": 1.0, "pr2": 6.0}  # [s]
CACHED = 0.1  # [s]
CALL = 5000.0  # [ns] of `sim.step()` beyond the machine code
MEMORY = 2.0  # times state and commands
MEMORY_FROM = 1000  # robots


class PerformanceTarget(NamedTuple):
    what: str
    where: str
    wanted: str
    found: str
    met: bool


def targets(results: Results) -> Iterator[PerformanceTarget]:
    """Those that the run says something about."""
    for robot in results.robots:
        yield from _against_mujoco(robot)
    for case in results.cases:
        yield from _case("with rows", case, ROWS)
    for case in results.driven:
        yield from _case("with motors", case, MOTORS)
    for robot in results.robots:
        if robot.compilation is not None:
            if robot.name in COLD:
                yield _at_most("compilation, cold", robot.title, COLD[robot.name], robot.compilation.cold, "{:.2f} s")
            cached = 1e3 * robot.compilation.cached
            yield _at_most("compilation, from the cache", robot.title, 1e3 * CACHED, cached, "{:.0f} ms")
    for robot in results.robots:
        call = robot.call_overhead_ns / 1e3
        yield _at_most("`sim.step()` beyond machine code", robot.title, CALL / 1e3, call, "{:.1f} µs")
    large = [p for p in results.batches if p.robots >= MEMORY_FROM]
    if large:
        found = max(p.bytes_per_robot / p.state_and_commands for p in large)
        yield _at_most("memory of a batch", "reference arm", MEMORY, found, "{:.2f}× state and commands")


def _against_mujoco(robot: RobotResult) -> Iterator[PerformanceTarget]:
    entry: Entry | None = next((e for e in robot.entries if e.engine == "mujoco"), None)
    if entry is None:
        return
    if entry.ratio_one is not None and robot.name in ONE_ROBOT:
        yield _at_least("one robot, against `mj_step`", robot.title, ONE_ROBOT[robot.name], entry.ratio_one)
    if entry.ratio_batch is not None and robot.name in BATCH:
        yield _at_least("batch, against `rollout` per core", robot.title, BATCH[robot.name], entry.ratio_batch)


def _case(what: str, case: Case, wanted: tuple[float, float]) -> Iterator[PerformanceTarget]:
    where = f"{case.title}, {case.mode}, {case.situation}"
    for entry in case.entries:
        if entry.ratio_one is not None and entry.ratio_batch is not None:
            yield _at_least(f"one robot {what}, against `mj_step`", where, wanted[0], entry.ratio_one)
            yield _at_least(f"batch {what}, against `rollout` per core", where, wanted[1], entry.ratio_batch)


def _at_least(what: str, where: str, wanted: float, found: float) -> PerformanceTarget:
    return PerformanceTarget(what, where, f"≥ {wanted:.0f}×", f"{found:.1f}×", found >= wanted)


def _at_most(what: str, where: str, wanted: float, found: float, form: str) -> PerformanceTarget:
    return PerformanceTarget(what, where, f"≤ {form.format(wanted)}", form.format(found), found <= wanted)
