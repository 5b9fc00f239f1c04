"""A compiled controller's numbers in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.sim.state.layout import INPUTS

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def not_finite(sim: Simulation, robot: int) -> str | None:
    """The first number of the controller that is not finite in the step after a robot's last good state, if any."""
    stage = None if sim.layout.control is None else sim.kernels.control_stage
    if stage is None:
        return None
    after = stage.call([sim.inputs.acting(slot)[robot] for slot in stage.name_in()])[0]
    bad = np.flatnonzero(~np.isfinite(np.array(after.full()).ravel()))
    return described(sim, int(bad[0])) if len(bad) else None


def described(sim: Simulation, element: int) -> str:
    """An entry of `control` in words."""
    for slot in INPUTS:
        for i, place in sim.layout.controlled(slot).items():
            if place == element:
                return f"{slot} that the controller gives {sim.layout.group(slot).names[i]!r}"
    return "controller's memory " + next(repr(n) for n, place in sim.layout.memory.items() if place == element)
