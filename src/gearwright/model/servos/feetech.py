"""Feetech's serial bus servos."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

from gearwright.model.servos.data_sheet import KGF_CM, RPM, UNCHECKED, DataSheet, NumberSource
from gearwright.model.servos.servo_model import ServoModel

COUNT = 2 * pi / 4096  # [rad]
SHEET = NumberSource(source="Feetech's product sheet", spread=0.1, note=UNCHECKED)
SPECIFIED = NumberSource(source="Feetech's product specification, edition A/0 (STS3215 2020, C044 2025)", spread=0.1)
QUOTED = NumberSource(source="Feetech's product specification, as others quote it", spread=0.1)
WAVESHARE = NumberSource(source="Waveshare's page of the SC09, by which name it sells the SCS0009", spread=0.1)
TESTED = NumberSource(
    source="Feetech's product sheet, as Robonine's test reports quote it",
    spread=0.1,
    note="their STS3215 with 12 V stalled at 3.4 N·m and turned at 46 rpm; about 1° of backlash",
)
BAM = NumberSource(source="Better Actuator Models (Rhoban), STS3215 at 7.4 V, M1", licence="Apache-2.0", spread=0.2)
OSCILLOSCOPE = NumberSource(
    source="Better Actuator Models (Rhoban), measured with an oscilloscope", licence="Apache-2.0", spread=0.05
)
REGISTERS = NumberSource(source="Feetech's memory table, factory settings")
DERIVED = NumberSource(source="from the sheet's stall and no-load figures in closed form", spread=0.15)
SCALED = NumberSource(
    source="Better Actuator Models (Rhoban), STS3215 with 1:345, by the square of the ratio", licence="Apache-2.0",
    spread=0.3,
)  # fmt: skip
RECORDED = NumberSource(
    source="fitted to three recordings of an STS3250 by Better Actuator Models (Rhoban)", licence="Apache-2.0",
    spread=0.1, note="goals as straight lines between the samples of the log",
)  # fmt: skip
GUESSED = NumberSource(source="not published: 6 % of the stall current", spread=0.5)
RELATED = NumberSource(source="not published: by the stall torques, from a related product", spread=0.5)

DUTY_PER_RAD = 0.166  # for each unit of the P register
P = 32.0  # the register's factory setting
MOST_DUTY = 0.97
INERTIA = 0.02840336  # [kg·m²] of the STS3215 with 1:345, at its output shaft
SPEED = 3400 * COUNT  # [rad/s] that the goal moves with, at most

_FIRMWARE = {
    "position_gain": (DUTY_PER_RAD * P, OSCILLOSCOPE), "duty_limit": (MOST_DUTY, OSCILLOSCOPE),
    "goal_speed": (SPEED, REGISTERS), "dead_zone": (COUNT, REGISTERS), "sample_rate": (1000.0, SHEET),
}  # fmt: skip


def _sheet(
    voltage: float, kgf_cm: float, rpm: float, amperes: float, ratio: float, idle: float | None, mass: float
) -> DataSheet:
    return DataSheet(
        voltage=voltage, stall_torque=kgf_cm * KGF_CM, no_load_speed=rpm * RPM, stall_current=amperes,
        no_load_current=idle, gear_ratio=ratio, mass=mass,
    )  # fmt: skip


def _sts3215(
    name: str, sheet: DataSheet, source: NumberSource = SPECIFIED, elsewhere: Mapping[str, NumberSource] | None = None
) -> ServoModel:  # fmt: skip
    """`elsewhere`: sources of figures that are not from `source`."""
    assert sheet.gear_ratio is not None
    inertia = INERTIA * (sheet.gear_ratio / 345) ** 2
    return ServoModel(
        name=name, maker="Feetech", sheet=sheet, sheet_source=source, derived=DERIVED,
        elsewhere=elsewhere or {},
        numbers={**_FIRMWARE, "rotor_inertia": (inertia, BAM if sheet.gear_ratio == 345 else SCALED)},
    )  # fmt: skip


STS3250 = _sheet(12.0, 50.0, 75.2, 6.1, 345.0, None, 0.0745)
_STS3250_NUMBERS = {
    **{name: x for name, x in _FIRMWARE.items() if name != "goal_speed"},  # it follows goals of 12 rad/s
    "rotor_inertia": (0.0095, RECORDED), "delay": (0.013, RECORDED),
}  # fmt: skip

MODELS: Mapping[str, ServoModel] = {
    m.name: m
    for m in (
        _sts3215("sts3215", _sheet(7.4, 19.5, 52.0, 2.5, 345.0, 0.15, 0.055)),  # C001
        _sts3215("sts3215-191", _sheet(7.4, 27.4, 86.0, 3.8, 191.0, 0.42, 0.055)),  # C044
        _sts3215("sts3215-147", _sheet(7.4, 14.4, 106.0, 3.3, 147.0, None, 0.055), QUOTED,
                 {"no_load_current": GUESSED}),  # C046
        _sts3215("sts3215-12v", _sheet(12.0, 30.0, 45.0, 2.7, 345.0, 0.18, 0.055), TESTED,
                 {"stall_current": SHEET, "no_load_current": SHEET}),  # C018
        ServoModel(
            name="sts3250", maker="Feetech", sheet=STS3250, sheet_source=TESTED, derived=DERIVED,
            elsewhere={"stall_current": RECORDED, "no_load_current": GUESSED, "mass": SHEET},
            numbers=_STS3250_NUMBERS,
        ),
        ServoModel(
            name="sts3250-m1", maker="Feetech", sheet=STS3250, sheet_source=TESTED, derived=RECORDED,
            elsewhere={"stall_current": RECORDED, "no_load_current": GUESSED, "mass": SHEET},
            numbers=_STS3250_NUMBERS, friction={"kinetic": (0.0294, RECORDED), "viscous": (0.07, RECORDED)},
            winding=((1.466, RECORDED), (1.77, RECORDED)),
        ),
        ServoModel(
            name="scs0009", maker="Feetech",
            sheet=DataSheet(
                voltage=6.0, stall_torque=2.3 * KGF_CM, no_load_speed=100.0 * RPM, stall_current=1.0,
                no_load_current=0.15, mass=0.013, counts=1024 * 360 / 300,
            ),
            sheet_source=WAVESHARE, derived=DERIVED, elsewhere={"mass": SHEET},
            numbers={
                "position_gain": (DUTY_PER_RAD * P, RELATED), "duty_limit": (MOST_DUTY, RELATED),
                "dead_zone": (5.236 / 1024, REGISTERS), "sample_rate": (500.0, RELATED),
                "rotor_inertia": (0.0007, RELATED),
            },
        ),
    )
}  # fmt: skip
