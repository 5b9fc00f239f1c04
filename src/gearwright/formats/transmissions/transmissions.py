"""<transmission> in all its spellings: ROS 1, ros2_control, and the actuation elements of a model.

They differ in the place of names and numbers, not in meaning, so one reader handles all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from gearwright.errors import ModelError
from gearwright.formats.draft import Draft
from gearwright.formats.drake.rotors import ROTOR, with_rotor
from gearwright.formats.parts.axis_names import axis_ref
from gearwright.formats.parts.device_tags import read_device
from gearwright.formats.parts.frictions import friction_model
from gearwright.formats.transmissions.kinds import (
    Dialect,
    MapRefusedError,
    TransmissionEnd,
    TransmissionParts,
    is_known,
    made,
    names,
    thread_losses,
)
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.xml.from_fields import missing_from, values_of
from gearwright.formats.xml.located_xml import Element
from gearwright.model import Actuator, Backlash, ElectricMotor, Losses, Transmission, TransmissionMap
from gearwright.model.fields import meanings
from gearwright.model.transmissions import ElasticGear, efficiency_only

_T = TypeVar("_T")
ROS_NAMES = {
    "SimpleTransmission": "simple",
    "DifferentialTransmission": "differential",
    "FourBarLinkageTransmission": "four_bar",
}


def read_transmission(
    e: Element, draft: Draft, plugins: PluginPolicy, dialect: Dialect, rename: Callable[[str], str] = str
) -> Transmission | None:
    """Reads one element and adds it, and the actuators that it declares. `rename` scopes names of nested models."""
    name = e.get("name") or ""
    if not name:
        name = draft.numbered("transmission", draft.transmissions)
        e.warning("name-missing", f"a transmission without a name; it is called {name!r}")
    written = (e.get("type") or e.child_text("type") or e.child_text("plugin")).strip()
    kind = _kind(written)
    parts = TransmissionParts(element=e, name=rename(name), dialect=dialect, plugins=plugins)
    parts.actuators = _ends(parts, "actuator")
    parts.joints = _ends(parts, "joint")
    parameters = _leave_the_rest(e) | _written_numbers(parts)
    if dialect == "ros2" and not parts.actuators and len(parts.joints) == 1:
        parts.actuators = [TransmissionEnd(element=e, name=draft.numbered("actuator", draft.actuators))]
    try:
        transmission_map = _map(parts, kind, written)
        losses = _losses(parts, kind, transmission_map) if transmission_map else Losses()
        backlash = (_backlash(e, parts.name) or _elastic(e, parts.name)) if transmission_map else None
    except MapRefusedError:
        draft.refused.add(parts.name)
        return None
    actuators = _actuators(parts, draft, rename)
    joints = tuple(axis_ref(j.element, j.name, rename, j.element.get("axis")) for j in parts.joints)
    t = draft.build(
        e, "transmission-size", f"transmission {name!r}", Transmission, name=parts.name, type=kind or written,
        map=transmission_map, actuators=actuators, joints=joints, losses=losses, backlash=backlash,
        parameters=parameters,
    )  # fmt: skip
    if t is None:
        return None
    t = replace(t, name=draft.distinct(draft.transmissions, "transmission", t.name, e))
    if not draft.add(draft.transmissions, "transmission", t.name, t, e):
        return None
    _reflect_rotors(parts, t, draft)
    return t


def _reflect_rotors(parts: TransmissionParts, t: Transmission, draft: Draft) -> None:
    """Drake's rotors act on the one joint of a simple transmission, whatever its reduction says."""
    rotors = [end.element for end in parts.actuators if any(c.tag == ROTOR for c in end.element.children)]
    for e in rotors:
        joint = draft.joints.get(t.joints[0].joint)
        if len(t.joints) > 1:
            e.warning(
                "element-ignored", f"transmission {t.name!r}: <{ROTOR}> is reflected to one joint, not to several"
            )
        elif joint is not None:
            draft.joints[joint.name] = with_rotor(joint, e)


