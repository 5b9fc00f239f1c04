"""The schema of a simulation's recordings, and the kernels that compute what follows from recorded slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gearwright.compiler import SlotKind
from gearwright.errors import UnknownNameError
from gearwright.given_names import checked_names
from gearwright.model.layout.layout import coordinate_of
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.programs.kernels import Kernels
from gearwright.sim.recorder.recorded_scene import model_file, scene, signal_limits
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import FAMILIES, TIME, kind
from gearwright.sim.state.layout import INPUTS
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

ON_REQUEST = ("reaction", "coupling_effort", "acceleration")  # families that files hold only when asked for
ALWAYS = ("command", "effort", "coupling_error")  # that may be asked for, too


class KernelEvaluator:
    """Evaluates kernels of a robot."""

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels
        control = kernels.facts.control
        self._places = None if control is None else control.places

    def inputs(self, kernel: str) -> Sequence[str]:
        names = [slot.name for slot in self._kernels[kernel].program.of_kind(SlotKind.INPUT)]
        given = self._places is not None and any(name in INPUTS for name in names)
        return [*names, StepSlot.CONTROL] if given and StepSlot.CONTROL not in names else names

    def evaluate(self, kernel: str, slots: Mapping[str, Array]) -> Mapping[str, Array]:
        """With a compiled controller's commands in the place of inputs."""
        values = dict(slots)
        for name in INPUTS if self._places is not None else ():
            for i, place in getattr(self._places, name).items() if name in values else ():
                values[name][:, i] = slots[StepSlot.CONTROL][:, place]
        needed = {slot.name for slot in self._kernels[kernel].program.of_kind(SlotKind.INPUT)}
        found = self._kernels[kernel].evaluate({name: x for name, x in values.items() if name in needed})
        return {name: x.reshape(len(x), -1) for name, x in found.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelEvaluator, (self._kernels,)


def run_schema(sim: Simulation, every: int, record: Sequence[str] = ()) -> Schema:
    """The signals of a run that begins now, with a row after every `every`-th step. `record`: families that files have
    beside the usual."""
    asked = checked_names("run(record=…)", record)
    for family in asked:
        if family not in (*ON_REQUEST, *ALWAYS):
            raise UnknownNameError("quantity to record", family, (*ON_REQUEST, *ALWAYS))
    signals = sim.schema.signals
    if asked:
        signals = tuple(replace(s, stored=True) if s.family in asked else s for s in signals)
    return replace(sim.schema, every=every, start=sim.clock.start, first_step=sim.clock.steps, signals=signals)


def simulation_schema(sim: Simulation) -> Schema:
    """All signals of a simulation."""
    table, robot = sim.signals, sim.robot
    signals = (TIME, *table)
    tables = table.family("table").groups
    return Schema(
        robot=robot.name, batch=sim.batch, dt=sim.dt, signals=signals, tables=tables,
        members={f: table.family(f).groups for f in FAMILIES if f != "table"},
        kinds={f: kind(f) for f in (*FAMILIES, *(s.family for s in signals))},
        scene=tuple(scene(robot)), limits=signal_limits(robot),
        followers=tuple(coordinate_of(robot.joint(c.follower.joint), c.follower) for c in robot.couplings.values()),
        file=model_file(robot), base=next((j.kind for j in robot.bases.values()), ""),
    )  # fmt: skip
