"""A task: a batch of robots, what a policy sees and does, rewards, starts and randomised parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from gearwright.compiler import Instance, SlotKind, build, find_backend
from gearwright.errors import ModelError, TracingError, UnknownNameError
from gearwright.given_numbers import number, numbers
from gearwright.learning.functions import takes_one
from gearwright.learning.libraries import ArrayLibrary, library
from gearwright.learning.observations import observed
from gearwright.learning.program import BEGIN, LOOK, EnvironmentProgram, EnvironmentSlot, Rules
from gearwright.learning.sampling import Distribution
from gearwright.learning.starts import Starts
from gearwright.model import Mechanism
from gearwright.model.layout.slots import StepSlot
from gearwright.model.sensors.noise_seeds import seeds
from gearwright.sim import Simulation, compile
from gearwright.sim.state.values import Array

Reward = Callable[..., Any]
Act = str | Sequence[str] | Mapping[str, tuple[float, float]]
LEAST_STARTS = 64  # that are drawn at a time, for small batches
MOST_REDRAWN = 4096  # robots up to which starts are drawn again when all have been used
MOST_REDRAWN_BY_FUNCTIONS = 16_384  # the same where users' functions draw them
MANY_STARTS = 32_768  # that larger batches draw, once: they use them in turn, and nothing leaves the device


class TaskOutcome(NamedTuple):
    """What an action brought, as arrays of the library that was asked for."""

    observation: Any  # (B, n)
    final_observation: Any  # (B, n) before robots began anew
    reward: Any  # (B,)
    ended: Any  # (B,)
    cut: Any  # (B,)


class Task:
    """B robots that are stepped by actions (B, m), by one call of one kernel."""

    def __init__(
        self, robot: Mechanism | str | os.PathLike[str], *, batch: int, observe: Any, act: Act, reward: Reward,
        reset: Mapping[str, Distribution] | None, randomize: Mapping[str, Distribution] | None, done: Reward | None,
        period: float, duration: float, autoreset: str = "same_step", goal: Mapping[str, Distribution] | None = None,
        noise: Any = 0.0, push: Mapping[str, tuple[float, float]] | None = None, push_interval: float = 5.0,
        command_delay: Distribution = 0.0, sensor_delay: Distribution = 0.0, normalized: bool = False,
        keyframe: str | None = None, arrays: str | None = None, options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        varied = dict(randomize or {})
        also = tuple(n for n in options.get("parameters", ()) if n not in varied)
        given = {**options, "parameters": (*varied, *also)}
        self._sim: Simulation = compile(robot, batch=batch, **given)
        sim = self._sim
        self.names, self.low, self.high = _actions(sim, act)
        self.steps = _whole("period", period, sim.dt)
        self.length = _whole("duration", duration, self.steps * sim.dt)
        self.period, self.autoreset, self.normalized = self.steps * sim.dt, autoreset, normalized
        delays = command_delay, sensor_delay
        latest = [_latest(name, given) for name, given in zip(("command_delay", "sensor_delay"), delays, strict=True)]
        self._late = sim.dt, self.period
        self._python: dict[str, Reward] = {}  # functions that are not traced, by what they give
        rules = Rules(
            observe=observed(observe), act=self.names, low=self.low.tolist(), high=self.high.tolist(),
            normalized=normalized, reward=reward, done=done, steps=self.steps, period=self.period, length=self.length,
            autoreset=autoreset, goals=tuple(goal or {}), parameters=tuple(varied),
            latest_command=round(latest[0] / sim.dt), latest_observation=latest[1] / self.period, noise=noise,
            pushes=_pushes(sim, push or {}), push_interval=push_interval if push else inf,
        )  # fmt: skip
        least = LEAST_STARTS if batch <= MOST_REDRAWN else MANY_STARTS
        count = batch * max(2, -(-least // batch))  # more than one each, so that they last for several actions
        self._starts = Starts(
            sim, count, reset=reset or {}, randomize=varied, goal=goal or {}, delays=delays, keyframe=keyframe
        )
        self._stride = batch if self._starts.free else -(-batch // self.length)  # starts per action, on average
        self._compile(rules)
        self._set_up(sim, arrays)

    # --- making it ---------------------------------------------------------------------------------------------------

    def _compile(self, rules: Rules) -> None:
        sim = self._sim
        self.environment = EnvironmentProgram(sim, rules)
        drawn = self._draw(np.random.default_rng(0))
        self._varying = self._starts.varying(drawn)
        constant = {name: dict(enumerate(values[0].tolist())) for name, values in drawn.items()}
        try:
            program = self.environment.program(constant, self._varying)
        except TracingError:
            given = {"reward": rules.reward, "done": rules.done}
            self._python = {name: function for name, function in given.items() if function is not None}
            if sim.options.device != "cpu" or any(map(takes_one, self._python.values())):
                raise
            plain = replace(rules, reward=None, done=None, autoreset="disabled")
            self.environment = EnvironmentProgram(sim, plain)
            program = self.environment.program(constant, self._varying)
        o = sim.options
        self.executable = build(lambda: program, find_backend(o.device), precision=o.precision, batch=o.batch)

    def _set_up(self, sim: Simulation, arrays: str | None) -> None:
        self.instance: Instance = self.executable.instance(sim.batch, threads=sim.threads)
        for slot in self.executable.program.of_kind(SlotKind.PARAMETER, SlotKind.STATE):
            if sim.batch_state.has(slot.name):
                self.instance.slot(slot.name).copy_from(sim.batch_state.slot(slot.name))
        self.library: ArrayLibrary = library(arrays, sim.options.device, self.executable)
        self._version = sim.batch_state.version
        self._asked = np.zeros(sim.batch)
        self._behind = False  # whether the simulation shows an older state

    @property
    def batch(self) -> int:
        return self._sim.batch

    @property
    def sim(self) -> Simulation:
        """The simulation of all robots, at the present state. What is changed there holds in the next step."""
        if self._behind:
            own = self._sim.batch_state
            for name in self._shared:
                own.slot(name).copy_from(self.instance.slot(name))
                own.changed(name)
            self._behind, self._version = False, own.version
        return self._sim

    @property
    def _shared(self) -> list[str]:
        """Slots that the simulation has, too."""
        kept = self.executable.program.of_kind(SlotKind.STATE)
        return [s.name for s in kept if self._sim.batch_state.has(s.name)]

    # --- episodes ----------------------------------------------------------------------------------------------------

    def _draw(self, rng: np.random.Generator) -> dict[str, Array]:
        return self._starts.draw(rng, self.environment.started, self._late)

    def seed(self, rng: np.random.Generator) -> None:
        """Starts and noise from here on follow from this generator."""
        self._rng = rng
        self.instance.set(EnvironmentSlot.CHANCE, seeds(int(rng.integers(2**62)), "environment", self.batch))
        self._fill()

    def _fill(self) -> None:
        """Draws the next starts."""
        drawn = self._draw(self._rng)
        rows = [drawn[name][:, i] for name, i in self._varying]
        pool = np.stack(rows, axis=1) if rows else np.zeros((self._starts.count, 1))
        self._pool, self._next = self.library.kept(self.instance, pool), 0

    def _put_starts(self) -> None:
        """Gives each robot the start of its next episode."""
        if self._next + self.batch > len(self._pool):
            if self.batch <= (MOST_REDRAWN_BY_FUNCTIONS if self._starts.free else MOST_REDRAWN):
                self._fill()
            self._next = 0
        self.library.give(self.instance, EnvironmentSlot.START, self._pool[self._next : self._next + self.batch])
        self._next += self._stride

    def reset(self, robots: Array | None = None) -> Any:
        """Begins new episodes for the robots of a mask (B,), or for all; returns the observations."""
        self._put_starts()
        self._begin(np.ones(self.batch, bool) if robots is None else robots)
        return self.observe()

    def _begin(self, robots: Array) -> None:
        self.instance.set(EnvironmentSlot.ASKED, np.where(robots, BEGIN, LOOK)[:, None])
        self._call()

    def observe(self) -> Any:
        """What policies see, (B, n)."""
        return self.library.rows(self.instance, EnvironmentSlot.OBSERVATION)

    def step(self, actions: Any) -> TaskOutcome:
        """Holds actions (B, m) for a period."""
        self.library.give(self.instance, EnvironmentSlot.ACTION, actions)
        self._put_starts()
        self._call()
        if self._python:
            return self._judged(actions)
        read, flags = self.library.rows, self.library.flags
        final = read(self.instance, EnvironmentSlot.FINAL)
        reward = read(self.instance, EnvironmentSlot.REWARD)[:, 0]
        ended, cut = flags(self.instance, EnvironmentSlot.ENDED), flags(self.instance, EnvironmentSlot.CUT)
        return TaskOutcome(self.observe(), final, reward, ended, cut)

    def _call(self) -> None:
        """One call of the kernel, after changes in the simulation have been taken over."""
        if not self._behind and self._sim.batch_state.version != self._version:
            for name in self._shared:
                self.instance.slot(name).copy_from(self._sim.batch_state.slot(name))
        self.instance.step_on()
        self._behind = True

    def _judged(self, actions: Any) -> TaskOutcome:
        """Rewards and ends by Python's functions, which could not be traced."""
        seen = self.instance.get(EnvironmentSlot.OBSERVATION)
        acted = np.clip(np.asarray(actions, dtype=float).reshape(self.batch, -1), self.low, self.high)
        found = {name: _per_robot(name, function(seen, acted), self.batch) for name, function in self._python.items()}
        begun = self._asked == BEGIN
        ended = (self.instance.get(EnvironmentSlot.ENDED)[:, 0] > 0.5) | (found.get("done", 0.0) > 0.5) & ~begun
        cut = (self.instance.get(EnvironmentSlot.CUT)[:, 0] > 0.5) & ~ended
        reward = np.where(begun, 0.0, found["reward"])
        over = ended | cut
        after = seen
        if over.any() and self.autoreset == "same_step":
            self._begin(over)
            after = self.instance.get(EnvironmentSlot.OBSERVATION)
        self._asked = np.where(over & (self.autoreset == "next_step"), BEGIN, 0.0)
        self.instance.set(EnvironmentSlot.ASKED, self._asked[:, None])
        return TaskOutcome(*map(self.library.taken, (after, seen, reward, ended, cut)))


