"""Mobility: degrees of freedom, the rows of closed loops that are kept, and loops that are rigid.

All three follow from one survey of each system of loops: its assembled poses, and how far each joint can move.

    start ──▶ along a direction that the rows leave free ──▶ closed again      a joint that has gone along moves
                                                             closed again      all are back: the loop is rigid

Rows. A row that is the same combination of others at every assembled pose, within the file's rounding, is left out. If
the combination changes with the pose, as in a delta whose plate is kept upright by three parallelograms, rows that
follow from others up to the stops are left out. Without stops all are kept: such loops are overdetermined, since a
parallelogram that continues beyond its flat pose needs another row there, and a step lets their rows disagree by
rounding. A loop that cannot move has only one assembled pose, at which rows may depend on each other by chance: its
rows are judged at a pose nearby, where it is open.

Rigid loops. Two links on parallel hinges, and a slider between them, across the line through the hinges:

    ○───╫───○      both turned by θ, the slider is off by l·θ²/2 along that line: so θ = 0, and it does not slide

Such a row vanishes in the closed pose: a step cannot enforce it there, and slightly beside that pose its impulse grows
without bound. The joint that closes the loop does not move, so it counts as fixed. A dead centre, from which motion can
continue, is not rigid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.joints import Joint
from gearwright.model.loops.coupling_cycles import groups, taken_by
from gearwright.model.loops.loop_system import ALIGNED, STILL, STRAY, LoopPose, LoopSystem, null_space, rank
from gearwright.model.poses import Array
from gearwright.model.tree.kinematics import Configuration
from gearwright.model.tree.topology import Tree

CLEAR = 5.0 * ALIGNED  # [rad, lengths of the loop] a direction that moves a joint by less says nothing about it
WALK = 12  # steps of STRAY in one direction, in which a joint that has stops reaches one: a turn
ARRIVED = 0.3  # share of the way that a joint must have gone to count as moved


@dataclass(frozen=True, kw_only=True)
class Mobility:
    """A mechanism's degrees of freedom, and for each loop-closing joint the rows that are kept, or its position if it
    is fixed."""

    dof: int
    kept: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # places in `JointKind.closing`
    rigid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # its position, where the loop is rigid
    sizes: Mapping[str, float] = field(default_factory=dict)  # of its loop [m]
    overdetermined: frozenset[str] = frozenset()  # of its rows some follow from others, which ones depends on the pose


def mobility(tree: Tree, holding: Sequence[Coupling], pulling: Sequence[Coupling], q: Configuration) -> Mobility:
    """`holding`: couplings that hold whatever it takes; `pulling`: those that yield, and count all the same."""
    whole = LoopSystem.of(tree, [*holding, *pulling])
    outside = [c for c in (*holding, *pulling) if c.follower.joint not in whole.first]
    dof = sum(j.dof for j in tree.joints if j.name not in whole.first) - _taken(outside, q)
    surveys = []
    for system in whole.parts():
        if system.cuts:
            surveys.append(_survey(system, {c.name for c in holding}, q))
        else:
            dof += system.width - _taken(system.couplings, q)
    return Mobility(
        dof=dof + sum(survey.dof for survey in surveys),
        kept={name: rows for survey in surveys for name, rows in survey.kept.items()},
        rigid={name: position for survey in surveys for name, position in survey.rigid.items()},
        sizes=whole.sizes(q),
        overdetermined=frozenset(name for survey in surveys for name in survey.overdetermined),
    )


def _taken(couplings: Sequence[Coupling], q: Configuration) -> int:
    return sum(taken_by(group, q) for group in groups(couplings))


def fixed(joint: Joint, position: Sequence[float]) -> Joint:
    """The joint of a rigid loop, held at its position."""
    X_CJ = joint.X_CJ @ joint.motion(tuple(position)).inverse()
    return replace(joint, kind="fixed", axes=(), thread_pitch=0.0, damping=0.0, X_CJ=X_CJ)


class _Survey(NamedTuple):
    """The same of a system of loops."""

    dof: int
    kept: dict[str, tuple[int, ...]]
    rigid: dict[str, tuple[float, ...]]
    overdetermined: list[str]


def _survey(system: LoopSystem, holding: Set[str], q: Configuration) -> _Survey:
    couplings = [c for c in system.couplings if c.name in holding]
    start = system.closed(q, couplings)
    if start is None:  # nothing can be said of loops that do not close
        stack = _Stack.at(system, q, holding, system.unit(q))
        every = range(len(stack.closing))
        return _Survey(system.width - stack.rank(every), _by_joint(system.cuts, every), {}, [])
    rigid = {cut.name: tuple(start[cut.name]) for cut in _rigid(system, start, holding)}
    if rigid:
        held = system.with_cuts([fixed(j, rigid[j.name]) if j.name in rigid else j for j in system.cuts])
        survey = _survey(held, holding, dict(start) | dict.fromkeys(rigid, ()))
        return survey._replace(rigid=rigid | survey.rigid)
    samples, isolated = _motions(system, start, couplings)
    poses = [start, *(sample.pose for sample in samples)]
    stacks = [_Stack.at(system, pose, holding, system.unit(start)) for pose in poses]
    if isolated:
        around = _shaken(system, isolated, start)
        stacks += [_Stack.at(system, pose, holding, system.unit(start), isolated, around) for pose in poses]
    chosen = _independent(stacks)
    dof, surplus = system.width - max(stack.rank(chosen) for stack in stacks), _surplus(stacks, chosen)
    workspace = _workspace(system, start, couplings) if surplus else []
    if workspace:
        stacks += [_Stack.at(system, pose, holding, system.unit(start)) for pose in workspace]
        chosen, surplus = _spanning(stacks), []
    over = [name for name, rows in _by_joint(system.cuts, surplus).items() if rows]
    return _Survey(dof, _by_joint(system.cuts, chosen), {}, over)


def _by_joint(cuts: Sequence[Joint], chosen: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Places of rows by the joint that closes a loop."""
    found, first = {}, 0
    for cut in cuts:
        last = first + 6 - cut.dof
        found[cut.name] = tuple(i - first for i in sorted(chosen) if first <= i < last)
        first = last
    return found


