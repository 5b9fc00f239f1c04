"""`sim.sensitivity`: exact derivatives of a roll-out, by the tangent program of the step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.errors import ModelError, SimulationError, UnknownNameError
from gearwright.given_names import checked_names
from gearwright.given_numbers import whole
from gearwright.model.layout.slots import SLOTS, SlotName, StepSlot
from gearwright.sim.derivatives.tangent_rollout import Start, TangentRollout, TangentRows
from gearwright.sim.programs.kernels import CompiledKernels
from gearwright.sim.recordings.signal_names import find, label
from gearwright.sim.running.running import planned, steps_in
from gearwright.sim.signals import Signal
from gearwright.sim.state.batch_state import BatchState
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

# of an axis in the last iteration of a step: what iterations leave is below what derivatives are asked to
CONVERGED = 1e-10


class Direction(NamedTuple):
    """One number that a roll-out is differentiated by."""

    name: str
    slot: str
    element: int


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """A roll-out and its derivatives. `sensitivity["elbow.position", "arm.mass"]` is ∂output/∂input over time.

    Arrays are (T,) for one robot, (T, B) for a batch.
    """

    time: Array  # (T,) [s]
    values: Mapping[str, Array]  # by output
    inputs: tuple[str, ...]  # names: parameters, then commands, then parts of the initial state
    matrix: Array  # (T, outputs, inputs), or (T, B, outputs, inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs, as requested."""
        return tuple(self.values)

    def __getitem__(self, pair: tuple[str, str]) -> Array:
        output, given = pair
        for kind, name, known in (("output", output, self.outputs), ("input", given, self.inputs)):
            if name not in known:
                raise UnknownNameError(f"{kind} of this sensitivity", name, known)
        found: Array = self.matrix[..., self.outputs.index(output), self.inputs.index(given)]
        return found

    @cached_property
    def zero(self) -> tuple[tuple[str, str], ...]:
        """Pairs (output, input) whose derivative is 0 at all times: the output does not depend on the input, or the
        motion does not leave a segment on which it does not."""
        still = ~np.any(self.matrix, axis=tuple(range(self.matrix.ndim - 2)))
        return tuple((self.outputs[i], self.inputs[k]) for i, k in np.argwhere(still))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((output, given) for output in self.outputs for given in self.inputs)

    def __repr__(self) -> str:
        return f"<Sensitivity of {', '.join(self.outputs)} to {', '.join(self.inputs)}: {len(self.time)} rows>"


