"""Below the tree: couplings, transmissions, actuators, sensors, loops and hardware, a compact table each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gearwright.display.actuation import ratios, reached
from gearwright.display.devices import blocks, losses, sharpness, strength
from gearwright.display.maps import formulas, ratio
from gearwright.display.motion_sources import loose_actuators, reads
from gearwright.display.palette import TERMINAL
from gearwright.display.phrases import Phrases
from gearwright.display.quantities import highlight_text, number
from gearwright.display.visible import visible
from gearwright.model import Component, Coupling, Mechanism, SimpleTransmission
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.parallel import loop_actuation

GAP, INDENT = 2, 4  # columns between cells, and before cells that stand below their name
MOST_ALIKE = 4  # devices in the same words, before they are folded into one row
Section = tuple[str, str, Table]  # heading, family, rows


def sections(mechanism: Mechanism) -> list[Section]:
    """Those that the mechanism has something for, in the order of reading."""
    made = (
        ("couplings", "coupling", couplings(mechanism)),
        ("transmissions", "transmission", transmissions(mechanism)),
        ("actuators", "actuator", actuators(mechanism)),
        ("sensors", "sensor", sensors(mechanism)),
        ("loops", "loop", loops(mechanism)),
        ("speeds and reach through loops, at the start", "actuator", actuation(mechanism)),
        ("friction", "loop", frictions(mechanism)),
        ("hardware", "hardware", hardware(mechanism)),
    )
    return [(heading, family, table) for heading, family, table in made if table.row_count]


class SectionTable(Table):
    """No column is narrower than its longest word. In a terminal that is too narrow for that, the cells of a row are
    printed below each other."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for column in self.columns:
            words = (word for cell in column.cells for word in str(cell).split())
            column.min_width = max(map(cell_len, words), default=0)
        needed = sum((column.min_width or 0) + GAP for column in self.columns) - GAP
        if needed <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            yield from _stacked([cell for cell in cells if isinstance(cell, Text) and cell.plain], options.max_width)


def _stacked(cells: list[Text], room: int) -> Iterator[RenderableType]:
    """Name and type in a line; the others below it, side by side if they fit."""
    yield Text("  ").join(cells[:2])
    beside = Text("  ").join(cells[2:])
    for cell in [beside] if INDENT + beside.cell_len <= room and "\n" not in beside.plain else cells[2:]:
        yield Padding(cell, (0, 0, 0, INDENT))


def _table(columns: int) -> Table:
    table = SectionTable(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=False, show_edge=False)
    for _ in range(columns):
        table.add_column(overflow="fold")
    return table


def _name(text: str, family: str) -> Text:
    return Text(visible(text), style=TERMINAL[family], no_wrap=False)


def _lines(lines: Iterable[str], style: str = "") -> Text:
    return Phrases("\n".join(visible(line) for line in lines), style=style)


def couplings(mechanism: Mechanism) -> Table:
    table = _table(2)
    for c in mechanism.couplings.values():
        table.add_row(_formula(c), Text(_manner(c), style="dim"))
    return table


def _formula(c: Coupling) -> Text:
    left, equals, right = visible(c.formula).partition(" = ")
    return Text.assemble((left, "bold"), (equals, "dim"), (right, TERMINAL["coupling"]))


def _manner(c: Coupling) -> str:
    """How it is realised, and how the file spelled it where that is not a mimic."""
    parts: list[str] = [c.mode]
    if c.mode == "compliant" and c.natural_frequency is not None and c.damping_ratio is not None:
        parts.append(f"{number(c.natural_frequency)} rad/s, ζ {number(c.damping_ratio)}")
    if c.spelling != "mimic":
        parts.append(f"{c.spelling} {visible(c.name)}" if c.name != str(c.follower) else c.spelling)
    return ", ".join(parts)


def transmissions(mechanism: Mechanism) -> Table:
    table = _table(4)
    for t in mechanism.transmissions.values():
        ends = f"{', '.join(t.actuators) or '?'} ⇄ {', '.join(map(str, t.joints)) or '?'}"
        small = ratio(mechanism, t)
        plain = isinstance(t.map, SimpleTransmission) and not t.map.offset  # the ratio says it all
        text = Text(small, style="bold") if plain else _lines(formulas(t))
        lost = ", ".join(map(highlight_text, t.losses.highlights()))
        text = text.append(f"  {lost}", style="dim") if lost else text
        table.add_row(_name(t.name, "transmission"), Text(visible(t.type), style="dim"), _lines([ends]), text)
    return table


