"""A task: a batch of robots, what a policy sees and does, rewards, starts and randomised parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from math import isfinite
from typing import Any

import numpy as np

from gearwright.errors import ModelError, SimulationError, UnknownNameError
from gearwright.given_numbers import number, numbers
from gearwright.learning.observations import Observations
from gearwright.learning.sampling import Distribution, drawn, starts
from gearwright.model import Mechanism
from gearwright.sim import Simulation, compile
from gearwright.sim.state.values import Array

Reward = Callable[[Array, Array], Any]
Act = str | Sequence[str] | Mapping[str, tuple[float, float]]


class Task:
    """B robots that are stepped by actions (B, m). What is between two actions is machine code."""

    def __init__(
        self, robot: Mechanism | str | os.PathLike[str], *, batch: int, observe: Sequence[str], act: Act,
        reward: Reward, reset: Mapping[str, Distribution] | None, randomize: Mapping[str, Distribution] | None,
        done: Reward | None, period: float, duration: float, options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        varied = dict(randomize or {})
        self.sim: Simulation = compile(robot, batch=batch, parameters=tuple(varied), **options)
        self._start = copy(self.sim)  # where robots are reset, while others go on
        self._starts = starts(reset or {})
        self._varied = {name: drawn(name, given) for name, given in varied.items()}
        self.observations = Observations(self.sim, observe)
        self.names, self.low, self.high = _actions(self.sim, act)
        self._reward, self._done = reward, done
        self.steps = _whole("period", period, self.sim.dt)
        self.length = _whole("duration", duration, self.steps * self.sim.dt)
        self.age = np.zeros(batch, np.int64)  # actions since each robot's reset

    @property
    def batch(self) -> int:
        return self.sim.batch

    def reset(self, rng: np.random.Generator, robots: Array) -> None:
        """New starts and parameters for the robots of a mask (B,)."""
        count = self.batch
        if self._varied:
            values = {name: draw(rng, count) for name, draw in self._varied.items()}
            now = self.sim.parameters
            mixed = {name: np.where(robots, values[name], now[name]) for name in values}
            for sim in (self.sim, self._start):
                sim.set_parameters({name: x if count > 1 else float(x[0]) for name, x in mixed.items()})
        given = {f: {j: draw(rng, count) for j, draw in own.items()} for f, own in self._starts.items()}
        one = {f: {j: x if count > 1 else float(x[0]) for j, x in own.items()} for f, own in given.items()}
        self._start.reset(position=one["position"], velocity=one["velocity"])
        state = self.sim.batch_state.state()
        state[robots] = self._start.batch_state.state()[robots]
        self.sim.set_batch(state)
        self.age[robots] = 0

    def observe(self) -> Array:
        return self.observations.read()

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array]:
        """Observations, rewards, and which robots have ended and which have run out of time."""
        acted = np.clip(_on_host(actions).reshape(self.batch, len(self.names)), self.low, self.high)
        command = {name: acted[:, i] if self.batch > 1 else float(acted[0, i]) for i, name in enumerate(self.names)}
        failed = np.zeros(self.batch, bool)
        try:
            self.sim.step(command=command, n=self.steps)
        except SimulationError:
            failed = self._failed()
        self.age += 1
        seen = self.observe()
        rewards = _per_robot("reward", self._reward(seen, acted), self.batch)
        ended = failed
        if self._done is not None:
            ended = failed | _per_robot("done", self._done(seen, acted), self.batch).astype(bool)
        return seen, rewards, ended, (self.age >= self.length) & ~ended

    def _failed(self) -> Array:
        """Robots that diverged and kept their last good state: they end here."""
        found = np.zeros(self.batch, bool)
        found[[failure.robot for failure in self.sim.batch_state.instance.failures]] = True
        return found


def _on_host(actions: Any) -> Array:
    """Actions as NumPy's; those of another library on a GPU by DLPack."""
    try:
        return np.asarray(actions, dtype=float)
    except (TypeError, RuntimeError):
        if not hasattr(actions, "__dlpack__"):
            raise ModelError(f"actions must be an array (B, m), not {type(actions).__name__}") from None
    import cupy

    return np.asarray(cupy.from_dlpack(actions).get(), dtype=float)


def _actions(sim: Simulation, act: Act) -> tuple[list[str], Array, Array]:
    """Names of actuators, and the ranges of their commands."""
    given = dict.fromkeys([act] if isinstance(act, str) else act) if not isinstance(act, Mapping) else act
    if not given:
        raise ModelError("act names the actuators that a policy commands")
    ranges = []
    for name, own in given.items():
        if name not in sim.robot.actuators:
            raise UnknownNameError("actuator", name, sim.robot.actuators)
        ends = numbers(repr(name), _command_range(sim, name) if own is None else own, infinite=True)
        low, high = ends.tolist() if ends.shape == (2,) else (0.0, 0.0)
        if not (isfinite(low) and isfinite(high) and low < high):
            raise ModelError(f"the commands of {name!r} have no range: write act={{{name!r}: (low, high)}}")
        ranges.append((low, high))
    limits = np.array(ranges)
    return list(given), limits[:, 0], limits[:, 1]


def _command_range(sim: Simulation, name: str) -> tuple[float, float]:
    """The range of an actuator's commands: its torque, its joint's positions, or its speed."""
    actuator = sim.robot.actuators[name]
    if actuator.command == "effort":
        most = min([actuator.effort_limit, *(max(t for _, t in curve) for curve in [actuator.torque_speed] if curve)])
        return -most, most
    if actuator.command == "velocity":
        return -actuator.velocity_limit, actuator.velocity_limit
    if actuator.command == "position" and actuator.joint is not None:
        limits = sim.robot.joint(actuator.joint.joint).axes[actuator.joint.index].limits
        return limits.lower, limits.upper
    return -np.inf, np.inf


def _per_robot(what: str, values: Any, batch: int) -> Array:
    try:
        return np.broadcast_to(np.asarray(values, dtype=float), (batch,)).copy()
    except (TypeError, ValueError):
        raise ModelError(
            f"{what}(obs, act) returns a number for each robot, ({batch},), not {np.shape(values)}: "
            "obs is (B, n), act (B, m)"
        ) from None


def _whole(what: str, seconds: float, each: float) -> int:
    count = round(number(what, seconds, what="a number of seconds") / each)
    if count < 1 or abs(count * each - seconds) > 1e-6 * each * count:
        raise ModelError(f"{what} must be a whole number of {each:g} s, not {seconds!r}")
    return count
