"""Transmissions' maps with the numbers that parameters have now, robot by robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.model import Mechanism, Transmission, TransmissionMap
from gearwright.model.layout.slots import StepSlot
from gearwright.model.parameters import map_unknowns
from gearwright.model.transmissions import with_parameters
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def parameters_now(sim: Simulation) -> dict[str, Array]:
    """The parameters' values by name, (B, 1) each."""
    values = sim.batch_state.get(StepSlot.PARAMETER)
    return {name: values[:, i : i + 1] for i, name in enumerate(sim.options.inputs)}


def map_numbers(robot: Mechanism, t: Transmission, parameters: Mapping[str, Array], n: int) -> dict[str, Array]:
    """Those of a transmission's map that are parameters, (n,) each."""
    return {name: np.broadcast_to(x, (n, 1))[:, 0] for name, x in map_unknowns(robot, t, parameters).items()}


def designs(m: TransmissionMap, numbers: Mapping[str, Array]) -> Iterator[tuple[Any, TransmissionMap]]:
    """Robots that have the same numbers, and the map that they share."""
    if not numbers:
        yield slice(None), m
        return
    distinct, which = np.unique(np.stack([*numbers.values()], axis=1), axis=0, return_inverse=True)
    for i, row in enumerate(distinct.tolist()):
        yield which.reshape(-1) == i, with_parameters(m, dict(zip(numbers, row, strict=True)))


def map_of(sim: Simulation, t: Transmission, robot: int) -> TransmissionMap:
    """As one robot has it."""
    assert t.map is not None
    numbers = map_numbers(sim.robot, t, parameters_now(sim), sim.batch)
    return with_parameters(t.map, {name: float(x[robot]) for name, x in numbers.items()}) if numbers else t.map


def mapped(sim: Simulation, t: Transmission, method: str, x: Array, **at: Array) -> Array:
    """One of the map's methods of x, (k,) of one robot or (B, k)."""
    assert t.map is not None
    numbers = map_numbers(sim.robot, t, parameters_now(sim), sim.batch) if sim.options.parameters else {}
    if not numbers:
        return np.asarray(getattr(t.map, method)(x, **at))
    given, where = np.atleast_2d(x), {name: np.atleast_2d(y) for name, y in at.items()}
    found: Array = np.empty((sim.batch, 0))
    for robots, m in designs(t.map, numbers):
        own = np.asarray(getattr(m, method)(given[robots], **{name: y[robots] for name, y in where.items()}))
        found = found if found.size else np.empty((sim.batch, own.shape[-1]))
        found[robots] = own
    return found.reshape((*np.shape(x)[:-1], -1))