def actuators(mechanism: Mechanism) -> Table:
    """Actuators with equal data share one row: `first_motor +27`."""
    table = _table(4)
    loose = set(loose_actuators(mechanism))
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for a in mechanism.actuators.values():
        kind = f"{a.type}, {a.command}" + (", drives nothing" if a.name in loose else "")
        alike.setdefault((kind, blocks(a), strength(a), losses(a)), []).append(a.name)
    for (kind, curve, able, lost), names in alike.items():
        for name, more in [(names[0], len(names) - 1)] if len(names) > MOST_ALIKE else [(n, 0) for n in names]:
            title = _name(name, "actuator").append(f" +{more}" if more else "", style="dim")
            able_and_lost = Phrases(able).append(f", {lost}" if lost else "", style="dim")
            table.add_row(title, Text(kind, style="dim"), Text(curve, style=TERMINAL["actuator"]), able_and_lost)
    return table


def sensors(mechanism: Mechanism) -> Table:
    table = _table(4)
    for s in mechanism.sensors.values():
        kind = Text(s.label, style="dim")
        table.add_row(_name(s.name, "sensor"), kind, _lines([reads(s)]), Phrases(sharpness(s), style="dim"))
    return table


def loops(mechanism: Mechanism) -> Table:
    table = _table(2)
    for j in mechanism.tree.cuts:
        text = f"cut here; ties {visible(j.parent)} to {visible(j.child)}"
        table.add_row(_name(j.name, "loop"), Text(text, style="dim"))
    return table


def actuation(mechanism: Mechanism) -> Table:
    """Speeds of motors that act through closed loops, by those of the outputs, and the reach of the outputs."""
    table = _table(2)
    for J in loop_actuation(mechanism):
        for name, text in ratios(J):
            table.add_row(_name(name, "actuator"), _lines([f"= {text}"]))
        for name, text in reached(mechanism, J):
            table.add_row(_name(name, "loop"), Phrases(text))
    return table


def frictions(mechanism: Mechanism) -> Table:
    """Axes, transmissions and actuators with a friction model."""
    table = _table(3)
    for name, family, model in friction_models(mechanism):
        numbers = ", ".join(map(highlight_text, model.highlights()))
        table.add_row(_name(name, family), Text(type(model).__name__, style="dim"), Text(numbers))
    return table


def friction_models(mechanism: Mechanism) -> Iterator[tuple[str, str, FrictionModel]]:
    """By the name of what each is on, and its family of colours."""
    for joint in mechanism.joints.values():
        for name, axis in zip(joint.axis_coordinates, joint.axes, strict=True):
            if axis.dynamics.friction_model is not None:
                yield name, "loop", axis.dynamics.friction_model
    for t in mechanism.transmissions.values():
        if t.losses.friction_model is not None:
            yield t.name, "transmission", t.losses.friction_model
    for a in mechanism.actuators.values():
        if a.friction_model is not None:
            yield a.name, "actuator", a.friction_model


def hardware(mechanism: Mechanism) -> Table:
    table = _table(3)
    for h in mechanism.hardware.values():
        table.add_row(_name(h.name, "hardware"), _lines([h.type], "dim"), _lines([h.plugin], "dim"))
        for kind, components in (("", h.joints), ("sensor ", h.sensors), ("gpio ", h.gpios)):
            for c in components:
                table.add_row(Text(f"  {kind}{visible(c.name)}"), *_interfaces(c))
    return table


def _interfaces(c: Component) -> tuple[Text, Text]:
    commands = visible(", ".join(i.name for i in c.commands))
    states = visible(", ".join(i.name for i in c.states))
    return (
        Text.assemble(("← ", TERMINAL["hardware"]), commands) if commands else Text(),
        Text.assemble(("→ ", TERMINAL["hardware"]), (states, "dim")) if states else Text(),
    )
