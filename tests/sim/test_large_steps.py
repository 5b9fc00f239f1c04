"""Steps of 10 ms: the default step is stable wherever the first-order one is.

Robots fall from three poses, as their files have them and with no commands. What is passive cannot rise above the
energy that it began with, so energy above that, as a share of the highest kinetic one, measures how far a step is off.
"""

import os
import warnings
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.model import AxisRef
from gearwright.sim import compile

DT, TIME = 0.01, 2.0  # [s]
ABOVE = 0.05  # of the highest kinetic energy, by which energy may be above the start's
KINDS = ("panda.urdf", "allegro_right_hand.urdf", "solo12.urdf")  # in the default suite


def real_robots():
    """Of example-robot-data one file a folder, and all of the corpus."""
    try:
        every = [Path(str(f.locate())).resolve() for f in files("example-robot-data") or () if f.suffix == ".urdf"]
    except PackageNotFoundError:
        every = []
    corpus = os.environ.get("GEARWRIGHT_CORPUS")
    if corpus:
        robots = sorted((Path(corpus) / "robots").rglob("*"))
        every += [f for f in robots if f.suffix in (".urdf", ".sdf")]
    return sorted(every)


def poses(sim, rng):
    """The start, and two random ones within the stops: of open chains, whose joints may stand anywhere."""
    yield {}
    if sim.robot.tree.cuts:
        return
    for _ in range(2):
        found = {}
        for joint in sim.robot.tree.joints:
            if len(joint.axes) == 1 and not any(c.follower.joint == joint.name for c in sim.robot.couplings.values()):
                limits = joint.axes[0].limits
                low, high = max(limits.lower, -1.0), min(limits.upper, 1.0)
                found[joint.name] = rng.uniform(low, high) if low < high else 0.5 * (limits.lower + limits.upper)
        yield found


def highest(sim, pose):
    """How far energy is above the start's at most, as a share of the highest kinetic; infinite where the state is lost."""
    sim.reset(position=pose)
    start = sim.energy
    try:
        rec = sim.run(TIME)
    except gw.SimulationError:
        return np.inf
    return (rec.energy.max() - start) / max(rec.kinetic_energy.max(), 1e-9)


def check(path, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            robot = gw.load(path)
            ours, euler = compile(robot, dt=DT), compile(robot, dt=DT, integrator="euler")
        except gw.GearwrightError as error:
            pytest.skip(f"no robot that moves: {str(error)[:80]}")
        for pose in poses(ours, rng):
            above = highest(ours, pose)
            assert above <= max(ABOVE, highest(euler, pose)), pose
