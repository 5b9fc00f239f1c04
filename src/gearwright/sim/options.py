"""How a robot is to be compiled: the options, checked when they are made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gearwright.compiler.backends import is_known, names
from gearwright.control import Declared, declared
from gearwright.errors import CompileError, GearwrightError, suggestion
from gearwright.given_names import checked_names
from gearwright.given_numbers import as_float, as_index, whole
from gearwright.model import MODES, Couplings, Mechanism
from gearwright.model.pickling import check_function

if TYPE_CHECKING:
    from gearwright.model.hardware.drives import Drive

MOST = 10**12  # of robots, iterations and threads
WHOLE = 1e-6  # of a number of steps: rounding of a period in seconds
# of a step, by default: the largest robot that is known has 115,000, a chain of 600 hinges 600,000; two million take
# some minutes and 3 GB to compile
MOST_OPERATIONS = 2_000_000
SHORTEST_STEP, LONGEST_STEP = 1e-9, 10.0  # [s] beyond them a step's square is lost in rounding, or a motion in a step
# option → its values, and of each why it cannot be had yet ("" if it can)
CHOICES: dict[str, dict[str, str]] = {
    "solver": {"direct": "", "pgs": "", "tgs": ""},
    "integrator": {"midpoint": "", "euler": "", "rk4": ""},
    "precision": {"double": "", "single": ""},
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The arguments of `gearwright.compile` beside the robot."""

    dt: float = 1e-3  # [s]
    batch: int = 1
    solver: str = "direct"
    integrator: str = "midpoint"
    device: str = "cpu"
    precision: Literal["double", "single"] = "double"
    coupling: str | None = None
    iterations: int = 20  # sweeps
    newton_iterations: int | None = None  # None: as many as the midpoint's step has by itself
    switches: int | None = None  # of the active set; None: as many as it takes, up to 200
    change: float | None = None  # of an axis in the last iteration; None: the midpoint's own
    parameters: tuple[str, ...] = ()
    gravity: tuple[float, ...] | None = None  # [m/s²]; None: the file's
    threads: int | None = None
    drives: Mapping[str, Drive] = field(default_factory=dict)  # by coordinate
    controller: Declared | None = None
    control_period: int = 1  # steps
    wrenches: tuple[str, ...] = ()  # links that `step(wrench=…)` can push
    most_operations: int = MOST_OPERATIONS

    def __post_init__(self) -> None:
        for option in CHOICES:
            _check_choice(option, getattr(self, option))
        _check_device(self.device)
        if self.solver != "direct" and self.integrator != "euler":
            needs = (
                f"{self.integrator!r} needs 'direct'"
                if self.integrator == "midpoint"
                else "'rk4' has no constraints to solve"
            )
            raise CompileError(f"the solver {self.solver!r} requires integrator='euler'; {needs}")
        if self.newton_iterations is not None and self.integrator != "midpoint":
            raise CompileError(
                f"newton_iterations is an option of integrator='midpoint'; {self.integrator!r} does not iterate"
            )
        if self.switches is not None and self.solver != "direct":
            raise CompileError(f"switches is an option of solver='direct'; {self.solver!r} has iterations")
        if not SHORTEST_STEP <= self.dt <= LONGEST_STEP:
            raise CompileError(f"dt must be a time from {SHORTEST_STEP:g} to {LONGEST_STEP:g} s, not {self.dt!r}")
        optional = ("threads", "newton_iterations", "switches")
        for option in ("batch", "iterations", "control_period", "most_operations", *optional):
            if getattr(self, option) is not None or option not in optional:
                whole(option, getattr(self, option), high=MOST, error=CompileError)
        if self.gravity is not None and not (len(self.gravity) == 3 and all(map(isfinite, self.gravity))):
            raise CompileError(f"gravity must be three finite numbers [m/s²], not {self.gravity!r}")
        if self.control_period > 1 and self.controller is None:
            raise CompileError("control_period needs a controller: give compile(controller=…) as well")
        if self.coupling is not None and not (isinstance(self.coupling, str) and self.coupling in MODES):
            raise CompileError(f"there is no coupling mode {self.coupling!r}{suggestion(str(self.coupling), MODES)}")

    def __reduce__(self) -> tuple[Any, ...]:
        """As a caller writes them: a read-only view of a mapping cannot be pickled."""
        if self.controller is not None:
            check_function(self.controller.function, "the simulation")
        given = {f.name: getattr(self, f.name) for f in fields(self)} | {"drives": dict(self.drives)}
        return _rebuilt, (given,)

    @property
    def inputs(self) -> tuple[str, ...]:
        """All parameters: numbers of the robot, then the controller's."""
        return self.parameters if self.controller is None else (*self.parameters, *self.controller.parameters)

    @staticmethod
    def of(
        *, dt: float, batch: int, solver: str, integrator: str | None, device: str, precision: str,
        coupling: str | None, iterations: int, parameters: Sequence[str], gravity: Sequence[float] | None,
        threads: int | None, drives: Mapping[str, Drive] | None = None, controller: object = None,
        control_period: float | None = None, wrenches: Sequence[str] = (),
        newton_iterations: int | None = None, switches: int | None = None,
        most_operations: int = MOST_OPERATIONS,
    ) -> Options:  # fmt: skip
        """As a caller writes them: lists for tuples, numbers of any kind."""
        names = checked_names("compile(parameters=…)", parameters, CompileError)
        step, g = _seconds(dt), _acceleration(gravity)
        own = None if controller is None else declared(controller)
        names = tuple(n for n in names if own is None or n not in own.parameters)  # those are inputs anyway
        if integrator is None:
            integrator = "euler" if isinstance(solver, str) and solver != "direct" else "midpoint"
        return Options(
            dt=step, batch=batch, solver=solver, integrator=integrator, device=device,
            precision=precision,  # type: ignore[arg-type]  # checked when made
            coupling=coupling, iterations=iterations, newton_iterations=newton_iterations, switches=switches,
            parameters=names, gravity=g, threads=threads, drives=MappingProxyType(_drives(drives)),
            controller=own, control_period=control_steps(control_period, step, CompileError),
            wrenches=tuple(dict.fromkeys(checked_names("compile(wrenches=…)", wrenches, CompileError))),
            most_operations=most_operations,
        )  # fmt: skip


