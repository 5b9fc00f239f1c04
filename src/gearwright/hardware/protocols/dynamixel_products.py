"""Products of the Dynamixel X series: figures of ROBOTIS' e-manual at the recommended voltage, and their registers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols.dynamixel_table import LOOP_RATE, SMALL, TABLE
from gearwright.hardware.protocols.registers import EEPROM, RAM, Register, changed
from gearwright.model.servos.data_sheet import RPM, DataSheet

MODES = {0: "current", 1: "velocity", 3: "position", 4: "extended position", 5: "current-based position", 16: "PWM"}
CURRENT_UNIT = 2.69e-3  # [A]


@dataclass(frozen=True, kw_only=True)
class DynamixelMotor(Motor):
    """A product: its winding, and its own control table."""

    number: int  # the register `model`
    rows: tuple[Register, ...] = TABLE
    current_unit: float = CURRENT_UNIT  # [A] of the registers; 0: the servo does not measure it
    modes: tuple[int, ...] = tuple(MODES)


def _row(
    number: int, sheet: str | DataSheet, *, celsius: float = 80.0, rows: tuple[Register, ...] = TABLE,
    current_unit: float = CURRENT_UNIT, rotor_inertia: float = 0.0, **values: int,
) -> DynamixelMotor:  # fmt: skip
    """By its name in `gw.servos`, or by its sheet; values of registers as delivered, by name."""
    delivered = {"model": number, "temperature_limit": round(celsius), **values}
    if "current_limit" in values:
        delivered["goal_current"] = values["current_limit"]
    ends = {name: values[name] for name in ("current_limit",) if name in values}
    own = {
        "loop_rate": LOOP_RATE, "over_temperature": celsius, "number": number, "current_unit": current_unit,
        "rows": tuple(sorted(changed(rows, delivered, ends), key=lambda row: row.address)),
        "modes": tuple(m for m in MODES if current_unit or m not in (0, 5)),
    }  # fmt: skip
    if isinstance(sheet, str):
        return DynamixelMotor.of_servo(sheet, **own)
    return DynamixelMotor.of_data_sheet(sheet, rotor_inertia=rotor_inertia, **own)


def _sheet(voltage: float, torque: float, amps: float, rpm: float) -> DataSheet:
    return DataSheet(voltage=voltage, stall_torque=torque, stall_current=amps, no_load_speed=rpm * RPM)


def _within(rows: tuple[Register, ...], low: int, high: int) -> tuple[Register, ...]:
    """Limits of the supply [0.1 V] within this range."""
    return tuple(replace(r, low=low, high=high) if r.name in ("max_voltage", "min_voltage") else r for r in rows)


_PORTS = tuple(Register(f"external_port_mode_{k + 1}", 56 + k, 1, EEPROM, 3, 0, 3) for k in range(3))
_X540 = (*TABLE, *_PORTS, *(Register(f"external_port_data_{k + 1}", 152 + 2 * k, 2, RAM) for k in range(3)))
_NO_CURRENT = tuple(
    replace(r, name="present_load") if r.name == "present_current" else r
    for r in _within(TABLE, 60, 140)
    if r.name not in ("current_limit", "goal_current")
)
_FAST = tuple(
    replace(r, high=2047) if r.name == "velocity_limit" else replace(r, high=22) if r.name == "protocol_type" else r
    for r in SMALL
)
_X330 = (*_within(_FAST, 31, 70), Register("pwm_slope", 62, 1, EEPROM, 140, 1, 255))
_C330 = (*_within(_FAST, 55, 140), Register("pwm_slope", 62, 1, EEPROM, 255, 1, 255))
MILLIAMPERE = 1e-3

# Inertias of rotors that nobody has published are those of the sibling, by the square of the gear ratio
MODELS = {
    "xm430-w350": _row(1020, "xm430-w350"),
    "xm430-w210": _row(1030, "xm430-w210", velocity_limit=330),
    "xm540-w150": _row(
        1130, _sheet(12.0, 7.3, 4.4, 53.0), rows=_X540, rotor_inertia=0.0123 * (152.3 / 353.5) ** 2,
        velocity_limit=230, current_limit=2047,
    ),
    "xm540-w270": _row(
        1120, _sheet(12.0, 10.6, 4.4, 30.0), rows=_X540, rotor_inertia=0.0123 * (272.5 / 353.5) ** 2,
        velocity_limit=128, current_limit=2047,
    ),
    "xl430-w250": _row(
        1060, "xl430-w250", celsius=72.0, rows=_NO_CURRENT, current_unit=0.0, max_voltage=140, min_voltage=60,
        velocity_limit=265, velocity_i=1000, position_d=4000, position_p=640,
    ),
    "xl330-m288": _row(
        1200, "xl330-m288", celsius=70.0, rows=_X330, current_unit=MILLIAMPERE, max_voltage=70, min_voltage=35,
        current_limit=1750, velocity_limit=445, shutdown=53, velocity_i=1600, velocity_p=180, position_p=400,
    ),
    "xl330-m077": _row(
        1190, _sheet(5.0, 0.215, 1.47, 383.0), celsius=70.0, rows=_X330, current_unit=MILLIAMPERE, max_voltage=70,
        min_voltage=35, rotor_inertia=0.00181417 * (77.5 / 288.4) ** 2, current_limit=1750, velocity_limit=1620,
        shutdown=53, velocity_i=400, velocity_p=40, position_d=400, position_p=400,
    ),
    "xc330-t288": _row(
        1220, _sheet(11.1, 0.92, 0.80, 65.0), celsius=70.0, rows=_C330, current_unit=MILLIAMPERE, max_voltage=140,
        min_voltage=55, rotor_inertia=0.00181417, current_limit=910, velocity_limit=320, velocity_i=1200,
        velocity_p=40, position_p=900,
    ),
}  # fmt: skip
