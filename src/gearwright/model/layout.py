"""Which coordinate an axis is, through which transmission an actuator acts, and where rotors are bodies.

The rules are here and nowhere else: dynamics, simulation and views ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NewType

from gearwright.model.joints import AxisRef, Joint

if TYPE_CHECKING:
    from gearwright.model.actuators import Actuator
    from gearwright.model.mechanism import Mechanism
    from gearwright.model.topology import Tree
    from gearwright.model.transmissions import Transmission


SlotName = NewType("SlotName", str)  # of a slot: not any text


class StepSlot:
    """Slots of a step that several layers name: dynamics fills them, simulation, hardware and export use them.

    `SLOT_MEANINGS` has a sentence about each that lasts.
    """

    POSITION = SlotName("position")
    VELOCITY = SlotName("velocity")
    MEAN_VELOCITY = SlotName("mean_velocity")
    MISSED = SlotName("missed")
    SMOOTH = SlotName("smooth")
    IMPULSE = SlotName("impulse")
    PIECE = SlotName("piece")
    PARTS = SlotName("parts")
    UNSETTLED = SlotName("unsettled")
    ACTUATOR = SlotName("actuator")
    SENSOR = SlotName("sensor")
    PHASE = SlotName("phase")
    CLOCK = SlotName("clock")
    CONTROL = SlotName("control")
    MASS = SlotName("mass")
    FACTORS = SlotName("factors")
    FRESH = SlotName("fresh")
    EFFORT = SlotName("effort")
    WRENCH = SlotName("wrench")
    COMMAND = SlotName("command")
    TARGET = SlotName("target")
    PARAMETER = SlotName("parameter")
    DT = SlotName("dt")

    # of questions about an instant
    TREE_POSITION = SlotName("tree_position")
    TREE_VELOCITY = SlotName("tree_velocity")
    ACCELERATION = SlotName("acceleration")


SLOT_MEANINGS: dict[SlotName, str] = {
    StepSlot.POSITION: "independent positions [rad, m]",
    StepSlot.VELOCITY: "independent velocities [rad/s, m/s]",
    StepSlot.MEAN_VELOCITY: "velocities of the last step, from which the next one's are guessed [rad/s, m/s]",
    StepSlot.MISSED: "by how much that guess was wrong in the last step, then in the one before [rad/s, m/s]",
    StepSlot.SMOOTH: "steps without a kink, up to two: then what the last two missed corrects the guess",
    StepSlot.PARTS: "parts beside the first that a step is made in, steps since then, and how long they stay",
    StepSlot.IMPULSE: "where the solver starts from in the next step",
    StepSlot.PIECE: "of each force law, the piece that it was on at the end of the last step",
    StepSlot.UNSETTLED: "number of steps whose laws or passes did not settle",
    StepSlot.ACTUATOR: "efforts of the last step [N m, N], then the actuators' own states",
    StepSlot.SENSOR: "readings, then the sensors' own states",
    StepSlot.PHASE: "0 in a step that asks the controller",
    StepSlot.CLOCK: "steps made, and the time that they are counted from [s]",
    StepSlot.CONTROL: "the controller's commands, then its memory",
    StepSlot.MASS: "mass matrix at the position, kept for the next step",
    StepSlot.FACTORS: "its factors, kept for the next step",
    StepSlot.FRESH: "set it to 0 after writing states or parameters: what follows from them is then made again",
    StepSlot.EFFORT: "efforts from outside along the coordinates [N m, N]; held until changed",
    StepSlot.WRENCH: "forces [N] and torques [N m] on links; held until changed",
    StepSlot.COMMAND: "commands to the actuators, in the unit of each; held until changed",
    StepSlot.TARGET: "position and velocity that each drive is to reach; held until changed",
    StepSlot.PARAMETER: "numbers of the robot that were made inputs",
    StepSlot.DT: "length of a step [s]",
}


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
class Layout:
    """The coordinates of a mechanism's tree by name and index, and the rotors that are bodies."""

    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    axes: Mapping[AxisRef, AxisIndices]
    rotors: Mapping[str, AxisRef]  # actuator → the axis of its rotor, where that is a body

    @staticmethod
    def of(mechanism: Mechanism) -> Layout:
        positions, velocities = _names(mechanism.tree)
        at_q, at_v = ({name: i for i, name in enumerate(names)} for names in (positions, velocities))
        names = {ref: coordinate_of(j, ref) for j in mechanism.tree.joints for ref in j.refs}
        axes = {ref: (at_q[name], at_v[name]) for ref, name in names.items()}
        on_rotor = (a for a in mechanism.actuators.values() if a.joint == rotor_axis(a.name))
        return Layout(positions, velocities, axes, {a.name: rotor_axis(a.name) for a in on_rotor})


def _names(tree: Tree) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(n for j in tree.joints for n in j.positions), tuple(n for j in tree.joints for n in j.coordinates)
