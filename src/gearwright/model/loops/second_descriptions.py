"""Couplings between joints whose motion a closed loop already determines: parallel grippers with `<mimic>` and a loop.

A coupling is redundant if its leaders alone, through the loops and the couplings before it, determine its follower's
position. If both agree wherever the loops close, the loop's rows are implied by the coupling, and are left out. If not,
the coupling would lock the mechanism. A linear ratio is only an approximation of what links and pins do, so the loop is
kept, and the coupling is left out and reported with its misfit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.model.couplings import Coupling
from gearwright.model.loops.loop_system import ALIGNED, LoopSystem, coupling_error, null_space
from gearwright.model.tree.kinematics import Configuration
from gearwright.model.tree.topology import Tree

# A ratio of four digits, 0.3333, is 3e-5 off in a radian. A tenth of what counts as aligned: rows of a loop that agrees
# with its couplings to here are sure to be left out.
AGREES = ALIGNED / 10  # [rad, lengths of the loop]
MOST_WORK = 3000  # columns times couplings, together: what a second is enough for; the rest counts as it is written
SURELY_MOVES = 30 * ALIGNED  # too much for rounding, however many rows it has part in


@dataclass(frozen=True, kw_only=True)
class SecondDescription:
    """A coupling whose relation loops also impose, and the difference between the two."""

    coupling: Coupling
    misfit: float  # the largest |C| where the loops close, near the start [rad, m]
    leader: float  # where its first leader stands there
    follower: float  # where the loops put its follower there
    agrees: bool

    @property
    def contradicts(self) -> bool:
        """Whether it would lock the loops; a compliant one only pulls at them."""
        return not self.agrees and self.coupling.mode != "compliant"


def second_descriptions(
    tree: Tree, couplings: Collection[Coupling], q: Configuration
) -> dict[str, SecondDescription]:  # fmt: skip
    """By coupling, in document order: the first that connects two loops is kept, and later ones are compared with
    it."""
    found: dict[str, SecondDescription] = {}
    work = 0
    for system in LoopSystem.of(tree, list(couplings)).parts():
        if system.cuts and system.couplings:
            work += system.width * len(system.couplings)
            found |= _judged(system, q) if work <= MOST_WORK else {}
    return found


def _judged(system: LoopSystem, q: Configuration) -> dict[str, SecondDescription]:
    found: dict[str, SecondDescription] = {}
    loops = _Loops(system, (), q)
    for c in system.couplings:
        if loops.determine(c):
            found[c.name] = loops.judge(c)
        else:
            loops = _Loops(system, (*loops.couplings, c), q)
    return found


@dataclass(frozen=True)
class _Loops:
    """Poses where the loops close and the couplings so far hold, and their rows there."""

    system: LoopSystem
    couplings: tuple[Coupling, ...]
    q: Configuration

    @cached_property
    def start(self) -> Configuration | None:
        return self.system.closed(self.q, self.couplings)

    @cached_property
    def poses(self) -> list[Configuration]:
        if self.start is None:
            return []
        return [self.start, *(s.pose for s in self.system.general_samples(self.start, self.couplings))]

    def determine(self, c: Coupling) -> bool:
        """Whether the follower stands still whenever the leaders do; checked at the start first, where most fail."""
        if self.start is None or self._motion(c, self.start) > SURELY_MOVES:
            return False
        return all(self._motion(c, pose) < ALIGNED for pose in self.poses)

    def _motion(self, c: Coupling, pose: Configuration) -> float:
        """Motion of the follower, as far as rows let it, while the leaders stand still."""
        leaders = np.zeros((len(c.leaders), self.system.width))
        for i, t in enumerate(c.leaders):
            leaders[i, self.system.column(t.axis)] = 1.0
        follower = self.system.column(c.follower)
        J = self.system.scaled_rows(pose, self.couplings).J
        return float(np.linalg.norm(null_space(np.vstack([J, leaders]))[:, follower]))

    def judge(self, c: Coupling) -> SecondDescription:
        misfit, pose = max(((abs(coupling_error(c, q)), i) for i, q in enumerate(self.poses)))
        q = self.poses[pose]
        first = c.leaders[0].axis
        unit = 1.0
        if next(j for j in self.system.joints if j.name == c.follower.joint).type.prismatic:
            unit = self.system.size(q)
        return SecondDescription(
            coupling=c, misfit=misfit, leader=q[first.joint][first.index],
            follower=q[c.follower.joint][c.follower.index], agrees=misfit <= AGREES * unit,
        )  # fmt: skip
