"""A fit as an .html page: values, what is not determined, residuals over time. One file, without scripts."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from gearwright.errors import GearwrightError
from gearwright.files import checked_path, write_whole
from gearwright.identification.fit import Fit, Residual
from gearwright.optional import require

MOST_PLOTS = 24
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2733}
table{border-collapse:collapse}td,th{padding:.2rem .9rem .2rem 0;text-align:left;border-bottom:1px solid #d8dee6}
td.n{text-align:right;font-variant-numeric:tabular-nums}.open{color:#a33}img{width:100%}h2{margin-top:2rem}"""
PAGE = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{style}</style></head>'


def write(fit: Fit, path: str | os.PathLike[str]) -> None:
    """See `Fit.report`."""
    place = Path(checked_path(path, "a report"))
    if place.suffix.lower() not in (".html", ".htm"):
        raise GearwrightError(f"{os.fspath(path)!r} must end in .html")
    try:
        write_whole(place, "\n".join(_page(fit)) + "\n")
    except OSError as error:
        raise GearwrightError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from None


def _page(fit: Fit) -> Iterator[str]:
    title = f"{fit.robot.name}: identified numbers"
    yield PAGE.format(title=escape(title), style=STYLE)
    yield f"<body><h1>{escape(title)}</h1>"
    yield f"<p>{escape(_sentence(fit))}</p>"
    yield from _values(fit)
    if fit.undetermined:
        yield "<h2>Not determined</h2><ul>"
        for c in fit.undetermined:
            tell = f" To tell: {'; '.join(c.experiments)}." if c.experiments else ""
            yield f"<li>{escape(c.says)}.{escape(tell)} {escape(c.held)} was left as it was.</li>"
        yield "</ul>"
    for line in fit.unpredicted():
        yield f"<p>{escape(line)}.</p>"
    if fit.candidates:
        yield from _models(fit)
    yield from _errors(fit)
    yield "<h2>Residuals</h2>"
    for residual in fit.residuals[:MOST_PLOTS]:
        yield f'<img alt="{escape(residual.log)}" src="data:image/png;base64,{_picture(residual)}">'
    yield "</body></html>"


def _sentence(fit: Fit) -> str:
    unit = fit.residuals[0].unit if fit.residuals else ""
    held = f", {fit.holdout_error:.3g} {unit} in recordings that were held back" if fit.holdout_error > 0 else ""
    ended = "" if fit.complete else " The search was interrupted: this is its best fit so far."
    return f"Mean error {fit.error:.3g} {unit}{held}. {fit.roll_outs} roll-outs, {fit.seconds:.1f} s.{ended}"


def _values(fit: Fit) -> Iterator[str]:
    yield "<h2>Values</h2><table><tr><th>parameter<th>value<th>unit<th>95 % interval, for all together</tr>"
    for name, value in fit.values.items():
        low, high = fit.intervals[name]
        sure = name in fit.determined
        interval = f"{low:.4g} … {high:.4g}" if sure else '<span class="open">not determined</span>'
        bound = " (at its bound)" if name in fit.at_bounds else ""
        yield f'<tr><td>{escape(name)}<td class="n">{value:.5g}<td>{escape(fit.units[name])}<td>{interval}{bound}</tr>'
    yield "</table>"


def _models(fit: Fit) -> Iterator[str]:
    yield "<h2>Models</h2><table><tr><th>model<th>error<th>error in recordings held back</tr>"
    for name, other in fit.candidates.items():
        chosen = " (chosen)" if name == fit.model else ""
        errors = f'<td class="n">{other.error:.4g}<td class="n">{other.holdout_error:.4g}'
        yield f"<tr><td>{escape(name)}{chosen}{errors}</tr>"
    yield "</table>"


def _errors(fit: Fit) -> Iterator[str]:
    yield "<h2>Errors</h2><table><tr><th>recording<th>output<th>mean error<th></tr>"
    for r in fit.residuals:
        kept = "held back" if r.held_back else ""
        error = f'<td class="n">{r.error:.4g} {escape(r.unit)}'
        yield f"<tr><td>{escape(r.log)}<td>{escape(r.output)}{error}<td>{kept}</tr>"
    yield "</table>"


def _picture(residual: Residual) -> str:
    figure = draw(residual)
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=100)
    return base64.b64encode(data.getvalue()).decode()


def draw(residual: Residual) -> Any:
    """Measured and fitted, and the difference below."""
    require("matplotlib", "a report")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    above.plot(residual.time, residual.measured, ".", markersize=3, color="#8a97a6", label="measured")
    above.plot(residual.time, residual.fitted, color="#0b6aa2", linewidth=1.2, label="fitted")
    above.set_ylabel(f"{residual.output} [{residual.unit}]", fontsize=8)
    above.set_title(residual.log + (" (held back)" if residual.held_back else ""), fontsize=9, loc="left")
    above.legend(frameon=False, fontsize=8, ncols=2, loc="upper right")
    below.axhline(0.0, color="#c8ced6", linewidth=0.8)
    below.plot(residual.time, residual.fitted - residual.measured, color="#c0562b", linewidth=0.9)
    below.set(xlabel="time [s]", ylabel="difference")
    for axes in (above, below):
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    return figure
