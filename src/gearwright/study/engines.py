"""Where chunks are simulated: in this process on all cores, on a GPU, or on a Ray cluster."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import gearwright
from gearwright.errors import GearwrightError, ModelError, suggestion
from gearwright.optional import require
from gearwright.study.chunks import Job, simulate

Array = np.ndarray[Any, Any]
Chunk = tuple[int, Array]  # its number, its designs
Result = tuple[int, dict[str, Array]]
Engine = Callable[[Job, Iterable[Chunk], str | None], Iterator[Result]]
PATIENCE = 5.0  # [s] for a cluster to answer
WAITING = 4  # chunks a Ray worker has in hand or waiting


def here(job: Job, chunks: Iterable[Chunk], address: str | None) -> Iterator[Result]:
    """One after the other; a chunk's robots go over all cores."""
    sim = job.compiled()
    for number, values in chunks:
        yield number, simulate(sim, job, values)


def on_ray(job: Job, chunks: Iterable[Chunk], address: str | None) -> Iterator[Result]:
    """Chunks as tasks of a cluster. A task whose worker is lost is made again by Ray."""
    ray = require("ray", "engine='ray'")
    own = not ray.is_initialized()
    if own:
        _connect(ray, address)
    try:
        yield from _tasks(ray, job, chunks)
    finally:
        if own:
            ray.shutdown()


def _connect(ray: Any, address: str | None) -> None:
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():  # Ray itself waits for minutes
        try:
            socket.create_connection((host, int(port)), timeout=PATIENCE).close()
        except OSError as error:
            raise GearwrightError(f"there is no Ray cluster at {address!r}: {error}") from error
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
    except Exception as error:
        raise GearwrightError(f"there is no Ray cluster at {address!r}: {error}") from error


def _tasks(ray: Any, job: Job, chunks: Iterable[Chunk]) -> Iterator[Result]:
    task = ray.remote(max_retries=5, num_cpus=1)(_remote)
    shared, version = ray.put(job), gearwright.__version__
    workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting: list[Any] = []
    for number, values in chunks:
        waiting.append(task.remote(shared, version, number, values))
        while len(waiting) >= WAITING * workers:
            yield _next(ray, waiting)
    while waiting:
        yield _next(ray, waiting)


def _next(ray: Any, waiting: list[Any]) -> Result:
    (done,), rest = ray.wait(waiting, num_returns=1)
    waiting[:] = rest
    try:
        result: Result = ray.get(done)
    except GearwrightError:
        raise
    except Exception as error:
        cause = getattr(error, "cause", None) or error
        raise GearwrightError(f"a chunk failed on the cluster: {type(cause).__name__}: {cause}") from error
    return result


_SIMULATIONS: dict[bytes, Any] = {}  # of this worker, by job


def _remote(job: Job, version: str, number: int, values: Array) -> Result:
    """Runs in a worker."""
    import pickle

    if version != gearwright.__version__:
        raise GearwrightError(f"the worker has gearwright {gearwright.__version__}, the driver {version}")
    key = pickle.dumps((job.names, job.size, job.robot.name, dict(job.options)))
    if key not in _SIMULATIONS:
        _SIMULATIONS.clear()
        _SIMULATIONS[key] = job.compiled()
    return number, simulate(_SIMULATIONS[key], job, values)


ENGINES: dict[str, Engine] = {"local": here, "cuda": here, "ray": on_ray}


def find_engine(name: str) -> Engine:
    if name not in ENGINES:
        raise ModelError(f"there is no engine {name!r}{suggestion(str(name), ENGINES) or '; valid: local, cuda, ray'}")
    return ENGINES[name]
