"""A controller in the equations: a function of what the robot shows, traced into a stage before the step.

    phase    ()      0 in a step that begins with the controller being asked; it counts up to the control period
    clock    (2,)    steps since the clock was set, and what it was set to [s]
    control  (nc,)   what the controller commands, held until it is asked again; then its memory

The function is called once, on `TracedReadings`: the reading side of a simulation with formulas for numbers. The names
that it returns are the commands; in the step, the places of these among `command` and `effort` are those of `control`.

Steps are counted exactly: up to 2⁵³ of them, in single precision up to 2²⁴ (five hours at 1 kHz).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol

import casadi
import numpy as np
from casadi import SX, Function

from gearwright.dynamics.algebra.scalar import Scalar, equal, expression, scalars, where, without_simplification
from gearwright.dynamics.control.reading import TracedReadings
from gearwright.errors import CompileError, GearwrightError, TracingError, UnknownNameError
from gearwright.model.layout.control_places import ControlPlaces
from gearwright.model.layout.slots import SlotName, StepSlot
from gearwright.tracing import Traced, elements
from gearwright.tracing.arrays import NO_NUMBER
from gearwright.user_code import user_line


class DeclaredController(Protocol):
    """A user's controller and what it says of itself."""

    @property
    def name(self) -> str: ...
    @property
    def memory(self) -> Mapping[str, float]: ...
    @property
    def parameters(self) -> Mapping[str, float]: ...
    @property
    def attributes(self) -> Mapping[str, Any]: ...
    def called(self, sim: Any, memory: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]: ...


@dataclass(frozen=True)
class Targets:
    """Names that can be commanded, and of joints with several coordinates those of each."""

    actuators: Sequence[str]
    coordinates: Sequence[str]
    joints: Mapping[str, Sequence[str]]
    acting: bool = True  # whether actuators act at all

    def indices(self, name: object) -> tuple[SlotName, list[int]]:
        """The slot, and the entries of it that a name stands for."""
        if name in self.actuators:
            if not self.acting:
                raise CompileError(
                    f"actuator {name!r} is commanded, but no actuator acts: none is connected to a joint, or the "
                    "integrator is 'rk4'"
                )
            return StepSlot.COMMAND, [list(self.actuators).index(str(name))]
        if name in self.coordinates:
            return StepSlot.EFFORT, [list(self.coordinates).index(str(name))]
        if name in self.joints:
            if not self.joints[str(name)]:
                raise CompileError(f"joint {name!r} is fixed: it takes no effort")
            return StepSlot.EFFORT, [list(self.coordinates).index(n) for n in self.joints[str(name)]]
        raise UnknownNameError("actuator or joint", name, [*self.actuators, *self.coordinates, *self.joints])


class Control:
    """A controller as two Functions: `stage`, which is run where the phase is 0, and `tick`, which moves the clock."""

    def __init__(
        self,
        declared: DeclaredController,
        targets: Targets,
        period: int,
        symbols: Mapping[SlotName, SX],
        read: Callable[[SX], TracedReadings],
    ) -> None:
        clock, phase = SX.sym("clock", 2), SX.sym("phase")
        memory = {name: SX.sym(name) for name in declared.memory}
        commands, new_memory = traced(declared, read(clock), memory, targets)
        self.places = placed(list(commands), list(memory))
        self.start = [0.0] * len(commands) + [*declared.memory.values()]  # after a reset: no commands yet
        before = casadi.vertcat(SX.sym("held", len(commands)), *memory.values())
        new = [*commands.values(), *new_memory]
        now = equal(expression(phase), 0.0)
        control = [where(now, x, old) for x, old in zip(new, scalars(before), strict=True)]
        inputs = {**symbols, StepSlot.CLOCK: clock, StepSlot.PHASE: phase, StepSlot.CONTROL: before}
        self.stage = _function("control", inputs, {StepSlot.CONTROL: control})
        after = expression(phase) + 1.0
        following = where(after >= period, 0.0, after)
        steps, start = scalars(clock)
        ticked = {StepSlot.CLOCK: [steps + 1.0, start], StepSlot.PHASE: [following]}
        self.tick = _function("tick", {StepSlot.CLOCK: clock, StepSlot.PHASE: phase}, ticked)


