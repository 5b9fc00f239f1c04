"""The base of all actuators, and the ideal source of effort."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from gearwright.diagnostics import Source
from gearwright.errors import ModelError
from gearwright.model.fields import Highlight, Rules, check, highlights, quantity
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.hardware.device_bindings import DeviceBinding
from gearwright.model.joints import AxisRef
from gearwright.notebooks import NotebookDisplay

Command = Literal["effort", "velocity", "position", "impedance", "voltage"]
COMMANDS: tuple[Command, ...] = ("effort", "velocity", "position", "impedance", "voltage")
FEEDBACK: tuple[Command, ...] = ("velocity", "position", "impedance")  # those that its drive's gains follow
Points = tuple[tuple[float, float], ...]
Number = Any  # a float, an array, or an unknown that stands for one while equations are written down
LAST_PART = 1e-3  # of the velocity limit: over this part of it an actuator gives up pushing


class StepMeans(NamedTuple):
    """Effort and speed of an actuator on average over a step."""

    effort: Number  # [N·m, N]
    speed: Number  # [rad/s, m/s]


class Shaft(NamedTuple):
    """Position and speed of an actuator's own axis at which its effort is evaluated in a time step.

    For a first-order step, that is its end. A second-order step evaluates the effort twice, and asks for the states
    with the means of both positions and speeds.
    """

    position: Number  # [rad, m]
    speed: Number  # [rad/s, m/s]
    dt: Number  # length of the step [s]
    end: Number | None = None  # speed at the end of a second-order step; None: the step is of first order
    done: StepMeans | None = None  # of a step that has been made; None: its effort is being found
    reached: Number | None = None  # position at the end of a step that has been made [rad, m]


class Winding(NamedTuple):
    """The electrical side of an actuator, seen at its shaft; None where its file does not say."""

    torque_constant: float  # also the back-EMF constant [N·m/A, V·s/rad]
    resistance: float  # [Ω]
    supply_voltage: float | None = None  # [V]
    thermal_resistance: float | None = None  # to ambient [K/W]
    thermal_capacitance: float | None = None  # [J/K]
    ambient_temperature: float | None = None  # [°C]


@dataclass(frozen=True, kw_only=True)
class Actuator(NotebookDisplay):
    """An ideal source of effort, on its own joint or connected through a transmission.

    An actuator type is one class: its numbers, and `respond`, its effort. `respond` is written with NumPy functions, so
    that it accepts floats, arrays, and the unknowns of the equations. The time step is implicit: it evaluates `respond`
    at the speed that results from the effort itself.
    """

    type: ClassVar[str] = "ideal"
    commands: ClassVar[tuple[Command, ...]] = ("effort", "velocity", "position", "impedance")
    states: ClassVar[tuple[str, ...]] = ()  # names of its states, kept from step to step
    state_units: ClassVar[tuple[str, ...]] = ()  # of the states, in their order; none: not given
    may_rise: ClassVar[bool] = False  # whether its effort may grow with its speed
    has_drive: ClassVar[bool] = True  # that follows positions and velocities, with gains

    name: str
    joint: AxisRef | None = None  # None: through a transmission, or not connected
    effort_limit: float = quantity(
        "N·m | N", at_least=0, infinite=True, tag="torque_limit", doc="highest effort of the drive", default=inf
    )
    velocity_limit: float = quantity(
        "rad/s | m/s", above=0, infinite=True, doc="speed above which it only brakes", default=inf
    )
    rotor_inertia: float = quantity(
        "kg·m² | kg", at_least=0, doc="inertia of the rotor, on the actuator's side", default=0.0
    )
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="viscous friction of the rotor", default=0.0)
    friction: float = quantity("N·m | N", at_least=0, doc="Coulomb friction of the rotor", default=0.0)
    command: Command = quantity(choices=COMMANDS, doc="what a command means", default="effort")
    stiffness: float = quantity("N·m/rad | N/m", at_least=0, doc="gain of the position drive", default=0.0)
    damping_gain: float = quantity(
        "N·m·s/rad | N·s/m", at_least=0, doc="gain of the position and the velocity drive", default=0.0
    )
    rotor: Literal["reflected", "body"] = quantity(
        choices=("reflected", "body"), doc="an inertia at the joints, or a link that spins", default="reflected"
    )
    friction_model: FrictionModel | None = field(default=None, repr=False)  # on its axis, beside `friction`
    device: DeviceBinding | None = field(default=None, repr=False)  # how a bus sees it
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", AxisRef.of(self.joint))
        check(self)
        if self.command not in self.commands:
            raise ModelError(f"a {self.type} takes no {self.command} command; it takes {', '.join(self.commands)}")
        if self.has_drive and self.command == "position" and not self.stiffness:
            raise ModelError("a position command needs <stiffness>, the gain of the drive that follows it")
        if self.has_drive and self.command == "velocity" and not self.damping_gain:
            raise ModelError("a velocity command needs <damping_gain>, the gain of the drive that follows it")

    def rules(self) -> Rules:
        """Rules between its fields: whether each holds, and the rule in words. Fields may be arrays over designs."""
        return ()

    @property
    def depends_on_speed(self) -> bool:
        """Whether its effort changes with the speed or position of its axis within a step."""
        return self.velocity_limit < inf or self.command in FEEDBACK

    @property
    def follows(self) -> bool:
        """Whether its effort is a steep line between limits, as for a drive with gains."""
        return self.has_drive and self.command in FEEDBACK

    def unsaturated(self, command: Number, shaft: Shaft, state: tuple[Number, ...]) -> Number:
        """That line, where there is one."""
        return self.wanted(command, shaft)

    def at_step(self, dt: float) -> Actuator:
        """The actuator as a simulation with this step has it."""
        return self

    def winding(self, supply_voltage: float) -> Winding | None:
        """Its winding; where its file gives a torque-speed curve alone, that of this supply [V]. None without one."""
        return None

    @property
    def travel(self) -> tuple[float, float]:
        """Where its axis stops, hard, whatever its joints' own limits are [rad, m]."""
        return -inf, inf

    # --- for people --------------------------------------------------------------------------------------------

    @property
    def torque_speed(self) -> Points:
        """The torque-speed curve before its drive's limit, (speed [rad/s], torque [N·m]) …; empty without one."""
        return ()

    def highlights(self) -> Iterator[Highlight]:
        """Texts for `show`, besides curve, limits and losses: by default its own numbers."""
        return highlights(self, beyond=Actuator)

    # --- the effort ------------------------------------------------------------------------------------------------

    @property
    def initial(self) -> tuple[float, ...]:
        """Initial values of its `states`."""
        return (0.0,) * len(self.states)

    @property
    def mean_states(self) -> tuple[str, ...]:
        """States that are means over a step, including all of its substeps; no step continues from them."""
        return ()

    def respond(self, command: Number, shaft: Shaft, state: tuple[Number, ...] = ()) -> tuple[Number, tuple[Any, ...]]:
        """Its effort, and its states after this step."""
        return self.bounded(self.wanted(command, shaft), shaft), state

    def wanted(self, command: Number, shaft: Shaft) -> Number:
        """The demanded effort: the command itself, or the output of a drive with its gains."""
        if self.command == "position":
            return self.stiffness * (command - shaft.position) - self.damping_gain * shaft.speed
        if self.command == "velocity":
            return self.damping_gain * (command - shaft.speed)
        if self.command == "impedance":
            return command - self.stiffness * shaft.position - self.damping_gain * shaft.speed
        return command

    def bounded(self, effort: Number, shaft: Shaft) -> Number:
        """An effort, limited to what its drive and its speed limit allow at this speed."""
        if given(self.effort_limit):
            effort = np.maximum(np.minimum(effort, self.effort_limit), -self.effort_limit)
        if given(self.velocity_limit):
            left = (self.velocity_limit - np.abs(shaft.speed)) / (LAST_PART * self.velocity_limit)
            share = np.minimum(np.maximum(left, 0.0), 1.0)
            effort = np.where(effort * shaft.speed > 0.0, share * effort, effort)
        return effort

    def effort_at(self, command: Number, speed: Number, position: Number = 0.0) -> Number:
        """The effort at a steady speed [N·m, N]: to draw its curve, or to check an operating point."""
        return self.respond(command, Shaft(position, speed, inf), self.initial)[0]


def given(limit: Number) -> bool:
    """Whether there is a limit: a number that is not infinite, or an unknown."""
    return not (isinstance(limit, float) and limit == inf)


def piecewise(x: Number, points: tuple[tuple[float, float], ...], *, extended: bool) -> Number:
    """Straight lines from point to point; beyond the ends they go on, or stay level: `y₀ + Σ Δslope·max(0, x − xᵢ)`."""
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    (x0, y0), first = points[0], slopes[0]
    y = y0 + first * (x - x0) if extended else y0 + first * np.maximum(x - x0, 0.0)
    for (xi, _), before, after in zip(points[1:], slopes, [*slopes[1:], *([] if extended else [0.0])], strict=False):
        y = y + (after - before) * np.maximum(x - xi, 0.0)
    return y