def _losses(parts: TransmissionParts, kind: str | None, map: TransmissionMap) -> Losses:
    """Those of the kind, with what the file says in their place."""
    e, name = parts.element, parts.name
    values = values_of(e, Losses, apart={m.name for m in meanings(type(map))})
    if {"efficiency", "efficiency_map"} & {*values}:
        _warn_of_dead_numbers(e, name, map)
        values = {"efficiency": 1.0, "efficiency_map": (), "backward_efficiency": None, "own": None} | values
    model = friction_model(e, f"transmission {name!r}", "transmission-size")
    if model is not None:
        values["friction_model"] = model
    own = thread_losses(parts, kind) or map.losses()
    return _valid(e, name, partial(replace, own), values) if values else own


def _warn_of_dead_numbers(e: Element, name: str, map: TransmissionMap) -> None:
    """Numbers that only the kind's own efficiency reads, where the file gives another one; some have to be given."""
    dead, needed = efficiency_only(map), missing_from(type(map), ())
    for m in meanings(type(map)):
        if m.name in dead and m.tag not in needed and (child := e.child(m.tag)) is not None:
            message = f"transmission {name!r}: <{child.tag}> has no effect beside an efficiency that the file gives"
            child.warning("element-ignored", message)


def _backlash(e: Element, name: str) -> Backlash | None:
    play = e.child("backlash")
    if play is None:
        return None
    values = values_of(play, Backlash)
    for needed in missing_from(Backlash, values)[:1]:
        near = play.misspelt(needed)
        play.error("element-missing", f"transmission {name!r}: <backlash> needs <{needed}>{near}")
        raise MapRefusedError
    return _valid(play, name, Backlash, values)


def _elastic(e: Element, name: str) -> ElasticGear | None:
    """`<elasticity>`: a gear that twists, with `<hysteresis type="…">` of its twist."""
    twist = e.child("elasticity")
    if twist is None:
        return None
    values = values_of(twist, ElasticGear, {"gap"})
    if missing := missing_from(ElasticGear, values):
        near = twist.misspelt(missing[0])
        twist.error("element-missing", f"transmission {name!r}: <elasticity> needs <{missing[0]}>{near}")
        raise MapRefusedError
    model = friction_model(twist, f"transmission {name!r}", "transmission-size", tag="hysteresis")
    return _valid(twist, name, ElasticGear, values | {"hysteresis": model})


def _valid(e: Element, name: str, kind: Callable[..., _T], values: dict[str, Any]) -> _T:
    try:
        return kind(**values)
    except ModelError as error:
        e.error("dynamics-invalid", f"transmission {name!r}: {error}")
        raise MapRefusedError from None


def _written_numbers(parts: TransmissionParts) -> dict[str, str]:
    """Numbers at the ends, as text: for unknown types, and for display."""
    said: dict[str, str] = {}
    for end in (*parts.actuators, *parts.joints):
        if end.role:
            said[f"{end.name}.role"] = end.role
        if end.reduction is not None:
            said[f"{end.name}.mechanical_reduction"] = repr(end.reduction)
        if end.offset:
            said[f"{end.name}.offset"] = repr(end.offset)
        if "read_only" in end.element.attributes:
            said[f"{end.name}.read_only"] = end.element.attributes["read_only"]
    return said


def _kind(written: str) -> str | None:
    last = re.split(r"/|::", written)[-1]
    if last in ROS_NAMES:
        return ROS_NAMES[last]
    return last if last and is_known(last) else None  # looks through all that is installed where it is not


def _map(parts: TransmissionParts, kind: str | None, written: str) -> TransmissionMap | None:
    """The map; None for a type that is not known."""
    e = parts.element
    if not written and len(parts.actuators) == len(parts.joints) == 1:
        e.warning("transmission-type-unknown", f"transmission {parts.name!r} has no type; it is taken as simple")
        kind = "simple"
    if kind is None:
        last = re.split(r"/|::", written)[-1]
        near = e.report.near(last, [*names(), *ROS_NAMES], listed=False)
        message = f"transmission {parts.name!r}: type {written!r} is not known, and kept without a map{near}"
        e.warning("transmission-type-unknown", message)
        _keep_named_ends(parts)
        e.consume()
        return None
    return made(parts, kind)


