"""The benchmark from beginning to end, as the list of its parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from gearwright.bench import actuation, bounded, compile_time, machine, scaling, speed
from gearwright.bench.contestant import Contestant
from gearwright.bench.effort import Effort
from gearwright.bench.ours import Gearwright
from gearwright.bench.peers import installed
from gearwright.bench.results import BatchPoint, ChainPoint, Results, SizePoint
from gearwright.bench.robots import robots

DT = 1e-3  # [s]


def run(
    *,
    names: Sequence[str] = (),
    with_peers: bool,
    effort: Effort,
    with_scaling: bool,
    command: str,
    tell: Callable[[str], None] = lambda line: None,
) -> Results:
    """Measures the chosen robots (all, if none is named); `tell` hears what is going on."""
    peers = installed() if with_peers else {}
    load = machine.load()
    found = []
    chosen = robots(names)
    for robot in chosen:
        tell(f"{robot.title}: speed")
        result = speed.robot_result(robot, peers, effort, DT)
        tell(f"{robot.title}: compile time")
        found.append(replace(result, compilation=compile_time.compilation(robot, DT, effort.processes)))
    cases, driven = (
        tuple(part.cases(names, effort, DT, with_mujoco="mujoco" in peers, tell=tell)) for part in (bounded, actuation)
    )
    sizes: list[SizePoint] = []
    chains: list[ChainPoint] = []
    batches: list[BatchPoint] = []
    if with_scaling:
        for size in scaling.size_points(peers, effort, DT):
            tell(f"{size.shape} of {size.dof} joints")
            sizes.append(size)
        for chain in scaling.chain_points(peers, effort, DT):
            tell(f"{chain.shape} of {chain.joints} joints, {chain.mode}")
            chains.append(chain)
        for batch in scaling.batch_points(robots(["arm"])[0], effort, DT):
            tell(f"batch of {batch.robots}")
            batches.append(batch)
    engines: list[type[Contestant]] = [Gearwright, *peers.values()]
    return Results(
        machine=machine.machine(),
        versions=machine.versions(peers),
        cores=os.cpu_count() or 1,
        load=load,
        dt=DT,
        robots=tuple(found),
        cases=cases,
        driven=driven,
        sizes=tuple(sizes),
        chains=tuple(chains),
        batches=tuple(batches),
        how={c.title: c.how for c in engines},
        command=command,
    )
