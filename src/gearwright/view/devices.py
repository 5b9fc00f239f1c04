"""Actuators and sensors in words, and a motor's torque-speed curve as a row of blocks."""

from __future__ import annotations

import itertools
from math import inf, isinf

from gearwright.model import Actuator, DCMotor, ElectricMotor, Encoder, LimitSwitch, PneumaticCylinder, Sensor, Solenoid
from gearwright.view.quantities import duration, force, inertia, length, number

_BLOCKS = "▁▂▃▄▅▆"  # not the two highest: lines below each other stay apart
Curve = tuple[tuple[float, float], ...]  # (speed [rad/s], torque [N·m]) …


def torque_speed(a: Actuator) -> Curve:
    """The curve of a motor that has one, before its drive's limit; otherwise nothing."""
    if isinstance(a, ElectricMotor) and a.curve:
        return a.curve
    if isinstance(a, ElectricMotor) and a.stall_torque and a.no_load_speed:
        return ((0.0, a.stall_torque), (a.no_load_speed, 0.0))
    if isinstance(a, DCMotor) and a.supply_voltage:
        V, k = a.supply_voltage, a.torque_constant
        return ((0.0, k * V / a.resistance), (V / k, 0.0))
    return ()


def blocks(a: Actuator, cells: int = 8) -> str:
    """`▆▆▅▄▃▂▁▁`: torque over speed from standstill to the highest, cut off at the drive's limit."""
    curve = torque_speed(a)
    if not curve:
        return ""
    top = min(max(t for _, t in curve), a.effort_limit) or 1.0
    fastest = curve[-1][0]
    heights = [min(_at(curve, fastest * i / (cells - 1)), a.effort_limit) / top for i in range(cells)]
    return "".join(_BLOCKS[round(max(0.0, min(h, 1.0)) * (len(_BLOCKS) - 1))] for h in heights)


def _at(curve: Curve, speed: float) -> float:
    """The torque at a speed, between two points of the table."""
    for (s0, t0), (s1, t1) in itertools.pairwise(curve):
        if speed <= s1:
            return t0 + (t1 - t0) * max(0.0, speed - s0) / (s1 - s0)
    return curve[-1][1]


def strength(a: Actuator) -> str:
    """Its limits: `50 mN·m stall, 780 rad/s free, held to 12 mN·m`."""
    parts: list[str] = []
    curve = torque_speed(a)
    if curve:
        parts += [f"{force(max(t for _, t in curve))} stall", f"{number(curve[-1][0])} rad/s free"]
    if isinstance(a, DCMotor):
        supply = [f"{number(a.supply_voltage)} V"] if a.supply_voltage else []
        parts += [*supply, f"{number(a.resistance)} Ω", f"{number(a.torque_constant)} N·m/A"]
    if isinstance(a, Solenoid):
        parts.append(f"{force(max(f for _, f in a.force_stroke), True)} over {length(a.force_stroke[-1][0])}")
    if isinstance(a, PneumaticCylinder):
        parts.append(f"{force(a.bore_area * a.supply_pressure, True)}, lag {duration(a.time_constant)}")
    if not isinf(a.effort_limit):
        parts.append(f"held to {force(a.effort_limit)}")
    if not isinf(a.velocity_limit):
        parts.append(f"up to {number(a.velocity_limit)} rad/s")
    return ", ".join(parts) or "no limits"


def losses(a: Actuator) -> str:
    """Rotor, friction and damping, where there are any."""
    parts = [f"rotor {inertia(a.rotor_inertia)}"] if a.rotor_inertia else []
    parts += [f"friction {force(a.friction)}"] if a.friction else []
    parts += [f"damping {number(a.damping)} N·m·s"] if a.damping else []
    return ", ".join(parts)


def sharpness(s: Sensor) -> str:
    """Resolution and sample time."""
    parts: list[str] = []
    if isinstance(s, Encoder):
        parts += [s.type, f"{number(s.resolution, 6)} counts" if s.resolution else "exact"]
        parts += [f"×{number(s.ratio)}"] if s.ratio != 1 else []
        parts += [f"offset {number(s.offset)}"] if s.offset else []
        parts += [word for word, given in (("wrapped", s.wrap), ("index", s.index)) if given]
        parts += [f"noise {number(s.noise)}"] if s.noise else []
    if isinstance(s, LimitSwitch):
        parts.append(f"closes {s.direction} {number(s.threshold)}")
    parts += [f"{number(s.update_rate)} Hz"] if s.update_rate < inf else []
    parts += [f"{duration(s.latency)} late"] if s.latency else []
    return ", ".join(parts)
