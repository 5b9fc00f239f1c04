"""Where chunks are simulated: in this process on all cores, on a GPU, or on a Ray cluster."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

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
LOOPBACK = ("127.0.0.1", "::1")
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
    options = {"log_to_driver": False, "logging_level": "ERROR", "include_dashboard": False}
    if address is None and not os.environ.get("RAY_ADDRESS"):
        _start(ray, options)
        return
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():  # Ray itself waits for minutes
        try:
            socket.create_connection((host, int(port)), timeout=PATIENCE).close()
        except OSError as error:
            raise GearwrightError(f"there is no Ray cluster at {address!r}: {error}") from error
    try:
        ray.init(address=address, **options)
    except Exception as error:
        raise GearwrightError(f"there is no Ray cluster at {address!r}: {error}") from error


def _start(ray: Any, options: dict[str, Any]) -> None:
    """A cluster on this machine. It has no password, so it listens on the loopback interface only."""
    try:
        with _on_loopback():
            ray.init(**options)
    except Exception as error:
        raise GearwrightError(f"Ray does not start on this machine: {error}") from error
    if (address := ray.util.get_node_ip_address()) not in LOOPBACK:
        ray.shutdown()
        raise GearwrightError(
            f"Ray {ray.__version__} opens its ports to other machines, on {address}: start a cluster yourself, and "
            "give its address="
        )


@contextmanager
def _on_loopback() -> Iterator[None]:
    """By this variable Ray binds its ports to the loopback interface, on Linux as on the systems of its name."""
    from ray._private import ray_constants

    before = os.environ.get(ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR), ray_constants.ENABLE_RAY_CLUSTER
    os.environ[ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR] = "0"
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before[1]
        os.environ.pop(ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR)
        if before[0] is not None:
            os.environ[ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR] = before[0]


def _tasks(ray: Any, job: Job, chunks: Iterable[Chunk]) -> Iterator[Result]:
    task = ray.remote(max_retries=5, num_cpus=1)(_remote)
    shared, sweep, version = ray.put(job), uuid4().hex, gearwright.__version__
    workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting: list[Any] = []
    for number, values in chunks:
        waiting.append(task.remote(shared, sweep, version, number, values))
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


_SIMULATIONS: dict[str, Any] = {}  # of this worker: that of the sweep it is at


def _remote(job: Job, sweep: str, version: str, number: int, values: Array) -> Result:
    """Runs in a worker, which may be at a second sweep: each has an identifier of its own."""
    if version != gearwright.__version__:
        raise GearwrightError(f"the worker has gearwright {gearwright.__version__}, the driver {version}")
    if sweep not in _SIMULATIONS:
        _SIMULATIONS.clear()
        _SIMULATIONS[sweep] = job.compiled()
    return number, simulate(_SIMULATIONS[sweep], job, values)


ENGINES: dict[str, Engine] = {"local": here, "cuda": here, "ray": on_ray}


def find_engine(name: str) -> Engine:
    if not isinstance(name, str) or name not in ENGINES:
        raise ModelError(f"there is no engine {name!r}{suggestion(str(name), ENGINES) or '; valid: local, cuda, ray'}")
    return ENGINES[name]
