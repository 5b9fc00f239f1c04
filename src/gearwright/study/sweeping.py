"""`gw.sweep`: designs, chunk by chunk, to a table."""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import gearwright
from gearwright.errors import ModelError, SimulationError, UnknownNameError
from gearwright.files import checked_path
from gearwright.given_names import checked_flag, checked_instance, checked_name
from gearwright.given_numbers import whole
from gearwright.model import Mechanism
from gearwright.sim.programs.function_content import NoKeyError
from gearwright.sim.programs.keys import content_digest, identity
from gearwright.sim.recorder.recorded_signals import run_schema
from gearwright.sim.running.clock import MOST_STEPS
from gearwright.sim.running.running import steps_in
from gearwright.study.chunks import Job
from gearwright.study.designs import Chunking, Designs, designs
from gearwright.study.engines import find_engine
from gearwright.study.metrics import called, find_signal, split
from gearwright.study.store import ResultStore, read, require_polars

if TYPE_CHECKING:
    from pathlib import Path

    from gearwright.model.parameters import Parameter

CHUNK = 8192  # designs that are simulated together
FAILED = "failed"  # the column that says why a design cannot be
KEPT = 1 << 27  # bytes of the trajectories of a chunk, where metrics are functions


def sweep(
    robot: Mechanism | str | Path,
    vary: Mapping[str, Any],
    metrics: Mapping[str, str | Callable[..., Any]],
    *,
    duration: float,
    command: Any = None,
    effort: Any = None,
    position: Mapping[str, Any] | None = None,
    sampling: str = "grid",
    n: int | None = None,
    seed: int = 0,
    every: int = 1,
    chunk: int | None = None,
    engine: str = "local",
    address: str | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: bool = False,
    **options: Any,
) -> Any:
    """Simulates many designs of a robot. Returns a polars table: one row per design, with its parameters and metrics.

    vary      by parameter (see `robot.parameters`): (low, high, n) or a list of values; (low, high) unless a grid
    metrics   by name: "signal:last", "max", "min", "mean", "rms", "range", "time_to:VALUE", "overshoot:TARGET" or
              "settling:TARGET:SHARE" of a signal such as "motor.torque", or a function that gets a Recording of a chunk
              of designs, (T, B), and returns (B,)
    duration  of each run [s]
    command   by actuator, in the forms of `effort`
    effort    by joint: numbers, arrays over time, or functions of time, as for `Simulation.run`
    position  by joint, at the start
    sampling  "grid" (every combination), "random", "lhs" (Latin hypercube) or "sobol"; n designs, by this seed
    every     steps per row of the Recording that functions get
    chunk     designs that are simulated together; memory grows with it, results do not depend on it
    engine    "local" (all cores), "cuda" (a GPU), or "ray" (`address` of a cluster; None starts one here)
    out       a .parquet or .csv file. Chunks are kept beside it until all are done: after an interruption, the same
              call resumes the sweep. An existing file with other contents is not replaced, unless `overwrite` is true
    options   options of `gearwright.compile`: dt, integrator, gravity, …

    A design that diverges has NaN in all its metrics. So has one that breaks a rule of its type, such as a four-bar
    that does not close; a column `failed` names the rule. A function may also return NaN, for an event that never
    happens.
    """
    require_polars()
    checked_name("a sampling", sampling)
    checked_flag("overwrite", overwrite)
    run = find_engine(engine)
    if out is not None:
        checked_path(out, "a sweep")
    job, tried, about = _planned(
        robot, vary, metrics, duration=duration, command=command, effort=effort,
        position={} if position is None else position, sampling=sampling, n=n, seed=seed, every=every,
        chunk=chunk, engine=engine, options=options,
    )  # fmt: skip
    chunking = Chunking(tried.count, job.size)
    with ResultStore(out, about, job.metrics, chunking, overwrite) as store:
        if store.check():
            assert store.out is not None
            return read(store.out)
        done = store.begin()
        count = len(chunking)
        left = [k for k in range(count) if k not in done]
        pieces = ((k, tried.rows(k * job.size, k * job.size + chunking.rows(k))) for k in left)
        with _shown(progress, count, len(done)) as report:
            for number, found in run(job, pieces, address):
                store.add(number, found)
                report()
        return store.finish(_columns(job, tried, [store.chunk(k) for k in range(count)]))


