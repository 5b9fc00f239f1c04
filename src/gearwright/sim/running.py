"""Runs: many steps at once, in machine code, or one by one where a controller wants to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.sim import inputs
from gearwright.sim.control import Calls
from gearwright.sim.controlled import check_free
from gearwright.sim.free_memory import available_memory
from gearwright.sim.inputs import Schedule
from gearwright.sim.recording import Recording
from gearwright.sim.reporting import unsettled, warn_unsettled
from gearwright.sim.stepping import MOST_STEPS, checked, stopped
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.compiler import Buffer
    from gearwright.sim.simulation import Simulation

HELD = ("parameter", "dt")
Report = Callable[[int], None]
Plan = dict[str, Schedule]  # by slot


def run(
    sim: Simulation, duration: float, *, controller: Callable[..., Any] | None, command: Any, effort: Any,
    every: int, progress: bool, control_period: int = 1, wrench: Any = None, record: Sequence[str] = (),
) -> Recording:  # fmt: skip
    """See `Simulation.run`."""
    n, every = _steps(duration, sim), _every(every)
    calls = None if controller is None else Calls(sim, controller, _every(control_period, "control_period"))
    plan = _planned(sim, {"command": command, "effort": effort}, n)
    _check_memory(sim, n, every, [s for s in sim._inputs if controller is not None or (s in plan and plan[s].varying)])
    recording = Recording(sim, every=every, record=record)
    if wrench is not None:
        sim._hold("wrench", wrench)
    before = unsettled(sim)
    for slot, schedule in plan.items():
        for i, value in schedule.constant:
            sim._inputs[slot].fill(i, value)
    sim._version += 1
    with _shown(progress, n) as report:
        if calls is None:
            _in_machine_code(sim, n, every, plan, recording, report)
        else:
            sim._period = calls.period
            try:
                _step_by_step(sim, n, every, plan, recording, report, calls)
            finally:
                sim._period = sim.options.control_period
    warn_unsettled(sim, before, n)
    return recording


def _planned(sim: Simulation, given: Mapping[str, Any], n: int) -> Plan:
    """The inputs of a run by slot."""
    plan = {}
    for slot, values in given.items():
        if slot not in sim._inputs:
            if values:
                sim._hold(slot, values if isinstance(values, Mapping) else {})
            continue
        empty = {} if values is None else values
        plan[slot] = Schedule(sim._group(slot), empty, lambda: _times(sim, n), n, sim.batch)
        for i in (*(i for i, _ in plan[slot].constant), *plan[slot].varying):
            check_free(sim, slot, {sim._group(slot).names[i]: 0.0})
    return plan


def _in_machine_code(sim: Simulation, n: int, every: int, plan: Plan, recording: Recording, report: Report) -> None:
    begun, failed = sim._steps, False
    for first, count in sim._pace.calls(n):
        kept = (first + count) // every - first // every
        records = {slot: sim._instance.buffer(slot, kept) for slot in sim._parts} if kept else {}
        series = {slot: _series(sim, slot, s, first, count) for slot, s in plan.items() if s.varying}
        sim._version += 1
        failed |= not sim._instance.run_buffers(
            count, series=series, records=records, every=every, first=first, continues=failed
        )
        for slot, buffer in series.items():  # the last values stay held
            sim._inputs[slot].copy_from(buffer.row(min(sim._steps - begun - first, count - 1)))
        if error := stopped(sim, failed, begun, last=first + count == n):
            raise error
        held = {slot: _held(sim, slot, kept) for slot in HELD}
        given = {slot: _given(sim, slot, series, every, first, kept) for slot in sim._inputs}
        recording.add(kept, **records, **held, **given)
        report(count)


def _series(sim: Simulation, slot: str, schedule: Schedule, first: int, count: int) -> Buffer:
    """The inputs of some steps: those that change, and those that are held."""
    buffer = sim._instance.buffer(slot, count)
    buffer.copy_from(sim._inputs[slot])
    for i, values in schedule.varying.items():
        buffer.fill(i, values[first : first + count])
    return buffer


def _given(sim: Simulation, slot: str, series: Mapping[str, Buffer], every: int, first: int, kept: int) -> Buffer:
    if slot not in series:
        return _held(sim, slot, kept)
    buffer = series[slot]
    return buffer if every == 1 else buffer.rows(slice(every - first % every - 1, None, every)).copy()


def _held(sim: Simulation, slot: str, kept: int) -> Buffer:
    """What stays the same, seen as if it were recorded each time."""
    return sim._instance.slot(slot).repeated(kept)


def _step_by_step(
    sim: Simulation, n: int, every: int, plan: Plan, recording: Recording, report: Report,
    controller: Calls,
) -> None:  # fmt: skip
    slots = (*sim._parts, *sim._inputs, *HELD)
    buffers = {slot: sim._instance.buffer(slot, n // every) for slot in slots}
    keepers = [buffer.keeper(sim._instance.slot(slot)) for slot, buffer in buffers.items()]
    batch = sim.batch
    for k in range(n):
        for slot, schedule in plan.items():
            for i, values in schedule.varying.items():
                value = np.broadcast_to(values[k], batch) if batch > 1 else float(values[k, 0])
                sim._inputs[slot].fill(i, value)
        sim._version += 1
        command, effort = inputs.split(sim._devices.commands, sim._names.coordinates, controller())
        sim.step(command=command or None, effort=effort or None)
        if (k + 1) % every == 0:
            for keep in keepers:
                keep(k // every)
        report(1)
    recording.add(n // every, **buffers)


# --- the frame of a run ---------------------------------------------------------------------------------------------


def _steps(duration: float, sim: Simulation) -> int:
    try:
        seconds = float(duration)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"a duration is a number of seconds, not {duration!r:.60}") from None
    if not (isfinite(seconds) and seconds >= 0):
        raise ModelError(f"a duration is a number of seconds, not {duration!r}")
    return checked(round(min(seconds / sim.dt, 2.0 * MOST_STEPS)), sim._steps, what=f"a duration of {seconds:g} s")


def _every(every: int, name: str = "every") -> int:
    if isinstance(every, bool) or not hasattr(every, "__index__") or every.__index__() < 1:
        raise ModelError(f"{name} is a whole number of at least 1, not {every!r}")
    return every.__index__()


def _times(sim: Simulation, n: int) -> Array:
    """When each step begins."""
    times: Array = sim._start + (sim._steps + np.arange(n)) * sim.dt
    return times


def _check_memory(sim: Simulation, n: int, every: int, varying: list[str]) -> None:
    needed = (n // every) * sim._instance.row_bytes([*sim._parts, *varying])
    available = available_memory()
    if needed > available:
        raise ModelError(
            f"the recording of {n // every} instants of {sim.batch} robots takes {_size(needed)}, "
            f"and {_size(available)} are free: run for a shorter time, or record fewer steps "
            f"(every={-(-needed * every // max(1, available)) + 1})"
        )


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
