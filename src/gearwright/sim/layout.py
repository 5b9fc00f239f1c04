"""The places of a simulation's numbers: one table from names to slots and elements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gearwright.compiler import Program
from gearwright.model import Mechanism, in_order
from gearwright.model.control_places import ControlPlaces
from gearwright.model.slots import StepSlot
from gearwright.sim.devices import Devices
from gearwright.sim.kernels import StepFacts
from gearwright.sim.names import Group, Names
from gearwright.sim.options import Options
from gearwright.sim.values import Array
from gearwright.sim.wrenches import wrench_group

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


@dataclass(frozen=True)
class Layout:
    """Names of coordinates, devices, parameters and couplings, and where the number of each stands."""

    robot: Mechanism
    names: Names
    devices: Devices
    parameters: Group
    drives: Group
    wrenches: Group
    commanded: bool  # whether some actuator acts
    control: ControlPlaces | None  # of a compiled controller

    @staticmethod
    def of(robot: Mechanism, options: Options, step: Program, facts: StepFacts) -> Layout:
        return Layout(
            robot=robot, names=_names(robot), devices=Devices(robot, options.drives, facts.sensing),
            parameters=Group("parameter", options.inputs, {}, hint=PARAMETERS),
            drives=Group("drive", tuple(options.drives), {}, hint=DRIVES),
            wrenches=wrench_group(options.wrenches),
            commanded=any(slot.name == StepSlot.COMMAND for slot in step.slots),
            control=None if facts.control is None else facts.control.places,
        )  # fmt: skip

    def group(self, slot: str) -> Group:
        """The names of an input's elements."""
        groups: dict[str, Group] = {
            StepSlot.EFFORT: self.names.coordinates, StepSlot.COMMAND: self.devices.commands,
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
    def couplings(self) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
        """Couplings in the order of the equations, and the second names that they answer to."""
        couplings = self.robot.couplings
        names = tuple(c.name for c in in_order(couplings.values()))
        aliases = {c.alias: (couplings[c.alias].name,) for c in couplings.values() if c.alias is not None}
        return names, {alias: name for alias, name in aliases.items() if alias not in names}

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
