"""Cells of the mechanism graph: the text at each joint, and the devices below it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from gearwright.display.graph_chips import CHIP, CHIP_GAP, Chip, ChipPlace, GraphDevices, train
from gearwright.display.maps import slides
from gearwright.display.motion_sources import right_side
from gearwright.display.outline import OutlineRow
from gearwright.display.quantities import inertia, mass, ranges
from gearwright.display.svg_text import short, text_width
from gearwright.errors import counted
from gearwright.model import AxisRef, Coupling, Mechanism

WORDS = 20.0  # [px] from a knob's middle to its words and devices


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
        first = self.name_width + text_width("; ".join(self.reflected), 10.5)
        below = [text_width(f, 10.5, bold=True) for f in self.formulas] + [text_width(n, 10.5) for n in self.notes]
        return max(first, *below) + WORDS

    @property
    def name_width(self) -> float:
        return text_width(self.name, 12, bold=True) + 8

    @cached_property
    def train(self) -> list[ChipPlace]:
        return train(self.chips)

    @property
    def chips_width(self) -> float:
        """From the knob to the end of the longest line of devices."""
        ends = [place.x + chip.width for place, chip in zip(self.train, self.chips, strict=True)]
        return max(ends) + WORDS if ends else 0.0

    @property
    def words_height(self) -> float:
        """Below the joint's line."""
        return 6 + 14.0 * (len(self.notes) + len(self.formulas))

    @property
    def above(self) -> float:
        return 24.0 if self.row.joint is not None else 14.0

    @property
    def below(self) -> float:
        if self.row.joint is None:
            return 10.0
        lines = 1 + max((place.line for place in self.train), default=-1)
        return max(24.0, self.words_height + 6 + lines * (CHIP + CHIP_GAP))


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
    limits = ranges(j) if j.refs and any(a.limits.bounded for a in j.axes) else ""
    cell.notes = [", ".join(filter(None, (j.kind, limits)))]
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
