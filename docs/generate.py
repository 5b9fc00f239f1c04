"""Writes the pages that are made from data: docs/diagnostics.md, docs/peers.md, docs/kinds.md, docs/reference/*.md.

python docs/generate.py
"""

from __future__ import annotations

import re
import sys
from dataclasses import MISSING
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent), str(DOCS.parent / "src")]

import api_reference  # noqa: E402
from command_reference import commands_page  # noqa: E402
from element_reference import elements_page  # noqa: E402
from mjcf_reference import mjcf_page  # noqa: E402
from parameter_reference import parameters_page  # noqa: E402
from remedies import REMEDIES  # noqa: E402

from gearwright import diagnostics  # noqa: E402
from gearwright.model import ACTUATORS, JOINT_KINDS, SENSORS  # noqa: E402
from gearwright.model.fields import NOTHING, meanings  # noqa: E402
from gearwright.model.frictions import FRICTIONS  # noqa: E402
from gearwright.model.transmissions import TRANSMISSIONS, Losses  # noqa: E402
from tests.corpus.differences import DIFFERENCES  # noqa: E402


def diagnostics_page() -> str:
    """One table per family, as the comments of CODES group them."""
    lines = [
        "# Diagnostics",
        "",
        "All faults of a file are reported together, as `file:line: severity: message [code]`. If a name is wrong, the",
        "message gives the nearest valid one. This page lists the codes.",
        "",
        "| where | what to read |",
        "|---|---|",
        "| Python, if loading fails | `gw.LoadError.diagnostics` |",
        "| Python, if it succeeds | `robot.diagnostics`; the warnings are also issued as one `gw.LoadWarning` |",
        "| Python, parts that a simulation leaves out | `sim.diagnostics`; also issued as a `gw.NotSimulatedWarning` |",
        "| command line | `gearwright check FILE`, with `--json` for programs |",
        "",
        "The same code may be an error in one place and a warning in another. An error means that no mechanism can be",
        "made that does what the file says. Some checks, such as those of closed loops, can only warn. They run when",
        "`robot.diagnostics` is first read, or in `gw.compile`, which then issues their `gw.LoadWarning`.",
    ]
    source = Path(diagnostics.__file__).read_text(encoding="utf-8")
    table = source[source.index("CODES: dict[str, str] = {") :]
    for line in table.splitlines()[1:]:
        heading = re.fullmatch(r"    # (.*)", line)
        if heading:
            lines += ["", f"## {heading[1][0].upper()}{heading[1][1:]}", ""]
            lines += ["| code | when | what to do |", "|---|---|---|"]
        code = re.match(r'    "([a-z0-9-]+)":', line)
        if code:
            lines.append(f"| `{code[1]}` | {diagnostics.CODES[code[1]]} | {REMEDIES[code[1]]} |")
    return "\n".join(lines) + "\n"


def peers_page() -> str:
    lines = [
        "# Where reading differs from other programs",
        "",
        "Files are read as libsdformat, urdfdom, ros2_control and Drake read them, and their own test cases are among",
        "ours. This page lists the places where Gearwright does something else on purpose. The other programs were",
        "read in November 2026, in the versions that [the comparison](comparison.md#versions) lists.",
        "",
        "| theirs | ours | why |",
        "|---|---|---|",
    ]
    lines += [f"| {d.theirs} | {d.ours} | {d.reason} |" for d in DIFFERENCES]
    return "\n".join(lines) + "\n"


