"""What a simulation shows beside its motion: reactions, links, Jacobians, inverse dynamics, joints of loops.

Frames are the world's, but for reactions, which are in the joint's axes on its child. Docs: docs/observing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.errors import ModelError, UnknownNameError
from gearwright.model import WORLD, Joint, Mechanism
from gearwright.sim import inputs
from gearwright.sim.names import Group
from gearwright.sim.values import Array, Read, Value, Values

if TYPE_CHECKING:
    from gearwright.sim.simulation import Simulation

Table = Callable[[str, str], Array]  # (kernel, output) → its numbers, (…, rows, columns)


class Reaction(NamedTuple):
    """What a joint's parent puts on its child, about the joint's origin, in the joint's axes on the child; (…, 3)."""

    force: Array  # [N]
    torque: Array  # [N·m]


class Twist(NamedTuple):
    """A link's velocity, or acceleration, at its origin, in the world's axes; (…, 3)."""

    linear: Array  # [m/s], [m/s²]
    angular: Array  # [rad/s], [rad/s²]


# --- tables: one row a link or joint ---------------------------------------------------------------------------------


def reacting(robot: Mechanism) -> tuple[str, ...]:
    """The order of reactions, as `Equations.reacting`."""
    return tuple(j.name for j in (*robot.tree.joints, *robot.tree.cuts))


def reactions(robot: Mechanism, table: Table) -> Values:
    return _rows("joint", reacting(robot), Reaction, partial(table, "reaction", "reaction"))


def link_motion(robot: Mechanism, table: Table, kernel: str) -> Values:
    return _rows("link", tuple(robot.links), Twist, partial(table, kernel, kernel))


def _rows(kind: str, names: Sequence[str], made: Callable[[Array, Array], Any], table: Callable[[], Array]) -> Values:
    def read(i: int) -> Any:
        row = table()[..., i, :]
        return made(row[..., :3], row[..., 3:])

    return Values(kind, {name: partial(read, i) for i, name in enumerate(names)}, {})


# --- joints that close loops -----------------------------------------------------------------------------------------


class WithLoopJoints(Values):
    """Values by joint, and of joints that close loops, too. Those are not counted or listed: they cannot be set."""

    __slots__ = ("_loops",)

    def __init__(self, values: Values, loops: Values) -> None:
        super().__init__(values._kind, values._reads, values._groups)
        self._loops = loops

    def _several(self, name: str) -> Value:
        if name in self._groups:
            return super()._several(name)
        if name not in self._loops:
            raise UnknownNameError(self._kind, name, [*self._reads, *self._groups, *self._loops]) from None
        return self._loops[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._loops


def with_loop_joints(values: Values, robot: Mechanism, quantity: str, read: Callable[[str, str, int], Read]) -> Values:
    """`read(kernel, output, i)` reads entry i of an output; quantity is position or velocity."""
    cuts = robot.tree.cuts
    if not cuts:
        return values
    each = [(j, _coordinates(j, quantity)) for j in cuts]
    names = [name for _, own in each for name in own]
    reads = {name: read("cut_joints", f"cut_{quantity}", i) for i, name in enumerate(names)}
    return WithLoopJoints(values, Values("joint", reads, {j.name: own for j, own in each if own != (j.name,)}))


def _coordinates(joint: Joint, quantity: str) -> tuple[str, ...]:
    return joint.positions if quantity == "position" else joint.coordinates


# --- Jacobians and inverse dynamics ----------------------------------------------------------------------------------


def jacobian(sim: Simulation, name: str, point: Any) -> Array:
    """See `Simulation.jacobian`."""
    link, offset = _point(sim.robot, name, point)
    screws = sim._probe("screws").output("screws")  # (…, nv, 9)
    pose = np.eye(4) if link == WORLD else sim.pose[link]
    r = (pose[..., :3, :3] @ offset[..., None])[..., 0] + pose[..., :3, 3]
    linear, angular, origin = screws[..., :3], screws[..., 3:6], screws[..., 6:]
    moved = linear + np.cross(angular, r[..., None, :] - origin)
    J = np.concatenate([moved, angular], axis=-1)
    J[..., [i for i in range(J.shape[-2]) if i not in _carrying(sim, link)], :] = 0.0
    return np.ascontiguousarray(np.swapaxes(J, -1, -2))


def _point(robot: Mechanism, name: str, point: Any) -> tuple[str, Array]:
    """The link of a point, and where the point is on it."""
    given = np.zeros(3) if point is None else inputs.numbers("point", point)
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
    places = sim._names.coordinates.index
    found: set[int] = set()
    while link in branches:
        found |= {places[name] for name in branches[link].joint.coordinates}
        link = branches[link].parent
    return found


def inverse_dynamics(sim: Simulation, acceleration: Mapping[str, Any]) -> dict[str, Value]:
    """See `Simulation.inverse_dynamics`."""
    group, free = sim._names.coordinates, {i: n for n, i in enumerate(sim._names.free_velocities)}
    given = np.zeros((sim.batch, len(free)))
    for i, value in inputs.held(group, acceleration, sim.batch):
        if i not in free:
            raise ModelError(f"{group.names[i]!r} follows another joint: its acceleration comes from its leader's")
        given[:, free[i]] = value
    kernel = sim._kernels["inverse_dynamics"]
    wanted = [s.name for s in kernel.program.slots if s.kind in ("input", "parameter")]
    slots = {name: sim._instance.get(name) for name in wanted if name != "acceleration"}
    needed = kernel.evaluate({**slots, "acceleration": given})["needed"]
    columns = [needed[:, i] if sim.batch > 1 else float(needed[0, i]) for i in range(len(group.names))]
    return dict(zip(group.names, columns, strict=True))


# --- wrenches on links -----------------------------------------------------------------------------------------------


def wrench_group(links: Sequence[str]) -> Group:
    """Six numbers a link, force first."""
    parts = ("fx", "fy", "fz", "tx", "ty", "tz")
    names = tuple(f"{link}.{part}" for link in links for part in parts)
    return Group("link", names, {link: tuple(range(6 * i, 6 * i + 6)) for i, link in enumerate(links)})


def as_columns(sim: Simulation, wrench: Any) -> dict[str, Array]:
    """`{link: (force, torque)}` to six numbers along the last axis, (6,) or (B, 6)."""
    if not isinstance(wrench, Mapping):
        raise ModelError(f"wrench maps links to (force, torque), not a {type(wrench).__name__}")
    return {link: _six(sim, link, pair) for link, pair in wrench.items()}


def _six(sim: Simulation, link: str, pair: Any) -> Array:
    if link not in sim.options.wrenches:
        if link not in sim.robot.links:
            raise UnknownNameError("link", link, sim.robot.links)
        declared = (*sim.options.wrenches, link)
        raise ModelError(f"link {link!r} takes no wrench: declare it with compile(wrenches={declared!r})")
    if not isinstance(pair, Sequence | np.ndarray) or isinstance(pair, str) or len(pair) != 2:
        raise ModelError(f"the wrench on {link!r} is a pair (force, torque) of three numbers each, not {pair!r:.80}")
    halves = [inputs.numbers(link, half) for half in pair]
    for half, what in zip(halves, ("force", "torque"), strict=True):
        if half.shape not in ((3,), (sim.batch, 3)):
            many = "" if sim.batch == 1 else f" or ({sim.batch}, 3)"
            raise ModelError(f"the {what} on {link!r} has the shape (3,){many}, not {half.shape}")
    shape = np.broadcast_shapes(*(half.shape for half in halves))
    return np.concatenate([np.broadcast_to(half, shape) for half in halves], axis=-1)
