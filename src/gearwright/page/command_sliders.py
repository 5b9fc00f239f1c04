"""A slider for the command of each actuator, held while the simulation runs."""

from __future__ import annotations

from math import isfinite, pi
from typing import TYPE_CHECKING

from gearwright.display.visible import visible
from gearwright.model import Actuator, Mechanism
from gearwright.page.controls import ControlChange, Controls
from gearwright.page.sliders import Slider
from gearwright.sim.state.units import actuator_units

if TYPE_CHECKING:
    from gearwright.page.player import Player

SPEED = 10.0  # [rad/s] of a velocity command without a limit
VOLTAGE = 24.0  # [V] of a voltage command without a supply
MOST = 150  # sliders


class CommandSliders:
    """In folders by their unit."""

    def __init__(self, controls: Controls, player: Player) -> None:
        self._player = player
        self._sliders: dict[str, Slider] = {}
        units = {name: actuator_units(player.robot, name)["command"] for name in list(player.robot.actuators)[:MOST]}
        for unit in dict.fromkeys(units.values()):
            with controls.gui.add_folder(f"Commands [{unit}]"):
                for name in (n for n, own in units.items() if own == unit):
                    self._add(controls, name, unit)

    def _add(self, controls: Controls, name: str, unit: str) -> None:
        actuator = self._player.robot.actuators[name]
        limits = command_range(self._player.robot, actuator)
        start = min(limits[1], max(limits[0], self._player.command.get(name, 0.0)))
        self._sliders[name] = Slider(
            controls, visible(name), limits, pi, start, lambda change: self._commanded(name, change),
            hint=f"{actuator.command} of {visible(name)} [{unit}]",
        )  # fmt: skip

    def filter(self, text: str) -> None:
        """Shows those whose names have this in them."""
        for name, slider in self._sliders.items():
            slider.handle.visible = text.casefold() in name.casefold()

    def _commanded(self, name: str, change: ControlChange) -> None:
        if change.by_person:
            self._player.command[name] = float(change.value)

    def refresh(self) -> None:
        """What a program or the demonstration commands."""
        for name, slider in self._sliders.items():
            command = self._player.command.get(name, self._player.sim.command[name])
            if command is not None and isfinite(command):
                slider.show(command)


def command_range(robot: Mechanism, actuator: Actuator) -> tuple[float, float]:
    """From what to what a command goes: what the motor has, or what its joint does."""
    if actuator.command == "position":
        axis = robot.joints[actuator.joint.joint].axes[actuator.joint.index] if actuator.joint else None
        low, high = (axis.limits.lower, axis.limits.upper) if axis else (-pi, pi)
        return (low, high) if low < high else (-pi, pi)
    if actuator.command == "velocity":
        reach = actuator.velocity_limit if isfinite(actuator.velocity_limit) else SPEED
    elif actuator.command == "voltage":
        reach = getattr(actuator, "supply_voltage", None) or VOLTAGE
    else:
        curve = max((torque for _, torque in actuator.torque_speed), default=1.0)
        reach = actuator.effort_limit if isfinite(actuator.effort_limit) else curve
    reach = float(f"{reach or 1.0:.3g}")  # a round number to read
    return -reach, reach
