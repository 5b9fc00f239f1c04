"""From a sample to a reading, one class per kind of sensor; `READERS` has one row each.

A reader turns the positions and velocities at an instant into *values*, which are held and delayed as they are, and
only then shown in SI units: counts stay whole numbers until someone looks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from math import sqrt
from typing import Any, ClassVar

import casadi
from casadi import SX

from gearwright.dynamics.algebra.scalar import Scalar, floor, scalars, where
from gearwright.dynamics.sensing.noise import normals
from gearwright.errors import CompileError, counted
from gearwright.model.sensors.body_sensors import BodySensor
from gearwright.model.sensors.contact_sensor import ContactSensor
from gearwright.model.sensors.noise_seeds import ENTRIES
from gearwright.model.sensors.sensors import CustomSensor, Encoder, LimitSwitch, Sensor

Sampled = tuple[list[Scalar], list[Scalar]]  # values, and the state after the sample


class Reader(ABC):
    """A sensor as arithmetic. `names` are those of the numbers that it reads; `lengths` says which are lengths."""

    values: tuple[str, ...]  # what it shows
    marks: tuple[str, ...] = ()  # which of these are index marks
    state: tuple[str, ...] = ()  # its own; the generator of its noise comes last
    seed: int | None = None  # of its noise; None: it has none
    between: ClassVar[bool] = False  # whether its state moves at every step, not only when it is sampled

    @abstractmethod
    def __init__(self, sensor: Any, names: Sequence[str], lengths: Sequence[bool], period: float) -> None: ...

    @abstractmethod
    def before(self, positions: list[Scalar], velocities: list[Scalar]) -> list[Scalar]:
        """The state just before the first sample, without the generator."""

    @abstractmethod
    def sample(self, positions: list[Scalar], velocities: list[Scalar], state: list[Scalar]) -> Sampled: ...

    def shown(self, values: list[Scalar]) -> list[Scalar]:
        return values


class EncoderReader(Reader):
    """An encoder, or several alike. Its *place* is a whole number of counts, or `ratio·x + offset` if it is exact."""

    def __init__(self, sensor: Encoder, names: Sequence[str], lengths: Sequence[bool], period: float) -> None:
        self.encoder, self.period, self.size = sensor, period, len(names)
        self.counting = sensor.resolution is not None
        self.differences = sensor.type == "velocity" and self.counting
        self.keeps = self.differences or sensor.index  # the places at the last sample
        self.turns = [sensor.turn_of(length=x) for x in lengths]
        self.count = [sensor.count(length=x) for x in lengths]
        self.seed = sensor.seed if sensor.noise else None
        self.marks = tuple(f"{n}.index" for n in names if sensor.index)
        self.values = (*names, *self.marks)
        generator = [f"{sensor.name}.generator{k}" for k in range(ENTRIES) if sensor.noise]
        self.state = (*(f"{n}.last" for n in names if self.keeps), *generator)

    def before(self, positions: list[Scalar], velocities: list[Scalar]) -> list[Scalar]:
        """As if it had come here at this velocity."""
        if not self.keeps:
            return []
        ago = self.period if self.encoder.type == "velocity" else 0.0
        were = [x - ago * v for x, v in zip(positions, velocities, strict=True)]
        return self._places(were, [0.0] * self.size)

    def sample(self, positions: list[Scalar], velocities: list[Scalar], state: list[Scalar]) -> Sampled:
        kept = self.size if self.keeps else 0
        last, generator = state[:kept], state[kept:]
        noise: list[Scalar] = [0.0] * self.size
        if self.encoder.noise:
            drawn, generator = normals(self.size, generator)
            noise = [self.encoder.noise * g for g in drawn]
        places = self._places(positions, self._jitter(noise))
        values = self._measured(places, last, velocities, noise)
        marks = [self._passed(*x) for x in zip(places, last, self.turns, strict=True)] if self.encoder.index else []
        return [*values, *marks], [*(places if self.keeps else []), *generator]

    def shown(self, values: list[Scalar]) -> list[Scalar]:
        if not self.counting:
            return values
        size = [c / self.period if self.differences else c for c in self.count]
        return [c * n for c, n in zip(size, values[: self.size], strict=True)] + values[self.size :]

    def _jitter(self, noise: list[Scalar]) -> list[Scalar]:
        """Noise of the places. A difference of two has the deviation that the velocity shall have."""
        if self.encoder.type == "position":
            return noise
        return [self.period / sqrt(2.0) * x if self.counting else 0.0 for x in noise]

    def _places(self, positions: list[Scalar], jitter: list[Scalar]) -> list[Scalar]:
        """`ratio·x + offset`, to the nearest count."""
        e = self.encoder
        exact = [e.ratio * x + e.offset + j for x, j in zip(positions, jitter, strict=True)]
        if not self.counting:
            return exact
        return [floor(1.0 / c * y + 0.5) for y, c in zip(exact, self.count, strict=True)]

    def _measured(
        self, places: list[Scalar], last: list[Scalar], velocities: list[Scalar], noise: list[Scalar]
    ) -> list[Scalar]:
        if self.differences:
            return [now - then for now, then in zip(places, last, strict=True)]
        if self.encoder.type == "velocity":
            return [self.encoder.ratio * v + x for v, x in zip(velocities, noise, strict=True)]
        if not self.encoder.wrap:
            return places
        return [self._folded(*x) for x in zip(places, self.turns, strict=True)]

    def _folded(self, place: Scalar, turn: float) -> Scalar:
        """Into [0, turn), or [0, counts of a turn)."""
        if self.encoder.resolution is not None:
            return place - self.encoder.resolution * self._turns(place, turn, 0.5)
        rest = place - turn * self._turns(place, turn)
        rest = where(rest < 0.0, rest + turn, rest)  # the quotient was rounded up to a whole number
        return where(rest >= turn, 0.0, rest)

    def _turns(self, place: Scalar, turn: float, shift: float = 0.0) -> Scalar:
        """Whole turns. A shift by half a count keeps the quotient of whole numbers off the edge of its floor."""
        return floor((place + shift) * (1.0 / (self.encoder.resolution or turn)))

    def _passed(self, now: Scalar, then: Scalar, turn: float) -> Scalar:
        """1 if the mark was met since the last sample, or if the encoder stands on it.

        The mark is one count wide, a point of an exact encoder. Leaving it is not meeting it.
        """
        half = 0.5 if self.counting else 0.0
        upward = self._turns(now, turn, half) > self._turns(then, turn, half)
        downward = self._turns(now, turn, -half) < self._turns(then, turn, -half)
        on_it = self._turns(now, turn, half) > self._turns(now, turn, -half)
        met = where(now > then, upward, where(now < then, downward, on_it))
        return where(met, 1.0, 0.0)


class SwitchReader(Reader):
    """A limit switch on each number. It is mechanical: it opens and closes between samples, too."""

    between = True

    def __init__(self, sensor: LimitSwitch, names: Sequence[str], lengths: Sequence[bool], period: float) -> None:
        self.sign = 1.0 if sensor.direction == "above" else -1.0
        self.closes = self.sign * sensor.threshold
        self.opens = self.closes - sensor.hysteresis
        self.values = tuple(names)
        self.state = tuple(f"{n}.closed" for n in names)

    def before(self, positions: list[Scalar], velocities: list[Scalar]) -> list[Scalar]:
        return [0.0 for _ in self.state]

    def sample(self, positions: list[Scalar], velocities: list[Scalar], state: list[Scalar]) -> Sampled:
        closed = [self._closed(self.sign * x, was) for x, was in zip(positions, state, strict=True)]
        return closed, closed

    def _closed(self, x: Scalar, was: Scalar) -> Scalar:
        stays = (was > 0.5) & (x > self.opens)
        return where((x >= self.closes) | stays, 1.0, 0.0)


class CustomReader(Reader):
    """A user's own function, traced."""

    def __init__(self, sensor: CustomSensor, names: Sequence[str], lengths: Sequence[bool], period: float) -> None:
        from gearwright.tracing import trace

        self.sensor = sensor
        self.state = tuple(f"{sensor.name}.state{k}" for k in range(len(sensor.states)))
        returns = [None, len(sensor.states)] if sensor.states else [None]
        sizes = (len(names), len(names), len(sensor.states))
        self.function = trace(sensor.read, sizes, f"sensor {sensor.name!r}", returns)
        found: int = self.function.numel_out(0)
        if sensor.labels and len(sensor.labels) != found:
            labels_and_readings = f"{counted(len(sensor.labels), 'label')} and {counted(found, 'reading')}"
            raise CompileError(f"sensor {sensor.name!r} has {labels_and_readings}")
        labels = sensor.labels or ([""] if found == 1 else [str(k) for k in range(found)])
        self.values = tuple(f"{sensor.name}.{label}" if label else sensor.name for label in labels)

    def before(self, positions: list[Scalar], velocities: list[Scalar]) -> list[Scalar]:
        return [float(s) for s in self.sensor.states]

    def sample(self, positions: list[Scalar], velocities: list[Scalar], state: list[Scalar]) -> Sampled:
        columns = [casadi.vertcat(*(SX(x) for x in values)) for values in (positions, velocities, state)]
        values, *after = (scalars(output) for output in self.function.call(columns))
        return values, after[0] if after else []


