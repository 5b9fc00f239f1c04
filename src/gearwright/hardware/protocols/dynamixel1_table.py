"""Control tables of protocol 1.0, from ROBOTIS' e-manual, and the products that speak it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.hardware.motors import Motor
from gearwright.hardware.protocols.registers import EEPROM, RAM, READ_ONLY, Register
from gearwright.model.servos.data_sheet import RPM, DataSheet

LENGTH = 74  # addresses
LOOP_RATE = 1000.0  # [Hz]

AX = (
    Register("model", 0, 2, READ_ONLY, 12),
    Register("firmware", 2, 1, READ_ONLY, 24),
    Register("id", 3, 1, EEPROM, 1, 0, 253),
    Register("baud", 4, 1, EEPROM, 1, 0, 254),
    Register("return_delay", 5, 1, EEPROM, 250, 0, 254),
    Register("cw_limit", 6, 2, EEPROM, 0, 0, 1023),
    Register("ccw_limit", 8, 2, EEPROM, 1023, 0, 1023),
    Register("temperature_limit", 11, 1, EEPROM, 70, 0, 99),
    Register("min_voltage", 12, 1, EEPROM, 60, 50, 160),
    Register("max_voltage", 13, 1, EEPROM, 140, 50, 160),
    Register("max_torque", 14, 2, EEPROM, 1023, 0, 1023),
    Register("status_level", 16, 1, EEPROM, 2, 0, 2),
    Register("alarm_led", 17, 1, EEPROM, 36, 0, 127),
    Register("shutdown", 18, 1, EEPROM, 36, 0, 127),
    Register("torque_enable", 24, 1, RAM, 0, 0, 1),
    Register("led", 25, 1, RAM, 0, 0, 1),
    Register("cw_margin", 26, 1, RAM, 1),
    Register("ccw_margin", 27, 1, RAM, 1),
    Register("cw_slope", 28, 1, RAM, 32, 1),
    Register("ccw_slope", 29, 1, RAM, 32, 1),
    Register("goal_position", 30, 2, RAM, 0, 0, 1023),
    Register("moving_speed", 32, 2, RAM, 0, 0, 2047),
    Register("torque_limit", 34, 2, RAM, 1023, 0, 1023),
    Register("present_position", 36, 2, READ_ONLY),
    Register("present_speed", 38, 2, READ_ONLY),
    Register("present_load", 40, 2, READ_ONLY),
    Register("present_voltage", 42, 1, READ_ONLY),
    Register("present_temperature", 43, 1, READ_ONLY),
    Register("registered", 44, 1, READ_ONLY),
    Register("moving", 46, 1, READ_ONLY),
    Register("lock", 47, 1, RAM, 0, 0, 1),
    Register("punch", 48, 2, RAM, 32, 0, 1023),
)
_GAINS = ("cw_margin", "ccw_margin", "cw_slope", "ccw_slope")
_WIDE = {"ccw_limit": (4095, 4095), "cw_limit": (0, 4095), "goal_position": (0, 4095)}  # default and most
MX = tuple(
    replace(row, default=_WIDE[row.name][0], high=_WIDE[row.name][1]) if row.name in _WIDE else row
    for row in (
        *(r for r in AX if r.name not in _GAINS),
        Register("multi_turn_offset", 20, 2, EEPROM, 0),
        Register("resolution_divider", 22, 1, EEPROM, 1, 1, 4),
        Register("d", 26, 1, RAM, 0, 0, 254),
        Register("i", 27, 1, RAM, 0, 0, 254),
        Register("p", 28, 1, RAM, 32, 0, 254),
        Register("realtime_tick", 50, 2, READ_ONLY),
        Register("acceleration", 73, 1, RAM, 0, 0, 254),
    )
)


@dataclass(frozen=True, kw_only=True)
class Dynamixel1Motor(Motor):
    """A product: its table, and the angle that its sensor sees."""

    number: int
    rows: tuple[Register, ...] = AX
    degrees: float = 300.0  # of all positions
    positions: int = 1024
    speed_unit: float = 0.111  # [rpm]


def _mx(number: int, sheet: str | DataSheet) -> Dynamixel1Motor:
    own = {
        "number": number, "rows": MX, "degrees": 360.0, "positions": 4096, "speed_unit": 0.114, "loop_rate": LOOP_RATE,
        "over_temperature": 80.0,
    }  # fmt: skip
    if isinstance(sheet, str):
        return Dynamixel1Motor.of_servo(sheet, **own)
    return Dynamixel1Motor.of_data_sheet(sheet, **own)


MODELS = {
    "ax-12a": Dynamixel1Motor.of_data_sheet(
        DataSheet(
            voltage=12.0, stall_torque=1.5, stall_current=1.5, no_load_speed=59 * RPM, counts=1024 * 360 / 300,
        ),
        number=12, loop_rate=LOOP_RATE, over_temperature=70.0,
    ),
    "mx-28": _mx(29, DataSheet(voltage=12.0, stall_torque=2.5, stall_current=1.4, no_load_speed=55 * RPM)),
    "mx-64": _mx(310, "mx64"),
    "mx-106": _mx(320, "mx106"),
}  # fmt: skip