def sensitivity(
    sim: Simulation, duration: float, *, outputs: Any, parameters: Any = (), commands: Any = (), state: Any = (),
    command: Any = None, effort: Any = None, every: int = 1,
) -> Sensitivity:  # fmt: skip
    """See `Simulation.sensitivity`."""
    problem = RolloutProblem.of(sim, duration, outputs, parameters, commands, state, command, effort)
    if not problem.directions:
        raise ModelError("name what to differentiate by: parameters=(…), commands=(…) or state=(…)")
    step = whole("every", every)
    rows = problem.rolled_out(problem.along(problem.directions), problem.rollout.slots_of(problem.signals), step)
    found = [problem.rollout.read(signal, rows) for signal in problem.signals]
    matrix = np.stack([tangents for _, tangents in found], axis=2)  # (T, B, outputs, inputs)
    each = [values for values, _ in found]
    one = sim.batch == 1
    return Sensitivity(
        time=sim.time + sim.dt * step * np.arange(problem.steps // step + 1),
        values={n: x[:, 0] if one else x for n, x in zip(problem.names, each, strict=True)},
        inputs=tuple(d.name for d in problem.directions),
        matrix=matrix[:, 0] if one else matrix,
    )


@dataclass(frozen=True, kw_only=True)
class RolloutProblem:
    """A roll-out to differentiate: where it starts, what acts, what is asked."""

    twin: Simulation  # the same robot with these parameters as inputs, and steps that converge to rounding
    rollout: TangentRollout
    steps: int
    names: tuple[str, ...]  # of the signals, as they were asked for
    signals: list[Signal]
    directions: list[Direction]
    slots: Mapping[str, Array]
    series: Mapping[str, Array]

    @staticmethod
    def of(
        sim: Simulation, duration: float, outputs: Any, parameters: Any, commands: Any, state: Any,
        command: Any, effort: Any,
    ) -> RolloutProblem:  # fmt: skip
        names = checked_names("sensitivity(parameters=…)", parameters)
        wanted = checked_names("sensitivity(outputs=…)", outputs)
        twin = differentiable(sim, names)
        signals = named_signals(sim, wanted)
        if not signals:
            raise ModelError("name the outputs whose derivatives you want, such as outputs=('knee.position',)")
        steps = steps_in(duration, sim)
        pushed = checked_names("sensitivity(commands=…)", commands)
        motion = checked_names("sensitivity(state=…)", state)
        directions = [*_parameters(twin, names), *_inputs(twin, pushed), *_starts(twin, motion)]
        slots, series = acting(sim, twin, steps, command, effort)
        rollout = TangentRollout(twin.kernels, sim.threads)
        return RolloutProblem(
            twin=twin, rollout=rollout, steps=steps, names=tuple(signals), signals=[*signals.values()],
            directions=directions, slots=slots, series=series,
        )  # fmt: skip

    def along(self, directions: Sequence[Direction]) -> Start:
        """One roll-out for each direction of each robot."""
        B, K = len(self.slots[StepSlot.POSITION]), max(1, len(directions))
        tangents: dict[str, Array] = {}
        for k, (_, slot, element) in enumerate(directions):
            own = tangents.setdefault(slot, np.zeros((B, K, self.rollout.size(slot))))
            own[:, k, element] = 1.0
        varying = {
            slot: np.broadcast_to(x, (self.steps, *x.shape)) for slot, x in tangents.items() if slot in self.series
        }
        return Start(
            steps=self.steps, directions=K, slots=self.slots, tangents=tangents, series=self.series,
            series_tangents=varying,
        )  # fmt: skip

    def rolled_out(self, start: Start, record: Sequence[str], every: int) -> TangentRows:
        """Raises SimulationError if a robot diverges. Inputs are rows, too: as they acted in the step that ends."""
        rows = self.rollout.run(start, [s for s in record if s not in HELD], every)
        if rows.failures:
            first = rows.failures[0]
            slot, element = first.address
            own = self.twin.layout.elements(slot) if slot in SLOTS else ()
            where, time = repr(own[element].owner if own else slot), first.step * self.twin.dt
            raise SimulationError(f"the roll-out, or its derivative, diverges {time:g} s after its start, at {where}")
        held = {name: held_rows(start, name, every) for name in record if name in HELD}
        slots = {name: values for name, (values, _) in held.items()}
        tangents = {name: varied for name, (_, varied) in held.items()}
        return TangentRows(
            slots={**rows.slots, **slots}, tangents={**rows.tangents, **tangents}, failures=rows.failures
        )


HELD = (StepSlot.PARAMETER, StepSlot.DT, StepSlot.COMMAND, StepSlot.EFFORT, StepSlot.WRENCH, StepSlot.TARGET)


def held_rows(start: Start, slot: str, every: int) -> tuple[Array, Array]:
    """An input over the rows of a roll-out, (T, B, size) and (T, B, K, size)."""
    T, (B, size) = start.steps // every + 1, start.slots[slot].shape
    last = np.maximum(every * np.arange(T) - 1, 0)  # the step that ends at each row
    values = start.series[slot][last] if slot in start.series else np.broadcast_to(start.slots[slot], (T, B, size))
    nothing = np.zeros((B, start.directions, size))
    varied = start.series_tangents.get(slot)
    if varied is not None:
        return values, varied[last]
    own = start.tangents.get(slot, nothing)
    return values, np.broadcast_to(own, (T, *own.shape))


# --- the robot with derivatives --------------------------------------------------------------------------------------


def differentiable(sim: Simulation, names: Sequence[str]) -> Simulation:
    """The same robot with these parameters as inputs as well, in steps that converge to rounding; made once."""
    from gearwright.sim.simulation import Simulation

    kept: dict[tuple[str, ...], Simulation] = sim.__dict__.setdefault("_differentiable", {})
    wanted = tuple(dict.fromkeys((*sim.options.parameters, *names)))
    if wanted not in kept:
        if not isinstance(sim.kernels, CompiledKernels):
            raise ModelError("a saved simulation has no derivatives: compile the robot with gearwright.compile")
        options = replace(
            sim.options, parameters=wanted, change=CONVERGED if sim.options.integrator == "midpoint" else None,
            precision="double", batch=1, threads=sim.threads,
        )  # fmt: skip
        kept[wanted] = Simulation(sim.robot, options, CompiledKernels(sim.robot, options))
    return kept[wanted]


def acting(
    sim: Simulation, twin: Simulation, steps: int, command: Any, effort: Any
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Numbers of all slots where the roll-out starts, (B, size), and inputs that change, (n, B, size)."""
    state, own = sim.batch_state, twin.batch_state
    slots = {name: _carried(state, own, name) for name in own.parts}
    slots |= {name: state.get(name).astype(float) for name in (*sim.inputs.slots, StepSlot.TARGET) if state.has(name)}
    slots[StepSlot.DT] = state.get(StepSlot.DT).astype(float)
    if own.has(StepSlot.PARAMETER):
        values = np.repeat(own.get(StepSlot.PARAMETER), sim.batch, axis=0)
        for i, name in enumerate(sim.options.inputs):
            values[:, twin.options.inputs.index(name)] = state.get(StepSlot.PARAMETER)[:, i]
        slots[StepSlot.PARAMETER] = values
    series: dict[str, Array] = {}
    for slot, schedule in planned(sim, {StepSlot.COMMAND: command, StepSlot.EFFORT: effort}, steps).items():
        for i, value in schedule.constant:
            slots[slot][:, i] = value
        if schedule.varying:
            series[slot] = np.repeat(slots[slot][None], steps, axis=0)
            for i, values in schedule.varying.items():
                series[slot][:, :, i] = values
    return slots, series


def _carried(state: BatchState, own: BatchState, name: str) -> Array:
    """A slot of the twin where the simulation is. Rows that a parameter adds, such as a gear's losses, start anew."""
    found, fresh = state.get(name).astype(float), own.get(name)
    return found if found.shape[1:] == fresh.shape[1:] else np.repeat(fresh, len(found), axis=0)


def _parameters(twin: Simulation, names: Sequence[str]) -> list[Direction]:
    return [Direction(n, StepSlot.PARAMETER, twin.options.inputs.index(n)) for n in names]


def _inputs(twin: Simulation, names: Sequence[str]) -> list[Direction]:
    """Commands by actuator, efforts by joint."""
    commands, coordinates = twin.layout.commands, twin.layout.names.coordinates
    found = []
    for name in names:
        slot: SlotName = StepSlot.COMMAND if name in commands.index else StepSlot.EFFORT
        if slot == StepSlot.EFFORT and name not in coordinates.index:
            raise UnknownNameError("actuator or joint", name, [*commands.names, *coordinates.names])
        found.append(Direction(f"{name}.{slot}", slot, twin.layout.group(slot).index[name]))
    return found


def _starts(twin: Simulation, names: Sequence[str]) -> list[Direction]:
    """Independent positions and velocities, as `knee.position`."""
    known = {
        f"{e.owner}.{e.quantity}": Direction(f"{e.owner}.{e.quantity}", slot, i)
        for slot in (StepSlot.POSITION, StepSlot.VELOCITY)
        for i, e in enumerate(twin.layout.elements(slot))
    }
    own = twin.layout.names
    quaternions = {own.positions.names[i] for turn in own.quaternions for i in range(turn.start, turn.stop)}
    for name in names:
        if name.removesuffix(".position") in quaternions and name.endswith(".position"):
            raise ModelError(f"{name!r} is part of a quaternion, whose four numbers cannot change one by one")
        if name not in known:
            raise UnknownNameError("number of the start", name, list(known))
    return [known[name] for name in names]


def named_signals(sim: Simulation, names: Sequence[str]) -> dict[str, Signal]:
    """Signals of single numbers by the names that they are asked for; a family or a joint stands for several."""
    found: dict[str, Signal] = {}
    for name in names:
        own = find(sim.schema, name)
        found |= {name if len(own) == 1 else label(s): s for s in own}
    return found
