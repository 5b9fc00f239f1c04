"""A maker's figures for a servo at its rated supply, and the DC motor with gear losses that reproduces them.

A gear loses a share of the torque on both of its sides, `f = c + l·|τ_motor − τ_load|`, so that

    at no load   k·i₀ = c + l·k·i₀     k·ω₀ = V − R·i₀
    stalled      V = R·i_s             k·i_s − τ_s = c + l·(k·i_s + τ_s)

which gives R, k, c and l. With the torque constant τ_s/i_s of most tables, a servo would turn too fast by a third.
Where a sheet has so little torque lost at rest that l would be negative, the losses grow with speed, `f = c + d·ω`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import NamedTuple

from gearwright.model.fields import Rules, check, quantity

KGF_CM = 0.0980665  # [N·m]
RPM = 2 * pi / 60  # [rad/s]
UNCHECKED = "from memory, not checked against the source"  # note of figures that nobody has looked up again


@dataclass(frozen=True, kw_only=True)
class NumberSource:
    """Where a number is from, on which terms, and how far products of one name differ in it."""

    source: str  # in words
    licence: str = "a fact, not a work"  # of the source
    spread: float | None = None  # share of the number, one standard deviation; None: not known
    note: str = ""  # what else to know

    def __str__(self) -> str:
        spread = "" if self.spread is None else f", ±{100 * self.spread:g} %"
        return f"{self.source}{spread} ({self.licence}){f'; {self.note}' if self.note else ''}"


class MotorNumbers(NamedTuple):
    """A DC motor and its gear, seen at the output shaft."""

    torque_constant: float  # k [N·m/A, V·s/rad]
    resistance: float  # R [Ω]
    friction: float  # c [N·m]
    load: float  # l, share of the torques on both sides
    viscous: float = 0.0  # d [N·m·s/rad]


@dataclass(frozen=True, kw_only=True)
class DataSheet:
    """Figures at the output shaft and one supply voltage."""

    voltage: float = quantity("V", above=0, doc="rated supply")
    stall_torque: float = quantity("N·m", above=0, doc="largest torque, at rest")
    no_load_speed: float = quantity("rad/s", above=0, doc="speed without a load")
    stall_current: float | None = quantity("A", above=0, doc="at the stall torque", default=None)
    no_load_current: float | None = quantity("A", at_least=0, doc="at the no-load speed", default=None)
    rated_torque: float | None = quantity("N·m", above=0, doc="for continuous use", default=None)
    gear_ratio: float | None = quantity(above=0, doc="of motor to output shaft", default=None)
    mass: float | None = quantity("kg", above=0, doc="of the whole servo", default=None)
    counts: float = quantity(above=0, doc="of the position sensor in a turn", default=4096.0)

    def __post_init__(self) -> None:
        check(self)

    def rules(self) -> Rules:
        """Rules between its fields: whether each holds, and the rule in words."""
        if self.stall_current is not None and self.no_load_current is not None:
            yield self.no_load_current < self.stall_current, "a servo must draw less current unloaded than stalled"

    def motor(self, idle_share: float = 0.06) -> MotorNumbers:
        """The motor that reproduces the sheet. `idle_share`: ratio of no-load to stall current, if the sheet does not
        give it."""
        assert self.stall_current is not None
        idle = idle_share * self.stall_current if self.no_load_current is None else self.no_load_current
        resistance = self.voltage / self.stall_current
        k = (self.voltage - resistance * idle) / self.no_load_speed
        left = k * (self.stall_current - idle)
        load = (left - self.stall_torque) / (left + self.stall_torque)
        if load >= 0.0:
            return MotorNumbers(k, resistance, (1.0 - load) * k * idle, load)
        at_rest = max(0.0, k * self.stall_current - self.stall_torque)
        return MotorNumbers(k, resistance, at_rest, 0.0, (k * idle - at_rest) / self.no_load_speed)
