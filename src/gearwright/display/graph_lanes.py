"""Lanes of the mechanism graph: where edges between rows run, beside everything that the rows between them hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

STEP = 8.0  # [px] from one lane to the next
Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Route:
    """From one row to others: edges of one origin share a lane, and leave it one by one."""

    source: int
    targets: tuple[int, ...]

    @property
    def rows(self) -> tuple[int, int]:
        """The first and the last."""
        return min(self.source, *self.targets), max(self.source, *self.targets)


def lanes(routes: Sequence[Route], edges: Sequence[float], clear: float, period: float = 0.0) -> list[float]:
    """x of each route: outside of `edges` of all rows that it passes, and apart from others that pass them.

    Short ones are next to the rows. `period` is the distance of lines that rows have of their own, which are kept free.
    """
    found: dict[int, float] = {}
    for i in sorted(range(len(routes)), key=lambda i: routes[i].rows[1] - routes[i].rows[0]):
        first, last = routes[i].rows
        x = max(edges[first : last + 1]) + clear
        taken = [found[j] for j in found if routes[j].rows[0] <= last and first <= routes[j].rows[1]]
        while any(abs(x - other) < STEP - 1e-6 for other in taken) or _on_a_line(x, edges, period):
            x += STEP / 2
        found[i] = x
    return [found[i] for i in range(len(routes))]


def _on_a_line(x: float, edges: Sequence[float], period: float) -> bool:
    """Whether x is too near to one of the lines along which the rows' tree runs."""
    return bool(period) and abs((x - edges[0] + period / 2) % period - period / 2) < 0.6 * STEP


def rounded(points: Sequence[Point], radius: float = 7.0) -> str:
    """The path of lines from point to point with round corners."""
    x, y = points[0]
    parts = [f"M{x:.1f} {y:.1f}"]
    for (ax, ay), (bx, by), (cx, cy) in zip(points, points[1:], points[2:], strict=False):
        before, after = _towards((bx, by), (ax, ay), radius), _towards((bx, by), (cx, cy), radius)
        parts.append(f"L{before[0]:.1f} {before[1]:.1f} Q{bx:.1f} {by:.1f} {after[0]:.1f} {after[1]:.1f}")
    x, y = points[-1]
    return " ".join([*parts, f"L{x:.1f} {y:.1f}"])


def _towards(a: Point, b: Point, distance: float) -> Point:
    length = ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2) ** 0.5
    share = min(distance, length / 2) / length if length else 0.0
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