def _actions(sim: Simulation, act: Act) -> tuple[list[str], Array, Array]:
    """Names of actuators, and the ranges of their commands."""
    given = dict.fromkeys([act] if isinstance(act, str) else act) if not isinstance(act, Mapping) else act
    if not given:
        raise ModelError("act must name the actuators that a policy commands")
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


def _pushes(sim: Simulation, given: Mapping[str, Any]) -> dict[int, tuple[float, float]]:
    """Places among the independent velocities, and the range of what a push adds [rad/s, m/s]."""
    group, free = sim.layout.independent(StepSlot.VELOCITY)
    places = {group.names[i]: k for k, i in enumerate(free)}
    found = {}
    for name, own in given.items():
        if name not in places:
            raise UnknownNameError("independent velocity", name, places)
        ends = numbers(repr(name), own)
        if ends.shape not in ((), (2,)):
            raise ModelError(f"a push of {name!r} is a speed, or a range (low, high), not {own!r:.60}")
        high = float(ends.flat[-1])
        found[places[name]] = (float(ends.flat[0]) if ends.shape else -high, high)
    return found


def _latest(name: str, given: Distribution) -> float:
    """The longest delay [s]."""
    if callable(given):
        raise ModelError(f"{name} is a number or a range (low, high) of seconds")
    ends = numbers(name, given)
    if ends.min() < 0:
        raise ModelError(f"{name} is a time in seconds, not {given!r}")
    return float(ends.max())


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
