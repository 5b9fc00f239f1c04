"""`gearwright run FILE --report page.html`: the demo's report for any robot."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gearwright import __version__
from gearwright.demo.chapter import Fact, TextTable
from gearwright.demo.document import document, fact_list, figure_cards, graph_card, table_card
from gearwright.demo.run_charts import run_figures
from gearwright.demo.run_film import run_film
from gearwright.diagnostics import Diagnostic
from gearwright.display.quantities import duration, number
from gearwright.display.summary import summary
from gearwright.display.visible import visible
from gearwright.errors import counted

if TYPE_CHECKING:
    from gearwright.display.runs import Outcome
    from gearwright.model import Mechanism
    from gearwright.sim import Recording

MOMENTS = 6  # of the strip
MOST_ROWS = 60  # of the table of joints
MOST_DIAGNOSTICS = 100
MOST_COMMANDS = 4
ROUNDING = 1e-12  # below which a position is 0
SHORTEST, LONGEST = 2.0, 8.0  # [s] that the moving picture takes


def run_report(
    robot: Mechanism, recording: Recording, outcome: Outcome, search_path: Sequence[str | os.PathLike[str]] = (),
    command_line: str = "",
) -> str:  # fmt: skip
    """HTML, everything inside it."""
    film, missing = run_film(recording, robot, search_path)
    moments = np.unique(np.linspace(0, len(film.times) - 1, MOMENTS).round().astype(int)).tolist()
    seconds = min(LONGEST, max(SHORTEST, outcome.steps * outcome.dt))
    found, name = summary(robot), visible(robot.name) or "(no name)"
    figures, diagnostics = run_figures(recording, robot), [*robot.diagnostics, *missing]
    body = [
        f'<header><h1>{escape(name)}</h1><p class="lead">{escape(found.parts)}; {escape(found.freedom)}.</p>'
        f"{_origin(recording.schema.file, command_line)}</header>",
        f'<section style="padding-top:24px"><div class="opening"><div>{fact_list(_facts(outcome))}</div>'
        f'<div class="card stage">{film.loop(seconds)}</div></div>'
        f'<div class="card strip">{"".join(film.strip(moments))}</div></section>',
        f'<section><h2>Over time</h2><div class="figures">{figure_cards(figures)}</div></section>' if figures else "",
        f"<section><h2>Joints</h2>{table_card(_joints(recording, robot))}</section>",
        f"<section><h2>Mechanism</h2>{graph_card(robot, opened=True)}</section>",
        _diagnostics(diagnostics, outcome),
        f"<footer>{escape(_about())}</footer>",
    ]
    return document(f"{name}: a run", body)


def _facts(outcome: Outcome) -> list[Fact]:
    simulated = duration(outcome.steps * outcome.dt)
    steps = f"{counted(outcome.steps, 'step')} of {duration(outcome.dt)}"
    many = "" if outcome.batch == 1 else f", {outcome.batch:,} robots; the pictures show the first"
    start, end = outcome.energy["start"], outcome.energy["end"]
    facts = [
        Fact(number=simulated, meaning=f"simulated in {steps}, {outcome.integrator}{many}"),
        Fact(number=f"{number(outcome.real_time_factor, 3)} ×", meaning="real time"),
        Fact(number=str(outcome.unsettled), meaning="steps that did not converge"),
        Fact(number=f"{number(end, 3)} J", meaning=f"energy at the end; {number(start, 3)} J at the start"),
    ]
    facts += _commands(outcome)
    if outcome.coupling_errors:
        worst = max(outcome.coupling_errors, key=lambda n: abs(outcome.coupling_errors[n]))
        value = f"{number(abs(outcome.coupling_errors[worst]), 3)} {outcome.unit(worst)}"
        facts.append(Fact(number=value.rstrip(), meaning=f"largest coupling error, of {visible(worst)}"))
    return facts


def _commands(outcome: Outcome) -> Iterator[Fact]:
    """At the end, of the first actuators."""
    left = len(outcome.actuators) - MOST_COMMANDS
    for i, (name, values) in enumerate(list(outcome.actuators.items())[:MOST_COMMANDS]):
        more = f"; {counted(left, 'more actuator')}" if left > 0 and i == MOST_COMMANDS - 1 else ""
        unit = outcome.device_units[name]["command"]
        yield Fact(number=f"{number(values['command'], 3)} {unit}", meaning=f"command of {visible(name)}{more}")


def _origin(file: str, command_line: str) -> str:
    """The file and the command that the run is of."""
    parts = [f"<p>{escape(visible(Path(file).name))}</p>"] if file else []
    if command_line:
        parts.append(f'<pre style="white-space:pre-wrap">{escape(visible(command_line))}</pre>')
    return "".join(parts)


def _joints(recording: Recording, robot: Mechanism) -> TextTable:
    """Where each coordinate was, and where it may be."""
    own = recording.schema.by_family.get("position", {})
    ranges = recording.schema.limits.get("position", {})
    rows = []
    for name, signal in list(own.items())[:MOST_ROWS]:
        values = np.asarray(recording.read(signal))
        values = values if values.ndim == 1 else values[:, 0]
        low, high = ranges.get(name, (-np.inf, np.inf))
        limits = f"{_limit(low)} … {_limit(high)}" if np.isfinite([low, high]).any() else "none"
        start, end, lowest, highest = (_figure(x) for x in (values[0], values[-1], values.min(), values.max()))
        title = f"{visible(name)} [{signal.unit}]" if signal.unit else visible(name)
        rows.append((title, f"{start} → {end}", f"{lowest} … {highest}", limits))
    left = len(own) - len(rows)
    caption = f"and {left} more" if left > 0 else ""
    return TextTable(title="Positions", columns=("", "start → end", "range", "limits"), rows=rows, caption=caption)


def _figure(x: float) -> str:
    return number(float(x) if abs(x) > ROUNDING else 0.0, 3)


def _limit(x: float) -> str:
    return _figure(x) if np.isfinite(x) else ("−∞" if x < 0 else "∞")


def _diagnostics(found: Sequence[Diagnostic], outcome: Outcome) -> str:
    """All of the file, and what the run was warned of."""
    known = {d.message for d in found}
    lines = [str(replace(d, file=Path(d.file).name)) for d in found]
    lines += [f"warning: {w}" for w in outcome.warnings if w not in known]
    shown = "\n".join(visible(line) for line in lines[:MOST_DIAGNOSTICS]) or "none"
    more = f"\nand {len(lines) - MOST_DIAGNOSTICS} more" if len(lines) > MOST_DIAGNOSTICS else ""
    text = escape(shown + more)
    return f'<section><h2>Diagnostics</h2><pre style="white-space:pre-wrap">{text}</pre></section>'


def _about() -> str:
    machine = f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}"
    return f"gearwright {__version__}, {machine}; made by “gearwright run --report”. This file is self-contained."