# --- poses ----------------------------------------------------------------------------------------------------------


def _motions(
    system: LoopSystem, start: Configuration, hold: Sequence[Coupling]
) -> tuple[list[LoopPose], frozenset[str]]:  # fmt: skip
    """Assembled poses, and the loops that cannot move although rows leave them free.

    A loop that moves little compared with others is examined by itself.
    """
    samples, isolated = system.general_samples(start, hold), []
    N = null_space(system.scaled_rows(start, hold).J)
    for cut in system.cuts:
        loop = system.loop_joints(cut)
        if np.abs(N * system.mask(loop)).max(initial=0.0) > STILL and not any(_goes(s, loop) for s in samples):
            own = system.assembled_along(start, system.general_directions[:2], hold, loop)
            isolated += [] if any(_goes(s, loop) for s in own) else [cut.name]
            samples += own
    return samples, frozenset(isolated)


def _goes(sample: LoopPose, joints: Sequence[str]) -> bool:
    """Whether one of the joints arrives where it was sent."""
    return any(sample.aimed[j] > CLEAR and sample.went[j] > ARRIVED * sample.aimed[j] for j in joints)


def _workspace(system: LoopSystem, start: Configuration, hold: Sequence[Coupling]) -> list[Configuration]:
    """Assembled poses up to the stops in general directions, and back; none if stops do not bound the motion."""
    found: list[Configuration] = []
    for direction in (sign * each for each in system.general_directions for sign in (1.0, -1.0)):
        pose, within = start, True
        for _ in range(WALK):
            step = system.assembled_along(pose, [direction], hold, system.limited)
            within = bool(step) and system.within_limits(step[0].pose)
            if not within:
                break
            pose = step[0].pose
            found.append(pose)
        if within:
            return []
    return found


def _rigid(system: LoopSystem, start: Configuration, holding: Set[str]) -> list[Joint]:
    """Loop-closing joints that the rows leave free at the start, but that return to it from everywhere nearby.

    Only where rows depend on each other that do not do so around the start.
    """
    hold = [c for c in system.couplings if c.name in holding]
    around = _shaken(system, {cut.name for cut in system.cuts}, start)
    N, generic = (null_space(system.scaled_rows(pose, hold).J) for pose in (start, around))
    if len(N) == len(generic):
        return []
    return [cut for cut in system.cuts if cut.dof and _comes_back(system, cut, start, hold, N)]


