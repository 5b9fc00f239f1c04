"""Runs: many steps at once in machine code, or one by one with a controller that Python calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, SimulationError, counted
from gearwright.given_numbers import number, whole
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.options import control_steps
from gearwright.sim.recorder.free_memory import available_memory, require_memory
from gearwright.sim.recorder.recorded_signals import KernelEvaluator, run_schema
from gearwright.sim.recorder.room import warn_of_size
from gearwright.sim.recordings.bands import banded, banded_schema
from gearwright.sim.recordings.bands import checked as checked_bands
from gearwright.sim.recordings.columns import SlotChunk
from gearwright.sim.recordings.recording import Recording
from gearwright.sim.recordings.sinks import opened
from gearwright.sim.recordings.tables import widths
from gearwright.sim.running.calling import ControllerCalls
from gearwright.sim.running.clock import MOST_STEPS, checked
from gearwright.sim.running.driving import driven
from gearwright.sim.running.energy_watch import EnergyWatch, is_left_alone
from gearwright.sim.running.reporting import unsettled, warn_unsettled
from gearwright.sim.running.schedules import Schedule
from gearwright.sim.state import given_values
from gearwright.sim.state.values import Array, Value

if TYPE_CHECKING:
    from gearwright.compiler import Buffer
    from gearwright.sim.recordings.schema import Schema
    from gearwright.sim.recordings.sinks import Sink
    from gearwright.sim.simulation import Simulation

HELD = (StepSlot.PARAMETER, StepSlot.DT)
WRITTEN_AT_ONCE = 1 << 24  # bytes of rows that wait for a sink
FIRST_ROWS = 256  # of a sink, before it is known how fast it is
WRITING = 0.2  # [s] that a sink writes at a time
LONGEST_WAIT = 0.25  # [s] that a row of a Python controller's run waits for a sink
Report = Callable[[int], None]
Plan = dict[str, Schedule]  # by slot


def run(
    sim: Simulation, duration: float, *, controller: Callable[..., Any] | None, command: Any, effort: Any,
    every: int, progress: bool, control_period: float | None = None, wrench: Any = None, record: Sequence[str] = (),
    sink: Sink | str | os.PathLike[str] | None = None, bands: Any = None, drive: Any = None,
) -> Recording:  # fmt: skip
    """See `Simulation.run`."""
    n, every = steps_in(duration, sim), whole("every", every)
    period = control_steps(control_period, sim.dt, ModelError)
    calls = None if controller is None else ControllerCalls(sim, controller, period)
    plan = planned(sim, {StepSlot.COMMAND: command, StepSlot.EFFORT: effort}, n)
    if drive is not None:
        plan[StepSlot.TARGET] = driven(sim, drive, n, lambda: _times(sim, n))
    changeable = [*sim.inputs.slots, *([StepSlot.TARGET] if StepSlot.TARGET in plan else [])]
    varying = [slot for slot in changeable if calls is not None or (slot in plan and plan[slot].varying)]
    schema = run_schema(sim, every, record)
    shown = schema if bands is None or bands is False else banded_schema(schema, checked_bands(bands))
    recording = Recording(shown, sim.robot)
    if sink is None:
        slots = [*sim.batch_state.parts, *varying]
        _check_memory(
            sim, n, every, sim.batch_state.instance.row_bytes(slots) if shown is schema else 8 * sum(widths(shown))
        )
    elif isinstance(sink, str | os.PathLike):
        warn_of_size(sink, shown, n // every + 1)
    if wrench is not None:
        sim.inputs.hold(StepSlot.WRENCH, wrench)
    before = unsettled(sim)
    if sink is None and shown is schema:
        _recorded(sim, n, plan, calls, RecordedRows(sim, schema, recording.add), progress)
        _warn(sim, before, n)
        return recording
    most = max(1, WRITTEN_AT_ONCE // max(1, sim.batch_state.instance.row_bytes(recorded_slots(sim))))
    with nullcontext() if sink is None else opened(sink, shown) as out:
        add: Callable[[Any], None] = recording.add if out is None else out.write
        made = add if shown is schema else lambda chunk: add(banded(chunk, shown))
        _recorded(sim, n, plan, calls, RecordedRows(sim, schema, made, most), progress)
    _warn(sim, before, n)
    return recording


def _warn(sim: Simulation, unsettled_before: Value, n: int) -> None:
    warn_unsettled(sim, unsettled_before, n)
    sim.warn_open_loops()
    sim.speed_limits.warn()


class RecordedRows:
    """Rows of a run on their way to a recording, or to a sink: as many at a time as it takes in `WRITING` seconds."""

    def __init__(
        self, sim: Simulation, schema: Schema, add: Callable[[SlotChunk], None], most: int | None = None
    ) -> None:
        self.every, self._largest = schema.every, most
        self.most = None if most is None else min(most, FIRST_ROWS)
        self.schema, self._add, self._evaluator, self._rows = schema, add, KernelEvaluator(sim.kernels), 0
        self._pause, self._speed_limits = sim.clock.pace.pause, sim.speed_limits
        self.watch: EnergyWatch | None = None

    def add(self, rows: int, slots: Mapping[str, Buffer]) -> None:
        if not rows:
            return
        begun = perf_counter()
        chunk = SlotChunk(self.schema, self._rows, slots, self._evaluator)
        self._add(chunk)
        if self.watch is not None:
            self.watch.add(chunk, slots[StepSlot.VELOCITY].numbers())
        if self._speed_limits.watched:
            self._speed_limits.see(slots[StepSlot.VELOCITY].numbers())
        self._rows += rows
        seconds = perf_counter() - begun
        self._pause(seconds)
        if self._largest is not None and self.most is not None and rows > 1:
            self.most = max(1, min(self._largest, int(rows * WRITING / max(seconds, 1e-6)), 4 * self.most))

    def most_steps(self) -> int:
        """Steps of one call of machine code."""
        return MOST_STEPS if self.most is None else self.most * self.every


def _recorded(
    sim: Simulation, n: int, plan: Plan, calls: ControllerCalls | None, rows: RecordedRows, progress: bool
) -> None:  # fmt: skip
    for slot, schedule in plan.items():
        for i, value in schedule.constant:
            sim.batch_state.fill(slot, i, value)
    with _shown(progress, n) as report:
        _hold_first(sim, plan)
        if sim.options.integrator == "euler" and is_left_alone(sim) and not any(s.varying for s in plan.values()):
            rows.watch = EnergyWatch(sim, rows.schema)
        rows.add(1, _now(sim))
        if calls is None:
            _in_machine_code(sim, n, plan, rows, report)
            if rows.watch is not None:
                rows.watch.warn()
            return
        sim.controller_state.period = calls.period
        try:
            _step_by_step(sim, n, plan, rows, report, calls)
        finally:
            sim.controller_state.period = sim.options.control_period


def planned(sim: Simulation, given: Mapping[str, Any], n: int) -> Plan:
    """The inputs of a run by slot."""
    plan = {}
    for slot, values in given.items():
        if slot not in sim.inputs.slots:
            if values is not None and not (isinstance(values, Mapping) and not values):
                sim.inputs.hold(slot, {} if callable(values) else values)
            continue
        group, empty = sim.layout.group(slot), {} if values is None else values
        plan[slot] = Schedule(group, empty, lambda: _times(sim, n), n, sim.batch)
        for i in (*(i for i, _ in plan[slot].constant), *plan[slot].varying):
            sim.inputs.check_free(slot, {group.names[i]: 0.0})
    return plan


def _in_machine_code(sim: Simulation, n: int, plan: Plan, rows: RecordedRows, report: Report) -> None:
    state, clock, every = sim.batch_state, sim.clock, rows.every
    begun, failed = clock.steps, False
    for first, count in clock.chunks(n, rows.most_steps):
        kept = (first + count) // every - first // every
        records = {slot: state.instance.buffer(slot, kept) for slot in state.parts} if kept else {}
        series = {slot: _series(sim, slot, s, first, count) for slot, s in plan.items() if s.varying}
        failed |= not state.instance.run_buffers(
            count, series=series, records=records, every=every, first=first, continues=failed
        )
        _check_alone(failed or clock.steps == begun + first + count)
        for slot, buffer in series.items():  # the last values stay held
            state.slot(slot).copy_from(buffer.row(min(clock.steps - begun - first, count - 1)))
        state.touch()
        clock.check(failed, begun, last=first + count == n)
        others = [slot for slot in recorded_slots(sim) if slot not in records]
        given = {slot: _given(sim, slot, series, every, first, kept) for slot in others}
        rows.add(kept, {**records, **given})
        report(count)


def _check_alone(alone: bool) -> None:
    """Raises where another thread has stepped or reset the simulation: rows would not be those of their times."""
    if not alone:
        raise SimulationError(
            "another thread has stepped or reset the simulation during this run: give each thread a simulation of its "
            "own, copy.copy(sim)"
        )


def _hold_first(sim: Simulation, plan: Plan) -> None:
    """The inputs of the first step, which are those of the first row."""
    for slot, schedule in plan.items():
        for i, values in schedule.varying.items():
            if len(values):
                sim.batch_state.fill(slot, i, values[0])
    sim.batch_state.touch()


def _now(sim: Simulation) -> dict[str, Buffer]:
    """All slots of a recording at this instant."""
    return {slot: sim.batch_state.slot(slot).repeated(1) for slot in recorded_slots(sim)}


def _series(sim: Simulation, slot: str, schedule: Schedule, first: int, count: int) -> Buffer:
    """The inputs of some steps: those that change, and those that are held."""
    buffer = sim.batch_state.instance.buffer(slot, count)
    buffer.copy_from(sim.batch_state.slot(slot))
    for i, values in schedule.varying.items():
        buffer.fill(i, values[first : first + count])
    return buffer


def _given(sim: Simulation, slot: str, series: Mapping[str, Buffer], every: int, first: int, kept: int) -> Buffer:
    if slot not in series:
        return _held(sim, slot, kept)
    buffer = series[slot]
    return buffer if every == 1 else buffer.rows(slice(every - first % every - 1, None, every)).copy()


def _held(sim: Simulation, slot: str, kept: int) -> Buffer:
    """A slot that stays the same, as if it were recorded each time."""
    return sim.batch_state.slot(slot).repeated(kept)


def recorded_slots(sim: Simulation) -> tuple[str, ...]:
    """The slots of a recording."""
    target = (StepSlot.TARGET,) if sim.batch_state.has(StepSlot.TARGET) else ()
    return (*sim.batch_state.parts, *sim.inputs.slots, *HELD, *target)


def _step_by_step(
    sim: Simulation, n: int, plan: Plan, rows: RecordedRows, report: Report, controller: ControllerCalls
) -> None:  # fmt: skip
    state, every, batch = sim.batch_state, rows.every, sim.batch
    commands, coordinates = sim.layout.commands, sim.layout.names.coordinates
    keep = _Kept(sim, n // every, rows).keep
    for k in range(n):
        for slot, schedule in plan.items():
            for i, values in schedule.varying.items():
                value = np.broadcast_to(values[k], batch) if batch > 1 else float(values[k, 0])
                state.fill(slot, i, value)
        command, effort = given_values.split(commands, coordinates, controller())
        before = sim.clock.steps
        sim.step(command=command or None, effort=effort or None)
        _check_alone(sim.clock.steps == before + 1)
        if (k + 1) % every == 0:
            keep()
        report(1)


class _Kept:
    """Rows that are kept one by one, and handed on when there are enough of them."""

    def __init__(self, sim: Simulation, total: int, rows: RecordedRows) -> None:
        self._sim, self._left, self._rows = sim, total, rows
        self._begin()

    def _begin(self) -> None:
        state, most = self._sim.batch_state, self._rows.most
        self._size = self._left if most is None else min(self._left, most)
        self._buffers = {slot: state.instance.buffer(slot, self._size) for slot in recorded_slots(self._sim)}
        self._keepers = [buffer.keeper(state.slot(slot)) for slot, buffer in self._buffers.items()]
        self._row, self._begun = 0, perf_counter()

    def keep(self) -> None:
        for keep in self._keepers:
            keep(self._row)
        self._row += 1
        late = self._rows.most is not None and perf_counter() - self._begun > LONGEST_WAIT
        if self._row == self._size or late:
            kept = {slot: buffer.rows(slice(0, self._row)) for slot, buffer in self._buffers.items()}
            self._rows.add(self._row, kept)
            self._left -= self._row
            self._begin()


# --- the frame of a run ---------------------------------------------------------------------------------------------


def steps_in(duration: float, sim: Simulation) -> int:
    """The steps of a run that a caller asks for. Raises ModelError for what is no duration."""
    seconds = number("a duration", duration, what="a number of seconds", low=0.0)
    return checked(round(min(seconds / sim.dt, 2.0 * MOST_STEPS)), sim.clock.steps, what=f"a duration of {seconds:g} s")


def _times(sim: Simulation, n: int) -> Array:
    """When each step begins."""
    require_memory(16 * n, f"a function of {n:,} times", "run for a shorter time, or use a controller")
    times: Array = sim.clock.start + (sim.clock.steps + np.arange(n)) * sim.dt
    return times


def _check_memory(sim: Simulation, n: int, every: int, row: int) -> None:
    """`row`: bytes of a sample that stay in memory."""
    needed = (n // every + 1) * row
    fewer = -(-needed * every // max(1, available_memory())) + 1
    require_memory(
        needed, f"the recording ({counted(n // every, 'sample')} of {counted(sim.batch, 'robot')})",
        f"run for a shorter time, or record fewer steps (every={fewer})",
    )  # fmt: skip


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
