"""From the positions and velocities that a caller names to a state: the rest at its start, followers aligned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gearwright.compiler import Executable
from gearwright.errors import ModelError
from gearwright.model import AxisRef, Coupling, Mechanism, Transmission, TransmissionMap, in_order
from gearwright.model.couplings import FollowerPolynomial
from gearwright.model.layout import StepSlot
from gearwright.model.leading import led, start_of
from gearwright.model.parameters import device_key
from gearwright.model.rings import placing_order
from gearwright.model.transmissions import parameters as map_numbers
from gearwright.model.transmissions import with_parameters
from gearwright.sim.given_values import constant
from gearwright.sim.names import Group, Names
from gearwright.sim.values import Array

AGREEMENT = 1e-9  # between a follower's value that is given and the one it must have, relative beyond 1


def starting_positions(robot: Mechanism, names: Names) -> Array:
    """(nq,) where the file has every coordinate of the tree."""
    start = robot.configuration()
    return np.array([x for j in names.joints for x in start[j.name]], dtype=np.float64)


def tree_positions(usual: Array, names: Names, given: Mapping[str, Any], batch: int) -> tuple[Array, set[int]]:
    """(B or 1, nq) where every coordinate is to stand, and which of them are given. Quaternions are normalised."""
    q, named = _placed(usual, names.positions, given, batch)
    for quaternion in names.quaternions:
        length = np.linalg.norm(q[:, quaternion], axis=1, keepdims=True)
        if not length.all():
            raise ModelError(f"{names.positions.names[quaternion.start]!r}: a quaternion of length zero is no rotation")
        unit = np.abs(length - 1) < 1e-15  # already as good as it gets: kept to the bit
        q[:, quaternion] = np.where(unit, q[:, quaternion], q[:, quaternion] / length)
    return q, named


def tree_velocities(names: Names, given: Mapping[str, Any], batch: int) -> tuple[Array, set[int]]:
    return _placed(np.zeros(len(names.coordinates.names)), names.coordinates, given, batch)


def _placed(usual: Array, group: Group, given: Mapping[str, Any], batch: int) -> tuple[Array, set[int]]:
    values = {i: constant(group.names[i], value, batch) for i, value in group.columns(given)}
    rows = batch if any(np.ndim(v) for v in values.values()) else 1
    full = np.tile(usual, (rows, 1))
    for i, value in values.items():
        full[:, i] = value
    return full, set(values)


def aligned(
    robot: Mechanism, names: Names, parameters: Mapping[str, Array], start: tuple[Array, Array],
    given: tuple[set[int], set[int]],
) -> tuple[Array, Array]:  # fmt: skip
    """Positions and velocities with every follower that is not given where its coupling wants it.

    Only where some coupling is a constraint row: followers of exact ones are no part of the state.
    """
    ordered = in_order(robot.couplings.values())
    if all(c.mode == "exact" for c in ordered):
        return start
    rows = max(len(x) for x in (*start, *parameters.values()))
    q, v = (np.array(np.broadcast_to(x, (rows, x.shape[1]))) for x in start)
    axes = {axis for c in ordered for axis in (c.follower, *(t.axis for t in c.leaders))}
    places = {axis: _at(robot, axis) for axis in axes}
    for side in (0, 1):
        known = [axis for axis, place in places.items() if place[side] in given[side]]
        used: set[AxisRef] = set()  # leaders that others have been placed by: a circle of couplings leaves them there
        for c in placing_order(ordered, known):
            (i, k), leaders = places[c.follower], [places[t.axis] for t in c.leaders]
            if places[c.follower][side] in given[side] or c.follower in used:
                continue
            used |= {t.axis for t in c.leaders}
            x = [q[:, j] for j, _ in leaders]
            law = c if c.through is not None else _with(c, parameters)
            if side == 0:
                q[:, i] = law.position(x)
            else:
                v[:, k] = sum(slope * v[:, n] for slope, (_, n) in zip(law.slopes(x), leaders, strict=True))
    return q, v


def with_loose_rotors(
    robot: Mechanism, names: Names, start: tuple[Array, Array], given: tuple[set[int], set[int]]
) -> tuple[Array, Array]:
    """Rotors with play behind them start in the middle of it, at the speed that the joints have."""
    q, v = start
    for t in robot.transmissions.values():
        rotors = [robot.layout.rotors.get(a) for a in t.actuators]
        acts = t.backlash is not None and all(robot.acting.get(a) is t for a in t.actuators)
        if t.map is None or not acts or None in rotors:
            continue
        n = max(len(q), len(v))
        q, v = (np.array(np.broadcast_to(x, (n, x.shape[1]))) for x in (q, v))
        axes = [_at(robot, ref) for ref in t.joints]
        at = q[:, [i for i, _ in axes]]
        position = t.map.joint_to_actuator_position(at)
        ratio = t.map.actuator_per_joint_at(at)  # (n, na, nj)
        velocity = np.einsum("...aj,...j->...a", ratio, v[:, [k for _, k in axes]])
        for column, rotor in enumerate(rotors):
            assert rotor is not None
            i, k = _at(robot, rotor)
            if i not in given[0]:
                q[:, i] = position[:, column]
            if k not in given[1]:
                v[:, k] = velocity[:, column]
    return q, v


def with_leading_rotors(
    robot: Mechanism, parameters: Mapping[str, Array], start: tuple[Array, Array],
    given: tuple[set[int], set[int]],
) -> tuple[Array, Array]:  # fmt: skip
    """Rotors that lead their joints stand and turn where the joints are to be; NaN where they cannot."""
    q, v = start
    for t in (robot.transmissions[name] for name in sorted(led(robot))):
        rotors = [_at(robot, AxisRef(f"{a}.rotor")) for a in t.actuators]
        axes = [_at(robot, ref) for ref in t.joints]
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
    key = f"{device_key(robot, t.name)}."
    numbers = {name[len(key) :]: x for name, x in parameters.items() if name.startswith(key)}
    own = {name: np.broadcast_to(x, (n, 1))[:, 0] for name, x in numbers.items() if name in map_numbers(t.map)}
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
            f"transmission {t.name!r} stands at a dead point, where its joints cannot move: give the velocity of "
            + ", ".join(repr(f"{name}.rotor") for name in t.actuators)
        )
    return speeds


def _at(robot: Mechanism, axis: AxisRef) -> tuple[int, int]:
    return robot.layout.axes[axis]


def _with(c: Coupling, parameters: Mapping[str, Array]) -> FollowerPolynomial:
    """Where the follower stands, by the values that its parameters have now, (B,) each."""
    values: dict[str, Any] = {}
    for name, value in parameters.items():
        owner, _, quantity = name.partition(".")
        if owner in (c.name, c.alias):
            values[quantity] = value[:, 0]
    only = len(c.leaders) == 1
    return FollowerPolynomial(
        tuple(values.get("multiplier" + ("" if only else f".{t.axis}"), t.multiplier) for t in c.leaders),
        values.get("offset", c.offset),
        values.get("reference", c.reference),
        tuple(values.get(f"power{k}", x) for k, x in enumerate(c.powers, start=2)),
    )


def check_followers(
    kernel: Executable, names: Names, parameter: Array, q: Array, v: Array, given: tuple[set[int], set[int]]
) -> None:
    """A follower that is given by name must stand and move as its exact coupling says."""
    named = (given[0] - set(names.free_positions), given[1] - set(names.free_velocities))
    if not any(named):
        return
    rows = max(len(q), len(v), len(parameter))
    aligned = kernel.evaluate(
        {
            StepSlot.POSITION: np.broadcast_to(q[:, names.free_positions], (rows, len(names.free_positions))),
            StepSlot.VELOCITY: np.broadcast_to(v[:, names.free_velocities], (rows, len(names.free_velocities))),
            StepSlot.PARAMETER: np.broadcast_to(parameter, (rows, parameter.shape[1])),
        }
    )
    _agree("at", names.positions, named[0], q, aligned["tree_position"])
    _agree("with velocity", names.coordinates, named[1], v, aligned["tree_velocity"])


def _agree(what: str, group: Group, followers: set[int], given: Array, aligned: Array) -> None:
    for i in sorted(followers):
        must, has = aligned[:, i], np.broadcast_to(given[:, i], len(aligned))
        apart = np.abs(must - has) > AGREEMENT * np.maximum(1.0, np.abs(must))
        if apart.any():
            robot = int(np.argmax(apart))
            which = f" (robot {robot})" if len(aligned) > 1 else ""
            raise ModelError(
                f"{group.names[i]!r} is given {what} {has[robot]:.12g}, but its exact coupling puts it {what} "
                f"{must[robot]:.12g}{which}: leave it out, or let it agree with its leader"
            )
