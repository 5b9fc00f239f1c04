"""Controllers: what they declare, how they are called, and the one that everybody needs.

A controller is a function of the simulation that returns a mapping: actuators to commands, joints to efforts. One that
remembers has an attribute `memory` (names and first values), is called with a second argument, and returns two things:

    class Counter:
        memory = {"calls": 0.0}
        parameters = {"gain": 2.0}          # numbers that can be changed without compiling again

        def __call__(self, sim, memory):
            command = sim.parameters["gain"] * np.sin(sim.time)
            return {"motor": command}, {"calls": memory["calls"] + 1}

The same object goes into `gearwright.compile(controller=…)`, where it becomes part of the machine code, and into
`Simulation.run(controller=…)`, where Python calls it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.sim.inputs import constant
from gearwright.sim.values import Values

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

Controller = Callable[..., Any]


@dataclass(frozen=True)
class Declared:
    """A controller, and the names that it declares. Made by `declared`, which checks them."""

    function: Controller
    name: str
    memory: Mapping[str, float]
    parameters: Mapping[str, float]

    @property
    def attributes(self) -> Mapping[str, Any]:
        """What the object holds."""
        return getattr(self.function, "__dict__", {})

    def called(self, sim: Any, memory: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Commands and efforts by name, and what it remembers from here on."""
        if not self.memory:
            return self._commands(self.function(sim)), {}
        returned = self.function(sim, dict(memory))
        if not (isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping)):
            raise ModelError(
                f"a controller with memory returns two mappings, commands and memory, not {_kind(returned)}"
            )
        commands, after = returned
        if unknown := [n for n in after if n not in self.memory]:
            raise UnknownNameError("memory", unknown[0], self.memory)
        if missing := [n for n in self.memory if n not in after]:
            raise ModelError(f"a controller returns all of its memory, and {missing[0]!r} is missing")
        return self._commands(commands), after

    def _commands(self, returned: Any) -> Mapping[str, Any]:
        if returned is None:
            return {}
        if not isinstance(returned, Mapping):
            hint = "; only one that declares memory returns two things" if isinstance(returned, tuple) else ""
            raise ModelError(f"a controller returns a mapping or None, not {_kind(returned)}{hint}")
        return returned


def _kind(value: Any) -> str:
    return (
        "nothing"
        if value is None
        else f"a {type(value).__name__}" + (f" of {len(value)}" if isinstance(value, tuple) else "")
    )


def declared(controller: Any) -> Declared:
    """A user's controller, checked as far as it can be before it is called."""
    if isinstance(controller, Declared):
        return controller
    if isinstance(controller, type):
        raise ModelError(f"the controller is the class {controller.__name__}; give an instance of it")
    if not callable(controller):
        raise ModelError(f"a controller is a function of the simulation, not {_kind(controller)}")
    if inspect.iscoroutinefunction(controller) or inspect.isgeneratorfunction(controller):
        raise ModelError("a controller is a plain function: neither async nor a generator")
    name = str(getattr(controller, "__name__", None) or type(controller).__name__)
    memory, parameters = (_numbers(name, what, getattr(controller, what, None)) for what in ("memory", "parameters"))
    found = Declared(controller, name, memory, parameters)
    _check_arguments(found)
    return found


def _numbers(name: str, what: str, values: Any) -> dict[str, float]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ModelError(f"{what} of controller {name!r} is a mapping from names to numbers, not {_kind(values)}")
    found = {}
    for key, value in values.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ModelError(f"{what} {key!r} of controller {name!r} starts with a number, not {value!r:.60}") from None
        if not isinstance(key, str) or not isfinite(number):
            raise ModelError(f"{what} of controller {name!r} has names and finite numbers, not {key!r}: {number}")
        found[key] = number
    return found


def _check_arguments(own: Declared) -> None:
    arguments: tuple[Any, ...] = (None, {}) if own.memory else (None,)
    try:
        inspect.signature(own.function).bind(*arguments)
    except TypeError as error:
        takes = "the simulation and its memory" if own.memory else "one argument, the simulation"
        hint = "" if own.memory else " (two if it declares memory = {name: first value})"
        raise ModelError(f"controller {own.name!r} is to take {takes}{hint}: {error}") from None
    except ValueError:  # a builtin that does not say
        return


# --- called from Python ---------------------------------------------------------------------------------------------