def placed(commands: Sequence[tuple[SlotName, int]], memory: Sequence[str]) -> ControlPlaces:
    found: dict[SlotName, dict[int, int]] = {StepSlot.COMMAND: {}, StepSlot.EFFORT: {}}
    for place, (slot, i) in enumerate(commands):
        found[slot][i] = place
    own = {name: len(commands) + n for n, name in enumerate(memory)}
    return ControlPlaces(found[StepSlot.COMMAND], found[StepSlot.EFFORT], own, len(commands) + len(memory))


def traced(
    declared: DeclaredController, sim: TracedReadings, memory: Mapping[str, SX], targets: Targets
) -> tuple[dict[tuple[SlotName, int], Scalar], list[Scalar]]:
    """(slot, entry) → what the controller commands, and its new memory, as formulas."""
    try:
        own = {name: Traced([x], ()) for name, x in memory.items()}
        returned, after = _called_without_chance(lambda: declared.called(sim, own))
        commands: dict[tuple[SlotName, int], Scalar] = {}
        for name, value in returned.items():
            slot, entries = targets.indices(name)
            for i, x in zip(entries, _numbers(name, value, len(entries)), strict=True):
                if (slot, i) in commands:
                    raise CompileError(f"{name!r} is commanded twice")
                commands[slot, i] = x
        new_memory = [_numbers(name, after[name], 1)[0] for name in memory]
    except Exception as error:  # the user's code may raise anything
        raise TracingError(f"controller {declared.name}{user_line(error.__traceback__)}: {_said(error)}") from error
    for name, value in declared.attributes.items():
        if isinstance(value, Traced):
            raise TracingError(
                f"controller {declared.name} stores something for its next call in its attribute {name!r}, but in the "
                f"compiled step it is called once only: declare memory = {{{name!r}: 0.0}}, and take and return that"
            )
    if not commands and not new_memory:
        raise TracingError(f"controller {declared.name} commands nothing, and has no memory")
    return commands, new_memory


CHANCE = (
    "random numbers would be drawn once, when the controller is compiled, and stay the same in every step: call it "
    "from Python with sim.run(controller=…), or give the robot's sensors <noise>"
)


def _called_without_chance(call: Callable[[], Any]) -> Any:
    """Refuses NumPy's random numbers."""

    def refused(*_: Any, **__: Any) -> Any:
        raise CompileError(CHANCE)

    before, made = np.random.get_state(legacy=False), np.random.default_rng
    np.random.default_rng = refused
    try:
        found = call()
    finally:
        np.random.default_rng = made
    after = np.random.get_state(legacy=False)
    if repr(before) != repr(after) or not np.array_equal(before["state"]["key"], after["state"]["key"]):
        raise CompileError(CHANCE)
    return found


def _numbers(name: object, value: Any, n: int) -> list[Scalar]:
    """A command's formulas, n of them."""
    found = elements(value)
    if len(found) != n:
        raise CompileError(f"{name!r} takes {n} number{'' if n == 1 else 's'}, not {len(found)}")
    for x in found:
        if type(x) is float and not isfinite(x):
            raise CompileError(f"{name!r} always gets {x}, which is not a finite number")
    return found


def _said(error: Exception) -> str:
    if isinstance(error, GearwrightError):
        return str(error)
    said = f"{type(error).__name__}: {error}"
    return NO_NUMBER if "array element with a sequence" in said else said  # so NumPy says of a traced value


def _function(name: str, inputs: Mapping[SlotName, SX], outputs: Mapping[SlotName, Sequence[Scalar]]) -> Function:
    with without_simplification():
        columns = casadi.cse([casadi.vertcat(*(SX(x) for x in values)) for values in outputs.values()])
    return Function(
        name, [*inputs.values()], columns, [*inputs], [*outputs], {"allow_duplicate_io_names": True}
    )  # fmt: skip
