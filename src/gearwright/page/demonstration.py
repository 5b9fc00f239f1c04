"""What moves a robot that would stand still when somebody presses Play for the first time."""

from __future__ import annotations

from math import inf, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from gearwright.page.command_sliders import command_range

if TYPE_CHECKING:
    from gearwright.sim import Simulation

WAIT = 0.3  # [s] that a robot may stand still
STILL = 1e-3  # [rad/s, m/s]
SHARE = 0.3  # of a command's range
PERIOD = 4.0  # [s] of its swing
ACCELERATION = 1.0  # [rad/s², m/s²] of a joint that has no motor


class Demonstration:
    """Commands that swing, or efforts on joints where there are no motors. It is over once a person commands."""

    def __init__(self, sim: Simulation) -> None:
        self._sim, robot = sim, sim.robot
        self.running, self.over = False, True  # until `begin`
        self._since = sim.time
        self._commands = {name: command_range(robot, actuator) for name, actuator in robot.actuators.items()}
        self._efforts: dict[str, float] = {}
        if not self._commands:
            inertia = dict(zip(sim.coordinates, np.diag(sim.mass_matrix()), strict=True))
            for joint in [j for j in robot.tree.joints if j.dof == 1 and j.axes and j.name in sim.independent]:
                self._efforts[joint.name] = min(joint.axes[0].limits.effort or inf, ACCELERATION * inertia[joint.name])

    def begin(self) -> None:
        self.over = False
        self.restart()

    def restart(self) -> None:
        self.running, self._since = False, self._sim.time

    def inputs(self) -> tuple[dict[str, float], dict[str, float]]:
        """Commands and efforts of the next step; none while it does not run."""
        if self.over:
            return {}, {}
        t = self._sim.time - self._since
        if not self.running:
            if t < WAIT:
                return {}, {}
            self.running = bool(np.abs(self._sim.v).max(initial=0.0) < STILL)
            self.over = not self.running
            return {}, {}
        s = sin(2 * pi * (t - WAIT) / PERIOD)
        commands = {
            name: min(high, max(low, s * SHARE * (high - low) / 2)) for name, (low, high) in self._commands.items()
        }
        return commands, {name: s * effort for name, effort in self._efforts.items()}
