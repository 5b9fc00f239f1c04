"""From the positions and velocities that a caller names to a state: the rest at its start, followers aligned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gearwright.compiler import Executable
from gearwright.errors import ModelError
from gearwright.given_numbers import position_checked, velocity_checked
from gearwright.model import AxisRef, Coupling, Mechanism, in_order
from gearwright.model.couplings import FollowerPolynomial
from gearwright.model.layout.slots import StepSlot
from gearwright.model.loops.coupling_cycles import placing_order
from gearwright.model.parameters import multiplier_names
from gearwright.sim.state.given_values import constant
from gearwright.sim.state.names import Group, Names
from gearwright.sim.state.values import Array

AGREEMENT = 1e-9  # between a follower's value that is given and the one it must have, relative beyond 1


def starting_positions(robot: Mechanism, names: Names) -> Array:
    """(nq,) where the file has every coordinate of the tree."""
    start = robot.configuration()
    return np.array([x for j in names.joints for x in start[j.name]], dtype=np.float64)


def tree_positions(usual: Array, names: Names, given: Mapping[str, Any], batch: int) -> tuple[Array, set[int]]:
    """(B or 1, nq) where every coordinate is to stand, and which of them are given. Quaternions are normalised."""
    q, named = _placed(usual, names.positions, given, batch)
    for i in named:
        position_checked(repr(names.positions.names[i]), q[:, i])
    for quaternion in names.quaternions:
        length = np.linalg.norm(q[:, quaternion], axis=1, keepdims=True)
        if not length.all():
            raise ModelError(
                f"{names.positions.names[quaternion.start]!r}: a quaternion of length zero is not a rotation"
            )
        unit = np.abs(length - 1) < 1e-15  # already as good as it gets: kept to the bit
        q[:, quaternion] = np.where(unit, q[:, quaternion], q[:, quaternion] / length)
    return q, named


def tree_velocities(names: Names, given: Mapping[str, Any], batch: int) -> tuple[Array, set[int]]:
    v, named = _placed(np.zeros(len(names.coordinates.names)), names.coordinates, given, batch)
    for i in named:
        velocity_checked(repr(names.coordinates.names[i]), v[:, i])
    return v, named


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
    """Positions and velocities with every follower that is not given placed by its coupling.

    Only needed if some coupling is a constraint row: followers of exact ones are not part of the state.
    """
    ordered = robot.couplings.ordered
    if len(robot.couplings.exact) == len(ordered):
        return start
    rows = max(len(x) for x in (*start, *parameters.values()))
    q, v = (np.array(np.broadcast_to(x, (rows, x.shape[1]))) for x in start)
    axes = {axis for c in ordered for axis in (c.follower, *(t.axis for t in c.leaders))}
    places = {axis: robot.layout.axes[axis] for axis in axes}
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


def with_exact_followers(robot: Mechanism, parameters: Mapping[str, Array], q: Array) -> Array:
    """Positions of the tree with followers of exact couplings where their leaders put them; no code is needed."""
    exact = in_order(robot.couplings.exact)
    if not exact:
        return q
    rows = max(len(x) for x in (q, *parameters.values()))
    q = np.array(np.broadcast_to(q, (rows, q.shape[1])))
    for c in exact:
        law = c if c.through is not None else _with(c, parameters)
        q[:, robot.layout.axes[c.follower][0]] = law.position([q[:, robot.layout.axes[t.axis][0]] for t in c.leaders])
    return q


def _with(c: Coupling, parameters: Mapping[str, Array]) -> FollowerPolynomial:
    """The follower's position, with the present values of its parameters, (B,) each."""
    values = {name: value[:, 0] for name, value in parameters.items()}

    def now(name: str, usual: float) -> Any:
        aliased = name if c.alias is None else f"{c.alias}{name.removeprefix(c.name)}"
        return values.get(name, values.get(aliased, usual))

    return FollowerPolynomial(
        tuple(now(name, t.multiplier) for name, t in zip(multiplier_names(c), c.leaders, strict=True)),
        now(f"{c.name}.offset", c.offset),
        now(f"{c.name}.reference", c.reference),
        tuple(now(f"{c.name}.power{k}", x) for k, x in enumerate(c.powers, start=2)),
    )


def check_followers(
    kernel: Executable, names: Names, parameter: Array, q: Array, v: Array, given: tuple[set[int], set[int]]
) -> None:
    """A follower that is given by name must stand and move as its exact coupling says."""
    named = (given[0] - set(names.free_positions), given[1] - set(names.free_velocities))
    if not any(named):
        return
    positions, velocities = with_followers(kernel, names, parameter, q, v)
    _agree("at", names.positions, named[0], q, positions)
    _agree("with velocity", names.coordinates, named[1], v, velocities)


def with_followers(kernel: Executable, names: Names, parameter: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Positions and velocities of the tree, with followers of exact couplings where their leaders put them."""
    rows = max(len(q), len(v), len(parameter))
    aligned = kernel.evaluate(
        {
            StepSlot.POSITION: np.broadcast_to(q[:, names.free_positions], (rows, len(names.free_positions))),
            StepSlot.VELOCITY: np.broadcast_to(v[:, names.free_velocities], (rows, len(names.free_velocities))),
            StepSlot.PARAMETER: np.broadcast_to(parameter, (rows, parameter.shape[1])),
        }
    )
    return aligned["tree_position"], aligned["tree_velocity"]


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
