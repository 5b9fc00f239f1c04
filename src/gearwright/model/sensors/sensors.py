"""Sensors: encoders, limit switches, and a user's own. One class per kind, and one row in `SENSORS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf, pi
from typing import Any, ClassVar, Literal

import numpy as np

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.model.fields import Highlight, check, highlights, quantity
from gearwright.model.joints import AxisRef
from gearwright.registry import Registry

Side = Literal["actuator", "joint"]


@dataclass(frozen=True, kw_only=True)
class Sensor:
    """The base of all sensors: what it reads, and when."""

    kind: ClassVar[str] = ""

    name: str
    transmission: str | None = None  # the transmission through which it reads
    side: Side = quantity(
        choices=("actuator", "joint"), doc="which side of its transmission it reads", default="actuator"
    )
    actuator: str | None = None  # the one actuator it reads
    joint: AxisRef | None = None  # the one axis it reads
    reaction: str | None = None  # the joint whose wrench it reads: force and torque, six numbers
    link: str | None = None  # the link whose angular velocity and specific force it reads, six numbers
    update_rate: float = quantity("Hz", above=0, infinite=True, doc="not given: at every step", default=inf)
    latency: float = quantity("s", at_least=0, doc="delay from a sample to its reading", default=0.0)
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", AxisRef.of(self.joint))
        check(self)

    def unit(self, *, length: bool, index: int = 0) -> str:
        """Unit of one of its readings, where it reads a length or an angle."""
        return ""

    @property
    def reads_position(self) -> bool:
        """Whether it needs the position of what it reads, and not only its velocity."""
        return True

    @property
    def has_index(self) -> bool:
        """Whether each of its numbers has an index mark beside it."""
        return False

    @property
    def label(self) -> str:
        """Its kind in words."""
        return self.kind.replace("_", " ")

    def highlights(self) -> Iterator[Highlight]:
        """Texts for `show`, besides its rate and latency: by default its own numbers."""
        return highlights(self, beyond=Sensor)


@dataclass(frozen=True, kw_only=True)
class Encoder(Sensor):
    """Reads `y = ratio·x + offset`, or its rate `ratio·v`, to the nearest count if a resolution is given.

    A turn is one of the encoder's own shaft, after the ratio. For a linear encoder it is the pitch of its scale.
    """

    kind: ClassVar[str] = "encoder"

    type: Literal["position", "velocity"] = quantity(
        choices=("position", "velocity"), doc="what it reads", default="position"
    )
    ratio: float = quantity(nonzero=True, doc="turns of its own shaft per turn of the measured axis", default=1.0)
    offset: float = quantity("rad | m", doc="reading when the measured axis is at zero", default=0.0)
    resolution: float | None = quantity(
        "1/turn", above=0, doc="counts per turn (per metre where it reads a length); not given: exact", default=None
    )
    turn: float | None = quantity(
        "rad | m", above=0, doc="length of a turn; default: 2π for an angle, 1 m for a length", default=None
    )
    wrap: bool = quantity(doc="position folded into one turn: [0, turn)", default=False)
    index: bool = quantity(doc="one index mark per turn, at y = 0", default=False)
    noise: float = quantity("rad | m", at_least=0, doc="standard deviation; for a velocity, per second", default=0.0)
    seed: int = quantity(doc="seed of the noise", default=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.wrap or self.index) and self.resolution is not None and self.resolution % 1:
            raise ModelError(f"wrap and index need a whole number of counts per turn, not {self.resolution}")

    def unit(self, *, length: bool, index: int = 0) -> str:
        rate = "/s" if self.type == "velocity" else ""
        return f"{'m' if length else 'rad'}{rate}"

    def highlights(self) -> Iterator[Highlight]:
        yield Highlight(self.type)
        yield Highlight("{} counts", self.resolution, digits=6) if self.resolution else Highlight("exact")
        numbers = (("×{}", self.ratio, 1.0), ("offset {}", self.offset, 0.0), ("noise {}", self.noise, 0.0))
        shown = {text: Highlight(text, value) for text, value, usual in numbers if value != usual}
        yield from (shown[text] for text in ("×{}", "offset {}") if text in shown)
        yield from (Highlight(word) for word, given in (("wrapped", self.wrap), ("index", self.index)) if given)
        yield from (shown[text] for text in ("noise {}",) if text in shown)

    @property
    def reads_position(self) -> bool:
        return self.type != "velocity"

    @property
    def has_index(self) -> bool:
        return self.index

    def turn_of(self, *, length: bool = False) -> float:
        """Size of a turn [rad], or [m] where it reads a length."""
        return self.turn if self.turn is not None else 1.0 if length else 2 * pi

    def count(self, *, length: bool = False) -> float:
        """Size of one count [rad], or [m] where it reads a length; 0 for an exact encoder."""
        return self.turn_of(length=length) / self.resolution if self.resolution else 0.0

    def counts(self, reading: Any, *, length: bool = False, period: float | None = None) -> Any:
        """The whole number of counts in a reading: an int, or an array of them.

        For a velocity encoder, these are the counts in one sample period [s]: that of its update rate or, if it samples
        at every step, `period=dt`.
        """
        size = self.count(length=length)
        if not size:
            raise ModelError(f"encoder {self.name!r} has no resolution, so there is nothing to count")
        if self.type == "velocity":
            period = period or 1.0 / self.update_rate
            if not period:
                raise ModelError(f"encoder {self.name!r} samples at every step: counts(reading, period=dt)")
            size /= period
        if hasattr(reading, "__array_function__") and not isinstance(reading, np.ndarray):
            return np.rint(reading / size)  # inside a compiled controller
        counts = np.rint(np.asarray(reading, np.float64) / size).astype(np.int64)
        return counts if counts.ndim else int(counts)


@dataclass(frozen=True, kw_only=True)
class LimitSwitch(Sensor):
    """Closes at `threshold`, and opens again `hysteresis` before it. Reads 1 if it is closed, otherwise 0."""

    kind: ClassVar[str] = "limit"

    threshold: float = quantity("rad | m", doc="where it closes", default=0.0)
    direction: Literal["above", "below"] = quantity(
        choices=("above", "below"), doc="on which side it is closed", default="above"
    )
    hysteresis: float = quantity(
        "rad | m", at_least=0, doc="distance before the threshold at which it opens again", default=0.0
    )

    def unit(self, *, length: bool, index: int = 0) -> str:
        return "0/1"

    @property
    def label(self) -> str:
        return "limit switch"

    def highlights(self) -> Iterator[Highlight]:
        yield Highlight(f"closes {self.direction} {{}}", self.threshold)


ReadFunction = Callable[[Any, Any, Any], Any]  # (positions, velocities, state) → readings, or (readings, state)


@dataclass(frozen=True, kw_only=True)
class CustomSensor(Sensor):
    """A user's sensor: `function(positions, velocities, state)`, written with NumPy arrays and traced into machine
    code.

    It returns the readings or, if there are `states`, the readings and the next state. A subclass may define `read`
    instead, with its own fields; a row in `SENSORS` makes it available to files.
    """

    kind: ClassVar[str] = "custom"

    function: ReadFunction | None = field(default=None, repr=False)  # of positions, velocities, state
    states: tuple[float, ...] = ()  # its own state at reset
    labels: tuple[str, ...] = ()  # what its readings are called: `name.label`; empty: numbered

    def __post_init__(self) -> None:
        super().__post_init__()
        own = type(self).read is not CustomSensor.read
        if not own and not callable(self.function):
            raise ModelError("a custom sensor needs a function of (positions, velocities, state)")
        if not isinstance(self.states, tuple) or numbers("states", self.states).ndim != 1:
            raise ModelError(f"states must be a tuple of finite numbers, not {self.states!r:.60}")
        if not isinstance(self.labels, tuple) or len(set(self.labels)) < len(self.labels):
            raise ModelError(f"labels must be a tuple of different names, not {self.labels!r}")

    def read(self, positions: Any, velocities: Any, state: Any) -> Any:
        """One sample. Arguments are one-dimensional arrays."""
        assert self.function is not None
        return self.function(positions, velocities, state)


SENSORS: Registry[type[Sensor]] = Registry(
    "gearwright.sensors",
    {"encoder": "gearwright.model.sensors.sensors:Encoder", "limit": "gearwright.model.sensors.sensors:LimitSwitch"},
)