def _ends(parts: TransmissionParts, what: str) -> list[TransmissionEnd]:
    """The actuators or joints, from elements of their own or from an array of names."""
    e = parts.element
    array = e.child(f"{what}_array")
    ends = [TransmissionEnd(element=array, name=n) for n in array.text.split()] if array is not None else []
    for c in e.all(what):
        given = c.get("name")
        name = given if given is not None else c.words
        if not name and what == "actuator" and given is None:
            name = f"{parts.name}_actuator"
            c.warning("name-missing", f"transmission {parts.name!r}: an actuator without a name is called {name!r}")
        elif not name:
            c.error("name-missing", f"transmission {parts.name!r}: one of its {what}s has no name")
            continue
        end = TransmissionEnd(element=c, name=name, role=(c.get("role") or c.child_text("role")).strip())
        end.offset = c.child_number("offset", 0.0)
        for tag in ("mechanicalReduction", "mechanical_reduction"):
            if c.child(tag) is not None:
                end.reduction = c.child_number(tag, 1.0)
            elif c.get(tag) is not None:
                end.reduction = c.number(tag, 1.0)
        ends.append(end)
    return ends


def _keep_named_ends(parts: TransmissionParts) -> None:
    """Keeps the ends of unknown types, whose spelling varies: leftActuator, flexJoint, gap_joint."""
    for c in parts.element.children:
        name = c.attributes.get("name")
        for what, ends in (("actuator", parts.actuators), ("joint", parts.joints)):
            if name and c.tag.lower().endswith(what) and c.tag != what:
                ends.append(TransmissionEnd(element=c, name=name))


def _actuators(parts: TransmissionParts, draft: Draft, rename: Callable[[str], str]) -> tuple[str, ...]:
    """Their names in the mechanism. `<actuator name="…">` declares one, as in ROS; text refers to one."""
    names: list[str] = []
    for end in parts.actuators:
        name = rename(end.name)
        declares = end.element is parts.element or (not end.element.tag.endswith("array") and not end.element.words)
        if name not in draft.actuators and declares:
            motor = _motor(end, name, draft)
            if motor is not None:
                draft.actuators[name] = motor
                draft.declared.add(name)
        elif name not in draft.actuators:
            name = draft.actuator_of(name) or name
        names.append(name)
    return tuple(names)


def _motor(end: TransmissionEnd, name: str, draft: Draft) -> Actuator | None:
    e = end.element
    rotor = e.child_number("motorInertia", 0.0) if e.tag == "actuator" else 0.0
    tag = e.child("device") if e.tag == "actuator" else None
    device = read_device(tag, name) if tag is not None else None
    return draft.build(
        e, "actuator-value", f"actuator {name!r}", ElectricMotor, name=name, rotor_inertia=rotor, device=device
    )  # fmt: skip


FOR_OTHERS = (
    "hardwareInterface", "compensator", "robotNamespace", "simulated_reduction", "simulated_actuated_joint",
    "use_simulated_gripper_joint", "motorTorqueConstant", "state_interface", "command_interface", "maxVelocity",
)  # fmt: skip


def _leave_the_rest(e: Element) -> dict[str, str]:
    """Marks elements of other programs as read, and keeps parameters as text."""
    for c in e.all(*FOR_OTHERS):
        c.consume()
    for end in e.all("actuator", "joint"):
        for c in end.all(*FOR_OTHERS):
            c.consume()
        end.get("read_only")
    return read_params(e)


def read_params(e: Element) -> dict[str, str]:
    """<param name="…">text</param>. One without a name cannot be asked for, and is left out."""
    found: dict[str, str] = {}
    for p in e.all("param"):
        name = p.get("name")
        if name:
            found[name] = p.words
        else:
            p.recoverable("name-missing", f"a <param> of <{e.tag}> without a name; it is left out{p.misspelt('name')}")
    return found
