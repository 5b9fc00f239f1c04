"""A mechanism in a line, and in a page."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from gearwright.display.outline import outline
from gearwright.display.palette import TERMINAL
from gearwright.display.quantities import mass
from gearwright.display.sections import sections
from gearwright.display.tree_text import folded_note, tree_text
from gearwright.display.visible import visible
from gearwright.errors import counted
from gearwright.model import Mechanism


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Numbers of a mechanism's parts."""

    name: str
    links: int
    joints: int
    couplings: int
    transmissions: int
    actuators: int
    sensors: int
    hardware: int
    loops: int
    dof: int  # independent degrees of freedom
    mass: float  # [kg]
    base: str  # fixed or floating

    @property
    def parts(self) -> str:
        """`4 links, 3 joints, 1 coupling`; what there is none of is left out."""
        nouns = ("coupling", "transmission", "actuator", "sensor", "loop")
        counts = [counted(self.links, "link"), counted(self.joints, "joint")]
        return ", ".join(counts + [counted(n, noun) for noun in nouns if (n := getattr(self, noun + "s"))])

    def __str__(self) -> str:
        base = ", floating base" if self.base == "floating" else ""
        return f"{self.parts}, {self.freedom}{base}"

    @property
    def freedom(self) -> str:
        return counted(self.dof, "degree of freedom", "degrees of freedom")


def summary(mechanism: Mechanism) -> Summary:
    m = mechanism
    loose = any(j.kind == "floating" for j in m.bases.values())
    return Summary(
        name=m.name, links=len(m.links), joints=len(m.joints), couplings=len(m.couplings),
        transmissions=len(m.transmissions), actuators=len(m.actuators), sensors=len(m.sensors),
        hardware=len(m.hardware), loops=len(m.tree.cuts), dof=m.dof,
        mass=sum(link.inertia.mass for link in m.links.values()), base="floating" if loose else "fixed",
    )  # fmt: skip


def page(mechanism: Mechanism, *, weld: bool | None = None) -> RenderableType:
    """Title, tree and sections: what `gearwright show` prints."""
    counted_up = summary(mechanism)
    title = Text.assemble(
        (visible(mechanism.name) or "(no name)", "bold"),
        f"  {counted_up.freedom}, {mass(counted_up.mass)}, {counted_up.base} base",
    )
    parts: list[RenderableType] = [title, Text(counted_up.parts, style="dim"), Text(), tree_text(mechanism, weld=weld)]
    note = folded_note(mechanism, outline(mechanism, weld=weld))
    if note:
        parts.append(Text(note, style="dim italic"))
    for heading, family, table in sections(mechanism):
        parts += [Text(), Text(heading, style=f"bold {TERMINAL[family]}"), table]
    return Group(*parts)
