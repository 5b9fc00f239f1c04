"""Command ports: the commands, joints, actuators and sensors of one robot of a batch, number by number.

A channel is looked up once by its name; after that, a read or a write is one call on one number. Devices and viewers
use them in their loops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import as_index
from gearwright.model.layout.slots import SlotName, StepSlot
from gearwright.sim.signals import Signal, word
from gearwright.sim.state.given_values import constant
from gearwright.sim.state.inputs import refuse_commands

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

ReadNumber = Callable[[], float]


class Channel:
    """One input of one robot."""

    __slots__ = ("_store", "_touch", "name", "read")

    def __init__(self, name: str, read: ReadNumber, store: Callable[[float], None], touch: Callable[[], None]) -> None:
        self.name, self.read = name, read
        self._store, self._touch = store, touch

    def write(self, value: float) -> None:
        """Held until it is changed, as by `Simulation.step`."""
        if type(value) is not float or value - value != 0.0:
            value = constant(self.name, value, 1)
        self._store(value)
        self._touch()

    def __repr__(self) -> str:
        return f"<channel of {self.name!r}: {self.read():g}>"


class Port:
    """One robot of a batch. Made by `Simulation.port`.

    port = sim.port(robot=3)
    motor, knee = port.command("motor"), port.position("knee")
    motor.write(0.2)
    sim.clock.advance(10)
    knee()
    """

    def __init__(self, sim: Simulation, robot: int) -> None:
        found = as_index(robot)
        if found is None or not 0 <= found < sim.batch:
            raise ModelError(f"robot must be one of 0 … {sim.batch - 1}, not {robot!r:.60}")
        self.sim, self.robot = sim, found
        self._state, self._layout = sim.batch_state, sim.layout

    # --- inputs ----------------------------------------------------------------------------------------------------

    def command(self, actuator: str) -> Channel:
        """A command, in the unit of the actuator's command."""
        group = self._layout.group(StepSlot.COMMAND)
        i = group.single(actuator)
        if not self._layout.commanded:
            refuse_commands(self.sim.options.integrator)
        return self._channel(StepSlot.COMMAND, actuator, i)

    def effort(self, coordinate: str) -> Channel:
        """An effort along a coordinate [N·m, N]."""
        return self._channel(StepSlot.EFFORT, coordinate, self._layout.group(StepSlot.EFFORT).single(coordinate))

    def parameter(self, name: str) -> Channel:
        """A parameter of `gearwright.compile(parameters=…)`, in its unit."""
        i, held = self._layout.parameters.single(name), self._state.slot(StepSlot.PARAMETER)
        changed = partial(self._state.changed, StepSlot.PARAMETER)
        return Channel(name, held.robot_reader(i, self.robot), held.robot_writer(i, self.robot), changed)

    def _channel(self, slot: str, name: str, i: int) -> Channel:
        self.sim.inputs.check_free(slot, {name: 0.0})
        held = self._state.slot(slot)
        return Channel(
            name, held.robot_reader(i, self.robot), held.robot_writer(i, self.robot), self._state.touch
        )  # fmt: skip

    # --- readings --------------------------------------------------------------------------------------------------

    def position(self, coordinate: str) -> ReadNumber:
        """Position [rad, m], also of followers."""
        return self._motion(StepSlot.POSITION, coordinate)

    def velocity(self, coordinate: str) -> ReadNumber:
        """Velocity [rad/s, m/s], also of followers."""
        return self._motion(StepSlot.VELOCITY, coordinate)

    def _motion(self, slot: SlotName, coordinate: str) -> ReadNumber:
        table = self._layout.signals
        known = {**table.family(slot).signals, **table.family(f"loop_{slot}").signals}
        if coordinate not in known:
            self._layout.independent(slot)[0].single(coordinate)  # which raises
        return self._reader(known[coordinate])

    def sensor(self, reading: str) -> ReadNumber:
        """A reading; a sensor with several readings has one channel for each."""
        _, readings, several = self._layout.signals.family("sensor")
        if reading not in readings:
            raise UnknownNameError("sensor", reading, [*readings, *several])
        return self._reader(readings[reading])

    def actuator(self, name: str, quantity: str = "torque") -> ReadNumber:
        """`torque`, `position`, `velocity`, `command` or a state of its kind, such as `current`."""
        self._layout.commands.single(name)
        if not self._layout.commanded:
            refuse_commands(self.sim.options.integrator)
        own = {word(s.family): s for s in self._layout.signals.of_kind("actuator") if s.name == name}
        if quantity not in own:
            raise UnknownNameError(f"quantity of actuator {name!r}", quantity, own)
        return self._reader(own[quantity])

    def _reader(self, signal: Signal) -> ReadNumber:
        return self.sim.probes.robot_reader(signal, self.robot)

    def __repr__(self) -> str:
        return f"<port of robot {self.robot} of {self.sim.batch}>"
