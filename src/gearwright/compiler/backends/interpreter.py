"""The NumPy back end, and the oracle of the others: a program executed op by op, vectorised over the batch.

Slow and plain on purpose. It runs the program as it was traced, before any pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.compiler.backend import Array, Backend, Buffer, Executable, Failure, Instance
from gearwright.compiler.ops import OPS
from gearwright.compiler.program import Body, Kind, Program, Stage
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

    def _instance(self, batch: int, threads: int) -> InterpretedInstance:
        return InterpretedInstance(self, batch)


class PlainBuffer(Buffer):
    """A buffer over an array (rows, batch, size)."""

    def __init__(self, data: Array) -> None:
        self.data = data
        self.shape: tuple[int, int, int] = data.shape

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


class InterpretedInstance(Instance):
    """Slots are arrays (batch, size); the states are columns of one array."""

    def __init__(self, executable: Interpreted, batch: int) -> None:
        super().__init__(executable, batch)
        self._body, self._counts = executable.program.body, dict.fromkeys(executable.program.counts, 0)
        states = executable.program.of_kind(Kind.STATE)
        self._states = np.zeros((batch, sum(slot.size for slot in states)), executable.dtype)
        self._addresses = [Address(slot.name, i) for slot in states for i in range(slot.size)]
        self._values: dict[str, Array] = {}
        start = 0
        for slot in states:
            self._values[slot.name] = self._states[:, start : start + slot.size]
            start += slot.size
        for slot in executable.program.slots:
            self._values.setdefault(slot.name, np.zeros((batch, slot.size), executable.dtype))
        self._failed: dict[int, Failure] = {}

    def slot(self, name: str) -> PlainBuffer:
        return PlainBuffer(self._values[self._slot(name).name][None])

    @property
    def states(self) -> PlainBuffer:
        return PlainBuffer(self._states[None])

    def buffer(self, name: str, rows: int) -> PlainBuffer:
        return PlainBuffer(np.zeros((rows, self.batch, self._slot(name).size), self.executable.dtype))

    def step(self, n: int = 1) -> bool:
        return self._run(n, {}, {}, 1)

    def _run(self, n: int, series: Mapping[str, Buffer], records: Mapping[str, Buffer], every: int) -> bool:
        held = {name: self._values[name] for name in series}
        self._failed = {}
        try:
            with np.errstate(all="ignore"):
                for step in range(n):
                    self._values |= {name: given.row(step).numbers()[0] for name, given in series.items()}
                    self._step(step)
                    if (step + 1) % every == 0:
                        for name, kept in records.items():
                            kept.row(step // every).assign(self._values[name])
        finally:
            self._values |= held
        return not self._failed

    def _step(self, step: int) -> None:
        before = self._states.copy()
        _run_body(self._body, self._values, self._counts)
        for robot, element in np.argwhere(~np.isfinite(self._states)):
            self._failed.setdefault(int(robot), Failure(int(robot), step, self._addresses[element]))
        failed = list(self._failed)
        self._states[failed] = before[failed]

    def _set_count(self, name: str, count: int) -> None:
        self._counts[name] = count

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(self._failed[robot] for robot in sorted(self._failed))


def _run_body(body: Body, memory: Mapping[str, Array], counts: Mapping[str, int]) -> None:
    for node in body:
        if isinstance(node, Stage):
            run_tape(node.tape, memory)
        else:
            for _ in range(node.count if isinstance(node.count, int) else counts[node.count]):
                if node.until is not None and (memory[node.until] != 0).all():
                    break
                _run_body(node.body, memory, counts)


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


@dataclass
class Interpretation:
    """What a run left behind. Arrays have shape (batch, *slot shape); records (records, batch, *slot shape)."""

    values: dict[str, Array]
    records: dict[str, Array]
    failed_step: NDArray[np.int64]  # (batch,), −1 where all went well
    failed_at: list[Address | None] = field(default_factory=list)


def interpret_program(
    program: Program,
    values: Mapping[str, Any],
    *,
    steps: int = 1,
    batch: int = 1,
    precision: str = "double",
    series: Mapping[str, Any] | None = None,
    record: Sequence[str] = (),
    every: int = 1,
    counts: Mapping[str, int] | None = None,
) -> Interpretation:
    """Runs `steps` steps of a program: for tests, all in one call.

    `values` broadcast to (batch, *shape); slots not given start at 0. `series` holds inputs that change every step,
    (steps, batch, *shape). `counts` gives the run-time loop counts.
    """
    instance = Interpreted(program, precision).instance(batch, counts=counts)
    for name, value in values.items():
        instance.set(name, value)
    records = instance.run(steps, series=series, record=record, every=every)
    failures = {failure.robot: failure for failure in instance.failures}
    return Interpretation(
        {s.name: instance.get(s.name) for s in program.slots if s.kind is not Kind.SCRATCH},
        records,
        np.array([failures[r].step if r in failures else -1 for r in range(batch)]),
        [failures[r].address if r in failures else None for r in range(batch)],
    )
