"""Environment steps a second on the CPU, beside MuJoCo's `rollout` of the same robot:

    python -m benchmarks.environments [MJCF …]
    python -m benchmarks.environments walk       the quadruped of examples/walk.py, its motors and contacts

Both get random actions, make so many steps with each, and use all cores. MuJoCo's part is its steps alone; ours is the
whole environment, with observations, rewards and resets. Both are run in turn, and the best of each counts.
"""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import mujoco.rollout
import numpy as np

import gearwright as gw

ROBOTS = Path(gw.__file__).parent / "robots"
BATCH, STEPS, ACTIONS, ROUNDS = 4096, 10, 20, 5  # steps of 1 ms, of an action
CORES = len(os.sched_getaffinity(0))
WALK = "walk"


class Figure(NamedTuple):
    """Environment steps a second."""

    ours: float
    single: float
    mujoco: float


Run = Callable[[], object]


def ours(env: Any) -> Run:
    """Actions by chance."""
    env.reset(seed=0)
    low, high = env.single_action_space.low, env.single_action_space.high
    rng = np.random.default_rng(0)
    actions = [rng.uniform(low, high, env.action_space.shape) for _ in range(ACTIONS)]
    return lambda: [env.step(action) for action in actions]


def theirs(model: Any, begin: Any, low: Any, high: Any, steps: int = STEPS) -> Run:
    """MuJoCo's steps of the same robot, as their documentation has them: a `MjData` for each thread."""
    data = [mujoco.MjData(model) for _ in range(CORES)]
    data[0].qpos[:] = begin
    state = np.zeros((BATCH, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    mujoco.mj_getState(model, data[0], state[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state[:] = state[0]
    control = np.repeat(np.random.default_rng(0).uniform(low, high, (BATCH, ACTIONS, model.nu)), steps, axis=1)
    pool = mujoco.rollout.Rollout(nthread=CORES)
    return lambda: pool.rollout(model, data, state, control)


def of_file(path: Path) -> list[Run]:
    """An environment that moves a robot's joints, in double and in single precision; and MuJoCo's steps."""
    robot = gw.load(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = 1e-3
    given: dict[str, Any] = {
        "batch": BATCH, "observe": ("position", "velocity"), "act": dict.fromkeys(robot.actuators, (-1.0, 1.0)),
        "reward": lambda obs, act: -(obs**2).sum(axis=1), "period": STEPS * 1e-3, "duration": 1.0, "threads": CORES,
        "integrator": "euler",
    }  # fmt: skip
    both = [ours(gw.VectorEnv(robot, precision=precision, **given)) for precision in ("double", "single")]
    return [*both, theirs(model, model.qpos0, -1.0, 1.0)]


def walking() -> list[Run]:
    """The same of the quadruped that learns to walk, whose episodes begin on its feet."""
    example = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "walk.py"))
    with tempfile.TemporaryDirectory() as folder:
        gw.save(example["quadruped"](), Path(folder, "quadruped.xml"))
        spec = mujoco.MjSpec.from_file(str(Path(folder, "quadruped.xml")))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], conaffinity=1, friction=[0.8, 0.005, 0.0])
    model = spec.compile()
    model.opt.timestep = example["DT"]
    begin = np.concatenate([[0.0, 0.0, example["HEIGHT"], 1.0, 0.0, 0.0, 0.0], example["POSE"]])
    low, high = np.array([*example["RANGES"].values()]).T
    both = [ours(example["environment"](BATCH, threads=CORES, precision=p)) for p in ("double", "single")]
    return [*both, theirs(model, begin, low, high, example["STEPS"])]


def measured(runs: list[Run]) -> Figure:
    """The best of several rounds, one after the other in turn."""
    best = [0.0] * len(runs)
    for _ in range(ROUNDS):
        for k, run in enumerate(runs):
            begun = time.perf_counter()
            run()
            best[k] = max(best[k], BATCH * ACTIONS / (time.perf_counter() - begun))
    return Figure(*best)


def main() -> None:
    """Prints a table."""
    print(f"environment steps per second; {BATCH} robots, {CORES} cores")
    for given in sys.argv[1:] or [str(ROBOTS / "reference_arm.xml"), WALK]:
        found = measured(walking() if given == WALK else of_file(Path(given)))
        ratio = found.ours / found.mujoco, found.single / found.mujoco
        print(f"{Path(given).stem}: double {found.ours:,.0f}, single {found.single:,.0f}, MuJoCo {found.mujoco:,.0f}: "
              f"{ratio[0]:.1f} and {ratio[1]:.1f} times")  # fmt: skip


if __name__ == "__main__":
    main()
