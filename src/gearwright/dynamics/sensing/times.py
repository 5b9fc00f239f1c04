"""When a sensor samples, and when its samples are seen: whole numbers of steps, and the register between the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from gearwright.dynamics.algebra.scalar import Scalar, where
from gearwright.errors import CompileError
from gearwright.model import Sensor

CLOSE = 1e-9  # how far from a whole number of steps a time may be, relative
LONGEST = 2**24  # steps between samples: what a clock counts exactly in single precision
DEEPEST = 1000  # samples on their way: each is moved on at every sample


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Samples every `period` steps, seen `delay` steps later.

    With `delay = m·period + r`, what is seen is the m-th sample before the last, or the one before that while fewer
    than r steps have passed since the last. So a register of samples is enough, however many steps the delay takes.
    """

    period: int  # [steps]
    delay: int  # [steps]

    @property
    def whole(self) -> int:
        """m: the delay in periods."""
        return self.delay // self.period

    @property
    def rest(self) -> int:
        """r: what the delay is longer than m periods [steps]."""
        return self.delay % self.period

    @property
    def depth(self) -> int:
        """How many samples the register holds."""
        return self.whole + 1 + bool(self.rest)

    def seen(self, register: Sequence[Scalar], clock: Scalar) -> Scalar:
        """The sample that has come through; `clock` is the number of steps since the last one."""
        if not self.rest:
            return register[self.whole]
        return where(clock >= float(self.rest), register[self.whole], register[self.whole + 1])


def timing(sensor: Sensor, dt: float) -> Timing:
    """A sensor's times in whole steps of dt."""
    found = Timing(period=_period(sensor, dt), delay=_delay(sensor, dt))
    if found.depth > DEEPEST:
        raise CompileError(
            f"{sensor.kind} {sensor.name!r}: a latency of {sensor.latency:.10g} s keeps {found.depth} samples in "
            f"transit, more than {DEEPEST}; lower its update_rate or use a longer dt"
        )
    return found


def _period(sensor: Sensor, dt: float) -> int:
    """The nearest whole number of steps; one that is faster than the steps samples at every one."""
    if sensor.update_rate == inf:
        return 1
    steps = 1.0 / (sensor.update_rate * dt)
    if steps > LONGEST:
        message = f"an update_rate of {sensor.update_rate:.10g} Hz is less than one sample in {LONGEST} steps"
        raise CompileError(f"{sensor.kind} {sensor.name!r}: {message}")
    return max(1, round(steps))


def _delay(sensor: Sensor, dt: float) -> int:
    """The nearest whole number of steps; at least one of a sensor that is late at all."""
    steps = sensor.latency / dt
    return max(1, round(steps)) if steps > CLOSE else 0


def untimely(sensor: Sensor, dt: float) -> str | None:
    """The warning for a sensor whose times are no whole numbers of steps; None if they are."""
    found = timing(sensor, dt)
    said = []
    if sensor.update_rate < inf and not _is_whole(1.0 / (sensor.update_rate * dt)):
        said.append(f"an update_rate of {sensor.update_rate:.10g} Hz is taken as {1.0 / (found.period * dt):.10g} Hz")
    if not _is_whole(sensor.latency / dt):
        said.append(f"a latency of {sensor.latency:.10g} s as {found.delay * dt:.10g} s")
    if not said:
        return None
    return f"{sensor.kind} {sensor.name!r}: {' and '.join(said)}, in whole steps of {dt:.10g} s"


def _is_whole(steps: float) -> bool:
    return abs(steps - round(steps)) <= CLOSE * max(1.0, steps)