class BodyReader(Reader):
    """A force-torque sensor or an IMU: six numbers with an offset and noise."""

    def __init__(self, sensor: BodySensor, names: Sequence[str], lengths: Sequence[bool], period: float) -> None:
        self.sensor = sensor
        self.values = tuple(f"{sensor.name}.{label}" for label in sensor.labels)
        self.seed = sensor.seed if any(sensor.noise) else None
        self.state = tuple(f"{sensor.name}.generator{k}" for k in range(ENTRIES) if any(sensor.noise))

    def before(self, positions: list[Scalar], velocities: list[Scalar]) -> list[Scalar]:
        return []

    def sample(self, positions: list[Scalar], velocities: list[Scalar], state: list[Scalar]) -> Sampled:
        exact = [x + o for x, o in zip(positions, self.sensor.offset, strict=True)]
        if self.seed is None:
            return exact, []
        drawn, generator = normals(len(exact), state)
        noisy = zip(exact, self.sensor.noise, drawn, strict=True)
        return [x + deviation * n for x, deviation, n in noisy], generator


class ContactReader(Reader):
    """Whether it is touched, from the sum of normal forces; then the force itself."""

    def __init__(self, sensor: ContactSensor, names: Sequence[str], lengths: Sequence[bool], period: float) -> None:
        self.threshold = sensor.threshold
        self.values = tuple(f"{sensor.name}.{label}" for label in sensor.labels)

    def before(self, positions: list[Scalar], velocities: list[Scalar]) -> list[Scalar]:
        return []

    def sample(self, positions: list[Scalar], velocities: list[Scalar], state: list[Scalar]) -> Sampled:
        pressed, *force = positions
        return [where(pressed > self.threshold, 1.0, 0.0), *force], []


READERS: dict[type[Sensor], type[Reader]] = {
    ContactSensor: ContactReader,
    Encoder: EncoderReader,
    LimitSwitch: SwitchReader,
    CustomSensor: CustomReader,
    BodySensor: BodyReader,
}


def reader(sensor: Sensor, size: int, lengths: Collection[str], period: float) -> Reader:
    """The reader of a sensor of `size` numbers: that of its class, or of the nearest base that has one."""
    names = [sensor.name] if size == 1 else [f"{sensor.name}.{k}" for k in range(size)]
    for kind in type(sensor).__mro__:
        if kind in READERS:
            return READERS[kind](sensor, names, [n in lengths for n in names], period)
    raise CompileError(f"{sensor.kind or type(sensor).__name__} {sensor.name!r}: READERS has no row for its kind")
