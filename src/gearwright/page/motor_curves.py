"""Each motor's torque-speed curve as a small drawing, with its operating point and a trace of where that was."""

from __future__ import annotations

import time
from collections.abc import Mapping
from html import escape
from math import floor, inf, isfinite, log10

import numpy as np

from gearwright.display.devices import strength
from gearwright.display.quantities import number
from gearwright.display.visible import visible
from gearwright.model import Actuator
from gearwright.page.controls import Controls
from gearwright.page.motion import ShownMotion
from gearwright.sim.state.units import actuator_units

PAGE = 6  # motors at a time
PERIOD = 0.1  # [s] between two drawings
TRAIL = 400  # points of a trace
WIDTH, HEIGHT, EDGE = 280.0, 120.0, 6.0  # [px]
CURVE, POINT = "#2f7fc1", "#e2583e"
SAMPLES = 33


class MotorCurves:
    """Drawings of some motors; of robots with many a menu chooses which."""

    def __init__(self, controls: Controls, motion: ShownMotion) -> None:
        self._motion, self._names = motion, list(motion.robot.actuators)
        pages = [self._names[k : k + PAGE] for k in range(0, len(self._names), PAGE)]
        first = [PAGE * k + 1 for k in range(len(pages))]
        self._pages = {f"{k}–{k + len(p) - 1} of {len(self._names)}": p for k, p in zip(first, pages, strict=True)}
        self._choice = None
        if len(pages) > 1:
            self._choice = controls.menu("motors", list(self._pages), next(iter(self._pages)), lambda _: self._turn())
        self._drawings = [controls.gui.add_html("") for _ in range(min(PAGE, len(self._names)))]
        self._drawn = -inf
        self.refresh()

    def _shown(self) -> list[str]:
        return self._pages[self._choice.value if self._choice else next(iter(self._pages))]

    def _turn(self) -> None:
        self._drawn = -inf
        self.refresh()

    def refresh(self) -> None:
        now = time.monotonic()
        if self._motion.playing and now - self._drawn < PERIOD:
            return
        self._drawn = now
        names = self._shown()
        for k, handle in enumerate(self._drawings):
            content = self._draw(names[k]) if k < len(names) else ""
            if handle.content != content:
                handle.content = content

    def _draw(self, name: str) -> str:
        speeds, torques = self._motion.trace(name)
        every = -(-len(speeds) // TRAIL) or 1
        trace = [(float(s), float(t)) for s, t in zip(speeds[::every], torques[::every], strict=True)]
        robot, point = self._motion.robot, self._motion.operating_point(name)
        return drawing(robot.actuators[name], point, [*trace, point], actuator_units(robot, name))


def drawing(
    actuator: Actuator, point: tuple[float, float], trace: list[tuple[float, float]], units: Mapping[str, str]
) -> str:
    """HTML: a name, the curve in all four quadrants with numbers on its axes, the recent trace, and the point."""
    fastest, strongest = _ranges(actuator, trace)
    body = list[str]()
    for side in _curves(actuator, fastest):
        line = " ".join(_place(s, t, fastest, strongest) for s, t in side)
        body.append(f'<polyline points="{line}" fill="none" stroke="{CURVE}" stroke-width="1.8"/>')
    body += _axes(fastest, strongest, units)
    line = " ".join(_place(s, t, fastest, strongest) for s, t in trace)
    x, y = _place(*point, fastest, strongest).split(",")
    body.append(f'<polyline points="{line}" fill="none" stroke="{POINT}" stroke-width="1.3" opacity=".5"/>')
    body.append(f'<circle cx="{x}" cy="{y}" r="4.5" fill="{POINT}"/>')
    speed, torque = point
    return (
        f'<div style="padding:2px 12px 10px"><div style="display:flex;justify-content:space-between;font-size:13px">'
        f"<b>{escape(visible(actuator.name))}</b>"
        f"<span>{number(torque, 3)} {units['torque']} at {number(speed, 3)} {units['velocity']}</span></div>"
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" style="display:block;width:100%;height:auto" role="img">'
        f'{"".join(body)}</svg><div style="font-size:11px;opacity:.65">{escape(strength(actuator))}</div></div>'
    )


def _axes(fastest: float, strongest: float, units: Mapping[str, str]) -> list[str]:
    """Both axes with a round number to each side, and their units at the ends."""
    x, y = WIDTH / 2, HEIGHT / 2
    speed, torque = round_number(fastest), round_number(strongest)
    found = [_line(0, y, WIDTH, y), _line(x, 0, x, HEIGHT)]
    found += [_label(WIDTH, y - 4, units["velocity"], "end"), _label(x + 5, 9, units["torque"], "start")]
    for side in (-1, 1):
        at, _ = map(float, _place(side * speed, 0.0, fastest, strongest).split(","))
        found += [_line(at, y - 3, at, y + 3), _label(at, y + 12, number(side * speed, 3), "middle")]
        _, at = map(float, _place(0.0, side * torque, fastest, strongest).split(","))
        found += [_line(x - 3, at, x + 3, at), _label(x - 6, at + 3, number(side * torque, 3), "end")]
    return found


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" opacity=".3"/>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    """With a rim of the background's colour, so that a curve does not run through it."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="9" fill="currentColor" fill-opacity=".65" '
        f'stroke="var(--mantine-color-body)" stroke-width="3" paint-order="stroke">{escape(text)}</text>'
    )


