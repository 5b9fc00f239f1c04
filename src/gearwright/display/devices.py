"""Actuators and sensors in words, and a motor's torque-speed curve as a row of blocks."""

from __future__ import annotations

import itertools
from math import inf, isinf

from gearwright.display.quantities import duration, force, highlight_text, inertia, number
from gearwright.model import Actuator, Sensor

_BLOCKS = "▁▂▃▄▅▆"  # not the two highest: lines below each other stay apart
Curve = tuple[tuple[float, float], ...]  # (speed [rad/s], torque [N·m]) …


def blocks(a: Actuator, cells: int = 8) -> str:
    """`▆▆▅▄▃▂▁▁`: torque over speed from standstill to the highest, cut off at the drive's limit."""
    curve = a.torque_speed
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
    curve = a.torque_speed
    if curve:
        parts += [f"{force(max(t for _, t in curve))} stall", f"{number(curve[-1][0])} rad/s free"]
    parts += map(highlight_text, a.highlights())
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
    parts = [highlight_text(h) for h in s.highlights()]
    parts += [f"{number(s.update_rate)} Hz"] if s.update_rate < inf else []
    parts += [f"{duration(s.latency)} late"] if s.latency else []
    return ", ".join(parts)
