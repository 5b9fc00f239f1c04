"""Runs: many steps at once, in machine code, or one by one where a controller wants to be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.sim import inputs
from gearwright.sim.inputs import Schedule
from gearwright.sim.recording import Recording
from gearwright.sim.values import Array, fill

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

WORK = 4_000_000  # state entries stepped in one call: a tenth of a second, after which Ctrl-C is heard
HELD = ("parameter", "dt")
Report = Callable[[int], None]


def run(
    sim: Simulation, duration: float, *, controller: Callable[[Simulation], Any] | None, command: Any, effort: Any,
    every: int, progress: bool,
) -> Recording:  # fmt: skip
    """See `Simulation.run`."""
    n, every = _steps(duration, sim.dt), _every(every)
    if command is not None:
        inputs.refuse_commands(sim.robot, command)
    schedule = Schedule(sim._names.coordinates, {} if effort is None else effort, lambda: _times(sim, n), n, sim.batch)
    _check_memory(sim, n, every, varying=controller is not None or bool(schedule.varying))
    recording = Recording(sim, every=every)
    for i, value in schedule.constant:
        fill(sim._effort, i, value)
    sim._version += 1
    with _shown(progress, n) as report:
        if controller is None:
            _in_machine_code(sim, n, every, schedule, recording, report)
        else:
            _step_by_step(sim, n, every, schedule, recording, report, controller)
    return recording


def _in_machine_code(
    sim: Simulation, n: int, every: int, schedule: Schedule, recording: Recording, report: Report
) -> None:
    size = max(1, WORK // (sim.batch * max(1, sim._states.shape[1]) * every)) * every
    for first in range(0, n, size):
        count = min(size, n - first)
        kept = count // every
        records = {slot: sim._instance.record_buffer(slot, kept) for slot in _recorded(sim)}
        series = _series(sim, schedule, first, count)
        sim._version += 1
        fine = sim._instance.run_blocked(count, series=series, records=records if kept else None, every=every)
        if series:
            sim._effort[:] = series["effort"][:, -1 if fine or sim.batch > 1 else sim._instance.failures[0].step]
        if not fine:
            sim._fail(count)
        sim._steps += count
        held = {slot: _held(sim, slot, kept) for slot in HELD}
        recording.add(kept, **records, **held, effort=_efforts(sim, series, every, kept))
        report(count)


def _recorded(sim: Simulation) -> tuple[str, ...]:
    return ("position", "velocity", "impulse") if sim._has_rows else ("position", "velocity")


def _series(sim: Simulation, schedule: Schedule, first: int, count: int) -> dict[str, Array]:
    """The efforts of some steps, (blocks, count, nv, lanes); none if all are held."""
    if not schedule.varying:
        return {}
    buffer = sim._instance.series_buffer("effort", count)
    buffer[:] = sim._effort[:, None]
    for i, values in schedule.varying.items():
        buffer[:, :, i, :] = _in_lanes(values[first : first + count], buffer.shape[0], buffer.shape[3])
    return {"effort": buffer}


def _in_lanes(values: Array, blocks: int, lanes: int) -> Array:
    """(T, 1) or (T, B) to (blocks, T, lanes); lanes to spare get the last robot's."""
    robots = np.minimum(np.arange(blocks * lanes), values.shape[1] - 1)
    spread: Array = values[:, robots].reshape(len(values), blocks, lanes).transpose(1, 0, 2)
    return spread


def _efforts(sim: Simulation, series: dict[str, Array], every: int, kept: int) -> Array:
    if not series:
        return _held(sim, "effort", kept)
    buffer: Array = series["effort"]
    return buffer if every == 1 else buffer[:, every - 1 :: every].copy()


def _held(sim: Simulation, slot: str, kept: int) -> Array:
    """What stays the same, seen as if it were recorded each time."""
    now = sim._instance.view(slot).copy()
    seen: Array = np.broadcast_to(now[:, None], (now.shape[0], kept, *now.shape[1:]))
    return seen


def _step_by_step(
    sim: Simulation, n: int, every: int, schedule: Schedule, recording: Recording, report: Report,
    controller: Callable[[Simulation], Any],
) -> None:  # fmt: skip
    slots = (*_recorded(sim), "effort", *HELD)
    buffers = {slot: sim._instance.record_buffer(slot, n // every) for slot in slots}
    views = {slot: sim._instance.view(slot) for slot in slots}
    group, robot = sim._names.coordinates, sim.robot
    batch = sim.batch
    for k in range(n):
        for i, values in schedule.varying.items():
            fill(sim._effort, i, np.broadcast_to(values[k], batch) if batch > 1 else float(values[k, 0]))
        sim._version += 1
        effort = inputs.split(robot, group, controller(sim))
        sim.step(effort=effort)
        if (k + 1) % every == 0:
            for slot, buffer in buffers.items():
                buffer[:, k // every] = views[slot]
        report(1)
    recording.add(n // every, **buffers)


# --- the frame of a run ---------------------------------------------------------------------------------------------


def _steps(duration: float, dt: float) -> int:
    try:
        seconds = float(duration)
    except (TypeError, ValueError):
        raise ModelError(f"a duration is a number of seconds, not {duration!r}") from None
    if not (isfinite(seconds) and seconds >= 0):
        raise ModelError(f"a duration is a number of seconds, not {duration!r}")
    return round(seconds / dt)


def _every(every: int) -> int:
    if isinstance(every, bool) or not hasattr(every, "__index__") or every.__index__() < 1:
        raise ModelError(f"every is a whole number of at least 1, not {every!r}")
    return every.__index__()


def _times(sim: Simulation, n: int) -> Array:
    """When each step begins."""
    times: Array = sim._start + (sim._steps + np.arange(n)) * sim.dt
    return times


def _check_memory(sim: Simulation, n: int, every: int, varying: bool) -> None:
    instance = sim._instance
    elements = sim._states.shape[1] + (sim._effort.shape[1] if varying else 0)
    robots = instance.blocks * instance.kernel.lanes
    needed = (n // every) * robots * elements * instance.kernel.dtype.itemsize
    available = _available_memory()
    if needed > available:
        raise ModelError(
            f"the recording of {n // every} instants of {sim.batch} robots takes {_size(needed)}, "
            f"and {_size(available)} are free: run for a shorter time, or record fewer steps "
            f"(every={-(-needed * every // available) + 1})"
        )


def _available_memory() -> int:
    """Bytes; a guess of 4 GiB where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        try:
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        except (AttributeError, OSError, ValueError):
            return 4 * 2**30


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:.3g} {unit}"


@contextmanager
def _shown(progress: bool, n: int) -> Iterator[Report]:
    if not progress:
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("simulating"), BarColumn(), TextColumn("{task.completed:,}/{task.total:,} steps"),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("run", total=n)
        yield lambda count: bar.advance(task, count)