def control_steps(period: Any, dt: float, error: type[GearwrightError]) -> int:
    """Steps in a controller's period [s]; 1 where none is given. An int is refused: it would be a number of steps."""
    if period is None:
        return 1
    if (count := as_index(period)) is not None and abs(count) <= MOST:
        raise error(f"control_period is a time in seconds: {count} steps of {dt:g} s are control_period={count * dt:g}")
    seconds = as_float(period)
    steps = 0.0 if seconds is None or not seconds > 0 else seconds / dt
    if not 0.5 < steps <= MOST or abs(steps - round(steps)) > WHOLE * steps:
        raise error(f"control_period must be a whole number of steps of {dt:g} s, in seconds, not {period!r:.60}")
    return round(steps)


def _seconds(dt: Any) -> float:
    seconds = as_float(dt)
    if seconds is None:
        raise CompileError(f"dt must be a number of seconds, not {dt!r:.60}")
    return seconds


def _acceleration(gravity: Any) -> tuple[float, ...] | None:
    if gravity is None:
        return None
    found = (
        [as_float(x) for x in gravity] if isinstance(gravity, tuple | list | np.ndarray) and len(gravity) else [None]
    )
    given = tuple(x for x in found if x is not None)
    if len(given) < len(found):
        strength = as_float(gravity)
        down = "(0, 0, -9.81)" if strength is None else f"(0, 0, {-abs(strength):g})"
        raise CompileError(f"gravity must be three numbers [m/s²], such as {down}, not {gravity!r:.60}")
    return given


def _drives(given: object) -> dict[str, Drive]:
    from gearwright.model.hardware.drives import Drive

    if given is not None and not isinstance(given, Mapping):
        raise CompileError(f"drives must be a mapping from joints to gearwright.Drive(…), not {given!r:.60}")
    drives = dict(given) if isinstance(given, Mapping) else {}
    for joint, drive in drives.items():
        if not isinstance(drive, Drive):
            raise CompileError(f"the drive of {joint!r} is a gearwright.Drive(…), {_as_drive(drive)}not {drive!r:.60}")
    return drives


def _as_drive(given: object) -> str:
    """Message part: the drive that a caller may mean by one or two numbers."""
    pair = given if isinstance(given, tuple | list) else (given,)
    numbers = [as_float(x) for x in pair]
    if None in numbers or not 1 <= len(numbers) <= 2:
        return ""
    gains = zip(("stiffness", "damping"), numbers, strict=False)
    return f"such as gearwright.Drive({', '.join(f'{name}={x:g}' for name, x in gains)}), "


def _rebuilt(given: dict[str, Any]) -> Options:
    return Options(**given | {"drives": MappingProxyType(given["drives"])})


# what a coupling has when all are made compliant and its file does not say: stiff, and without ringing
NATURAL_FREQUENCY, DAMPING_RATIO = 100.0, 1.0  # [rad/s], 1


def coupled(robot: Mechanism, options: Options) -> Mechanism:
    """The robot with every coupling in the mode that the options ask for."""
    if options.coupling is None:
        return robot
    changed = []
    for c in robot.couplings.values():
        changes: dict[str, Any] = {"mode": options.coupling}
        if options.coupling == "compliant":
            changes["natural_frequency"] = c.natural_frequency or NATURAL_FREQUENCY
            changes["damping_ratio"] = DAMPING_RATIO if c.damping_ratio is None else c.damping_ratio
        changed.append(replace(c, **changes))
    return replace(robot, couplings=Couplings(changed))


def _check_choice(option: str, value: object) -> None:
    choices = CHOICES[option]
    if not isinstance(value, str) or value not in choices:
        valid = ", ".join(repr(v) for v, why_not in choices.items() if not why_not)
        raise CompileError(f"there is no {option} {value!r}; valid: {valid}")
    if choices[value]:
        raise CompileError(choices[value])


def _check_device(device: object) -> None:
    if not isinstance(device, str) or not is_known(device):
        raise CompileError(f"there is no device {device!r}; valid: {', '.join(map(repr, names()))}")


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
