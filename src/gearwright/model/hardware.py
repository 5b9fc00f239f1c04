"""Hardware descriptions, as ros2_control tags give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gearwright.diagnostics import Source


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One command or state of a component; reached as `component/name`."""

    name: str  # position, velocity, effort, …
    parameters: Mapping[str, str] = field(default_factory=dict)  # min, max, initial_value, data_type, …


@dataclass(frozen=True, kw_only=True)
class Component:
    """A joint, sensor or gpio of a hardware component."""

    name: str
    commands: tuple[Interface, ...] = ()
    states: tuple[Interface, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    mimic: bool | None = None  # of a joint: the attribute, where it is given
    source: Source | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Hardware:
    """One ros2_control tag."""

    name: str
    type: str  # system, actuator or sensor
    plugin: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    joints: tuple[Component, ...] = ()
    sensors: tuple[Component, ...] = ()
    gpios: tuple[Component, ...] = ()
    transmissions: tuple[str, ...] = ()  # names in the mechanism
    source: Source | None = field(default=None, compare=False, repr=False)
