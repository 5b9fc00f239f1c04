"""Feetech's products: their windings, and the numbers that they report."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols.feetech_table import COUNTS, LOOP_RATE, MOST_DUTY, POTENTIOMETER

KG_CM = 0.0980665  # [N·m]


@dataclass(frozen=True, kw_only=True)
class FeetechMotor(Motor):
    """A product."""

    number: int  # in the register `model`


def _row(
    number: int, voltage: float, kg_cm: float, rpm: float, amps: float = 0.0, counts: float = COUNTS
) -> FeetechMotor:
    """Figures of a data sheet: supply [V], stall torque [kg·cm], no-load speed, stall current [A]."""
    return FeetechMotor.of_data_sheet(
        voltage=MOST_DUTY * voltage, stall_torque=kg_cm * KG_CM, stall_current=amps, no_load_rpm=rpm,
        supply_voltage=voltage, duty_limit=MOST_DUTY, number=number, counts=counts, loop_rate=LOOP_RATE,
        thermal_resistance=7.0, thermal_capacitance=30.0, over_temperature=70.0,
    )  # fmt: skip


# The winding at its output shaft that Better Actuator Models (model M1, 7.4 V) identified on servos themselves. They
# push harder than their data sheet says (ST-3215-C001: 19.5 kg·cm, 52 rpm)
STS3215 = FeetechMotor(
    number=777, torque_constant=1.2116, resistance=2.676, supply_voltage=7.4, duty_limit=MOST_DUTY, counts=COUNTS,
    rated_torque=3.25, loop_rate=LOOP_RATE, thermal_resistance=7.0, thermal_capacitance=30.0, over_temperature=70.0,
    rotor_inertia=0.0284, damping=0.0591, friction=0.0524,
)  # fmt: skip
STS = {
    "sts3215": STS3215,
    "sts3215-12v": _row(777, 12.0, 30.0, 45.0, 2.7),  # ST-3215-C018; Waveshare's page of the ST3215
    "sts3250": _row(2825, 12.0, 50.0, 75.2),  # ST-3250-C001: 0.133 s for 60°
}
HLS = {"hls3930m": _row(2570, 12.0, 35.0, 45.0, 2.8)}  # HL-3930-C001
SCS = {
    "scs0009": _row(1284, 6.0, 2.3, 100.0, counts=POTENTIOMETER),  # 0.1 s for 60°
}
