"""Linear algebra on a simulation at its instant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state.values import Array, Value

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


def impulse_response(sim: Simulation, a: str, b: str) -> Value:
    """See `Simulation.impulse_response`: an entry of M⁻¹."""
    i, k = (sim.layout.names.coordinates.single(name) for name in (a, b))
    unit = np.zeros((len(sim.coordinates), 1))
    unit[k] = 1.0
    response = np.linalg.solve(sim.mass_matrix(), unit)[..., i, 0]
    return float(response) if sim.batch == 1 else response


class Linearization(tuple[Array, Array]):
    """A and B of one step, with the names of their rows and columns: `A, B = sim.linearize()`."""

    states: tuple[str, ...]  # rows of A and B, columns of A
    inputs: tuple[str, ...]  # columns of B

    @property
    def A(self) -> Array:
        return self[0]

    @property
    def B(self) -> Array:
        return self[1]


def linearized(sim: Simulation) -> Linearization:
    """See `Simulation.linearize`: the same one until something changes."""
    version = sim.batch_state.version
    kept = sim.__dict__.get("_linearization")
    if kept is None or kept[0] != version:
        found = Linearization(_linearized(sim))
        motion = [e for slot in (StepSlot.POSITION, StepSlot.VELOCITY) for e in sim.layout.elements(slot)]
        found.states = tuple(f"{e.owner}.{e.quantity}" for e in motion)
        found.inputs = (*(f"{n}.effort" for n in sim.coordinates), *(f"{n}.command" for n in sim.robot.actuators))
        for matrix in found:
            matrix.flags.writeable = False  # it may be handed out again
        kept = sim.__dict__["_linearization"] = (sim.batch_state.version, found)
    linearization: Linearization = kept[1]
    return linearization


def _linearized(sim: Simulation) -> tuple[Array, Array]:
    function = sim.kernels.equations.linearization
    own = (StepSlot.MEAN_VELOCITY, StepSlot.SEGMENT, StepSlot.SUBSTEPPING)
    ended = _after_a_step(sim, [n for n in own if n in sim.batch_state.parts])
    now = {name: sim.inputs.acting(name) for name in function.name_in()}
    pairs = []
    for r in range(sim.batch):
        given = {name: x[r] for name, x in now.items()}
        after = {name: x[r] for name, x in ended.items() if name in now}
        substeps = _substeps(given, after)
        if substeps > 1:
            segments = {name: x for name, x in after.items() if name == StepSlot.SEGMENT}
            pairs.append(_chained(sim, given | segments, substeps))
        else:
            A, B = function.call([(given | after)[name] for name in function.name_in()])
            pairs.append((np.array(A.full()), np.array(B.full())))
    A, B = (np.stack([pair[part] for pair in pairs]) for part in (0, 1))
    return (A[0], B[0]) if sim.batch == 1 else (A, B)


def _substeps(*slots: Mapping[str, Array]) -> int:
    """Those of a step: their number grows at its start, and falls at its end."""
    return 1 + int(max((each[StepSlot.SUBSTEPPING][0] for each in slots if StepSlot.SUBSTEPPING in each), default=0))


def _chained(sim: Simulation, given: dict[str, Array], substeps: int) -> tuple[Array, Array]:
    """A and B of a step in so many substeps, one after the other, all with laws on the segments of the end."""
    function = sim.kernels.equations.substep_linearization
    nx = sum(len(given[name]) for name in (StepSlot.POSITION, StepSlot.VELOCITY))
    stored, inputs = function.size1_out("A") - nx, function.size2_out("B")  # by actuators, which start as they are
    total = np.pad(np.eye(nx), ((0, stored), (0, inputs)))
    for k in range(substeps):
        extra, remaining = substeps - 1.0, 1.0 - k / substeps
        given |= {StepSlot.SUBSTEPPING: np.array([extra, 0.0, 0.0]), "remaining": np.array([remaining])}
        found = dict(zip(function.name_out(), function.call([given[n] for n in function.name_in()]), strict=True))
        A, B = (np.array(found.pop(name).full()) for name in "AB")
        total = A @ total
        total[:, nx:] += B
        given |= {name.removeprefix("next_"): x.full().ravel() for name, x in found.items()}
    return total[:nx, :nx], total[:nx, nx:]


def _after_a_step(sim: Simulation, slots: Iterable[str]) -> dict[str, Array]:
    """The slots as the next step leaves them, (B, n); the simulation stays where it is.

    Of the mean velocity, what the step's guess has to start from to hit it: the guess is `2·v − mean`.
    """
    if not slots:
        return {}
    before, clock = sim.state, (sim.clock.start, sim.clock.steps)
    velocity = sim.batch_state.get(StepSlot.VELOCITY)
    try:
        if not sim.batch_state.instance.step():  # without listeners: it is taken back
            raise sim.clock.failure(clock[1])
        ended = {name: sim.batch_state.get(name) for name in slots}
    finally:
        sim.state = before
        sim.clock.set(*clock)
    if StepSlot.MEAN_VELOCITY in ended:
        ended[StepSlot.MEAN_VELOCITY] = 2.0 * velocity - ended[StepSlot.MEAN_VELOCITY]
    return ended
