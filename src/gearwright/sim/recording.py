"""What a run leaves behind: states and inputs as they were, and everything that follows from them, when asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import UnknownNameError
from gearwright.sim import controlled, observed
from gearwright.sim.devices import Devices, actuator_views
from gearwright.sim.kernels import Kernels
from gearwright.sim.names import Group, Names
from gearwright.sim.values import Also, Array, Read, Values
from gearwright.sim.views import coupling_names

if TYPE_CHECKING:
    from gearwright.compiler import Buffer
    from gearwright.sim.simulation import Simulation

PIECE = 65_536  # states that are looked at in one call


class Recording:
    """Values over time: arrays (T,) of one robot, (T, B) of a batch. Row k is the state after step (k + 1)·every.

    Made by `Simulation.run`. `effort` is what acted during the step that ends at a row, so that a run can be repeated
    by `sim.run(duration, effort=recording.effort)`. Followers, energies and coupling errors are computed when read.
    """

    def __init__(self, sim: Simulation, *, every: int, record: Sequence[str] = ()) -> None:
        self.record = _recorded(record)
        self.robot, self.dt, self.batch, self.every = sim.robot, sim.dt, sim.batch, every
        self._names, self._kernels = sim._names, sim._kernels
        self._devices, self._commanded = sim._devices, sim._commanded
        self._control = sim._control
        self._start, self._steps = sim._start, sim._steps
        self._chunks: list[Mapping[str, Buffer]] = []  # slot → (rows, B, size)
        self._rows = 0
        self._derived: dict[str, dict[str, Array]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What was recorded; what follows from it is computed again, by code from the cache."""
        own = ("robot", "dt", "batch", "every", "record", "_commanded", "_start", "_steps", "_rows", "_chunks")
        return {name: getattr(self, name) for name in own} | {"options": self._kernels.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        options = state.pop("options")
        self.__dict__.update(state)
        self._names, self._kernels = Names.of(self.robot), Kernels(self.robot, options)
        self._devices, self._control = Devices(self.robot, self.dt), self._kernels.control
        self._derived = {}

    def add(self, rows: int, **slots: Buffer) -> None:
        """Some more rows."""
        if rows:
            self._chunks.append(slots)
            self._rows += rows

    def __len__(self) -> int:
        return self._rows

    @cached_property
    def time(self) -> Array:
        """(T,) [s]."""
        times: Array = self._start + (self._steps + self.every * np.arange(1, len(self) + 1)) * self.dt
        return times

    # --- by name ---------------------------------------------------------------------------------------------------

    @cached_property
    def position(self) -> Values:
        """[rad, m] by joint or coordinate, followers too."""
        values = self._from_state(self._names.positions, "position", self._names.free_positions)
        return observed.with_loop_joints(values, self.robot, "position", self._late)

    @cached_property
    def velocity(self) -> Values:
        """[rad/s, m/s]."""
        values = self._from_state(self._names.coordinates, "velocity", self._names.free_velocities)
        return observed.with_loop_joints(values, self.robot, "velocity", self._late)

    @cached_property
    def effort(self) -> Values:
        """What acted along each coordinate [N·m, N]."""
        group = self._names.coordinates
        reads = {name: partial(self._column, *self._place("effort", i)) for i, name in enumerate(group.names)}
        return _by_joint(group, reads)

    @cached_property
    def coupling_error(self) -> Values:
        """C of each coupling, by its name or its follower's."""
        names, also = coupling_names(self.robot)
        reads = {name: partial(self._computed, "tree", "coupling_error", i) for i, name in enumerate(names)}
        return Also("coupling", reads, also)

    @cached_property
    def sensor(self) -> Values:
        """Readings by sensor; several numbers along the last axis."""
        places, several = self._devices.readings
        return Values("sensor", {n: partial(self._column, "sensor", i) for n, i in places.items()}, several)

    @cached_property
    def command(self) -> Values:
        """What each actuator was told during the step that ends at a row."""
        names = self._devices.commands.names if self._commanded else ()
        return Values(
            "actuator", {n: partial(self._column, *self._place("command", i)) for i, n in enumerate(names)}, {}
        )

    @cached_property
    def memory(self) -> Values:
        """What a compiled controller remembers."""
        places = {} if self._control is None else self._control.places.memory
        return Values("memory", {n: partial(self._column, "control", i) for n, i in places.items()}, {})

    @cached_property
    def actuator(self) -> Values:
        """By actuator: `.torque`, `.velocity`, `.position`, `.command` and what its kind remembers, over time."""
        if not self._commanded:
            return Values("actuator", {}, {})
        views = actuator_views(
            self._devices,
            lambda slot, i: partial(self._column, *self._place(slot, i)),
            lambda output, i: partial(self._computed, "shafts", output, i),
        )
        return Values("actuator", views, {})

    @cached_property
    def reaction(self) -> Values:
        """By joint, `.force` [N] and `.torque` [N·m], (T, 3) or (T, B, 3); see `Simulation.reaction`."""
        return observed.reactions(self.robot, self._table)

    @cached_property
    def link_velocity(self) -> Values:
        """By link, `.linear` and `.angular`, (T, 3) or (T, B, 3); see `Simulation.link_velocity`."""
        return observed.link_motion(self.robot, self._table, "link_velocity")

    @cached_property
    def link_acceleration(self) -> Values:
        """By link, `.linear` and `.angular`, (T, 3) or (T, B, 3); see `Simulation.link_acceleration`."""
        return observed.link_motion(self.robot, self._table, "link_acceleration")

    @property
    def unsettled(self) -> Array:
        """Steps since the reset that did not settle, up to each row."""
        if not any("unsettled" in chunk for chunk in self._chunks):
            return self._shaped(np.zeros((len(self), self.batch)))
        return self._column("unsettled", 0)

    @property
    def kinetic_energy(self) -> Array:
        """[J]."""
        return self._computed("energy", "kinetic", 0)

    @property
    def potential_energy(self) -> Array:
        """Of gravity and springs [J]."""
        return self._computed("energy", "potential", 0)

    @property
    def energy(self) -> Array:
        """Kinetic and potential [J]."""
        return self.kinetic_energy + self.potential_energy

    # --- files -----------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes .npz or .csv (later .mcap and .parquet), by the name's ending; see `gearwright.sim.saving`."""
        from gearwright.sim.saving import save

        save(self, path)

    def plot(self, path: str | os.PathLike[str], robots: int = 8) -> None:
        """Draws motion, efforts, commands, readings, energy and coupling errors over time into a .png, .svg or .pdf.

        Of a batch some robots, from the first to the last. Needs matplotlib: pip install 'gearwright[plot]'.
        """
        from gearwright.view.plots import plot

        plot(self, path, robots=robots)

    def _place(self, slot: str, i: int) -> tuple[str, int]:
        return (slot, i) if self._control is None else self._control.places.of(slot, i)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _from_state(self, group: Group, slot: str, free: tuple[int, ...]) -> Values:
        place = {i: n for n, i in enumerate(free)}
        followers = [i for i in range(len(group.names)) if i not in place]
        reads: dict[str, Read] = {}
        for i, name in enumerate(group.names):
            reads[name] = (
                partial(self._column, slot, place[i])
                if i in place
                else partial(self._computed, "tree", f"tree_{slot}", followers.index(i))
            )
        return _by_joint(group, reads)

    def _shaped(self, values: Array) -> Array:
        """(T, B) as the caller sees it."""
        return values[:, 0] if self.batch == 1 else values

    def _column(self, slot: str, element: int) -> Array:
        full = np.empty((len(self), self.batch))
        row = 0
        for chunk in self._chunks:
            rows = chunk[slot].shape[0]
            full[row : row + rows] = chunk[slot].column(element)
            row += rows
        return self._shaped(full)

    def _computed(self, kernel: str, output: str, element: int) -> Array:
        if kernel not in self._derived:
            self._derived[kernel] = self._evaluated(kernel)
        return self._shaped(self._derived[kernel][output][:, :, element].copy())

    def _late(self, kernel: str, output: str, element: int) -> Read:
        return partial(self._computed, kernel, output, element)

    def _table(self, kernel: str, output: str) -> Array:
        """An output that is a table, (T, rows, columns) or (T, B, rows, columns)."""
        if kernel not in self._derived:
            self._derived[kernel] = self._evaluated(kernel)
        return self._shaped(self._derived[kernel][output])

    def _evaluated(self, name: str) -> dict[str, Array]:
        """A kernel's outputs for every recorded state, (T, B, size); of the tree only what follows."""
        kernel = self._kernels[name]
        kept: Mapping[str, list[int]] = {
            "tree_position": _others(len(self._names.positions.names), self._names.free_positions),
            "tree_velocity": _others(len(self._names.coordinates.names), self._names.free_velocities),
        }
        parts: dict[str, list[Array]] = {s.name: [] for s in kernel.program.slots if s.kind == "output"}
        inputs = [s.name for s in kernel.program.slots if s.kind == "input"]
        for chunk in self._chunks:
            rows = next(iter(chunk.values())).shape[0]
            size = max(1, PIECE // self.batch)
            for first in range(0, rows, size):
                states = {n: self._acting(chunk, n, slice(first, first + size)) for n in inputs}
                found = kernel.evaluate(states)
                for output, pieces in parts.items():
                    columns = found[output][:, kept[output]] if output in kept else found[output]
                    pieces.append(columns.reshape(len(columns) // self.batch, self.batch, *columns.shape[1:]))
        return {o: np.concatenate(p) if p else np.zeros((0, self.batch, 1)) for o, p in parts.items()}

    def _acting(self, chunk: Mapping[str, Buffer], slot: str, rows: slice) -> Array:
        """A slot's rows, with what a compiled controller commanded in the place of inputs."""
        numbers = self._states(chunk[slot].rows(rows))
        if self._control is not None and slot in controlled.INPUTS:
            control = self._states(chunk["control"].rows(rows))
            for i, place in getattr(self._control.places, slot).items():
                numbers[:, i] = control[:, place]
        return numbers

    def _states(self, part: Buffer) -> Array:
        """Rows of all robots under each other, (rows·B, size)."""
        rows, batch, size = part.shape
        return part.numbers().reshape(rows * batch, size)

    def __repr__(self) -> str:
        robots = "" if self.batch == 1 else f"{self.batch} × "
        until = f", until {self.time[-1]:g} s" if len(self) else ""
        return f"<Recording of {robots}{self.robot.name!r}: {len(self)} instants{until}>"


def _by_joint(group: Group, reads: Mapping[str, Callable[[], Any]]) -> Values:
    return Values(group.kind, reads, {j: tuple(group.names[i] for i in own) for j, own in group.joints.items()})


def _recorded(record: Sequence[str]) -> tuple[str, ...]:
    """What files have beside the usual."""
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        if name != "reaction":
            raise UnknownNameError("quantity to record", name, ["reaction"])
    return names


def _others(n: int, free: tuple[int, ...]) -> list[int]:
    return [i for i in range(n) if i not in set(free)]
