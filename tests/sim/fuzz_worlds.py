"""Random worlds: shapes of all kinds in random places, some free, some still, stepped twice from the same start.

`PYTHONPATH=src:. python -m tests.sim.fuzz_worlds --count 5000 --steps 1000`: no NaN, no traceback, the same bits twice.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

import gearwright as gw

SHAPES = ("box", "sphere", "cylinder", "capsule")
MOST_BODIES = 3
RATES = ("x", "y", "z", "rx", "ry", "rz")
Numbers = dict[str, np.ndarray]


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


def problem(seed: int, steps: int, dt: float, worlds: int = 1) -> tuple[str, int]:
    """What is wrong with a world, or nothing; and how many of its steps did not converge.

    `worlds`: with the same shapes, so many worlds at once, each with its own masses, gravity, places of what is still,
    and starts: each has the bits that it also has in another lane.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = random_world(seed)
        own = _numbers(robot, seed, worlds) if worlds > 1 else {}
        sim = gw.compile(robot, dt=dt, batch=worlds, parameters=[*own])
        places, rates = _starts(sim, seed)
        ends, unsettled = [], 0
        for order in (slice(None), slice(None, None, -1)):
            sim.set_parameters(_in(own, order))
            sim.reset(position=_in(places, order), velocity=_in(rates, order))
            sim.step(n=steps)
            ends.append(np.array(sim.state).reshape(worlds, -1)[order])
            unsettled = int(np.sum(sim.unsettled))
    if not np.isfinite(ends[0]).all():
        return "a state that is not finite", 0
    return "" if ends[0].tobytes() == ends[1].tobytes() else "another end from the same start", unsettled


def _numbers(robot: gw.Mechanism, seed: int, n: int) -> Numbers:
    """Parameters, one value a world: the first has those of the file."""
    rng, value = np.random.default_rng([seed, 2]), {name: p.value for name, p in robot.parameters.items()}
    first, found = np.arange(n) == 0, {}
    for link in robot.links:
        times = np.where(first, 1.0, 10 ** rng.uniform(-1.5, 1.5, n))
        for name in (f"{link}.mass", *(f"{link}.inertia.i{k}{k}" for k in "xyz")):
            if value[name] > 0.0:
                found[name] = times * value[name]
    for name, x in value.items():
        if name.startswith("gravity") or (name.split(".")[1] == "origin" and not name.startswith("ground")):
            far = 1.5 if name.startswith("gravity") else 0.3
            found[name] = x + np.where(first, 0.0, rng.uniform(-far, far, n))
    return found


def _starts(sim: gw.Simulation, seed: int) -> tuple[Numbers, Numbers]:
    """Positions and velocities of free bodies: the first start is the one that the world is drawn with, at rest."""
    rng, shape, moves = np.random.default_rng([seed, 1]), (3, sim.batch), np.arange(sim.batch) > 0
    sim.reset()
    places: Numbers = {}
    rates: Numbers = {}
    for base in sim.robot.bases.values():
        if base.kind == "floating":
            turn = rng.normal(size=(4, sim.batch))
            turned = dict(zip("wxyz", turn / np.linalg.norm(turn, axis=0), strict=True))
            now = {name: np.broadcast_to(sim.position[name], moves.shape) for name in _coordinates(base.name)}
            for axis, far in zip("xyz", rng.uniform(-0.3, 0.3, shape), strict=True):
                places[f"{base.name}.{axis}"] = now[f"{base.name}.{axis}"] + far * moves
            places |= {f"{base.name}.q{a}": np.where(moves, x, now[f"{base.name}.q{a}"]) for a, x in turned.items()}
            rates |= {f"{base.name}.{axis}": rng.normal(size=sim.batch) * moves for axis in RATES}
    return places, rates


def _coordinates(name: str) -> list[str]:
    return [f"{name}.{axis}" for axis in ("x", "y", "z", "qw", "qx", "qy", "qz")]


def _in(numbers: Numbers, order: slice) -> Numbers:
    return {name: x[order] for name, x in numbers.items()}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--worlds", type=int, default=32)
    options.add_argument("--dt", type=float, nargs="+", default=[1e-3, 1e-2])
    options.add_argument("--seconds", type=float, default=np.inf)
    given = options.parse_args()
    until, done, unsettled = time.process_time() + given.seconds, 0, dict.fromkeys(given.dt, 0)
    for seed in range(given.first, given.first + given.count):
        if time.process_time() > until:
            break
        worlds = 1 if seed % 4 == 0 else given.worlds  # code for one world, and for several
        for dt in given.dt:
            try:
                found, more = problem(seed, given.steps, dt, worlds)
            except gw.GearwrightError as error:
                found, more = repr(error), 0
            unsettled[dt] += more
            if found or more:
                print(f"world {seed}, dt {dt:g}: {found} {more} steps did not converge", flush=True)
        done += worlds
    for dt, number in unsettled.items():
        print(f"{done} worlds at {dt:g} s: {number} of {done * given.steps} steps did not converge")


if __name__ == "__main__":
    main()
