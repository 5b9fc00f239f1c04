"""Brushed motors with their electrical and thermal side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gearwright.model.actuators.actuator import Actuator, Command, Number, Points, Shaft, Winding, given
from gearwright.model.fields import Highlight, quantity

TINY = 1e-30  # divides where nothing may divide by zero [J/K]


class WindingCurrent(NamedTuple):
    """A current of a step by its constant voltage: `i = (V + rest)/resistance`."""

    rest: Number  # [V]
    resistance: Number  # [Ω]

    def current(self, voltage: Number) -> Number:
        return (voltage + self.rest) / self.resistance

    def voltage(self, current: Number) -> Number:
        return self.resistance * current - self.rest


def windings(
    R: Number, k: Number, inductance: Number, shaft: Shaft, i: Number
) -> tuple[WindingCurrent, WindingCurrent]:
    """The current at the end of a step, and its mean. With p = L/dt and D = 2·p² + 2·p·R + R²

        D·i⁺ = 2·p²·i + (2·p + R)·V − k·(2·p·ω̄ + R·ω⁺)        D·ī = p·(2·p + R)·i + (p + R)·(V − k·ω̄)

    so that `L·(i⁺ − i) = dt·(V − R·ī − k·ω̄)` at a constant speed: exp(−R·dt/L) as 1/(1 + x + x²/2), of second order,
    and without ringing where L/R is far below dt. A step of first order has one: `p·(i⁺ − i) = V − R·i⁺ − k·ω⁺`.
    """
    p = inductance / shaft.dt
    if shaft.end is None or (isinstance(inductance, float) and inductance == 0.0):
        only = WindingCurrent(p * i - k * shaft.speed, R + p)
        return only, only
    D, twice = 2.0 * p * (p + R) + R * R, 2.0 * p + R
    mean = shaft.speed if shaft.done is None else shaft.done.speed
    end = WindingCurrent((2.0 * p * p * i - k * (2.0 * p * mean + R * shaft.end)) / twice, D / twice)
    return end, WindingCurrent(p * twice * i / (p + R) - k * shaft.speed, D / (p + R))


@dataclass(frozen=True, kw_only=True)
class DCMotor(Actuator):
    """`L·di/dt = V − R·i − k·ω`, torque k·i, and a winding that its losses R·i² warm up.

    A step of second order uses the torque of the mean current, and is stable with any inductance and with none. A step
    of first order uses the current at its end. The temperature is that at the end of the step. With a voltage command,
    V is the command. With other commands, the drive sets the voltage for the demanded torque. In either case, V is
    limited to the supply voltage. `torque_limit` is the drive's current limit times k.
    """

    type: ClassVar[str] = "dc_motor"
    commands: ClassVar[tuple[Command, ...]] = ("effort", "velocity", "position", "impedance", "voltage")
    states: ClassVar[tuple[str, ...]] = ("current", "temperature", "voltage")
    state_units: ClassVar[tuple[str, ...]] = ("A", "°C", "V")

    resistance: float = quantity("Ω", above=0, doc="at the ambient temperature", shown="{}")
    torque_constant: float = quantity("N·m/A", above=0, doc="k, also the back-EMF constant [V·s/rad]", shown="{}")
    inductance: float = quantity("H", at_least=0, doc="inductance of the winding", default=0.0, shown="")
    supply_voltage: float | None = quantity("V", above=0, doc="not given: unlimited", default=None, shown="{}")
    thermal_resistance: float | None = quantity(
        "K/W", above=0, doc="winding to ambient; not given: no heat leaves it", default=None, shown=""
    )
    thermal_capacitance: float = quantity(
        "J/K", at_least=0, doc="heat capacity of the winding; 0: no thermal lag", default=0.0, shown=""
    )
    ambient_temperature: float = quantity("°C", doc="temperature of the surroundings", default=25.0, shown="")
    temperature_coefficient: float = quantity(
        "1/K", at_least=0, doc="relative change of resistance per kelvin", default=0.0, shown=""
    )

    def winding(self, supply_voltage: float) -> Winding:
        return Winding(
            self.torque_constant, self.resistance, self.supply_voltage, self.thermal_resistance,
            self.thermal_capacitance or None, self.ambient_temperature,
        )  # fmt: skip

    @property
    def torque_speed(self) -> Points:
        if not self.supply_voltage:
            return ()
        V, k = self.supply_voltage, self.torque_constant
        return ((0.0, k * V / self.resistance), (V / k, 0.0))

    def highlights(self) -> Iterator[Highlight]:
        """The supply first."""
        return iter(sorted(super().highlights(), key=lambda h: h.unit != "V"))

    @property
    def depends_on_speed(self) -> bool:
        return super().depends_on_speed or self.command == "voltage" or self.supply_voltage is not None

    @property
    def initial(self) -> tuple[float, ...]:
        return 0.0, self.ambient_temperature, 0.0

    @property
    def mean_states(self) -> tuple[str, ...]:
        return ("current", "voltage") if self._follows_at_once else ("voltage",)

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        current, temperature, _ = state
        R = self.resistance * (1.0 + self.temperature_coefficient * (temperature - self.ambient_temperature))
        end, mean = windings(R, self.torque_constant, self.inductance, shaft, current)
        i = self._flowing(command, shaft, mean) if shaft.done is None else shaft.done.effort / self.torque_constant
        after = i if mean is end else self._flowing(command, shaft, end)
        warmth = self._warmed(temperature, R * i * i, shaft.dt)
        return self.torque_constant * i, (after, warmth, self._voltage(R, shaft, end, after))

    def _flowing(self, command: Number, shaft: Shaft, winding: WindingCurrent) -> Number:
        """The current that the command asks for, as far as drive and supply have it."""
        k = self.torque_constant
        i = winding.current(command) if self.command == "voltage" else self.wanted(command, shaft) / k
        i = super().bounded(k * i, shaft) / k
        if self.supply_voltage is not None:
            least, most = winding.current(-self.supply_voltage), winding.current(self.supply_voltage)
            i = np.minimum(np.maximum(i, least), most)
        return i

    def _voltage(self, R: Number, shaft: Shaft, end: WindingCurrent, current: Number) -> Number:
        """Over the step. A drive without an inductance to overcome follows the mean speed: V·i is all power."""
        if shaft.done is None or not self._follows_at_once or self.command == "voltage":
            return end.voltage(current)
        return R * current + self.torque_constant * shaft.done.speed

    @property
    def _follows_at_once(self) -> bool:
        """Whether the current does: there is no inductance."""
        return isinstance(self.inductance, float) and self.inductance == 0.0

    def _warmed(self, temperature: Number, loss: Number, dt: Number) -> Number:
        """`C·dT/dt = loss − (T − T_ambient)/R_th`, at the end of the step."""
        ambient, C, R_th = self.ambient_temperature, self.thermal_capacitance, self.thermal_resistance
        stores = not (isinstance(C, float) and C == 0.0)
        if R_th is None and stores and given(dt):  # 0, too, where it is a parameter
            return temperature + np.where(C > 0.0, dt * loss / np.maximum(C, TINY), 0.0)
        if R_th is None:
            return temperature
        if not stores or not given(dt):
            return ambient + R_th * loss
        return (temperature * C + dt * (loss + ambient / R_th)) / (C + dt / R_th)
