"""Feetech's products: their windings, and the numbers that they report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols.feetech_table import COUNTS, LOOP_RATE, MOST_DUTY
from gearwright.model.servos.data_sheet import KGF_CM, RPM, DataSheet


@dataclass(frozen=True, kw_only=True)
class FeetechMotor(Motor):
    """A product."""

    number: int  # in the register `model`


def _row(number: int, sheet: str | DataSheet, **more: Any) -> FeetechMotor:
    """By its name in `gw.servos`, or by its sheet. The figures of a sheet are those of its highest duty."""
    own = {
        "number": number, "duty_limit": MOST_DUTY, "loop_rate": LOOP_RATE, "thermal_resistance": 7.0,
        "thermal_capacitance": 30.0, "over_temperature": 70.0, **more,
    }  # fmt: skip
    return FeetechMotor.of_servo(sheet, **own) if isinstance(sheet, str) else FeetechMotor.of_data_sheet(sheet, **own)


# The winding at its output shaft that Better Actuator Models (model M1, 7.4 V) identified on STS3215 themselves, which
# push harder than their data sheet says: the first of the products, for arms that name none
IDENTIFIED = FeetechMotor(
    number=777, torque_constant=1.2116, resistance=2.676, supply_voltage=7.4, duty_limit=MOST_DUTY, counts=COUNTS,
    rated_torque=3.25, loop_rate=LOOP_RATE, thermal_resistance=7.0, thermal_capacitance=30.0, over_temperature=70.0,
    rotor_inertia=0.0284, damping=0.0591, friction=0.0524,
)  # fmt: skip
HL_3930 = DataSheet(voltage=12.0, stall_torque=35 * KGF_CM, no_load_speed=45 * RPM, stall_current=2.8)
STS = {
    "sts3215-bam-m1": IDENTIFIED,
    "sts3215": _row(777, "sts3215"),
    "sts3215-191": _row(777, "sts3215-191"),
    "sts3215-147": _row(777, "sts3215-147"),
    "sts3215-12v": _row(777, "sts3215-12v"),
    "sts3250": _row(2825, "sts3250"),
}
HLS = {"hls3930m": _row(2570, HL_3930, rotor_inertia=0.0284)}  # the rotor of an STS3215, whose gears it has
SCS = {"scs0009": _row(1284, "scs0009")}
