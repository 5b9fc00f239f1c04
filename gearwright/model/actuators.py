"""Actuators: what turns a command into effort. One class a kind; `ACTUATORS` maps the names in files to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isfinite
from typing import ClassVar, Literal

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.joints import AxisRef

Command = Literal["effort", "velocity", "position", "voltage"]
COMMANDS: tuple[Command, ...] = ("effort", "velocity", "position", "voltage")


@dataclass(frozen=True, kw_only=True)
class Actuator:
    """An ideal source of effort, on a joint of its own or reached through a transmission."""

    type: ClassVar[str] = "ideal"
    positive: ClassVar[tuple[str, ...]] = ()  # fields that must be above zero where they are given

    name: str
    joint: AxisRef | None = None  # None: through a transmission, or not connected
    effort_limit: float = inf  # [N·m, N]
    velocity_limit: float = inf  # [rad/s, m/s]
    rotor_inertia: float = 0.0  # on the actuator's side [kg·m², kg]
    damping: float = 0.0  # viscous [N·m·s/rad]
    friction: float = 0.0  # Coulomb [N·m]
    command: Command = "effort"
    stiffness: float = 0.0  # position drive [N·m/rad]
    damping_gain: float = 0.0  # position and velocity drive [N·m·s/rad]
    rotor: Literal["reflected", "body"] = "reflected"
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.command not in COMMANDS:
            raise ModelError(f"command is one of {', '.join(COMMANDS)}, not {self.command!r}")
        if self.rotor not in ("reflected", "body"):
            raise ModelError(f"rotor is reflected or body, not {self.rotor!r}")
        not_negative = ("effort_limit", "velocity_limit", "rotor_inertia", "damping", "friction")
        for name in (*not_negative, "stiffness", "damping_gain"):
            if not getattr(self, name) >= 0:
                raise ModelError(f"{name} cannot be negative ({getattr(self, name)})")
        for name in self.positive:
            value = getattr(self, name)
            if value is not None and not (value > 0 and isfinite(value)):
                raise ModelError(f"{name} must be positive, not {value}")


@dataclass(frozen=True, kw_only=True)
class ElectricMotor(Actuator):
    """A torque source inside a torque-speed curve: a line from stall torque to no-load speed, or a table."""

    type: ClassVar[str] = "electric_motor"
    positive: ClassVar[tuple[str, ...]] = ("stall_torque", "no_load_speed")

    stall_torque: float | None = None  # [N·m]; None: no curve, an ideal source
    no_load_speed: float | None = None  # [rad/s]
    curve: tuple[tuple[float, float], ...] = ()  # (speed [rad/s], torque [N·m]) …, instead of the two above

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.stall_torque is None) != (self.no_load_speed is None):
            raise ModelError("stall_torque and no_load_speed come together")
        if self.curve:
            self._check_curve()

    def _check_curve(self) -> None:
        speeds = [s for s, _ in self.curve]
        if self.stall_torque is not None:
            raise ModelError("give torque_speed_curve, or stall_torque and no_load_speed, not both")
        if len(self.curve) < 2 or any(b <= a for a, b in pairwise(speeds)):
            raise ModelError("torque_speed_curve takes two or more points with rising speeds")
        if any(t < 0 for _, t in self.curve) or not all(isfinite(x) for point in self.curve for x in point):
            raise ModelError("torque_speed_curve takes finite torques that are not negative")


@dataclass(frozen=True, kw_only=True)
class DCMotor(Actuator):
    """A brushed motor with its winding: `L·di/dt = V − R·i − k·ω`, torque k·i, and a winding that warms up."""

    type: ClassVar[str] = "dc_motor"
    positive: ClassVar[tuple[str, ...]] = ("resistance", "torque_constant", "supply_voltage", "thermal_resistance")

    resistance: float  # [Ω]
    torque_constant: float  # k [N·m/A], also the back-EMF constant [V·s/rad]
    inductance: float = 0.0  # [H]
    supply_voltage: float | None = None  # [V]; None: unlimited
    thermal_resistance: float | None = None  # winding to ambient [K/W]
    thermal_capacitance: float = 0.0  # of the winding [J/K]
    ambient_temperature: float = 25.0  # [°C]
    temperature_coefficient: float = 0.0  # of the resistance [1/K]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("inductance", "thermal_capacitance"):
            if not getattr(self, name) >= 0:
                raise ModelError(f"{name} cannot be negative ({getattr(self, name)})")


@dataclass(frozen=True, kw_only=True)
class Solenoid(Actuator):
    """Pulls along its stroke, harder the further it is in: force against stroke at full command, as a table."""

    type: ClassVar[str] = "solenoid"

    force_stroke: tuple[tuple[float, float], ...]  # (stroke [m], force [N]) …

    def __post_init__(self) -> None:
        super().__post_init__()
        strokes = [s for s, _ in self.force_stroke]
        if len(strokes) < 2 or any(b <= a for a, b in pairwise(strokes)):
            raise ModelError("force_stroke takes two or more points with rising strokes")


@dataclass(frozen=True, kw_only=True)
class PneumaticCylinder(Actuator):
    """A piston whose pressure follows the command with a first-order lag."""

    type: ClassVar[str] = "pneumatic"
    positive: ClassVar[tuple[str, ...]] = ("bore_area", "supply_pressure", "time_constant")

    bore_area: float  # [m²]
    supply_pressure: float  # above ambient [Pa]
    time_constant: float  # [s]


ACTUATORS: dict[str, type[Actuator]] = {
    kind.type: kind for kind in (Actuator, ElectricMotor, DCMotor, Solenoid, PneumaticCylinder)
}
