"""The benchmark from beginning to end, as the list of its parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from benchmarks.bench import actuation, bounded, compile_time, machine, scaling, speed
from benchmarks.bench.contestant import Contestant, Peers
from benchmarks.bench.effort import Effort
from benchmarks.bench.ours import Gearwright
from benchmarks.bench.results import BatchPoint, ChainPoint, Results, SizePoint
from benchmarks.bench.robots import robots

DT = 1e-3  # [s]
ALONE = Peers()


def run(
    *,
    names: Sequence[str] = (),
    effort: Effort,
    with_scaling: bool,
    command: str,
    peers: Peers = ALONE,
    progress: Callable[[str], None] = lambda line: None,
) -> Results:
    """Measures the chosen robots (all, if none is named). `progress` gets one line before each part."""
    engines = peers.engines
    load = machine.load()
    found = []
    chosen = robots(names)
    for robot in chosen:
        progress(f"{robot.title}: speed")
        result = speed.robot_result(robot, engines, effort, DT)
        progress(f"{robot.title}: compile time")
        found.append(replace(result, compilation=compile_time.compilation(robot, DT, effort.processes)))
    cases = tuple(bounded.cases(names, effort, DT, peers, progress))
    driven = tuple(actuation.cases(names, effort, DT, peers, progress))
    sizes: list[SizePoint] = []
    chains: list[ChainPoint] = []
    batches: list[BatchPoint] = []
    if with_scaling:
        for size in scaling.size_points(engines, effort, DT):
            progress(f"{size.shape} of {size.dof} joints")
            sizes.append(size)
        for chain in scaling.chain_points(engines, effort, DT):
            progress(f"{chain.shape} of {chain.joints} joints, {chain.mode}")
            chains.append(chain)
        for batch in scaling.batch_points(robots(["arm"])[0], effort, DT):
            progress(f"batch of {batch.robots}")
            batches.append(batch)
    everybody: list[type[Contestant]] = [Gearwright, *engines.values()]
    return Results(
        machine=machine.machine(),
        versions=machine.versions(engines),
        cores=os.cpu_count() or 1,
        load=load,
        date=datetime.now(UTC).date().isoformat(),
        dt=DT,
        robots=tuple(found),
        cases=cases,
        driven=driven,
        sizes=tuple(sizes),
        chains=tuple(chains),
        batches=tuple(batches),
        how={c.title: c.how for c in everybody},
        command=command,
    )
