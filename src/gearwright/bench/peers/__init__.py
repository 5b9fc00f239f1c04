"""The engines that Gearwright is compared with. A peer is one file here and one row in `PEERS`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from gearwright.bench.contestant import Contestant

PEERS = {  # name → module and class, imported where asked for
    "mujoco": "MuJoCo",
    "pinocchio": "Pinocchio",
    "drake": "Drake",
    "bullet": "Bullet",
    "dart": "Dart",
}


def installed() -> dict[str, type[Contestant]]:
    """Those that can be imported here."""
    found: dict[str, type[Contestant]] = {}
    for name, class_name in PEERS.items():
        with contextlib.suppress(ImportError), quiet():
            peer: type[Contestant] = getattr(import_module(f"{__name__}.{name}"), class_name)
            found[name] = peer
    return found


def version_of(peer: type[Contestant]) -> str:
    try:
        return version(peer.package)
    except PackageNotFoundError:
        return "unknown version"


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """C++ libraries write what they think of a file to the standard streams."""
    saved = [os.dup(i) for i in (1, 2)]
    null = os.open(os.devnull, os.O_WRONLY)
    for i in (1, 2):
        os.dup2(null, i)
    try:
        yield
    finally:
        for i, s in zip((1, 2), saved, strict=True):
            os.dup2(s, i)
            os.close(s)
        os.close(null)
