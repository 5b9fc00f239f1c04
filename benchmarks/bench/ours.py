"""Gearwright as a contestant, through its public interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import cycle
from typing import Any, ClassVar

import numpy as np

from benchmarks.bench.clock import Runner
from benchmarks.bench.contestant import Array, Begin, Contestant
from benchmarks.bench.robots import Robot
from gearwright.formats import loads
from gearwright.sim import compile as compile_robot


class Gearwright(Contestant):
    """Everything in machine code: scalar for one robot, SIMD lanes for batches. Couplings are exact by default."""

    title: ClassVar[str] = "Gearwright"
    package: ClassVar[str] = "gearwright"
    how: ClassVar[str] = "`sim.step(n=n)`: the loop is machine code; batches: one robot per SIMD lane"
    batch_robots: ClassVar[int] = 1024

    def __init__(self, robot: Robot, dt: float, coupling: str = "exact") -> None:
        self.dt, self.mechanism, self.coupling = dt, loads(robot.urdf), coupling
        self.sim: Any = compile_robot(self.mechanism, dt=dt, coupling=coupling, integrator="euler")
        self.names = tuple(self.sim.coordinates)
        followers = {str(c.follower) for c in self.mechanism.couplings.values()}
        self.independent = {name: i for i, name in enumerate(self.names) if name not in followers}

    def reset(self, position: Array, velocity: Array) -> None:
        """Followers go where their leaders put them."""
        self.sim.reset(position=self._by_name(position), velocity=self._by_name(velocity))

    def step(self, n: int) -> None:
        self.sim.step(n=n)

    def position(self) -> Array:
        return np.array([self.sim.position[name] for name in self.names])

    def velocity(self) -> Array:
        return np.array([self.sim.velocity[name] for name in self.names])

    def mass_matrix_and_bias(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        self.reset(position, velocity)
        return np.asarray(self.sim.mass_matrix()), np.asarray(self.sim.bias())

    def batch(self, positions: Array, threads: int) -> Runner:
        sim, prepare = self._batch(positions, threads)
        return Runner(prepare=prepare, run=lambda n: sim.step(n=n), robots=len(positions))

    def recorded_batch(self, positions: Array) -> Runner:
        """With everything kept after every step, as a `Recording`; MuJoCo's `rollout` keeps the states too."""
        sim, prepare = self._batch(positions)

        def run(n: int) -> None:
            sim.run(n * self.dt)

        return Runner(prepare=prepare, run=run, robots=len(positions), shortest=50, longest=100)

    def _batch(self, positions: Array, threads: int = 1) -> tuple[Any, Callable[[], None]]:
        """A simulation of so many robots, and what puts them back where they began."""
        sim = self.simulation(len(positions), threads)
        sim.reset(position={name: positions[:, i] for name, i in self.independent.items()})
        begin = np.array(sim.state)

        def prepare() -> None:
            sim.state = begin

        return sim, prepare

    def simulation(self, batch: int, threads: int = 1) -> Any:
        """Another simulation of the same robot."""
        return compile_robot(
            self.mechanism, dt=self.dt, batch=batch, threads=threads, coupling=self.coupling, integrator="euler"
        )

    def begun(self, begin: Begin) -> Any:
        """A simulation of robots that begin so, with efforts and commands held; one robot is the same for all calls."""
        sim = self.sim if begin.robots == 1 else self.simulation(begin.robots)
        given = begin.ordered(self.names)
        q, v = (dict(zip(self.names, _columns(x.T), strict=True)) for x in (given.position, given.velocity))
        sim.reset(position={k: q[k] for k in self.independent}, velocity={k: v[k] for k in self.independent})
        sim.step(**self._inputs(begin), n=0)
        return sim

    def in_turn(self, begin: Begin, settle: int, longest: int) -> Runner:
        """One robot that has begun in each of these ways in turn, `settle` steps later."""
        settled = []
        for robot in range(begin.robots):
            self.begun(begin.some(robot)).step(n=settle)
            settled.append((np.array(self.sim.state), self._inputs(begin.some(robot))))
        turns, sim = cycle(settled), self.sim

        def prepare() -> None:
            sim.state, inputs = next(turns)
            sim.step(**inputs, n=0)

        return Runner(prepare=prepare, run=lambda n: sim.step(n=n), longest=longest)

    def together(self, begin: Begin, settle: int, longest: int) -> Runner:
        """All of them as a batch."""
        sim = self.begun(begin)
        sim.step(n=settle)
        state = np.array(sim.state)

        def prepare() -> None:
            sim.state = state

        return Runner(prepare=prepare, run=lambda n: sim.step(n=n), robots=begin.robots, longest=longest)

    def after(self, begin: Begin, steps: int) -> Array:
        """Where the first robot is then."""
        self.begun(begin.some(0)).step(n=steps)
        return self.position()

    def _inputs(self, begin: Begin) -> dict[str, Any]:
        """Held efforts and commands as arguments of `step`; without motors there are no commands."""
        effort = dict(zip(self.names, _columns(begin.ordered(self.names).effort.T), strict=True))
        if not begin.command:
            return {"effort": effort}
        return {"effort": effort, "command": dict(zip(begin.command, _columns(begin.command.values()), strict=True))}

    def _by_name(self, values: Array) -> dict[str, float]:
        return {name: float(values[i]) for name, i in self.independent.items()}


def _columns(values: Iterable[Array]) -> list[Any]:
    """Numbers for one robot, arrays for several."""
    return [float(x[0]) if len(x) == 1 else x for x in values]
