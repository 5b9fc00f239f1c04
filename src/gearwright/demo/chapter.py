"""A robot's part of the demo: pictures, charts, numbers. Terminal and page show the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.demo.balance import EnergyAccount
from gearwright.demo.pictures import Film, Trace
from gearwright.display.charts import Area, Chart, ChartLine
from gearwright.display.solids import Array, Camera, Poses
from gearwright.model import Mechanism
from gearwright.sim import Recording


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A number worth knowing, with its unit, and what it is."""

    number: str
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Figure:
    title: str
    chart: Chart
    caption: str  # what to see


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """Cells as text; the first column is left-aligned, the others to the right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    robot: Mechanism
    title: str
    lead: str  # what the mechanism is, and what happens
    film: Film
    moments: Sequence[int]  # of the film, that make the strip
    strip_caption: str
    facts: Sequence[Fact]
    figures: Sequence[Figure]
    command: Mapping[str, float]  # to time its steps with, by actuator
    tables: Sequence[TextTable] = ()
    seconds: float = 4.0  # of the film when it is shown
    simulated: float = 0.0  # [s]


def film(
    recording: Recording, camera: Camera, rows: Iterable[int], label: str, trace: Trace | None = None
) -> Film:  # fmt: skip
    """The robot at some rows of its recording."""
    chosen = list(rows)
    return Film(
        robot=recording.robot,
        camera=camera,
        times=[float(recording.time[k]) for k in chosen],
        poses=poses(recording, chosen),
        trace=trace,
        label=label,
    )


def poses(recording: Recording, rows: Sequence[int]) -> list[Poses]:
    """Poses of all links; joints that close loops follow from the others."""
    robot = recording.robot
    followers = {str(c.follower.joint) for c in robot.couplings.values()}
    cut = {joint.name for joint in robot.tree.cuts}
    free = [n for n, j in robot.joints.items() if j.axes and n not in followers and n not in cut]
    at = {name: recording.position[name] for name in free}
    found: list[Poses] = []
    for k in rows:
        links = robot.forward_kinematics({name: float(values[k]) for name, values in at.items()})
        found.append({name: np.asarray(X) for name, X in links.items()})
    return found


def energy_chart(time: Array, found: EnergyAccount) -> Chart:
    """Stored and lost energy, stacked; their sum is the motor's work."""
    parts = {
        ("stored: kinetic and potential", "blue"): found.stored,
        ("joint friction", "green"): found.joints,
        ("motor friction", "orange"): found.motors,
        ("stops, integration", "pink"): found.rest,
    }
    areas, below = [], 0.0 * time
    for (label, colour), part in parts.items():
        areas.append(Area(label=label, x=time, low=1e3 * below, high=1e3 * (below + part), colour=colour))
        below = below + part
    work = ChartLine(label="work of the motor", x=time, y=1e3 * found.work, colour="ink")
    return Chart(x_label="time [s]", y_label="energy [mJ]", areas=areas, lines=[work], label="energy balance")
