"""Rules between the fields of a part, for the numbers that parameters give it: all robots of a batch at once.

    def rules(self):
        yield self.pins > self.lobes, "a ring takes more pins than its disc has lobes"

A part's own `rules` are asked once, with arrays in its fields. A class that has only a `__post_init__` of its own is
made once for each distinct design.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.mass.massless_designs import massless_designs
from gearwright.model.parameters import axes, device_key, losses_key
from gearwright.model.transmissions import Series, parameters, with_values

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

Array = np.ndarray[Any, Any]


class BrokenRule(NamedTuple):
    """Designs that cannot be."""

    designs: Array  # (n,) of truths
    parameters: tuple[str, ...]  # of the part, those that vary
    rule: str

    def message(self, values: Mapping[str, Any], design: int) -> str:
        """The parameters that this design has, and the rule."""
        given = ((name, np.broadcast_to(values[name], len(self.designs))[design]) for name in self.parameters)
        return f"{', '.join(f'{name!r} = {x:g}' for name, x in given)}: {self.rule}"


def broken_rules(
    robot: Mechanism, values: Mapping[str, Any], count: int, changed: Collection[str]
) -> Iterator[BrokenRule]:
    """`values` are numbers or arrays (count,) by the names of parameters. Asks parts that have one of `changed`."""
    for prefix, part in _parts(robot):
        if not any(name.startswith(prefix) for name in changed):
            continue
        known = parameters(part)
        own = {field: values[prefix + field] for field in known if prefix + field in values}
        for holds, rule in _asked(part, own, count) if own else ():
            designs = ~np.broadcast_to(np.asarray(holds, dtype=bool), (count,))
            if designs.any():
                yield BrokenRule(designs, tuple(prefix + field for field in own), rule)
    for massless in massless_designs(robot, values, count, changed):
        yield BrokenRule(*massless)


def _parts(robot: Mechanism) -> Iterator[tuple[str, Any]]:
    """Parts that may have rules, each with the prefix of its parameters."""
    for name, actuator in robot.actuators.items():
        yield f"{device_key(robot, name)}.", actuator
        if actuator.friction_model is not None:
            yield f"{device_key(robot, name)}.friction_model.", actuator.friction_model
    for name, t in robot.transmissions.items():
        key = device_key(robot, name)
        if t.map is not None and not (name in robot.actuators and key == name):
            yield f"{key}.", t.map
        if t.losses.friction_model is not None:
            yield f"{losses_key(robot, t)}.friction_model.", t.losses.friction_model
    for joint in robot.joints.values():
        for coordinate, axis in axes(joint):
            if axis.dynamics.friction_model is not None:
                yield f"{coordinate}.friction_model.", axis.dynamics.friction_model


def _asked(part: Any, values: Mapping[str, Any], count: int) -> Iterator[tuple[Any, str]]:
    if isinstance(part, Series):
        for i, stage in enumerate(part.stages, 1):
            prefix = f"stage{i}."
            own = {k.removeprefix(prefix): x for k, x in values.items() if k.startswith(prefix)}
            yield from _asked(stage, own, count) if own else ()
    elif _says_its_rules(type(part)):
        yield from with_values(part, values).rules()
    else:
        yield from _made(part, values, count)


def _says_its_rules(kind: type[Any]) -> bool:
    """Whether `rules` are all: no class below them checks more when it is made."""
    for c in kind.__mro__:
        if "rules" in vars(c):
            return True
        if "__post_init__" in vars(c):
            return False
    return False


def _made(part: Any, values: Mapping[str, Any], count: int) -> Iterator[tuple[Any, str]]:
    table = np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in values.values()], axis=1)
    distinct, which = np.unique(table, axis=0, return_inverse=True)
    for i, row in enumerate(distinct.tolist()):
        try:
            made = with_values(part, dict(zip(values, row, strict=True)))
            replace(part, **{f.name: getattr(made, f.name) for f in fields(part) if f.init})
        except ModelError as error:
            yield which.reshape(-1) != i, str(error)
