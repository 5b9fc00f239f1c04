"""The simulation behind the page: stepped in real time, with commands held and a link pulled."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import GearwrightError
from gearwright.model.layout.slots import StepSlot
from gearwright.page.demonstration import Demonstration
from gearwright.page.envelope import envelope
from gearwright.page.history import History
from gearwright.page.motion import DRAWN, FRAME, TRACE, ShownMotion
from gearwright.page.pull import PullingSpring

if TYPE_CHECKING:
    from gearwright.sim import Simulation

LATE = 0.1  # [s] of simulated time that a picture may have to make up for


class Player(ShownMotion):
    """Moves a simulation."""

    def __init__(self, sim: Simulation, shown: Callable[[], None]) -> None:
        super().__init__(shown)
        self.sim, self.robot = sim, sim.robot
        self.command: dict[str, float] = {}
        self.effort: dict[str, float] = {}
        self.stepped: Callable[[], None] | None = None  # called after every step, where somebody keeps them
        self.ends_at = float("inf")  # [s] at which it pauses
        self.history = History(sim)
        self.demonstration = Demonstration(sim)
        self._spring: PullingSpring | None = None
        self._due = 0.0
        self._begun = sim.state.copy()
        self.units = {name: s.unit for name, s in self.history.signals.items()}

    @property
    def time(self) -> float:
        return float(self.sim.time)

    # --- moving ----------------------------------------------------------------------------------------------------

    def reset(self, position: dict[str, float] | None = None) -> None:
        """At rest where the robot starts, or at these positions."""
        with self.lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.sim.reset(position=position or {})
                if not position:
                    self.sim.state = self._begun
                self.error = ""
            except GearwrightError as error:
                self.error = str(error)
            self.history.clear()
            self.demonstration.restart()
            self._due = 0.0
        self.show()

    def step(self, n: int = 1) -> None:
        """So many steps, with commands held and the pull of a spring."""
        with self.lock:
            each = self._spring is not None or self.stepped is not None  # a spring of Python acts between steps
            for _ in range(n if each else 1):
                if not self._step(1 if each else n):
                    break

    def _step(self, n: int) -> bool:
        if self.command or self.effort or self._spring is not None:
            self._end_demonstration()
        command, effort = self.demonstration.inputs()
        command, effort = command | self.command, effort | self.effort
        inputs: dict[str, Any] = {"command": command} if command else {}
        if effort:
            inputs["effort"] = effort
        if StepSlot.WRENCH in self.sim.inputs.slots:
            inputs["wrench"] = self._wrenches()
        try:
            self.sim.step(n=n, **inputs)
        except GearwrightError as error:
            self.playing, self.error = False, str(error)
            return False
        if self.stepped is not None:
            self.stepped()
        return True

    def _end_demonstration(self) -> None:
        """A person commands from here on; commands that the demonstration left go back to their start."""
        if not self.demonstration.over and self.demonstration.running:
            commands, efforts = self.demonstration.inputs()
            self.command = dict.fromkeys(commands, 0.0) | self.command
            self.effort = dict.fromkeys(efforts, 0.0) | self.effort
        self.demonstration.over = True

    def advance(self, elapsed: float) -> None:
        dt = self.sim.dt
        self._due = min(self._due + elapsed, max(LATE, FRAME) * max(1.0, self.speed))
        left = (self.ends_at - self.time) / dt
        steps = int(min(self._due / dt + 1e-9, max(0.0, left + 1e-6), self.sim.clock.pace.steps))
        self._due -= steps * dt
        if steps:
            self.step(steps)
        if self.time >= self.ends_at - dt / 2:
            self.playing, self.ends_at = False, float("inf")

    # --- pulling ---------------------------------------------------------------------------------------------------

    def grab(self, link: str, point: Any) -> None:
        """Takes a link at a point of the world; nothing if it takes no wrench."""
        if link in self.sim.options.wrenches:
            with self.lock:
                self._spring = PullingSpring(self.sim, link, np.asarray(point, float))

    def pull(self, goal: Any) -> None:
        """Where in the world the spring pulls to."""
        with self.lock:
            if self._spring is not None:
                self._spring.goal = np.asarray(goal, float)

    def release(self) -> None:
        with self.lock:
            self._spring = None

    def stretch(self) -> tuple[Any, Any] | None:
        """The ends of the spring in the world; None if nothing is pulled."""
        with self.lock:
            return None if self._spring is None else (self._spring.point(), self._spring.goal)

    def _wrenches(self) -> dict[str, Any]:
        found: dict[str, Any] = dict.fromkeys(self.sim.options.wrenches, (np.zeros(3), np.zeros(3)))
        if self._spring is not None:
            found[self._spring.link] = self._spring.wrench()
        return found

    # --- looking ---------------------------------------------------------------------------------------------------

    def poses(self) -> dict[str, Any]:
        with self.lock:
            return {name: self.sim.pose[name] for name in self.robot.links}

    def position(self, joint: str) -> float:
        return float(self.sim.position[joint])

    def operating_point(self, actuator: str) -> tuple[float, float]:
        view = self.sim.actuator[actuator]
        return float(view.velocity), float(view.torque)

    def trace(self, actuator: str) -> tuple[Any, Any]:
        (times, speeds), (_, torques) = (self.history.series(f"{actuator}.{x}") for x in ("shaft_velocity", "torque"))
        recent = times > self.time - TRACE
        return speeds[recent], torques[recent]

    def series(self, signal: str) -> tuple[Any, Any]:
        return envelope(*self.history.series(signal), DRAWN)

    def stop(self) -> None:
        super().stop()
        self.history.close()
