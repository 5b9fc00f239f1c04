"""What a log says of a robot: what acted on it, and what was measured, by the robot's own names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.errors import GearwrightError, ModelError, UnknownNameError
from gearwright.identification.course import Course
from gearwright.identification.log import Log
from gearwright.identification.units import factor
from gearwright.model.parameters import parameter_name
from gearwright.sim.recordings.signal_names import find, label
from gearwright.sim.signals import Signal, SlotElement
from gearwright.sim.simulation import Simulation
from gearwright.sim.state.values import Array

INPUTS = ("command", "effort")  # families of what acts
# columns of the usual logs of one servo, by the family that they are of
USUAL = {"position": "position", "speed": "velocity", "velocity": "velocity", "goal_position": "command",
         "target": "command", "command": "command"}  # fmt: skip
SWITCHES = ("enabled",)  # states of actuators that logs have
CURVED = 8  # samples from which they are a parabola; its slope at the start is known four times less well
AT_REST = 5.0  # deviations of the first slope: a smaller one is noise
MOST_FIRST = 20  # samples
FEWEST_STEPS = 10  # of a log
FAR_BEYOND = 0.5  # of a joint's range: measured so far beyond its stops, it is in another unit
FIRST = 0.06  # [s] of a log that say where it begins, and how fast


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One output of one log."""

    name: str  # as the log's column is called for the robot: "elbow.position"
    signal: Signal
    time: Array  # (m,) [s] after the start
    values: Array  # (m,)

    def part(self, begin: float, end: float) -> Measured:
        own = (self.time >= begin) & (self.time <= end)
        return replace(self, time=self.time[own] - begin, values=self.values[own])


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One log, as a roll-out reads it."""

    name: str
    rig: str
    duration: float  # [s]
    commands: Mapping[str, Course]  # by actuator
    efforts: Mapping[str, Course]  # by coordinate
    driven: Mapping[str, Course]  # parameters that the log has, by name
    switched: Mapping[str, Course]  # states of actuators that the log has, such as whether a servo is on
    outputs: tuple[Measured, ...]
    start: Mapping[str, float]  # of independent positions and velocities, as "elbow.position"
    given: Mapping[str, float]  # what of the start the caller says

    def changed(self, **changes: Any) -> Experiment:
        """With other inputs or another start."""
        return replace(self, **changes)

    def piece(self, begin: float, end: float, number: int) -> Experiment:
        """The part between two times, as an experiment of its own."""

        def later(courses: Mapping[str, Course]) -> dict[str, Course]:
            return {name: course.later(begin) for name, course in courses.items()}

        outputs = tuple(o.part(begin, end) for o in self.outputs)
        given = self.given if number == 0 else {}
        return replace(
            self, name=f"{self.name} from {begin:.3g} s", duration=end - begin, commands=later(self.commands),
            efforts=later(self.efforts), driven=later(self.driven), switched=later(self.switched), outputs=outputs, 
            start=begins(outputs, given, may_rest=number == 0),
        )  # fmt: skip


def state_names(sim: Simulation) -> set[str]:
    """States of actuators, as `MOTOR.STATE`."""
    return {f"{a}.{state}" for a, own in sim.robot.layout.actuator.items() for state in own}


def noise(values: Array) -> float:
    """The standard deviation of what changes from one sample to the next, by second differences; at least that of
    rounding to the smallest step."""
    second = 1.4826 * float(np.median(np.abs(np.diff(values, 2)))) / float(np.sqrt(6.0))
    steps = np.abs(np.diff(values))
    smallest = float(steps[steps > 0].min()) if (steps > 0).any() else 0.0
    return max(second, smallest / float(np.sqrt(12.0)))


def begins(outputs: Sequence[Measured], given: Mapping[str, float], *, may_rest: bool = True) -> dict[str, float]:
    """Where a log begins, by a line or a parabola through the first samples. `may_rest`: a speed that
    may be noise is 0."""
    found: dict[str, float] = {}
    for o in outputs:
        if isinstance(o.signal.source, SlotElement) and o.signal.family == "position" and len(o.time) > 2:
            few = max(3, min(len(o.time), MOST_FIRST, int(np.searchsorted(o.time, o.time[0] + FIRST))))
            curved = few >= CURVED
            *_, slope, value = np.polyfit(o.time[:few] - o.time[0], o.values[:few], 2 if curved else 1)
            spread = float(np.sqrt(((o.time[:few] - o.time[:few].mean()) ** 2).sum())) / (4.0 if curved else 1.0)
            steady = may_rest and abs(slope) * spread < AT_REST * noise(o.values)
            found[o.name] = float(np.mean(o.values[:few]) if steady and not curved else value)
            found[o.name.removesuffix("position") + "velocity"] = 0.0 if steady else float(slope)
    return found | dict(given)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """How columns of logs are called for the robot, checked for all logs before any work."""

    sim: Simulation
    signals: Mapping[str, str]  # column → name, as the caller says
    units: Mapping[str, str]  # of columns
    outputs: tuple[str, ...] | None
    linear: frozenset[str]  # inputs with straight lines between samples
    scaled: frozenset[str] = frozenset()  # outputs whose gain or offset is sought: their numbers may be anything

    def experiment(self, log: Log, rig: str, start: Mapping[str, float]) -> Experiment:
        time = log.time - log.time[0]
        named = self._named(log)
        commands: dict[str, Course] = {}
        efforts: dict[str, Course] = {}
        driven: dict[str, Course] = {}
        switched: dict[str, Course] = {}
        outputs: list[Measured] = []
        for column, name in named.items():
            if (own := parameter_name(self.sim.robot, name)) is not None:
                driven[own] = self._course(log, column, self._checked_parameter(own), name)
                continue
            if name.rpartition(".")[2] in SWITCHES and name in state_names(self.sim):
                switched[name] = self._course(log, column, "", name)
                continue
            signal = self._signal(log, column, name)
            if signal.family in INPUTS:
                inputs = commands if signal.family == "command" else efforts
                inputs[signal.name] = self._course(log, column, signal.unit, name)
            elif self._is_output(name, signal, named.values()):
                values = self._converted(log, column, signal.unit)
                outputs.append(Measured(name=name, signal=signal, time=time, values=values))
        self._check(log, commands, efforts, outputs)
        self._check_duration(log)
        for output in outputs:
            self._check_limits(log, output)
        return Experiment(
            name=log.name, rig=rig, duration=float(time[-1]), commands=commands, efforts=efforts, driven=driven,
            switched=switched, outputs=tuple(outputs), start=begins(outputs, start), given=start,
        )  # fmt: skip

    # --- names -----------------------------------------------------------------------------------------------------

    def _named(self, log: Log) -> dict[str, str]:
        """Columns with a meaning: those that the caller names, and those that have the name of a signal."""
        for column in (*self.signals, *self.units):
            if column not in log.columns:
                raise UnknownNameError(f"column of {log.name}", column, list(log.columns))
        for signal, count in Counter(self.signals.values()).items():
            if count > 1:
                several = " and ".join(repr(column) for column, own in self.signals.items() if own == signal)
                raise ModelError(f"columns {several} cannot all be {signal!r}")
        named = dict(self.signals)
        taken = set(named.values())
        for column in log.columns:
            if column not in named and (name := self._usual(column)) is not None and name not in taken:
                named[column] = name
        return named

    def _usual(self, column: str) -> str | None:
        try:
            own = find(self.sim.schema, column)
        except GearwrightError:
            own = []
        if len(own) == 1 and own[0].family:
            return label(own[0])
        family = USUAL.get(column)
        one = list(self.sim.robot.actuators if family == "command" else self.sim.independent)
        return f"{one[0]}.{family}" if family and len(one) == 1 else None

    def _signal(self, log: Log, column: str, name: str) -> Signal:
        found = find(self.sim.schema, name)
        if len(found) != 1:
            several = ", ".join(label(s) for s in found[:4])
            raise ModelError(f"{log.name}: column {column!r} stands for {name!r}, which is several signals: {several}")
        return found[0]

    def _checked_parameter(self, name: str) -> str:
        owner = name.rpartition(".")[0]
        if owner.removeprefix("device.") not in self.sim.robot.actuators:
            raise ModelError(f"{name!r} cannot change from step to step: only parameters of actuators can")
        return self.sim.robot.parameters[name].unit

    def _is_output(self, name: str, signal: Signal, named: object) -> bool:
        if self.outputs is not None:
            return name in self.outputs or label(signal) in self.outputs
        return signal.family == "position" or (signal.family == "sensor" and not self._has_positions(named))

    def _has_positions(self, named: object) -> bool:
        return any(str(n).endswith(".position") for n in named)  # type: ignore[attr-defined]

    def _check_duration(self, log: Log) -> None:
        duration = float(log.time[-1] - log.time[0])
        if duration < FEWEST_STEPS * self.sim.dt:
            raise ModelError(f"{log.name} lasts {duration:.3g} s: dt={self.sim.dt:g} s is too long for it")

    def _check_limits(self, log: Log, output: Measured) -> None:
        """No joint is measured far beyond its stops, unless in another unit."""
        owner, joints = output.signal.name, self.sim.robot.joints
        if output.signal.family != "position" or output.name in self.scaled or owner not in joints:
            return
        (limits,) = (axis.limits for axis in joints[owner].axes[:1])
        beyond = max(float(output.values.max()) - limits.upper, limits.lower - float(output.values.min()))
        if beyond > FAR_BEYOND * (limits.upper - limits.lower):
            farthest = float(output.values[np.argmax(np.abs(output.values))])
            raise ModelError(
                f"{log.name}: {output.name!r} reaches {farthest:.4g} {output.signal.unit}, but its joint goes from "
                f"{limits.lower:.4g} to {limits.upper:.4g}: is it in another unit? Say which: units={{'column': 'deg'}}"
            )

    # --- numbers ---------------------------------------------------------------------------------------------------

    def _converted(self, log: Log, column: str, unit: str) -> Array:
        given = self.units.get(column, log.units.get(column, ""))
        return log.column(column) * factor(f"{log.name}: column {column!r}", given, unit)

    def _course(self, log: Log, column: str, unit: str, name: str) -> Course:
        owner, _, what = name.rpartition(".")
        linear = bool({name, column, owner} & self.linear) and what not in SWITCHES  # nothing is on by halves
        time = log.time - log.time[0] - log.leads.get(column, 0.0)
        return Course(time, self._converted(log, column, unit), linear=linear)

    def _check(self, log: Log, commands: object, efforts: object, outputs: Sequence[Measured]) -> None:
        have = {o.name for o in outputs} | {label(o.signal) for o in outputs}
        if missing := [n for n in self.outputs or () if n not in have]:
            raise ModelError(f"{log.name}: the output {missing[0]!r} is not in it; it has {', '.join(log.columns)}")
        if not outputs:
            signals = ", ".join(list(log.columns)[:8])
            raise ModelError(
                f"{log.name}: none of its columns ({signals}) is a measured signal of {self.sim.robot.name!r}; say "
                "which is which: signals={'column': 'joint.position'}"
            )
