"""The schema of a simulation's recordings, and the kernels that compute what follows from recorded slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gearwright.compiler import SlotKind
from gearwright.errors import UnknownNameError
from gearwright.model.layout import coordinate_of
from gearwright.model.slots import StepSlot
from gearwright.sim.kernels import Kernels
from gearwright.sim.layout import INPUTS, Layout
from gearwright.sim.names import units_of
from gearwright.sim.observed import reacting
from gearwright.sim.recorded_scene import model_file, scene, signal_limits
from gearwright.sim.recordings.schema import TIME, Derived, Schema, Signal, SlotElement, Total
from gearwright.sim.units import actuator_units, reading_unit, state_units
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

ON_REQUEST = ("reaction", "coupling_effort", "acceleration")  # families that files hold only when asked for
ALWAYS = ("command", "effort", "coupling_error")  # that may be asked for, too
MOTIONS = ("position", "velocity", "effort")  # in the order of a coordinate's units
KINETIC, POTENTIAL = Derived("energy", "kinetic", 0), Derived("energy", "potential", 0)
ENERGIES: dict[str, Derived | Total] = {
    "energy": Total((KINETIC, POTENTIAL)),
    "kinetic_energy": KINETIC,
    "potential_energy": POTENTIAL,
}


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
    asked = (record,) if isinstance(record, str) else tuple(record)
    for family in asked:
        if family not in (*ON_REQUEST, *ALWAYS):
            raise UnknownNameError("quantity to record", family, (*ON_REQUEST, *ALWAYS))
    signals = sim.schema.signals
    if asked:
        signals = tuple(replace(s, stored=True) if s.family in asked else s for s in signals)
    return replace(sim.schema, every=every, start=sim.clock.start, first_step=sim.clock.steps, signals=signals)


def simulation_schema(sim: Simulation) -> Schema:
    """All signals of a simulation."""
    layout = sim.layout
    names, aliases = layout.couplings
    signals = (
        TIME, *_motions(layout), *_accelerations(layout), *_actuators(layout), *_sensors(layout),
        *_couplings(layout, names), *_reactions(layout), *_energies(), _unsettled(sim), *_loop_joints(layout),
        *_tables(layout), *_memories(layout),
    )  # fmt: skip
    kinds = {s.family: "actuator" for s in signals} | dict.fromkeys(MOTIONS, "joint")
    kinds |= {"coupling_error": "coupling", "sensor": "sensor", "memory": "memory", "": "signal", "reaction": "joint"}
    kinds |= {"acceleration": "joint", "coupling_effort": "coupling"}
    kinds |= {"loop_position": "joint", "loop_velocity": "joint", "table": "table"}
    members = {family: _members(layout, family) for family in MOTIONS}
    members |= {f"loop_{m}": _loop_members(layout, m) for m in ("position", "velocity")}
    members |= {
        "acceleration": members["velocity"],
        "coupling_effort": aliases,
        "coupling_error": aliases,
        "sensor": layout.devices.readings[1],
    }
    return Schema(
        robot=sim.robot.name, batch=sim.batch, dt=sim.dt, signals=signals, members=members, kinds=kinds,
        tables=_table_rows(layout), scene=tuple(scene(sim.robot)), limits=signal_limits(sim.robot),
        followers=tuple(_follower(layout, name) for name in sim.robot.couplings),
        file=model_file(sim.robot), base=next((j.kind for j in sim.robot.bases.values()), ""),
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
                source = SlotElement(*layout.place(StepSlot.EFFORT, i))
            elif i in places:
                source = SlotElement(family, places[i])
            else:
                source = Derived("tree", f"tree_{family}", i)
            yield Signal(family=family, name=name, unit=units[name][part], source=source)


def _accelerations(layout: Layout) -> Iterator[Signal]:
    units = layout.names.units
    for i, name in enumerate(layout.names.coordinates.names):
        source = Derived("observation", "tree_acceleration", i)
        yield Signal(family="acceleration", name=name, unit=f"{units[name][1]}²", source=source, stored=False)


def _actuators(layout: Layout) -> Iterator[Signal]:
    """Commands, efforts, shafts and states of actuators."""
    if not layout.commanded:
        return
    memory = layout.devices.memory
    units = {name: actuator_units(layout.robot, name) for name in memory}
    for i, name in enumerate(memory):
        source = SlotElement(*layout.place(StepSlot.COMMAND, i))
        yield Signal(family="command", name=name, unit=units[name]["command"], source=source)
    for i, name in enumerate(memory):
        yield Signal(family="torque", name=name, unit=units[name]["torque"], source=SlotElement(StepSlot.ACTUATOR, i))
    for quantity in ("position", "velocity"):
        family = f"shaft_{quantity}"  # joints have positions, too
        for i, name in enumerate(memory):
            yield Signal(family=family, name=name, unit=units[name][quantity], source=Derived("shafts", family, i))
    for name, places in memory.items():
        given = state_units(layout.robot, name)
        for state, place in places.items():
            if state != "torque":
                source = SlotElement(StepSlot.ACTUATOR, place)
                yield Signal(family=f"actuator.{state}", name=name, unit=given.get(state, ""), source=source)


def _sensors(layout: Layout) -> Iterator[Signal]:
    places, several = layout.devices.readings
    units = dict.fromkeys(places, "0/1")  # of marks
    for sensor in layout.robot.sensors:
        own = several.get(sensor, (sensor,))
        units |= {reading: reading_unit(layout.robot, sensor, i) for i, reading in enumerate(own)}
    for name, place in places.items():
        yield Signal(family="sensor", name=name, unit=units[name], source=SlotElement(StepSlot.SENSOR, place))


def _couplings(layout: Layout, names: Sequence[str]) -> Iterator[Signal]:
    for i, name in enumerate(names):
        unit = layout.names.units[_follower(layout, name)][0]
        yield Signal(family="coupling_error", name=name, unit=unit, source=Derived("tree", "coupling_error", i))
    for i, name in enumerate(names):
        unit = layout.names.units[_follower(layout, name)][2]
        source = Derived("observation", "coupling_effort", i)
        yield Signal(family="coupling_effort", name=name, unit=unit, source=source, stored=False)


def _follower(layout: Layout, coupling: str) -> str:
    follower = layout.robot.couplings[coupling].follower
    return coordinate_of(layout.robot.joint(follower.joint), follower)


def _energies() -> Iterator[Signal]:
    for name, source in ENERGIES.items():
        yield Signal(family="", name=name, unit="J", source=source)


def _memories(layout: Layout) -> Iterator[Signal]:
    for name, place in layout.memory.items():
        yield Signal(family="memory", name=name, unit="", source=SlotElement(StepSlot.CONTROL, place), stored=False)


def _reactions(layout: Layout) -> Iterator[Signal]:
    """Six signals a joint, `joint.fx` … `joint.tz`."""
    for i, joint in enumerate(reacting(layout.robot)):
        for k, (part, unit) in enumerate((*((f"f{x}", "N") for x in "xyz"), *((f"t{x}", "N·m") for x in "xyz"))):
            source = Derived("reaction", "reaction", 6 * i + k)
            yield Signal(family="reaction", name=f"{joint}.{part}", unit=unit, source=source, stored=False)


def _unsettled(sim: Simulation) -> Signal:
    counted = StepSlot.UNSETTLED in sim.batch_state.parts
    source: SlotElement | Total = SlotElement(StepSlot.UNSETTLED, 0) if counted else Total(())
    return Signal(family="", name="unsettled", unit="", source=source)


def _loop_members(layout: Layout, quantity: str) -> dict[str, tuple[str, ...]]:
    """Coordinates of joints that close loops, by joint."""
    cuts = layout.robot.tree.cuts
    each = {j.name: j.positions if quantity == "position" else j.coordinates for j in cuts}
    return {joint: own for joint, own in each.items() if own != (joint,)}


def _loop_joints(layout: Layout) -> Iterator[Signal]:
    """Positions and velocities of joints that close loops: families of their own, since they cannot be given."""
    units = units_of(layout.robot.tree.cuts)
    for part, quantity in enumerate(("position", "velocity")):
        names = [n for j in layout.robot.tree.cuts for n in (j.positions if not part else j.coordinates)]
        for i, name in enumerate(names):
            source = Derived("cut_joints", f"cut_{quantity}", i)
            yield Signal(family=f"loop_{quantity}", name=name, unit=units[name][part], source=source)


def _table_rows(layout: Layout) -> dict[str, tuple[str, ...]]:
    """Quantities of six numbers a row, and the names of their rows."""
    links = tuple(layout.robot.links)
    return {"reaction": reacting(layout.robot), "link_velocity": links, "link_acceleration": links, "link_pose": links}


def _tables(layout: Layout) -> Iterator[Signal]:
    for name, rows in _table_rows(layout).items():
        pose = name == "link_pose"  # a rotation matrix row by row, and the origin
        source = Derived("link_poses", "poses", 0) if pose else Derived(name, name, 0)
        shape = (len(rows), 12 if pose else 6)
        yield Signal(family="table", name=name, unit="", source=source, shape=shape, stored=False)
