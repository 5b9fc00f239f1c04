"""The edges of the mechanism graph: joints, loops, transmissions of several joints, couplings."""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, degrees

from gearwright.display.graph_cells import Cell
from gearwright.display.graph_chips import CHIP
from gearwright.display.graph_layout import BOX, RADIUS, GraphLayout
from gearwright.display.svg_text import tooltip
from gearwright.model import AxisRef, Mechanism

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]  # a cubic Bézier


def tree_edges(cells: list[Cell], laid: GraphLayout) -> Iterator[str]:
    """From a link's right side through the joint's knob to the next link, with an arrow."""
    for cell, place in zip(cells, laid.places, strict=True):
        if cell.row.parent is None or cell.row.joint is None:
            continue
        up = laid.places[cell.row.parent]
        kind = "loop" if cell.row.closes else "weld" if not cell.row.joint.dof else "edge"
        bend, end = up.column_right, place.knob - RADIUS
        half = (end - bend) / 2
        curve = f"C{bend + half:.1f} {up.y:.1f} {end - half:.1f} {place.y:.1f} {end:.1f} {place.y:.1f}"
        yield f'<path class="{kind}" d="M{up.box_right:.1f} {up.y:.1f} H{bend:.1f} {curve}"/>'
        yield f'<path class="{kind}" d="M{place.knob + RADIUS:.1f} {place.y:.1f} H{place.box - 2:.1f}"/>'
        if kind == "edge":
            yield arrow((place.box - 1, place.y), 0.0, "arrow")


def loop_edges(cells: list[Cell], laid: GraphLayout, homes: dict[str, int]) -> Iterator[str]:
    """From where a cut joint ends to the link that it ties, dashed."""
    for cell, place in zip(cells, laid.places, strict=True):
        home = homes.get(cell.row.links[0]) if cell.row.closes else None
        if home is None:
            continue
        real = laid.places[home]
        start, end = (place.box_right, place.y), (real.box_right, real.y + BOX / 4 * (1 if place.y > real.y else -1))
        reach = max(start[0], end[0]) + 34
        yield path((start, (reach, start[1]), (reach, end[1]), end), "loop")
        yield arrow(end, 180.0, "loop-arrow")


def gear_edges(m: Mechanism, cells: list[Cell], laid: GraphLayout, rows: dict[str, int]) -> Iterator[str]:
    """From the further joints of a transmission to its box, which is drawn below the first."""
    for t in m.transmissions.values():
        if len(t.joints) < 2 or t.joints[0].joint not in rows:
            continue
        first = rows[t.joints[0].joint]
        chips = enumerate(cells[first].chips)
        box = next((i for i, c in chips if (c.family, c.name) == ("transmission", t.name)), None)
        if box is None:  # it names joints without axes, and is connected to none
            continue
        x, y = laid.places[first].chip(cells[first], box)
        corner = (x + cells[first].chips[box].width, y + CHIP / 2)
        for axis in t.joints[1:]:
            if axis.joint in rows and rows[axis.joint] != first:
                knob = laid.places[rows[axis.joint]]
                side = RADIUS if corner[1] > knob.y else -RADIUS
                start = (knob.knob, knob.y + side)
                yield path((start, (start[0], corner[1]), (corner[0] + 40, corner[1]), corner), "gear")


def coupling_edges(m: Mechanism, cells: list[Cell], laid: GraphLayout, rows: dict[str, int]) -> Iterator[str]:
    """From each leader to its follower; the formula stands at the follower."""
    for c in m.couplings.values():
        for term in c.leaders:
            curve = _coupling_curve(cells, laid, rows, term.axis, c.follower)
            if curve is None:
                continue
            yield f"<g>{path(curve, 'coupling')}"
            (ax, ay), (bx, by) = curve[2], curve[3]
            yield arrow(curve[3], degrees(atan2(by - ay, bx - ax)), "coupling-arrow")
            yield tooltip(c.formula, f"{c.mode} coupling") + "</g>"


def _coupling_curve(
    cells: list[Cell], laid: GraphLayout, rows: dict[str, int], leader: AxisRef, follower: AxisRef
) -> Curve | None:
    """In one column a bow to the left; between columns a curve from below or above the leader."""
    if leader.joint not in rows or follower.joint not in rows:
        return None
    a, b = laid.places[rows[leader.joint]], laid.places[rows[follower.joint]]
    if a is b:
        return None
    down = 1.0 if b.y >= a.y else -1.0
    slant = RADIUS * 0.72
    if abs(a.knob - b.knob) < 1:
        bow = 30 + min(26.0, 0.06 * abs(b.y - a.y))
        start, end = (a.knob - slant, a.y + down * slant), (b.knob - slant, b.y - down * slant)
        return start, (start[0] - bow, start[1] + 12 * down), (end[0] - bow, end[1] - 12 * down), end
    if abs(a.y - b.y) < 1:  # along a chain: an arc below the devices of the left one
        left = rows[leader.joint] if a.knob < b.knob else rows[follower.joint]
        dip = cells[left].below / 0.75
        start, end = (a.knob, a.y + RADIUS), (b.knob - slant, b.y + slant)
        return start, (start[0], start[1] + dip), (end[0] - 46, end[1] + dip), end
    side = 1.0 if b.knob < a.knob else -1.0
    start, end = (a.knob, a.y + down * RADIUS), (b.knob + side * slant, b.y - down * slant)
    clear = cells[rows[leader.joint]].below / 0.75 if down > 0 else 0.0  # past the words below the leader
    drop = max(0.55 * abs(end[1] - start[1]), clear)
    return start, (start[0], start[1] + down * drop), (end[0] + side * 46, end[1] - 14 * down), end


def path(curve: Curve, kind: str) -> str:
    p, q, r, s = (f"{x:.1f} {y:.1f}" for x, y in curve)
    return f'<path class="{kind}" d="M{p} C{q} {r} {s}"/>'


def arrow(tip: Point, angle: float, kind: str) -> str:
    place = f"translate({tip[0]:.1f} {tip[1]:.1f}) rotate({angle:.0f})"
    return f'<path class="{kind}" transform="{place}" d="M0 0 L-8 -4 V4 Z"/>'
