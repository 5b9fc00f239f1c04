"""Outputs where none are named: the joints that motors drive, or, of closed loops, what the loops carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import ModelError
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.kinematics import Configuration
from gearwright.model.loop_system import null_space, rank

if TYPE_CHECKING:
    from gearwright.model.parallel.assembly import Constraints

PARTS = ("x", "y", "z", "rx", "ry", "rz")  # of a link's motion, in the order in which they are taken


def default_outputs(constraints: Constraints, q: Configuration) -> tuple[str, ...]:
    """By group of joints that move together: those that actuators drive, or what the group's loops carry."""
    robot, together = constraints.robot, constraints.components()
    followers = {c.follower for c in robot.couplings.values()}
    driven: dict[str, list[AxisRef]] = {}  # a group's root → its driven axes
    for name in robot.actuators:
        for axis in constraints.driven_axes(name):
            own = driven.setdefault(together.root(axis.joint), [])
            own += [] if axis in own else [axis]
    found: list[str] = []
    for root, axes in driven.items():
        own_joints = [j for j in constraints.system.joints if together.root(j.name) == root]
        loops = [cut for cut in constraints.system.cuts if cut in own_joints]
        if loops:
            found += _carried(constraints, q, own_joints, {axis.joint for axis in axes})
        else:
            found += [str(axis) for axis in axes if axis not in followers]
    if not found:
        raise ModelError(f"robot {robot.name!r} has no actuator that moves a joint")
    return tuple(found)


def _carried(
    constraints: Constraints, q: Configuration, joints: Sequence[Joint], driven: Collection[str]
) -> list[str]:  # fmt: skip
    """Passive joints from where loops are mounted to the link where most of them meet, as many as motors drive.

    If there are none, as in a delta, the motion of that link.
    """
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
    loops = ", ".join(repr(j.name) for j in joints if j in constraints.system.cuts)
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
