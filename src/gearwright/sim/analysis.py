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
    function = sim.kernels.equations.linearization
    ended = _after_a_step(sim, [n for n in ("mean_velocity", "piece", "piece_end") if n in sim.batch_state.parts])
    given = [ended[name] if name in ended else sim.inputs.acting(name) for name in function.name_in()]
    pairs = [function.call(list(robot)) for robot in zip(*given, strict=True)]
    A, B = (np.stack([np.array(pair[part].full()) for pair in pairs]) for part in (0, 1))
    return (A[0], B[0]) if sim.batch == 1 else (A, B)


def _after_a_step(sim: Simulation, slots: list[str]) -> dict[str, Array]:
    """The slots as the next step leaves them, (B, n); the simulation stays where it is.

    Of the mean velocity, what the step's guess has to start from to hit it: the guess is `2·v − mean`.
    """
    if not slots:
        return {}
    before, clock = sim.state, (sim.clock.start, sim.clock.steps)
    velocity = sim.batch_state.get("velocity")
    try:
        if not sim.batch_state.instance.step():  # without listeners: it is taken back
            raise sim.clock.failure(clock[1])
        ended = {name: sim.batch_state.get(name) for name in slots}
    finally:
        sim.state = before
        sim.clock.set(*clock)
    if "mean_velocity" in ended:
        ended["mean_velocity"] = 2.0 * velocity - ended["mean_velocity"]
    return ended
