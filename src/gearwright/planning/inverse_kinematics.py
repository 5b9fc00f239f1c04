"""`gw.inverse_kinematics`: joint positions that put links where they are wanted.

All iterations run in machine code (`dynamics.reaching`), from several starts at once: one per SIMD lane. The first is
the caller's, the others are drawn from the joints' ranges. Of those that arrive, the one nearest to the caller's start
counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.compiler import Executable, Instance, Loop, Program, Slot, compile_program, stage
from gearwright.compiler import SlotKind as Kind
from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_numbers import number, numbers
from gearwright.model import Mechanism
from gearwright.model.layout.slots import StepSlot
from gearwright.model.poses import IDENTITY
from gearwright.sim.reset import followers
from gearwright.sim.state.names import Names
from gearwright.sim.state.values import Array, Value

if TYPE_CHECKING:
    from gearwright.dynamics.reaching import FrameGoal

ITERATIONS = 100  # at most, from one start
STARTS = 16  # tried at once
ROUNDS = 12  # of starts, until one arrives
SPREAD = np.pi  # [rad, m] to either side of the start, where a joint has no limits
MISSED = 1e9  # puts what did not arrive behind all that did
NOT_A_ROTATION = 1e-6  # error of a rotation matrix, by what six digits leave
BEYOND = 1e-9  # [rad, m] that a follower may be out of its range: rounding


class NotReachedError(ModelError):
    """No joint positions were found that bring the links to their targets."""


@dataclass(frozen=True)
class Reached(Mapping[str, Value]):
    """Joint positions by name, for `reset(position=…)`: floats, or arrays (N,) where N poses were given."""

    positions: Mapping[str, Value]
    error: Value  # largest distance [m] or angle [rad] that is left
    converged: Value  # whether it is below the tolerance

    def __getitem__(self, name: str) -> Value:
        return self.positions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.positions)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def q(self) -> Array:
        """The positions as an array (n,) or (n, N), in the order of the names; for robots without quaternions the
        order of `Simulation.q`.
        """
        return np.array([*self.positions.values()])


def inverse_kinematics(
    robot: Mechanism, targets: Mapping[str, Any], start: Mapping[str, Any] | None = None, *,
    held: tuple[str, ...] = (), tolerance: float = 1e-9, seed: int = 0, strict: bool = True,
) -> Reached:  # fmt: skip
    """Joint positions that bring links or frames to their targets, within the joints' limits.

    targets     by link or frame: a pose (4, 4) in the world, or a point (3,) for its origin alone, whatever its
                orientation. (N, 4, 4) or (N, 3) for N poses at once
    start       joint positions to start from; default: the file's. Of several solutions, the nearest to it is returned
    held        joints that stay at the start
    tolerance   largest remaining distance [m] and angle [rad]
    seed        of further starts, which are tried if the first does not arrive
    strict      False: return the nearest solution that was found, with `converged` False, instead of an error

    Followers of couplings follow, and stay within their own limits. A free base stays where it is. Robots with closed
    loops are refused.

    >>> import gearwright as gw
    >>> arm = gw.load("reference_arm")
    >>> there = arm.forward_kinematics({"j1": 0.5, "j3": -1.0})["b6"]
    >>> found = gw.inverse_kinematics(arm, {"b6": there})
    >>> bool(abs(arm.forward_kinematics(found)["b6"] - there).max() < 1e-8)
    True
    """
    if not isinstance(targets, Mapping) or not targets:
        raise ModelError(f"targets must be poses by link, {{{next(iter(robot.links))!r}: pose}}, not {targets!r:.60}")
    goals = {name: _goal(name, value) for name, value in targets.items()}
    counts = {g.shape[0] for g in goals.values() if g.ndim > 1}
    if len(counts) > 1:
        raise ModelError(
            f"all targets must have the same number of poses, not {' and '.join(map(str, sorted(counts)))}"
        )
    given = number("tolerance", tolerance)
    if not given > 0:
        raise ModelError(f"the tolerance must be a number above 0, not {tolerance!r}")
    solver = _solver(robot, tuple((name, g.shape[-1] == 12) for name, g in goals.items()), tuple(held))
    n = counts.pop() if counts else 1
    goal = np.concatenate([np.broadcast_to(_full(g), (n, 12)) for g in goals.values()], axis=1)
    found = solver.solve(goal, solver.start(start or {}), given, np.random.default_rng(seed))
    if strict and not found.reached.all():
        raise NotReachedError(_message(list(targets), found, n))
    single = all(g.ndim == 1 for g in goals.values())
    columns = found.q[0].tolist() if single else list(found.q.T)
    error, reached = (float(found.error[0]), bool(found.reached[0])) if single else (found.error, found.reached)
    return Reached(dict(zip(solver.names, columns, strict=True)), error, reached)


def _goal(name: str, value: Any) -> Array:
    """(12,) or (N, 12) of a pose: its rotation by rows, then its origin; (3,) or (N, 3) of a point."""
    given = numbers(f"the target of {name!r}", value)
    if given.shape[-2:] == (4, 4) and given.ndim in (2, 3):
        R, p = given[..., :3, :3], given[..., :3, 3]
        error = float(np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0))
        if error > NOT_A_ROTATION or (np.linalg.det(R) < 0).any():
            raise ModelError(f"the target of {name!r} is not a pose: its rotation matrix is off by {error:.2g}")
        return np.concatenate([R.reshape(*R.shape[:-2], 9), p], axis=-1)
    if given.shape[-1:] == (3,) and given.ndim in (1, 2):
        return given
    raise ModelError(
        f"the target of {name!r} must be a pose (4, 4) or a point (3,), or N of them, not an array of {given.shape}"
    )


def _full(goal: Array) -> Array:
    """A point as a pose whose orientation nobody reads."""
    if goal.shape[-1] == 12:
        return goal
    return np.concatenate([np.zeros((*goal.shape[:-1], 9)), goal], axis=-1)


def _message(targets: list[str], found: Solutions, n: int) -> str:
    missed = int((~found.reached).sum())
    where = " and ".join(map(repr, targets))
    nearest = float(found.error[~found.reached].min())
    which = "" if n == 1 else f" at {missed} of {n} poses"
    return (
        f"{where} cannot be reached{which}: the best solution is off by {nearest:.3g} m or rad. "
        "It is out of reach, or beyond the joints' limits; strict=False returns the nearest solution"
    )


class Solutions(NamedTuple):
    """Per pose."""

    q: Array  # (N, n)
    error: Array  # (N,)
    reached: Array  # (N,)


class Solver:
    """One robot's compiled iterations for one choice of targets."""

    def __init__(self, robot: Mechanism, targets: Sequence[tuple[str, bool]], held: Sequence[str]) -> None:
        from gearwright.dynamics.reaching import reaching

        if robot.tree.cuts:
            raise ModelError(
                f"{robot.name!r} has closed loops, which inverse kinematics does not solve; "
                "`sim.reset(position=…)` closes them for given positions"
            )
        self.robot = robot
        still = [*_coordinates(robot, held), *(c for j in robot.bases.values() for c in j.coordinates)]
        made = reaching(robot, [_target(robot, *target) for target in targets], set(still))
        self.names = made.positions
        self._free = [*robot.layout.independent_positions]
        self._bounded, self._carrying = np.array(made.bounded, int), np.array(made.carrying, bool)
        each = ranges(robot)
        pairs = [each.get(self.names[i], (-np.inf, np.inf)) for i in made.bounded]
        self._lower, self._upper = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
        sizes = {name: made.stage.numel_in(i) for i, name in enumerate(made.stage.name_in())} | {"error": 1}
        kinds: dict[str, Kind] = {StepSlot.POSITION: Kind.STATE, "reached": Kind.STATE, "error": Kind.STATE}
        slots = [Slot(name=name, kind=kinds.get(name, Kind.INPUT), shape=(size,)) for name, size in sizes.items()]
        body = (Loop(ITERATIONS, (stage(made.stage),), until="reached"),)
        self._code: Executable = compile_program(Program(name="reach", slots=tuple(slots), body=body))
        self._instances: dict[int, Instance] = {}

    def start(self, given: Mapping[str, Any]) -> Array:
        """(n,): the file's positions, and those that are given."""
        names = Names.of(self.robot)
        full, _ = followers.tree_positions(followers.starting_positions(self.robot, names), names, given, 1)
        start: Array = full[0, self._free]
        return start

    def solve(self, goal: Array, start: Array, tolerance: float, rng: np.random.Generator) -> Solutions:
        """For goals (N, m): from the start alone where there are many, else from several; then those that failed."""
        n = len(goal)
        found = Solutions(np.tile(start, (n, 1)), np.full(n, np.inf), np.zeros(n, bool))
        for attempt in range(ROUNDS):
            left = np.flatnonzero(~found.reached)
            if not len(left):
                break
            lanes = 1 if attempt == 0 and n > STARTS else STARTS
            q = self._starts(start, (len(left), lanes), rng, first=attempt == 0)
            best = self._best(goal[left], q, start, tolerance)
            better = best.reached | (best.error < found.error[left])
            for whole_array, part in zip(found, best, strict=True):
                whole_array[left[better]] = part[better]
        return found

    def _starts(self, start: Array, shape: tuple[int, int], rng: np.random.Generator, *, first: bool) -> Array:
        """(N, lanes, n); the caller's own in the first lane of the first round."""
        centre = start[self._bounded]
        low = np.where(np.isfinite(self._lower), self._lower, centre - SPREAD)
        high = np.where(np.isfinite(self._upper), self._upper, centre + SPREAD)
        q = np.tile(start, (*shape, 1))
        drawn = rng.uniform(low, np.maximum(low, high), (*shape, len(centre)))
        q[..., self._bounded] = np.where(self._carrying, drawn, centre)
        if first:
            q[:, 0] = start
        return q

    def _best(self, goal: Array, q: Array, start: Array, tolerance: float) -> Solutions:
        n, lanes, size = q.shape
        instance = self._instances.setdefault(n * lanes, self._code.instance(n * lanes))
        for slot, values in (
            (StepSlot.POSITION, q.reshape(n * lanes, size)), ("goal", np.repeat(goal, lanes, axis=0)),
            ("lower", self._lower), ("upper", self._upper), ("tolerance", tolerance), ("reached", 0.0),
            ("error", np.inf),
        ):  # fmt: skip
            instance.set(slot, np.broadcast_to(values, (n * lanes, self._code.program.slot(slot).size)))
        instance.step()
        q = instance.get(StepSlot.POSITION).reshape(n, lanes, size)
        error = instance.get("error").reshape(n, lanes)
        reached = (error <= tolerance) & self._within(q)
        far = np.abs(q - start).max(axis=-1)
        order = np.where(reached, far, MISSED + np.where(np.isfinite(error), error, MISSED))
        best = np.argmin(order, axis=1)
        each = np.arange(n)
        return Solutions(q[each, best], error[each, best], reached[each, best])

    def _within(self, q: Array) -> Array:
        """Whether followers of several leaders are within their limits, too."""
        inside = np.ones(q.shape[:-1], bool)
        for follower, (terms, offset) in self.robot.couplings.composed.items():
            limits = self.robot.joints[follower.joint].axes[follower.index].limits
            if len(terms) < 2 or not limits.bounded:
                continue
            x = offset + sum(f * q[..., self.names.index(str(leader))] for leader, f in terms.items())
            inside &= (x >= limits.lower - BEYOND) & (x <= limits.upper + BEYOND)
        return inside