def units(robot: Mechanism, parameters: Iterable[str], metrics: Mapping[str, str], **options: Any) -> dict[str, str]:
    """The units of a table's columns by name, "" of what has none; metrics are `signal:reduction`, options those of
    `sweep`."""
    with warnings.catch_warnings(action="ignore"):  # the sweep gives them
        schema = run_schema(gearwright.compile(robot, **options), 1, ())
    found = {name: robot.parameters[name].unit for name in parameters}
    for name, (signal, reduction) in ((name, split(spec)) for name, spec in metrics.items()):
        found[name] = reduction.unit(find_signal(schema, signal).unit)
    return {name: "" if unit == "1" else unit for name, unit in found.items()}


def _columns(job: Job, tried: Designs, kept: list[dict[str, Any]]) -> dict[str, Any]:
    """The table: parameters, metrics, and why designs failed where some did."""
    values = tried.rows(0, tried.count)
    columns: dict[str, Any] = {name: values[:, i] for i, name in enumerate(tried.names)}
    columns |= {name: np.concatenate([c[name] for c in kept]) for name in job.metrics}
    why = job.impossible(values)
    return columns | ({FAILED: why.tolist()} if why.any() else {})


def _planned(robot: Any, vary: Any, metrics: Any, *, sampling: str, n: int | None, seed: int, chunk: int | None,
             engine: str, options: dict[str, Any], **run: Any) -> tuple[Job, Designs, dict[str, Any]]:  # fmt: skip
    """Everything checked before hours are spent."""
    if isinstance(robot, str | os.PathLike):
        robot = gearwright.load(robot)
    checked_instance("a sweep's robot", robot, Mechanism)
    for given in ("batch", "parameters", "device"):
        if given in options:
            raise ModelError(f"{given}= has no effect on a sweep: it follows from vary, chunk and engine")
    run |= {"every": whole("every", run["every"], high=MOST_STEPS)}
    tried = designs(vary, sampling, n, seed)
    known = robot.parameters
    for name in tried.names:
        if name not in known:
            raise UnknownNameError("parameter", name, list(known))
    _check_ranges(tried, known)
    reductions, functions = _metrics(metrics, tried.names)
    if engine == "cuda":
        options = {**options, "device": "cuda"}
    if engine == "ray":
        options = {"threads": 1, **options}
    job = Job(
        robot=robot, options=options, names=tried.names, size=1, reductions=reductions, functions=functions, **run
    )
    size = _chunk_size(job, tried, chunk)
    job = replace(job, size=size)
    _try_one(job, tried)
    about: dict[str, Any] = {
        "call": _call(job, tried), "gearwright": gearwright.__version__, "numpy": np.__version__,
        "python": platform.python_version(), "seed": seed, "sampling": sampling, "designs": tried.count, "chunk": size,
    }  # fmt: skip
    try:
        about["fingerprint"] = _fingerprint(job, tried)
    except NoKeyError as unknown:
        about |= {"fingerprint": None, "unknown": str(unknown)}
    return job, tried, about


def _check_ranges(tried: Designs, known: Mapping[str, Parameter]) -> None:
    """Values that a parameter can never have: a mistake of the call, and no design."""
    for r in tried.ranges:
        meaning = known[r.name].quantity
        ends = r.ticks if tried.sampling == "grid" else np.array([r.low, r.high])
        if why := meaning.first_problem(repr(r.name), ends):
            raise ModelError(why)
        if meaning.whole and tried.sampling != "grid":
            raise ModelError(f"{r.name!r} is a whole number: vary it in a grid, not by sampling={tried.sampling!r}")


def _first_possible(job: Job, tried: Designs) -> np.ndarray[Any, Any]:
    """Up to two designs that can be. Raises where none can."""
    for first in range(0, tried.count, CHUNK):
        rows = tried.rows(first, min(first + CHUNK, tried.count))
        why = job.impossible(rows)
        if not why.all():
            return np.asarray(rows[~why.astype(bool)][:2])
    raise ModelError(f"none of the {tried.count:,} designs is possible: {why[0]}")


