"""A program run by the interpreter in one call, as the reference for other back ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.compiler.backends.interpreter import Interpreted
from gearwright.compiler.buffers import Array
from gearwright.compiler.program import Program, SlotKind
from gearwright.compiler.tape import Address


@dataclass
class Interpretation:
    """Results of a run. Arrays have shape (batch, *slot shape); records (records, batch, *slot shape)."""

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
) -> Interpretation:
    """Runs `steps` steps of a program: for tests, all in one call.

    `values` broadcast to (batch, *shape); slots not given start at 0. `series` holds inputs that change every step,
    (steps, batch, *shape). A robot whose state stops being finite, or passes a
    slot's bound, keeps its last good state from then on.
    """
    instance = Interpreted(program, precision).instance(batch)
    for name, value in values.items():
        instance.set(name, value)
    records = instance.run(steps, series=series, record=record, every=every)
    failures = {failure.robot: failure for failure in instance.failures}
    return Interpretation(
        {s.name: instance.get(s.name) for s in program.slots if s.kind is not SlotKind.SCRATCH},
        records,
        np.array([failures[r].step if r in failures else -1 for r in range(batch)]),
        [failures[r].address if r in failures else None for r in range(batch)],
    )
