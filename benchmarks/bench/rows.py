"""The tables of the benchmark as rows of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.bench.clock import StepTiming
from benchmarks.bench.results import Case, Compilation, Entry, Results, RobotResult
from benchmarks.bench.targets import targets


class ResultTable(NamedTuple):
    """Columns whose name begins with a space hold text, the others numbers."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def tables(results: Results) -> Iterator[ResultTable]:
    """Every table that there is something for."""
    yield speed_table(results)
    if any(e.agreement for r in results.robots for e in r.entries):
        yield agreement_table(results)
    if results.cases:
        yield case_table("With couplings, stops and friction", results.cases)
    if results.driven:
        yield case_table("With motors, gears and encoders", results.driven)
    if any(r.compilation for r in results.robots):
        yield compilation_table(results)
    if results.sizes:
        yield size_table(results)
    if results.chains:
        yield chain_table(results)
    if results.batches:
        yield batch_table(results)
    yield target_table(results)


def speed_table(results: Results) -> ResultTable:
    columns = (
        " robot", " engine", "one robot, ns", "wall", "×", "batch, ns per core", "wall per robot", "×", " remark"
    )  # fmt: skip
    rows = [_speed_row(robot, entry) for robot in results.robots for entry in robot.entries]
    return ResultTable("A robot's first-order step (CPU time; wall time beside it)", columns, rows)


def _speed_row(robot: RobotResult, entry: Entry) -> tuple[str, ...]:
    remarks = [entry.note] if entry.note else []
    if not entry.couplings:
        remarks.append("both without couplings")
    if entry.batch and entry.threads > 1:
        remarks.append(f"batch on {entry.threads} threads")
    return (
        f"{robot.title} ({robot.joints} joints, {robot.dof} DoF)",
        entry.title,
        *_times(entry.one),
        _ratio(entry.ratio_one),
        *_times(entry.batch),
        _ratio(entry.ratio_batch),
        "; ".join(remarks),
    )


def agreement_table(results: Results) -> ResultTable:
    columns = (" robot", " engine", "mass matrix", "bias", "motion after 100 steps")
    rows = [
        (robot.title, e.title, f"{a.mass_matrix:.0e}", f"{a.bias:.0e}", f"{a.trajectory:.0e}")
        for robot in results.robots
        for e in robot.entries
        if (a := e.agreement) is not None
    ]
    return ResultTable("Agreement with Gearwright (largest difference, relative)", columns, rows)


def case_table(title: str, cases: Sequence[Case]) -> ResultTable:
    columns = (
        " robot", " couplings", " state", "one robot, ns", "MuJoCo", "×", "batch, ns per core", "MuJoCo", "×",
        " MuJoCo's setting", "difference",
    )  # fmt: skip
    return ResultTable(
        f"{title} (CPU time, medians of slices taken in turn)", columns, [_case_row(case) for case in cases]
    )


def _case_row(case: Case) -> tuple[str, ...]:
    ours, *others = case.entries
    theirs = others[0] if others else Entry(engine="", title="")
    return (
        f"{case.title} ({case.joints} joints, {case.dof} DoF)",
        case.mode,
        case.situation,
        _median(ours.one),
        _median(theirs.one),
        _ratio(theirs.ratio_one),
        _median(ours.batch),
        _median(theirs.batch),
        _ratio(theirs.ratio_batch),
        theirs.note,
        "" if theirs.agreement is None else f"{theirs.agreement.trajectory:.0e}",
    )


def compilation_table(results: Results) -> ResultTable:
    columns = (
        " robot", "cold, ms", "wall", "from the cache, ms", "wall",
        "imports when cold, ms", "imports with the cache, ms", "`sim.step()`, µs beyond machine code",
    )  # fmt: skip
    rows = [
        (
            robot.title,
            *(f"{1e3 * t:.0f}" for t in _seconds(c)),
            f"{robot.call_overhead_ns / 1e3:.2f}",
        )
        for robot in results.robots
        if (c := robot.compilation) is not None
    ]
    return ResultTable("From a loaded robot to its first step, in a fresh process (CPU and wall time)", columns, rows)


def size_table(results: Results) -> ResultTable:
    columns = (" shape", "joints", "one robot, ns", "batch, ns per core", "MuJoCo, ns", "× one", "compile, s")
    rows = [
        (
            p.shape, str(p.dof), f"{p.one_ns:,.0f}", f"{p.batch_ns:,.0f}",
            "" if p.mujoco_ns is None else f"{p.mujoco_ns:,.0f}",
            "" if p.mujoco_ns is None else f"{p.mujoco_ns / p.one_ns:.1f}", f"{p.compile_s:.2f}",
        )
        for p in results.sizes
    ]  # fmt: skip
    return ResultTable("Against degrees of freedom (random mechanisms, CPU time)", columns, rows)


def chain_table(results: Results) -> ResultTable:
    columns = (
        " chain", " couplings", "joints", "one robot, ns", "per joint", "batch, ns per core", "MuJoCo, ns", "compile, s"
    )  # fmt: skip
    rows = [
        (
            p.shape, p.mode, str(p.joints), f"{p.one_ns:,.0f}", f"{p.one_ns / p.joints:.1f}", f"{p.batch_ns:,.0f}",
            "" if p.mujoco_ns is None else f"{p.mujoco_ns:,.0f}", f"{p.compile_s:.2f}",
        )
        for p in results.chains
    ]  # fmt: skip
    return ResultTable("Against the length of a chain of mimics (one degree of freedom, CPU time)", columns, rows)


def batch_table(results: Results) -> ResultTable:
    columns = ("robots", "ns per robot-step", "wall", "bytes per robot", "state and commands", "×")
    rows = [
        (
            f"{p.robots:,}", f"{p.cpu_ns:,.0f}", f"{p.wall_ns:,.0f}", f"{p.bytes_per_robot:,.0f}",
            f"{p.state_and_commands:,.0f}", f"{p.bytes_per_robot / p.state_and_commands:.2f}",
        )
        for p in results.batches
    ]  # fmt: skip
    return ResultTable("Against the batch (reference arm, one thread, CPU time)", columns, rows)


def target_table(results: Results) -> ResultTable:
    columns = (" what", " where", "wanted", "found", " ")
    rows = [(t.what, t.where, t.wanted, t.found, "met" if t.met else "missed") for t in targets(results)]
    return ResultTable("Targets", columns, rows)


def _times(timing: StepTiming | None) -> tuple[str, str]:
    return ("", "") if timing is None else (f"{timing.cpu_ns:,.0f}", f"{timing.wall_ns:,.0f}")


def _median(timing: StepTiming | None) -> str:
    return "" if timing is None else f"{timing.cpu_median_ns:,.0f}"


def _seconds(c: Compilation) -> tuple[float, ...]:
    return (c.cold, c.cold_wall, c.cached, c.cached_wall, c.imports_cold, c.imports_cached)


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.1f}"
