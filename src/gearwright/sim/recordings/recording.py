"""A recording: the signals of a schema over time, by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
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
from gearwright.sim.recordings.schema import Schema
from gearwright.sim.signals import TIME, WRENCH, Signal
from gearwright.sim.state.values import Read, Value, Values
from gearwright.sim.views.named_values import NamedValues

if TYPE_CHECKING:
    from gearwright.model import Mechanism


class RecordedColumn(NamedTuple):
    """One quantity over time."""

    family: str  # position, velocity, …, or "" for a quantity that there is one of
    name: str
    unit: str
    values: Array  # (T,) or (T, B)


class Recording(NamedValues, NotebookDisplay):
    """Values over time: arrays (T,) of one robot, (T, B) of a batch. Row k is the state after k·every steps:
    row 0 is the start.

    Made by `Simulation.run`, or by `Recording.open`. `effort` acted during the step that ends at a row; at row 0 it is
    the effort before the first step, or the one given for it. So `sim.run(duration, effort=recording.effort)` repeats a
    run. Followers, energies and coupling errors are computed when read. `schema` lists all signals with their units.
    """

    def __init__(self, schema: Schema, robot: Mechanism | None = None) -> None:
        self.schema, self._robot = schema, robot
        self.dt, self.batch, self.every = schema.dt, schema.batch, schema.every
        self.chunks: list[Chunk] = []
        self._rows, self._views = 0, {}

    def __getstate__(self) -> dict[str, Any]:
        """The numbers; views are made again."""
        own = ("schema", "_robot", "dt", "batch", "every", "chunks", "_rows")
        return {name: self.__dict__[name] for name in own} | {"_views": {}}

    @property
    def robot(self) -> Mechanism:
        """The robot that was recorded; a recording from a file may have none."""
        if self._robot is None:
            raise GearwrightError(f"the recording of {self.schema.robot!r} does not contain the robot: load it as well")
        return self._robot

    @property
    def has_robot(self) -> bool:
        """Whether `robot` is available."""
        return self._robot is not None

    def add(self, chunk: Chunk) -> None:
        """Appends rows."""
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

    def columns(self) -> Iterator[RecordedColumn]:
        """The signals that files hold, in their order."""
        for s in self.schema.stored:
            yield RecordedColumn(s.family, s.name, s.unit, self.time if s == TIME else self.read(s))

    # --- by name ---------------------------------------------------------------------------------------------------

    @property
    def signals(self) -> Schema:
        """The signals that can be read."""
        return self.schema

    def reader(self, signal: Signal) -> Read:
        """Reads one signal over time."""
        return partial(self.read, signal)

    @property
    def _left_out(self) -> Sequence[str]:
        return () if self._robot is None else tuple(self._robot.contradicted)

    @property
    def memory(self) -> Values:
        """The memory of a compiled controller."""
        return self._view("memory")

    @property
    def unsettled(self) -> Value:
        """Number of steps since the reset that did not converge, up to each row."""
        return self._number("unsettled")

    def _table(self, quantity: str) -> tuple[Sequence[str], Read]:
        own = self.schema.by_family.get(quantity, {})
        if quantity in self.schema.by_family.get("table", {}) or not own:
            return super()._table(quantity)
        joints = tuple(name.removesuffix(".fx") for name in own if name.endswith(".fx"))  # of a file: six signals each

        def read() -> Array:
            each = [self.read(own[f"{joint}.{part}"]) for joint in joints for part, _ in WRENCH]
            return np.stack(each, axis=-1).reshape(*each[0].shape, -1, 6)

        return joints, read

    # --- files -----------------------------------------------------------------------------------------------------

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Recording:
        """Reads a .mcap, .parquet, .npz or .csv file of Gearwright; after a killed run, all complete rows.

        Files do not hold `robot`, link poses and other results of the robot's equations. The numbers are exact.
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
        """Writes a LeRobotDataset (v3.0) into a folder: one episode per robot, with every `every`-th row as a frame.

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
        """Draws signals over time, and returns the figure: of Matplotlib, or of plotly for an .html file.

        signals  names such as "motor.torque", "knee.position", families such as "position", joints; all if not given
        path     .png, .svg, .pdf, or .html, which can be zoomed; `plot("run.png")` draws everything
        robots   for a batch: how many robots, or which; by default quantile bands for more than eight
        time     start and end [s]
        theme    "light" or "dark"

        The region outside the limits is shaded. Marks show where a signal is at its limit, or a motor delivers less
        than commanded. An .html plot needs plotly: pip install 'gearwright[html]'.
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
