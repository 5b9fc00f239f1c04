"""Position servos: a DC motor whose firmware turns a goal into the duty of a bridge."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from math import ceil, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.actuators.actuator import Command, Number, Shaft, given
from gearwright.model.actuators.dc_motor import DCMotor, WindingCurrent, windings
from gearwright.model.actuators.supply import Supply, SupplyLoad
from gearwright.model.fields import Rules, quantity

OWN_STATES = ("duty", "goal", "integral", "enabled", "started", "supply")
SAMPLED = ("clock", "seen_position", "seen_speed")  # states of firmware that runs at a rate
DUE = 1e-6  # share of a period: a clock that is this near has got there
SHORT_DELAY = 0.02  # [s] for which there is room in any case
MOST_TAPS = 2000  # commands that a delay keeps
LIMITED = 1.0 - 1e-9  # share of the current limit at which it acts


class Firmware(NamedTuple):
    """The firmware's numbers after a step, or in one."""

    duty: Number
    goal: Number
    integral: Number
    clock: Number


@dataclass(frozen=True, kw_only=True)
class PositionServo(DCMotor):
    """`duty = k_p·e + k_i·∫e − k_d·ω`, bounded; the bridge puts `duty·V` on the winding of a DC motor.

    The command is a goal. It arrives after a delay, and moves with no more than a highest speed; e is how far the shaft
    is from there, 0 within the dead zone. Firmware without a sample rate acts continuously, at the end of each step, so
    that no gain makes it swing. With a rate, it holds the duty from sample to sample, as the product does.

    The state `enabled` switches the bridge: at 0 the winding is open and the shaft coasts, or it is shorted for the
    share `braking` of the time, and the back-EMF brakes. `torque_limit` and `supply_voltage` act as in a
    DC motor. A `supply` is shared by all servos that name it, and sags under what they draw.
    """

    type: ClassVar[str] = "servo"
    commands: ClassVar[tuple[Command, ...]] = ("position",)
    states: ClassVar[tuple[str, ...]] = (*DCMotor.states, *OWN_STATES)
    has_drive: ClassVar[bool] = False  # no stiffness: gains are the firmware's

    command: Command = quantity(choices=("position",), doc="the goal position", default="position")
    supply_voltage: float = quantity("V", above=0, doc="if it shares no supply", default=12.0, shown="{}")
    position_gain: float = quantity("1/rad", at_least=0, doc="k_p, duty per error")
    integral_gain: float = quantity("1/(rad·s)", at_least=0, doc="k_i", default=0.0)
    derivative_gain: float = quantity("s/rad", at_least=0, doc="k_d", default=0.0)
    duty_limit: float = quantity(above=0, at_most=1, doc="share of the supply that reaches the winding", default=1.0)
    current_limit: float = quantity("A", above=0, infinite=True, doc="highest current of the winding", default=inf)
    dead_zone: float = quantity("rad", at_least=0, doc="error within which the firmware does nothing", default=0.0)
    goal_speed: float = quantity("rad/s", above=0, infinite=True, doc="highest speed of the goal", default=inf)
    braking: float = quantity(
        at_least=0,
        at_most=1,
        doc="share of the time in which the bridge shorts the winding while it is off",
        default=0.0,
    )
    sample_rate: float | None = quantity(
        "Hz", above=0, doc="rate of the firmware; not given: continuous", default=None, parameter=False
    )
    delay: float | None = quantity("s", at_least=0, doc="delay of a command to the firmware", default=None)
    longest_delay: float = quantity(
        "s", at_least=0, doc="largest delay that can be set later; 0: twice the delay", default=0.0, parameter=False
    )
    supply: Supply | None = field(default=None, repr=False)  # shared; in place of `supply_voltage`
    taps: int = quantity(doc="number of stored commands; set by the simulation", default=0, parameter=False, shown="")
    tap_time: float = quantity("s", doc="time between stored commands", default=0.0, parameter=False, shown="")

    def __post_init__(self) -> None:
        super().__post_init__()
        own = OWN_STATES + (SAMPLED if self.sample_rate is not None else ())
        taps = tuple(f"command_{k}" for k in range(1, self.taps + 1)) + (("since",) if self.taps else ())
        object.__setattr__(self, "states", (*DCMotor.states, *own, *taps))
        object.__setattr__(self, "state_units", (*DCMotor.state_units, *(UNITS.get(n, "") for n in (*own, *taps))))

    def rules(self) -> Rules:
        """There has to be room for the delay."""
        if self.delay is not None and self.taps:
            yield self.delay <= self.taps * self.tap_time, "a delay is at most its longest_delay"

    def at_step(self, dt: float) -> PositionServo:
        """With room for the commands that a delay keeps, one per step."""
        if self.delay is None:
            return self
        longest = self.room_for_delay
        taps = ceil(longest / dt) + 1
        if taps > MOST_TAPS:
            raise ModelError(
                f"servo {self.name!r}: a delay of {longest:g} s takes {taps} steps of {dt:g} s, more than {MOST_TAPS}: "
                "take a longer step, or give a smaller longest_delay"
            )
        return self if (taps, dt) == (self.taps, self.tap_time) else replace(self, taps=taps, tap_time=dt)

    @property
    def room_for_delay(self) -> float:
        """The largest value that its parameter `delay` can have [s]."""
        return max(self.longest_delay, 2.0 * (self.delay or 0.0), SHORT_DELAY)

    @property
    def volts(self) -> float:
        """Of the supply without a load [V]."""
        return self.supply_voltage if self.supply is None else self.supply.voltage

    @property
    def depends_on_speed(self) -> bool:
        return True

    @property
    def mean_states(self) -> tuple[str, ...]:
        return ("current", "voltage") if self._follows_at_once else ("voltage",)

    @property
    def initial(self) -> tuple[float, ...]:
        start = {"temperature": self.ambient_temperature, "enabled": 1.0, "supply": self.volts}
        if self.sample_rate is not None:
            start["clock"] = 1.0 / self.sample_rate
        return tuple(start.get(name, 0.0) for name in self.states)

    @property
    def motor(self) -> DCMotor:
        """Its motor and gears alone, under another firmware."""
        own = {f.name: getattr(self, f.name) for f in fields(DCMotor)}
        return DCMotor(**{**own, "command": "effort", "supply_voltage": self.volts})

    # --- a step ----------------------------------------------------------------------------------------------------

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        own = dict(zip(self.states, state, strict=True))
        R = self.resistance * (1.0 + self.temperature_coefficient * (own["temperature"] - self.ambient_temperature))
        end, mean = windings(R, self.torque_constant, self.inductance, shaft, own["current"])
        run = self._run(command, shaft, own)
        volts = own["supply"] if self.supply is not None else self.volts
        k, on = self.torque_constant, own["enabled"]
        i = self._current(on, run.duty, volts, mean) if shaft.done is None else shaft.done.effort / k
        after = i if mean is end else self._current(on, run.duty, volts, end)
        kept = {
            "current": after, "temperature": self._warmed(own["temperature"], R * i * i, shaft.dt),
            "voltage": R * i + k * (shaft.speed if shaft.done is None else shaft.done.speed) if mean is end
            else end.voltage(after),
            "duty": on * run.duty, "goal": run.goal, "integral": on * run.integral, "enabled": on, "started": 1.0,
            "supply": volts, "clock": run.clock,
            "seen_position": shaft.position if shaft.reached is None else shaft.reached,
            "seen_speed": _speed_at_end(shaft),
        }  # fmt: skip
        kept |= self._remembered(command, shaft, own)
        return k * i, tuple(kept[name] for name in self.states)

    def unsaturated(self, command: Number, shaft: Shaft, state: tuple[Number, ...]) -> Number:
        """The effort without limits of firmware that acts continuously: what the solver starts from."""
        own = dict(zip(self.states, state, strict=True))
        goal = self._goal(command, shaft, own)
        wanted = self.position_gain * (goal - shaft.position) + own["integral"] - self.derivative_gain * shaft.speed
        volts = own["supply"] if self.supply is not None else self.volts
        k = self.torque_constant
        return own["enabled"] * (k / self.resistance) * (wanted * volts - k * shaft.speed)

    @property
    def follows(self) -> bool:
        """Whether its effort is a steep line between limits."""
        return self.sample_rate is None

    def _current(self, on: Number, duty: Number, volts: Number, winding: WindingCurrent) -> Number:
        """The current of a bridge that is on, or off: then the winding is open, or shorted for a share of the time."""
        driven = on * self._flowing_at(duty * volts, volts, winding)
        if isinstance(self.braking, float) and self.braking == 0.0:
            return driven
        return driven + (1.0 - on) * self.braking * winding.current(0.0)

    def _flowing_at(self, voltage: Number, volts: Number, winding: WindingCurrent) -> Number:
        """The current at a voltage: within the current limit, as far as the bridge can keep it there."""
        i, k = winding.current(voltage), self.torque_constant
        if given(self.current_limit):
            i = np.minimum(np.maximum(i, -self.current_limit), self.current_limit)
        if given(self.effort_limit):
            i = np.minimum(np.maximum(i, -self.effort_limit / k), self.effort_limit / k)
        if not given(self.current_limit) and not given(self.effort_limit):
            return i
        least, most = (winding.current(x * self.duty_limit * volts) for x in (-1.0, 1.0))
        return np.minimum(np.maximum(i, least), most)

    # --- the firmware ----------------------------------------------------------------------------------------------

    def _run(self, command: Number, shaft: Shaft, own: dict[str, Number]) -> Firmware:
        """Its numbers in this step; after it, with `shaft.done`."""
        goal, dt = self._goal(command, shaft, own), shaft.dt
        if self.sample_rate is None:
            integral = own["integral"]
            duty = self._duty(goal, shaft.position, shaft.speed, integral)
            integral = self._summed(goal - shaft.position, integral, duty, dt)
            return Firmware(duty, goal, integral, 0.0)
        period = 1.0 / self.sample_rate
        due = own["clock"] >= period * (1.0 - DUE)
        first = own["started"] == 0.0
        position = np.where(first, shaft.position, own["seen_position"])
        speed = np.where(first, shaft.speed, own["seen_speed"])
        integral = np.where(due, self._summed(goal - position, own["integral"], own["duty"], period), own["integral"])
        duty = np.where(due, self._duty(goal, position, speed, integral), own["duty"])
        return Firmware(duty, goal, integral, np.where(due, own["clock"] - period, own["clock"]) + dt)

    def _duty(self, goal: Number, position: Number, speed: Number, integral: Number) -> Number:
        wanted = self.position_gain * self._error(goal - position) + integral - self.derivative_gain * speed
        return np.minimum(np.maximum(wanted, -self.duty_limit), self.duty_limit)

    def _error(self, error: Number) -> Number:
        if isinstance(self.dead_zone, float) and self.dead_zone == 0.0:
            return error
        return np.where(np.abs(error) > self.dead_zone, error, 0.0)

    def _summed(self, error: Number, integral: Number, duty: Number, dt: Number) -> Number:
        """The integral goes on unless the duty is at its limit, and it would go further."""
        if isinstance(self.integral_gain, float) and self.integral_gain == 0.0:
            return integral
        error = self._error(error)
        free = (np.abs(duty) < self.duty_limit) | (integral * error < 0.0)
        return integral + np.where(free, self.integral_gain * error * dt, 0.0)

    def _goal(self, command: Number, shaft: Shaft, own: dict[str, Number]) -> Number:
        """Where the goal is after this step."""
        arrived = self._delayed(command, own)
        if not given(self.goal_speed):
            return arrived
        before = np.where(own["started"] > 0.0, own["goal"], shaft.position)
        most = self.goal_speed * shaft.dt
        return before + np.minimum(np.maximum(arrived - before, -most), most)

    # --- the delay -------------------------------------------------------------------------------------------------

    def _delayed(self, command: Number, own: dict[str, Number]) -> Number:
        """The command of a delay ago, on straight lines between those of past steps."""
        if not self.taps or self.delay is None:
            return command
        lag = np.minimum(self.delay / self.tap_time, float(self.taps))
        past = [command, *(own[f"command_{k}"] for k in range(1, self.taps + 1))]
        shares = [np.maximum(1.0 - np.abs(lag - k), 0.0) for k in range(len(past))]
        found = sum(share * x for share, x in zip(shares, past, strict=True))
        return np.where(own["started"] > 0.0, found, command)

    def _remembered(self, command: Number, shaft: Shaft, own: dict[str, Number]) -> dict[str, Number]:
        """Past commands, moved on at the end of a whole step: one may have several parts."""
        if not self.taps:
            return {}
        since = own["since"] + shaft.dt
        whole, fresh = since >= self.tap_time * (1.0 - DUE), own["started"] == 0.0
        found, newer = {}, command
        for k in range(1, self.taps + 1):
            name = f"command_{k}"
            found[name] = np.where(fresh, command, np.where(whole, newer, own[name]))
            newer = own[name]
        return found | {"since": np.where(whole, 0.0, since)}

    # --- the supply ------------------------------------------------------------------------------------------------

    def drawn(self, duty: Number, current: Number, speed: Number, enabled: Number = 1.0) -> SupplyLoad:
        """What it draws from its supply at this duty and speed; a current at its limit stays there."""
        conductance, emf = duty * duty / self.resistance, -duty * self.torque_constant * speed / self.resistance
        if given(self.current_limit):
            limited = np.abs(current) >= LIMITED * self.current_limit
            conductance, emf = np.where(limited, 0.0, conductance), np.where(limited, duty * current, emf)
        return SupplyLoad(enabled * conductance, enabled * emf)


UNITS = {
    "goal": "rad", "supply": "V", "clock": "s", "seen_position": "rad", "seen_speed": "rad/s", "since": "s",
}  # fmt: skip


def _speed_at_end(shaft: Shaft) -> Number:
    return shaft.speed if shaft.end is None else shaft.end
