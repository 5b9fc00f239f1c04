"""Sensors: encoders, limit switches, and a user's own. One class a kind; `SENSORS` maps the names in files to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, isfinite, pi
from typing import Any, ClassVar, Literal

import numpy as np

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.joints import AxisRef


@dataclass(frozen=True, kw_only=True)
class Sensor:
    """What every sensor has: what it reads, and when."""

    kind: ClassVar[str] = ""

    name: str
    transmission: str | None = None  # read through it …
    side: Literal["actuator", "joint"] = "actuator"  # … on this side of it
    actuator: str | None = None  # the one actuator it reads
    joint: AxisRef | None = None  # the one axis it reads
    reaction: str | None = None  # the joint whose wrench it reads: force and torque, six numbers
    link: str | None = None  # the link whose angular velocity and specific force it reads, six numbers
    update_rate: float = inf  # [Hz]; inf: at every step
    latency: float = 0.0  # [s]
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.side not in ("actuator", "joint"):
            raise ModelError(f"side is actuator or joint, not {self.side!r}")
        if not self.update_rate > 0:
            raise ModelError(f"update_rate must be positive, not {self.update_rate}")
        if not (self.latency >= 0 and isfinite(self.latency)):
            raise ModelError(f"latency cannot be negative ({self.latency})")


@dataclass(frozen=True, kw_only=True)
class Encoder(Sensor):
    """Reads `y = ratio·x + offset`, or its rate `ratio·v`, to the nearest count where a resolution is given.

    A turn is one of the encoder's own shaft, after the ratio. Of a linear encoder it is the pitch of its scale.
    """

    kind: ClassVar[str] = "encoder"

    type: Literal["position", "velocity"] = "position"
    ratio: float = 1.0
    offset: float = 0.0  # [rad, m]
    resolution: float | None = None  # counts per turn (per metre where it reads a length); None: exact
    turn: float | None = None  # what a turn measures [rad, m]; None: 2π of an angle, 1 m of a length
    wrap: bool = False  # position folded into one turn: [0, turn)
    index: bool = False  # an index mark once a turn, at y = 0
    noise: float = 0.0  # standard deviation [rad, m or per second]
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.type not in ("position", "velocity"):
            raise ModelError(f"an encoder's type is position or velocity, not {self.type!r}")
        if self.resolution is not None and not (self.resolution > 0 and isfinite(self.resolution)):
            raise ModelError(f"resolution must be positive, not {self.resolution}")
        if self.turn is not None and not (self.turn > 0 and isfinite(self.turn)):
            raise ModelError(f"turn must be positive, not {self.turn}")
        if self.ratio == 0 or not isfinite(self.ratio):
            raise ModelError(f"ratio must be finite and not zero, not {self.ratio}")
        if not isfinite(self.offset):
            raise ModelError(f"offset must be finite, not {self.offset}")
        if not (self.noise >= 0 and isfinite(self.noise)):
            raise ModelError(f"noise cannot be negative ({self.noise})")
        if (self.wrap or self.index) and self.resolution is not None and self.resolution % 1:
            raise ModelError(f"wrap and index need a whole number of counts a turn, not {self.resolution}")

    def turn_of(self, *, length: bool = False) -> float:
        """What a turn measures [rad], or [m] where it reads a length."""
        return self.turn if self.turn is not None else 1.0 if length else 2 * pi

    def count(self, *, length: bool = False) -> float:
        """What one count measures [rad], or [m] where it reads a length; 0 of an exact encoder."""
        return self.turn_of(length=length) / self.resolution if self.resolution else 0.0

    def counts(self, reading: Any, *, length: bool = False, period: float | None = None) -> Any:
        """The whole number of counts in a reading: an int, or an array of them.

        Of a velocity encoder these are the counts in one sample period [s]: that of its update rate or, where it
        samples at every step, `period=dt`.
        """
        size = self.count(length=length)
        if not size:
            raise ModelError(f"encoder {self.name!r} has no resolution, so that there is nothing to count")
        if self.type == "velocity":
            period = period or 1.0 / self.update_rate
            if not period:
                raise ModelError(f"encoder {self.name!r} samples at every step: counts(reading, period=dt)")
            size /= period
        counts = np.rint(np.asarray(reading, np.float64) / size).astype(np.int64)
        return counts if counts.ndim else int(counts)


@dataclass(frozen=True, kw_only=True)
class LimitSwitch(Sensor):
    """Closes at `threshold`, opens again `hysteresis` before it. Reads 1 where it is closed, else 0."""

    kind: ClassVar[str] = "limit"

    threshold: float = 0.0  # [rad, m]
    direction: Literal["above", "below"] = "above"  # where it is closed
    hysteresis: float = 0.0  # [rad, m]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.direction not in ("above", "below"):
            raise ModelError(f"direction is above or below, not {self.direction!r}")
        if not isfinite(self.threshold):
            raise ModelError(f"threshold must be finite, not {self.threshold}")
        if not (self.hysteresis >= 0 and isfinite(self.hysteresis)):
            raise ModelError(f"hysteresis cannot be negative ({self.hysteresis})")


Reading = Callable[[Any, Any, Any], Any]  # (positions, velocities, state) → readings, or (readings, state)


@dataclass(frozen=True, kw_only=True)
class CustomSensor(Sensor):
    """A user's own: `function(positions, velocities, state)`, written on NumPy arrays and traced into machine code.

    It gives the readings or, where there are `states`, the readings and the next state. A subclass may write `read`
    instead, on fields of its own; a row in `SENSORS` lets files name it.
    """

    kind: ClassVar[str] = "custom"

    function: Reading | None = field(default=None, repr=False)
    states: tuple[float, ...] = ()  # its own state at reset
    labels: tuple[str, ...] = ()  # what its readings are called: `name.label`; empty: numbered

    def __post_init__(self) -> None:
        super().__post_init__()
        own = type(self).read is not CustomSensor.read
        if not own and not callable(self.function):
            raise ModelError("a custom sensor needs a function of (positions, velocities, state)")
        if not isinstance(self.states, tuple) or not all(isfinite(s) for s in self.states):
            raise ModelError(f"states are a tuple of finite numbers, not {self.states!r}")
        if not isinstance(self.labels, tuple) or len(set(self.labels)) < len(self.labels):
            raise ModelError(f"labels are a tuple of different names, not {self.labels!r}")

    def read(self, positions: Any, velocities: Any, state: Any) -> Any:
        """One sample. Arguments are one-dimensional arrays."""
        assert self.function is not None
        return self.function(positions, velocities, state)


SENSORS: dict[str, type[Sensor]] = {kind.kind: kind for kind in (Encoder, LimitSwitch)}