def _metrics(metrics: Any, parameters: Sequence[str]) -> tuple[dict[str, str], dict[str, Callable[..., Any]]]:
    if not isinstance(metrics, Mapping) or not metrics:
        raise ModelError("metrics is a mapping from names to 'signal:reduction' or functions, with at least one")
    reductions, functions = {}, {}
    for name, metric in metrics.items():
        if name == FAILED:
            raise ModelError(f"{FAILED!r} is the column of invalid designs: give the metric another name")
        if name in parameters:
            raise ModelError(f"{name!r} is the column of a parameter that is varied: give the metric another name")
        if not isinstance(name, str):
            raise ModelError(f"a metric's name must be a text, not {name!r:.60}")
        if isinstance(metric, str):
            split(metric)
            reductions[name] = metric
        elif callable(metric):
            functions[name] = metric
        else:
            raise ModelError(f"the metric {name!r} must be 'signal:reduction' or a function, not {metric!r:.60}")
    return reductions, functions


def _chunk_size(job: Job, tried: Designs, chunk: int | None) -> int:
    if chunk is not None:
        return min(whole("chunk", chunk), tried.count)
    size = min(CHUNK, tried.count)
    if job.functions:
        sim = replace(job, size=1).compiled()
        rows = max(1, steps_in(job.duration, sim) // job.every)
        size = max(1, min(size, KEPT // (rows * 8 * max(1, sum(sim.batch_state.parts.values())))))
    return size


def _try_one(job: Job, tried: Designs) -> None:
    """The first designs, alone: wrong names, shapes and functions come out now.

    A function may look at any time of a run, and gets the whole of it; otherwise two steps will do.
    """
    sim = replace(job, size=min(2, job.size)).compiled()
    few = np.resize(_first_possible(job, tried), (sim.batch, len(job.names)))
    sim.set_parameters({name: few[:, i] for i, name in enumerate(job.names)})
    sim.reset(position=job.position)
    steps_in(job.duration, sim)
    duration = job.duration if job.functions else 2 * sim.dt * job.every
    inputs = job.inputs if job.functions else {k: _constant(v) for k, v in job.inputs.items()}
    try:
        recording = sim.run(duration, **inputs, every=job.every)
    except SimulationError:  # a design that diverges is a result, too
        recording = None
    schema = run_schema(sim, job.every, ()) if recording is None else recording.schema
    for spec in job.reductions.values():
        find_signal(schema, split(spec)[0])
    if recording is not None:
        called(job.functions, recording, sim.batch)


def _constant(inputs: Any) -> Any:
    """Inputs without arrays over time, which a run of two steps cannot take; functions and numbers as they are."""
    if not isinstance(inputs, Mapping):
        return inputs
    return {k: v for k, v in inputs.items() if callable(v) or np.ndim(v) == 0}


def _call(job: Job, tried: Designs) -> str:
    vary = {r.name: list(r.values) if r.values else [r.low, r.high, r.count] for r in tried.ranges}
    metrics = {**job.reductions, **{k: getattr(f, "__qualname__", repr(f)) for k, f in job.functions.items()}}
    return (
        f"gearwright.sweep({job.robot.name!r}, vary={vary}, metrics={metrics}, duration={job.duration!r}, "
        f"command={job.command!r:.500}, effort={job.effort!r:.500}, position={dict(job.position)!r}, "
        f"sampling={tried.sampling!r}, n={tried.count}, seed={tried.seed}, every={job.every}, "
        f"options={dict(job.options)!r})"
    )


def _fingerprint(job: Job, tried: Designs) -> str:
    """Digest of everything that decides the numbers, users' functions included. Raises NoKeyError."""
    options = {k: v for k, v in sorted(job.options.items()) if k != "threads"}
    asked = (job.duration, job.every, job.command, job.effort, dict(job.position), dict(job.reductions))
    decides = (job.robot, options, tried, job.size, asked, dict(job.functions))
    return identity("sweep", gearwright.__version__, content_digest(decides))


def _shown(progress: bool, count: int, done: int) -> Any:
    if not progress:
        return nullcontext(lambda: None)
    from gearwright.study.progress import bar

    return bar(count, done)
