"""Hardware descriptions, as ros2_control tags give them: the contents of its HardwareInfo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite, nan

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.joints import SafetyController


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One command or state of a component; reached as `component/name`."""

    name: str  # position, velocity, effort, …
    parameters: Mapping[str, str] = field(default_factory=dict)  # min, max, initial_value, data_type, …
    enable_limits: bool = True  # <limits enable="…"/> of the interface and of its joint

    @property
    def minimum(self) -> float:
        """Parameter `min`; −inf where there is none."""
        return self._number("min", -inf)

    @property
    def maximum(self) -> float:
        return self._number("max", inf)

    @property
    def initial_value(self) -> float:
        """NaN where there is none."""
        return self._number("initial_value", nan)

    @property
    def data_type(self) -> str:
        return self.parameters.get("data_type", "double")

    @property
    def size(self) -> int:
        """Numbers in it: of an array, more than one."""
        text = self.parameters.get("size", "1")
        if not text.isdecimal() or int(text) < 1:
            raise ModelError(f"size of interface {self.name!r} must be a positive whole number, not {text!r:.60}")
        return int(text)

    def _number(self, name: str, otherwise: float) -> float:
        text = self.parameters.get(name, "").strip()
        if not text:
            return otherwise
        try:
            return float({"true": "1", "false": "0"}.get(text.lower(), text))
        except ValueError:
            raise ModelError(f"{name} of interface {self.name!r} must be a number, not {text!r:.60}") from None


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
class CommandLimits:
    """Limits that a joint's commands are held to; infinite where there is none."""

    min_position: float = -inf  # [rad, m]
    max_position: float = inf  # [rad, m]
    max_velocity: float = inf  # [rad/s, m/s]
    max_effort: float = inf  # [N·m, N]
    max_acceleration: float = inf  # [rad/s², m/s²]
    max_deceleration: float = inf  # [rad/s², m/s²]
    max_jerk: float = inf  # [rad/s³, m/s³]
    angle_wraparound: bool = False  # a continuous joint

    @property
    def has_position_limits(self) -> bool:
        return isfinite(self.min_position) or isfinite(self.max_position)


@dataclass(frozen=True, kw_only=True)
class MimicJoint:
    """A joint of the tag that follows another: `q = multiplier·q_leader + offset`."""

    joint: str
    leader: str
    multiplier: float = 1.0
    offset: float = 0.0  # [rad, m]


@dataclass(frozen=True, kw_only=True)
class Hardware:
    """One ros2_control tag."""

    name: str
    type: str  # system, actuator or sensor
    plugin: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    rw_rate: float = 0.0  # [Hz] of read and write; 0: that of the controller manager
    is_async: bool = False
    async_parameters: Mapping[str, str] = field(default_factory=dict)  # thread_priority, scheduling_policy, affinity, …
    joints: tuple[Component, ...] = ()
    sensors: tuple[Component, ...] = ()
    gpios: tuple[Component, ...] = ()
    transmissions: tuple[str, ...] = ()  # names in the mechanism
    mimic_joints: tuple[MimicJoint, ...] = ()
    limits: Mapping[str, CommandLimits] = field(default_factory=dict)  # by joint
    soft_limits: Mapping[str, SafetyController] = field(default_factory=dict)  # by joint, within the hard ones
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def components(self) -> tuple[Component, ...]:
        return (*self.joints, *self.sensors, *self.gpios)

    def is_on(self, parameter: str) -> bool:
        """Whether a parameter of the plugin is true."""
        return self.parameters.get(parameter, "").strip().lower() in ("true", "1")

    @property
    def is_mock(self) -> bool:
        """Whether the plugin is ros2_control's mock, under its name of today or an older one."""
        return self.plugin in ("mock_components/GenericSystem", "fake_components/GenericSystem")

    @property
    def exported_commands(self) -> tuple[tuple[str, Interface], ...]:
        """Command interfaces by component, with those that `mock_components/GenericSystem` makes of states."""
        sensors = self.is_mock and (self.is_on("mock_sensor_commands") or self.is_on("fake_sensor_commands"))
        gpios = self.is_mock and self.is_on("mock_gpio_commands")
        found = [(c.name, i) for c in self.joints for i in c.commands]
        found += [(c.name, i) for c in self.sensors for i in (c.states if sensors else c.commands)]
        found += [(c.name, i) for c in self.gpios for i in (c.states if gpios else c.commands)]
        return tuple(found)
