"""One chunk of designs, simulated: what every engine does, in this process or in another one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.errors import BeyondLimitsWarning, SimulationError, UnsettledWarning
from gearwright.model.checks.design_rules import broken_rules
from gearwright.study.metrics import Accumulator, called

if TYPE_CHECKING:
    from gearwright.model import Mechanism
    from gearwright.sim import Simulation

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Job:
    """Everything of a sweep that a chunk depends on, beside its designs."""

    robot: Mechanism
    options: Mapping[str, Any]  # of `gearwright.compile`
    names: tuple[str, ...]  # of the parameters
    size: int  # designs of a chunk
    duration: float  # [s]
    every: int
    command: Any = None
    effort: Any = None
    position: Mapping[str, Any] = field(default_factory=dict)
    reductions: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def metrics(self) -> tuple[str, ...]:
        return (*self.reductions, *self.functions)

    @property
    def inputs(self) -> dict[str, Any]:
        return {"command": self.command, "effort": self.effort}

    def impossible(self, values: Array) -> Array:
        """(n,) by design: the rule between a part's fields that it breaks, or None."""
        found = np.full(len(values), None, dtype=object)
        given = {name: values[:, i] for i, name in enumerate(self.names)}
        for broken in broken_rules(self.robot, given, len(values), given):
            for design in np.flatnonzero(broken.designs & (found == None)).tolist():  # noqa: E711  # each entry
                found[design] = broken.message(given, design)
        return found

    def compiled(self) -> Simulation:
        from gearwright.sim import compile as compiled

        return compiled(self.robot, batch=self.size, parameters=self.names, **self.options)


def simulate(sim: Simulation, job: Job, values: Array) -> dict[str, Array]:
    """Metrics of some designs, (n,) each; NaN for designs that diverge. A short chunk is filled up with its last
    design, so that there is code of one batch size only. Designs that cannot be are not tried."""
    n, full = len(values), np.concatenate([values, np.repeat(values[-1:], job.size - len(values), axis=0)])
    failed = {*np.flatnonzero(job.impossible(full).astype(bool)).tolist()}
    while True:
        if len(failed) >= job.size:
            return {name: np.full(n, np.nan) for name in job.metrics}
        sound = next(i for i in range(job.size) if i not in failed)
        full[list(failed)] = full[sound]  # others' numbers do not depend on it
        try:
            found = _run(sim, job, full)
            break
        except SimulationError:
            worse = {f.robot for f in sim.batch_state.instance.failures} - failed
            if not worse:
                raise
            failed |= worse
    for numbers in found.values():
        numbers[list(failed)] = np.nan
    return {name: found[name][:n] for name in job.metrics}


def _run(sim: Simulation, job: Job, values: Array) -> dict[str, Array]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsettledWarning)
        warnings.simplefilter("ignore", BeyondLimitsWarning)
        sim.set_parameters({name: values[:, i] for i, name in enumerate(job.names)})
        sim.reset(position=job.position)
        if job.functions:
            recording = sim.run(job.duration, **job.inputs, every=job.every)
            found = called(job.functions, recording, job.size)
            if job.reductions:
                sink = Accumulator(job.reductions)
                sink.open(recording.schema)
                for chunk in recording.chunks:
                    sink.write(chunk)
                found |= sink.results()
            return found
        sink = Accumulator(job.reductions)
        sim.run(job.duration, **job.inputs, every=job.every, sink=sink)
        return sink.results()
