"""The NumPy back end, and the oracle of the others: a program executed op by op, vectorised over the batch.

Slow and plain on purpose. It runs the program as it was traced, before any pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from gearwright.compiler.backend import Backend, Executable, Failure, Instance, Part
from gearwright.compiler.buffers import Array, Buffer
from gearwright.compiler.ops import OPS
from gearwright.compiler.program import LASTING, Body, Branch, Program, SlotKind, Stage
from gearwright.compiler.program_text import from_text, to_text
from gearwright.compiler.tape import Address, Tape


class Interpreter(Backend):
    """Any program, without a compiler."""

    name = "interpreter"

    def identity(self, precision: str, batch: int | None) -> str:
        return "any machine"

    def code(self, program: Program, precision: str, batch: int | None) -> bytes:
        return to_text(program).encode()

    def load(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        return Interpreted(from_text(code.decode()), precision)


class Interpreted(Executable):
    """A program to be walked through."""

    def instance(self, batch: int = 1, *, threads: int = 1) -> InterpretedInstance:
        return InterpretedInstance(self, batch)


class PlainBuffer(Buffer):
    """A buffer over an array (rows, batch, size)."""

    __slots__ = ("data",)

    def __init__(self, data: Array) -> None:
        self.data = data

    def __reduce__(self) -> tuple[Any, ...]:
        """Broadcast data is pickled once."""
        data = self.data
        return _unpacked, (data[:1] if data.strides[0] == 0 else data, data.shape)

    @property
    def shape(self) -> tuple[int, int, int]:
        rows, batch, size = self.data.shape
        return rows, batch, size

    def numbers(self) -> Array:
        return self.data.copy()

    def assign(self, values: Any) -> None:
        self.data[:] = values

    def column(self, element: int) -> Array:
        return self.data[:, :, element].copy()

    def fill(self, element: int, values: Any) -> None:
        self.data[:, :, element] = values

    def reader(self, element: int) -> Callable[[], Any]:
        if self.shape[1] == 1:
            return partial(self.data[0, 0].item, element)
        return self.data[0, :, element].copy

    def robot_reader(self, element: int, robot: int) -> Callable[[], float]:
        return partial(self.data[0, robot].item, element)

    def robot_writer(self, element: int, robot: int) -> Callable[[float], None]:
        return self.data[0, robot, element : element + 1].fill

    def rows(self, rows: slice) -> PlainBuffer:
        return PlainBuffer(self.data[rows])

    def element(self, element: int) -> PlainBuffer:
        return PlainBuffer(self.data[:, :, element : element + 1])

    def copy(self) -> PlainBuffer:
        return PlainBuffer(self.data.copy())

    def repeated(self, rows: int) -> PlainBuffer:
        return PlainBuffer(np.broadcast_to(self.data.copy(), (rows, *self.shape[1:])))

    def copier(self, source: Buffer) -> Callable[[], None]:
        assert isinstance(source, PlainBuffer)
        return partial(np.copyto, self.data, source.data)

    def keeper(self, source: Buffer) -> Callable[[int], None]:
        assert isinstance(source, PlainBuffer)
        rows, now = self.data, source.data[0]
        return lambda k: rows.__setitem__(k, now)

    @property
    def shared(self) -> Array | None:
        return self.data


def _unpacked(data: Array, shape: tuple[int, ...]) -> PlainBuffer:
    return PlainBuffer(np.broadcast_to(data, shape))


class InterpretedInstance(Instance):
    """Slots are arrays (batch, size); the states are columns of one array."""

    def __init__(self, executable: Interpreted, batch: int) -> None:
        super().__init__(executable, batch)
        program, dtype = executable.program, executable.dtype
        kept = [s for s in program.slots if s.kind is not SlotKind.SCRATCH]
        kept.sort(key=lambda s: LASTING.index(s.kind) if s.kind in LASTING else len(LASTING))
        self._memory = np.zeros((batch, sum(slot.size for slot in kept)), dtype)
        self._values: dict[str, Array] = {s.name: np.zeros((batch, s.size), dtype) for s in program.slots}
        start = 0
        self._lasting = sum(slot.size for slot in program.of_kind(*LASTING))
        for slot in kept:  # states first, then what is derived from them
            self._values[slot.name] = self._memory[:, start : start + slot.size]
            start += slot.size
        bounds = [slot.bound for slot in program.of_kind(SlotKind.STATE) for _ in range(slot.size)]
        self._bounds, self._states = np.array(bounds), self._memory[:, : len(bounds)]
        self._failed: dict[int, Failure] = {}
        self._lock = Lock()

    def slot(self, name: str) -> PlainBuffer:
        return PlainBuffer(self._values[self._slot(name).name][None])

    @property
    def states(self) -> PlainBuffer:
        return PlainBuffer(self._states[None])

    def buffer(self, name: str, rows: int) -> PlainBuffer:
        return PlainBuffer(np.zeros((rows, self.batch, self._slot(name).size), self.executable.dtype))

    @property
    def memory(self) -> PlainBuffer:
        return PlainBuffer(self._memory[None])

    def exclusive(self) -> AbstractContextManager[Any]:
        return self._lock

    def step(self, n: int = 1) -> bool:
        return self._run(n, {}, {}, Part(1, 0, False))

    def _run(self, n: int, series: Mapping[str, Buffer], records: Mapping[str, Buffer], part: Part) -> bool:
        with self._lock:
            return self._run_locked(n, series, records, part)

    def _run_locked(self, n: int, series: Mapping[str, Buffer], records: Mapping[str, Buffer], part: Part) -> bool:
        held = {name: self._values[name] for name in series}
        self._failed = self._failed if part.continues else {}
        try:
            with np.errstate(all="ignore"):
                for step in range(n):
                    self._values |= {name: given.row(step).numbers()[0] for name, given in series.items()}
                    self._step(part.first + step)
                    if (part.first + step + 1) % part.every == 0:
                        for name, kept in records.items():
                            kept.row(part.rows(step)).assign(self._values[name])
        finally:
            self._values |= held
        return not self._failed

    def _step(self, step: int) -> None:
        """One step, or none where it is interrupted."""
        before = self._memory.copy()
        try:
            _run_body(self.executable.program.body, self._values)
        except BaseException:
            self._memory[:] = before
            raise
        good = np.isfinite(self._states) & (np.abs(self._states) <= self._bounds)
        for robot, element in np.argwhere(~good).tolist():
            value, address = float(self._states[robot, element]), self.executable.program.state_address(element)
            self._failed.setdefault(robot, Failure(robot, step, address, value))
        failed = list(self._failed)
        self._memory[failed, : self._lasting] = before[failed, : self._lasting]
        self.clock.value += not (self.batch == 1 and self._failed)

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(self._failed[robot] for robot in sorted(self._failed))


def _run_body(body: Body, memory: Mapping[str, Array]) -> None:
    for node in body:
        if isinstance(node, Stage):
            run_tape(node.tape, memory)
            continue
        if isinstance(node, Branch):
            if not (memory[node.unless] != 0).all():
                _run_body(node.body, memory)
            continue
        for _ in range(node.count):
            if node.until is not None and (memory[node.until] != 0).all():
                break
            _run_body(node.body, memory)


def run_tape(tape: Tape, memory: Mapping[str, Array]) -> None:
    """Executes a tape on slots of shape (batch, size)."""
    first = next(iter(memory.values()))
    like = np.zeros(len(first), first.dtype)
    values: list[Any] = []
    for op, args, data in tape.instructions:
        if isinstance(data, Address):
            values.append(memory[data.slot][:, data.element].copy())
        elif op == "const":
            values.append(np.full_like(like, data))
        else:
            meaning = OPS[op].meaning
            assert meaning is not None
            values.append(meaning(*(values[a] for a in args)))
    for address, value in tape.stores:
        memory[address.slot][:, address.element] = values[value]
