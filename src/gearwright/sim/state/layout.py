"""The places of a simulation's numbers: one table from names to slots and elements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.compiler import Program
from gearwright.model import Mechanism
from gearwright.model.layout.control_places import ControlPlaces
from gearwright.model.layout.sensor_layout import SensorLayout
from gearwright.model.layout.slots import SLOTS, SlotName, StepSlot
from gearwright.sim.options import Options
from gearwright.sim.programs.kernels import StepFacts
from gearwright.sim.signals import SignalTable
from gearwright.sim.state.names import Group, Names
from gearwright.sim.state.units import Units, units_of
from gearwright.sim.state.values import Array
from gearwright.sim.state.wrenches import wrench_group

INPUTS = (StepSlot.COMMAND, StepSlot.EFFORT)  # that a controller may give
PARAMETERS = "name what is to change in gearwright.compile(parameters=(…)); robot.parameters lists what there is"
DRIVES = "declare it in gearwright.compile(drives={joint: gearwright.Drive(…)})"


def _names(robot: Mechanism) -> Names:
    """Names of coordinates; those of actuators and of joints that close loops say where they belong."""
    names = Names.of(robot)
    cut = {
        name: "closes a loop: its position follows from the others, and cannot be set or pushed; "
        "load(cut=…) cuts the loop at another joint"
        for joint in robot.tree.cuts for name in (joint.name, *joint.coordinates)
    }  # fmt: skip
    motors = {name: f"is an actuator: give it command={{{name!r}: …}}" for name in robot.actuators}
    elsewhere = {n: why for n, why in {**motors, **cut}.items() if n not in robot.joints or n in cut}
    return replace(
        names, positions=replace(names.positions, elsewhere=elsewhere),
        coordinates=replace(names.coordinates, elsewhere=elsewhere),
    )  # fmt: skip


class StateElement(NamedTuple):
    """One number of a slot, in words: its quantity, of what."""

    quantity: str
    owner: str


@dataclass(frozen=True)
class Layout:
    """Names of coordinates, devices, parameters and couplings, and where the number of each stands."""

    robot: Mechanism
    facts: StepFacts
    slots: frozenset[str]  # of the step
    names: Names
    commands: Group
    parameters: Group
    drives: Group
    wrenches: Group

    @staticmethod
    def of(robot: Mechanism, options: Options, step: Program, facts: StepFacts) -> Layout:
        pushed = {n: f"is a joint: give it effort={{{n!r}: …}}" for n in robot.joints if n not in robot.actuators}
        pushed |= {n: f"has a drive: give its target, sim.drive(position={{{n!r}: …}})" for n in options.drives}
        return Layout(
            robot=robot, facts=facts, slots=frozenset(slot.name for slot in step.slots), names=_names(robot),
            commands=Group("actuator", tuple(robot.actuators), {}, elsewhere=pushed),
            parameters=Group("parameter", options.inputs, {}, hint=PARAMETERS),
            drives=Group("drive", tuple(options.drives), {}, hint=DRIVES),
            wrenches=wrench_group(options.wrenches),
        )  # fmt: skip

    @cached_property
    def signals(self) -> SignalTable:
        """Every quantity by name, with its unit and the place where it lives."""
        return SignalTable(self)

    @cached_property
    def units(self) -> dict[str, Units]:
        """By coordinate, also of joints that close loops."""
        return units_of((*self.robot.tree.joints, *self.robot.tree.cuts))

    @property
    def commanded(self) -> bool:
        """Whether some actuator acts."""
        return StepSlot.COMMAND in self.slots

    @property
    def sensing(self) -> SensorLayout:
        return self.facts.sensing

    @cached_property
    def control(self) -> ControlPlaces | None:
        """Places of a compiled controller's numbers."""
        return None if self.facts.control is None else self.facts.control.places

    @cached_property
    def actuator_start(self) -> Array:
        """`actuator` after a reset: no efforts yet."""
        states = [x for a in self.robot.actuators.values() for x in a.initial]
        return np.array([0.0] * len(self.robot.actuators) + states)

    @cached_property
    def friction_start(self) -> Array:
        """`friction` after a reset."""
        return np.array([x for f in self.robot.layout.frictions.values() for x in f.model.initial])

    def elements(self, slot: str) -> list[StateElement]:
        """Every number of a slot in words; none of a slot whose numbers have no names."""
        found, names = SLOTS[SlotName(slot)], self.names
        if found.rates:
            own = [StateElement("velocity", names.coordinates.names[i]) for i in names.free_velocities]
            return own * sum(count for count, _ in found.size)
        if slot == StepSlot.POSITION:
            return [StateElement("position", names.positions.names[i]) for i in names.free_positions]
        if slot in (StepSlot.EFFORT, StepSlot.COMMAND, StepSlot.WRENCH):
            return [StateElement(slot, name) for name in self.group(slot).names]
        if slot == StepSlot.PARAMETER:
            return [StateElement(slot, name) for name in self.parameters.names]
        if slot == StepSlot.TARGET:
            return [StateElement(what, name) for name in self.drives.names for what in ("position", "velocity")]
        if slot == StepSlot.IMPULSE:
            return [StateElement(slot, name) for name in self.facts.rows]
        if slot == StepSlot.ACTUATOR:
            places = {
                i: StateElement(q, name) for name, own in self.robot.layout.actuator.items() for q, i in own.items()
            }
            return [places[i] for i in sorted(places)]
        if slot == StepSlot.FRICTION:
            return [StateElement(s, name) for name, own in self.robot.layout.frictions.items() for s in own.places]
        if slot == StepSlot.SENSOR:
            readings, states = self.sensing.readings, self.sensing.state
            return [
                *(StateElement("reading", name) for name in readings),
                *(StateElement("state", name) for name in states),
            ]
        return []

    def group(self, slot: str) -> Group:
        """The names of an input's elements."""
        groups: dict[str, Group] = {
            StepSlot.EFFORT: self.names.coordinates, StepSlot.COMMAND: self.commands,
            StepSlot.WRENCH: self.wrenches,
        }  # fmt: skip
        return groups[slot]

    def place(self, slot: str, i: int) -> tuple[str, int]:
        """Slot and element of the number that acts as entry i of an input: a compiled controller's commands stand
        among its own numbers."""
        return (slot, i) if self.control is None else self.control.of(slot, i)

    def controlled(self, slot: str) -> dict[int, int]:
        """Entries of an input that a compiled controller gives, and their places in `control`."""
        if self.control is None or slot not in INPUTS:
            return {}
        return dict(self.control.command if slot == StepSlot.COMMAND else self.control.effort)

    def independent(self, slot: str) -> tuple[Group, tuple[int, ...]]:
        """The tree's positions or velocities by name, and which of them are in the state."""
        names = self.names
        if slot == StepSlot.POSITION:
            return names.positions, names.free_positions
        return names.coordinates, names.free_velocities

    @cached_property
    def memory(self) -> dict[str, int]:
        """Places in `control` of a compiled controller's memory."""
        return {} if self.control is None else dict(self.control.memory)

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """Lower and upper limit of each position coordinate of the tree, then of each axis that closes a loop."""
        count = len(self.names.positions.names)
        lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
        for joint in self.robot.tree.joints:
            for name, axis in zip(joint.coordinates[joint.dof - len(joint.axes) :], joint.axes, strict=True):
                i = self.names.positions.index[name]
                lower[i], upper[i] = axis.limits.lower, axis.limits.upper
        cut = [axis.limits for joint in self.robot.tree.cuts for axis in joint.axes]
        return np.append(lower, [x.lower for x in cut]), np.append(upper, [x.upper for x in cut])

    @cached_property
    def loop_axes(self) -> tuple[str, ...]:
        """Axes of joints that close loops."""
        return tuple(name for j in self.robot.tree.cuts for name in j.coordinates[j.dof - len(j.axes) :])
