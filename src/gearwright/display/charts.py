"""Charts as SVG: lines, stacked areas and points that travel, on linear or logarithmic axes.

Text is text and colours are classes of `style`, so that a chart follows the page into the dark and to a phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, isfinite, log10

import numpy as np

from gearwright.display.solids import Array
from gearwright.display.svg_text import text_width

WIDTH, HEIGHT = 440.0, 280.0
WIDE = 920.0  # of a chart that has a row to itself
LARGEST_TEXT = 13.0  # [px], on a phone: legends are laid out for it
LEFT, RIGHT, BOTTOM, HEAD, ROW = 46.0, 12.0, 40.0, 20.0, 18.0
COLUMNS = 480  # of points that a line is thinned to
CONSTANT = 1e-9  # of a value: a smaller range is rounding
STRAIGHT = 0.08  # what cannot be seen [px]
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, kw_only=True)
class ChartLine:
    """One quantity over another. `kind` adds to its look: dash, thin, or points in the place of a line."""

    label: str
    x: Array
    y: Array
    colour: str
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Area:
    """Between two curves; `pale` for what is a region, full colour for a part of a sum."""

    label: str
    x: Array
    low: Array
    high: Array
    colour: str
    pale: bool = False


@dataclass(frozen=True, kw_only=True)
class Note:
    """Words at a point of the chart."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    dx: float = 8.0  # [px]
    dy: float = 4.0  # [px]
    dot: str = ""  # the colour of a point there


@dataclass(frozen=True, kw_only=True)
class Traveller:
    """A point that goes along a path, for ever."""

    x: Array
    y: Array
    colour: str
    seconds: float  # of a round


@dataclass(frozen=True, kw_only=True)
class Chart:
    x_label: str
    y_label: str
    lines: Sequence[ChartLine] = ()
    areas: Sequence[Area] = ()
    notes: Sequence[Note] = ()
    travellers: Sequence[Traveller] = ()
    logarithmic: bool = False
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    label: str = field(default="")
    width: float = WIDTH  # [px]

    def svg(self) -> str:
        legend, rows = self._legend()
        frame = ChartFrame.of(self, HEAD + ROW * rows + 6)
        body = [
            *frame.axes(self),
            *(_area(area, frame) for area in self.areas),
            *(_line(line, frame) for line in self.lines),
            *(part for note in self.notes for part in _note(note, frame)),
            *(_travelling(t, frame) for t in self.travellers),
            *legend,
        ]
        head = (
            f'<svg class="chart" viewBox="0 0 {self.width:.0f} {HEIGHT:.0f}" width="{self.width:.0f}" '
            f'height="{HEIGHT:.0f}" role="img" aria-label="{escape(self.label or self.y_label)}">'
        )
        return head + "".join(body) + "</svg>"

    def _legend(self) -> tuple[list[str], int]:
        """The vertical axis is named first, then what is drawn, in as many rows as it takes."""
        parts = [f'<text class="unit" x="2" y="13">{escape(self.y_label)}</text>']
        entries: list[tuple[str, str, Area | ChartLine]] = [
            (a.label, f"{a.colour}-fill", a) for a in self.areas if a.label
        ]
        entries += [(line.label, line.colour, line) for line in self.lines if line.label]
        x, row = 2.0, 1
        for label, colour, what in entries:
            width = 26 + text_width(label, LARGEST_TEXT) + 12
            if x + width > self.width and x > 2:
                x, row = 2.0, row + 1
            y = HEAD + ROW * row - 10
            if isinstance(what, Area):
                kind = "pale" if what.pale else "area"
                parts.append(
                    f'<rect class="{kind} {colour}" x="{x:.1f}" y="{y - 5:.1f}" width="18" height="10" rx="2"/>'
                )
            elif what.kind == "points":
                parts.append(f'<circle class="dot {colour}-fill" cx="{x + 9:.1f}" cy="{y:.1f}" r="4.5"/>')
            else:
                parts.append(f'<path class="line {what.kind} {colour}" d="M{x:.1f} {y:.1f}h18"/>')
            parts.append(f'<text x="{x + 24:.1f}" y="{y + 4:.1f}">{escape(label)}</text>')
            x += width
        return parts, row if entries else 0


