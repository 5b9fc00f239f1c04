"""Torques and speeds that motors reach at one or two outputs, over their range: bands, or polygons."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.display.actuation import slides
from gearwright.display.figures import new_figure
from gearwright.display.plot_style import THEMES, Theme
from gearwright.display.plots import STYLE, check_ending, save
from gearwright.errors import GearwrightError, ModelError
from gearwright.files import replacing
from gearwright.model import Mechanism
from gearwright.model.parallel import ActuationJacobian
from gearwright.model.poses import Array
from gearwright.optional import require

POSES = 61  # of a band
GRID = 7  # poses along each of two outputs
SPAN = 1.0  # to both sides of the start, where a joint has no stops [rad, m]
GLYPH = 0.32  # half of the polygon at the start, in distances between poses


Reached = Sequence[tuple[Sequence[float], ActuationJacobian]]  # by pose


class ReachAxis(NamedTuple):
    """An output and its range."""

    name: str
    unit: str  # of its position
    effort_unit: str
    values: Array


def plot_reach(
    robot: Mechanism, path: str | os.PathLike[str] | None = None, output: str | Sequence[str] | None = None
) -> Any:
    """A figure of the efforts and velocities that motors reach at one or two outputs, over the range of these joints.

    For one output, it shows bands over its position. For two, it shows a polygon per pose; the area that is reached at
    every pose is filled. Outputs are those of `Mechanism.actuation_jacobian`. Raises ModelError for more than two
    outputs, and if motors have no limits.
    """
    if path is not None:
        check_ending(path)
        if Path(path).suffix.lower() == ".html":
            raise GearwrightError(f"{os.fspath(path)!r}: this plot is one of .png, .svg, .pdf")
    start = robot.actuation_jacobian(output=output)
    if len(start.joints) > 2:
        raise ModelError(f"a plot is of one or two outputs, not of {', '.join(start.joints)}; name them with output=")
    start.effort_range() if len(start.joints) == 1 else start.effort_polygon()  # raises where there is nothing to draw
    axes = [_axis(robot, start, name, POSES if len(start.joints) == 1 else GRID) for name in start.joints]
    found = {pose: _at(robot, axes, pose) for pose in product(*(a.values.tolist() for a in axes))}
    reached = [(pose, J) for pose, J in found.items() if J is not None]
    beyond = [pose for pose, J in found.items() if J is None]
    require("matplotlib", "a plot")
    from matplotlib import rc_context

    with rc_context(STYLE):  # type: ignore[arg-type]
        figure = _bands(axes[0], reached) if len(axes) == 1 else _polygons(axes, start, reached, beyond)
        motors = " and ".join(start.actuators)
        figure.suptitle(f"{robot.name}: reach of {motors}", x=0.012, ha="left", fontsize=13, fontweight="bold")
        if path is not None:
            with replacing(Path(path)) as temporary:
                save(figure, temporary, Path(path).suffix[1:].lower(), THEMES["light"])
    return figure


def _axis(robot: Mechanism, start: ActuationJacobian, name: str, poses: int) -> ReachAxis:
    """The stops of an output's joint, or a span around its start; a part of a link's motion stays where it is."""
    slide = slides(robot, name)
    units = ("m", "N") if slide else ("rad", "N·m")
    joint = next((j for j in robot.joints.values() if name in j.coordinates), None)
    if joint is None or name not in joint.axis_coordinates:
        return ReachAxis(name, *units, np.zeros(1))
    limits = joint.axes[joint.axis_coordinates.index(name)].limits
    at = start.position[joint.name][joint.coordinates.index(name)]
    low, high = (x if isfinite(x) else at + sign * SPAN for x, sign in ((limits.lower, -1), (limits.upper, 1)))
    return ReachAxis(name, *units, np.linspace(low, high, poses))


def _at(robot: Mechanism, axes: Sequence[ReachAxis], pose: Sequence[float]) -> ActuationJacobian | None:
    """None where loops do not reach the pose, or it is singular."""
    names = [a.name for a in axes]
    given = {a.name: x for a, x in zip(axes, pose, strict=True) if len(a.values) > 1}
    try:
        J = robot.actuation_jacobian(given, output=names)
        J.actuator_per_joint  # noqa: B018  # raises at a singular pose
    except ModelError:
        return None
    return J


# --- one output -------------------------------------------------------------------------------------------------------


def _bands(axis: ReachAxis, reached: Reached) -> Any:
    figure, theme = new_figure(9.5, 4.2), THEMES["light"]
    panels = figure.subplots(1, 2, sharex=True)
    at = np.array([pose[0] for pose, _ in reached])
    rows = (
        (_effort_word([axis]), axis.effort_unit, ActuationJacobian.effort_range),
        ("speed", f"{axis.unit}/s", ActuationJacobian.velocity_range),
    )
    for ax, (title, unit, ask), colour in zip(panels, rows, theme.lines, strict=False):
        ranges = np.array([ask(J)[0] for _, J in reached])
        ax.fill_between(at, *ranges.T, color=colour, alpha=0.18, linewidth=0)
        ax.plot(at, ranges, color=colour, linewidth=1.6)
        ax.set_title(f"{title} of {axis.name}", loc="left", fontsize=10, fontweight="bold")
        ax.set_xlabel(f"{axis.name} [{axis.unit}]")
        ax.set_ylabel(f"[{unit}]")
    return figure


# --- two outputs ------------------------------------------------------------------------------------------------------


def _polygons(
    axes: Sequence[ReachAxis], start: ActuationJacobian, reached: Reached, beyond: Sequence[Sequence[float]]
) -> Any:
    figure, theme = new_figure(11.5, 6.4), THEMES["light"]
    grid = figure.add_gridspec(2, 2, width_ratios=(1.45, 1))
    efforts = [J.effort_polygon() for _, J in reached]
    _map(
        figure.add_subplot(grid[:, 0]),
        axes,
        start,
        dict(zip((pose for pose, _ in reached), efforts, strict=True)),
        theme,
    )
    for pose in beyond:
        figure.axes[0].plot(*pose, "x", color=theme.edge, markersize=6)
    x, y = axes
    for row, (title, polygons, own, units) in enumerate((
        (f"{_effort_word(axes)} at standstill", efforts, start.effort_polygon(), (x.effort_unit, y.effort_unit)),
        ("speed", [J.velocity_polygon() for _, J in reached], start.velocity_polygon(), (f"{x.unit}/s", f"{y.unit}/s")),
    )):  # fmt: skip
        ax, colour = figure.add_subplot(grid[row, 1]), theme.lines[row]
        for polygon in polygons:
            ax.plot(*_closed(polygon), color=colour, linewidth=0.7, alpha=0.35)
        common = intersection(polygons)
        if len(common):
            ax.fill(*common.T, color=theme.lines[2], alpha=0.22, linewidth=0, label="at every pose")
        ax.plot(*_closed(own), color=theme.ink, linewidth=1.8, label="at the start")
        ax.set_title(title, loc="left", fontsize=10, fontweight="bold")
        ax.set_xlabel(f"{x.name} [{units[0]}]")
        ax.set_ylabel(f"{y.name} [{units[1]}]")
        ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.03), borderaxespad=0.2)
    return figure


def _map(
    ax: Any,
    axes: Sequence[ReachAxis],
    start: ActuationJacobian,
    polygons: Mapping[Sequence[float], Array],
    theme: Theme,
) -> None:
    """A small torque polygon at each pose, all on one scale."""
    steps = np.array([np.ptp(a.values) / max(1, len(a.values) - 1) or 1.0 for a in axes])
    largest = np.abs(start.effort_polygon()).max(axis=0)
    for pose, polygon in polygons.items():
        corners = np.array(pose) + GLYPH * steps * polygon / largest
        ax.fill(*corners.T, facecolor=theme.lines[0], alpha=0.22, linewidth=0)
        ax.plot(*_closed(corners), color=theme.lines[0], linewidth=1.0)
    x, y = axes
    ax.set_title(
        f"{_effort_word(axes)} at standstill, by pose (×: out of reach)", loc="left", fontsize=10, fontweight="bold"
    )
    ax.set_xlabel(f"{x.name} [{x.unit}]   (from the middle to the side: {largest[0]:.3g} {x.effort_unit} at the start)")
    ax.set_ylabel(f"{y.name} [{y.unit}]   (up: {largest[1]:.3g} {y.effort_unit})")
    ax.grid(False)


def _effort_word(axes: Sequence[ReachAxis]) -> str:
    return "torque" if all(a.effort_unit == "N·m" for a in axes) else "effort"


def _closed(polygon: Array) -> Array:
    return np.vstack([polygon, polygon[:1]]).T


def intersection(polygons: Sequence[Array]) -> Array:
    """Corners of what convex polygons have in common, counterclockwise as they are: each side cuts."""
    left = polygons[0] if polygons else np.zeros((0, 2))
    for polygon in polygons[1:]:
        for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            left = np.array(list(_cut(left, a, b))).reshape(-1, 2)
    return left


def _cut(corners: Array, a: Array, b: Array) -> Iterator[Array]:
    """The part to the left of the line from a to b."""
    inside = (b[0] - a[0]) * (corners[:, 1] - a[1]) - (b[1] - a[1]) * (corners[:, 0] - a[0])
    for p, q, here, there in zip(corners, np.roll(corners, -1, axis=0), inside, np.roll(inside, -1), strict=True):
        if here >= 0:
            yield p
        if (here > 0 > there) or (here < 0 < there):
            yield p + here / (here - there) * (q - p)
