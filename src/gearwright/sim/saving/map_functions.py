"""Curved transmission maps without CasADi: their functions and ratios as tapes, which NumPy runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.compiler import Program, SlotKind, function_program
from gearwright.compiler.backends.interpreter import run_tape
from gearwright.compiler.program_text import from_text, to_text
from gearwright.errors import GearwrightError
from gearwright.model import TransmissionMap
from gearwright.sim.state.values import Array

# what a map keeps of CasADi: actuators by joints and back, their derivatives, efforts of a custom one
FUNCTIONS = ("_positions", "_ratio", "_led_joints", "_led_ratio", "joint_efforts")


def functions_as_data(transmission: TransmissionMap) -> dict[str, str]:
    """Those functions that the map has, as text."""
    found = {}
    for name in FUNCTIONS:
        try:
            function = getattr(transmission, name, None)
        except GearwrightError:  # of the other direction, or of efforts
            continue
        if function is not None:
            found[name] = to_text(
                function.program if isinstance(function, TapeFunction) else function_program(function)
            )
    return found


def with_functions(transmission: Any, functions: Any) -> Any:
    """The map with its functions in the place where it would keep those that it traces."""
    for name, text in functions.items():
        if name not in FUNCTIONS:
            raise ValueError(f"a transmission has no function {name!r:.60}")
        transmission.__dict__[name] = TapeFunction(from_text(text))
    return transmission


class TapeFunction:
    """Called like a CasADi function on numbers: arguments (n,) or (n, B), results (m, k·B) side by side."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._inputs, (self._output,) = program.of_kind(SlotKind.INPUT), program.of_kind(SlotKind.OUTPUT)

    def __call__(self, *arguments: Any) -> Array:
        columns = [np.asarray(x, dtype=np.float64).reshape(slot.size, -1) for slot, x in self._given(arguments)]
        count = max(x.shape[1] for x in columns)
        memory = {s.name: np.zeros((count, s.size)) for s in self.program.slots}
        for slot, x in zip(self._inputs, columns, strict=True):
            memory[slot.name][:] = x.T
        with np.errstate(all="ignore"):  # outside of its range it is NaN
            for stage in self.program.stages:
                run_tape(stage.tape, memory)
        rows, *rest = self._output.shape
        result = memory[self._output.name].reshape(count, rows, -1)
        return np.ascontiguousarray(result.transpose(1, 0, 2)).reshape(rows, count * (rest[0] if rest else 1))

    def _given(self, arguments: tuple[Any, ...]) -> Any:
        return zip(self._inputs, arguments, strict=True)