@dataclass(frozen=True, kw_only=True)
class ChartFrame:
    """Where numbers are in the picture."""

    x0: float
    x1: float
    y0: float  # exponents of ten where logarithmic
    y1: float
    top: float
    logarithmic: bool
    width: float  # [px]

    @staticmethod
    def of(chart: Chart, top: float) -> ChartFrame:
        xs = [line.x for line in chart.lines] + [area.x for area in chart.areas]
        ys = [line.y for line in chart.lines] + [y for area in chart.areas for y in (area.low, area.high)]
        x0, x1 = chart.x_range or (min(float(x.min()) for x in xs), max(float(x.max()) for x in xs))
        y0, y1 = chart.y_range or (min(float(y.min()) for y in ys), max(float(y.max()) for y in ys))
        if 0 < x0 < 0.02 * x1:  # the first step of a recording is not the beginning of time
            x0 = 0.0
        if chart.logarithmic:
            y0, y1 = log10(y0), log10(y1)
        elif chart.y_range is None:
            size = max(abs(y0), abs(y1))
            room = 0.06 * (y1 - y0) if y1 - y0 > CONSTANT * size else 0.2 * size or 1.0
            y0, y1 = (y0 if y0 == 0 else y0 - room), y1 + room
        return ChartFrame(x0=x0, x1=x1, y0=y0, y1=y1, top=top, logarithmic=chart.logarithmic, width=chart.width)

    def x(self, value: Array) -> Array:
        return LEFT + (value - self.x0) / (self.x1 - self.x0) * (self.width - LEFT - RIGHT)

    def y(self, value: Array) -> Array:
        if self.logarithmic:
            value = np.log10(np.maximum(np.abs(value), 10.0**self.y0))
        share = np.clip((value - self.y0) / (self.y1 - self.y0), -0.02, 1.02)
        placed: Array = HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - self.top)
        return placed

    def axes(self, chart: Chart) -> list[str]:
        bottom, right = HEIGHT - BOTTOM, self.width - RIGHT
        parts = []
        for value, name in _decades(self.y0, self.y1) if self.logarithmic else _ticks(self.y0, self.y1, 5):
            y = float(self.y(np.array(value)))
            parts.append(f'<path class="grid" d="M{LEFT:.0f} {y:.1f}H{right:.0f}"/>')
            parts.append(f'<text x="{LEFT - 8:.0f}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
        for value, name in _ticks(self.x0, self.x1, 6 if self.width == WIDTH else 12):
            x = float(self.x(np.array(value)))
            parts.append(f'<path class="axis" d="M{x:.1f} {bottom:.0f}v4"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 18:.0f}" text-anchor="middle">{name}</text>')
        parts.append(f'<path class="axis" d="M{LEFT:.0f} {bottom:.0f}H{right:.0f}"/>')
        if not self.logarithmic and self.y0 < 0 < self.y1:
            parts.append(f'<path class="axis" d="M{LEFT:.0f} {float(self.y(np.array(0.0))):.1f}H{right:.0f}"/>')
        parts.append(f'<text x="{right:.0f}" y="{HEIGHT - 5:.0f}" text-anchor="end">{escape(chart.x_label)}</text>')
        return parts


def _line(line: ChartLine, frame: ChartFrame) -> str:
    if line.kind == "points":
        at = zip(frame.x(line.x), frame.y(line.y), strict=True)
        return "".join(f'<circle class="dot {line.colour}-fill" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>' for x, y in at)
    x, y = _thinned(frame.x(line.x), frame.y(line.y))
    return f'<path class="line {line.kind} {line.colour}" d="M{_points(x, y)}"/>'


def _area(area: Area, frame: ChartFrame) -> str:
    x, high = _thinned(frame.x(area.x), frame.y(area.high))
    back, low = _thinned(frame.x(area.x), frame.y(area.low))
    kind = "pale" if area.pale else "area"
    return f'<path class="{kind} {area.colour}-fill" d="M{_points(x, high)} {_points(back[::-1], low[::-1])}z"/>'


def _note(note: Note, frame: ChartFrame) -> list[str]:
    x, y = float(frame.x(np.array(note.x))), float(frame.y(np.array(note.y)))
    dot = f'<circle class="dot {note.dot}-fill" cx="{x:.1f}" cy="{y:.1f}" r="5"/>' if note.dot else ""
    place = f'x="{x + note.dx:.1f}" y="{y + note.dy:.1f}" text-anchor="{note.anchor}"'
    return [dot, f'<text class="note" {place}>{escape(note.text)}</text>']


def _travelling(t: Traveller, frame: ChartFrame) -> str:
    """Moved by the picture itself; where that is not wanted it stands at the end."""
    every = np.unique(np.linspace(0, len(t.x) - 1, 90).round().astype(int))
    x, y = frame.x(t.x[every]), frame.y(t.y[every])
    moves = "".join(
        f'<animate attributeName="{name}" dur="{t.seconds:g}s" repeatCount="indefinite" '
        f'values="{";".join(f"{v:.1f}" for v in values)}"/>'
        for name, values in (("cx", x), ("cy", y))
    )
    return f'<circle class="dot {t.colour}-fill" cx="{x[-1]:.1f}" cy="{y[-1]:.1f}" r="7">{moves}</circle>'


def _points(x: Array, y: Array) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """No more points than can be distinguished: the lowest and highest of each column, of a line that turns back also
    the leftmost and rightmost."""
    n = len(x)
    if n > 4 * COLUMNS:
        kept, returns = {0, n - 1}, bool((np.diff(x) < 0).any())
        for part in np.array_split(np.arange(n), COLUMNS):
            for values in (x, y) if returns else (y,):
                kept |= {int(part[values[part].argmin()]), int(part[values[part].argmax()])}
        order = np.array(sorted(kept))
        x, y = x[order], y[order]
    corners = _corners(x, y)
    return x[corners], y[corners]


def _corners(x: Array, y: Array) -> Array:
    """Points that cannot be left out without moving the line by more than STRAIGHT (Ramer, Douglas and Peucker)."""
    kept, open_parts = {0, len(x) - 1}, [(0, len(x) - 1)]
    while open_parts:
        a, b = open_parts.pop()
        dx, dy = x[b] - x[a], y[b] - y[a]
        px, py = x[a + 1 : b] - x[a], y[a + 1 : b] - y[a]
        along = np.clip((px * dx + py * dy) / (float(dx * dx + dy * dy) or 1.0), 0.0, 1.0)
        away = np.hypot(px - along * dx, py - along * dy)  # from the stretch, not its line: a line may turn back on it
        if len(away) and away.max() > STRAIGHT:
            middle = a + 1 + int(away.argmax())
            kept.add(middle)
            open_parts += [(a, middle), (middle, b)]
    return np.array(sorted(kept))


def stairs(x: Array, y: Array) -> tuple[Array, Array]:
    """Points of a step function that holds each value until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def power_of_ten(value: float, unit: str) -> str:
    """`3.3·10⁻¹³ m`."""
    if value == 0:
        return f"0 {unit}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(SUPERSCRIPT)} {unit}"


def _ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Round numbers between two, and how they are written."""
    span = high - low
    if not (isfinite(span) and span > 0):
        return [(low, f"{low:g}")]
    power = 10.0 ** floor(log10(span / most))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m * most >= span)
    digits = max(0, -floor(log10(step) + 1e-9) + (1 if abs(step / power - 2.5) < 1e-9 else 0))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [(k * step, f"{k * step + 0.0:.{digits}f}".replace("-", "−")) for k in range(first, last + 1)]


def _decades(low: float, high: float) -> list[tuple[float, str]]:
    every = max(1, ceil((high - low) / 7))
    first = ceil(low / every - 1e-9) * every
    return [(10.0**k, f"10{str(k).translate(SUPERSCRIPT)}") for k in range(first, floor(high + 1e-9) + 1, every)]
