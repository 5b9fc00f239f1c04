"""A small chart as SVG, without Matplotlib: curves of motors and transmissions, for light pages and dark ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from gearwright.display.quantities import number
from gearwright.display.svg_style import COLOURS
from gearwright.display.svg_text import text
from gearwright.model.poses import Array

WIDTH, HEIGHT = 360.0, 210.0  # [px]
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 30.0, 40.0


@dataclass(frozen=True, kw_only=True)
class ChartCurve:
    """y over x; where it is not finite there is no line. `filled`: with the area below it."""

    x: Array
    y: Array
    kind: str = "actuator"  # a colour of the mechanism graph
    filled: bool = False
    dashed: bool = False


def curve_svg(curves: Sequence[ChartCurve], x_label: str, y_label: str) -> str:
    """A complete document, that can stand in an <img>."""
    finite = [(c.x[ok], c.y[ok]) for c in curves if (ok := np.isfinite(c.x) & np.isfinite(c.y)).any()]
    if not finite:
        return ""
    xs, ys = np.concatenate([x for x, _ in finite]), np.concatenate([y for _, y in finite])
    x0, x1 = _range(xs.min(), xs.max(), 0.0)
    y0, y1 = _range(min(0.0, ys.min()), max(0.0, ys.max()), 0.06)
    place = _Frame(x0, x1, y0, y1)
    body = [*_axes(place), *(part for c in curves for part in _drawn(c, place))]
    body.append(text(4, 18, y_label, "name"))
    body.append(text(WIDTH - RIGHT, HEIGHT - 8, x_label, "tick", "end"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" width="{WIDTH:.0f}" '
        f'height="{HEIGHT:.0f}">{_style()}<rect class="page" width="100%" height="100%" rx="8"/>{"".join(body)}</svg>'
    )


@dataclass(frozen=True)
class _Frame:
    x0: float
    x1: float
    y0: float
    y1: float

    def x(self, value: Array) -> Array:
        return LEFT + (value - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: Array) -> Array:
        return HEIGHT - BOTTOM - (value - self.y0) / (self.y1 - self.y0) * (HEIGHT - BOTTOM - TOP)


def _range(low: float, high: float, room: float) -> tuple[float, float]:
    """With some room beyond the ends, but for one that is zero; a range of its own for a single value."""
    if low == high:
        return float(low), float(low) + max(abs(float(low)), 1.0)
    span = room * float(high - low)
    return float(low) - (span if low else 0.0), float(high) + (span if high else 0.0)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two."""
    power = 10.0 ** floor(log10((high - low) / most))
    step = next(power * m for m in (1, 2, 5, 10) if power * m * most >= high - low)
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _axes(place: _Frame) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for value in ticks(place.y0, place.y1, 4):
        y = float(place.y(np.array(value)))
        parts.append(f'<path class="grid" d="M{LEFT:.0f} {y:.1f}H{right:.0f}"/>')
        parts.append(text(LEFT - 7, y + 4, number(value, 3), "tick", "end"))
    for value in ticks(place.x0, place.x1, 5):
        x = float(place.x(np.array(value)))
        parts.append(text(x, bottom + 16, number(value, 3), "tick", "middle"))
    zero = float(place.y(np.array(0.0)))
    return [*parts, f'<path class="axis" d="M{LEFT:.0f} {zero:.1f}H{right:.0f}"/>']


def _drawn(curve: ChartCurve, place: _Frame) -> list[str]:
    """A path for each stretch that is finite."""
    parts = []
    ok = np.isfinite(curve.x) & np.isfinite(curve.y)
    for run in np.split(np.flatnonzero(ok), np.flatnonzero(np.diff(np.flatnonzero(ok)) > 1) + 1):
        if len(run) < 2:
            continue
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(place.x(curve.x[run]), place.y(curve.y[run]), strict=True))
        if curve.filled:
            base, ends = float(place.y(np.array(0.0))), place.x(curve.x[run])
            corners = f"M{ends[0]:.1f},{base:.1f} {points} {ends[-1]:.1f},{base:.1f}z"
            parts.append(f'<path class="fill-{curve.kind}" d="{corners}"/>')
        dash = ' stroke-dasharray="5 4"' if curve.dashed else ""
        parts.append(f'<path class="line-{curve.kind}" d="M{points}"{dash}/>')
    return parts


def _style() -> str:
    schemes = []
    for i in (0, 1):
        c = {role: pair[i] for role, pair in COLOURS.items()}
        rules = f".page{{fill:{c['page']}}}.tick{{fill:{c['soft']};font-size:11px}}.grid{{stroke:{c['rim']};"
        rules += f"stroke-width:.6}}.axis{{stroke:{c['edge']}}}.name{{fill:{c['ink']};font-size:12px;font-weight:600}}"
        for kind in ("actuator", "transmission", "soft"):
            rules += (
                f".line-{kind}{{fill:none;stroke:{c[kind]};stroke-width:2}}.fill-{kind}{{fill:{c[kind]};opacity:.15}}"
            )
        schemes.append(rules)
    font = "text{font-family:system-ui,-apple-system,'Segoe UI',Arial,'DejaVu Sans',sans-serif}"
    return f"<style>{font}{schemes[0]}@media (prefers-color-scheme:dark){{{schemes[1]}}}</style>"
