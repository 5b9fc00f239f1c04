"""A recording: the signals of a schema over time, by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.errors import GearwrightError, counted
from gearwright.files import checked_path
from gearwright.given_names import checked_name, checked_names
from gearwright.given_numbers import whole
from gearwright.notebooks import NotebookDisplay
from gearwright.sim.recordings.columns import Array, Chunk
from gearwright.sim.recordings.schema import TIME, Schema, Signal
from gearwright.sim.state.values import AliasedValues, Read, Values, WithLoopJoints
from gearwright.sim.views.actuator_view import ActuatorView
from gearwright.sim.views.spatial_values import link_motion, reactions

if TYPE_CHECKING:
    from gearwright.model import Mechanism

SHAFT = {"shaft_position": "position", "shaft_velocity": "velocity"}  # families of actuators whose joints have them


SIX = ("fx", "fy", "fz", "tx", "ty", "tz")  # of a reaction


class Column(NamedTuple):
    """One quantity over time."""

    family: str  # position, velocity, …, or "" for a quantity that there is one of
    name: str
    unit: str
    values: Array  # (T,) or (T, B)


class Recording(NotebookDisplay):
    """Values over time: arrays (T,) of one robot, (T, B) of a batch. Row k is the state after k·every steps:
    row 0 is the start.

    Made by `Simulation.run`, or by `Recording.open`. `effort` acted during the step that ends at a row (at row 0 it is
    what was held, or given for the first step), so that a run can be repeated by
    `sim.run(duration, effort=recording.effort)`. Followers, energies and coupling errors are computed when read.
    `schema` lists all signals with their units.
    """

    def __init__(self, schema: Schema, robot: Mechanism | None = None) -> None:
        self.schema, self._robot = schema, robot
        self.dt, self.batch, self.every = schema.dt, schema.batch, schema.every
        self.chunks: list[Chunk] = []
        self._rows = 0

    def __getstate__(self) -> dict[str, Any]:
        """The numbers; views are made again."""
        own = ("schema", "_robot", "dt", "batch", "every", "chunks", "_rows")
        return {name: self.__dict__[name] for name in own}

    @property
    def robot(self) -> Mechanism:
        """The robot that was recorded; a recording from a file may have none."""
        if self._robot is None:
            raise GearwrightError(f"the recording of {self.schema.robot!r} came without its robot: load that, too")
        return self._robot

    @property
    def has_robot(self) -> bool:
        """Whether `robot` is there."""
        return self._robot is not None

    def add(self, chunk: Chunk) -> None:
        """Some more rows."""
        self.chunks.append(chunk)
        self._rows += chunk.rows

    def __len__(self) -> int:
        return self._rows

    @cached_property
    def time(self) -> Array:
        """(T,) [s]."""
        return np.concatenate([np.zeros(0), *(chunk.time for chunk in self.chunks)])

    def read(self, signal: Signal) -> Array:
        """(T, *shape) of one robot, (T, B, *shape) of a batch."""
        full = np.empty((len(self), self.batch, *signal.shape))
        row = 0
        for chunk in self.chunks:
            full[row : row + chunk.rows] = chunk.column(signal)
            row += chunk.rows
        return full[:, 0] if self.batch == 1 else full

    def columns(self) -> Iterator[Column]:
        """The signals that files hold, in their order."""
        for s in self.schema.stored:
            yield Column(s.family, s.name, s.unit, self.time if s == TIME else self.read(s))

    # --- by name ---------------------------------------------------------------------------------------------------

    @cached_property
    def position(self) -> Values:
        """[rad, m] by joint or coordinate, followers and joints that close loops too."""
        return self._with_loop_joints("position")

    @cached_property
    def velocity(self) -> Values:
        """[rad/s, m/s]."""
        return self._with_loop_joints("velocity")

    @cached_property
    def effort(self) -> Values:
        """Efforts that acted along each coordinate [N·m, N]."""
        return self._family("effort")

    @cached_property
    def coupling_error(self) -> Values:
        """C of each coupling, by its name or its follower's."""
        return self._couplings("coupling_error")

    @cached_property
    def sensor(self) -> Values:
        """Readings by sensor; several numbers along the last axis."""
        return self._family("sensor")

    @cached_property
    def command(self) -> Values:
        """The command of each actuator during the step that ends at a row."""
        return self._family("command")

    @cached_property
    def memory(self) -> Values:
        """The memory of a compiled controller."""
        return self._family("memory")

    @cached_property
    def actuator(self) -> Values:
        """By actuator: `.torque`, `.velocity`, `.position`, `.command` and the states of its kind, over time."""
        reads: dict[str, dict[str, Read]] = {name: {} for name in self.schema.by_family.get("torque", {})}
        for signal in self.schema.signals:
            if self.schema.kinds.get(signal.family) == "actuator" and signal.name in reads:
                quantity = SHAFT.get(signal.family, signal.family.removeprefix("actuator."))
                reads[signal.name][quantity] = partial(self.read, signal)
        views = {name: ActuatorView(name, own) for name, own in reads.items()}
        return Values("actuator", {name: partial(views.__getitem__, name) for name in views}, {})

    @cached_property
    def reaction(self) -> Values:
        """By joint, `.force` [N] and `.torque` [N·m], (T, 3) or (T, B, 3); see `Simulation.reaction`."""
        return reactions(self._rows_of("reaction"), self._table)

    @cached_property
    def link_velocity(self) -> Values:
        """By link, `.linear` and `.angular`, (T, 3) or (T, B, 3); see `Simulation.link_velocity`."""
        return link_motion(self._rows_of("link_velocity"), self._table, "link_velocity")

    @cached_property
    def link_acceleration(self) -> Values:
        """By link, `.linear` and `.angular`, (T, 3) or (T, B, 3); see `Simulation.link_acceleration`."""
        return link_motion(self._rows_of("link_acceleration"), self._table, "link_acceleration")

    @property
    def unsettled(self) -> Array:
        """Steps since the reset that did not settle, up to each row."""
        return self.read(self.schema.signal("", "unsettled"))

    @property
    def kinetic_energy(self) -> Array:
        """[J]."""
        return self.read(self.schema.signal("", "kinetic_energy"))

    @property
    def potential_energy(self) -> Array:
        """Energy of gravity and springs [J]."""
        return self.read(self.schema.signal("", "potential_energy"))

    @property
    def energy(self) -> Array:
        """Kinetic and potential [J]."""
        return self.read(self.schema.signal("", "energy"))

    def _table(self, quantity: str) -> Array:
        """(T, rows, 6) or (T, B, rows, 6)."""
        if quantity in self.schema.by_family.get("table", {}):
            return self.read(self.schema.signal("table", quantity))
        own = self.schema.by_family[quantity]  # of a file: six signals a row
        each = [self.read(own[f"{name}.{part}"]) for name in self._rows_of(quantity) for part in SIX]
        return np.stack(each, axis=-1).reshape(*each[0].shape, -1, 6)

    def _rows_of(self, quantity: str) -> tuple[str, ...]:
        """Joints or links of a table."""
        if quantity in self.schema.tables:
            return self.schema.tables[quantity]
        own = self.schema.by_family.get(quantity, {})
        return tuple(name.removesuffix(".fx") for name in own if name.endswith(".fx"))

    def _with_loop_joints(self, family: str) -> Values:
        values, loops = self._family(family), self._family(f"loop_{family}")
        return WithLoopJoints(values, loops) if len(loops) else values

    def _couplings(self, family: str) -> Values:
        left_out = () if self._robot is None else self._robot.contradicted
        return AliasedValues(*self._by_name(family), left_out)

    def _family(self, family: str) -> Values:
        return Values(*self._by_name(family))

    def _by_name(self, family: str) -> tuple[str, dict[str, Read], Mapping[str, tuple[str, ...]]]:
        """The kind, its signals, and further names of them."""
        signals = self.schema.by_family.get(family, {})
        reads: dict[str, Read] = {name: partial(self.read, signal) for name, signal in signals.items()}
        return self.schema.kinds.get(family, family), reads, self.schema.members.get(family, {})

    @cached_property
    def acceleration(self) -> Values:
        """[rad/s², m/s²] at each row, with the efforts of that row."""
        return self._family("acceleration")

    @cached_property
    def coupling_effort(self) -> Values:
        """The effort that each coupling puts on its follower [N·m, N]."""
        return self._couplings("coupling_effort")

    # --- files -----------------------------------------------------------------------------------------------------

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Recording:
        """Reads a .mcap, .parquet, .npz or .csv that Gearwright wrote; of a run that was killed all whole rows.

        `robot`, link poses and what else follows from a robot's equations are not in files; the numbers are exact.
        """
        from gearwright.sim.recordings.formats import read

        return read(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes .mcap, .parquet, .npz or .csv, by the name's ending (`recordings.formats`)."""
        from gearwright.sim.recordings.sinks import save

        save(self.schema, self.chunks, path)

    def to_polars(self) -> Any:
        """A polars DataFrame: `time`, and one column per signal such as `knee.position`. A batch has one row per sample
        and robot, and a column `robot`."""
        from gearwright.sim.recordings.frames import to_polars

        return to_polars(self)

    def to_pandas(self) -> Any:
        """The same as a pandas DataFrame. Needs pandas: pip install 'gearwright[pandas]'."""
        from gearwright.sim.recordings.frames import to_pandas

        return to_pandas(self)

    def to_lerobot(
        self, folder: str | os.PathLike[str], task: str, observe: Sequence[str] | None = None,
        act: Sequence[str] | None = None, every: int = 1,
    ) -> None:  # fmt: skip
        """Writes a LeRobotDataset (v3.0) into a folder: an episode a robot, every `every`-th row a frame.

        task     in words
        observe  signals of `observation.state`; positions, velocities and sensors if not given
        act      signals of `action`; commands if not given, or efforts where there are none
        """
        from gearwright.sim.recordings.lerobot import to_lerobot

        seen, done = (None if given is None else checked_names("a dataset", given) for given in (observe, act))
        place = Path(checked_path(folder, "a dataset"))
        to_lerobot(self, place, checked_name("a task", task), seen, done, whole("every", every))

    def bands(self, quantiles: Any = True) -> Recording:
        """Quantiles over the batch at each instant, (T, Q) in the place of (T, B); True: 5, 25, 50, 75, 95 %."""
        from gearwright.sim.recordings.bands import banded, banded_schema, checked

        found = Recording(banded_schema(self.schema, checked(quantiles)), self._robot)
        for chunk in self.chunks:
            found.add(banded(chunk, found.schema))
        return found

    def plot(
        self, signals: str | os.PathLike[str] | Sequence[str] | None = None,
        path: str | os.PathLike[str] | None = None, *, robots: int | Sequence[int] | None = None,
        time: tuple[float, float] | None = None, theme: str = "light",
    ) -> Any:  # fmt: skip
        """Draws signals over time, and returns the figure: Matplotlib's, or plotly's of an .html file.

        signals  names such as "motor.torque", "knee.position", families such as "position", joints; all if not given
        path     .png, .svg, .pdf, or .html, which can be zoomed; `plot("run.png")` draws everything
        robots   of a batch: how many, or which; by default quantile bands of more than eight
        time     from when to when [s]
        theme    "light" or "dark"

        Limits are shaded, and lines marked where they are on them, or where a motor gives less than its command.
        An .html plot needs plotly: pip install 'gearwright[html]'.
        """
        from gearwright.display.plots import ENDINGS, plot

        if path is None and (
            isinstance(signals, os.PathLike) or (isinstance(signals, str) and not self._is_signal(signals, ENDINGS))
        ):
            signals, path = None, signals
        chosen = [signals] if isinstance(signals, str) else signals
        return plot(self, chosen, path, robots, time, theme)  # type: ignore[arg-type]

    def _is_signal(self, text: str, endings: Sequence[str]) -> bool:
        """Whether a text names a signal rather than a file."""
        if Path(text).suffix.lower() in endings:
            return False
        from gearwright.sim.recordings.signal_names import find

        try:
            return bool(find(self.schema, text))
        except GearwrightError:
            head, dot, last = text.rpartition(".")
            if not dot or last in self.schema.by_family or head in {s.name for s in self.schema.signals}:
                raise  # a signal that is misspelt
            return False

    def __repr__(self) -> str:
        robots = "" if self.batch == 1 else f"{self.batch} × "
        until = f", until {self.time[-1]:g} s" if len(self) else ""
        return f"<Recording of {robots}{self.schema.robot!r}: {counted(len(self), 'sample')}{until}>"