def ranges(robot: Mechanism) -> dict[str, tuple[float, float]]:
    """By coordinate, the limits of its axis and of followers that it leads alone."""
    found = {
        str(ref): (axis.limits.lower, axis.limits.upper)
        for joint in robot.tree.joints for ref, axis in zip(joint.refs, joint.axes, strict=False)
    }  # fmt: skip
    for follower, (terms, offset) in robot.couplings.composed.items():
        if len(terms) != 1:
            continue
        ((leader, f),) = terms.items()
        low, high = found.get(str(follower), (-np.inf, np.inf))
        if f and str(leader) in found:
            low, high = sorted(((low - offset) / f, (high - offset) / f))
            own = found[str(leader)]
            found[str(leader)] = max(own[0], low), min(own[1], high)
    return found


def _coordinates(robot: Mechanism, joints: Sequence[str]) -> Iterator[str]:
    for name in joints:
        if name not in robot.joints:
            raise UnknownNameError("joint", name, robot.joints)
        yield from robot.joints[name].coordinates


def _target(robot: Mechanism, name: str, oriented: bool) -> FrameGoal:
    from gearwright.dynamics.reaching import FrameGoal

    if name in robot.links:
        return FrameGoal(name, IDENTITY, oriented)
    if name in robot.frames and robot.frames[name].link in robot.links:
        return FrameGoal(robot.frames[name].link, robot.frames[name].X_LF, oriented)
    raise UnknownNameError("link or frame", name, [*robot.links, *robot.frames])


def _solver(robot: Mechanism, targets: tuple[tuple[str, bool], ...], held: tuple[str, ...]) -> Solver:
    """Made once for a robot, and kept as long as it."""
    own: dict[Any, Solver] = robot.__dict__.setdefault("_reaching", {})
    key = (targets, held)
    if key not in own:
        own[key] = Solver(robot, targets, held)
    return own[key]
