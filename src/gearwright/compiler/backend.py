"""The seam to back ends: `Backend.compile(program)` gives an `Executable`, whose `Instance`s hold batches of robots.

Numbers cross this seam as (rows, batch, size): rows are instants of a recording or of a series, one for what a slot
holds now. How a back end keeps them inside (lanes, blocks, a device's memory) is its own affair; `Buffer` converts
where they are read or written, and nowhere else.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from gearwright.compiler.buffers import Array, Buffer
from gearwright.compiler.program import Program, Slot, SlotKind
from gearwright.compiler.tape import Address
from gearwright.errors import CompileError

Precision = Literal["double", "single"]
DTYPES: dict[str, Any] = {"double": np.float64, "single": np.float32}
LARGEST_SINGLE = float(np.finfo(np.float32).max)


def in_single_precision(value: float) -> float:
    """The number itself; raises if it would become infinite."""
    if abs(value) > LARGEST_SINGLE:
        raise CompileError(f"{value:.3g}, a constant of the equations, is beyond single precision: use double")
    return value


class Failure(NamedTuple):
    """A robot whose state stopped being finite or passed a bound: in which step of the run, and which element first."""

    robot: int
    step: int
    address: Address
    value: float


class Part(NamedTuple):
    """Which part of a run a call makes: see `Instance.run_buffers`."""

    every: int
    first: int
    continues: bool

    def rows(self, n: int) -> int:
        """Records that n steps leave."""
        return (self.first + n) // self.every - self.first // self.every


class Instance(ABC):
    """A batch of robots in memory. Calls of several threads are made one after the other.

    `clock.value` counts the steps made. Back ends add to it together with the steps, so that no signal comes in
    between. All robots have made them but those that failed; a single robot has them up to its last good state.
    """

    def __init__(self, executable: Executable, batch: int) -> None:
        if batch < 1:
            raise CompileError(f"a batch has at least one robot, not {batch}")
        self.executable, self.batch = executable, batch
        self.clock = ctypes.c_int64(0)

    # what a back end writes ----------------------------------------------------------------------------------------

    @abstractmethod
    def slot(self, name: str) -> Buffer:
        """The values of a slot, one row: writes change the robots."""

    @property
    @abstractmethod
    def states(self) -> Buffer:
        """All states, in the order of the program's slots, one row."""

    @property
    @abstractmethod
    def memory(self) -> Buffer:
        """All slots but scratch, one row, the back end knows in which order: to be copied and put back."""

    @abstractmethod
    def buffer(self, name: str, rows: int) -> Buffer:
        """Zeros for a series of inputs or a recording of a slot."""

    @abstractmethod
    def step(self, n: int = 1) -> bool:
        """n steps with all inputs held. False if some robot failed (see `failures`)."""

    def step_on(self) -> None:
        """One step of a program in which no robot fails: a device need not be waited for."""
        self.step()

    @abstractmethod
    def _run(self, n: int, series: Mapping[str, Buffer], records: Mapping[str, Buffer], part: Part) -> bool:
        """`run_buffers` after its arguments have been checked."""

    @property
    @abstractmethod
    def failures(self) -> tuple[Failure, ...]:
        """Robots that failed in the last call. They keep their last good state."""

    def exclusive(self) -> AbstractContextManager[Any]:
        """Steps of other threads wait while its block runs; the block itself must not step."""
        return nullcontext()

    # what follows from it ------------------------------------------------------------------------------------------

    def get(self, name: str) -> Array:
        """A copy of a slot, (batch, *shape)."""
        robots: Array = self.slot(name).numbers()[0].reshape(self.batch, *self._slot(name).shape)
        return robots

    def set(self, name: str, value: Any) -> None:
        """Sets a slot; `value` broadcasts to (batch, *shape)."""
        slot = self._slot(name)
        full = np.broadcast_to(np.asarray(value, self.executable.dtype), (self.batch, *slot.shape))
        self.slot(name).assign(full.reshape(1, self.batch, slot.size))

    def run(
        self, n: int, *, series: Mapping[str, Any] | None = None, record: Sequence[str] = (), every: int = 1
    ) -> dict[str, Array]:
        """n steps in one call.

        `series`: inputs that change every step, broadcast to (n, batch, *shape). `record`: states or outputs to keep
        after every `every`-th step; returned as (n // every, batch, *shape).
        """
        given = {}
        for name, values in (series or {}).items():
            slot = self._slot(name)
            full = np.broadcast_to(np.asarray(values, self.executable.dtype), (n, self.batch, *slot.shape))
            given[name] = self.buffer(name, n)
            given[name].assign(full.reshape(n, self.batch, slot.size))
        records = {name: self.buffer(name, n // every) for name in record}
        self.run_buffers(n, series=given, records=records, every=every)
        return {
            name: b.numbers().reshape(n // every, self.batch, *self._slot(name).shape) for name, b in records.items()
        }

    def run_buffers(
        self,
        n: int,
        *,
        series: Mapping[str, Buffer] | None = None,
        records: Mapping[str, Buffer] | None = None,
        every: int = 1,
        first: int = 0,
        continues: bool = False,
    ) -> bool:
        """`run` on buffers of `buffer`, without conversions. Returns False if some robot failed.

        `first` is the number of steps of the run that earlier calls have made: failures and records are counted from
        its beginning, so that there are (first + n) // every − first // every rows. `continues`: robots that failed
        before stay as they are.
        """
        part = Part(every, first, continues)
        for name, given in (series or {}).items():
            self._check_buffer(name, given, n, SlotKind.INPUT)
        for name, kept in (records or {}).items():
            self._check_buffer(name, kept, part.rows(n), SlotKind.STATE, SlotKind.OUTPUT)
        return self._run(n, series or {}, records or {}, part)

    def row_bytes(self, names: Sequence[str]) -> int:
        """Memory that one row of these slots takes."""
        return sum(self._slot(name).size for name in names) * self.batch * int(self.executable.dtype.itemsize)

    def _slot(self, name: str) -> Slot:
        slot = self.executable.program.slot(name)
        if slot.kind is SlotKind.SCRATCH:
            raise CompileError(f"{name!r} is scratch; it holds nothing after a step")
        return slot

    def _check_buffer(self, name: str, buffer: Buffer, rows: int, *kinds: SlotKind) -> None:
        slot = self._slot(name)
        if slot.kind not in kinds:
            raise CompileError(f"{name!r} is {slot.kind}; only {' and '.join(kinds)} slots can be used here")
        expected = (rows, self.batch, slot.size)
        if buffer.shape != expected:
            raise CompileError(f"the buffer of {name!r} must have the shape {expected}, not {buffer.shape}")


class Executable(ABC):
    """One program, ready to run in one precision. Made by `Backend.load`."""

    def __init__(self, program: Program, precision: str, from_cache: bool = False) -> None:
        self.program, self.precision = program, precision
        self.dtype = np.dtype(DTYPES[precision])
        self.from_cache = from_cache
        self.kept_code: bytes = b""  # as `Backend.code` made it, where it was kept
        self.note = ""  # of the caller of `build`, where the code comes from the disk

    @abstractmethod
    def instance(self, batch: int = 1, *, threads: int = 1) -> Instance:
        """Memory for `batch` robots, all zero, stepped by up to `threads` threads."""

    def evaluate(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """One step as a plain function: slots by name, (batch, *shape) or (*shape), to outputs (batch, *shape).

        If no value has a batch dimension, neither have the outputs.
        """
        arrays = {name: np.asarray(v, self.dtype) for name, v in values.items()}
        extra = {name: a.ndim - len(self.program.slot(name).shape) for name, a in arrays.items()}
        batches = {arrays[name].shape[0] for name, dimensions in extra.items() if dimensions == 1}
        if len(batches) > 1:
            raise CompileError(f"values have different batch sizes: {sorted(batches)}")
        instance = self.instance(batches.pop() if batches else 1)
        for name, array in arrays.items():
            instance.set(name, array)
        instance.step()
        outputs = {s.name: instance.get(s.name) for s in self.program.of_kind(SlotKind.OUTPUT, SlotKind.STATE)}
        return outputs if any(extra.values()) else {name: a[0] for name, a in outputs.items()}


class Backend(ABC):
    """A type of machine that programs can run on: one class, and one row of `backends.BACKENDS`.

    `batch` is a hint: how many robots the code is meant for, None for many. Any executable takes any batch.
    """

    name: ClassVar[str]

    @abstractmethod
    def identity(self, precision: str, batch: int | None) -> str:
        """Everything besides the program that determines the code: the machine, its features, versions of libraries."""

    @abstractmethod
    def code(self, program: Program, precision: str, batch: int | None) -> bytes:
        """The program as code that can be kept on disk."""

    @abstractmethod
    def load(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        """Code as something that runs. The outline of the program is enough."""

    def portable(self, program: Program, code: bytes, precision: str, batch: int | None) -> bytes:
        """Code as a saved simulation holds it: with everything that `load_portable` needs to know about it."""
        return code

    def load_portable(self, program: Program, code: bytes, precision: str, batch: int | None) -> Executable:
        """`load` on a machine that can run code but need not be able to generate it. Raises CompileError for code that
        is damaged or meant for another machine."""
        return self.load(program, code, precision, batch)

    @property
    def description(self) -> str:
        """The machine in words, for reports; empty if there is nothing to say."""
        return ""

    def compile(self, program: Program, *, precision: Precision = "double", batch: int | None = None) -> Executable:
        """The program, ready to run. `gearwright.compiler.build` does the same with a cache on disk."""
        return self.load(program, self.code(program, precision, batch), precision, batch)
