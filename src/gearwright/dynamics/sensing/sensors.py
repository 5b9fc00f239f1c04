"""Sensors at the end of a step: signals to readings, with everything in between as state.

    signal ──▶ sample (ratio, noise, counts) ──▶ register (rate, latency) ──▶ reading

All sensors look at the same instant. Each samples when its clock comes round; the reset is a sample, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gearwright.dynamics.algebra.scalar import Scalar, expression, where
from gearwright.dynamics.sensing.readers import Reader, reader
from gearwright.dynamics.sensing.times import Timing, timing, untimely
from gearwright.errors import CompileError
from gearwright.model.layout.sensor_layout import SensorLayout
from gearwright.model.sensors.noise_seeds import ENTRIES
from gearwright.model.sensors.sensors import Sensor

Signals = Mapping[str, tuple[list[Scalar], list[Scalar]]]  # of each sensor, positions and velocities


@dataclass(frozen=True)
class SensorChannel:
    """A sensor, and where its numbers are in the state: its own, then one register per value, newest sample first."""

    sensor: Sensor
    reader: Reader
    timing: Timing
    clock: int | None  # None: samples at every step
    first: int  # of its own state

    @property
    def names(self) -> list[str]:
        depth = self.timing.depth
        return [*self.reader.state, *(f"{v}.sample{k}" for v in self.reader.values for k in range(depth))]

    @property
    def own(self) -> slice:
        return slice(self.first, self.first + len(self.reader.state))

    @property
    def registers(self) -> list[slice]:
        """Where each value waits for its latency."""
        depth = self.timing.depth
        return [slice(self.own.stop + i * depth, self.own.stop + (i + 1) * depth) for i in range(len(self.values))]

    @property
    def values(self) -> tuple[str, ...]:
        return self.reader.values

    @property
    def generator(self) -> range:
        """Where the state of its noise is."""
        return range(self.own.stop - (ENTRIES if self.reader.seed is not None else 0), self.own.stop)


class Sensing:
    """The sensors of a mechanism as functions of signals and state.

    `sizes`: how many numbers each sensor reads. `lengths`: which of them are lengths rather than angles, as the
    readings are named (`enc`, or `enc.1` of several); it decides what a turn of an encoder is.
    """

    def __init__(
        self,
        sensors: Mapping[str, Sensor],
        sizes: Mapping[str, int],
        dt: float,
        *,
        lengths: Collection[str] = (),
    ) -> None:
        timings = {name: timing(s, dt) for name, s in sensors.items()}
        self._periods = sorted({t.period for t in timings.values()} - {1})  # one clock each
        names = [f"clock of {p} steps" for p in self._periods]
        self._channels: list[SensorChannel] = []
        for name, sensor in sensors.items():
            t = timings[name]
            clock = self._periods.index(t.period) if t.period > 1 else None
            channel = SensorChannel(sensor, reader(sensor, sizes[name], lengths, t.period * dt), t, clock, len(names))
            self._channels.append(channel)
            names += channel.names
        self.state: tuple[str, ...] = tuple(names)
        self.readings: tuple[str, ...] = tuple(v for c in self._channels for v in c.values)
        self.shown: Mapping[str, tuple[str, ...]] = {  # of each sensor its readings, index marks apart
            c.sensor.name: tuple(v for v in c.values if v not in c.reader.marks) for c in self._channels
        }
        if doubled := [n for n in self.readings if self.readings.count(n) > 1]:
            raise CompileError(f"two sensors give a reading named {doubled[0]!r}; rename one of them")
        self.layout = SensorLayout(
            readings=self.readings, state=self.state, shown=self.shown,
            generators=tuple(i for c in self._channels for i in c.generator),
            noisy=tuple((c.reader.seed, c.sensor.name) for c in self._channels if c.reader.seed is not None),
            untimely=tuple(filter(None, (untimely(sensor, dt) for sensor in sensors.values()))),
        )  # fmt: skip
        self.generators: tuple[int, ...] = self.layout.generators

    def start(self, signals: Signals, generators: Sequence[Scalar] | None = None) -> list[Scalar]:
        """The state right after a reset: the first sample, in every place of its register.

        `generators`: where noise starts, a robot's row of `seeds`; None takes the first robot's.
        """
        state: list[Scalar] = [0.0] * len(self.state)
        given = list(generators) if generators is not None else [expression(s) for s in self.layout.seeds(1)[0]]
        for place, value in zip(self.generators, given, strict=True):
            state[place] = value
        for c in self._channels:
            x, v = signals[c.sensor.name]
            values, state[c.own] = c.reader.sample(x, v, c.reader.before(x, v) + [state[i] for i in c.generator])
            for register, value in zip(c.registers, values, strict=True):
                state[register] = [value] * c.timing.depth
        return state

    def sample(self, signals: Signals, state: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """The readings and the state at the end of a step, from the signals there and the state at its beginning."""
        clocks = [ticks + 1.0 for ticks in state[: len(self._periods)]]
        due = [ticks >= float(p) for ticks, p in zip(clocks, self._periods, strict=True)]
        after = [where(d, 0.0, ticks) for d, ticks in zip(due, clocks, strict=True)]
        for c in self._channels:
            after += _sampled(c, signals[c.sensor.name], state, True if c.clock is None else due[c.clock])
        return self.reading(after), after

    def reading(self, state: Sequence[Scalar]) -> list[Scalar]:
        """The sensors' readings; they hold them until something new comes through."""
        shown: list[Scalar] = []
        for c in self._channels:
            clock = 0.0 if c.clock is None else state[c.clock]
            shown += c.reader.shown([c.timing.seen(state[register], clock) for register in c.registers])
        return shown


def _sampled(
    c: SensorChannel, signal: tuple[list[Scalar], list[Scalar]], state: list[Scalar], due: Scalar
) -> list[Scalar]:
    """A sensor's part of the next state."""
    values, own = c.reader.sample(*signal, state[c.own])
    if not c.reader.between:
        own = [where(due, new, old) for new, old in zip(own, state[c.own], strict=True)]
    for register, value in zip(c.registers, values, strict=True):
        held = state[register]
        own = own + [where(due, new, old) for new, old in zip([value, *held[:-1]], held, strict=True)]
    return own
