"""Commands and efforts as callers give them, to the numbers that machine code reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.model import Mechanism
from gearwright.model.parameters import quantity_of
from gearwright.sim.names import Group
from gearwright.sim.values import Array

Given = Mapping[str, Any] | None


def held(group: Group, values: Mapping[str, Any], batch: int) -> list[tuple[int, Any]]:
    """Each number that is given: a float, or an array (B,)."""
    return [(i, constant(group.names[i], value, batch)) for i, value in group.columns(values)]


def possible(robot: Mechanism, group: Group, values: Mapping[str, Any], batch: int) -> list[tuple[int, Any]]:
    """The same of parameters; values that the mechanism cannot have raise."""
    given = held(group, values, batch)
    for i, value in given:
        meaning = quantity_of(robot, group.names[i])
        for x in np.unique(np.atleast_1d(value)).tolist():
            if why := meaning.problem(repr(group.names[i]), x):
                raise ModelError(why)
    return given


def stored(index: Mapping[str, int], values: Mapping[str, Any], memory: Array) -> bool:
    """The usual case, plain finite numbers for one robot, without any conversion; else False, and nothing is done."""
    if type(values) is not dict:
        return False
    for name, value in values.items():
        if type(value) is not float or name not in index or value - value != 0.0:
            return False
    for name, value in values.items():
        memory[index[name]] = value
    return True


def constant(name: str, value: Any, batch: int) -> Any:
    """A float, or an array (B,)."""
    array = numbers(name, value)
    if array.ndim == 0:
        return float(array)
    if array.shape != (batch,):
        expected = "a number" if batch == 1 else f"a number or an array of shape ({batch},)"
        raise ModelError(f"{name!r} takes {expected}, not an array of shape {array.shape}")
    return array


def numbers(name: str, value: Any) -> Array:
    try:
        array: Array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{name!r} takes numbers, not {value!r:.80}") from None
    if not np.isfinite(array).all():
        raise ModelError(f"{name!r} is given a value that is not finite")
    return array


class Schedule:
    """The commands, or efforts, of a run of n steps: some constant, some new in every step."""

    def __init__(self, group: Group, given: Any, times: Callable[[], Array], n: int, batch: int) -> None:
        self.constant: list[tuple[int, Any]] = []
        self.varying: dict[int, Array] = {}  # coordinate → (n, 1) or (n, B)
        for i, value in group.columns(_called(given, times)):
            array = numbers(group.names[i], value)
            steps = _per_step(group.names[i], array, n, batch)
            if steps is None:
                self.constant.append((i, constant(group.names[i], array.reshape(array.shape[-1:]), batch)))
            else:
                self.varying[i] = steps


def _called(given: Any, times: Callable[[], Array]) -> dict[str, Any]:
    """Functions of time, all or single ones, evaluated at the beginning of every step."""
    if callable(given):
        given = given(times())
    if not isinstance(given, Mapping):
        raise ModelError(f"commands and efforts are mappings from names to values, not a {type(given).__name__}")
    return {name: value(times()) if callable(value) else value for name, value in given.items()}


def _per_step(name: str, array: Array, n: int, batch: int) -> Array | None:
    """(n, 1) or (n, B) of what changes every step; None of what is constant."""
    if array.ndim == 0 or (array.ndim == 2 and array.shape[0] == 1 and n != 1):
        return None
    if array.ndim == 1 and n == batch and n > 1:
        raise ModelError(
            f"{name!r}: an array of shape ({n},) may mean the {n} steps or the {n} robots; "
            f"give ({n}, 1) for the steps or (1, {n}) for the robots"
        )
    if array.ndim == 1 and array.shape == (batch,):
        return None
    if array.ndim == 1 and array.shape == (n,):
        return array[:, None]
    if array.ndim == 2 and array.shape in ((n, 1), (n, batch)):
        return array
    robots = "" if batch == 1 else f", ({batch},) or ({n}, {batch})"
    raise ModelError(f"{name!r} takes a number or an array of shape ({n},){robots}: {n} steps; not {array.shape}")


def check_names(group: Group, values: Mapping[str, Any]) -> None:
    """Unknown ones raise."""
    for _ in group.columns(values):
        pass


def split(commands: Group, coordinates: Group, returned: Given) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a controller returns: commands to actuators; of other names, efforts."""
    if returned is None:
        return {}, {}
    if not isinstance(returned, Mapping):
        raise ModelError(f"a controller returns a mapping or None, not {type(returned).__name__}")
    command: dict[str, Any] = {}
    effort: dict[str, Any] = {}
    for name, value in returned.items():
        if name in commands.index:
            command[name] = value
        elif name in coordinates.index or name in coordinates.joints:
            effort[name] = value
        else:
            raise UnknownNameError(
                "actuator or joint", name, [*commands.names, *coordinates.names, *coordinates.joints]
            )
    return command, effort