def _comes_back(system: LoopSystem, cut: Joint, start: Configuration, hold: Sequence[Coupling], N: Array) -> bool:
    """From general directions, and from the one of N that moves the joint most, either way."""
    U, s, _ = np.linalg.svd(N * system.mask([cut.name]), full_matrices=False)
    if not s.max(initial=0.0) > CLEAR:
        return False
    directions = [U[:, 0] @ N, -U[:, 0] @ N, *system.general_directions]
    samples = system.assembled_along(start, directions, hold, [cut.name, *system.loop_joints(cut)])
    least = ARRIVED * max((s.aimed[cut.name] for s in samples), default=0.0)
    ways = [s for s in samples if s.aimed[cut.name] > least]
    return bool(ways) and all(s.went[cut.name] < ARRIVED * s.aimed[cut.name] for s in ways)


def _shaken(system: LoopSystem, cuts: Set[str], start: Configuration) -> Configuration:
    """A pose near the start at which these loops are open."""
    move = np.random.default_rng(9).uniform(-STRAY, STRAY, system.width)
    joints = [name for cut in system.cuts if cut.name in cuts for name in system.loop_joints(cut)]
    return system.moved(start, move * system.mask(joints) / system.unit(start))


# --- rows -----------------------------------------------------------------------------------------------------------


class _Stack(NamedTuple):
    """The rows at one pose, dimensionless: what holds in any case, what closes loops, what yields."""

    held: Array  # couplings, and what relates the velocities of the joints that close loops to those of the tree
    closing: Array
    pulled: Array

    @staticmethod
    def at(
        system: LoopSystem, pose: Configuration, holding: Set[str], unit: Array, isolated: Set[str] = frozenset(),
        around: Configuration | None = None,
    ) -> _Stack:  # fmt: skip
        """With loops that have but one assembled pose as they are around it."""
        loops = system.closing_rows(pose, unit)
        if around is not None:
            pairs = zip(system.cuts, loops, system.closing_rows(around, unit), strict=True)
            loops = [loose if cut.name in isolated else closed for cut, closed, loose in pairs]
        held, pulled = (
            system.coupling_rows(pose, [c for c in system.couplings if (c.name in holding) == holds], unit)
            for holds in (True, False)
        )
        return _Stack(np.vstack([*(reading for _, reading in loops), held]), np.vstack([c for c, _ in loops]), pulled)

    def beside_held(self) -> Array:
        """Rows that close loops, as far as they are not held in any case."""
        rows = np.vstack([self.held, self.closing])
        for i in range(len(self.held)):
            _take_off(rows, i)
        left: Array = rows[len(self.held) :]
        return left

    def rank(self, chosen: Sequence[int]) -> int:
        """How many of the rows that are chosen, and of the others, are independent here."""
        return rank(np.vstack([self.held, self.closing[list(chosen)], self.pulled]))


def _independent(stacks: Sequence[_Stack]) -> list[int]:
    """Rows of loops that are not the same combination of others at every pose, beside what holds in any case.

    Pivoted Gram–Schmidt over all poses side by side: next comes the row of which those before leave most.
    """
    left, chosen = np.hstack([stack.beside_held() for stack in stacks]), list[int]()
    while len(left) and np.linalg.norm(left, axis=1).max() > ALIGNED:
        best = int(np.argmax(np.linalg.norm(left, axis=1)))
        chosen.append(best)
        _take_off(left, best)
    return sorted(chosen)


def _surplus(stacks: Sequence[_Stack], chosen: Sequence[int]) -> list[int]:
    """Rows that, at every pose, follow from the others that are chosen."""
    ranks = [stack.rank(chosen) for stack in stacks]
    if max(ranks) == len(chosen) + len(stacks[0].held) + len(stacks[0].pulled):
        return []
    without = {i: [k for k in chosen if k != i] for i in chosen}
    pairs = list(zip(stacks, ranks, strict=True))
    return [i for i, others in without.items() if all(stack.rank(others) == whole for stack, whole in pairs)]


def _spanning(stacks: Sequence[_Stack]) -> list[int]:
    """Rows from which all others follow at every pose.

    Pivoted Gram–Schmidt at each pose: next comes the row of which those before leave most, over all poses.
    """
    left, chosen = [stack.beside_held() for stack in stacks], list[int]()
    while (size := np.array([np.linalg.norm(rows, axis=1) for rows in left])).max(initial=0.0) > ALIGNED:
        chosen.append(int(np.argmax(np.linalg.norm(size, axis=0))))
        for rows in left:
            _take_off(rows, chosen[-1])
    return sorted(chosen)


def _take_off(rows: Array, i: int) -> None:
    """Removes one row's direction from all of them, if it has one."""
    size = float(np.linalg.norm(rows[i]))
    if size > ALIGNED:
        along = rows[i] / size
        rows -= np.outer(rows @ along, along)
    rows[i] = 0.0
