"""Couplings that share a follower, or form a cycle: which degrees of freedom they remove, and what they lock.

A coupling of a chain or a tree removes its follower's degree of freedom. In a cycle, either the ratios multiply to 1,
and one of the rows is implied by the others, or they do not, and together the rows lock every axis. Compliant couplings
yield: they remove what they can without locking anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.joints import AxisRef
from gearwright.model.poses import Array
from gearwright.model.tree.kinematics import Configuration
from gearwright.model.tree.topology import Components

ONE_ROW = 1.2e-4  # angle between rows that are one, as in a step (`solve.floors`): ratios of four digits
SAME = 1e-13  # ratios that differ by less do so by rounding
WIDEST = 1000  # axes of a cycle that is looked at: a second's work


def groups(couplings: Collection[Coupling]) -> Iterator[list[Coupling]]:
    """Couplings that share axes, however far."""
    together = Components()
    for c in couplings:
        for t in c.leaders:
            together.join(str(c.follower), str(t.axis))
    found: dict[str, list[Coupling]] = {}
    for c in couplings:
        found.setdefault(together.root(str(c.follower)), []).append(c)
    yield from found.values()


def taken_by(group: Sequence[Coupling], q: Configuration) -> int:
    """Degrees of freedom that a group of couplings removes."""
    if not is_cycle(group):
        return len(group)
    axes = _axes(group)
    if len(axes) > WIDEST:
        return len({c.follower for c in group})
    basis = np.zeros((0, len(axes)))
    for c in sorted(group, key=lambda c: c.mode == "compliant"):
        left = _left_of(c, axes, q, basis)
        yields = c.mode == "compliant" and len(basis) + 1 == len(axes)
        if left is not None and not yields:
            basis = np.vstack([basis, left])
    return len(basis)


def locked(group: Sequence[Coupling], q: Configuration) -> list[AxisRef]:
    """Axes that exact and hard couplings together lock."""
    found: list[AxisRef] = []
    for part in groups([c for c in group if c.mode != "compliant"]):
        axes = _axes(part)
        if is_cycle(part) and len(axes) <= WIDEST and taken_by(part, q) == len(axes):
            found += axes
    return found


def unrounded(couplings: Collection[Coupling], q: Configuration) -> dict[str, list[float]]:
    """Ratios of hard couplings that other couplings imply up to rounding, with the exact values: 1/3 for 0.3333.

    Rows that differ only by rounding would together lock every axis.
    """
    found: dict[str, list[float]] = {}
    for group in groups([c for c in couplings if c.mode != "compliant"]):
        axes = _axes(group)
        if not is_cycle(group) or len(axes) > WIDEST:
            continue
        basis = np.zeros((0, len(axes)))
        for c in sorted(group, key=lambda c: c.mode == "hard"):
            left = _left_of(c, axes, q, basis)
            if left is not None:
                basis = np.vstack([basis, left])
            elif c.mode == "hard" and c.through is None and not c.powers:
                ratios = _implied_ratios(c, axes, basis)
                if not np.allclose(ratios, [t.multiplier for t in c.leaders], rtol=SAME, atol=0.0):
                    found[c.name] = ratios
    return found


def _implied_ratios(c: Coupling, axes: dict[AxisRef, int], basis: Array) -> list[float]:
    """The nearest ones that hold in every motion which the rows of the basis leave."""
    motions = np.linalg.svd(basis)[2][len(basis) :]
    leaders = motions[:, [axes[t.axis] for t in c.leaders]]
    ratios = np.array([t.multiplier for t in c.leaders])
    lacking = motions[:, axes[c.follower]] - leaders @ ratios
    return [float(x) for x in ratios + np.linalg.pinv(leaders, rcond=ONE_ROW) @ lacking]


def _left_of(c: Coupling, axes: dict[AxisRef, int], q: Configuration, basis: Array) -> Array | None:
    """Remainder of a row beside other rows, of length 1; None if that is rounding."""
    row = np.zeros(len(axes))
    row[axes[c.follower]] += 1.0
    slopes = c.slopes([q[t.axis.joint][t.axis.index] for t in c.leaders])
    for t, slope in zip(c.leaders, slopes, strict=True):
        row[axes[t.axis]] -= slope
    row /= max(float(np.linalg.norm(row)), 1e-300)
    for _ in range(2):  # twice: what rounding leaves the first time
        row = row - (basis @ row) @ basis
    length = float(np.linalg.norm(row))
    return row / length if length > ONE_ROW else None


def is_cycle(group: Sequence[Coupling]) -> bool:
    """Whether they have no more axes than couplings: chains and trees have one more.

    Couplings with several leaders have more axes still, and may be cycles none the less.
    """
    followers = {c.follower for c in group}
    if len(followers) < len(group):
        return True
    return not _has_order(group)


def _has_order(group: Sequence[Coupling]) -> bool:
    """Whether leaders can come before followers."""
    followers = {c.follower for c in group}
    left = {c.follower: {t.axis for t in c.leaders} & followers for c in group}
    waiting: dict[AxisRef, list[AxisRef]] = {}
    for follower, leaders in left.items():
        for leader in leaders:
            waiting.setdefault(leader, []).append(follower)
    ready = [axis for axis, leaders in left.items() if not leaders]
    count = 0
    while ready:
        leader = ready.pop()
        count += 1
        for follower in waiting.get(leader, ()):
            left[follower].discard(leader)
            if not left[follower]:
                ready.append(follower)
    return count == len(left)


def placing_order(ordered: Sequence[Coupling], given: Collection[AxisRef]) -> list[Coupling]:
    """Couplings in order; in cycles, those that lead away from what is given come first."""
    if not given or not is_cycle(ordered):
        return list(ordered)
    placed, first = set(given), dict[str, Coupling]()
    by_leader: dict[AxisRef, list[Coupling]] = {}
    for c in ordered:
        for t in c.leaders:
            by_leader.setdefault(t.axis, []).append(c)
    ready = list(given)
    while ready:
        for c in by_leader.get(ready.pop(0), ()):
            if c.follower not in placed and all(t.axis in placed for t in c.leaders):
                first[c.name] = c
                placed.add(c.follower)
                ready.append(c.follower)
    return [*first.values(), *(c for c in ordered if c.name not in first)]


def _axes(group: Sequence[Coupling]) -> dict[AxisRef, int]:
    every = dict.fromkeys(axis for c in group for axis in (c.follower, *(t.axis for t in c.leaders)))
    return {axis: i for i, axis in enumerate(every)}
