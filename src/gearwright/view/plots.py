"""Recordings as pictures: a panel for each quantity and unit, one colour a joint or device throughout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.sim.recordings.files import replacing
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.recordings import Recording

ENDINGS = (".png", ".svg", ".pdf")
# distinct for colour-blind readers too (Okabe and Ito, with two more); past the last, lines are dashed, then dotted
COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7f6bb3", "#8c6d31", "#4d4d4d", "#b8a900",
)  # fmt: skip
DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.4, 1.2, 1.4)))
INK, SOFT, GRID = "#1d2129", "#6a7180", "#e3e6eb"
LISTED = 12  # names in a legend
TITLES = {"torque": "actuator effort", "shaft_velocity": "actuator velocity", "sensor": "sensor reading"}
SMALLEST = 1e-18  # what a zero is drawn at on a logarithmic axis
SMALLEST_RANGE = 1e-9  # of a linear axis
STYLE = {
    "text.parse_math": False,  # a joint's name is not a formula
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": "#c3c8d1",
    "axes.labelcolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "svg.fonttype": "none",
}


@dataclass
class Panel:
    """A set of axes, and what is drawn in it."""

    title: str
    unit: str
    lines: dict[str, Array] = field(default_factory=dict)
    logarithmic: bool = False


def plot(recording: Recording, path: str | os.PathLike[str], robots: int = 8) -> None:
    """Draws a recording into a file; of a batch some robots from the first to the last."""
    check_ending(path)
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise GearwrightError("plots need matplotlib: pip install 'gearwright[plot]'") from None
    if not len(recording):
        raise GearwrightError("the recording is empty: there is nothing to draw")
    drawn = panels(recording, robots)
    across = 1 if len(drawn) <= 3 else 2
    down = -(-len(drawn) // across)
    with rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(9.5 if across == 1 else 15, 0.9 + 2.35 * down), layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.09)  # type: ignore[union-attr, call-arg]
        axes = figure.subplots(down, across, squeeze=False, sharex=True)
        for ax, panel in zip(axes.flat, drawn, strict=False):
            _draw(ax, panel, recording.time, _looks(recording))
        for ax in axes.flat[len(drawn) :]:
            ax.set_visible(False)
        for column in range(across):
            last = max(n for n in range(len(drawn)) if n % across == column)
            axes.flat[last].set_xlabel("time [s]")
            axes.flat[last].tick_params(labelbottom=True)
        figure.suptitle(_title(recording, robots), x=0.008, ha="left", fontsize=13, fontweight="bold")
        with replacing(Path(path)) as temporary:
            figure.savefig(temporary, format=Path(path).suffix[1:].lower(), dpi=160, facecolor="white")


def check_ending(path: str | os.PathLike[str]) -> None:
    if Path(path).suffix.lower() not in ENDINGS:
        raise GearwrightError(f"{os.fspath(path)!r}: a plot is one of {', '.join(ENDINGS)}")


def spread(batch: int, robots: int) -> Array:
    """Indices of some robots of a batch, evenly spaced, with the first and the last: batches often sweep a range."""
    return np.unique(np.linspace(0, batch - 1, min(robots, batch)).round().astype(int))


def panels(recording: Recording, robots: int) -> list[Panel]:
    """One for each quantity and unit, in the order motion, inputs, energy."""
    found: dict[tuple[str, str], Panel] = {}
    chosen = spread(recording.batch, robots)
    for c in recording.columns():
        values = c.values[:, None] if c.values.ndim == 1 else c.values[:, chosen]
        if c.family in ("", "coupling_error", "shaft_position") or (c.family == "effort" and not values.any()):
            continue
        title = "orientation" if c.unit == "1" else TITLES.get(c.family, c.family)
        unit = "quaternion" if c.unit == "1" else c.unit
        panel = found.setdefault((title, unit), Panel(title, unit))
        panel.lines[c.name] = values
    return [*found.values(), *_balance(recording, robots)]


def _balance(recording: Recording, robots: int) -> Iterator[Panel]:
    energy, chosen = Panel("energy", "J"), spread(recording.batch, robots)
    for name in ("total", "kinetic", "potential"):
        values = getattr(recording, "energy" if name == "total" else f"{name}_energy")
        energy.lines[name] = values[:, None] if values.ndim == 1 else values[:, chosen]
    yield energy
    errors = {c.name: c for c in recording.columns() if c.family == "coupling_error"}
    if errors:
        units = "/".join(dict.fromkeys(c.unit for c in errors.values()))
        panel = Panel("coupling error, magnitude", units, logarithmic=True)
        for name, c in errors.items():
            values = c.values[:, None] if c.values.ndim == 1 else c.values[:, chosen]
            panel.lines[name] = np.maximum(np.abs(values), SMALLEST)
        yield panel


def _looks(recording: Recording) -> dict[str, dict[str, Any]]:
    """Colour and dashes of each joint, the same in every panel; a position and its velocity share theirs."""
    names = dict.fromkeys([*recording.velocity, *recording.position])
    looks = {
        name: {"color": COLOURS[n % len(COLOURS)], "linestyle": DASHES[n // len(COLOURS) % len(DASHES)]}
        for n, name in enumerate(names)
    }
    for follower in recording.schema.followers:  # it may lie on its leader
        looks[follower]["linestyle"] = (0, (4, 3))
    for n, name in enumerate([*recording.actuator, *recording.sensor]):
        looks.setdefault(
            name, {"color": COLOURS[n % len(COLOURS)], "linestyle": DASHES[n // len(COLOURS) % len(DASHES)]}
        )
    energies = {"total": INK, "kinetic": "#d55e00", "potential": "#0072b2"}
    return looks | {name: {"color": colour, "linestyle": "-"} for name, colour in energies.items()}


def _draw(ax: Any, panel: Panel, time: Array, looks: dict[str, dict[str, Any]]) -> None:
    handles = []
    for n, (name, values) in enumerate(panel.lines.items()):
        look = looks.get(name) or {"color": COLOURS[n % len(COLOURS)]}
        alpha = 1.0 if values.shape[1] == 1 else 0.55
        drawn = ax.plot(time, values, linewidth=1.5 if values.shape[1] == 1 else 1.0, alpha=alpha, **look)
        handles.append(drawn[0])
    ax.set_title(panel.title, loc="left", fontsize=10, fontweight="bold", color=INK)
    ax.set_ylabel(f"[{panel.unit}]" if panel.unit else "")
    ax.margins(x=0)
    if panel.title in ("effort", "actuator effort"):
        ax.set_ylim(min(0.0, ax.get_ylim()[0]), max(0.0, ax.get_ylim()[1]))
    if panel.logarithmic:
        _logarithmic(ax, panel)
    elif np.ptp(ax.get_ylim()) < SMALLEST_RANGE:  # rounding is not motion
        middle = float(np.mean(ax.get_ylim()))
        ax.set_ylim(middle - SMALLEST_RANGE, middle + SMALLEST_RANGE)
    _legend(ax, handles, list(panel.lines))


def _logarithmic(ax: Any, panel: Panel) -> None:
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0e}".replace("e-0", "e-").replace("-", "−"))
    ax.minorticks_off()
    largest = max(float(v.max()) for v in panel.lines.values())
    if largest <= SMALLEST:
        ax.set_ylim(SMALLEST / 10, 1e-6)
        ax.text(
            0.5, 0.5, "zero throughout: the couplings are exact", transform=ax.transAxes, ha="center", color=SOFT,
            fontsize=9,
        )  # fmt: skip


def _legend(ax: Any, handles: list[Any], names: list[str]) -> None:
    """To the right of the panel, so that it hides nothing."""
    labels = [f"\u200a{n[:32]}" for n in names[:LISTED]]  # a label that begins with _ would be left out
    title = f"and {len(names) - LISTED} more" if len(names) > LISTED else None
    legend = ax.legend(
        handles[:LISTED], labels, loc="upper left", bbox_to_anchor=(1.0, 1.03), frameon=False, fontsize=8,
        handlelength=1.6, labelspacing=0.28, borderaxespad=0.2,
    )  # fmt: skip
    if title:
        ax.annotate(title, (1.02, 0.0), xycoords="axes fraction", fontsize=8, color=SOFT, annotation_clip=False)
    for handle in legend.get_lines():
        handle.set_alpha(1.0)
        handle.set_linewidth(2.0)


def _title(recording: Recording, robots: int) -> str:
    shown = "" if recording.batch == 1 else f"  ·  {min(robots, recording.batch)} of {recording.batch} robots"
    return f"{recording.schema.robot[:60]}{shown}"
