"""The tree of a mechanism in the terminal: one line per joint, with what it carries, its range and what moves it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from gearwright.display.motion_sources import MotionSource, motion_sources
from gearwright.display.outline import OutlineRow, outline
from gearwright.display.palette import TERMINAL
from gearwright.display.quantities import effort, inertia, mass, ranges, speed
from gearwright.display.visible import visible
from gearwright.errors import counted
from gearwright.model import AxisRef, Joint, Mechanism

GAP = 2  # columns between cells
FIRST_TO_GO = ("speed", "effort", "kind", "mass", "link", "reflected")  # where the terminal is too narrow for all
DEEPEST = 24  # cells of guides; what is deeper keeps its place in the order, not in the drawing
LEAST = {"moved by": 16, "joint": 28}  # cells; these columns give up room in this order, down to these widths
DEGREES = re.compile(r" \([^)]*\)")  # of a range


@dataclass(frozen=True, kw_only=True)
class TreeText:
    """Renders as wide as the terminal lets it. Columns that do not fit are named below. Of those that remain, ranges
    lose their degrees first; names of joints are cut in the middle, because their ends tell them apart."""

    columns: dict[str, list[Text]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = {h: cells for h, cells in self.columns.items() if any(c.plain for c in cells)}
        hidden = [h for h in FIRST_TO_GO if h in columns]
        for heading in reversed(FIRST_TO_GO):
            without = [h for h in hidden if h != heading]
            if _width({h: c for h, c in columns.items() if h not in without}) <= options.max_width:
                hidden = without
        columns = _fitted({h: cells for h, cells in columns.items() if h not in hidden}, options.max_width)
        if _width(columns) > options.max_width and "moved by" in columns:
            hidden.append("moved by")
            columns = _fitted({h: c for h, c in columns.items() if h not in hidden}, options.max_width)
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim", show_edge=False)
        for heading in columns:
            right = heading in ("speed", "effort", "mass", "reflected")
            table.add_column(heading, no_wrap=True, overflow="ellipsis", justify="right" if right else "left")
        for cells in zip(*columns.values(), strict=True):
            table.add_row(*cells)
        yield table
        if hidden:
            yield Text(f"not shown in {options.max_width} columns: {', '.join(hidden)}", style="dim italic")


def tree_text(mechanism: Mechanism, *, weld: bool | None = None) -> TreeText:
    rows = outline(mechanism, weld=weld)
    moved = motion_sources(mechanism)
    extra = mechanism.reflected_inertia()
    headings = ("joint", "kind", "link", "range", "speed", "effort", "mass", "reflected", "moved by")
    columns: dict[str, list[Text]] = {h: [] for h in headings}
    for row, guide in zip(rows, guides(rows), strict=True):
        cells = _cells(mechanism, row, guide, moved, extra)
        for heading in headings:
            columns[heading].append(cells.get(heading, Text()))
    return TreeText(columns=columns)


def guides(rows: list[OutlineRow]) -> list[str]:
    """Guide lines before each row. An only child is drawn straight below its parent; several branch off."""
    before: list[str] = []
    below: list[str] = []  # what the children of each row start with
    for i, row in enumerate(rows):
        if row.parent is None:
            before.append("")
            below.append("")
            continue
        siblings, start = rows[row.parent].children, below[row.parent]
        if len(siblings) == 1:
            before.append(start)
            below.append(start)
        else:
            last = i == siblings[-1]
            before.append((start + ("╰─" if last else "├─"))[-DEEPEST:])
            below.append((start + ("  " if last else "│ "))[-DEEPEST:])
    return before


def _cells(
    mechanism: Mechanism, row: OutlineRow, guide: str, moved: dict[AxisRef, list[MotionSource]],
    extra: dict[AxisRef, float],
) -> dict[str, Text]:  # fmt: skip
    if row.joint is None:
        return {"joint": Text("◯ world", style="dim")}
    j = row.joint
    quiet = "" if j.dof else "dim"
    cells = {"joint": _joint(j, guide, row.closes, quiet), "link": _links(row, quiet)}
    cells["kind"] = Text(j.kind, style="dim")
    if not row.closes:
        weight = sum(mechanism.links[name].inertia.mass for name in row.links)
        cells["mass"] = Text(mass(weight) if weight else "", style=quiet)
    if j.axes and j.refs:
        cells["range"] = Text(ranges(j), style="" if any(a.limits.bounded for a in j.axes) else "dim")
        cells["speed"] = Text("; ".join(filter(None, (speed(a, j.type.prismatic) for a in j.axes))))
        cells["effort"] = Text("; ".join(filter(None, (effort(a, j.type.prismatic) for a in j.axes))))
        added = "; ".join(f"+{inertia(extra[ref], j.type.prismatic)}" for ref in j.refs if ref in extra)
        cells["reflected"] = Text(added, style=TERMINAL["actuator"])
    cells["moved by"] = _moved_by(mechanism, j, row.closes, moved)
    return cells


def _joint(j: Joint, guide: str, closes: bool, quiet: str) -> Text:
    text = Text.assemble((guide, "dim"))
    text.append(j.type.sign + " ", style=TERMINAL["loop"] if closes else quiet or "bold cyan")
    text.append(visible(j.name), style=quiet or "bold")
    return text


def _links(row: OutlineRow, quiet: str) -> Text:
    if row.closes:
        return Text(f"↩ {visible(row.links[0])}", style=TERMINAL["loop"])
    text = Text(visible(row.links[0]), style=quiet)
    if len(row.links) > 1:
        text.append(f" +{len(row.links) - 1}", style="dim")
    return text


def _moved_by(mechanism: Mechanism, j: Joint, closes: bool, moved: dict[AxisRef, list[MotionSource]]) -> Text:
    found = [d for ref in j.refs for d in moved.get(ref, ())]
    if not found:
        if closes:
            return Text("closes a loop", style=TERMINAL["loop"])
        idle = j.dof and mechanism.actuators and j.name in mechanism.joints
        return Text("passive" if idle else "", style="dim")
    signs = {"coupling": "= ", "transmission": "⚙ ", "actuator": "⚡ "}
    text = Text()
    for i, d in enumerate(found):
        text.append("  " if i else "").append(signs[d.family] + visible(d.text), style=TERMINAL[d.family])
    return text


def _fitted(columns: dict[str, list[Text]], room: int) -> dict[str, list[Text]]:
    """The columns, with cells cut where they need more than this room."""
    if _width(columns) > room and "range" in columns:
        columns = {**columns, "range": [_without_degrees(c) for c in columns["range"]]}
    for heading, least in LEAST.items():
        excess = _width(columns) - room
        if excess > 0 and heading in columns:
            widest = max(c.cell_len for c in columns[heading])
            columns = {**columns, heading: [_cut(c, max(widest - excess, least), heading) for c in columns[heading]]}
    return columns


def _without_degrees(cell: Text) -> Text:
    return Text(DEGREES.sub("", cell.plain), style=cell.style)


def _cut(cell: Text, most: int, heading: str) -> Text:
    if cell.cell_len <= most:
        return cell
    if heading == "joint":
        guide = cell.plain.rfind(" ") + 1
        end = (most - guide) // 2
        return Text.assemble(cell[: most - 1 - end], "…", cell[len(cell) - end :])
    shorter = cell.copy()
    shorter.truncate(most, overflow="ellipsis")
    return shorter


def _width(columns: dict[str, list[Text]]) -> int:
    return sum(max(cell_len(h), *(c.cell_len for c in cells)) + GAP for h, cells in columns.items()) - GAP


def folded_note(mechanism: Mechanism, rows: list[OutlineRow]) -> str:
    """Explanation of `+n` behind a link, if links are folded."""
    folded = sum(len(row.links) - 1 for row in rows)
    return f"+n: {counted(folded, 'link')} fixed to the one shown; --all lists them" if folded else ""
