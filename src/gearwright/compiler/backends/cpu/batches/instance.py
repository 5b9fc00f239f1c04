"""Machine code as Python sees it: `CpuExecutable` is the code, `CpuInstance` a batch of robots in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.compiler.backend import Executable, Failure, Instance, Part
from gearwright.compiler.backends.cpu.batches.layout import BlockLayout
from gearwright.compiler.backends.cpu.batches.memory import ALIGNMENT, BlockedBuffer, aligned
from gearwright.compiler.backends.cpu.batches.spans import BUSY, Spans, divided, give_way, held, run_in_turn
from gearwright.compiler.backends.cpu.llvm.rollout import CallTable
from gearwright.compiler.buffers import Array, Buffer
from gearwright.compiler.program import Program
from gearwright.errors import CompileError

if TYPE_CHECKING:
    from gearwright.compiler.backends.cpu.image.loaded_image import LoadedImage
    from gearwright.compiler.backends.cpu.llvm.loaded_code import LoadedCode


class CpuExecutable(Executable):
    """Machine code of one program for one number of lanes and one precision."""

    def __init__(self, program: Program, precision: str, layout: BlockLayout, code: LoadedCode | LoadedImage) -> None:
        super().__init__(program, precision)
        self.layout, self.lanes, self.code = layout, layout.lanes, code

    def instance(self, batch: int = 1, *, threads: int = 1) -> CpuInstance:
        return CpuInstance(self, batch, threads)


class CpuInstance(Instance):
    """Memory is `[block][element][lane]`; lanes that the batch does not fill hold copies of the last robot."""

    def __init__(self, executable: CpuExecutable, batch: int, threads: int) -> None:
        super().__init__(executable, batch)
        self.layout, self.lanes, self.dtype = executable.layout, executable.lanes, executable.dtype
        self.blocks = self.layout.blocks(batch)
        self.arena = aligned((self.blocks, self.layout.arena_elements, self.lanes), self.dtype)
        self._failed_step = np.full(self.blocks * self.lanes, -1, np.int64)
        self._failed_element = np.zeros(self.blocks * self.lanes, np.int64)
        self._failed_value = np.zeros(self.blocks * self.lanes)
        self._words = CallTable(self.layout).words
        self._scratch, self._scratch_elements = list[Array](), executable.code.scratch_elements
        self._tables = [self._table(*span) for span in divided(self.blocks, threads)]
        self._lock = ctypes.c_int64(0)
        self._spans = Spans(self._tables, self.clock, self._lock, stops=batch == 1)
        # what `step` touches, one attribute each: a call from Python must stay within two microseconds
        self._address, self._call = self._spans.address, executable.code.run

    # slots ---------------------------------------------------------------------------------------------------------

    def slot(self, name: str) -> BlockedBuffer:
        size, start = self._slot(name).size, self.layout.arena[name]
        return BlockedBuffer(self.arena[:, None, start : start + size], self.batch)

    @property
    def states(self) -> BlockedBuffer:
        return BlockedBuffer(self.arena[:, None, : self.layout.program.state_elements], self.batch)

    @property
    def memory(self) -> BlockedBuffer:
        return BlockedBuffer(self.arena[:, None], self.batch)

    def buffer(self, name: str, rows: int) -> BlockedBuffer:
        shape = (self.blocks, rows, self._slot(name).size, self.lanes)
        return BlockedBuffer(aligned(shape, self.dtype), self.batch)

    def exclusive(self) -> AbstractContextManager[None]:
        return held(self._call, self._address, self._lock)

    # running -------------------------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> bool:
        answer = self._call(self._address, n)
        return not (answer if answer != BUSY else run_in_turn(self._call, self._address, n, self._lock))

    def _run(self, n: int, series: Mapping[str, Buffer], records: Mapping[str, Buffer], part: Part) -> bool:
        every, first, continues = part
        changed = {"first_step": first, "continues": int(continues)}
        if records:
            changed |= {"every": every, "until_first": every - first % every, "rows": part.rows(n)}
        for name, given in series.items():
            array = self._memory(name, given)
            stride = array.shape[2] * self.lanes * self.dtype.itemsize
            changed |= {
                f"input {name}": array.ctypes.data,
                f"block stride {name}": n * stride,
                f"step stride {name}": stride,
            }
        changed |= {f"record {name}": self._memory(name, kept).ctypes.data for name, kept in records.items()}
        tables = [self._changed(table, changed) for table in self._tables]
        spans = Spans(tables, self.clock, self._lock, stops=self.batch == 1)
        answer = run_in_turn(self._call, spans.address, n, self._lock)
        give_way(self._lock)
        return not answer

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(
            Failure(
                int(robot),
                int(self._failed_step[robot]),
                self.executable.program.state_address(int(self._failed_element[robot])),
                float(self._failed_value[robot]),
            )
            for robot in np.flatnonzero(self._failed_step[: self.batch] >= 0)
        )

    # inside --------------------------------------------------------------------------------------------------------

    def _table(self, first: int, last: int) -> Any:
        """A call table for a span of blocks, with scratch of its own."""
        scratch = aligned((max(1, self._scratch_elements), self.lanes), self.dtype)
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
        element = self.lanes * self.dtype.itemsize
        for slot in self.layout.program.inputs:
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

    def _memory(self, name: str, buffer: Buffer) -> Array:
        """The array of a buffer that machine code reads or writes."""
        if isinstance(buffer, BlockedBuffer):
            array = buffer.data
            fits = array.dtype == self.dtype and array.flags.c_contiguous and array.shape[0] == self.blocks
            if fits and not (array.size and array.ctypes.data % ALIGNMENT):
                return array
        raise CompileError(f"the buffer of {name!r} is not one that this instance's `buffer` makes")
