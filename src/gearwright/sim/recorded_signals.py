"""The schema of a simulation's recordings, and the kernels that compute what follows from recorded slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gearwright.compiler import Kind
from gearwright.model import Mechanism
from gearwright.sim.kernels import Kernels
from gearwright.sim.layout import Layout
from gearwright.sim.options import Options
from gearwright.sim.recordings.schema import TIME, Derived, Schema, Signal, SlotElement, Total
from gearwright.sim.units import actuator_units, reading_unit
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

MOTIONS = ("position", "velocity", "effort")  # in the order of a coordinate's units
KINETIC, POTENTIAL = Derived("energy", "kinetic", 0), Derived("energy", "potential", 0)
ENERGIES: dict[str, Derived | Total] = {
    "energy": Total((KINETIC, POTENTIAL)),
    "kinetic_energy": KINETIC,
    "potential_energy": POTENTIAL,
}


class KernelEvaluator:
    """Evaluates kernels of a robot. Pickled without code, which is compiled again or comes from the cache."""

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels

    def inputs(self, kernel: str) -> Sequence[str]:
        return [slot.name for slot in self._kernels[kernel].program.of_kind(Kind.INPUT)]

    def evaluate(self, kernel: str, slots: Mapping[str, Array]) -> Mapping[str, Array]:
        return self._kernels[kernel].evaluate(slots)

    def __reduce__(self) -> tuple[Any, ...]:
        return _evaluator, (self._kernels.robot, self._kernels.options)


def _evaluator(robot: Mechanism, options: Options) -> KernelEvaluator:
    return KernelEvaluator(Kernels(robot, options))


def run_schema(sim: Simulation, every: int) -> Schema:
    """The signals of a run that begins now, with a row after every `every`-th step."""
    return replace(sim.schema, every=every, start=sim.clock.start, first_step=sim.clock.steps)


def simulation_schema(sim: Simulation) -> Schema:
    """All signals of a simulation."""
    layout = sim.layout
    names, aliases = layout.couplings
    signals = (
        TIME, *_motions(layout), *_actuators(layout), *_sensors(layout), *_couplings(layout, names), *_energies(),
        *_memories(layout),
    )  # fmt: skip
    kinds = {s.family: "actuator" for s in signals} | dict.fromkeys(MOTIONS, "joint")
    kinds |= {"coupling_error": "coupling", "sensor": "sensor", "memory": "memory", "": "signal"}
    members = {family: _members(layout, family) for family in MOTIONS}
    members |= {"coupling_error": aliases, "sensor": layout.devices.readings[1]}
    return Schema(
        robot=sim.robot.name, batch=sim.batch, dt=sim.dt, signals=signals, members=members, kinds=kinds,
        followers=tuple(_follower(layout, name) for name in sim.robot.couplings),
    )  # fmt: skip


def _members(layout: Layout, family: str) -> dict[str, tuple[str, ...]]:
    group = layout.names.positions if family == "position" else layout.names.coordinates
    return {joint: tuple(group.names[i] for i in own) for joint, own in group.joints.items()}


def _motions(layout: Layout) -> Iterator[Signal]:
    """Positions and velocities, those of followers computed, and efforts."""
    units = layout.names.units
    for part, family in enumerate(MOTIONS):
        group, free = layout.independent(family)
        places = {i: n for n, i in enumerate(free)}
        for i, name in enumerate(group.names):
            source: SlotElement | Derived
            if family == "effort":
                source = SlotElement(*layout.place("effort", i))
            elif i in places:
                source = SlotElement(family, places[i])
            else:
                source = Derived("tree", f"tree_{family}", i)
            yield Signal(family=family, name=name, unit=units[name][part], source=source)


def _actuators(layout: Layout) -> Iterator[Signal]:
    """Commands, efforts and shafts of actuators; their states are read by name, and not in files."""
    if not layout.commanded:
        return
    memory = layout.devices.memory
    units = {name: actuator_units(layout.robot, name) for name in memory}
    for i, name in enumerate(memory):
        source = SlotElement(*layout.place("command", i))
        yield Signal(family="command", name=name, unit=units[name]["command"], source=source)
    for i, name in enumerate(memory):
        yield Signal(family="torque", name=name, unit=units[name]["torque"], source=SlotElement("actuator", i))
    for quantity in ("position", "velocity"):
        family = f"shaft_{quantity}"  # joints have positions, too
        for i, name in enumerate(memory):
            yield Signal(family=family, name=name, unit=units[name][quantity], source=Derived("shafts", family, i))
    for name, places in memory.items():
        for state, place in places.items():
            if state != "torque":
                source = SlotElement("actuator", place)
                yield Signal(family=f"actuator.{state}", name=name, unit="", source=source, stored=False)


def _sensors(layout: Layout) -> Iterator[Signal]:
    places, several = layout.devices.readings
    units = dict.fromkeys(places, "0/1")  # of marks
    for sensor in layout.robot.sensors:
        own = several.get(sensor, (sensor,))
        units |= {reading: reading_unit(layout.robot, sensor, i) for i, reading in enumerate(own)}
    for name, place in places.items():
        yield Signal(family="sensor", name=name, unit=units[name], source=SlotElement("sensor", place))


def _couplings(layout: Layout, names: Sequence[str]) -> Iterator[Signal]:
    for i, name in enumerate(names):
        unit = layout.names.units[_follower(layout, name)][0]
        yield Signal(family="coupling_error", name=name, unit=unit, source=Derived("tree", "coupling_error", i))


def _follower(layout: Layout, coupling: str) -> str:
    follower = layout.robot.couplings[coupling].follower
    return layout.robot.joint(follower.joint).coordinates[follower.index]


def _energies() -> Iterator[Signal]:
    for name, source in ENERGIES.items():
        yield Signal(family="", name=name, unit="J", source=source)


def _memories(layout: Layout) -> Iterator[Signal]:
    for name, place in layout.memory.items():
        yield Signal(family="memory", name=name, unit="", source=SlotElement("control", place), stored=False)
