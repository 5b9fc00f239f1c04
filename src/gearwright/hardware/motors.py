"""Numbers of drives and their motors by product, and the supply that a bus of them shares.

Current, back-EMF and heat are computed by the step itself: `with_winding` gives it a `dc_motor` of these numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any, Self, TypeAlias

from gearwright.errors import ModelError
from gearwright.hardware.shafts import DIRECT, DriveGear
from gearwright.model import Actuator, DCMotor, ElectricMotor
from gearwright.model.actuators import PositionServo
from gearwright.model.servos import DataSheet, servos

UNLIMITED = 1e12  # [N·m, N]: the effort limit of a drive that has none


@dataclass(frozen=True, kw_only=True)
class Motor:
    """Winding, power stage and heat of a drive, seen at the actuator's own shaft.

    Where a file says less, a drive has these; a protocol's table of models has a row for each product.
    """

    torque_constant: float = 1.0  # k [N·m/A], also back-EMF [V·s/rad]
    resistance: float = 0.0  # [Ω]; 0: an ideal current source, without voltage and heat
    supply_voltage: float = 24.0  # [V]
    duty_limit: float = 1.0  # share of the supply that reaches the winding
    current_limit: float = inf  # [A]
    rated_torque: float = inf  # [N·m]: what ‰ of rated torque refer to; inf: nobody says, and the load decides
    counts: float = 4096.0  # of the encoder in a turn (per metre where it moves along a line)
    loop_rate: float = inf  # [Hz] of the position and velocity loops; inf: every step of the simulation
    thermal_resistance: float = 4.0  # winding to ambient [K/W]
    thermal_capacitance: float = 60.0  # [J/K]
    ambient_temperature: float = 25.0  # [°C]
    over_temperature: float = 80.0  # [°C]: the drive reports an error
    under_voltage: float = 0.5  # of the supply's nominal voltage: the drive reports an error
    brown_out: float = 0.3  # of the supply's nominal voltage: the drive restarts
    rotor_inertia: float = 0.0  # [kg·m²], with the gears, where the file says nothing of the rotor
    damping: float = 0.0  # [N·m·s/rad], likewise
    friction: float = 0.0  # [N·m], likewise

    @classmethod
    def of_data_sheet(cls, sheet: DataSheet, **more: Any) -> Self:
        """The winding and the damping d that give a sheet's torque τ and current I at rest, and its speed ω.

            k = τ/I,  R = V/I,  k·(V − k·ω)/R = d·ω

        k is that of the registers of current. Sheets without a current, or with one that cannot give the torque at that
        speed, get the least that can, τ·ω/V.
        """
        volts, speed = more.get("duty_limit", 1.0) * sheet.voltage, sheet.no_load_speed
        current = max(sheet.stall_current or 0.0, sheet.stall_torque * speed / volts)
        k, R = sheet.stall_torque / current, volts / current
        return cls(**{
            "torque_constant": k, "resistance": R, "damping": max(0.0, k * (volts / speed - k) / R),
            "supply_voltage": sheet.voltage, "rated_torque": sheet.stall_torque, "counts": sheet.counts,
        } | more)  # fmt: skip

    @classmethod
    def of_servo(cls, name: str, **more: Any) -> Self:
        """A product of `gw.servos`, by its data sheet and the inertia of its rotor."""
        servo = servos[name]
        return cls.of_data_sheet(servo.sheet, **{"rotor_inertia": servo.value("rotor_inertia", 0.0), **more})

    def behind(self, gear: DriveGear) -> Self:
        """Windings and rotors of the drive's shaft, at the actuator's; those of several servos are in parallel."""
        n, effort = abs(gear.ratio), abs(gear.effort)
        return replace(
            self, torque_constant=self.torque_constant / n, resistance=self.resistance / gear.servos,
            thermal_resistance=self.thermal_resistance / gear.servos,
            thermal_capacitance=self.thermal_capacitance * gear.servos,
            rotor_inertia=self.rotor_inertia * effort / n, damping=self.damping * effort / n,
            friction=self.friction * effort,
        )  # fmt: skip

    @property
    def current_rating(self) -> float:
        """[A]: that of the rated torque."""
        return self.rated_torque / self.torque_constant


def motor_of(
    actuator: Actuator, model: Motor, rated: float = inf, counts: float | None = None, gear: DriveGear = DIRECT
) -> Motor:
    """A product's numbers with those that the file gives: its own always count.

    `rated` is what the joint's limits leave of the actuator's torque, `counts` the resolution of its encoder.
    """
    winding = actuator.winding(model.supply_voltage)
    given = {k: v for k, v in winding._asdict().items() if v is not None} if winding is not None else {}
    if winding is not None:
        given["torque_constant"] = winding.torque_constant * abs(gear.ratio)
    found = replace(model, **given)
    if not model.resistance:  # a drive without a winding of its own limits the torque, whatever the motor's constant is
        found = replace(found, current_limit=model.current_limit * model.torque_constant / found.torque_constant)
    limit = min(actuator.effort_limit, rated) / abs(gear.effort)
    if 0.0 < limit < inf:
        most = min(found.current_limit, limit / found.torque_constant)
        found = replace(found, rated_torque=min(limit, model.rated_torque), current_limit=most)
    return found if counts is None else replace(found, counts=counts)


def with_winding(actuator: Actuator, motor: Motor) -> Actuator:
    """The actuator as the step has it under a drive: a `dc_motor` that takes a torque and the feedback of its loops.

    An ideal source gets the product's winding, a torque-speed curve the one that it stands for. A kind of its own, and
    a drive whose resistance nobody gives, keep their own law; one that has no gains takes torques as they are. Of a
    servo it is the motor: its firmware runs in the device, behind the registers.
    """
    if isinstance(actuator, PositionServo):
        actuator = actuator.motor
    if "impedance" not in actuator.commands:
        return replace(actuator, command="effort")
    loops: dict[str, Any] = {"command": "impedance", "stiffness": 0.0, "damping_gain": 0.0, "effort_limit": UNLIMITED}
    plain = type(actuator) is Actuator or (type(actuator) is ElectricMotor and not actuator.curve)
    if not motor.resistance or not (plain or isinstance(actuator, DCMotor)):
        return replace(actuator, **loops)
    electrical: dict[str, Any] = {
        name: getattr(motor, name)
        for name in ("torque_constant", "resistance", "supply_voltage", "thermal_resistance", "thermal_capacitance",
                     "ambient_temperature")
    }  # fmt: skip
    if not (actuator.rotor_inertia or actuator.damping or actuator.friction):
        actuator = replace(
            actuator, rotor_inertia=motor.rotor_inertia, damping=motor.damping, friction=motor.friction
        )  # fmt: skip
    if isinstance(actuator, DCMotor):
        return replace(actuator, **loops, **electrical)
    own = {f.name: getattr(actuator, f.name) for f in fields(Actuator)}
    return DCMotor(**{**own, **loops, **electrical})


class BusSupply:
    """A supply that several drives share: `V = V₀ − R·Σ i`, at most its limit below nominal.

    The current that a drive draws is its electrical power over the voltage; a drive that brakes feeds back.
    """

    def __init__(self, nominal: float, resistance: float = 0.0) -> None:
        if not 0.0 <= resistance < inf:
            raise ModelError(f"the supply's resistance must be a number of at least 0 [Ω], not {resistance}")
        self.nominal, self.resistance = nominal, resistance  # [V], [Ω]
        self.voltage = nominal
        self.forced: float | None = None  # [V]: a fault's

    def settle(self, power: float) -> None:
        """The voltage for the electrical power [W] of the last step: the upper root of `V² − V₀·V + R·P = 0`."""
        nominal = self.nominal if self.forced is None else self.forced
        rest = nominal * nominal - 4.0 * self.resistance * power
        self.voltage = 0.5 * (nominal + rest**0.5) if rest > 0.0 else 0.5 * nominal

    @property
    def share(self) -> float:
        """Share of the nominal voltage."""
        return self.voltage / self.nominal if self.nominal else 1.0

    def at(self, nominal: float) -> SharedSupply:
        """What a drive of another voltage has of it, by a converter of its own."""
        return self if nominal == self.nominal else ConvertedSupply(self, nominal)


@dataclass(frozen=True)
class ConvertedSupply:
    """A converter without losses between a supply and a drive of another voltage; it sags with its supply."""

    source: BusSupply
    nominal: float  # [V]

    @property
    def voltage(self) -> float:
        """[V]"""
        return self.nominal * self.source.share

    @property
    def share(self) -> float:
        """Share of the nominal voltage."""
        return self.source.share


SharedSupply: TypeAlias = BusSupply | ConvertedSupply
