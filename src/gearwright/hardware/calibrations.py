"""LeRobot's calibration of simulated servos: what `lerobot-calibrate` would find out, from the file's limits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gearwright.errors import ModelError
from gearwright.hardware import shafts
from gearwright.hardware.protocols.register_servo import RegisterServo

if TYPE_CHECKING:
    from gearwright.hardware.rig import Rig

COUNTS, CENTRE = 4096, 2048  # of a turn; where a shaft stands at 0 rad
RADIAN = COUNTS / 6.283185307179586


def lerobot_calibration(rig: Rig) -> str:
    """JSON by joint: id, drive mode, homing offset, lowest and highest position [counts]. The servos store the same.

    They are mounted as the file says, their centre at the joint's zero: no homing offset is needed.
    """
    found: dict[str, dict[str, Any]] = {}
    for bound in rig.bound:
        device = rig.devices[bound.actuator]
        if not isinstance(device, RegisterServo):
            continue
        joint = next(iter(shafts.ratios(rig.plant.sim.robot, bound.actuator)), bound.actuator)
        low, high = (_count(end, default) for end, default in zip(device.drive.travel, (0, COUNTS - 1), strict=True))
        found[joint] = {"id": device.node, "drive_mode": 0, "homing_offset": 0, "range_min": low, "range_max": high}
        device.memory = {**device.memory, "homing_offset": 0, "min_position": low, "max_position": high}
        device.power_on(rig.time)
    if not found:
        raise ModelError("only Feetech and Dynamixel servos have a calibration: this robot has none")
    return json.dumps(found, indent=4) + "\n"


def _count(position: float, default: int) -> int:
    """Of a shaft's position [rad], within a turn."""
    if abs(position) > 1e6:  # no limit
        return default
    return max(0, min(COUNTS - 1, CENTRE + round(position * RADIAN)))
