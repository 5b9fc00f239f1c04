"""Numbers by the robot's own names: of a simulation now, of a recording over time. What there is says `sim.signals`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from gearwright.sim.signals import FAMILIES, FamilySignals, Signal, word
from gearwright.sim.state.values import Array, Read, Value, Values
from gearwright.sim.views.contact import touching
from gearwright.sim.views.device_view import DeviceView
from gearwright.sim.views.spatial_values import Reaction, Twist


class SignalSource(Protocol):
    """Signals by family: of a simulation's table, or of a recording's schema."""

    def family(self, name: str) -> FamilySignals: ...
    def of_kind(self, of: str) -> Iterator[Signal]: ...


class NamedValues(ABC):
    """Numbers by name. Of a simulation they are floats, or arrays (B,) where the batch is larger than one; of a
    recording (T,) or (T, B). A joint of several coordinates and a vector have their numbers along the last axis.
    """

    _views: dict[str, Values]  # those that were asked for

    @property
    @abstractmethod
    def signals(self) -> SignalSource:
        """The signals that can be read."""

    @abstractmethod
    def reader(self, signal: Signal) -> Read:
        """Reads one signal."""

    @property
    @abstractmethod
    def _left_out(self) -> Sequence[str]:
        """Couplings that loops contradict."""

    def _view(self, name: str) -> Values:
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = self._made(name)
        return view

    def _made(self, name: str) -> Values:
        if name in DEVICES:
            return self._devices(name, DEVICES[name])
        return self._row_objects(*ROWS[name]) if name in ROWS else self._family(name)

    def _number(self, name: str) -> Value:
        return self._view("")[name]

    @property
    def position(self) -> Values:
        """Positions [rad, m] by joint or coordinate, including followers and loop-closing joints."""
        return self._view("position")

    @property
    def velocity(self) -> Values:
        """Velocities [rad/s, m/s] by joint or coordinate."""
        return self._view("velocity")

    @property
    def acceleration(self) -> Values:
        """Accelerations at this instant, with the present efforts [rad/s², m/s²]."""
        return self._view("acceleration")

    @property
    def effort(self) -> Values:
        """The effort along each coordinate [N·m, N]: the present one, or in a recording that of the step that ends at
        the row.
        """
        return self._view("effort")

    @property
    def coupling_error(self) -> Values:
        """C of each coupling, by its name or its follower's [follower's unit]."""
        return self._view("coupling_error")

    @property
    def coupling_effort(self) -> Values:
        """The effort that each coupling exerts on its follower [N·m, N]."""
        return self._view("coupling_effort")

    @property
    def reaction(self) -> Values:
        """By joint, `.force` [N] and `.torque` [N·m], three numbers each: what its parent exerts on its child at this
        instant, about the joint's origin, in the joint's axes on the child (in URDF, the child link's frame).

        Along the joint's axes it includes everything that acts there: motor, coupling, damper, friction, stop. Fixed
        joints and loop-closing joints have one, too. Friction, stops, drives, motors and couplings that are not exact
        are included with their mean over the last step; after a reset they have not acted yet. Redundant constraints of
        a loop carry nothing.
        """
        return self._view("reaction")

    @property
    def contact_force(self) -> Values:
        """By link, the sum of its contact forces in the last step, three numbers in the world's axes [N]."""
        return self._view("contact_force")

    @property
    def contacts(self) -> list[Any]:
        """Where links touch, each with `.pair`, `.point`, `.normal`, `.depth`, `.force`, `.slip`, `.sticking`; see
        `Contact`. A list for one robot; for a batch, or a recording, a list of such lists.
        """
        names, read = self._table("contacts")
        return touching(names, np.asarray(read())) if names else []

    @property
    def link_velocity(self) -> Values:
        """By link, `.linear` [m/s] of its origin and `.angular` [rad/s], three numbers each, in the world's axes."""
        return self._view("link_velocity")

    @property
    def link_acceleration(self) -> Values:
        """By link, `.linear` [m/s²] of its origin and `.angular` [rad/s²] in the world's axes; see `acceleration`.

        It is not a specific force: a link in free fall has −9.8 m/s², while an accelerometer on it reads 0.
        """
        return self._view("link_acceleration")

    @property
    def pose(self) -> Values:
        """Each link's pose in the world, (…, 4, 4)."""
        return self._view("pose")

    @property
    def sensor(self) -> Values:
        """Readings by sensor at the end of the step [rad, m; rad/s, m/s; 0 or 1 for a switch].

        A sensor that reads several axes gives them along the last axis of an array.
        """
        return self._view("sensor")

    @property
    def command(self) -> Values:
        """The command of each actuator, in the unit of what it takes; see `effort`."""
        return self._view("command")

    @property
    def actuator(self) -> Values:
        """By actuator: `.torque` in the last step, `.velocity` and `.position` of its own axis, `.command`, and the
        states of its kind, such as `.current` and `.temperature` of a dc_motor."""
        return self._view("actuator")

    @property
    def friction(self) -> Values:
        """The states of frictions that have some, by axis, actuator or transmission: `sim.friction["knee"].deflection`.
        The friction of a gear's twist is `gear.hysteresis`.
        """
        return self._view("friction")

    @property
    def kinetic_energy(self) -> Value:
        """Kinetic energy [J]."""
        return self._number("kinetic_energy")

    @property
    def potential_energy(self) -> Value:
        """Energy of gravity, zero at the world's origin, and of springs [J]."""
        return self._number("potential_energy")

    @property
    def energy(self) -> Value:
        """Kinetic and potential [J]."""
        return self._number("energy")

    # --- tables ----------------------------------------------------------------------------------------------------

    def _table(self, quantity: str) -> tuple[Sequence[str], Read]:
        """Names of a table's rows, and what reads all of them, (…, rows, n)."""
        tables = self.signals.family("table")
        if quantity not in tables.signals:
            return (), lambda: np.zeros(0)
        return tables.groups[quantity], self.reader(tables.signals[quantity])

    def _family(self, name: str) -> Values:
        """The values of one row of `FAMILIES`."""
        row, own = FAMILIES[name], self.signals.family(name)
        reads = {n: self.reader(s) for n, s in own.signals.items()}
        if own.kind == "coupling":  # whose further names are second names
            second = {alias: reads[of] for alias, (of,) in own.groups.items()}
            why = {n: f"coupling {n!r} is left out of the simulation: a loop contradicts it" for n in self._left_out}
            return Values(own.kind, reads, {}, Values(own.kind, second, {}), why)
        why = {}
        if row.unlike_loops:
            _, closing, groups = self.signals.family("loop_velocity")
            loops = f"closes a loop: {row.unlike_loops}; load(cut=…) cuts the loop at another joint"
            why = {n: f"{n!r} {loops}" for n in (*closing, *groups)}
        return Values(own.kind, reads, own.groups, self._family(row.also) if row.also else None, why)

    def _devices(self, kind: str, shown: Sequence[str]) -> Values:
        """All numbers of each device; those that are `shown` come first."""
        each: dict[str, dict[str, Read]] = {}
        for signal in self.signals.of_kind(kind):
            each.setdefault(signal.name, {})[word(signal.family)] = self.reader(signal)
        views = {n: DeviceView(kind, n, {w: own[w] for w in (*shown, *own) if w in own}) for n, own in each.items()}
        return Values(kind, {name: partial(views.__getitem__, name) for name in views}, {})

    def _row_objects(self, kind: str, quantity: str, made: Callable[[Array], Any]) -> Values:
        """Each row of a table as an object of its own."""
        names, read = self._table(quantity)

        def row(i: int) -> Any:
            return made(read()[..., i, :])

        return Values(kind, {name: partial(row, i) for i, name in enumerate(names)}, {})


def _pose(flat: Array) -> Array:
    """(…, 4, 4) of (…, 12)."""
    X = np.zeros((*flat.shape[:-1], 4, 4))
    X[..., :3, :3] = flat[..., :9].reshape(*flat.shape[:-1], 3, 3)
    X[..., :3, 3] = flat[..., 9:]
    X[..., 3, 3] = 1.0
    return X


ROWS: dict[str, tuple[str, str, Callable[[Array], Any]]] = {  # names of what, table, and what a row is made to
    "pose": ("link", "link_pose", _pose),
    "reaction": ("joint", "reaction", lambda row: Reaction(row[..., :3], row[..., 3:])),
    "link_velocity": ("link", "link_velocity", lambda row: Twist(row[..., :3], row[..., 3:])),
    "link_acceleration": ("link", "link_acceleration", lambda row: Twist(row[..., :3], row[..., 3:])),
}
DEVICES = {"actuator": ("torque", "position", "velocity", "command"), "friction": ()}  # the numbers shown first
