"""Observers beside the motion: Jacobians, inverse dynamics, joints of loops.

Frames are the world's, but for reactions, which are in the joint's axes on its child. Docs: docs/observing.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import numbers
from gearwright.model import WORLD, Mechanism
from gearwright.model.layout.slots import StepSlot
from gearwright.sim.state import given_values
from gearwright.sim.state.values import Array, Value

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation


# --- Jacobians and inverse dynamics ----------------------------------------------------------------------------------


def jacobian(sim: Simulation, name: str, point: Any) -> Array:
    """See `Simulation.jacobian`."""
    link, offset = _point(sim.robot, name, point)
    screws = sim.probes["screws"].output("screws")  # (…, nv, 9)
    pose = np.eye(4) if link == WORLD else sim.pose[link]
    r = (pose[..., :3, :3] @ offset[..., None])[..., 0] + pose[..., :3, 3]
    linear, angular, origin = screws[..., :3], screws[..., 3:6], screws[..., 6:]
    moved = linear + np.cross(angular, r[..., None, :] - origin)
    J = np.concatenate([moved, angular], axis=-1)
    J[..., [i for i in range(J.shape[-2]) if i not in _carrying(sim, link)], :] = 0.0
    return np.ascontiguousarray(np.swapaxes(J, -1, -2))


def _point(robot: Mechanism, name: str, point: Any) -> tuple[str, Array]:
    """The link of a point, and where the point is on it."""
    given = np.zeros(3) if point is None else numbers("point", point)
    if given.shape != (3,):
        raise ModelError(f"a point is three numbers [m], not an array of shape {given.shape}")
    if name in robot.links:
        return name, given
    if name in robot.frames:
        frame = robot.frames[name]
        return frame.link, frame.X_LF.R @ given + frame.X_LF.p
    raise UnknownNameError("link or frame", name, [*robot.links, *robot.frames])


def _carrying(sim: Simulation, link: str) -> set[int]:
    """The tree coordinates that move a link."""
    branches = {b.link: b for b in sim.robot.tree.branches}
    places = sim.layout.names.coordinates.index
    found: set[int] = set()
    while link in branches:
        found |= {places[name] for name in branches[link].joint.coordinates}
        link = branches[link].parent
    return found


def inverse_dynamics(sim: Simulation, acceleration: Mapping[str, Any]) -> dict[str, Value]:
    """See `Simulation.inverse_dynamics`."""
    group, free = sim.layout.names.coordinates, {i: n for n, i in enumerate(sim.layout.names.free_velocities)}
    given = np.zeros((sim.batch, len(free)))
    for i, value in given_values.held(group, acceleration, sim.batch):
        if i not in free:
            raise ModelError(f"{group.names[i]!r} follows another joint: its acceleration comes from its leader's")
        given[:, free[i]] = value
    kernel = sim.kernels["inverse_dynamics"]
    wanted = [s.name for s in kernel.program.slots if s.kind in ("input", "parameter")]
    slots = {name: sim.batch_state.get(name) for name in wanted if name != StepSlot.ACCELERATION}
    needed = kernel.evaluate({**slots, StepSlot.ACCELERATION: given})["needed"]
    columns = [needed[:, i] if sim.batch > 1 else float(needed[0, i]) for i in range(len(group.names))]
    return dict(zip(group.names, columns, strict=True))
