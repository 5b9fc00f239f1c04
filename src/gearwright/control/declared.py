"""Controllers as users write them: the names that they declare, checked, and how they are called.

A controller is a function of the simulation that returns a mapping: actuators to commands, joints to efforts. One with
memory has an attribute `memory` (names and first values), is called with a second argument, and returns two things:

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
from dataclasses import dataclass
from math import isfinite
from typing import Any

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import as_float

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
        """The attributes of the user's object."""
        return getattr(self.function, "__dict__", {})

    def called(self, sim: Any, memory: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Commands and efforts by name, and the memory from here on."""
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
            raise ModelError(f"a controller must return all of its memory; {missing[0]!r} is missing")
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
        raise ModelError(f"a controller must be a function of the simulation, not {_kind(controller)}")
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
        raise ModelError(f"{what} of controller {name!r} must be a mapping from names to numbers, not {_kind(values)}")
    found = {}
    for key, value in values.items():
        number = as_float(value)
        if number is None:
            raise ModelError(f"{what} {key!r} of controller {name!r} starts with a number, not {value!r:.60}")
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
