"""Linear algebra on a simulation at its instant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.sim import views
from gearwright.sim.values import Array, Value

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def impulse_response(sim: Simulation, a: str, b: str) -> Value:
    """See `Simulation.impulse_response`: an entry of M⁻¹."""
    i, k = (views.coordinate(sim, name) for name in (a, b))
    unit = np.zeros((len(sim.coordinates), 1))
    unit[k] = 1.0
    response = np.linalg.solve(sim.mass_matrix(), unit)[..., i, 0]
    return float(response) if sim.batch == 1 else response


def linearized(sim: Simulation) -> tuple[Array, Array]:
    """See `Simulation.linearize`."""
    function = sim.kernels.equations.linearisation
    given = [sim.inputs.acting(name) for name in function.name_in()]
    pairs = [function.call(list(robot)) for robot in zip(*given, strict=True)]
    A, B = (np.stack([np.array(pair[part].full()) for pair in pairs]) for part in (0, 1))
    return (A[0], B[0]) if sim.batch == 1 else (A, B)
