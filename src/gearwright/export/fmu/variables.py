"""The variables of an FMU: which numbers of a robot it has, by name, and where each stands in the C struct.

inputs      commands of actuators, efforts from outside
parameters  numbers that were made inputs; positions and velocities to start with
outputs     positions, velocities, actuators, sensors
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from gearwright.model.layout.slots import StepSlot
from gearwright.sim.signals import Derived, Signal, SlotElement

if TYPE_CHECKING:
    from gearwright.sim import Simulation

Causality = Literal["independent", "input", "parameter", "output"]
KERNELS = ("tree", "shafts")  # whose outputs are variables, too: followers, and shafts of actuators
LEFT_OUT = ("", "effort", "command", "coupling_error")  # families that are inputs, or sums
STARTS = ((StepSlot.POSITION, "start_position"), (StepSlot.VELOCITY, "start_velocity"))


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable; its value reference is its place in the list. `member`, `element`: of the C struct."""

    name: str
    causality: Causality
    unit: str
    member: str
    element: int
    start: float | None = None
    tunable: bool = False  # a parameter that may change between steps
    initial: bool = False  # a number to start with: it is copied into the state where initialization ends


def variables(sim: Simulation) -> list[Variable]:
    """Time first, then inputs, parameters and outputs, in the order of the robot's file."""
    time = Variable(name="time", causality="independent", unit="s", member="", element=0)
    found = [time, *_inputs(sim), *_parameters(sim), *_starts(sim), *_outputs(sim)]
    return _named_apart(found)


def _signals(sim: Simulation, family: str) -> Iterator[Signal]:
    return (s for s in sim.signals if s.family == family)


def _inputs(sim: Simulation) -> Iterator[Variable]:
    for family, word in (("command", "command"), ("effort", "applied_effort")):
        for signal in _signals(sim, family):
            assert isinstance(signal.source, SlotElement)
            slot, element = signal.source
            yield Variable(
                name=f"{signal.name}.{word}", causality="input", unit=signal.unit, member=slot, element=element,
                start=0.0,
            )  # fmt: skip


def _parameters(sim: Simulation) -> Iterator[Variable]:
    units = sim.robot.parameters
    for i, (name, value) in enumerate(sim.parameters.items()):
        unit = units[name].unit if name in units else ""
        yield Variable(
            name=name, causality="parameter", unit=unit, member=StepSlot.PARAMETER, element=i, start=float(value),
            tunable=True,
        )  # fmt: skip


def _starts(sim: Simulation) -> Iterator[Variable]:
    """Where any number is a possible start: not in closed loops, nor of quaternions."""
    if sim.robot.tree.cuts or any(j.type.quaternion is not None for j in sim.robot.tree.joints):
        return
    for slot, word in STARTS:
        now = np.ravel(sim.batch_state.get(slot))
        for signal in _signals(sim, slot):
            if isinstance(signal.source, SlotElement):
                element = signal.source.element
                yield Variable(
                    name=f"{signal.name}.{word}", causality="parameter", unit=signal.unit, member=word,
                    element=element, start=float(now[element]), initial=True,
                )  # fmt: skip


def _outputs(sim: Simulation) -> Iterator[Variable]:
    for signal in sim.signals:
        if signal.family in LEFT_OUT or not signal.stored or signal.shape:
            continue
        if isinstance(signal.source, SlotElement):
            member, element = signal.source
        elif isinstance(signal.source, Derived) and signal.source.kernel in KERNELS:
            member, element = signal.source.output, signal.source.element
        else:
            continue
        name = signal.name if signal.family == "sensor" else f"{signal.name}.{signal.family}"
        yield Variable(name=name, causality="output", unit=signal.unit, member=member, element=element)


def _named_apart(found: Sequence[Variable]) -> list[Variable]:
    """Names of an FMU are unique: a second one gets a number."""
    taken: dict[str, int] = {}
    apart = []
    for v in found:
        taken[v.name] = taken.get(v.name, 0) + 1
        apart.append(v if taken[v.name] == 1 else replace(v, name=f"{v.name}#{taken[v.name]}"))
    return apart
