"""How cost grows: with degrees of freedom, with the length of a chain of mimics, with the batch."""

from __future__ import annotations

import gc
import os
import tempfile
import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from time import process_time

import numpy as np

from benchmarks.bench.agreement import DisagreementError, agreement, start
from benchmarks.bench.clock import StepTiming, race
from benchmarks.bench.contestant import Contestant
from benchmarks.bench.effort import Effort
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.results import BatchPoint, ChainPoint, SizePoint
from benchmarks.bench.robots import Robot
from benchmarks.bench.trees import SHAPES, curl, gear_train

CHAINS = ((gear_train, "exact"), (gear_train, "hard"), (curl, "exact"), (curl, "hard"), (curl, "compliant"))
LONGEST_COMPILATION = 20.0  # seconds; a shape's larger sizes are left out after one that took longer


def size_points(peers: Mapping[str, type[Contestant]], effort: Effort, dt: float) -> Iterator[SizePoint]:
    """Each shape and size, compiled without a cache."""
    for shape, robot_of in SHAPES.items():
        for dof in effort.sizes:
            point = size_point(shape, dof, robot_of(dof), peers, effort, dt)
            yield point
            if point.compile_s > LONGEST_COMPILATION:
                break


def size_point(
    shape: str, dof: int, robot: Robot, peers: Mapping[str, type[Contestant]], effort: Effort, dt: float
) -> SizePoint:
    seconds, timings = _measured(robot, "exact", peers, effort, dt)
    return SizePoint(
        shape=shape,
        dof=dof,
        one_ns=timings["one"].cpu_ns,
        batch_ns=timings["batch"].cpu_ns,
        compile_s=seconds,
        mujoco_ns=timings["mujoco"].cpu_ns if "mujoco" in timings else None,
    )


def chain_points(peers: Mapping[str, type[Contestant]], effort: Effort, dt: float) -> Iterator[ChainPoint]:
    """Each kind of chain in each mode that its cost is in proportion to its length in."""
    for robot_of, mode in CHAINS:
        for joints in effort.followers:
            robot = robot_of(joints)
            seconds, timings = _measured(robot, mode, peers, effort, dt)
            yield ChainPoint(
                shape=robot.name,
                mode=mode,
                joints=joints,
                one_ns=timings["one"].cpu_ns,
                batch_ns=timings["batch"].cpu_ns,
                compile_s=seconds,
                mujoco_ns=timings["mujoco"].cpu_ns if "mujoco" in timings else None,
            )


def _measured(
    robot: Robot, mode: str, peers: Mapping[str, type[Contestant]], effort: Effort, dt: float
) -> tuple[float, dict[str, StepTiming]]:
    """Seconds to compile without a cache, and times of a robot alone, in a batch, and in MuJoCo if it agrees."""
    with empty_cache():
        before = process_time()
        ours = Gearwright(robot, dt, mode)
        seconds = process_time() - before
        rng = np.random.default_rng(0)
        begins = np.array([start(ours, rng) for _ in range(Gearwright.batch_robots)])
        runners = {"one": ours.runner(begins[0]), "batch": ours.batch(begins, 1)}
    if "mujoco" in peers:
        theirs = peers["mujoco"](robot, dt)
        with suppress(DisagreementError):  # then it is not timed
            agreement(ours, theirs)
            runners["mujoco"] = theirs.runner(begins[0])
    return seconds, race(runners, slices=effort.slices, seconds=effort.seconds)


def batch_points(robot: Robot, effort: Effort, dt: float) -> Iterator[BatchPoint]:
    ours = Gearwright(robot, dt)
    own = 8 * (2 * len(ours.independent) + len(ours.names))  # positions and velocities, an effort a joint
    rng = np.random.default_rng(0)
    some = np.array([start(ours, rng) for _ in range(64)])
    for robots in effort.batches:
        begins = np.resize(some, (robots, some.shape[1]))
        timing = race({"batch": ours.batch(begins, 1)}, slices=effort.slices, seconds=effort.seconds)["batch"]
        yield BatchPoint(
            robots=robots,
            wall_ns=timing.wall_ns,
            cpu_ns=timing.cpu_ns,
            bytes_per_robot=memory(ours, robots) / robots,
            state_and_commands=own,
        )


def memory(ours: Gearwright, robots: int) -> int:
    """Bytes that a simulation of so many robots holds after a step, as Python's allocators count them."""
    ours.simulation(robots).step()  # everything that is made once is there
    gc.collect()
    tracemalloc.start()
    try:
        sim = ours.simulation(robots)
        sim.step()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


@contextmanager
def empty_cache() -> Iterator[None]:
    """Nothing that was compiled before is found."""
    usual = os.environ.get("GEARWRIGHT_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GEARWRIGHT_CACHE"] = folder
        try:
            yield
        finally:
            if usual is None:
                del os.environ["GEARWRIGHT_CACHE"]
            else:
                os.environ["GEARWRIGHT_CACHE"] = usual
