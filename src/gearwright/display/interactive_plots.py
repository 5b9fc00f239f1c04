"""The same panels as a page of plotly that can be zoomed: one self-contained .html file."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

from gearwright.display.plot_panels import PlotLine, PlotPanel, band_pairs, middle, stretches, thinned
from gearwright.display.plot_style import Look, Theme
from gearwright.files import write_whole
from gearwright.optional import require

HEIGHT = 240  # [px] of a panel


def interactive(drawn: list[PlotPanel], look: dict[str, Look], title: str, theme: Theme, path: Path) -> Any:
    """Writes the page, and returns plotly's figure."""
    make_subplots = require("plotly.subplots", "an .html plot").make_subplots
    heads = [f"{p.title} [{p.unit}]" if p.unit else p.title for p in drawn]
    gap = min(0.06, 0.3 / max(1, len(drawn)))
    figure = make_subplots(rows=len(drawn), cols=1, shared_xaxes=True, subplot_titles=heads, vertical_spacing=gap)
    listed: set[str] = set()
    for row, panel in enumerate(drawn, start=1):
        for name, line in panel.lines.items():
            for trace in _traces(panel, line, look[name], theme):
                figure.add_trace(trace | {"showlegend": trace["showlegend"] and name not in listed}, row=row, col=1)
            listed.add(name)
        _limits(figure, panel, row, theme)
    _lay_out(figure, drawn, title, theme)
    write_whole(path, figure.to_html(include_plotlyjs=True, full_html=True))
    return figure


def _traces(panel: PlotPanel, line: PlotLine, look: Look, theme: Theme) -> list[dict[str, Any]]:
    """Lines of all robots, or a median and its bands; broad strokes where a line is on its limit."""
    common = {"type": "scatter", "mode": "lines", "legendgroup": line.name, "name": line.name, "showlegend": False}
    if line.bands:
        return _bands(panel, line, look, common)
    found = []
    for robot in range(line.values.shape[1]):
        x, y = thinned(panel.time, line.values[:, robot])
        style = {"color": look.colour, "dash": look.dash, "width": 1.6 if line.values.shape[1] == 1 else 1.1}
        found.append({**common, "x": x.tolist(), "y": y.tolist(), "line": style, "showlegend": robot == 0})
        for first, last in stretches(line.saturated[:, robot]) if line.saturated is not None else ():
            part = slice(first, last + 1)
            x, y = thinned(panel.time[part], line.values[part, robot])
            stroke = {"color": theme.saturated, "width": 7}
            limit = {"mode": "lines+markers" if first == last else "lines", "opacity": 0.35, "hoverinfo": "skip"}
            found.append({**common, **limit, "x": x.tolist(), "y": y.tolist(), "line": stroke})
    return found


def _bands(panel: PlotPanel, line: PlotLine, look: Look, common: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for lower, upper in band_pairs(line.bands):
        for column, fill in ((lower, None), (upper, "tonexty")):
            x, y = thinned(panel.time, line.values[:, column])
            edge = {"line": {"width": 0, "color": look.colour}, "fill": fill, "hoverinfo": "skip", "opacity": 0.2}
            found.append({**common, **edge, "x": x.tolist(), "y": y.tolist()})
    x, y = thinned(panel.time, line.values[:, middle(line.bands)])
    style = {"color": look.colour, "width": 1.8}
    return [*found, {**common, "x": x.tolist(), "y": y.tolist(), "line": style, "showlegend": True}]


def _limits(figure: Any, panel: PlotPanel, row: int, theme: Theme) -> None:
    bottom, top = panel.range()
    lower, upper = panel.limits
    for first, last, there in ((upper, top, upper < top), (bottom, lower, lower > bottom)):
        if isfinite(first) and isfinite(last) and there:
            figure.add_hrect(
                y0=first, y1=last, fillcolor=theme.limit, opacity=0.12, line_width=0, row=row, col=1
            )  # fmt: skip
    figure.update_yaxes(range=[bottom, top], row=row, col=1)


def _lay_out(figure: Any, drawn: list[PlotPanel], title: str, theme: Theme) -> None:
    figure.update_layout(
        title={"text": f"<b>{_escaped(title)}</b>", "x": 0.01}, height=90 + HEIGHT * len(drawn),
        paper_bgcolor=theme.paper, plot_bgcolor=theme.paper, font={"color": theme.ink, "size": 12},
        hovermode="x unified", margin={"l": 60, "r": 20, "t": 70, "b": 45},
    )  # fmt: skip
    first, last = float(drawn[0].time[0]), float(drawn[0].time[-1])
    figure.update_xaxes(gridcolor=theme.grid, zeroline=False, linecolor=theme.edge)
    if last > first:
        figure.update_xaxes(range=[first, last])
    figure.update_yaxes(gridcolor=theme.grid, zeroline=False, linecolor=theme.edge)
    figure.update_xaxes(title_text="time [s]", row=len(drawn), col=1)
    for note in figure.layout.annotations:
        note.update(x=0, xanchor="left", font={"size": 13, "color": theme.ink})


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