class Calls:
    """A controller that Python calls: every `period` steps of the simulation's clock."""

    def __init__(self, sim: Simulation, controller: Any, period: int) -> None:
        self._sim, self._own, self.period = sim, declared(controller), period
        first = sim._remembered
        if first is None or first[0] is not self._own.function:  # a run goes on with what the last one remembers
            sim._remembered = (self._own.function, dict(self._own.memory))
        extra = [n for n in self._own.parameters if n not in sim.parameters]
        self._seen: Any = _WithParameters(sim, self._own.parameters) if extra else sim

    def __call__(self) -> Mapping[str, Any]:
        """What it commands now; nothing where it is not asked."""
        sim = self._sim
        if sim._steps % self.period:
            return {}
        assert sim._remembered is not None
        commands, memory = self._own.called(self._seen, sim._remembered[1])
        sim._remembered = (self._own.function, {n: constant(n, x, sim.batch) for n, x in memory.items()})
        return commands


class _WithParameters:
    """A simulation that shows a controller's own parameters, too, at the values that it declares."""

    def __init__(self, sim: Simulation, own: Mapping[str, float]) -> None:
        self._sim = sim
        known = sim.parameters
        reads: dict[str, Callable[[], Any]] = {n: partial(own.__getitem__, n) for n in own}
        self.parameters = Values("parameter", reads | {n: partial(known.__getitem__, n) for n in known}, {})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_sim"], name)


# --- controllers ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PID:
    """`u = kp·e + ki·∫e dt − kd·v` with `e = target − position` of a joint, for an actuator or as that joint's effort.

    The damping term takes the joint's velocity, so that a step of the target does not kick. Where u is limited, the
    integral does not grow further. Gains and target are parameters, `NAME.kp`, `NAME.ki`, `NAME.kd` and `NAME.target`
    with the name of what is commanded; a target that is a function of the time [s] is none.
    """

    joint: str
    actuator: str | None = None  # None: the joint's effort
    kp: float = 0.0  # [command/rad, command/m]
    ki: float = 0.0  # [command/(rad·s)]
    kd: float = 0.0  # [command·s/rad]
    target: float | Callable[[Any], Any] = 0.0  # [rad, m]
    limit: float = inf  # of the command's magnitude
    memory: Mapping[str, float] = field(init=False, repr=False)
    parameters: Mapping[str, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.limit > 0:
            raise ModelError(f"the limit of a PID is a positive number, not {self.limit!r}")
        own = {"kp": self.kp, "ki": self.ki, "kd": self.kd}
        if not callable(self.target):
            own["target"] = self.target
        object.__setattr__(self, "memory", {f"{self.commands}.integral": 0.0})
        object.__setattr__(self, "parameters", {f"{self.commands}.{n}": float(x) for n, x in own.items()})

    @property
    def commands(self) -> str:
        return self.actuator or self.joint

    def __call__(self, sim: Any, memory: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        name = self.commands
        kp, ki, kd = (sim.parameters[f"{name}.{gain}"] for gain in ("kp", "ki", "kd"))
        target = self.target(sim.time) if callable(self.target) else sim.parameters[f"{name}.target"]
        error = target - sim.position[self.joint]
        integral = memory[f"{name}.integral"] + error * sim.control_dt
        wanted = kp * error + ki * integral - kd * sim.velocity[self.joint]
        command = wanted if self.limit == inf else np.clip(wanted, -self.limit, self.limit)
        pushing = np.logical_and(command != wanted, error * wanted > 0)  # would only wind up
        kept = integral if self.limit == inf else np.where(pushing, memory[f"{name}.integral"], integral)
        return {name: command}, {f"{name}.integral": kept}


class Together:
    """Several controllers as one; their commands, memories and parameters must have different names."""

    def __init__(self, *controllers: Any) -> None:
        self._each = [declared(c) for c in controllers]
        self.memory: dict[str, float] = {}
        self.parameters: dict[str, float] = {}
        for own in self._each:
            for mine, theirs in ((self.memory, own.memory), (self.parameters, own.parameters)):
                if shared := mine.keys() & theirs.keys():
                    raise ModelError(f"two controllers declare {min(shared)!r}")
                mine.update(theirs)
        if not self.memory:
            self.memory = {"together": 0.0}  # so that all are called in the one way

    def __call__(self, sim: Any, memory: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        commands: dict[str, Any] = {}
        after = dict(memory)
        for own in self._each:
            more, remembered = own.called(sim, {n: memory[n] for n in own.memory})
            if shared := commands.keys() & more.keys():
                raise ModelError(f"two controllers command {min(shared)!r}")
            commands |= more
            after |= remembered
        return commands, after
