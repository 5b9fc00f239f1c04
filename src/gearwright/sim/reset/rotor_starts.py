"""Initial positions and velocities of rotors with coordinates of their own, from those of their joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.errors import ModelError
from gearwright.model import AxisRef, Mechanism, Transmission, TransmissionMap
from gearwright.model.transmissions import LinearTransmission, with_parameters, with_values
from gearwright.model.transmissions.leading import led, start_of
from gearwright.model.transmissions.linear import dot
from gearwright.sim.reset.followers import AGREEMENT
from gearwright.sim.state.current_maps import designs, map_numbers
from gearwright.sim.state.values import Array


def loose_transmissions(robot: Mechanism) -> list[Transmission]:
    """Those with play between their joints and rotors."""
    found = (t for t in robot.transmissions.values() if t.backlash is not None and t.map is not None)
    rotors = robot.layout.rotors
    return [t for t in found if all(robot.acting.get(a) is t and a in rotors for a in t.actuators)]


def with_loose_rotors(
    robot: Mechanism, parameters: Mapping[str, Array], start: tuple[Array, Array], tree: tuple[Array, Array],
    given: tuple[set[int], set[int]],
) -> tuple[Array, Array]:  # fmt: skip
    """Rotors with play behind them start in the middle of it, at the speed that the joints have.

    `tree`: positions and velocities with every follower where it belongs.
    """
    n = max(len(x) for x in (*start, *tree, *parameters.values()))
    q, v = (np.array(np.broadcast_to(x, (n, x.shape[1]))) for x in start)
    for t in loose_transmissions(robot):
        axes = [robot.layout.axes[ref] for ref in t.joints]
        at = np.broadcast_to(tree[0], q.shape)[:, [i for i, _ in axes]]
        rates = np.broadcast_to(tree[1], v.shape)[:, [k for _, k in axes]]
        position, velocity = _through(robot, t, parameters, at, rates)
        for column, (i, k) in enumerate(robot.layout.axes[robot.layout.rotors[a]] for a in t.actuators):
            if i not in given[0]:
                q[:, i] = position[:, column]
            if k not in given[1]:
                v[:, k] = velocity[:, column]
    return q, v


def _through(
    robot: Mechanism, t: Transmission, parameters: Mapping[str, Array], q: Array, v: Array
) -> tuple[Array, Array]:
    """Actuators' positions and velocities, (n, na) each, for these of the joints, (n, nj) each."""
    assert t.map is not None
    position, velocity = (np.empty((len(q), len(t.actuators))) for _ in range(2))
    numbers = map_numbers(robot, t, parameters, len(q))
    if numbers and isinstance(t.map, LinearTransmission):  # all robots at once
        linear = with_values(t.map, numbers)
        rows, columns = linear.actuator_entries(), list(v.T)
        return linear.to_actuators(q), np.stack([np.broadcast_to(dot(r, columns), len(v)) for r in rows], axis=-1)
    for robots, m in designs(t.map, numbers):
        position[robots] = m.joint_to_actuator_position(q[robots])
        velocity[robots] = np.einsum("naj,nj->na", m.actuator_per_joint_at(q[robots]), v[robots])
    return position, velocity


def with_leading_rotors(
    robot: Mechanism, parameters: Mapping[str, Array], start: tuple[Array, Array],
    given: tuple[set[int], set[int]],
) -> tuple[Array, Array]:  # fmt: skip
    """Positions and velocities of rotors that lead their joints, such that the joints have theirs; NaN where
    impossible."""
    q, v = start
    for t in (robot.transmissions[name] for name in sorted(led(robot))):
        rotors = [robot.layout.axes[AxisRef(f"{a}.rotor")] for a in t.actuators]
        axes = [robot.layout.axes[ref] for ref in t.joints]
        n = max(len(q), len(v), *(len(x) for x in parameters.values()), 1)
        q, v = (np.array(np.broadcast_to(x, (n, x.shape[1]))) for x in (q, v))
        usual = start_of(robot, t)
        wanted = np.stack([q[:, i] if i in given[0] else np.full(n, x) for (i, _), x in zip(axes, usual, strict=True)])
        maps = _maps(robot, t, parameters, n)
        if not {i for i, _ in rotors} & given[0]:
            q[:, [i for i, _ in rotors]] = [_rotors_at(m, at) for m, at in zip(maps, wanted.T, strict=True)]
        if not {k for _, k in rotors} & given[1] and {k for _, k in axes} & given[1]:
            at, rates = q[:, [i for i, _ in rotors]], v[:, [k for _, k in axes]]
            turning = [_turning(t, *row) for row in zip(maps, at, rates, strict=True)]
            v[:, [k for _, k in rotors]] = turning
    return q, v


def _maps(robot: Mechanism, t: Transmission, parameters: Mapping[str, Array], n: int) -> list[TransmissionMap]:
    """By robot, with the numbers that are its parameters."""
    assert t.map is not None
    own = map_numbers(robot, t, parameters, n)
    if not own:
        return [t.map] * n
    return [with_parameters(t.map, {name: float(x[i]) for name, x in own.items()}) for i in range(n)]


def _rotors_at(m: TransmissionMap, q: Array) -> Array:
    try:
        return np.atleast_1d(m.joint_to_actuator_position(q))
    except ModelError:
        return np.full(m.actuators, np.nan)


def _turning(t: Transmission, m: TransmissionMap, a: Array, rates: Array) -> Array:
    """Speeds of the rotors that give the joints these rates."""
    if not rates.any() or not np.isfinite(a).all():
        return np.zeros(m.actuators)
    ratio = m.joint_per_actuator_at(a)
    speeds: Array = np.linalg.lstsq(ratio, rates, rcond=1e-12)[0]
    if np.abs(ratio @ speeds - rates).max() > AGREEMENT * np.abs(rates).max():
        raise ModelError(
            f"transmission {t.name!r} is at a dead point, where its joints cannot move: give the velocity of "
            + ", ".join(repr(f"{name}.rotor") for name in t.actuators)
        )
    return speeds
