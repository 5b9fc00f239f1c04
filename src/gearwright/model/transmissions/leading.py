"""Transmissions whose joints follow their actuators: `joint = g(actuator)`, regular at the joints' dead points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.model.transmissions import CustomJointMap, Series, Transmission

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism


def leading_transmissions(mechanism: Mechanism) -> list[Transmission]:
    """Those whose joints follow their actuators: `joint = g(actuator)` is the regular direction.

    Rotors must have an inertia, which is all that moves at a dead point, and the joints must not follow anything else.
    """
    following = {c.follower for c in mechanism.couplings.exact}
    in_tree = {j.name for j in mechanism.tree.joints}
    found: list[Transmission] = []
    for t in {t.name: t for t in mechanism.acting.values()}.values():
        free = not following & set(t.joints) and all(ref.joint in in_tree for ref in t.joints)
        own = all(mechanism.acting[a] is t and mechanism.actuators[a].rotor_inertia > 0 for a in t.actuators)
        if t.map is not None and t.map.leads_joints and t.backlash is None and free and own:
            found.append(t)
            following |= set(t.joints)
    return found


def leads_only(t: Transmission) -> bool:
    """Whether its map has no closed form from joints to actuators."""
    stages = t.map.stages if isinstance(t.map, Series) else (t.map,)
    return any(isinstance(stage, CustomJointMap) for stage in stages)


def led(mechanism: Mechanism) -> set[str]:
    """Names of the transmissions that lead their joints already, by couplings."""
    named = {c.through.transmission for c in mechanism.couplings.values() if c.through is not None}
    return named & set(mechanism.transmissions)  # not rods, whose cranks are led by joints


def start_of(mechanism: Mechanism, t: Transmission) -> list[float]:
    """Where its joints stand at the start, by the file."""
    found = []
    for ref in t.joints:
        joint = mechanism.joint(ref.joint)
        q = mechanism.initial.get(ref.joint, joint.type.zero)
        found.append(float(q[joint.dof - len(joint.axes) + ref.index]))
    return found
