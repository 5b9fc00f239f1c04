"""Robotis Dynamixel servos."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

from gearwright.model.servos.data_sheet import RPM, DataSheet, NumberSource
from gearwright.model.servos.servo_model import ServoModel

SHEET = NumberSource(source="Robotis e-Manual", spread=0.05)
DERIVED = NumberSource(source="from the e-Manual's stall and no-load figures in closed form", spread=0.15)
OSCILLOSCOPE = NumberSource(
    source="Better Actuator Models (Rhoban), measured with an oscilloscope", licence="Apache-2.0", spread=0.05
)
MANUAL_GAINS = NumberSource(source="Robotis e-Manual: register over its divisor, counts to PWM")
GUESSED = NumberSource(source="not published: 6 % of the stall current", spread=0.5)
RELATED = NumberSource(source="not published: by the stall torque, from a related product", spread=0.5)
COUNTS = 4096 / (2 * pi)  # in a radian
MOST_PWM = 885.0  # of the register: all of the supply
MX_GAIN = 0.158 * 32  # [1/rad] at the P register's factory setting
XL320_GAIN = 0.05048199 * 32
X_GAIN = COUNTS / MOST_PWM / 128  # [1/rad] for each unit of the P register


def _bam(product: str) -> NumberSource:
    return NumberSource(source=f"Better Actuator Models (Rhoban), {product}, M1", licence="Apache-2.0", spread=0.2)


def _sheet(
    voltage: float, torque: float, amperes: float, rpm: float, ratio: float, mass: float,
    idle: float | None = None, counts: float = 4096.0,
) -> DataSheet:  # fmt: skip
    return DataSheet(
        voltage=voltage, stall_torque=torque, stall_current=amperes, no_load_speed=rpm * RPM, no_load_current=idle,
        gear_ratio=ratio, mass=mass, counts=counts,
    )  # fmt: skip


def _model(
    name: str,
    sheet: DataSheet,
    inertia: tuple[float, NumberSource],
    gain: tuple[float, NumberSource],
    duty: float = 1.0,
) -> ServoModel:
    return ServoModel(
        name=name, maker="Robotis", sheet=sheet, sheet_source=SHEET, derived=DERIVED,
        elsewhere={} if sheet.no_load_current is not None else {"no_load_current": GUESSED},
        numbers={
            "position_gain": gain, "duty_limit": (duty, gain[1]), "sample_rate": (1000.0, RELATED),
            "rotor_inertia": inertia,
        },
    )  # fmt: skip


MODELS: Mapping[str, ServoModel] = {
    m.name: m
    for m in (
        _model("mx64", _sheet(12.0, 6.0, 4.1, 63.0, 200.0, 0.135), (0.01195124, _bam("MX-64")),
               (MX_GAIN, OSCILLOSCOPE), 0.9625),
        _model("mx106", _sheet(12.0, 8.4, 5.2, 45.0, 225.0, 0.153), (0.02660923, _bam("MX-106")),
               (MX_GAIN, OSCILLOSCOPE), 0.9625),
        _model("xl320", _sheet(7.4, 0.39, 1.1, 114.0, 238.0, 0.0167, 0.18, 1024 * 360 / 300),
               (0.00111895, _bam("XL-320")), (XL320_GAIN, OSCILLOSCOPE)),
        _model("xl330-m288", _sheet(5.0, 0.52, 1.47, 103.0, 288.4, 0.018), (0.00181417, _bam("XL330-M288")),
               (400 * X_GAIN, MANUAL_GAINS)),
        _model("xl430-w250", _sheet(12.0, 1.5, 1.4, 61.0, 258.5, 0.0572), (0.0045, RELATED),
               (640 * X_GAIN, MANUAL_GAINS)),
        _model("xm430-w350", _sheet(12.0, 4.1, 2.3, 46.0, 353.5, 0.082), (0.0123, RELATED),
               (800 * X_GAIN, MANUAL_GAINS)),
        _model("xm430-w210", _sheet(12.0, 3.0, 2.3, 77.0, 212.6, 0.082), (0.0123 * (212.6 / 353.5) ** 2, RELATED),
               (800 * X_GAIN, MANUAL_GAINS)),
    )
}  # fmt: skip
