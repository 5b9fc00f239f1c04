"""Cells of the mechanism graph: the text at each joint, and the devices below it."""

from __future__ import annotations

from dataclasses import dataclass, field

from gearwright.display.graph_chips import CHIP, CHIP_GAP, INDENT, Chip, GraphDevices
from gearwright.display.maps import slides
from gearwright.display.motion_sources import right_side
from gearwright.display.outline import OutlineRow
from gearwright.display.quantities import counted, inertia, mass, ranges
from gearwright.display.svg_text import short, text_width
from gearwright.model import AxisRef, Coupling, Mechanism


@dataclass(kw_only=True)
class Cell:
    """A row of the outline with its words and sizes."""

    row: OutlineRow
    name: str  # of the joint
    notes: list[str] = field(default_factory=list)  # below its line: kind and range
    formulas: list[str] = field(default_factory=list)  # of couplings that it follows
    reflected: list[str] = field(default_factory=list)  # what the rotors add
    chips: list[Chip] = field(default_factory=list)
    link: str = ""
    link_note: str = ""

    @property
    def box_width(self) -> float:
        return max(text_width(self.link, 13, bold=True), text_width(self.link_note, 10.5)) + 26

    @property
    def words_width(self) -> float:
        bold = [text_width(self.name, 12, bold=True), *(text_width(f, 10.5, bold=True) for f in self.formulas)]
        return max(*bold, *(text_width(n, 10.5) for n in (*self.notes, *self.reflected))) + 26

    @property
    def chips_width(self) -> float:
        return max((c.level * INDENT + c.width for c in self.chips), default=0.0) + 14

    @property
    def words_height(self) -> float:
        """Below the joint's line."""
        return 6 + 14.0 * (len(self.notes) + len(self.formulas) + len(self.reflected))

    @property
    def above(self) -> float:
        return 27.0

    @property
    def below(self) -> float:
        return max(27.0, self.words_height + 8 + len(self.chips) * (CHIP + CHIP_GAP) + (8 if self.chips else 0))


def cells(mechanism: Mechanism, rows: list[OutlineRow]) -> list[Cell]:
    devices = GraphDevices.of(mechanism)
    rotors = mechanism.reflected_inertia()
    followed: dict[AxisRef, list[Coupling]] = {}
    for c in mechanism.couplings.values():
        followed.setdefault(c.follower, []).append(c)
    made = [_cell(mechanism, row) for row in rows]
    for cell in made:
        j = cell.row.joint
        for ref in j.refs if j is not None else ():
            cell.formulas += [short("= " + right_side(c), 60) for c in followed.get(ref, ())]
            cell.reflected += (
                [f"+ {inertia(rotors[ref], slides(mechanism, ref.joint))} reflected"] if ref in rotors else []
            )
            cell.chips += devices.hanging.get(ref, [])
    return made


def _cell(m: Mechanism, row: OutlineRow) -> Cell:
    j = row.joint
    if j is None:
        return Cell(row=row, name="", link="world")
    cell = Cell(row=row, name=short(j.name), link=short(row.links[0]))
    cell.notes = [j.kind, *([ranges(j)] if j.refs and any(a.limits.bounded for a in j.axes) else [])]
    if not row.closes:
        weight = sum(m.links[name].inertia.mass for name in row.links)
        folded = f"+{len(row.links) - 1} fixed" if len(row.links) > 1 else ""
        cell.link_note = ", ".join(filter(None, (mass(weight) if weight else "no mass", folded)))
    return cell


def tip_of_link(m: Mechanism, row: OutlineRow) -> list[str]:
    lines = [f"{name}  {mass(m.links[name].inertia.mass)}" for name in row.links if name in m.links][:30]
    more = len(row.links) - len(lines)
    return [*lines, f"and {counted(more, 'link')} more"] if more > 0 else lines


def rows_of_joints(rows: list[OutlineRow]) -> dict[str, int]:
    return {row.joint.name: i for i, row in enumerate(rows) if row.joint is not None}
