"""The motions in which robots with stops and friction are timed.

Rows cost different things in different states: a joint that slides has its friction at the bound, one that sticks has
it anywhere below, one on a stop has both. So a robot is timed while it moves within its range, and while it rests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench.contestant import Array, Begin
from benchmarks.bench.ours import Gearwright
from gearwright.model import ElectricMotor, Mechanism

SPEED = (0.1, 0.2)  # of an axis's range a second: after 100 steps of 1 ms it has moved by 1 to 2 % of it
PRESS = 3.0  # times its friction, on a joint that leans on its stop
HELD = 0.4  # of its friction at most, on a joint that sticks


@dataclass(frozen=True, kw_only=True)
class Situation:
    """How robots begin, and how long it lasts."""

    title: str
    begin: Callable[[Gearwright, int, np.random.Generator], Begin]
    settle: int  # steps before the clock starts
    longest: int  # steps after which robots are put back
    at_rest: bool


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """Each joint's limits and friction from the file, in the order of an engine's names."""

    lower: Array  # [rad, m]
    upper: Array
    friction: Array  # [N·m, N]
    damping: Array  # [N·m·s/rad, N·s/m]

    @staticmethod
    def of(ours: Gearwright) -> Ranges:
        axes = [ours.mechanism.joints[name].axes[0] for name in ours.names]
        return Ranges(
            lower=np.array([a.limits.lower for a in axes]),
            upper=np.array([a.limits.upper for a in axes]),
            friction=np.array([a.dynamics.friction for a in axes]),
            damping=np.array([a.dynamics.damping for a in axes]),
        )

    @property
    def width(self) -> Array:
        return self.upper - self.lower


def moving(ours: Gearwright, robots: int, rng: np.random.Generator) -> Begin:
    """Every joint slides near the middle of its range; efforts keep it going, so that nothing sticks or stops."""
    ranges, shape = Ranges.of(ours), (robots, len(ours.names))
    q = ranges.lower + ranges.width * rng.uniform(0.4, 0.6, shape)
    v = rng.choice([-1.0, 1.0], shape) * ranges.width * rng.uniform(*SPEED, shape)
    return _with_efforts(ours, q, v, lambda v: ranges.friction * np.sign(v) + ranges.damping * v)


def resting(ours: Gearwright, robots: int, rng: np.random.Generator) -> Begin:
    """Every second joint leans on one of its stops, the others are held by friction; followers go along."""
    ranges, shape = Ranges.of(ours), (robots, len(ours.names))
    leaning = np.isin(np.arange(shape[1]), list(ours.independent.values())[::2])
    up = rng.random(shape) < 0.5
    middle = ranges.lower + ranges.width * rng.uniform(0.4, 0.6, shape)
    q = np.where(leaning, np.where(up, ranges.upper, ranges.lower), middle)
    press = np.where(leaning, PRESS * np.where(up, 1.0, -1.0), rng.uniform(-HELD, HELD, shape))
    return _with_efforts(ours, q, np.zeros(shape), lambda v: press * ranges.friction)


def running(ours: Gearwright, robots: int, rng: np.random.Generator) -> Begin:
    """Every motor at full command, from rest at one fifth of the range towards the far end: up along its curve."""
    ranges, shape = Ranges.of(ours), (robots, len(ours.names))
    up = rng.random(shape) < 0.5
    q = np.where(up, ranges.lower + 0.2 * ranges.width, ranges.upper - 0.2 * ranges.width)
    return _at_full_command(ours, q, up)


def stalled(ours: Gearwright, robots: int, rng: np.random.Generator) -> Begin:
    """Every motor at full command against a stop: it stalls at what its drive lets it have."""
    ranges, shape = Ranges.of(ours), (robots, len(ours.names))
    up = rng.random(shape) < 0.5
    return _at_full_command(ours, np.where(up, ranges.upper, ranges.lower), up)


def _at_full_command(ours: Gearwright, q: Array, up: NDArray[np.bool_]) -> Begin:
    """Each motor's stall torque: the curve and the drive's limit leave of it what they leave."""
    still = np.zeros_like(q)
    begin = Begin(names=ours.names, position=q, velocity=still, effort=still)
    sim = ours.begun(begin)
    q = np.stack([np.atleast_1d(sim.position[name]) for name in ours.names], axis=1)
    command = {}
    for motor, joint in driven_joints(ours.mechanism).items():
        actuator = ours.mechanism.actuators[motor]
        assert isinstance(actuator, ElectricMotor)
        stall = actuator.stall_torque or 0.0
        command[motor] = np.where(up[:, ours.names.index(joint)], stall, -stall)
    return replace(begin, position=q, command=command)


def driven_joints(mechanism: Mechanism) -> dict[str, str]:
    """Motor → the one joint that it turns."""
    return {t.actuators[0]: t.joints[0].joint for t in mechanism.transmissions.values()}


def _with_efforts(ours: Gearwright, q: Array, v: Array, more: Callable[[Array], Array]) -> Begin:
    """Followers aligned; efforts are what gravity and the motion ask for at the beginning, and `more(v)`."""
    names, nothing = ours.names, np.zeros_like(q)
    sim = ours.begun(Begin(names=names, position=q, velocity=v, effort=nothing))
    q, v = (np.stack([np.atleast_1d(view[name]) for name in names], axis=1) for view in (sim.position, sim.velocity))
    bias = np.asarray(sim.bias()).reshape(q.shape)
    return Begin(names=names, position=q, velocity=v, effort=bias + more(v))


SITUATIONS = (
    Situation(title="moving", begin=moving, settle=0, longest=100, at_rest=False),
    Situation(title="resting", begin=resting, settle=300, longest=400, at_rest=True),
)
DRIVEN = (
    Situation(title="running", begin=running, settle=0, longest=40, at_rest=False),
    Situation(title="stalled", begin=stalled, settle=300, longest=400, at_rest=True),
)
