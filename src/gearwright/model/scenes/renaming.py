"""A mechanism with other names: `NAMES` has the fields of each class that are names, or that refer to parts by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from gearwright.model.actuators import Actuator
from gearwright.model.contacts.pair import ContactSide
from gearwright.model.couplings import Coupling, Couplings, Through
from gearwright.model.hardware.hardware import Component, Hardware, MimicJoint
from gearwright.model.joints import WORLD, AxisRef, Joint
from gearwright.model.mechanism import Link, Mechanism, NamedFrame
from gearwright.model.sensors.sensors import Sensor
from gearwright.model.transmissions import Transmission

Rename = Callable[[str], str]
NAMES: Mapping[type[Any], tuple[str, ...]] = {
    Link: ("name", "same_as"),
    Joint: ("name", "parent", "child"),
    NamedFrame: ("name", "link"),
    AxisRef: ("joint",),
    Coupling: ("name", "alias"),
    Through: ("transmission",),
    Transmission: ("name", "actuators"),
    Actuator: ("name",),
    Sensor: ("name", "transmission", "actuator", "reaction", "link"),
    Hardware: ("name", "transmissions"),
    Component: ("name",),
    MimicJoint: ("joint", "leader"),
    ContactSide: ("link",),
}
KEYED = ("links", "joints", "transmissions", "actuators", "sensors", "hardware", "frames", "bases", "initial")
LISTED = ("cut", "contradicted", "self_collide", "no_contact")  # names alone


def with_prefix(m: Mechanism, prefix: str) -> Mechanism:
    """A copy in which every name but the world's has this in front."""
    if not prefix:
        return m
    return renamed_mechanism(m, lambda name: name if name == WORLD else prefix + name)


def renamed_mechanism(m: Mechanism, rename: Rename) -> Mechanism:
    parts: dict[str, Any] = {
        family: {rename(k): renamed(v, rename) for k, v in getattr(m, family).items()} for family in KEYED
    }
    parts |= {name: _names(getattr(m, name), rename) for name in LISTED}
    couplings = Couplings(renamed(c, rename) for c in m.couplings.values())
    return dataclasses.replace(m, couplings=couplings, contacts=renamed(m.contacts, rename), **parts)


def renamed(value: Any, rename: Rename) -> Any:
    """A part, or a tuple of parts, with its names and those that it refers to changed; itself if it has none."""
    if type(value) is tuple:
        several = tuple(renamed(v, rename) for v in value)
        return value if all(a is b for a, b in zip(several, value, strict=True)) else several
    if isinstance(value, Mapping) and _by_joint(value):
        return {rename(k): v for k, v in value.items()}
    if isinstance(value, type) or not (dataclasses.is_dataclass(value) or hasattr(value, "_replace")):
        return value
    named = _named(value)
    before = {name: getattr(value, name) for name in _fields(value)}
    after = {n: _names(v, rename) if n in named else renamed(v, rename) for n, v in before.items()}
    changes = {n: v for n, v in after.items() if v is not before[n]}
    if not changes:
        return value
    replace: Any = dataclasses.replace if dataclasses.is_dataclass(value) else type(value)._replace
    return replace(value, **changes)


def _fields(value: Any) -> tuple[str, ...]:
    if dataclasses.is_dataclass(value):
        return tuple(f.name for f in dataclasses.fields(value) if f.init)
    return tuple(value._fields)


def _named(value: Any) -> tuple[str, ...]:
    return next((NAMES[kind] for kind in type(value).__mro__ if kind in NAMES), ())


def _names(value: Any, rename: Rename) -> Any:
    """A name, names in tuples, or None."""
    if isinstance(value, tuple):
        return tuple(_names(v, rename) for v in value)
    return rename(value) if isinstance(value, str) else value


def _by_joint(value: Mapping[Any, Any]) -> bool:
    """Limits of a ros2_control tag, by joint."""
    return bool(value) and all(dataclasses.is_dataclass(v) for v in value.values())
