"""Compiled programs as Python sees them: `Kernel` is the code, `Instance` is a batch of robots in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gearwright.compiler.layout import Layout
from gearwright.compiler.llvm import LoadedCode
from gearwright.compiler.memory import ALIGNMENT, Array, aligned, blocked, unblocked
from gearwright.compiler.program import Kind, Program, Slot
from gearwright.compiler.rollout import CallTable
from gearwright.compiler.spans import WORDS, Spans
from gearwright.compiler.tape import Address
from gearwright.errors import CompileError, suggestion

ANY_FAILED = WORDS["any_failed"]
DTYPES: dict[str, Any] = {"double": np.float64, "single": np.float32}


class Failure(NamedTuple):
    """A robot whose state stopped being finite or passed a bound: in which step of the run, and which element first."""

    robot: int
    step: int
    address: Address
    value: float


class Kernel:
    """Machine code of one program for one number of lanes and one precision. Made by `compile_program`."""

    def __init__(self, program: Program, layout: Layout, precision: str, code: LoadedCode, from_cache: bool) -> None:
        self.program, self.layout, self.precision = program, layout, precision
        self.lanes = layout.lanes
        self.dtype = np.dtype(DTYPES[precision])
        self.from_cache = from_cache
        self.code = code

    def instance(self, batch: int = 1, *, threads: int = 1, counts: Mapping[str, int] | None = None) -> Instance:
        """Memory for `batch` robots, all zero, stepped by up to `threads` threads.

        `counts`: how often the loops run whose count has a name; each must be given, and can be changed later.
        """
        instance = Instance(self, batch, threads)
        if missing := set(self.program.counts) - set(counts or {}):
            raise CompileError(f"no count is given for the loops {sorted(missing)}")
        for name, count in (counts or {}).items():
            instance.set_count(name, count)
        return instance

    def evaluate(
        self, values: Mapping[str, Any], *, threads: int = 1, counts: Mapping[str, int] | None = None
    ) -> dict[str, Array]:
        """One step as a plain function: slots by name, (batch, *shape) or (*shape), to outputs (batch, *shape).

        If no value has a batch dimension, neither have the outputs.
        """
        arrays = {name: np.asarray(v, self.dtype) for name, v in values.items()}
        extra = {name: a.ndim - len(self.program.slot(name).shape) for name, a in arrays.items()}
        batches = {arrays[name].shape[0] for name, dimensions in extra.items() if dimensions == 1}
        if len(batches) > 1:
            raise CompileError(f"values have different batch sizes: {sorted(batches)}")
        instance = self.instance(batches.pop() if batches else 1, threads=threads, counts=counts)
        for name, array in arrays.items():
            instance.set(name, array)
        instance.step()
        outputs = {s.name: instance.get(s.name) for s in self.program.of_kind(Kind.OUTPUT, Kind.STATE)}
        return outputs if any(extra.values()) else {name: a[0] for name, a in outputs.items()}


class Instance:
    """A batch of robots. Memory is `[block][element][lane]`; `view` shows a slot of it without copying.

    Lanes that the batch does not fill hold copies of the last robot. Not to be shared between threads.
    """

    def __init__(self, kernel: Kernel, batch: int, threads: int) -> None:
        if batch < 1:
            raise CompileError(f"a batch has at least one robot, not {batch}")
        self.kernel, self.batch = kernel, batch
        self.layout = kernel.layout
        self.blocks = self.layout.blocks(batch)
        self.arena = aligned((self.blocks, self.layout.arena_elements, kernel.lanes), kernel.dtype)
        self._failed_step = np.full(self.blocks * kernel.lanes, -1, np.int64)
        self._failed_element = np.zeros(self.blocks * kernel.lanes, np.int64)
        self._failed_value = np.zeros(self.blocks * kernel.lanes)
        self._words = CallTable(self.layout).words
        self._scratch: list[Array] = []
        # Steps made, counted by the machine code, so that no signal can come between a step and its count. All robots
        # have made them but those that failed; a single robot has them up to its last good state.
        self.clock = ctypes.c_int64(0)
        self._tables = [self._table(*span) for span in _spans(self.blocks, threads)]
        self._spans = Spans(self._tables, self.clock, stops=batch == 1)
        # what `step` touches, one attribute each: a call from Python must stay within two microseconds
        self._head, self._address, self._run = self._spans.words, self._spans.address, kernel.code.run

    # slots ---------------------------------------------------------------------------------------------------------

    def view(self, name: str) -> Array:
        """The slot itself, (blocks, size, lanes): writes change the robots."""
        slot = self._slot(name)
        start = self.layout.arena[name]
        return self.arena[:, start : start + slot.size]

    def get(self, name: str) -> Array:
        """A copy, (batch, *shape)."""
        robots: Array = unblocked(self.view(name)[:, None], self.batch, self._slot(name).shape)[0]
        return robots

    def set(self, name: str, value: Any) -> None:
        """Sets a slot; `value` broadcasts to (batch, *shape)."""
        slot = self._slot(name)
        full = np.broadcast_to(np.asarray(value, self.kernel.dtype), (self.batch, *slot.shape))
        self.view(name)[:] = blocked(full[None], self.kernel.lanes)[:, 0]

    def set_count(self, name: str, count: int) -> None:
        """How often the loops run whose count has this name."""
        if name not in self.kernel.program.counts:
            raise CompileError(f"no loop count is named {name!r}{suggestion(name, self.kernel.program.counts)}")
        for table in self._tables:
            table[self._words[f"count {name}"]] = count

    # running -------------------------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> bool:
        """n steps with all inputs held. False if some robot failed (see `failures`)."""
        self._head[0] = n
        self._run(self._address)
        return not self._head[ANY_FAILED]

    def run(
        self, n: int, *, series: Mapping[str, Any] | None = None, record: Sequence[str] = (), every: int = 1
    ) -> dict[str, Array]:
        """n steps, all in machine code.

        `series`: inputs that change every step, broadcast to (n, batch, *shape). `record`: states or outputs to keep
        after every `every`-th step; returned as (n // every, batch, *shape).
        """
        buffers = {}
        for name, values in (series or {}).items():
            slot = self._slot(name)
            full = np.broadcast_to(np.asarray(values, self.kernel.dtype), (n, self.batch, *slot.shape))
            buffers[name] = blocked(full, self.kernel.lanes)
        records = {name: self.record_buffer(name, n // every) for name in record}
        self.run_blocked(n, series=buffers, records=records, every=every)
        return {name: unblocked(buffer, self.batch, self._slot(name).shape) for name, buffer in records.items()}

    def run_blocked(
        self,
        n: int,
        *,
        series: Mapping[str, Array] | None = None,
        records: Mapping[str, Array] | None = None,
        every: int = 1,
        first: int = 0,
        continues: bool = False,
    ) -> bool:
        """`run` without copies: series (blocks, n, size, lanes), records (blocks, rows, size, lanes).

        Buffers come from `record_buffer` or `series_buffer`. `first` is the number of steps of the run that earlier
        calls have made: failures and records are counted from its beginning, so that there are
        (first + n) // every − first // every rows. `continues`: robots that failed before stay as they are. Returns
        False if some robot failed.
        """
        rows = (first + n) // every - first // every
        changed = {"first_step": first, "continues": int(continues)}
        if records:
            changed |= {"every": every, "until_first": every - first % every, "rows": rows}
        itemsize = self.kernel.dtype.itemsize
        for name, array in (series or {}).items():
            self._check_buffer(name, array, n, Kind.INPUT)
            stride = array.shape[2] * array.shape[3] * itemsize
            changed |= {
                f"input {name}": array.ctypes.data,
                f"block stride {name}": n * stride,
                f"step stride {name}": stride,
            }
        for name, array in (records or {}).items():
            self._check_buffer(name, array, rows, Kind.STATE, Kind.OUTPUT)
            changed[f"record {name}"] = array.ctypes.data
        spans = Spans([self._changed(table, changed) for table in self._tables], self.clock, stops=self.batch == 1)
        spans.words[0] = n
        self._run(spans.address)
        return not spans.words[ANY_FAILED]

    def series_buffer(self, name: str, steps: int) -> Array:
        """Memory for an input that changes every step, (blocks, steps, size, lanes)."""
        return aligned((self.blocks, steps, self._slot(name).size, self.kernel.lanes), self.kernel.dtype)

    record_buffer = series_buffer

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Robots that failed in the last call. They keep their last good state."""
        return tuple(
            Failure(
                int(robot),
                int(self._failed_step[robot]),
                self.layout.state_address(int(self._failed_element[robot])),
                float(self._failed_value[robot]),
            )
            for robot in np.flatnonzero(self._failed_step[: self.batch] >= 0)
        )

    # inside --------------------------------------------------------------------------------------------------------

    def _table(self, first: int, last: int) -> Any:
        """A call table for a span of blocks, with scratch of its own."""
        scratch = aligned((max(1, self.layout.scratch_elements), self.kernel.lanes), self.kernel.dtype)
        self._scratch.append(scratch)
        table = (ctypes.c_int64 * len(self._words))()
        values = {
            "first_block": first,
            "last_block": last,
            "arena": self.arena.ctypes.data,
            "scratch": scratch.ctypes.data,
            "failed_step": self._failed_step.ctypes.data,
            "failed_element": self._failed_element.ctypes.data,
            "failed_value": self._failed_value.ctypes.data,
        }
        element = self.kernel.lanes * self.kernel.dtype.itemsize
        for slot in self.layout.inputs:
            values[f"input {slot.name}"] = self.arena.ctypes.data + self.layout.arena[slot.name] * element
            values[f"block stride {slot.name}"] = self.layout.arena_elements * element
        for word, value in values.items():
            table[self._words[word]] = value
        return table

    def _changed(self, table: Any, words: Mapping[str, int]) -> Any:
        """A copy, so that no buffer's address outlives its call."""
        copy = type(table).from_buffer_copy(table)
        for word, value in words.items():
            copy[self._words[word]] = value
        return copy

    def _slot(self, name: str) -> Slot:
        slot = self.kernel.program.slot(name)
        if slot.kind is Kind.SCRATCH:
            raise CompileError(f"{name!r} is scratch; it holds nothing after a step")
        return slot

    def _check_buffer(self, name: str, array: Array, rows: int, *kinds: Kind) -> None:
        slot = self._slot(name)
        shape = (self.blocks, rows, slot.size, self.kernel.lanes)
        if slot.kind not in kinds:
            raise CompileError(f"{name!r} is {slot.kind}; only {' and '.join(kinds)} slots can be used here")
        fits = array.shape == shape and array.dtype == self.kernel.dtype and array.flags.c_contiguous
        if not fits or (array.size and array.ctypes.data % ALIGNMENT):
            raise CompileError(f"the buffer of {name!r} must be an aligned {self.kernel.dtype} array of shape {shape}")


def _spans(blocks: int, threads: int) -> list[tuple[int, int]]:
    """Equal, contiguous spans of blocks: which thread does what depends on nothing else."""
    threads = max(1, min(threads, blocks))
    edges = [blocks * k // threads for k in range(threads + 1)]
    return list(pairwise(edges))
