"""Brushed motors with their electrical and thermal side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gearwright.model.actuators.actuator import Actuator, Command, Number, Points, Shaft, Winding, given
from gearwright.model.fields import Highlight, quantity

TINY = 1e-30  # divides where nothing may divide by zero [J/K]


@dataclass(frozen=True, kw_only=True)
class DCMotor(Actuator):
    """`L·di/dt = V − R·i − k·ω`, torque k·i, and a winding that its losses R·i² warm up.

    Current and temperature are taken at the end of the step, so that any inductance, and none, is stable. With a
    voltage command V is the command; with the others its drive finds the voltage for the torque that is wanted. In
    either case within the supply's voltage. `torque_limit` is the drive's limit of the current, times k.
    """

    type: ClassVar[str] = "dc_motor"
    commands: ClassVar[tuple[Command, ...]] = ("effort", "velocity", "position", "voltage")
    states: ClassVar[tuple[str, ...]] = ("current", "temperature", "voltage")
    state_units: ClassVar[tuple[str, ...]] = ("A", "°C", "V")

    resistance: float = quantity("Ω", above=0, doc="at the ambient temperature", shown="{}")
    torque_constant: float = quantity("N·m/A", above=0, doc="k, also the back-EMF constant [V·s/rad]", shown="{}")
    inductance: float = quantity("H", at_least=0, doc="of the winding", default=0.0, shown="")
    supply_voltage: float | None = quantity("V", above=0, doc="not given: unlimited", default=None, shown="{}")
    thermal_resistance: float | None = quantity(
        "K/W", above=0, doc="winding to ambient; not given: no heat leaves it", default=None, shown=""
    )
    thermal_capacitance: float = quantity(
        "J/K", at_least=0, doc="of the winding; 0: it is as warm as its losses make it", default=0.0, shown=""
    )
    ambient_temperature: float = quantity("°C", doc="of what is around it", default=25.0, shown="")
    temperature_coefficient: float = quantity("1/K", at_least=0, doc="of the resistance", default=0.0, shown="")

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

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        current, temperature, _ = state
        R = self.resistance * (1.0 + self.temperature_coefficient * (temperature - self.ambient_temperature))
        k, per_dt = self.torque_constant, self.inductance / shaft.dt

        def driven(voltage: Number) -> Number:
            """The current at the end of the step: `(L/dt)·(i⁺ − i) = V − R·i⁺ − k·ω⁺`."""
            return (voltage + per_dt * current - k * shaft.speed) / (R + per_dt)

        i = driven(command) if self.command == "voltage" else self.wanted(command, shaft) / k
        i = super().bounded(k * i, shaft) / k
        if self.supply_voltage is not None:
            i = np.minimum(np.maximum(i, driven(-self.supply_voltage)), driven(self.supply_voltage))
        voltage = per_dt * (i - current) + R * i + k * shaft.speed
        return k * i, (i, self._warmed(temperature, R * i * i, shaft.dt), voltage)

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
