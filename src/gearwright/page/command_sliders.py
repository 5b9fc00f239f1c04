"""A slider for the command of each actuator, held while the simulation runs."""

from __future__ import annotations

from math import isfinite, pi
from typing import Any

from gearwright.display.visible import visible
from gearwright.model import Actuator, Mechanism
from gearwright.page.player import Player

STEPS = 400
SPEED = 10.0  # [rad/s] of a velocity command without a limit
VOLTAGE = 24.0  # [V] of a voltage command without a supply
MOST = 150  # sliders
UNITS = {"effort": "N·m, N", "velocity": "rad/s, m/s", "position": "rad, m", "voltage": "V"}


class CommandSliders:
    def __init__(self, gui: Any, player: Player) -> None:
        self._player = player
        for name, actuator in list(player.robot.actuators.items())[:MOST]:
            low, high = command_range(player.robot, actuator)
            start = min(high, max(low, player.command.get(name, 0.0)))
            slider = gui.add_slider(
                visible(name), low, high, (high - low) / STEPS, start,
                hint=f"{actuator.command} of {name} [{UNITS[actuator.command]}]",
            )  # fmt: skip
            slider.on_update(lambda event, name=name: self._commanded(name, event))

    def _commanded(self, name: str, event: Any) -> None:
        self._player.command[name] = float(event.target.value)


def command_range(robot: Mechanism, actuator: Actuator) -> tuple[float, float]:
    """From what to what a command goes: what the motor has, or what its joint does."""
    if actuator.command == "position":
        axis = robot.joints[actuator.joint.joint].axes[actuator.joint.index] if actuator.joint else None
        low, high = (axis.limits.lower, axis.limits.upper) if axis else (-pi, pi)
        return (low, high) if isfinite(low) and isfinite(high) and low < high else (-pi, pi)
    if actuator.command == "velocity":
        reach = actuator.velocity_limit if isfinite(actuator.velocity_limit) else SPEED
    elif actuator.command == "voltage":
        reach = getattr(actuator, "supply_voltage", None) or VOLTAGE
    else:
        curve = max((torque for _, torque in actuator.torque_speed), default=1.0)
        reach = actuator.effort_limit if isfinite(actuator.effort_limit) else curve
    reach = float(f"{reach or 1.0:.3g}")  # a round number to read
    return -reach, reach
