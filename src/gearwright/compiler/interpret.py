"""The oracle: a program executed in NumPy, op by op, vectorised over the batch. Slow and plain on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.compiler.ops import OPS
from gearwright.compiler.program import Body, Kind, Program, Stage
from gearwright.compiler.tape import Address, Tape

Array = NDArray[Any]


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
    """Runs `steps` steps.

    `values` broadcast to (batch, *shape); slots not given start at 0. `series` holds inputs that change every step,
    (steps, batch, *shape). `counts` gives the run-time loop counts. A robot whose state stops being finite, or passes a
    slot's bound, keeps its last good state from then on, as in compiled code.
    """
    dtype = {"double": np.float64, "single": np.float32}[precision]
    memory = {s.name: np.zeros((batch, s.size), dtype) for s in program.slots}
    for name, value in values.items():
        shape = program.slot(name).shape
        memory[name][:] = np.broadcast_to(np.asarray(value, dtype), (batch, *shape)).reshape(
            batch, program.slot(name).size
        )
    states = list(program.of_kind(Kind.STATE))
    failed = np.full(batch, -1, np.int64)
    failed_at: list[Address | None] = [None] * batch
    records: dict[str, list[Array]] = {name: [] for name in record}
    with np.errstate(all="ignore"):
        for step in range(steps):
            for name, rows in (series or {}).items():
                memory[name][:] = np.asarray(rows[step], dtype).reshape(memory[name].shape)
            before = {s.name: memory[s.name].copy() for s in states}
            _run_body(program.body, memory, counts or {})
            _watch(states, memory, before, step, failed, failed_at)
            if (step + 1) % every == 0:
                for name in record:
                    records[name].append(memory[name].copy())
    shaped = {s.name: memory[s.name].reshape(batch, *s.shape) for s in program.slots}
    history = {
        name: np.array(rows, dtype).reshape(len(rows), batch, *program.slot(name).shape)
        for name, rows in records.items()
    }
    return Interpretation(shaped, history, failed, failed_at)


def _run_body(body: Body, memory: dict[str, Array], counts: Mapping[str, int]) -> None:
    for node in body:
        if isinstance(node, Stage):
            run_tape(node.tape, memory)
        else:
            for _ in range(node.count if isinstance(node.count, int) else counts[node.count]):
                if node.until is not None and (memory[node.until] != 0).all():
                    break
                _run_body(node.body, memory, counts)


def run_tape(tape: Tape, memory: dict[str, Array]) -> None:
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


def _good(values: Array, bound: float) -> Array:
    good: Array = np.isfinite(values) & (np.abs(values) <= bound)
    return good


def _watch(
    states: list[Any],
    memory: dict[str, Array],
    before: dict[str, Array],
    step: int,
    failed: NDArray[np.int64],
    failed_at: list[Address | None],
) -> None:
    for slot in states:
        for robot, element in np.argwhere(~_good(memory[slot.name], slot.bound)):
            if failed[robot] < 0:
                failed[robot], failed_at[robot] = step, Address(slot.name, int(element))
    for slot in states:
        memory[slot.name][failed >= 0] = before[slot.name][failed >= 0]
