"""Pictures of a sweep's table: curves of one parameter, maps of two, a scatter matrix, a Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.files import replacing
from gearwright.optional import require

Array = np.ndarray[Any, Any]
BLUE, RED = "#34658a", "#c0392b"
FEW = 60  # values of a curve that are marked one by one
NO_UNITS: Mapping[str, str] = {}
MOST_POINTS = 20_000  # that a scatter plot shows: evenly chosen rows beyond


def draw(
    table: Any, parameters: Sequence[str], metrics: Sequence[str], path: str | Path, units: Mapping[str, str] = NO_UNITS
) -> None:
    """Each metric as a curve over one parameter, or as a map over two; a scatter matrix of more. Units by name."""
    drawn = {1: _curves, 2: _maps}.get(len(parameters), _scatter_matrix)
    _save(drawn(table, parameters, metrics, units), Path(path))


def draw_pareto(table: Any, goals: Sequence[str], path: str | Path, units: Mapping[str, str] = NO_UNITS) -> None:
    """Draws all designs by two metrics, and their Pareto front; `-name` minimises a metric, `name` maximises it.
    `units` are written behind the names of their metrics."""
    if len(goals) != 2:
        raise ModelError("a Pareto front needs two metrics; a '-' before a name minimises it")
    names = [g.removeprefix("-") for g in goals]
    signs = [-1.0 if g.startswith("-") else 1.0 for g in goals]
    points = np.stack([sign * np.asarray(table[n]) for sign, n in zip(signs, names, strict=True)], axis=1)
    front = pareto_front(points)
    figure, axes = _figure()
    x, y = (np.asarray(table[n]) for n in names)
    few = _some(len(x))
    axes.plot(x[few], y[few], ".", color="#9aa5b1", markersize=2, label="designs", rasterized=True)
    order = front[np.argsort(x[front])]
    axes.plot(x[order], y[order], "-o", color=RED, markersize=3, linewidth=1.2, label="Pareto front")
    axes.set(xlabel=_label(names[0], units), ylabel=_label(names[1], units))
    axes.legend(frameon=False)
    _save(figure, Path(path))


def pareto_front(points: Array) -> Array:
    """Indices of the points that no other one beats in both columns; both are to be large. NaN is never on it."""
    good = np.flatnonzero(np.isfinite(points).all(axis=1))
    order = good[np.lexsort((-points[good, 1], -points[good, 0]))]
    best = np.maximum.accumulate(np.concatenate([[-np.inf], points[order, 1]]))[:-1]
    front: Array = order[points[order, 1] > best]
    return front


def _figure(rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.4, 4.4)) -> Any:
    figure = require("matplotlib.figure", "a plot").Figure(
        figsize=(size[0] * columns, size[1] * rows), layout="constrained"
    )
    return figure, figure.subplots(rows, columns)


def _save(figure: Any, path: Path) -> None:
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:].lower(), dpi=120)


def _label(name: str, units: Mapping[str, str]) -> str:
    return f"{name} [{units[name]}]" if units.get(name) else name


def _some(n: int) -> Array:
    return np.arange(n) if n <= MOST_POINTS else np.linspace(0, n - 1, MOST_POINTS).astype(int)


def _curves(table: Any, parameters: Sequence[str], metrics: Sequence[str], units: Mapping[str, str]) -> Any:
    figure, axes = _figure(len(metrics), 1, (6.4, 2.6))
    x = np.asarray(table[parameters[0]])
    order = np.argsort(x, kind="stable")
    for one, metric in zip(np.atleast_1d(axes), metrics, strict=True):
        y = np.asarray(table[metric])
        marker = "o" if len(x) <= FEW else ""
        one.plot(x[order], y[order], marker=marker, markersize=3, color=BLUE, linewidth=1.4)
        _mark_never(one, x[np.isnan(y)], 0.03, transform=one.get_xaxis_transform())
        one.set(xlabel=_label(parameters[0], units), ylabel=_label(metric, units))
    return figure


def _maps(table: Any, parameters: Sequence[str], metrics: Sequence[str], units: Mapping[str, str]) -> Any:
    figure, axes = _figure(1, len(metrics), (5.2, 4.2))
    x, y = (np.asarray(table[p]) for p in parameters)
    across, up = np.unique(x), np.unique(y)
    is_grid = len(across) * len(up) == len(table) and min(len(across), len(up)) > 1
    for one, metric in zip(np.atleast_1d(axes), metrics, strict=True):
        z = np.asarray(table[metric])
        if is_grid:
            shown = one.pcolormesh(
                across, up, z.reshape(len(across), len(up)).T, shading="nearest", cmap="viridis", rasterized=True
            )
        else:
            shown = one.scatter(x, y, c=z, s=max(1.0, min(30.0, 3e4 / len(z))), cmap="viridis", rasterized=True)
        figure.colorbar(shown, ax=one, label=_label(metric, units))
        _mark_never(one, x[np.isnan(z)], y[np.isnan(z)])
        one.set(xlabel=_label(parameters[0], units), ylabel=_label(parameters[1], units))
    return figure


def _mark_never(axes: Any, x: Array, y: Any, **options: Any) -> None:
    """Designs without a value."""
    if len(x):
        few = _some(len(x))
        y = np.broadcast_to(y, x.shape)
        axes.plot(x[few], y[few], "x", color=RED, markersize=4, linestyle="", label="NaN: never, or failed", **options)
        axes.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 0.99), borderpad=0.0)


def _scatter_matrix(table: Any, parameters: Sequence[str], metrics: Sequence[str], units: Mapping[str, str]) -> Any:
    names = [*parameters, *metrics]
    n = len(names)
    figure, axes = _figure(n, n, (2.0, 1.8))
    few = _some(len(table))
    columns = [np.asarray(table[name])[few] for name in names]
    for i, row in enumerate(np.atleast_2d(axes)):
        for j, one in enumerate(row):
            if i == j:
                one.hist(columns[i][np.isfinite(columns[i])], bins=40, color=BLUE)
                one.set_yticks([])
            else:
                one.plot(columns[j], columns[i], ".", color=BLUE, markersize=1, alpha=0.4, rasterized=True)
            one.tick_params(labelsize=6)
            if i == n - 1:
                one.set_xlabel(_label(names[j], units), fontsize=7)
            if j == 0:
                one.set_ylabel(_label(names[i], units), fontsize=7)
    return figure
