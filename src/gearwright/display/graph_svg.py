"""The mechanism graph as SVG: links and joints as a tree, couplings, transmissions and loops as edges of their own."""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.display.graph_cells import WORDS, Cell, cells, rows_of_joints, tip_of_link
from gearwright.display.graph_chips import CHIP, LINK, Chip, GraphDevices
from gearwright.display.graph_edges import Routes, coupling_edges, gear_edges, loop_edges, tree_edges
from gearwright.display.graph_lanes import rounded
from gearwright.display.graph_layout import BOX, MARGIN, RADIUS, CellPlace, GraphLayout, layout
from gearwright.display.graph_legend import legend
from gearwright.display.outline import home_of, outline
from gearwright.display.quantities import mass
from gearwright.display.summary import summary
from gearwright.display.svg_style import style_sheet
from gearwright.display.svg_text import short, text, text_width, tooltip
from gearwright.display.visible import visible
from gearwright.model import Mechanism


def graph_svg(mechanism: Mechanism, *, weld: bool | None = None) -> str:
    """A complete SVG document. `weld` as in `outline`: fixed joints of large mechanisms are folded away."""
    rows = outline(mechanism, weld=weld)
    drawn = cells(mechanism, rows)
    routes = Routes.of(mechanism, drawn, rows_of_joints(rows), home_of(rows))
    laid = layout(drawn, routes.left, routes.right)
    found = summary(mechanism)
    about = f"{found.freedom}, {mass(found.mass)}, {found.base} base;  {found.parts}"
    loose, loose_height = _loose(mechanism, laid)
    key, key_size = legend(mechanism, drawn, MARGIN, laid.height + loose_height + 20)
    width = max(laid.width, key_size[0] + 2 * MARGIN, text_width(about, 12.5) + 2 * MARGIN, 480.0)
    height = laid.height + loose_height + 20 + key_size[1] + MARGIN
    body = [
        *tree_edges(drawn, laid),
        *loop_edges(routes, laid),
        *gear_edges(routes, drawn, laid),
        *coupling_edges(routes, laid),
        *(line for cell, place in zip(drawn, laid.places, strict=True) for line in _draw(mechanism, cell, place)),
        *loose,
        *key,
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">'
    )
    title = [
        f"<title>{_escaped_name(mechanism)}</title>",
        style_sheet(),
        f'<rect class="page" width="{width:.0f}" height="{height:.0f}" rx="10"/>',
        text(MARGIN, 40, short(mechanism.name, 60) or "(no name)", "title"),
        text(MARGIN, 61, about, "about"),
    ]
    return "\n".join([head, *title, *body, "</svg>\n"])


def _escaped_name(mechanism: Mechanism) -> str:
    return tooltip(f"{visible(mechanism.name)}: mechanism graph").removeprefix("<title>").removesuffix("</title>")


def _draw(m: Mechanism, cell: Cell, place: CellPlace) -> Iterator[str]:
    if cell.row.joint is None:
        yield from _world(cell, place)
        return
    yield from _link(m, cell, place)
    yield from _joint(cell, place)
    yield from _stems(cell, place)
    for i, chip in enumerate(cell.chips):
        x, y = place.chip(cell, i)
        yield from draw_chip(chip, x, y)


def _world(cell: Cell, place: CellPlace) -> Iterator[str]:
    """The ground of engineering drawings: a line, hatched."""
    x, y, half = place.knob, place.y, 20.0
    yield f'<path class="ground" d="M{x - half:.1f} {y:.1f} H{x + half:.1f}"/>'
    hatch = " ".join(f"M{x - half + 8 * k:.1f} {y:.1f} l7 -7" for k in range(5))
    yield f'<path class="ground" d="{hatch}"/>'
    yield text(x + half + 8, y + 2, cell.link, "link-note")


