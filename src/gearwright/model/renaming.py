"""A mechanism with parts renamed wherever they are referred to: `NAMES` says what each field names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from gearwright.model.actuators import Actuator
from gearwright.model.contacts.pair import ContactSide
from gearwright.model.couplings import Coupling, Couplings, Through
from gearwright.model.hardware.hardware import Component, Hardware, MimicJoint
from gearwright.model.joints import WORLD, AxisRef, Joint
from gearwright.model.keyframes import Keyframe
from gearwright.model.links import Link, NamedFrame
from gearwright.model.mechanism import Mechanism
from gearwright.model.sensors.sensors import Sensor
from gearwright.model.transmissions import Transmission

Rename = Callable[[str, str], str]  # of a kind of part, and a name
JOINTS = ("joint", "coupling", "component")  # kinds whose names are those of joints: a mimic has its follower's
# fields that hold a name, names in tuples, or parts by name, and the kind of part that is named
NAMES: Mapping[type[Any], Mapping[str, str]] = {
    Mechanism: {
        "links": "link", "joints": "joint", "bases": "joint", "initial": "joint", "cut": "joint",
        "transmissions": "transmission", "actuators": "actuator", "sensors": "sensor", "hardware": "hardware",
        "frames": "frame", "keyframes": "keyframe", "contradicted": "coupling", "self_collide": "link",
        "no_contact": "link",
    },
    Link: {"name": "link", "same_as": "link"},
    Joint: {"name": "joint", "parent": "link", "child": "link"},
    NamedFrame: {"name": "frame", "link": "link"},
    AxisRef: {"joint": "joint"},
    Coupling: {"name": "coupling", "alias": "coupling"},
    Through: {"transmission": "transmission"},
    Transmission: {"name": "transmission", "actuators": "actuator"},
    Actuator: {"name": "actuator"},
    Sensor: {
        "name": "sensor", "transmission": "transmission", "actuator": "actuator", "reaction": "joint", "link": "link",
    },
    Hardware: {"name": "hardware", "transmissions": "transmission", "limits": "joint", "soft_limits": "joint"},
    Component: {"name": "component"},
    MimicJoint: {"joint": "joint", "leader": "joint"},
    Keyframe: {"name": "keyframe", "position": "joint", "velocity": "joint", "command": "actuator"},
    ContactSide: {"link": "link"},
}  # fmt: skip


def with_prefix(m: Mechanism, prefix: str) -> Mechanism:
    """A copy in which every name but the world's has this in front."""
    return _mechanism(m, lambda kind, name: name if name == WORLD else prefix + name) if prefix else m


def renamed_joints(m: Mechanism, names: Mapping[str, str]) -> Mechanism:
    """A copy in which joints have other names; other parts that have one of these keep it."""
    return _mechanism(m, lambda kind, name: names.get(name, name) if kind in JOINTS else name)


def with_names(m: Mechanism, names: Mapping[str, str]) -> Mechanism:
    """A copy in which parts of every kind have other names."""
    return _mechanism(m, lambda kind, name: names.get(name, name)) if names else m


def every_name(m: Mechanism) -> list[str]:
    """The names of all parts, each once."""
    found: dict[str, None] = {}
    _mechanism(m, lambda kind, name: found.setdefault(name) or name)
    return list(found)


def _mechanism(m: Mechanism, rename: Rename) -> Mechanism:
    other: Mechanism = renamed(m, rename)
    return other


def renamed(value: Any, rename: Rename) -> Any:
    """A part, or a tuple of parts, with its names and those that it refers to changed; itself if it has none."""
    if type(value) is tuple:
        several = tuple(renamed(v, rename) for v in value)
        return value if all(a is b for a, b in zip(several, value, strict=True)) else several
    if isinstance(value, Couplings):
        return Couplings(renamed(c, rename) for c in value.values())
    if isinstance(value, type) or not (dataclasses.is_dataclass(value) or hasattr(value, "_replace")):
        return value
    kinds = next((NAMES[kind] for kind in type(value).__mro__ if kind in NAMES), {})
    before = {name: getattr(value, name) for name in _fields(value)}
    after = {n: _named(v, kinds[n], rename) if n in kinds else renamed(v, rename) for n, v in before.items()}
    if isinstance(value, Transmission):
        after["parameters"] = _at_ends(value, after)
    changes = {n: v for n, v in after.items() if v is not before[n]}
    if not changes:
        return value
    replace: Any = dataclasses.replace if dataclasses.is_dataclass(value) else type(value)._replace
    return replace(value, **changes)


def _fields(value: Any) -> tuple[str, ...]:
    if dataclasses.is_dataclass(value):
        return tuple(f.name for f in dataclasses.fields(value) if f.init)
    return tuple(value._fields)


def _named(value: Any, kind: str, rename: Rename) -> Any:
    """A name, names in tuples, parts or numbers by name, or None."""
    if isinstance(value, tuple):
        return tuple(_named(v, kind, rename) for v in value)
    if isinstance(value, Mapping):
        return {rename(kind, name): renamed(part, rename) for name, part in value.items()}
    return rename(kind, value) if isinstance(value, str) else value


def _at_ends(t: Transmission, after: Mapping[str, Any]) -> Mapping[str, str]:
    """Its parameters: those of its actuators and joints begin with their names."""
    ends = dict(
        zip(map(str, (*t.actuators, *t.joints)), map(str, (*after["actuators"], *after["joints"])), strict=True)
    )
    parted = {name: name.rpartition(".") for name in t.parameters}
    return {
        f"{ends[end]}.{what}" if end in ends else name: t.parameters[name] for name, (end, _, what) in parted.items()
    }