def round_number(most: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above nine tenths of it."""
    power = 10.0 ** floor(log10(0.9 * most))
    return next(k * power for k in (5.0, 2.0, 1.0) if k * power <= 0.9 * most)


def _ranges(actuator: Actuator, trace: list[tuple[float, float]]) -> tuple[float, float]:
    """Highest speed and torque that the drawing has room for."""
    speeds = [abs(s) for s, _ in (*actuator.torque_speed, *trace)]
    torques = [abs(t) for _, t in trace]
    torques += [min(t, actuator.effort_limit) for _, t in actuator.torque_speed]
    speeds += [actuator.velocity_limit] if isfinite(actuator.velocity_limit) else []
    torques += [actuator.effort_limit] if isfinite(actuator.effort_limit) else []
    return 1.08 * max(speeds, default=0.0) or 1.0, 1.15 * max(torques, default=0.0) or 1.0


def _curves(actuator: Actuator, fastest: float) -> list[list[tuple[float, float]]]:
    """The most it gives at each speed, forwards and backwards; nothing for a source without limits."""
    points = actuator.torque_speed
    if not points and not isfinite(actuator.effort_limit):
        return []
    speeds = np.unique([*np.linspace(-fastest, fastest, SAMPLES), *(s for s, _ in points), *(-s for s, _ in points)])
    forward = [(float(s), _most(actuator, float(s))) for s in speeds]
    return [forward, [(-s, -t) for s, t in forward]]


def _most(actuator: Actuator, speed: float) -> float:
    """The highest torque at a speed: of the curve, whose first and last lines go on, and of the drive."""
    limit, points = actuator.effort_limit, actuator.torque_speed
    if speed > actuator.velocity_limit:
        return 0.0
    if not points:
        return float(limit)
    s, t = np.array(points).T
    if speed <= s[0]:
        torque = t[0] + (t[1] - t[0]) / (s[1] - s[0]) * (speed - s[0])
    elif speed >= s[-1]:
        torque = t[-1] + (t[-1] - t[-2]) / (s[-1] - s[-2]) * (speed - s[-1])
    else:
        torque = float(np.interp(speed, s, t))
    return float(np.clip(torque, -limit, limit))


def _place(speed: float, torque: float, fastest: float, strongest: float) -> str:
    x = WIDTH / 2 + (WIDTH / 2 - EDGE) * float(np.clip(speed / fastest, -1.0, 1.0))
    y = HEIGHT / 2 - (HEIGHT / 2 - EDGE) * float(np.clip(torque / strongest, -1.0, 1.0))
    return f"{x:.1f},{y:.1f}"
