"""The legend of the mechanism graph: only what is in the drawing."""

from __future__ import annotations

from gearwright.display.graph_cells import Cell
from gearwright.display.graph_chips import CHIP
from gearwright.display.svg_text import text, text_width
from gearwright.model import JOINT_KINDS, Mechanism

ENTRY = 26.0  # room for the sign


def legend(
    m: Mechanism, cells: list[Cell], x: float, y: float, most: float = 900.0
) -> tuple[list[str], tuple[float, float]]:
    """Its elements, and its width and height."""
    present = {c.row.joint.kind for c in cells if c.row.joint is not None}
    known = [k for k in JOINT_KINDS.rows if k in present]  # in the order of the table, then those of other packages
    entries = [(_knob(k), k) for k in (*known, *sorted(present - {*known}))]
    entries += [(_stroke("coupling"), "coupling")] if m.couplings else []
    entries += [(_chip("transmission"), "transmission")] if m.transmissions else []
    entries += [(_chip("actuator"), "actuator")] if m.actuators else []
    entries += [(_chip("sensor"), "sensor")] if m.sensors else []
    entries += [(_stroke("loop"), "closes a loop")] if m.tree.cuts else []
    lines: list[str] = []
    left, line, widest = x, y + CHIP / 2, 0.0
    for sign, name in entries:
        width = ENTRY + text_width(name, 10.5) + 22
        if left + width > most and left > x:
            left, line = x, line + 24
        lines.append(f'<g transform="translate({left + 11:.1f} {line:.1f})">{sign}</g>')
        lines.append(text(left + ENTRY, line + 3.5, name, "link-note"))
        left += width
        widest = max(widest, left - x)
    return lines, (widest, line + CHIP / 2 - y)


def _knob(kind: str) -> str:
    ring = "knob-weld" if not JOINT_KINDS[kind].velocities else "knob"
    return f'<circle class="{ring}" r="9"/><g transform="scale(.9)">{JOINT_KINDS[kind].drawing}</g>'


def _stroke(family: str) -> str:
    return f'<path class="{family}" d="M-9 5 C-3 5 3 -5 9 -5"/>'


def _chip(family: str) -> str:
    if family == "sensor":
        return '<path class="sensor" d="M-10 0 l4 -6 h12 l4 6 l-4 6 h-12 z"/>'
    return f'<rect class="{family}" x="-10" y="-6" width="20" height="12" rx="{6 if family == "actuator" else 2}"/>'
