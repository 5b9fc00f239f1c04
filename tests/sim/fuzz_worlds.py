"""Random worlds: shapes of all kinds in random places, some free, some still, stepped twice from the same start.

`PYTHONPATH=src:. python -m tests.sim.fuzz_worlds --count 5000 --steps 1000`: no NaN, no traceback, the same bits twice.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import gearwright as gw

SHAPES = ("box", "sphere", "cylinder", "capsule")
MOST_BODIES = 3


def random_world(seed: int) -> gw.Mechanism:
    rng = np.random.default_rng(seed)
    world = gw.World(f"w{seed}")
    if rng.random() < 0.8:
        world.ground(rng.uniform(0, 1.2), slope=rng.normal(size=2) * 0.1)
    for k in range(rng.integers(1, MOST_BODIES + 1)):
        size, pose = rng.uniform(0.05, 0.4, 3), (*rng.uniform(-0.3, 0.3, 2), rng.uniform(0.1, 0.8), *rng.normal(size=3))
        form = {
            "box": {"size": size}, "sphere": {"radius": size[0]},
            "cylinder": {"radius": size[0], "length": size[1]}, "capsule": {"radius": size[0], "length": size[1]},
        }  # fmt: skip
        kind = SHAPES[rng.integers(len(SHAPES))]
        mass = float(10 ** rng.uniform(-2, 1)) if k == 0 or rng.random() < 0.7 else None
        surface = {"friction": rng.uniform(0, 1.5)}
        if rng.random() < 0.2:
            surface["restitution"] = rng.uniform(0, 1)
        if rng.random() < 0.2:
            surface |= {"stiffness": 10 ** rng.uniform(3, 6), "damping": 10 ** rng.uniform(0, 2)}
        getattr(world, kind)(f"{kind}{k}", mass=mass, pose=pose, **form[kind], **surface)
    return world.finish()


def problem(seed: int, steps: int, dt: float) -> tuple[str, int]:
    """What is wrong with a world, or nothing; and how many of its steps did not converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = gw.compile(random_world(seed), dt=dt)
        ends = []
        for _ in range(2):
            sim.reset()
            sim.step(n=steps)
            ends.append(sim.state.tobytes())
    if not np.isfinite(sim.state).all():
        return "a state that is not finite", 0
    return "" if ends[0] == ends[1] else "another end from the same start", int(np.sum(sim.unsettled))


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--dt", type=float, default=1e-3)
    given = options.parse_args()
    unsettled = 0
    for seed in range(given.first, given.first + given.count):
        found, more = problem(seed, given.steps, given.dt)
        unsettled += more
        if found:
            print(f"world {seed}: {found}")
    print(f"{given.count} worlds, {unsettled} of {given.count * given.steps} steps did not converge")


if __name__ == "__main__":
    main()
