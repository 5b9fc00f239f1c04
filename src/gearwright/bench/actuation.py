"""The full stack on arm and hand: motors with curves, gears, encoders, couplings, stops and friction, beside MuJoCo.

Both get full commands, at which MuJoCo's nearest actuator is the same motor (`peers/mujoco_driven.py` says how), so
that their motions can be compared before they are timed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

from gearwright.bench import bounded
from gearwright.bench.effort import Effort
from gearwright.bench.ours import Gearwright
from gearwright.bench.results import Case
from gearwright.bench.robots import driven_robots
from gearwright.bench.situations import DRIVEN


def cases(
    names: Collection[str], effort: Effort, dt: float, *, with_mujoco: bool, tell: Callable[[str], None]
) -> Iterator[Case]:
    """Of the named robots, or of both; couplings are exact."""
    for robot in (r for r in driven_robots() if not names or r.name in names):
        ours, peer = Gearwright(robot, dt), None
        if with_mujoco:
            from gearwright.bench.peers.mujoco_driven import DrivenMuJoCo

            peer = partial(DrivenMuJoCo, robot, dt, ours.coupling)
        for situation in DRIVEN:
            tell(f"{robot.title} with motors, {situation.title}")
            yield bounded.case(robot, ours, situation, effort, peer)
