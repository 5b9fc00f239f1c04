"""Which coordinate an axis is, through which transmission an actuator acts, and where rotors are bodies.

The rules are here and nowhere else: dynamics, simulation and views ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gearwright.model.joints import AxisRef, Joint
from gearwright.model.layout.friction_states import FrictionStates, friction_states

if TYPE_CHECKING:
    from gearwright.model.actuators import Actuator
    from gearwright.model.mechanism import Mechanism
    from gearwright.model.transmissions import Transmission
    from gearwright.model.tree.topology import Tree


def coordinate_of(joint: Joint, axis: AxisRef) -> str:
    """The name of the coordinate along or about an axis: position and velocity coordinates are called the same."""
    return joint.axis_coordinates[axis.index]


def can_move(joint: Joint, axis: AxisRef) -> bool:
    """Whether couplings, transmissions, actuators and sensors can name the axis: fixed and planar joints have none."""
    return axis.index < len(joint.refs)


def rotor_name(actuator: str) -> str:
    """Link, joint and coupling of a rotor that is a body."""
    return f"{actuator}.rotor"


def rotor_axis(actuator: str) -> AxisRef:
    return AxisRef(rotor_name(actuator))


def turns_body(a: Actuator) -> bool:
    """Whether its rotor's inertia is that of a link that it turns, made by `rotors.with_rotors`."""
    return a.rotor == "body" and a.joint == rotor_axis(a.name)


def acting_transmissions(transmissions: Iterable[Transmission], joints: Mapping[str, Joint]) -> dict[str, Transmission]:
    """The transmission that each actuator acts through: the first that names it, has a map and moves something.

    Real files drive joints that they later fixed, and name a motor in several transmissions.
    """
    found: dict[str, Transmission] = {}
    for t in transmissions:
        if t.map is not None and moves(t, joints):
            found = dict.fromkeys(t.actuators, t) | found
    return found


def moves(t: Transmission, joints: Mapping[str, Joint]) -> bool:
    """Whether all of its joints have the axes that it names."""
    return all(axis.joint in joints and can_move(joints[axis.joint], axis) for axis in t.joints)


AxisIndices = tuple[int, int]  # of an axis: its indices among the tree's positions and velocities


@dataclass(frozen=True)
class CoordinateLayout:
    """The coordinates of a mechanism's tree by name and index, and the rotors that are bodies."""

    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    axes: Mapping[AxisRef, AxisIndices]
    rotors: Mapping[str, AxisRef]  # actuator → the axis of its rotor, where that is a body
    independent_positions: tuple[int, ...]  # of the tree's positions, those that follow no exact coupling
    independent_velocities: tuple[int, ...]
    actuator: Mapping[str, Mapping[str, int]]  # actuator → places of its `torque` and its states among all of theirs
    frictions: Mapping[str, FrictionStates]  # those with states, by what they are the friction of
    reacting: tuple[str, ...]  # joints of the tree, then those that close loops: the order of reactions

    def states_of(self, friction: str) -> tuple[int, ...]:
        """Places of a friction's states among those of all; none of one without."""
        return tuple(self.frictions[friction].places.values()) if friction in self.frictions else ()

    @property
    def friction_count(self) -> int:
        """States of all frictions."""
        return sum(len(f.places) for f in self.frictions.values())

    @staticmethod
    def of(mechanism: Mechanism) -> CoordinateLayout:
        positions, velocities = _names(mechanism.tree)
        at_q, at_v = ({name: i for i, name in enumerate(names)} for names in (positions, velocities))
        names = {ref: coordinate_of(j, ref) for j in mechanism.tree.joints for ref in j.refs}
        axes = {ref: (at_q[name], at_v[name]) for ref, name in names.items()}
        on_rotor = (a for a in mechanism.actuators.values() if a.joint == rotor_axis(a.name))
        following = [axes[c.follower] for c in mechanism.couplings.exact if c.follower in axes]
        free_q, free_v = (
            tuple(i for i in range(len(names)) if i not in taken)
            for names, taken in ((positions, {i for i, _ in following}), (velocities, {k for _, k in following}))
        )
        return CoordinateLayout(
            positions, velocities, axes, {a.name: rotor_axis(a.name) for a in on_rotor}, free_q, free_v,
            _actuator_places(mechanism.actuators), friction_states(mechanism),
            tuple(j.name for j in (*mechanism.tree.joints, *mechanism.tree.cuts)),
        )  # fmt: skip


def _actuator_places(actuators: Mapping[str, Actuator]) -> dict[str, dict[str, int]]:
    """The efforts of all actuators come first, then the states of each."""
    places, start = {}, len(actuators)
    for i, (name, a) in enumerate(actuators.items()):
        places[name] = {"torque": i, **{state: start + n for n, state in enumerate(a.states)}}
        start += len(a.states)
    return places


def _names(tree: Tree) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(n for j in tree.joints for n in j.positions), tuple(n for j in tree.joints for n in j.coordinates)
