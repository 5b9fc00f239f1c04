"""Recordings as pictures: a panel for each quantity and unit, one colour per joint or device throughout."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gearwright.display.figures import new_figure
from gearwright.display.plot_panels import (
    TOTAL,
    PlotLine,
    PlotPanel,
    band_pairs,
    heading,
    middle,
    panels,
    stretches,
    thinned,
)
from gearwright.display.plot_style import COLOURS, THEMES, Look, Theme, background, find_theme, looks
from gearwright.errors import GearwrightError
from gearwright.files import replacing
from gearwright.optional import require

if TYPE_CHECKING:
    from gearwright.sim.recordings.recording import Recording

ENDINGS = (".png", ".svg", ".pdf", ".html")
DASHES = {"solid": "-", "dash": (0, (4, 2.4)), "dot": (0, (1.2, 1.2)), "dashdot": (0, (5, 1.4, 1.2, 1.4))}
__all__ = ["COLOURS", "ENDINGS", "INK", "SOFT", "STYLE", "check_ending", "panels", "plot", "save", "small_plot"]
SMALLEST_RANGE = 1e-9  # of an axis: rounding is not motion
AT_REST = 1.0  # to both sides of a panel in which nothing is but zero


def plot(
    recording: Recording, signals: Sequence[str] | None = None, path: str | os.PathLike[str] | None = None,
    robots: int | Sequence[int] | None = None, time: tuple[float, float] | None = None, theme: str = "light",
) -> Any:  # fmt: skip
    """See `Recording.plot`: a figure of Matplotlib, or of plotly for an .html file."""
    if path is not None:
        check_ending(path)
    if not len(recording):
        raise GearwrightError("the recording is empty: there is nothing to draw")
    colours = find_theme(theme)
    drawn = panels(recording, signals, robots, time)
    look = _looks(recording, drawn, colours)
    title = heading(recording, robots)
    if path is not None and Path(path).suffix.lower() == ".html":
        from gearwright.display.interactive_plots import interactive

        return interactive(drawn, look, title, colours, Path(path))
    figure = _figure(drawn, look, title, colours)
    if path is not None:
        with replacing(Path(path)) as temporary:
            save(figure, temporary, Path(path).suffix[1:].lower(), colours)
    return figure


def _looks(recording: Recording, drawn: list[PlotPanel], theme: Theme) -> dict[str, Look]:
    """Colours go to the lines with names first."""
    names = [name for panel in drawn for name in panel.named] + [name for panel in drawn for name in panel.lines]
    return looks(names, {*recording.schema.followers, TOTAL}, theme)


def save(figure: Any, target: Any, form: str, theme: Theme, dpi: int = 160) -> None:
    """Without a date: the same picture is the same file."""
    from matplotlib import rc_context

    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context(_style(theme)):  # type: ignore[arg-type]
        figure.savefig(target, format=form, dpi=dpi, metadata=undated.get(form))


def check_ending(path: str | os.PathLike[str]) -> None:
    if Path(path).suffix.lower() not in ENDINGS:
        raise GearwrightError(f"{os.fspath(path)!r}: the name of a plot must end in {', '.join(ENDINGS)}")


def _figure(drawn: list[PlotPanel], look: dict[str, Look], title: str, theme: Theme) -> Any:
    require("matplotlib", "a plot")
    from matplotlib import rc_context

    across = 1 if len(drawn) <= 3 else 2
    down = -(-len(drawn) // across)
    with rc_context(_style(theme)):  # type: ignore[arg-type]
        figure = new_figure(9.5 if across == 1 else 15, 0.9 + 2.35 * down)
        grid = figure.add_gridspec(down, across)
        for n, panel in enumerate(drawn):
            row, column = divmod(n, across)
            alone = n == len(drawn) - 1 and column == 0  # the last of an odd number is as wide as the page
            ax = figure.add_subplot(grid[row, :] if alone else grid[row, column])
            _draw(ax, panel, look, theme)
            wide = across == 2 and len(drawn) % 2 == 1  # below narrow ones, whose times it does not share
            below = row < down - (2 if wide else 1)
            ax.tick_params(labelbottom=not below)
            ax.set_xlabel("" if below else "time [s]")
        figure.suptitle(title, x=0.008, ha="left", fontsize=13, fontweight="bold")
    return figure


def _style(theme: Theme) -> dict[str, Any]:
    return {
        "text.parse_math": False,  # a joint's name is not a formula
        "font.family": ["DejaVu Sans"],
        "font.size": 9,
        "text.color": theme.ink,
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.edge,
        "axes.labelcolor": theme.soft,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.formatter.useoffset": False,
        "grid.color": theme.grid,
        "grid.linewidth": 0.8,
        "xtick.color": theme.soft,
        "ytick.color": theme.soft,
        "svg.fonttype": "none",
        "svg.hashsalt": "gearwright",  # the same picture is the same file
    }


INK, SOFT = THEMES["light"].ink, THEMES["light"].soft
STYLE = _style(THEMES["light"])


def _draw(ax: Any, panel: PlotPanel, look: dict[str, Look], theme: Theme) -> None:
    named = panel.named
    for name, line in panel.lines.items():
        if name not in named:
            _draw_line(ax, panel, line, background(theme), zorder=1.4)
    handles = [_draw_line(ax, panel, panel.lines[name], look[name]) for name in named]
    lower, upper = panel.range()
    if not any(line.values.any() for line in panel.lines.values()):
        lower, upper = min(lower, -AT_REST), max(upper, AT_REST)
    elif upper - lower < SMALLEST_RANGE:
        lower, upper = (lower + upper) / 2 - SMALLEST_RANGE, (lower + upper) / 2 + SMALLEST_RANGE
    ax.set_ylim(lower, upper)
    _draw_limits(ax, panel, look, theme)
    marked = _draw_saturation(ax, panel, theme)
    ax.set_title(panel.title, loc="left", fontsize=10, fontweight="bold", color=theme.ink)
    ax.set_ylabel(f"[{panel.unit}]" if panel.unit else "")
    if len(panel.time) > 1:
        ax.set_xlim(panel.time[0], panel.time[-1])
    _legend(ax, handles, panel, panel.stroke if marked else "", theme)


def _draw_line(ax: Any, panel: PlotPanel, line: PlotLine, look: Look, zorder: float = 2.0) -> Any:
    style = {"color": look.colour, "linestyle": DASHES[look.dash], "zorder": zorder}
    if line.bands:
        for lower, upper in band_pairs(line.bands):
            low, high = line.values[:, lower], line.values[:, upper]
            ax.fill_between(panel.time, low, high, color=look.colour, alpha=0.16, linewidth=0)
        return ax.plot(*thinned(panel.time, line.values[:, middle(line.bands)]), linewidth=1.6, **style)[0]
    several = line.values.shape[1] > 1
    for robot in range(line.values.shape[1]):
        drawn = ax.plot(
            *thinned(panel.time, line.values[:, robot]), linewidth=1.0 if several else 1.5,
            alpha=0.6 if several else 1.0, **style,
        )  # fmt: skip
    return drawn[0]


def _draw_limits(ax: Any, panel: PlotPanel, look: dict[str, Look], theme: Theme) -> None:
    """Shaded beyond the outermost limits; a line's own limits in its colour where others have different ones."""
    bottom, top = ax.get_ylim()
    lower, upper = panel.limits
    if isfinite(upper) and upper < top:
        ax.axhspan(upper, top, facecolor=theme.limit, alpha=0.10, linewidth=0, zorder=0.5)
        ax.axhline(upper, color=theme.limit, linewidth=0.8, alpha=0.7, zorder=0.6)
    if isfinite(lower) and lower > bottom:
        ax.axhspan(bottom, lower, facecolor=theme.limit, alpha=0.10, linewidth=0, zorder=0.5)
        ax.axhline(lower, color=theme.limit, linewidth=0.8, alpha=0.7, zorder=0.6)
    for name, limit in panel.own_limits:
        if bottom < limit < top:
            ax.axhline(limit, color=look[name].colour, linewidth=0.8, alpha=0.6, linestyle=(0, (2, 2)), zorder=0.6)


