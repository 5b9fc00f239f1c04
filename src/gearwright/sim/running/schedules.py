"""The inputs of a run: constants, and values that change in every step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gearwright.errors import ModelError
from gearwright.given_numbers import numbers
from gearwright.sim.state.given_values import constant
from gearwright.sim.state.names import Group
from gearwright.sim.state.values import Array
from gearwright.user_code import user_line


class Schedule:
    """The commands, or efforts, of a run of n steps: some constant, some new in every step."""

    def __init__(self, group: Group, given: Any, times: Callable[[], Array], n: int, batch: int) -> None:
        self.constant: list[tuple[int, Any]] = []
        self.varying: dict[int, Array] = {}  # coordinate → (n, 1) or (n, B)
        for i, value in group.columns(_called(given, times)):
            array = numbers(repr(group.names[i]), value)
            steps = _per_step(group.names[i], array, n, batch)
            if steps is None:
                self.constant.append((i, constant(group.names[i], array.reshape(array.shape[-1:]), batch)))
            else:
                self.varying[i] = steps


def _called(given: Any, times: Callable[[], Array]) -> dict[str, Any]:
    """Functions of time, all or single ones, evaluated at the beginning of every step."""
    if callable(given):
        given = _evaluated("the function of time", given, times())
    if not isinstance(given, Mapping):
        raise ModelError(f"commands and efforts must be mappings from names to values, not a {type(given).__name__}")
    return {
        name: _evaluated(f"the function for {name!r}", value, times()) if callable(value) else value
        for name, value in given.items()
    }


def _evaluated(what: str, function: Callable[[Array], Any], times: Array) -> Any:
    """A function of all times at once; one that takes only single numbers raises an error that says so."""
    try:
        return function(times)
    except Exception as error:  # the user's code may raise anything
        line = user_line(error.__traceback__)
        said = f"{what}{line} gets the times of all steps at once, an array: "
        if isinstance(error, ValueError) and "truth value" in str(error):
            raise ModelError(f"{said}write np.where(t > 0.5, 3, 0) instead of `3 if t > 0.5 else 0`") from error
        if isinstance(error, TypeError) and "scalar" in str(error):
            raise ModelError(f"{said}use np.sin instead of math.sin, and the like") from error
        raise ModelError(f"{what}{line} failed: {type(error).__name__}: {error}") from error


def _per_step(name: str, array: Array, n: int, batch: int) -> Array | None:
    """(n, 1) or (n, B) for values that change every step; None for constants."""
    if array.ndim and array.shape[0] == n + 1 and n > 1 and array.shape != (batch,):
        array = array[1:]  # of a recording, whose first row no step has made
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
