"""Recordings as files: one row a format.

.npz  arrays `time`, `energy`, `kinetic_energy`, `potential_energy`, and `position/NAME`, `velocity/NAME`,
      `effort/NAME`, `command/ACTUATOR`, `torque/ACTUATOR`, `shaft_position/ACTUATOR`, `shaft_velocity/ACTUATOR`,
      `sensor/NAME`, `coupling_error/NAME`, each (T,) or (T, B); exact
.csv  one line an instant, one column a number, with units in the header; of a batch one column for each robot; exact
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.model.layout import coordinate_of
from gearwright.sim.files import replacing
from gearwright.sim.units import actuator_units, reading_unit
from gearwright.sim.values import Array

if TYPE_CHECKING:
    from gearwright.sim.recording import Recording


class Column(NamedTuple):
    """One quantity over time."""

    family: str  # position, velocity, …, or "" for what there is one of
    name: str
    unit: str
    values: Array  # (T,) or (T, B)


def columns(recording: Recording) -> Iterator[Column]:
    """Everything that a file holds, in order."""
    units = recording._names.units
    yield Column("", "time", "s", recording.time)
    for part, family in enumerate(("position", "velocity", "effort")):
        for name, values in getattr(recording, family).items():
            yield Column(family, name, units[name][part], values)
    yield from _devices(recording)
    for name, values in recording.coupling_error.items():
        follower = recording.robot.couplings[name].follower
        coordinate = coordinate_of(recording.robot.joint(follower.joint), follower)
        yield Column("coupling_error", name, units[coordinate][0], values)
    if "reaction" in recording.record:
        yield from _reactions(recording)
    for name in ("energy", "kinetic_energy", "potential_energy"):
        yield Column("", name, "J", getattr(recording, name))
    yield Column("", "unsettled", "", recording.unsettled)


def _reactions(recording: Recording) -> Iterator[Column]:
    """Of each joint six columns, `joint.fx` … `joint.tz`."""
    for name, wrench in recording.reaction.items():
        for part, unit, values in (("f", "N", wrench.force), ("t", "N·m", wrench.torque)):
            for i, axis in enumerate("xyz"):
                yield Column("reaction", f"{name}.{part}{axis}", unit, values[..., i])


def _devices(recording: Recording) -> Iterator[Column]:
    """What actuators were told and gave, and what sensors showed."""
    robot = recording.robot
    for family in ("command", "torque", "position", "velocity"):
        named = family if family in ("command", "torque") else f"shaft_{family}"  # joints have positions, too
        for name, view in recording.actuator.items():
            yield Column(named, name, actuator_units(robot, name)[family], getattr(view, family))
    readings = recording.sensor
    units = dict.fromkeys(readings, "0/1")  # of marks
    for sensor in robot.sensors:
        own = readings._groups.get(sensor, (sensor,))
        units |= {reading: reading_unit(robot, sensor, i) for i, reading in enumerate(own)}
    for name, values in readings.items():
        yield Column("sensor", name, units[name], values)


def save_npz(recording: Recording, path: Path) -> None:
    arrays = {_member(c): c.values for c in columns(recording)}
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _member(column: Column) -> str:
    """A name inside the archive, which is a zip file: no way out of the folder it is unpacked in, and no two columns
    in one file. What could be either is written %XX, as in addresses; `urllib.parse.unquote` reads it back."""
    safe = re.sub(r'[%\\:*?"<>|\x00-\x1f]', _escaped, column.name)
    safe = re.sub(r"(^|(?<=/))\.\.?(?=/|$)", _escaped, safe)  # this folder, and the one above
    safe = re.sub(r"^/|/$|(?<=/)/", _escaped, safe)
    return f"{column.family}/{safe}" if column.family else safe


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{ord(c):02X}" for c in found[0])


def save_csv(recording: Recording, path: Path) -> None:
    header: list[str] = []
    data: list[Array] = []
    for c in columns(recording):
        title = f"{c.family} {c.name}".strip()
        for robot, values in enumerate(c.values.T if c.values.ndim == 2 else [c.values]):
            unit = f" [{c.unit}]" if c.unit else ""
            header.append(f"{title} #{robot}{unit}" if c.values.ndim == 2 else f"{title}{unit}")
            data.append(values)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(np.column_stack(data).tolist())  # Python writes the shortest digits that read back exactly


FORMATS: dict[str, Callable[[Recording, Path], None]] = {".npz": save_npz, ".csv": save_csv}
LATER = (".mcap", ".parquet")


def check_format(path: str | os.PathLike[str]) -> str:
    """The ending, if it can be written."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        when = "cannot be written yet" if ending in LATER else "is no format for recordings"
        raise GearwrightError(f"{ending or os.fspath(path)!r} {when}; valid: {', '.join(FORMATS)}")
    return ending


def save(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Writes the format that the name's ending says. The file is there whole, or as it was before."""
    writer = FORMATS[check_format(path)]
    with replacing(Path(path)) as temporary:
        writer(recording, temporary)
