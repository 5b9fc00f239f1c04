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
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state.devices import refuse_commands
from gearwright.sim.state.given_values import constant
from gearwright.sim.state.names import Group

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

ReadNumber = Callable[[], float]
SHAFT = {"position": "shaft_position", "velocity": "shaft_velocity"}  # outputs of the kernel `shafts`


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
            raise ModelError(f"robot is one of 0 … {sim.batch - 1}, not {robot!r:.60}")
        self.sim, self.robot = sim, found
        self._state, self._layout, self._probes = sim.batch_state, sim.layout, sim.probes

    # --- inputs ----------------------------------------------------------------------------------------------------

    def command(self, actuator: str) -> Channel:
        """A command, in the unit of what the actuator takes."""
        group = self._layout.group(StepSlot.COMMAND)
        i = _index(group, actuator)
        if not self._layout.commanded:
            refuse_commands(self.sim.options.integrator)
        return self._channel(StepSlot.COMMAND, actuator, i)

    def effort(self, coordinate: str) -> Channel:
        """An effort along a coordinate [N·m, N]."""
        return self._channel(StepSlot.EFFORT, coordinate, _index(self._layout.group(StepSlot.EFFORT), coordinate))

    def parameter(self, name: str) -> Channel:
        """A parameter of `gearwright.compile(parameters=…)`, in its unit."""
        i, held = _index(self._layout.parameters, name), self._state.slot(StepSlot.PARAMETER)
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
        """[rad, m]; followers too."""
        return self._motion(StepSlot.POSITION, coordinate)

    def velocity(self, coordinate: str) -> ReadNumber:
        """[rad/s, m/s]."""
        return self._motion(StepSlot.VELOCITY, coordinate)

    def sensor(self, reading: str) -> ReadNumber:
        """A reading; a sensor of several numbers has one for each."""
        places, several = self._layout.devices.readings
        if reading not in places:
            raise UnknownNameError("sensor", reading, [*places, *several])
        return self._reader(StepSlot.SENSOR, places[reading])

    def actuator(self, name: str, quantity: str = "torque") -> ReadNumber:
        """`torque`, `position`, `velocity`, `command` or a state of its kind, such as `current`."""
        devices = self._layout.devices
        i = _index(devices.commands, name)
        own = devices.memory[name]
        if quantity not in (known := [*own, *SHAFT, "command"]):
            raise UnknownNameError(f"quantity of actuator {name!r}", quantity, known)
        if not self._layout.commanded:
            refuse_commands(self.sim.options.integrator)
        if quantity in SHAFT:
            return self._probes.robot_reader("shafts", SHAFT[quantity], i, self.robot)
        return self._reader(
            *(self._layout.place(StepSlot.COMMAND, i) if quantity == "command" else (StepSlot.ACTUATOR, own[quantity]))
        )

    def _motion(self, slot: str, coordinate: str) -> ReadNumber:
        group, free = self._layout.independent(slot)
        i = _index(group, coordinate)
        if i in free:
            return self._reader(slot, free.index(i))
        return self._probes.robot_reader("tree", f"tree_{slot}", i, self.robot)

    def _reader(self, slot: str, element: int) -> ReadNumber:
        return self._state.slot(slot).robot_reader(element, self.robot)

    def __repr__(self) -> str:
        return f"<port of robot {self.robot} of {self.sim.batch}>"


def _index(group: Group, name: str) -> int:
    if name in group.index:
        return group.index[name]
    if name in group.joints:
        each = ", ".join(repr(group.names[i]) for i in group.joints[name])
        raise ModelError(f"{name!r} is no single number; it has {each or 'none'}")
    raise group.unknown(name)