def _draw_saturation(ax: Any, panel: PlotPanel, theme: Theme) -> bool:
    """A broad stroke under a line where it is on its limit or beyond. True if there is one."""
    found: set[tuple[int, int, float]] = set()  # strokes over each other would hide the lines
    for line in panel.lines.values():
        for robot in range(line.values.shape[1]) if line.saturated is not None else ():
            assert line.saturated is not None
            for first, last in stretches(line.saturated[:, robot]):
                part = slice(first, last + 1)
                point = first == last
                stroke = (first, last, float(line.values[part, robot].mean().round(9)))
                if stroke in found:
                    continue
                found.add(stroke)
                ax.plot(
                    *thinned(panel.time[part], line.values[part, robot]), color=theme.saturated, linewidth=6,
                    alpha=0.32, solid_capstyle="round", zorder=1.5, marker="o" if point else None, markersize=5,
                )  # fmt: skip
    return bool(found)


def _legend(ax: Any, handles: list[Any], panel: PlotPanel, stroke: str, theme: Theme) -> None:
    """To the right of the panel, so that it hides nothing."""
    from matplotlib.lines import Line2D

    labels = [f"\u200a{name[:32]}" for name in panel.named]  # a label that begins with _ would be left out
    shown, more = [*handles], len(panel.lines) - len(handles)
    if more:
        shown.append(Line2D([], [], color=theme.edge, linewidth=1.5))
        labels.append(f"\u200a{more} that vary less")
    if stroke:
        shown.append(Line2D([], [], color=theme.saturated, linewidth=6, alpha=0.4))
        labels.append(f"\u200a{stroke}")
    legend = ax.legend(
        shown, labels, loc="upper left", bbox_to_anchor=(1.0, 1.03), frameon=False, fontsize=8,
        handlelength=1.8, labelspacing=0.28, borderaxespad=0.2,
    )  # fmt: skip
    for handle in legend.get_lines()[: len(handles)]:
        handle.set_alpha(1.0)
        handle.set_linewidth(2.0)


def small_plot(recording: Recording, theme: str, most: int = 2) -> bytes:
    """The first panels as a small PNG, for notebooks."""
    from io import BytesIO

    colours = find_theme(theme)
    drawn = panels(recording)[:most]
    look = _looks(recording, drawn, colours)
    figure, out = _figure(drawn, look, heading(recording, None), colours), BytesIO()
    save(figure, out, "png", colours, dpi=90)
    return out.getvalue()
