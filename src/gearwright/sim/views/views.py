"""The mappings of a simulation: one row each, from its name to what reads it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state.devices import actuator_views
from gearwright.sim.state.names import Group
from gearwright.sim.state.values import AliasedValues, Array, Read, Values
from gearwright.sim.views import observed
from gearwright.sim.views.spatial_values import link_motion, reactions

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def _members(group: Group) -> dict[str, tuple[str, ...]]:
    return {joint: tuple(group.names[i] for i in own) for joint, own in group.joints.items()}


def _reader(sim: Simulation, slot: str, element: int) -> Read:
    read: Read = sim.batch_state.slot(slot).reader(element)
    return read


def _from_state(slot: str, sim: Simulation) -> Values:
    """Independent numbers straight from the state, followers from the tree's kinematics."""
    group, free = sim.layout.independent(slot)
    reads: dict[str, Read] = {}
    place = {i: n for n, i in enumerate(free)}
    for i, name in enumerate(group.names):
        in_state = i in place
        reads[name] = _reader(sim, slot, place[i]) if in_state else sim.probes.reader("tree", f"tree_{slot}", i)
    values = Values(group.kind, reads, _members(group))
    return observed.with_loop_joints(values, sim.robot, slot, sim.probes.reader)


def _reaction(sim: Simulation) -> Values:
    return reactions(sim.robot.layout.reacting, partial(_table, sim))


def _link_motion(quantity: str, sim: Simulation) -> Values:
    return link_motion(tuple(sim.robot.links), partial(_table, sim), quantity)


def _table(sim: Simulation, quantity: str) -> Array:
    return sim.probes[quantity].output(quantity)


def _effort(sim: Simulation) -> Values:
    group = sim.layout.names.coordinates
    reads = {name: _reader(sim, *sim.layout.place(StepSlot.EFFORT, i)) for i, name in enumerate(group.names)}
    reason = "it cannot be pushed; sim.reaction has the force and torque in it"
    return observed.without_loop_joints(Values(group.kind, reads, _members(group)), sim.robot, reason)


def _acceleration(sim: Simulation) -> Values:
    group = sim.layout.names.coordinates
    reads = {n: sim.probes.reader("observation", "tree_acceleration", i) for i, n in enumerate(group.names)}
    reason = "its acceleration is not computed; sim.link_acceleration has those of its two links"
    return observed.without_loop_joints(Values(group.kind, reads, _members(group)), sim.robot, reason)


def _coupling(kernel: str, slot: str, sim: Simulation) -> Values:
    names, aliases = sim.layout.couplings
    reads = {n: sim.probes.reader(kernel, slot, i) for i, n in enumerate(names)}
    return AliasedValues("coupling", reads, aliases, sim.robot.contradicted)


def _pose(sim: Simulation) -> Values:
    names = list(sim.robot.links)
    return Values("link", {name: partial(_link_pose, sim, i) for i, name in enumerate(names)}, {})


def _link_pose(sim: Simulation, link: int) -> Array:
    flat = sim.probes["link_poses"].output("poses")[..., link, :]
    X = np.zeros((*flat.shape[:-1], 4, 4))
    X[..., :3, :3] = flat[..., :9].reshape(*flat.shape[:-1], 3, 3)
    X[..., :3, 3] = flat[..., 9:]
    X[..., 3, 3] = 1.0
    return X


def _parameters(sim: Simulation) -> Values:
    reads = {name: _reader(sim, StepSlot.PARAMETER, i) for i, name in enumerate(sim.options.inputs)}
    return Values("parameter", reads, {})


def _sensor(sim: Simulation) -> Values:
    places, several = sim.layout.devices.readings
    return Values("sensor", {name: _reader(sim, StepSlot.SENSOR, i) for name, i in places.items()}, several)


def _actuator(sim: Simulation) -> Values:
    if not sim.layout.commanded:
        return Values("actuator", {}, {})

    def slot(name: str, i: int) -> Read:
        return _reader(sim, *sim.layout.place(name, i))

    return Values("actuator", actuator_views(sim.layout.devices, slot, partial(sim.probes.reader, "shafts")), {})


def _memory(sim: Simulation) -> Values:
    return Values("memory", {name: _reader(sim, StepSlot.CONTROL, i) for name, i in sim.layout.memory.items()}, {})


def _energy(sim: Simulation) -> Values:
    reads = {name: sim.probes.reader("energy", name, 0) for name in ("kinetic", "potential")}
    return Values("energy", reads, {})


def coordinate(sim: Simulation, name: str) -> int:
    """The index of a single velocity coordinate."""
    group = sim.layout.names.coordinates
    if name not in group.index:
        raise group.unknown(name)
    return group.index[name]


VIEWS: dict[str, Callable[[Simulation], Values]] = {
    "position": partial(_from_state, StepSlot.POSITION),
    "velocity": partial(_from_state, StepSlot.VELOCITY),
    "acceleration": _acceleration,
    "effort": _effort,
    "coupling_error": partial(_coupling, "tree", "coupling_error"),
    "coupling_effort": partial(_coupling, "observation", "coupling_effort"),
    "pose": _pose,
    "reaction": _reaction,
    "link_velocity": partial(_link_motion, "link_velocity"),
    "link_acceleration": partial(_link_motion, "link_acceleration"),
    "parameters": _parameters,
    "sensor": _sensor,
    "actuator": _actuator,
    "memory": _memory,
    "energy": _energy,
}
