"""Drives with a brushless motor on a CAN bus: their torque is limited by current, their speed by the supply."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.model.servos.data_sheet import RPM, UNCHECKED, DataSheet, NumberSource
from gearwright.model.servos.servo_model import ServoModel

SHEET = NumberSource(source="the maker's product sheet", spread=0.15, note=UNCHECKED)
QUOTED = NumberSource(source="the maker's product sheet, as resellers quote it", spread=0.15)
PAPER = NumberSource(
    source="Katz, A low cost modular actuator for dynamic robots (MIT, 2018)",
    spread=0.1,
    note=f"a prototype; {UNCHECKED}",
)
OURS = NumberSource(source="chosen: 40 rad/s and a damping ratio of 1 with the rotor's inertia alone")
ROTOR = NumberSource(source="the maker's rotor inertia times the square of the ratio", spread=0.15, note=UNCHECKED)
KSCALE = NumberSource(source="K-Scale Labs, metadata of the K-Bot's actuators: armature at the output", spread=0.2)
GUESSED = NumberSource(source="a guess, from drives of its size", spread=0.5)
NATURAL = 40.0  # [rad/s] of the position drive with its own rotor


def _drive(
    name: str, maker: str, voltage: float, rated: float, peak: float, rpm: float, ratio: float, inertia: float,
    mass: float, source: NumberSource = SHEET, speed: NumberSource | None = None, rotor: NumberSource = ROTOR,
) -> ServoModel:  # fmt: skip
    """`inertia` of the rotor, at the output shaft [kg·m²]; `speed`: source of `rpm`, if it is another."""
    return ServoModel(
        name=name, maker=maker, sheet_source=source, derived=source,
        sheet=DataSheet(voltage=voltage, stall_torque=peak, rated_torque=rated, no_load_speed=rpm * RPM,
                        gear_ratio=ratio, mass=mass, counts=65536.0),
        elsewhere={} if speed is None else {"no_load_speed": speed},
        numbers={
            "rotor_inertia": (inertia, rotor), "stiffness": (inertia * NATURAL**2, OURS),
            "damping_gain": (2 * inertia * NATURAL, OURS),
        },
    )  # fmt: skip


MODELS: Mapping[str, ServoModel] = {
    m.name: m
    for m in (
        #       name            maker            V    rated  peak   rpm    ratio  inertia         mass
        _drive("mini-cheetah", "MIT", 24.0, 6.9, 17.0, 382.0, 6.0, 5.7e-5 * 6**2, 0.48, PAPER),
        _drive("ak60-6", "CubeMars", 24.0, 3.0, 9.0, 420.0, 6.0, 2.435e-5 * 6**2, 0.315),
        _drive("ak70-10", "CubeMars", 24.0, 8.3, 24.8, 235.0, 10.0, 4.14e-5 * 10**2, 0.521),
        _drive("ak80-9", "CubeMars", 48.0, 9.0, 18.0, 570.0, 9.0, 6.07e-5 * 9**2, 0.485),
        _drive("ak80-64", "CubeMars", 48.0, 48.0, 120.0, 57.0, 64.0, 5.645e-5 * 64**2, 0.85, QUOTED, SHEET),
        _drive("ak10-9", "CubeMars", 48.0, 18.0, 48.0, 320.0, 9.0, 1.002e-4 * 9**2, 0.96, QUOTED, SHEET),
        _drive("dm4310", "Damiao", 24.0, 3.0, 7.0, 200.0, 10.0, 1.8e-5 * 10**2, 0.30, rotor=GUESSED),
        _drive("dm4340", "Damiao", 24.0, 9.0, 27.0, 52.0, 40.0, 1.8e-5 * 40**2, 0.362, QUOTED, rotor=GUESSED),
        _drive("dm8009", "Damiao", 48.0, 20.0, 40.0, 320.0, 9.0, 9.0e-5 * 9**2, 0.896, QUOTED, SHEET, GUESSED),
        _drive("rs00", "RobStride", 48.0, 5.0, 14.0, 315.0, 10.0, 0.001, 0.31, QUOTED, SHEET, KSCALE),
        _drive("rs02", "RobStride", 48.0, 6.0, 17.0, 410.0, 7.75, 0.0042, 0.405, QUOTED, rotor=KSCALE),
        _drive("rs03", "RobStride", 48.0, 20.0, 60.0, 195.0, 9.0, 0.02, 0.88, QUOTED, SHEET, KSCALE),
        _drive("rs04", "RobStride", 48.0, 40.0, 120.0, 200.0, 9.0, 0.04, 1.42, SHEET, rotor=KSCALE),
    )
}  # fmt: skip
