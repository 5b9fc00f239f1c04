"""Products of the family: the ranges that their numbers are mapped to. One row per product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from gearwright.hardware.motors import Motor


@dataclass(frozen=True, kw_only=True)
class MitMotor(Motor):
    """A drive whose frames map ±range to whole numbers."""

    position_range: float = 12.5  # [rad]
    velocity_range: float = 45.0  # [rad/s]
    torque_range: float = 18.0  # [N·m]
    kp_range: float = 500.0  # [N·m/rad], from 0
    kd_range: float = 5.0  # [N·m·s/rad], from 0


def _row(p: float, v: float, t: float, kp: float = 500.0, kd: float = 5.0, supply: float = 24.0) -> MitMotor:
    """The drive gives what its frames can ask for; winding and friction are those of the file."""
    return MitMotor(
        position_range=p, velocity_range=v, torque_range=t, kp_range=kp, kd_range=kd, supply_voltage=supply,
        current_limit=t if t < inf else inf, rated_torque=t, counts=65536.0 / (2 * p) * 6.283185307179586,
        over_temperature=100.0,
    )  # fmt: skip


MINI_CHEETAH: Mapping[str, Motor] = {
    "mini-cheetah": _row(12.5, 65.0, 18.0),
}

CUBEMARS: Mapping[str, Motor] = {
    "AK80-9": _row(12.5, 50.0, 18.0, supply=48.0),
    "AK10-9": _row(12.5, 50.0, 65.0, supply=48.0),
    "AK60-6": _row(12.5, 45.0, 15.0),
    "AK70-10": _row(12.5, 50.0, 25.0),
    "AK80-6": _row(12.5, 76.0, 12.0, supply=48.0),
    "AK80-8": _row(12.5, 37.5, 32.0, supply=48.0),
    "AK80-64": _row(12.5, 8.0, 144.0, supply=48.0),
}

DAMIAO: Mapping[str, Motor] = {
    "4310": _row(12.5, 30.0, 10.0),
    "3507": _row(12.566, 50.0, 5.0),
    "4310P": _row(12.5, 50.0, 10.0),
    "4340": _row(12.5, 10.0, 28.0),
    "4340P": _row(12.5, 10.0, 28.0),
    "4340/8": _row(12.5, 8.0, 28.0),  # as OpenArm's software maps it
    "6006": _row(12.5, 45.0, 20.0),
    "8006": _row(12.5, 45.0, 40.0),
    "8009": _row(12.5, 45.0, 54.0),
    "10010L": _row(12.5, 25.0, 200.0, supply=48.0),
    "10010": _row(12.5, 20.0, 200.0, supply=48.0),
    "H3510": _row(12.5, 280.0, 1.0),
    "G6215": _row(12.5, 45.0, 10.0),
    "H6220": _row(12.5, 45.0, 10.0),
    "JH11": _row(12.5, 10.0, 12.0),
    "6248P": _row(12.566, 20.0, 120.0, supply=48.0),
}

ROBSTRIDE: Mapping[str, Motor] = {
    "RS02": _row(12.57, 44.0, 17.0, supply=48.0),
    "RS00": _row(12.57, 33.0, 14.0, supply=48.0),
    "RS01": _row(12.57, 44.0, 17.0, supply=36.0),
    "RS03": _row(12.57, 20.0, 60.0, 5000.0, 100.0, 48.0),
    "RS04": _row(12.57, 15.0, 120.0, 5000.0, 100.0, 48.0),
    "RS05": _row(12.57, 50.0, 5.5, supply=48.0),
    "RS06": _row(12.57, 50.0, 36.0, 5000.0, 100.0, 48.0),
}
