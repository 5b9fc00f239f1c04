"""The mappings of a simulation: one row each, from its name to what reads it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.model import Mechanism, in_order
from gearwright.sim import observed
from gearwright.sim.devices import actuator_views
from gearwright.sim.names import Group
from gearwright.sim.values import Also, Array, Read, Value, Values, reader

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def _members(group: Group) -> dict[str, tuple[str, ...]]:
    return {joint: tuple(group.names[i] for i in own) for joint, own in group.joints.items()}


def _from_state(sim: Simulation, group: Group, slot: str, free: tuple[int, ...]) -> Values:
    """Independent numbers straight from the state, followers from the tree's kinematics."""
    reads: dict[str, Read] = {}
    place = {i: n for n, i in enumerate(free)}
    for i, name in enumerate(group.names):
        reads[name] = reader(sim._instance, slot, place[i]) if i in place else _Late(sim, "tree", f"tree_{slot}", i)
    return Values(group.kind, reads, _members(group))


class _Late:
    """Reads through a kernel that is compiled when it is first needed."""

    def __init__(self, *what: Any) -> None:
        self._what, self._read = what, self._first

    def __call__(self) -> Value:
        return self._read()

    def _first(self) -> Value:
        sim, kernel, slot, element = self._what
        probe = sim._probe(kernel)
        self._read = reader(probe.instance, slot, element, probe.refresh)
        return self._read()


def _position(sim: Simulation) -> Values:
    values = _from_state(sim, sim._names.positions, "position", sim._names.free_positions)
    return observed.with_loop_joints(values, sim.robot, "position", partial(_Late, sim))


def _velocity(sim: Simulation) -> Values:
    values = _from_state(sim, sim._names.coordinates, "velocity", sim._names.free_velocities)
    return observed.with_loop_joints(values, sim.robot, "velocity", partial(_Late, sim))


def _reaction(sim: Simulation) -> Values:
    return observed.reactions(sim.robot, partial(_table, sim))


def _link_motion(kernel: str, sim: Simulation) -> Values:
    return observed.link_motion(sim.robot, partial(_table, sim), kernel)


def _table(sim: Simulation, kernel: str, output: str) -> Array:
    return sim._probe(kernel).output(output)


def _effort(sim: Simulation) -> Values:
    group = sim._names.coordinates
    reads = {name: reader(sim._instance, *sim._place("effort", i)) for i, name in enumerate(group.names)}
    return Values(group.kind, reads, _members(group))


def _acceleration(sim: Simulation) -> Values:
    group = sim._names.coordinates
    probe = sim._probe("observation")
    reads = {n: reader(probe.instance, "tree_acceleration", i, probe.refresh) for i, n in enumerate(group.names)}
    return Values(group.kind, reads, _members(group))


def coupling_names(robot: Mechanism) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The couplings in the order of the equations, and the second names that they answer to."""
    couplings = robot.couplings
    names = [c.name for c in in_order(couplings.values())]
    also = {c.alias: (couplings[c.alias].name,) for c in couplings.values() if c.alias is not None}
    return names, {alias: name for alias, name in also.items() if alias not in names}


def _coupling(kernel: str, slot: str, sim: Simulation) -> Values:
    names, also = coupling_names(sim.robot)
    probe = sim._probe(kernel)
    reads = {name: reader(probe.instance, slot, i, probe.refresh) for i, name in enumerate(names)}
    return Also("coupling", reads, also)


def _pose(sim: Simulation) -> Values:
    names = list(sim.robot.links)
    return Values("link", {name: partial(_link_pose, sim, i) for i, name in enumerate(names)}, {})


def _link_pose(sim: Simulation, link: int) -> Array:
    flat = sim._probe("link_poses").output("poses")[..., link, :]
    X = np.zeros((*flat.shape[:-1], 4, 4))
    X[..., :3, :3] = flat[..., :9].reshape(*flat.shape[:-1], 3, 3)
    X[..., :3, 3] = flat[..., 9:]
    X[..., 3, 3] = 1.0
    return X


def parameter_group(sim: Simulation) -> Group:
    return Group("parameter", sim.options.inputs, {})


def _parameters(sim: Simulation) -> Values:
    reads = {name: reader(sim._instance, "parameter", i) for i, name in enumerate(sim.options.inputs)}
    return Values("parameter", reads, {})


def _sensor(sim: Simulation) -> Values:
    places, several = sim._devices.readings
    return Values("sensor", {name: reader(sim._instance, "sensor", i) for name, i in places.items()}, several)


def _actuator(sim: Simulation) -> Values:
    if not sim._commanded:
        return Values("actuator", {}, {})

    def slot(name: str, i: int) -> Read:
        return reader(sim._instance, *sim._place(name, i))

    return Values("actuator", actuator_views(sim._devices, slot, partial(_Late, sim, "shafts")), {})


def _memory(sim: Simulation) -> Values:
    places = {} if sim._control is None else sim._control.places.memory
    return Values("memory", {name: reader(sim._instance, "control", i) for name, i in places.items()}, {})


def coordinate(sim: Simulation, name: str) -> int:
    """The index of a single velocity coordinate."""
    group = sim._names.coordinates
    if name not in group.index:
        raise group.unknown(name)
    return group.index[name]


VIEWS: dict[str, Callable[[Simulation], Values]] = {
    "position": _position,
    "velocity": _velocity,
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
}
