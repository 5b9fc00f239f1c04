"""A few shapes as SVG text: what the drawings of the concepts are made of. Coordinates in pixels, y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import atan2, cos, hypot, pi, sin

INK, SOFT, LINE, FILL = "#1f2430", "#5b6472", "#aab2bf", "#f1f4f8"
BLUE, ORANGE, GREEN, PINK, RED = "#0072b2", "#d98e00", "#009e73", "#b9609a", "#c8442f"
Point = tuple[float, float]


class Canvas:
    """A drawing on a light ground, so that it reads on dark pages too."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.size = (width, height)
        self.parts: list[str] = []
        self.title = title

    def svg(self) -> str:
        width, height = self.size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f"font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"14\">"
        )
        ground = f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", ground, *self.parts, "</svg>", ""])

    # --- shapes -----------------------------------------------------------------------------------------------------

    def line(
        self, points: Sequence[Point], colour: str = INK, width: float = 2, dash: str = "", fill: str = "none"
    ) -> None:
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<polyline points="{text}" fill="{fill}" stroke="{colour}" stroke-width="{width:g}" '
            f'stroke-linejoin="round" stroke-linecap="round"{dashed}/>'
        )

    def area(self, points: Sequence[Point], colour: str, opacity: float = 0.15) -> None:
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{text}" fill="{colour}" fill-opacity="{opacity:g}"/>')

    def arrow(self, start: Point, end: Point, colour: str = INK, width: float = 2, both: bool = False) -> None:
        angle = atan2(end[1] - start[1], end[0] - start[0])
        self.line([start, end], colour, width)
        for tip, turn in ((end, angle), *(((start, angle + pi),) if both else ())):
            wings = [(tip[0] - 10 * cos(turn + s), tip[1] - 10 * sin(turn + s)) for s in (0.42, -0.42)]
            self.line([wings[0], tip, wings[1]], colour, width)

    def circle(self, at: Point, radius: float, colour: str = INK, fill: str = "#ffffff", width: float = 2) -> None:
        self.parts.append(
            f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:g}" fill="{fill}" stroke="{colour}" '
            f'stroke-width="{width:g}"/>'
        )

    def box(self, x: float, y: float, w: float, h: float, text: str = "", colour: str = LINE, fill: str = FILL) -> None:
        """A box with its words in the middle; lines are separated by \\n."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="6" fill="{fill}" stroke="{colour}" '
            'stroke-width="1.5"/>'
        )
        lines = text.split("\n") if text else []
        for k, words in enumerate(lines):
            self.text((x + w / 2, y + h / 2 + 5 + 18 * (k - (len(lines) - 1) / 2)), words, anchor="middle")

    def text(
        self, at: Point, words: str, colour: str = INK, anchor: str = "start", size: float = 14, italic: bool = False
    ) -> None:  # fmt: skip
        style = ' font-style="italic"' if italic else ""
        self.parts.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{colour}" text-anchor="{anchor}" '
            f'font-size="{size:g}"{style}>{escape(words)}</text>'
        )

    # --- of machines ------------------------------------------------------------------------------------------------

    def gear(self, at: Point, radius: float, teeth: int, colour: str, turn: float = 0.0) -> None:
        """A wheel with teeth of equal size on any radius, its hub and a mark."""
        points = []
        for k in range(4 * teeth):
            angle = turn + 2 * pi * (k + 0.5) / (4 * teeth)
            r = radius + (4.5 if k % 4 in (0, 1) else -4.5)
            points.append((at[0] + r * cos(angle), at[1] + r * sin(angle)))
        self.line([*points, points[0]], colour, 1.8, fill=FILL)
        self.circle(at, 6, colour)
        self.line([at, (at[0] + (radius - 8) * cos(turn), at[1] + (radius - 8) * sin(turn))], colour, 2)

    def hatch(self, start: Point, end: Point, side: float = 1.0) -> None:
        """Ground, or a stop: a line with strokes on one side."""
        length = hypot(end[0] - start[0], end[1] - start[1])
        ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        self.line([start, end], INK, 2.5)
        for k in range(int(length // 9) + 1):
            x, y = start[0] + 9 * k * ux, start[1] + 9 * k * uy
            self.line([(x, y), (x - 7 * ux - 7 * side * uy, y - 7 * uy + 7 * side * ux)], SOFT, 1)

    def axes(self, x: float, y: float, w: float, h: float, across: str, up: str, zero: float = 1.0) -> None:
        """Axes of a small plot; `zero` is where the horizontal one is, from the top."""
        self.arrow((x, y + h), (x, y - 6), SOFT, 1.3)
        self.arrow((x, y + zero * h), (x + w + 8, y + zero * h), SOFT, 1.3)
        self.text((x + w + 4, y + zero * h + 18), across, SOFT, "end", 12)
        self.text((x + 8, y + 4), up, SOFT, "start", 12)
