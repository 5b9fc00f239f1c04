"""Edges of the mechanism graph: the tree, and beside it couplings, transmissions of several joints, and loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gearwright.display.graph_cells import Cell
from gearwright.display.graph_chips import CHIP
from gearwright.display.graph_lanes import Point, Route, rounded
from gearwright.display.graph_layout import BOX, RADIUS, GraphLayout
from gearwright.display.svg_text import tooltip
from gearwright.model import Coupling, Mechanism

SIDE = 5.0  # [px] beside a knob's middle, where edges leave and arrive that are no part of the tree
REACH = (RADIUS**2 - SIDE**2) ** 0.5


@dataclass(frozen=True, kw_only=True)
class Routes:
    """All edges beside the tree, and what each of them is."""

    leaders: dict[int, list[tuple[Coupling, int]]]  # row of a leader → its couplings and the rows of their followers
    gears: list[tuple[int, int, tuple[int, ...]]]  # row and chip of a transmission → rows of its further joints
    loops: list[tuple[int, int]]  # row that closes a loop → row of the link

    @staticmethod
    def of(m: Mechanism, cells: list[Cell], rows: dict[str, int], homes: dict[str, int]) -> Routes:
        leaders: dict[int, list[tuple[Coupling, int]]] = {}
        for c in m.couplings.values():
            follower = rows.get(c.follower.joint)
            for leader in dict.fromkeys(rows.get(term.axis.joint) for term in c.leaders):
                if leader is not None and follower is not None and leader != follower:
                    leaders.setdefault(leader, []).append((c, follower))
        closing = [(i, homes.get(c.row.links[0])) for i, c in enumerate(cells) if c.row.closes]
        return Routes(
            leaders=leaders, gears=list(_gears(m, cells, rows)), loops=[(i, j) for i, j in closing if j is not None]
        )

    @property
    def left(self) -> list[Route]:
        own = [Route(source=row, targets=tuple(f for _, f in found)) for row, found in self.leaders.items()]
        return own + [Route(source=row, targets=targets) for row, _, targets in self.gears]

    @property
    def right(self) -> list[Route]:
        return [Route(source=i, targets=(j,)) for i, j in self.loops]


def _gears(m: Mechanism, cells: list[Cell], rows: dict[str, int]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Transmissions of several joints; the chip is at the first."""
    for t in m.transmissions.values():
        if len(t.joints) < 2 or t.joints[0].joint not in rows:
            continue
        first = rows[t.joints[0].joint]
        chips = enumerate(cells[first].chips)
        box = next((i for i, c in chips if (c.family, c.name) == ("transmission", t.name)), None)
        further = [rows[j.joint] for j in t.joints[1:] if j.joint in rows and rows[j.joint] != first]
        if box is not None and further:  # otherwise it names joints without axes, and is connected to none
            yield first, box, tuple(dict.fromkeys(further))


def tree_edges(cells: list[Cell], laid: GraphLayout) -> Iterator[str]:
    """From a joint's knob down to the next one's, and from there to its link, with an arrow; fixed joints first."""
    lines: list[tuple[str, str]] = []
    for cell, place in zip(cells, laid.places, strict=True):
        if cell.row.parent is None or cell.row.joint is None:
            continue
        up = laid.places[cell.row.parent]
        kind = "loop" if cell.row.closes else "weld" if not cell.row.joint.dof else "edge"
        start = (up.knob, up.y + (RADIUS if cells[cell.row.parent].row.joint else 0.0))
        straight = up.knob == place.knob
        points = [start, (place.knob, place.y - RADIUS)]
        if not straight:
            points = [start, (up.knob, place.y), (place.knob - RADIUS, place.y)]
        lines.append((kind, rounded(points, 10.0)))
        lines.append((kind, f"M{place.knob + RADIUS:.1f} {place.y:.1f} H{place.box - 2:.1f}"))
    for kind, d in sorted(lines, key=lambda line: line[0] != "weld"):
        yield f'<path class="{kind}" d="{d}"/>'
    for cell, place in zip(cells, laid.places, strict=True):
        if cell.row.joint is not None and cell.row.joint.dof and not cell.row.closes:
            yield arrow((place.box - 1, place.y), 0.0, "arrow")


def loop_edges(routes: Routes, laid: GraphLayout) -> Iterator[str]:
    """From where a cut joint ends to the link that it ties, dashed."""
    for (i, j), lane in zip(routes.loops, laid.loop_lanes, strict=True):
        place, real = laid.places[i], laid.places[j]
        y = real.y + BOX / 4 * (1 if place.y > real.y else -1)
        start, end = (place.box_right, place.y), (real.box_right, y)
        yield f'<path class="loop" d="{rounded([start, (lane, start[1]), (lane, y), end])}"/>'
        yield arrow(end, 180.0, "loop-arrow")


def gear_edges(routes: Routes, cells: list[Cell], laid: GraphLayout) -> Iterator[str]:
    """From the box of a transmission to its further joints."""
    for (row, chip, targets), lane in zip(routes.gears, laid.lanes[len(routes.leaders) :], strict=True):
        x, y = laid.places[row].chip(cells[row], chip)
        for points in gear_points((x, y + CHIP / 2), targets, lane, laid):
            yield f'<path class="gear" d="{rounded(points)}"/>'


def gear_points(start: Point, targets: tuple[int, ...], lane: float, laid: GraphLayout) -> Iterator[list[Point]]:
    for target in targets:
        to = laid.places[target]
        end = (to.knob - REACH, to.y + SIDE)
        yield [start, (lane, start[1]), (lane, end[1]), end]


def coupling_edges(routes: Routes, laid: GraphLayout) -> Iterator[str]:
    """From each leader to its followers; the formula stands at the follower."""
    for (leader, found), lane in zip(routes.leaders.items(), laid.lanes, strict=False):
        for c, follower in found:
            points = coupling_points(leader, follower, lane, laid)
            yield f'<g><path class="coupling" d="{rounded(points)}"/>'
            yield arrow(points[-1], 0.0, "coupling-arrow")
            yield tooltip(c.formula, f"{c.mode} coupling") + "</g>"


def coupling_points(leader: int, follower: int, lane: float, laid: GraphLayout) -> list[Point]:
    """Out of the leader's lower side into the lane, and to the follower's side that is nearer."""
    a, b = laid.places[leader], laid.places[follower]
    down = b.y > a.y
    start = (a.knob - REACH, a.y + (SIDE if down else -SIDE))
    end = (b.knob - REACH, b.y + (-SIDE if down else SIDE))
    return [start, (lane, start[1]), (lane, end[1]), end]


def arrow(tip: Point, angle: float, kind: str) -> str:
    place = f"translate({tip[0]:.1f} {tip[1]:.1f}) rotate({angle:.0f})"
    return f'<path class="{kind}" transform="{place}" d="M0 0 L-8 -4 V4 Z"/>'
