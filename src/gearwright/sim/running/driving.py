"""Targets of drives over the time of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from gearwright.errors import ModelError
from gearwright.given_numbers import position_checked
from gearwright.model.hardware.drives import UNGIVEN_RATE
from gearwright.sim.running.schedules import Schedule
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

DIFFERENCE = 1e-3  # of a step: over which the rate of a function of time is taken


@runtime_checkable
class Path(Protocol):
    """Positions and velocities over time by joint: a `gearwright.Trajectory`."""

    @property
    def joints(self) -> tuple[str, ...]: ...
    def position(self, t: Any) -> Mapping[str, Any]: ...
    def velocity(self, t: Any) -> Mapping[str, Any]: ...


def driven(sim: Simulation, given: Any, n: int, begins: Callable[[], Array]) -> Schedule:
    """The targets of n steps: where each drive is to be at the end of each step, and how fast.

    `begins`: times at which the steps begin.
    """
    group, kinematic = sim.layout.drives, [d.kinematic for d in sim.options.drives.values()]
    schedule = Schedule(group, {}, begins, n, sim.batch)
    if isinstance(given, Path):
        t = begins() + sim.dt
        both = given.position(t), given.velocity(t)
        for i, _ in group.columns(dict.fromkeys(given.joints, 0.0)):
            for part in (0, 1):
                schedule.varying[2 * i + part] = np.asarray(both[part][group.names[i]], float).reshape(n, -1)
        return schedule
    if not isinstance(given, Mapping):
        raise ModelError(f"drive= takes a Trajectory, or targets by joint, not {given!r:.60}")
    ends = Schedule(group, given, lambda: begins() + sim.dt, n, sim.batch)
    for i, value in ends.constant:
        schedule.constant += [(2 * i, value), (2 * i + 1, UNGIVEN_RATE if kinematic[i] else 0.0)]
    functions = {name: f for name, f in given.items() if callable(f)}
    h = DIFFERENCE * sim.dt
    later = Schedule(group, functions, lambda: begins() + sim.dt + h, n, sim.batch)
    sooner = Schedule(group, functions, lambda: begins() + sim.dt - h, n, sim.batch)
    for i, positions in ends.varying.items():
        position_checked(repr(group.names[i]), positions)
        schedule.varying[2 * i] = positions
        if i in later.varying:
            schedule.varying[2 * i + 1] = (later.varying[i] - sooner.varying[i]) / (2 * h)
        else:
            schedule.varying[2 * i + 1] = _rates(positions, sim, i, kinematic=kinematic[i])
    return schedule


def _rates(positions: Array, sim: Simulation, i: int, *, kinematic: bool) -> Array:
    """Of positions that are given step by step: a kinematic drive finds its own, others go by differences."""
    if kinematic:
        return np.full_like(positions, UNGIVEN_RATE)
    start = np.broadcast_to(np.ravel(sim.position[sim.layout.drives.names[i]]), positions.shape[1:])
    return np.diff(positions, axis=0, prepend=start[None]) / sim.dt
