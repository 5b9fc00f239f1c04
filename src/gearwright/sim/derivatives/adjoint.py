"""`sim.gradient`: the gradient of one number of a roll-out, backwards in time.

    x₊ = step(x, p, u),   L = Σ l(x, p)          λ = ∂L/∂x:   λ = Aᵀ·λ₊ + ∂l/∂x,   ∂L/∂u = Bᵀ·λ₊

A and B of a step come from the tangent program, for many steps at once: the states in between are known by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import numbers, whole
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.derivatives.sensitivity import HELD, Direction, RolloutProblem
from gearwright.sim.derivatives.tangent_rollout import Start, TangentRows
from gearwright.sim.state.values import Array, Value

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

LANES = 4096  # steps times directions that are differentiated in one call
INPUTS = (StepSlot.COMMAND, StepSlot.EFFORT)


@dataclass(frozen=True, kw_only=True)
class Gradient:
    """L and its derivatives: numbers for one robot, arrays (B,) for a batch; over n steps (n,) or (n, B)."""

    value: Value  # L, for weights
    parameters: Mapping[str, Value]  # ∂L/∂parameter, by name
    state: Mapping[str, Value]  # by number of the start
    commands: Mapping[str, Array]  # by actuator, of every step
    efforts: Mapping[str, Array]  # by coordinate, of every step


def gradient(
    sim: Simulation, duration: float, weights: Any, *, parameters: Any = (), state: Any = (), command: Any = None,
    effort: Any = None, every: int = 1,
) -> Gradient:  # fmt: skip
    """See `Simulation.gradient`."""
    outputs, weigh = _asked(weights)
    problem, step = (
        RolloutProblem.of(sim, duration, outputs, parameters, (), state, command, effort),
        whole("every", every),
    )
    rollout, states = problem.rollout, [*problem.twin.batch_state.parts]
    read = rollout.slots_of(problem.signals)
    start = problem.along(())
    rows = problem.rolled_out(start, [*dict.fromkeys((*states, *read))], 1)  # a state for every step
    values = {n: rollout.read(s, rows)[0][::step] for n, s in zip(problem.names, problem.signals, strict=True)}
    own = _weights(weigh, values, one=sim.batch == 1)
    found = _Backward(problem, rows, start).swept({n: (step, w) for n, w in own.items()})
    total = sum((w * values[n]).sum(axis=0) for n, w in own.items())
    return _named(problem, np.asarray(total), found, one=sim.batch == 1)


def _asked(weights: Any) -> tuple[Sequence[str], Callable[[Mapping[str, Array]], Any]]:
    """The outputs by name, and a function from them to ∂L/∂output."""
    if isinstance(weights, Mapping):
        return tuple(weights), lambda values: weights
    if isinstance(weights, tuple) and len(weights) == 2 and callable(weights[1]):
        return weights
    raise ModelError(
        f"weights must be a mapping from outputs to arrays, or a pair (outputs, function), not {weights!r:.60}"
    )


def _weights(weigh: Callable[..., Any], values: Mapping[str, Array], *, one: bool) -> dict[str, Array]:
    given = weigh({name: x[:, 0] if one else x for name, x in values.items()})
    if not isinstance(given, Mapping):
        raise ModelError(f"the function of the outputs must return a mapping, not {type(given).__name__}")
    found = {}
    for name, weight in given.items():
        if name not in values:
            raise UnknownNameError("output", str(name), list(values))
        array = numbers(f"the weights of {name!r}", weight)
        array = array[:, None] if array.ndim == 1 and len(array) == len(values[name]) else array
        if array.ndim and array.shape not in (values[name].shape, (len(values[name]), 1)):
            raise ModelError(f"the weights of {name!r} need the shape {values[name].shape}, not {array.shape}")
        found[name] = np.broadcast_to(array, values[name].shape)
    return found


class _Backward:
    """The sweep from the end of a roll-out to its start."""

    def __init__(self, problem: RolloutProblem, rows: TangentRows, start: Start) -> None:
        self.problem, self.rows, self.start = problem, rows, start
        own, size = problem.rollout, problem.rollout.size
        self.state = [Direction("", slot, i) for slot in own.states for i in range(size(slot))]
        self.parameters = [d for d in problem.directions if d.slot == StepSlot.PARAMETER]
        there = [slot for slot in INPUTS if slot in problem.slots and own.has(slot)]
        self.inputs = [Direction("", slot, i) for slot in there for i in range(size(slot))]

    def swept(self, weights: Mapping[str, tuple[int, Array]]) -> dict[str, Array]:
        """∂L/∂state (B, x) at the start, ∂L/∂parameter (B, p), ∂L/∂input (n, B, u)."""
        n, B = self.problem.steps, self.start.robots
        nx, npar = len(self.state), len(self.parameters)
        costs = self._output_terms(weights)  # (n + 1, B, x + p): ∂l/∂x, ∂l/∂p
        adjoint, by_parameter = costs[n, :, :nx].copy(), costs[:, :, nx:].sum(axis=0)
        by_input = np.zeros((n, B, len(self.inputs)))
        columns = nx + npar + len(self.inputs)
        chunk = max(1, LANES // (B * columns))
        for last in range(n, 0, -chunk):
            first = max(0, last - chunk)
            jacobians = self._jacobians(first, last)  # (steps, B, columns, x)
            for k in range(last - 1, first - 1, -1):
                back = np.einsum("bcx,bx->bc", jacobians[k - first], adjoint)
                adjoint = back[:, :nx] + costs[k, :, :nx]
                by_parameter = by_parameter + back[:, nx : nx + npar]
                by_input[k] = back[:, nx + npar :]
        return {"state": adjoint, "parameter": by_parameter, "input": by_input}

    def _jacobians(self, first: int, last: int) -> Array:
        """Derivatives of single steps: each step of each robot is a robot here, and each column a direction."""
        count, B = last - first, self.start.robots
        directions = [*self.state, *self.parameters, *self.inputs]
        slots = {name: _flat(x[first:last]) for name, x in self.rows.slots.items() if name not in HELD}
        for name in HELD:
            if name in self.start.series:
                slots[name] = _flat(self.start.series[name][first:last])
            elif name in self.start.slots:
                slots[name] = np.tile(self.start.slots[name], (count, 1))
        single = replace(self.problem, steps=1, slots=slots, series={})
        found = single.rollout.run(single.along(directions), self.problem.rollout.states)
        each = np.concatenate([found.tangents[slot][1] for slot in self.problem.rollout.states], axis=-1)
        return each.reshape(count, B, len(directions), len(self.state))

    def _output_terms(self, weights: Mapping[str, tuple[int, Array]]) -> Array:
        """∂l/∂(state, parameters) of every row, (n + 1, B, x + p)."""
        T, B = self.problem.steps + 1, self.start.robots
        directions = [*self.state, *self.parameters]
        total = np.zeros((T, B, len(directions)))
        rollout = self.problem.rollout
        K = len(directions)
        slots = {n: self.rows.slots[n] for n in rollout.slots_of(self.problem.signals)}
        tangents = {n: np.zeros((T, B, K, x.shape[-1])) for n, x in slots.items()}
        for k, (_, slot, i) in enumerate(directions):
            if slot in tangents:
                tangents[slot][:, :, k, i] = 1.0
        rows = TangentRows(slots=slots, tangents=tangents, failures=())
        for name, signal in zip(self.problem.names, self.problem.signals, strict=True):
            step, weight = weights.get(name, (1, None))
            if weight is not None:
                total[::step] += weight[..., None] * rollout.read(signal, rows)[1][::step]
        return total


def _flat(x: Array) -> Array:
    return x.reshape(-1, x.shape[-1])


def _named(problem: RolloutProblem, value: Array, found: Mapping[str, Array], *, one: bool) -> Gradient:
    backward = [(slot, i) for slot in problem.rollout.states for i in range(problem.rollout.size(slot))]

    def shown(x: Array) -> Any:
        return (float(x[..., 0]) if x.ndim == 1 else x[..., 0]) if one else x

    by_place = {place: found["state"][:, k] for k, place in enumerate(backward)}
    starts = {d.name: by_place.get((d.slot, d.element)) for d in problem.directions if d.slot != StepSlot.PARAMETER}
    names = [d.name for d in problem.directions if d.slot == StepSlot.PARAMETER]
    layout, own = problem.twin.layout, problem.rollout
    there = [slot for slot in INPUTS if slot in problem.slots and own.has(slot)]
    places = [(slot, i) for slot in there for i in range(own.size(slot))]
    inputs: dict[str, dict[str, Array]] = {slot: {} for slot in INPUTS}
    for k, (slot, i) in enumerate(places):
        inputs[slot][layout.group(slot).names[i]] = shown(found["input"][:, :, k])
    return Gradient(
        value=shown(value),
        parameters={n: shown(found["parameter"][:, k]) for k, n in enumerate(names)},
        state={n: shown(np.zeros_like(value) if x is None else x) for n, x in starts.items()},
        commands=inputs[StepSlot.COMMAND], efforts=inputs[StepSlot.EFFORT],
    )  # fmt: skip
