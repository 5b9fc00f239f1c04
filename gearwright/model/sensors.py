"""Sensors: encoders and limit switches. One class a kind; `SENSORS` maps the names in files to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite
from typing import ClassVar, Literal

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
    """`reading = ratio·x + offset`, rounded to counts where a resolution is given."""

    kind: ClassVar[str] = "encoder"

    type: Literal["position", "velocity"] = "position"
    ratio: float = 1.0
    offset: float = 0.0  # [rad, m]
    resolution: float | None = None  # counts per turn (per metre where it reads a length); None: exact
    wrap: bool = False  # position folded into one turn
    index: bool = False  # an index mark once a turn
    noise: float = 0.0  # standard deviation [rad, m or per second]
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.type not in ("position", "velocity"):
            raise ModelError(f"an encoder's type is position or velocity, not {self.type!r}")
        if self.resolution is not None and not (self.resolution > 0 and isfinite(self.resolution)):
            raise ModelError(f"resolution must be positive, not {self.resolution}")
        if self.ratio == 0 or not isfinite(self.ratio):
            raise ModelError(f"ratio must be finite and not zero, not {self.ratio}")
        if not (self.noise >= 0 and isfinite(self.noise)):
            raise ModelError(f"noise cannot be negative ({self.noise})")


@dataclass(frozen=True, kw_only=True)
class LimitSwitch(Sensor):
    """Closes at `threshold`, opens again `hysteresis` before it."""

    kind: ClassVar[str] = "limit"

    threshold: float = 0.0  # [rad, m]
    direction: Literal["above", "below"] = "above"
    hysteresis: float = 0.0  # [rad, m]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.direction not in ("above", "below"):
            raise ModelError(f"direction is above or below, not {self.direction!r}")
        if not self.hysteresis >= 0:
            raise ModelError(f"hysteresis cannot be negative ({self.hysteresis})")


SENSORS: dict[str, type[Sensor]] = {kind.kind: kind for kind in (Encoder, LimitSwitch)}
