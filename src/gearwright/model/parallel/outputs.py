"""Outputs where none are named: the joints that motors drive, or, of closed loops, what the loops carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.loops.loop_system import null_space, rank
from gearwright.model.tree.kinematics import Configuration

if TYPE_CHECKING:
    from gearwright.model.parallel.assembly import Constraints

PARTS = ("x", "y", "z", "rx", "ry", "rz")  # of a link's motion, in the order in which they are taken


class OutputGroup(NamedTuple):
    """Joints that move together and are driven; outputs are those that motors drive, or what loops carry."""

    joints: list[Joint]
    driven: list[AxisRef]
    loops: list[str]  # joints that close loops


def output_groups(constraints: Constraints) -> list[OutputGroup]:
    robot, together = constraints.robot, constraints.components()
    driven: dict[str, list[AxisRef]] = {}  # a group's root → its driven axes
    for name in robot.actuators:
        for axis in constraints.driven_axes(name):
            own = driven.setdefault(together.root(axis.joint), [])
            own += [] if axis in own else [axis]
    found = []
    for root, axes in driven.items():
        joints = [j for j in constraints.system.joints if together.root(j.name) == root]
        found.append(OutputGroup(joints, axes, [j.name for j in constraints.system.cuts if j in joints]))
    return found


def default_outputs(constraints: Constraints, group: OutputGroup, q: Configuration) -> list[str]:
    """Raises ModelError where it is not clear what a group's loops carry."""
    if group.loops:
        return _carried(constraints, q, group)
    return list(dict.fromkeys(str(leader) for axis in group.driven for leader in _leaders(constraints, axis)))


def _leaders(constraints: Constraints, axis: AxisRef, passed: tuple[AxisRef, ...] = ()) -> Iterator[AxisRef]:
    """The axis itself; of a follower, the independent axes that lead it. A coupling cycle is followed once."""
    leaders = [t.axis for c in constraints.couplings if c.follower == axis for t in c.leaders]
    if not leaders or axis in passed:
        yield axis
        return
    for leader in leaders:
        yield from _leaders(constraints, leader, (*passed, axis))


def _carried(constraints: Constraints, q: Configuration, group: OutputGroup) -> list[str]:
    """Passive joints from where loops are mounted to the link where most of them meet, as many as motors drive.

    If there are none, as in a delta, the motion of that link.
    """
    joints, driven = group.joints, {axis.joint for axis in group.driven}
    columns = constraints.columns([j.name for j in joints])
    free = null_space(constraints.system.scaled_rows(q, constraints.couplings).J[:, columns])
    B = np.array([row[columns] for row in constraints.actuator_rows(q).values() if np.abs(row[columns]).max() > 0])
    motors = rank(B / np.linalg.norm(B, axis=1, keepdims=True) @ free.T)
    mounts = _mounts(constraints, joints)
    meeting = Counter(link for j in joints if j.dof for link in (j.parent, j.child) if link not in mounts)
    most = {link for link, n in meeting.items() if n == max(meeting.values())}
    passive = [j for j in joints if j.name not in driven]
    paths = [path for link in mounts for path in _paths(passive, link, most, motors)]
    if len(paths) == 1:
        return [c for j in paths[0] for c in j.coordinates]
    if not paths and len(most) == 1:
        return _parts(constraints, q, columns, next(iter(most)), motors)
    loops = ", ".join(map(repr, group.loops))
    raise ModelError(
        f"the output of the loop through {loops} is not clear: name it, output=[…], by joint axes or a link's motion, "
        f"such as {min(most)}.x … {min(most)}.rz"
    )


def _mounts(constraints: Constraints, joints: Sequence[Joint]) -> set[str]:
    """Links that these joints do not move."""
    own = {j.name for j in joints}
    moved: set[str] = set()
    for b in constraints.system.tree.branches:
        if b.joint.name in own or b.parent in moved:
            moved.add(b.link)
    return {link for j in joints for link in (j.parent, j.child)} - moved


def _paths(
    joints: Sequence[Joint], start: str, ends: Collection[str], dof: int, before: tuple[Joint, ...] = ()
) -> Iterator[tuple[Joint, ...]]:  # fmt: skip
    """Ways over these joints from a link to one of the ends, with so many degrees of freedom."""
    if start in ends and not dof:
        yield before
    for j in joints:
        if j not in before and start in (j.parent, j.child) and j.dof <= dof:
            after = j.child if start == j.parent else j.parent
            yield from _paths(joints, after, ends, dof - j.dof, (*before, j))


def _parts(constraints: Constraints, q: Configuration, columns: Sequence[int], link: str, most: int) -> list[str]:
    """Independent parts of a link's motion, translations first."""
    free = null_space(constraints.system.scaled_rows(q, constraints.couplings).J[:, columns])
    unit = constraints.system.unit(q)[list(columns)]
    rows, found = np.zeros((0, len(free))), list[str]()
    for part in PARTS:
        row = constraints.link_row(link, part, q)[list(columns)] / unit @ free.T
        more = np.vstack([rows, row / (np.linalg.norm(row) or 1.0)])
        if rank(more) > len(rows) and len(found) < most:
            rows = more
            found.append(f"{link}.{part}")
    return found
