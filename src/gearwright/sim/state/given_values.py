"""Numbers as callers give them, by name, checked and converted to what machine code reads."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import numbers
from gearwright.model import Mechanism
from gearwright.model.checks.design_rules import broken_rules
from gearwright.model.parameters import quantity_of
from gearwright.sim.state.names import Group
from gearwright.sim.state.values import Array

Given = Mapping[str, Any] | None


def held(group: Group, values: Mapping[str, Any], batch: int) -> list[tuple[int, Any]]:
    """Each number that is given: a float, or an array (B,)."""
    return [(i, constant(group.names[i], value, batch)) for i, value in group.columns(values)]


def possible(
    robot: Mechanism, group: Group, values: Mapping[str, Any], batch: int, now: Mapping[str, Any]
) -> list[tuple[int, Any]]:
    """The same for parameters; values that the mechanism cannot have, beside those that the others have now, raise."""
    given = held(group, values, batch)
    for i, value in given:
        if why := quantity_of(robot, group.names[i]).first_problem(repr(group.names[i]), value):
            raise ModelError(why)
    changed = {group.names[i]: value for i, value in given}
    designs = ChainMap(changed, now)  # type: ignore[arg-type]  # only read
    for broken in broken_rules(robot, designs, batch, changed):
        first = int(np.argmax(broken.designs))
        which = f" (robot {first})" if batch > 1 else ""
        raise ModelError(broken.message(designs, first) + which)
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
    array = numbers(repr(name), value)
    if array.ndim == 0:
        return float(array)
    if array.shape != (batch,):
        expected = "a number" if batch == 1 else f"a number or an array of shape ({batch},)"
        raise ModelError(f"{name!r} takes {expected}, not an array of shape {array.shape}")
    return array


def check_names(group: Group, values: Mapping[str, Any]) -> None:
    """Unknown ones raise."""
    for _ in group.columns(values):
        pass


def split(commands: Group, coordinates: Group, returned: Given) -> tuple[dict[str, Any], dict[str, Any]]:
    """Commands and efforts among the values that a controller returns, by their names."""
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
