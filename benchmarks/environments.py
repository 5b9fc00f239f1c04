"""Environment steps a second on the CPU, beside MuJoCo's `rollout` of the same robot: python -m benchmarks.environments

Both get random actions, make so many steps with each, and use all cores. MuJoCo's part is its steps alone; ours is the
whole environment, with observations, rewards and resets. Both are run in turn, and the best of each counts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import mujoco.rollout
import numpy as np

import gearwright as gw

ROBOTS = Path(gw.__file__).parent / "robots"
BATCH, STEPS, ACTIONS, ROUNDS = 4096, 10, 20, 5
CORES = len(os.sched_getaffinity(0))


class Figure(NamedTuple):
    """Environment steps a second."""

    ours: float
    single: float
    mujoco: float


def ours(path: Path, **options: Any) -> Callable[[], object]:
    """An environment that moves its joints by chance."""
    robot = gw.load(path)
    env = gw.VectorEnv(
        robot, batch=BATCH, observe=("position", "velocity"), act=dict.fromkeys(robot.actuators, (-1.0, 1.0)),
        reward=lambda obs, act: -(obs**2).sum(axis=1), period=STEPS * 1e-3, duration=1.0, threads=CORES, **options,
    )  # fmt: skip
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    actions = [rng.uniform(-1.0, 1.0, env.action_space.shape) for _ in range(ACTIONS)]
    return lambda: [env.step(action) for action in actions]


def theirs(path: Path) -> Callable[[], object]:
    """MuJoCo's steps of the same robot, as their documentation has them: a `MjData` for each thread."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = 1e-3
    data = [mujoco.MjData(model) for _ in range(CORES)]
    state = np.zeros((BATCH, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    mujoco.mj_getState(model, data[0], state[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state[:] = state[0]
    control = np.repeat(np.random.default_rng(0).uniform(-1, 1, (BATCH, ACTIONS, model.nu)), STEPS, axis=1)
    pool = mujoco.rollout.Rollout(nthread=CORES)
    return lambda: pool.rollout(model, data, state, control)


def measured(path: Path) -> Figure:
    """The best of several rounds, one after the other in turn."""
    runs = [ours(path, integrator="euler"), ours(path, integrator="euler", precision="single"), theirs(path)]
    best = [0.0] * len(runs)
    for _ in range(ROUNDS):
        for k, run in enumerate(runs):
            begun = time.perf_counter()
            run()
            best[k] = max(best[k], BATCH * ACTIONS / (time.perf_counter() - begun))
    return Figure(*best)


def main() -> None:
    """Prints a table."""
    print(f"environment steps per second, of {STEPS} steps of 1 ms; {BATCH} robots, {CORES} cores")
    for path in [Path(given) for given in sys.argv[1:]] or [ROBOTS / "reference_arm.xml"]:
        found = measured(path)
        ratio = found.ours / found.mujoco, found.single / found.mujoco
        print(f"{path.stem}: double {found.ours:,.0f}, single {found.single:,.0f}, MuJoCo {found.mujoco:,.0f}: "
              f"{ratio[0]:.1f} and {ratio[1]:.1f} times")  # fmt: skip


if __name__ == "__main__":
    main()