def _link(m: Mechanism, cell: Cell, place: CellPlace) -> Iterator[str]:
    kind = "loop" if cell.row.closes else "link"
    top, width = place.y - BOX / 2, cell.box_width
    yield f'<g><rect class="{kind}" x="{place.box:.1f}" y="{top:.1f}" width="{width:.1f}" height="{BOX:.0f}" rx="8"/>'
    if cell.row.closes:
        yield text(place.box + 13, place.y + 4.5, cell.link, "loop-text")
        yield tooltip(f"the same link {cell.row.links[0]}: the loop closes here") + "</g>"
        return
    yield text(place.box + 13, place.y - 1.5, cell.link, "link-name")
    yield text(place.box + 13, place.y + 12.5, cell.link_note, "link-note")
    yield tooltip(*tip_of_link(m, cell.row)) + "</g>"


def _joint(cell: Cell, place: CellPlace) -> Iterator[str]:
    j = cell.row.joint
    assert j is not None
    weld = not j.dof
    x, y = place.knob, place.y
    ring = "knob-weld" if weld else "knob"
    yield f'<g><g transform="translate({x:.1f} {y:.1f})"><circle class="{ring}" r="{RADIUS:.0f}"/>{j.type.drawing}</g>'
    yield text(x + WORDS, y - 7, cell.name, "joint-weld" if weld else "joint-name")
    for k, note in enumerate(cell.notes):
        yield text(x + WORDS, y + 16 + 14 * k, note, "joint-note")
    for k, formula in enumerate(cell.formulas, start=len(cell.notes)):
        yield text(x + WORDS, y + 16 + 14 * k, formula, "coupling-text")
    if cell.reflected:
        yield text(x + WORDS + cell.name_width, y - 7, "; ".join(cell.reflected), "reflected")
    yield tooltip(f"joint {j.name} ({j.kind}): {j.parent} to {j.child}", *cell.notes) + "</g>"


def _stems(cell: Cell, place: CellPlace) -> Iterator[str]:
    """From the knob down to the chips, and from each to those that hang on it."""
    thin: list[str] = []
    thick: list[str] = []
    for i, chip in enumerate(cell.chips):
        x, y = place.chip(cell, i)
        end, parent = (x, y + CHIP / 2), cell.train[i].parent
        if parent is None:
            out = place.knob + RADIUS * 0.8
            points = [(out, place.y + RADIUS * 0.6), (out, end[1]), end]
        else:
            up_x, up_y = place.chip(cell, parent)
            start = (up_x + cell.chips[parent].width, up_y + CHIP / 2)
            middle = start[0] + LINK / 2
            points = [start, end] if start[1] == end[1] else [start, (middle, start[1]), (middle, end[1]), end]
        kind, lines = ("gear", thick) if chip.family == "transmission" else ("stem", thin)
        lines.append(f'<path class="{kind}" d="{rounded(points, 5.0)}"/>')
    yield from (*thin, *thick)


def draw_chip(chip: Chip, x: float, y: float) -> Iterator[str]:
    """A transmission is a box, an actuator a capsule, a sensor a hexagon."""
    w, h = chip.width, CHIP
    if chip.family == "sensor":
        d = f"M{x:.1f} {y + h / 2:.1f} l7 {-h / 2:.1f} h{w - 14:.1f} l7 {h / 2:.1f} l-7 {h / 2:.1f} h{14 - w:.1f} z"
        shape = f'<path class="sensor" d="{d}"/>'
    else:
        rx = h / 2 if chip.family == "actuator" else 2
        shape = f'<rect class="{chip.family}" x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.0f}" rx="{rx:.1f}"/>'
    yield f"<g>{shape}"
    yield text(x + w / 2, y + h / 2 + 4, chip.label, f"{chip.family}-text", "middle")
    yield tooltip(*chip.tip) + "</g>"


def _loose(m: Mechanism, laid: GraphLayout) -> tuple[list[str], float]:
    """Devices that move nothing, in a line of their own below the tree."""
    chips = GraphDevices.of(m).loose
    if not chips:
        return [], 0.0
    x, y = MARGIN, laid.height + 24
    lines = [text(x, y + 14, "not connected with a joint:", "joint-note")]
    x += 160
    for chip in chips:
        if x + chip.width > max(laid.width, 900):
            x, y = MARGIN + 160, y + CHIP + 8
        lines += draw_chip(chip, x, y)
        x += chip.width + 10
    return lines, y + CHIP + 10 - laid.height
