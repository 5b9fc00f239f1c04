"""The simulation behind the page: one thread steps it in real time, holds commands, and pulls at a link."""

from __future__ import annotations

import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import GearwrightError

if TYPE_CHECKING:
    from gearwright.sim import Simulation

FRAME = 1 / 30  # [s] from one picture to the next
LATE = 0.1  # [s] of simulated time that a picture may have to make up for
KEPT = 1500  # instants of a plot
PULL = 400.0  # [1/s²] of the spring that pulls a link, times the robot's mass
BRAKE = 20.0  # [1/s] of its damper, times the robot's mass


class Player:
    """Everything that touches the simulation happens in its thread, or under `lock`."""

    def __init__(self, sim: Simulation, shown: Callable[[], None]) -> None:
        self.sim, self._shown = sim, shown
        self.lock = threading.RLock()
        self.playing, self.speed, self.error = False, 1.0, ""
        self.command: dict[str, float] = {}
        self.pulled: tuple[str, Any] | None = None  # a link, and where it is pulled to
        self.history: deque[tuple[float, dict[str, float]]] = deque(maxlen=KEPT)
        self._mass = sum(link.inertia.mass for link in sim.robot.links.values()) or 1.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="gearwright page", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=5.0)

    def reset(self, position: dict[str, float] | None = None) -> None:
        """At rest where the robot starts, or at these positions."""
        with self.lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.sim.reset(position=position or {})
                self.error = ""
            except GearwrightError as error:
                self.error = str(error)
            self.history.clear()
        self._shown()

    def step(self, n: int = 1) -> None:
        """So many steps, with commands held and the pull of a spring."""
        with self.lock:
            inputs: dict[str, Any] = {"command": self.command} if self.command else {}
            if "wrench" in self.sim.inputs.slots:
                inputs["wrench"] = self._pull()
            try:
                self.sim.step(n=n, **inputs)
            except GearwrightError as error:
                self.playing, self.error = False, str(error)
            self.history.append((self.sim.time, self.readings()))

    def _pull(self) -> dict[str, Any]:
        none = np.zeros(3)
        found: dict[str, Any] = dict.fromkeys(self.sim.options.wrenches, (none, none))
        if self.pulled is not None:
            link, goal = self.pulled
            stretch = np.asarray(goal) - self.sim.pose[link][:3, 3]
            velocity = np.asarray(self.sim.link_velocity[link].linear)
            found[link] = (self._mass * (PULL * stretch - BRAKE * velocity), none)
        return found

    def readings(self) -> dict[str, float]:
        """Readings that plots can show."""
        sim = self.sim
        single = [j.name for j in sim.robot.tree.joints if j.dof == 1]
        found = {f"{name}.position": float(sim.position[name]) for name in single}
        found |= {f"{name}.velocity": float(sim.velocity[name]) for name in sim.coordinates}
        found |= {f"{name}.torque": float(sim.actuator[name].torque) for name in sim.robot.actuators}
        return found

    def _loop(self) -> None:
        begun, due = time.perf_counter(), 0.0
        while not self._ended.is_set():
            now = time.perf_counter()
            elapsed, begun = now - begun, now
            if self.playing:
                due = min(due + elapsed * self.speed, LATE * max(1.0, self.speed))
                steps = int(due / self.sim.dt)
                due -= steps * self.sim.dt
                pieces = 4 if self.pulled is not None else 1  # a spring of Python acts between calls
                for _ in range(pieces):
                    if steps and self.playing:
                        self.step(max(1, steps // pieces))
                self._shown()
            self._ended.wait(max(0.0, FRAME - (time.perf_counter() - now)))
