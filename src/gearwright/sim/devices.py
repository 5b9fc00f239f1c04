"""Actuators and sensors of a simulation by name: where their numbers stand, and the objects that show them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.model import Mechanism
from gearwright.model.sensor_layout import SensorLayout
from gearwright.model.slots import StepSlot
from gearwright.sim.actuator_view import ActuatorView
from gearwright.sim.names import Group
from gearwright.sim.values import Array, Read


class Devices:
    """The layout of the slots `command`, `actuator` and `sensor`."""

    def __init__(self, robot: Mechanism, drives: Collection[str], sensing: SensorLayout) -> None:
        self.robot, self.sensing = robot, sensing
        pushed = {n: f"is a joint: give it effort={{{n!r}: …}}" for n in robot.joints if n not in robot.actuators}
        pushed |= {n: f"has a drive: give its target, sim.drive(position={{{n!r}: …}})" for n in drives}
        self.commands = Group("actuator", tuple(robot.actuators), {}, elsewhere=pushed)

    @cached_property
    def memory(self) -> dict[str, dict[str, int]]:
        """By actuator: the places in `actuator` of its effort and of its states."""
        places, start = {}, len(self.robot.actuators)
        for i, (name, a) in enumerate(self.robot.actuators.items()):
            places[name] = {"torque": i, **{state: start + n for n, state in enumerate(a.states)}}
            start += len(a.states)
        return places

    @cached_property
    def start(self) -> Array:
        """`actuator` after a reset: no efforts yet."""
        states = [x for a in self.robot.actuators.values() for x in a.initial]
        return np.array([0.0] * len(self.robot.actuators) + states)

    @cached_property
    def readings(self) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
        """Places in `sensor` of the readings, and the readings of sensors that give several numbers."""
        several = {sensor: own for sensor, own in self.sensing.shown.items() if own != (sensor,)}
        return {name: i for i, name in enumerate(self.sensing.readings)}, several


def actuator_views(
    devices: Devices, slot: Callable[[str, int], Read], shaft: Callable[[str, int], Read]
) -> dict[str, Callable[[], ActuatorView]]:
    """By actuator; `slot` reads a number of a slot, `shaft` one that has to be computed."""
    found: dict[str, Callable[[], ActuatorView]] = {}
    for i, (name, places) in enumerate(devices.memory.items()):
        reads: dict[str, Read] = {"torque": slot(StepSlot.ACTUATOR, i)}
        reads |= {"position": shaft("shaft_position", i), "velocity": shaft("shaft_velocity", i)}
        reads["command"] = slot(StepSlot.COMMAND, i)
        reads |= {state: slot(StepSlot.ACTUATOR, place) for state, place in places.items() if state != "torque"}
        view = ActuatorView(name, reads)
        found[name] = lambda view=view: view  # type: ignore[misc]
    return found


def refuse_commands(integrator: str) -> None:
    """Raises for commands to a robot none of whose actuators act: with such an integrator, or not connected."""
    if integrator == "rk4":
        raise GearwrightError(f"actuators do not act with the integrator {integrator!r}: take the default")
    raise GearwrightError("no actuator of this robot is connected to a joint, so that commands do nothing")