FAMILIES = (
    ("a transmission", "`model.LinearTransmission` or `TransmissionMap`", "`gearwright.transmissions`",
     "`actuator_entries`, `joint_entries` or `to_actuators`; `efficiency_at(load, speed)`"),
    ("an actuator", "`model.Actuator`", "`gearwright.actuators`", "`respond(command, shaft, state)`"),
    ("a sensor", "`model.CustomSensor`", "`gearwright.sensors`", "`read(positions, velocities, state)`"),
    ("a friction model", "`model.frictions.FrictionModel`", "`gearwright.frictions`",
     "`level(speed)` or `resist(position, speed)`; with `states`, `respond(moved, time, state)`, or "
     "`level_in(speed, state)` and `follow(moved, time, state)`"),
    ("a joint", "`model.joints.kind.JointKind`", "`gearwright.joints`", "`motions(joint)`, `closing(joint)`"),
    ("a recording format", "a sink with `open`, `write`, `close`", "`gearwright.recordings`", "`Format(sink, reader)`"),
    ("a back end", "`compiler.Backend`", "`gearwright.backends`", "`code`, `load`"),
    ("a constraint", "`dynamics.constraints.rows.OneRow`", "a row of `dynamics.steps.constraint_groups.CONSTRAINTS`",
     "`act(now)`: lines, polylines, curves, equalities"),
)  # fmt: skip


def kinds_page() -> str:
    """Every kind of every family with its fields, from the classes themselves."""
    lines = [
        "# Types and their fields",
        "",
        "This page lists the types that files can name, with their fields. In a file, an element with the name of a",
        "field gives its value. If the units of rotating and sliding axes differ, both are given: `N·m | N`. Numbers",
        "marked with • can be parameters of `gw.compile`, as `name.field`; `robot.parameters` lists those of a robot",
        "with values and units. `simple`, `differential`, `four_bar` and `linear_map` are written as in ros2_control",
        "and Gazebo: [formats](formats.md).",
        "",
        "A type of your own is one class and one entry point. It is then read, shown, simulated and varied like these.",
        "`tests/contracts/test_outside_kinds.py` is a whole package with one type of each family. Its transmission is",
        "a strain-wave gear with its own efficiency map, [explained here](transmissions.md).",
        "",
        "| to add | write | row, or entry point | the method that defines it |",
        "|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(row)} |" for row in FAMILIES]
    families = (
        ("Transmissions", TRANSMISSIONS),
        ("Actuators", ACTUATORS),
        ("Sensors", SENSORS),
        ("Friction", FRICTIONS),
    )
    for heading, registry in families:
        lines += ["", f"## {heading}"]
        for name in registry.rows:
            lines += ["", f"### {name}", "", *_field_table(registry[name], heading == "Sensors")]
    lines += [
        "",
        "## Losses of a transmission",
        "",
        "Any transmission takes these elements, besides those of its type.",
        "",
    ]
    lines += _field_table(Losses, sensor=True)
    lines += ["", "## Joints", ""]
    lines += ["| type | axes | position coordinates | velocity coordinates |", "|---|---|---|---|"]
    for name in JOINT_KINDS.rows:
        kind = JOINT_KINDS[name]
        names = (", ".join(n or "the joint" for n in part) for part in (kind.positions, kind.velocities))
        lines.append(f"| `{name}` | {kind.axes} | {' | '.join(names)} |")
    return "\n".join(lines) + "\n"


def _field_table(kind: type, sensor: bool) -> list[str]:
    summary = (kind.__doc__ or "").strip().split("\n\n")[0]
    lines = [" ".join(summary.split()), "", "| field | unit | range | default | meaning |", "|---|---|---|---|---|"]
    for m in meanings(kind):
        q = m.quantity
        if q is NOTHING:
            continue
        default = "required" if m.field.default is MISSING else f"{m.field.default}"
        mark = "" if sensor or not m.is_parameter else " •"
        cells = (f"`{m.tag}`{mark}", q.unit, q.range_text, default, q.doc)
        lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return lines if len(lines) > 4 else lines[:1]


PAGES = {
    "diagnostics.md": diagnostics_page,
    "peers.md": peers_page,
    "kinds.md": kinds_page,
    "reference/commands.md": commands_page,
    "reference/elements.md": elements_page,
    "reference/mjcf.md": mjcf_page,
    "reference/parameters.md": parameters_page,
    **api_reference.pages(),
}

if __name__ == "__main__":
    (DOCS / "reference").mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")
