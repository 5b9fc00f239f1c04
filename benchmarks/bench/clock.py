"""Timing on a machine that others use too: contestants take turns, and the best or the median of many slices counts.

Two clocks: wall time, and the CPU time of this process over all its threads. While somebody else has the core the
second stands still, so it is the one to compare where the machine is shared. A slice has to be long beside a tick of
the scheduler (1 to 10 ms): in shorter ones the time of threads on other cores was seen to be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time


@dataclass(frozen=True, kw_only=True)
class Runner:
    """Something that steps robots: `prepare` is not timed, `run(n)` is."""

    prepare: Callable[[], None]
    run: Callable[[int], None]
    robots: int = 1
    shortest: int = 1  # steps of a call that make its fixed cost negligible
    longest: int = 1000  # steps; after this many, `prepare` puts the robots back where they began


@dataclass(frozen=True, kw_only=True)
class StepTiming:
    """Best times of a robot's step, and the median."""

    wall_ns: float
    cpu_ns: float  # over all threads
    cpu_median_ns: float
    slices: int
    steps: int  # in a slice
    robots: int = 1


def race(runners: Mapping[str, Runner], *, slices: int, seconds: float) -> dict[str, StepTiming]:
    """Times every runner in turn, `slices` times over; a slice lasts about `seconds`."""
    clocks = _own_time()
    steps = {name: _steps_for(runner, seconds) for name, runner in runners.items()}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in runners}
    for _ in range(slices):
        for name, runner in runners.items():
            taken[name].append(_slice(runner, steps[name], clocks))
    return {name: _timing(runners[name], steps[name], found) for name, found in taken.items()}


def _timing(runner: Runner, steps: int, found: list[tuple[float, float]]) -> StepTiming:
    walls, cpus = zip(*found, strict=True)
    each = 1e9 / (steps * runner.robots)
    return StepTiming(
        wall_ns=each * min(walls),
        cpu_ns=each * min(cpus),
        cpu_median_ns=each * median(cpus),
        slices=len(found),
        steps=steps,
        robots=runner.robots,
    )


def _slice(runner: Runner, steps: int, clocks: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """Wall and CPU seconds of so many steps, without what the clocks themselves take in each call."""
    wall = cpu = 0.0
    own_wall, own_cpu = clocks
    while steps > 0:
        n = min(steps, runner.longest)
        runner.prepare()
        own = _timed(runner.run, n)
        wall, cpu, steps = wall + own[0] - own_wall, cpu + own[1] - own_cpu, steps - n
    return wall, cpu


def _timed(run: Callable[[int], None], n: int) -> tuple[float, float]:
    cpu_before, wall_before = process_time(), perf_counter()
    run(n)
    wall = perf_counter() - wall_before
    return wall, process_time() - cpu_before


def _own_time() -> tuple[float, float]:
    """Wall and CPU seconds that a call around nothing seems to last: 0.7 µs, beside 40 steps of an arm a twentieth."""
    walls, cpus = zip(*(_timed(_nothing, 0) for _ in range(201)), strict=True)
    return median(walls), median(cpus)


def _nothing(n: int) -> None:
    """Takes no time."""


def _steps_for(runner: Runner, seconds: float) -> int:
    """How many steps last so long, clocks and all, by doubling; the first call warms caches.

    A single slow call must not decide.
    """
    _slice(runner, runner.shortest)
    steps = runner.shortest
    while True:
        wall = min(_slice(runner, steps)[0] for _ in range(3))
        if wall >= 0.2 * seconds or steps >= 10_000_000:
            return max(runner.shortest, round(steps * seconds / max(wall, 1e-9)))
        steps *= 2
