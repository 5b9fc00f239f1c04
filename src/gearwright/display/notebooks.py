"""Objects in notebooks: pictures and short tables. One function per class.

Pictures stand in <img> elements: their styles stay their own, they follow a dark page, and nothing in them runs.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import singledispatch
from html import escape
from math import pi
from typing import Any

import numpy as np

from gearwright.display.chart_style import alone
from gearwright.display.charts import Area, Chart, ChartLine
from gearwright.display.devices import losses, strength
from gearwright.display.diagnostics_text import count_text
from gearwright.display.graph_svg import graph_svg
from gearwright.display.maps import formulas, map_formulas
from gearwright.display.outline import outline
from gearwright.display.quantities import number
from gearwright.display.summary import summary
from gearwright.display.visible import visible
from gearwright.errors import GearwrightError
from gearwright.model import Actuator, Mechanism, Transmission, TransmissionMap
from gearwright.sim import Recording, Simulation

MOST_ROWS = 120  # of a mechanism that is drawn: 20 kB
MOST_JOINTS = 12  # of a simulation's table
SPEEDS = 121  # points of a curve


@singledispatch
def html(shown: Any) -> str:
    """HTML of an object; of one without a row here its text."""
    return f"<pre>{_words(repr(shown))}</pre>"


@html.register
def _mechanism(robot: Mechanism) -> str:
    return f"{_title(robot)}{_graph(robot)}"


@html.register
def _simulation(sim: Simulation) -> str:
    rows = [("at", f"{number(sim.time)} s", "velocity")]
    for name, position in list(sim.position.items())[:MOST_JOINTS]:
        unit = sim.layout.units.get(name, ("", ""))
        velocity = f"{number(_first(sim.velocity[name]))} {unit[1]}" if name in sim.velocity else ""
        rows.append((name, f"{number(_first(position))} {unit[0]}", velocity))
    more = len(sim.position) - MOST_JOINTS
    note = f"<p>and {more} more</p>" if more > 0 else ""
    first = "" if sim.batch == 1 else f"<p>the first of {sim.batch:,} robots:</p>"
    graph = f"<details><summary>mechanism</summary>{_graph(sim.robot)}</details>"
    return f"<p>{_words(repr(sim))}</p>{first}{_table(rows)}{note}{graph}"


@html.register
def _recording(recording: Recording) -> str:
    """The first panels of its plot; without Matplotlib its text."""
    from gearwright.display.plots import small_plot

    text = f"<p>{_words(repr(recording))}</p>"
    try:
        pictures = [small_plot(recording, theme) for theme in ("light", "dark")] if len(recording) else []
    except GearwrightError:
        pictures = []
    return text + (_picture(*(_data(p, "image/png") for p in pictures)) if pictures else "")


@html.register
def _actuator(actuator: Actuator) -> str:
    title = f"<p><b>{_words(actuator.name)}</b> {_words(actuator.type)}, {_words(actuator.command)} command</p>"
    able = ", ".join(filter(None, (strength(actuator), losses(actuator))))
    return f"{title}<p>{_words(able)}</p>{_image(motor_curve(actuator), 'torque over speed')}"


@html.register
def _transmission(t: Transmission) -> str:
    ends = f"{', '.join(t.actuators) or '?'} ⇄ {', '.join(map(str, t.joints)) or '?'}"
    title = f"<p><b>{_words(t.name)}</b> {_words(t.type)}: {_words(ends)}</p>"
    return title + _lines(formulas(t)) + ("" if t.map is None else _ratio_picture(t.map))


@html.register
def _map(m: TransmissionMap) -> str:
    actuators, joints = (
        [kind if n == 1 else f"{kind}{i + 1}" for i in range(n)]
        for kind, n in (("actuator", m.actuators), ("joint", m.joints))
    )
    return f"<p><b>{_words(type(m).__name__)}</b></p>{_lines(map_formulas(m, actuators, joints))}{_ratio_picture(m)}"


def motor_curve(actuator: Actuator) -> str:
    """Torque over speed, as its file has it, and what its drive lets through; empty without a curve."""
    if not actuator.torque_speed:
        return ""
    speeds, torques = (np.array(column) for column in zip(*actuator.torque_speed, strict=True))
    x = np.linspace(0.0, speeds[-1], SPEEDS)
    curve = np.interp(x, speeds, torques)
    able = np.minimum(curve, actuator.effort_limit)
    lines = [ChartLine(label="", x=x, y=curve, colour="grey", kind="dash")] if (able < curve).any() else []
    lines.append(ChartLine(label="", x=x, y=able, colour="green"))
    area = Area(label="", x=x, low=np.zeros(SPEEDS), high=able, colour="green", pale=True)
    return alone(Chart(x_label="speed [rad/s]", y_label="torque [N·m]", lines=lines, areas=[area]).svg())


def _ratio_picture(m: TransmissionMap) -> str:
    """A single shaft whose ratio changes: one end over the other, in a turn."""
    if (m.actuators, m.joints) != (1, 1) or m.by_effort:
        return ""
    x = np.linspace(-pi, pi, 181)
    ends = ("actuator", "joint") if m.leads_joints else ("joint", "actuator")
    y = m.joints_at(x[:, None])[:, 0] if m.leads_joints else np.array([_actuator_position(m, float(q)) for q in x])
    steps = np.diff(y)
    if not np.isfinite(steps).any() or np.nanmax(steps) - np.nanmin(steps) < 1e-9 * np.nanmax(np.abs(steps)):
        return ""  # a constant ratio, which the formula says
    known = np.flatnonzero(np.isfinite(y))
    parts = np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)
    lines = [ChartLine(label="", x=x[part], y=y[part], colour="orange") for part in parts]
    chart = Chart(x_label=f"{ends[0]} [rad]", y_label=f"{ends[1]} [rad]", lines=lines)
    return _image(alone(chart.svg()), f"{ends[1]} over {ends[0]}")


def _actuator_position(m: TransmissionMap, q: float) -> float:
    try:
        return float(m.joint_to_actuator_position(q))
    except GearwrightError:
        return float("nan")


# --- pieces ----------------------------------------------------------------------------------------------------------


def _title(robot: Mechanism) -> str:
    found = count_text(d for d in robot.diagnostics if d.severity != "info")
    return f"<p>{found}: see <code>.diagnostics</code></p>" if found else ""


def _graph(robot: Mechanism) -> str:
    if len(outline(robot)) > MOST_ROWS:
        return f"<p><b>{_words(robot.name)}</b> {_words(str(summary(robot)))}</p>"
    return _image(graph_svg(robot), f"mechanism graph of {robot.name}")


def _first(value: Any) -> float:
    return float(np.ravel(value)[0])


def _words(text: str) -> str:
    return escape(visible(text))


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"<div><code>{_words(line)}</code></div>" for line in lines)


def _table(rows: Sequence[Sequence[str]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{_words(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{body}</table>"


def _image(svg: str, about: str) -> str:
    if not svg:
        return ""
    return f'<img style="max-width:100%" alt="{_words(about)}" src="{_data(svg.encode(), "image/svg+xml")}">'


def _picture(light: str, dark: str) -> str:
    source = f'<source media="(prefers-color-scheme: dark)" srcset="{dark}">'
    return f'<picture>{source}<img style="max-width:100%" alt="plot" src="{light}"></picture>'


def _data(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"
