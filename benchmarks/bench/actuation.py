"""The full stack on arm and hand: motors with curves, gears, encoders, couplings, stops and friction, beside MuJoCo.

Both get full commands, at which MuJoCo's nearest actuator is the same motor (`peers/mujoco_driven.py` says how), so
that their motions can be compared before they are timed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from benchmarks.bench import bounded
from benchmarks.bench.contestant import Peers
from benchmarks.bench.effort import Effort
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.results import Case
from benchmarks.bench.robots import driven_robots
from benchmarks.bench.situations import DRIVEN


def cases(
    names: Collection[str], effort: Effort, dt: float, peers: Peers, progress: Callable[[str], None]
) -> Iterator[Case]:
    """Measures the named robots, or all, with exact couplings."""
    for robot in (r for r in driven_robots() if not names or r.name in names):
        ours = Gearwright(robot, dt)
        settings = peers.driven(robot, dt, ours.coupling) if peers.driven else {}
        for situation in DRIVEN:
            progress(f"{robot.title} with motors, {situation.title}")
            yield bounded.case(robot, ours, situation, effort, settings)
