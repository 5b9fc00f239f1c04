"""One product: its data sheet, the numbers of its actuator, and where each of them is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gearwright.model.actuators import Actuator, DCMotor, ElectricMotor, PositionServo, Supply
from gearwright.model.frictions.friction import Friction
from gearwright.model.joints import AxisRef
from gearwright.model.servos.data_sheet import DataSheet, MotorNumbers, NumberSource

Sourced = tuple[float, NumberSource]


@dataclass(frozen=True, kw_only=True)
class ServoModel:
    """A servo that one can buy, at its output shaft.

    A product whose sheet has a stall current is a DC motor under a position loop that sets its duty, or, if its numbers
    have a stiffness, its current. One without it is a drive with a torque-speed line and a current limit.
    """

    name: str  # in `gw.servos`
    maker: str  # who sells it
    sheet: DataSheet  # its figures at the rated supply
    sheet_source: NumberSource  # where they are from
    derived: NumberSource  # of the numbers that follow from the sheet
    elsewhere: Mapping[str, NumberSource] = field(default_factory=dict)  # of figures that the sheet leaves out
    numbers: Mapping[str, Sourced] = field(default_factory=dict)  # of the actuator, by its fields, with their sources
    friction: Mapping[str, Sourced] = field(default_factory=dict)  # of its friction model; none: from the sheet
    winding: tuple[Sourced, Sourced] | None = None  # torque constant and resistance; None: from the sheet

    @property
    def has_winding(self) -> bool:
        """Whether it is a DC motor whose voltage a position loop sets."""
        return self.winding is not None or self.sheet.stall_current is not None

    @cached_property
    def motor(self) -> MotorNumbers:
        """Winding and gear losses that follow from the sheet, or as they were identified."""
        if self.winding is None:
            return self.sheet.motor()
        (k, _), (R, _) = self.winding
        return MotorNumbers(k, R, self.value("kinetic", 0.0), self.value("load", 0.0))

    @cached_property
    def friction_model(self) -> Friction | None:
        """Of its bearings and gears; None, where nothing is known of it."""
        if self.friction:
            return Friction(**{name: x for name, (x, _) in self.friction.items()})
        if not self.has_winding:
            return None
        motor = self.motor
        return Friction(kinetic=motor.friction, load=motor.load, viscous=motor.viscous or None)

    @cached_property
    def sources(self) -> Mapping[str, NumberSource]:
        """Where each number is from, by the actuator's parameters, and `sheet.…` for the figures of its sheet."""
        figures = (n for n, x in vars(self.sheet).items() if x is not None or n in self.elsewhere)
        found = {f"sheet.{n}": self.elsewhere.get(n, self.sheet_source) for n in figures}
        found |= {name: source for name, (_, source) in self.numbers.items()}
        if not self.has_winding:
            return {**found, "stall_torque": self.sheet_source, "no_load_speed": self.sheet_source}
        k, R = (self.derived, self.derived) if self.winding is None else (self.winding[0][1], self.winding[1][1])
        found = {"supply_voltage": self.sheet_source, **found, "torque_constant": k, "resistance": R}
        losses = ("kinetic", "load", "viscous") if self.motor.viscous else ("kinetic", "load")
        own = self.friction or dict.fromkeys(losses, (0.0, self.derived))
        return found | {f"friction_model.{name}": source for name, (_, source) in own.items()}

    def value(self, name: str, default: Any = None) -> Any:
        """One of its numbers, of the actuator or of its friction."""
        each = {**self.friction, **self.numbers}
        return each[name][0] if name in each else default

    def actuator(
        self, name: str, joint: AxisRef | str | None = None, *, supply: Supply | None = None, **changes: Any
    ) -> Actuator:
        """The servo as an actuator of a mechanism. `supply`: one to share with others. `changes`: its fields."""
        own: dict[str, Any] = {n: x for n, (x, _) in self.numbers.items()}
        own |= {"name": name, "joint": AxisRef.of(joint), "command": "position", "friction_model": self.friction_model}
        if not self.has_winding:
            torque, speed = self.sheet.stall_torque, self.sheet.no_load_speed
            line = {"stall_torque": torque, "no_load_speed": speed, "effort_limit": torque}
            return ElectricMotor(**{**line, **own, **changes})
        volts = {"supply_voltage": self.sheet.voltage} if supply is None else {"supply": supply}
        k, R, *_ = self.motor
        kind = DCMotor if "stiffness" in self.numbers else PositionServo
        return kind(**{**volts, "torque_constant": k, "resistance": R, **own, **changes})
