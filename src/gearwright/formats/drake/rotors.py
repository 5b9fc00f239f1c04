"""Drake's own elements for rotors that are reflected to a joint."""

from __future__ import annotations

from dataclasses import replace

from gearwright.formats.xml.located_xml import Element
from gearwright.model import Joint

ROTOR, RATIO = "drake:rotor_inertia", "drake:gear_ratio"


def reflected_inertia(e: Element) -> float:
    """`rotor_inertia·gear_ratio²` [kg·m², kg]: what Drake adds to the joint. Text in SDFormat, `value` in a URDF."""
    rotor, ratio = e.child(ROTOR), e.child(RATIO)
    if rotor is None:
        if ratio is not None:
            ratio.warning("element-missing", f"<{RATIO}> without <{ROTOR}>: there is no rotor to reflect")
            ratio.get("value")
        return 0.0
    inertia = _value(rotor, 0.0)
    if inertia < 0:
        rotor.error("dynamics-invalid", f"<{ROTOR}> cannot be negative ({inertia:g})")
        return 0.0
    return inertia * (1.0 if ratio is None else _value(ratio, 1.0)) ** 2


def _value(e: Element, default: float) -> float:
    written = e.get("value")
    return e.as_number(e.text if written is None else written, f"<{e.tag}>", default, False)


def with_rotor(joint: Joint, e: Element) -> Joint:
    """The joint with the rotor that the element describes added along its axis.

    An effort limit of zero means that there is no motor, in Drake: then there is no rotor either.
    """
    inertia = reflected_inertia(e)
    if not inertia:
        return joint
    if len(joint.axes) != 1 or joint.dof != 1:
        e.warning(
            "element-ignored", f"<{ROTOR}>: joint {joint.name!r} is {joint.kind}, and has no single axis for a rotor"
        )
        return joint
    axis = joint.axes[0]
    if axis.limits.effort == 0:
        e.info("element-ignored", f"<{ROTOR}>: joint {joint.name!r} has an effort limit of 0, so it has no motor")
        return joint
    dynamics = replace(axis.dynamics, armature=axis.dynamics.armature + inertia)
    return replace(joint, axes=(replace(axis, dynamics=dynamics),))
