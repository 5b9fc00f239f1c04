"""Kernels as Python sees them: `CudaExecutable` is the code, `CudaInstance` a batch of robots on the device."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from gearwright.compiler.backend import Executable, Failure, Instance, Part
from gearwright.compiler.backends.cuda.block_shape import Launch
from gearwright.compiler.backends.cuda.memory import DeviceBuffer, to_host
from gearwright.compiler.backends.cuda.thread_text import KernelLayout
from gearwright.compiler.buffers import Buffer
from gearwright.compiler.program import Program
from gearwright.errors import CompileError


class CudaExecutable(Executable):
    """The kernel of one program. `arrays` is CuPy, `launch` starts the kernel and waits for nothing.

    `elements`: of a robot's memory, where the kernel wants more than is kept between calls.
    """

    def __init__(
        self, program: Program, precision: str, arrays: Any, launch: Launch, kernel: Any = None, elements: int = 0
    ) -> None:
        super().__init__(program, precision)
        self.arrays, self.launch, self.layout, self._kernel = arrays, launch, KernelLayout(program), kernel
        self.elements = max(1, elements, self.layout.kept_elements)

    def resources(self) -> dict[str, int]:
        """Registers and bytes of local memory of a thread; 0 where the kernel does not run on a GPU."""
        attributes = {"registers": "num_regs", "local_bytes": "local_size_bytes"}
        return {name: int(getattr(self._kernel, attribute, 0)) for name, attribute in attributes.items()}

    def instance(self, batch: int = 1, *, threads: int = 1) -> CudaInstance:
        return CudaInstance(self, batch)


class CudaInstance(Instance):
    """Memory is `[element][robot]` on the device."""

    def __init__(self, executable: CudaExecutable, batch: int) -> None:
        super().__init__(executable, batch)
        xp, self.layout, self.dtype = executable.arrays, executable.layout, executable.dtype
        self._arrays, self._launch = xp, executable.launch
        self._memory = xp.zeros((executable.elements, batch), self.dtype)
        self._failed_step = xp.full(batch, -1, np.int64)
        self._failed_element = xp.zeros(batch, np.int64)
        self._failed_value = xp.zeros(batch, np.float64)
        self._any_failed = xp.zeros(1, np.int64)
        self._lock = threading.Lock()

    # slots ---------------------------------------------------------------------------------------------------------

    def slot(self, name: str) -> DeviceBuffer:
        size, start = self._slot(name).size, self.layout.offsets[name]
        return DeviceBuffer(self._arrays, self._memory[None, start : start + size])

    @property
    def states(self) -> DeviceBuffer:
        return DeviceBuffer(self._arrays, self._memory[None, : self.layout.program.state_elements])

    @property
    def memory(self) -> DeviceBuffer:
        return DeviceBuffer(self._arrays, self._memory[None, : self.layout.kept_elements])

    def buffer(self, name: str, rows: int) -> DeviceBuffer:
        shape = (rows, self._slot(name).size, self.batch)
        return DeviceBuffer(self._arrays, self._arrays.zeros(shape, self.dtype))

    def exclusive(self) -> AbstractContextManager[Any]:
        return self._lock

    # running -------------------------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> bool:
        return self._run(n, {}, {}, Part(1, 0, False))

    def step_on(self) -> None:
        with self._lock:
            self._launch(self.batch, self._arguments(1, {}, {}, Part(1, 0, False)))
            self.clock.value += 1

    def _run(self, n: int, series: Mapping[str, Buffer], records: Mapping[str, Buffer], part: Part) -> bool:
        arguments = self._arguments(n, series, records, part)
        with self._lock, _signals_later():
            self._any_failed.fill(0)
            self._launch(self.batch, arguments)
            failed = bool(self._any_failed[0])  # waits for the kernel
            self.clock.value += self._good_steps(n, part.first) if failed and self.batch == 1 else n
        return not failed

    def _arguments(
        self, n: int, series: Mapping[str, Buffer], records: Mapping[str, Buffer], part: Part
    ) -> tuple[Any, ...]:
        """Of the kernel, in the order of its text."""
        every, first, continues = part
        until_first = every - first % every if records else 0
        return (
            self._memory, np.int64(self.batch), np.int64(n), np.int64(first), np.int64(continues), np.int64(every),
            np.int64(until_first), self._failed_step, self._failed_element, self._failed_value, self._any_failed,
            *(self._pointer(slot.name, series.get(slot.name)) for slot in self.layout.program.inputs),
            *(self._pointer(slot.name, records.get(slot.name)) for slot in self.layout.program.recordable),
        )  # fmt: skip

    def _good_steps(self, n: int, first: int) -> int:
        return min(n, max(0, int(self._failed_step[0]) - first))

    def _pointer(self, name: str, buffer: Buffer | None) -> Any:
        """The array of a series or a record; 0 where there is none."""
        if buffer is None:
            return np.uint64(0)
        if isinstance(buffer, DeviceBuffer) and buffer.data.dtype == self.dtype and buffer.data.flags.c_contiguous:
            return buffer.data
        raise CompileError(f"the buffer of {name!r} is not one that this instance's `buffer` makes")

    @property
    def failures(self) -> tuple[Failure, ...]:
        steps, places = to_host(self._failed_step), to_host(self._failed_element)
        values, program = to_host(self._failed_value), self.executable.program
        return tuple(
            Failure(int(r), int(steps[r]), program.state_address(int(places[r])), float(values[r]))
            for r in np.flatnonzero(steps >= 0)
        )


@contextmanager
def _signals_later() -> Iterator[None]:
    """Ctrl-C is heard after the clock has been set to what the kernel made."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
