"""Lines of the actuation in MuJoCo models: one step of one model, and rollouts of many."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.bridges.errors import BridgeError
from gearwright.given_numbers import whole
from gearwright.optional import require
from gearwright.sim import compile
from gearwright.sim.state.values import Array

if TYPE_CHECKING:
    from gearwright.bridges.mujoco import MuJoCoBridge
    from gearwright.sim.actuation_part import ActuationLine, ActuationPart

AGREES = 1e-4  # of the efforts: a line that is further off at the end of a step does not hold there


class LinePlaces:
    """Where the joints of a line are in a model, and the tendons over coupled pairs of them."""

    def __init__(
        self, model: Any, joints: Sequence[int], pairs: Sequence[tuple[int, int]], tendons: Sequence[int]
    ) -> None:
        self.q = np.array([model.jnt_qposadr[j] for j in joints])
        self.v = np.array([model.jnt_dofadr[j] for j in joints])
        self._pairs, self._tendons = pairs, tendons
        self._own_damping = model.dof_damping[self.v].copy()

    def damp(self, model: Any, S: Array) -> None:
        """The slope as damping of joints and tendons."""
        own = S.diagonal().copy()
        for (i, j), tendon in zip(self._pairs, self._tendons, strict=True):
            shared = 0.5 * (S[i, j] + S[j, i])  # damping of qᵢ + qⱼ
            model.tendon_damping[tendon] = shared
            own[[i, j]] -= shared
        model.dof_damping[self.v] = self._own_damping + own


def holds(line: ActuationLine, v: Array, found: Array) -> Array:
    """By lane, whether the efforts of the line are those of the actuators, `found`, at the velocities that came out."""
    expected = line.at(v)
    size = np.abs(found) + np.abs(line.efforts)
    agrees: Array = (np.abs(expected - found) <= AGREES * size + 1e-12).all(axis=1)
    return agrees


# --- rollouts ---------------------------------------------------------------------------------------------------------


class Rollout(NamedTuple):
    """What came out of B rollouts, step by step."""

    state: Array  # (B, nstep, nstate), MuJoCo's mjSTATE_FULLPHYSICS
    sensordata: Array  # (B, nstep, nsensordata)
    reading: dict[str, Array]  # of the robot's own sensors, (B, nstep)
    unsettled: Array  # (B,), steps that were accepted without converging


class _Lanes:
    """B copies of the model, since each has its own damping, in one of MuJoCo's pools."""

    def __init__(self, mujoco: Any, bridge: MuJoCoBridge, pool: Any, nthread: int, count: int) -> None:
        self._pool, self._places = pool, bridge.places
        self._models = [copy.copy(bridge.model) for _ in range(count)]
        self._data = [mujoco.MjData(bridge.model) for _ in range(max(1, nthread))]
        self._spec = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
        self.model = bridge.model

    def step(self, lanes: Array, state: Array, line: ActuationLine) -> tuple[Array, Array]:
        """From `state`, of these lanes."""
        applied = np.zeros((len(lanes), 1, self.model.nv))
        applied[:, 0, self._places.v] = line.constant[lanes]
        for lane in lanes:
            self._places.damp(self._models[lane], line.matrix[lane])
        models = [self._models[lane] for lane in lanes]
        new, sensed = self._pool.rollout(models, self._data, state[lanes], applied, control_spec=self._spec, nstep=1)
        return new[:, 0], sensed[:, 0]

    def joints(self, state: Array) -> tuple[Array, Array]:
        """Their positions and velocities; a state begins with the time, and these two."""
        return state[:, 1 + self._places.q], state[:, 1 + self.model.nq + self._places.v]


def rolled_out(
    bridge: MuJoCoBridge, initial_state: Any, command: Mapping[str, Any], nstep: int, nthread: int
) -> Rollout:
    """See `MuJoCoBridge.rollout`."""
    mujoco, pools = (require(n, "gearwright.bridges.mujoco") for n in ("mujoco", "mujoco.rollout"))
    nstep, nthread = whole("nstep", nstep, error=BridgeError), whole("nthread", nthread, low=0, error=BridgeError)
    state = np.array(initial_state, float, ndmin=2)
    size = mujoco.mj_stateSize(bridge.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    if state.ndim != 2 or state.shape[1] != size:
        raise BridgeError(f"initial_state must have the shape (B, {size}), not {state.shape}: use mjSTATE_FULLPHYSICS")
    count, robot, dt = len(state), bridge.actuation.robot, bridge.actuation.dt
    act: ActuationPart = compile(robot, part="actuation", dt=dt, batch=count)  # type: ignore[assignment]
    commands = {name: _each_step(name, values, count, nstep) for name, values in command.items()}
    with pools.Rollout(nthread=nthread) as pool:
        lanes = _Lanes(mujoco, bridge, pool, nthread, count)
        act.reset_to(*lanes.joints(state))
        steps = list(_steps(act, lanes, state, commands, nstep, bridge.trials))
    states, sensed, readings, unsettled = zip(*steps, strict=True)
    reading = {name: np.stack([r[name] for r in readings], axis=1) for name in readings[0]}
    return Rollout(np.stack(states, axis=1), np.stack(sensed, axis=1), reading, np.sum(unsettled, axis=0))


def _steps(
    act: ActuationPart, lanes: _Lanes, state: Array, commands: Mapping[str, Array], nstep: int, trials: int
) -> Iterator[tuple[Array, Array, dict[str, Array], Array]]:
    """Lanes whose line did not hold make the step again."""
    count = len(state)
    sensed = np.zeros((count, lanes.model.nsensordata))
    for k in range(nstep):
        act.command({name: values[0, k] if count == 1 else values[:, k] for name, values in commands.items()})
        q, guess = lanes.joints(state)
        start, new, again = act.placed(q, guess), state.copy(), np.arange(count)
        for _ in range(trials):
            act.state = start
            line = act.line_at(guess)
            new[again], sensed[again] = lanes.step(again, state, line)
            q, guess = lanes.joints(new)
            act.step_to(guess, q)
            again = again[~holds(line, guess, act.efforts)[again]]
            if not len(again):
                break
        state = new
        reading = {name: np.array(act.sensor[name], float, ndmin=1) for name in act.sensor}
        yield state, sensed.copy(), reading, np.isin(np.arange(count), again)


def _each_step(name: str, values: Any, count: int, nstep: int) -> Array:
    try:
        return np.broadcast_to(np.asarray(values, float), (count, nstep))
    except ValueError:
        message = f"command of {name!r}: a number, ({nstep},) or ({count}, {nstep}), not {np.shape(values)}"
        raise BridgeError(message) from None
