"""The engines that Gearwright is compared with. A peer is one file here and one row in `PEERS`."""

from __future__ import annotations

import contextlib
from functools import partial
from importlib import import_module

from benchmarks.bench.contestant import Contestant, Peers, Settings
from benchmarks.bench.quiet import quiet
from benchmarks.bench.robots import Robot

PEERS = {  # name → module:class, imported on request
    "mujoco": "benchmarks.peers.mujoco:MuJoCo",
    "pinocchio": "benchmarks.peers.pinocchio:Pinocchio",
    "drake": "benchmarks.peers.drake:Drake",
    "bullet": "benchmarks.peers.bullet:Bullet",
    "dart": "benchmarks.peers.dart:Dart",
}


def peers() -> Peers:
    """All engines that are installed here, and MuJoCo's settings for robots with stops, friction and motors."""
    engines = installed()
    if "mujoco" not in engines:
        return Peers(engines=engines)
    return Peers(engines=engines, bounded=partial(_settings, "bounded"), driven=partial(_settings, "driven"))


def installed() -> dict[str, type[Contestant]]:
    """The engines whose packages can be imported here."""
    found: dict[str, type[Contestant]] = {}
    for name, path in PEERS.items():
        module, _, class_name = path.partition(":")
        with contextlib.suppress(ImportError), quiet():
            peer: type[Contestant] = getattr(import_module(module), class_name)
            found[name] = peer
    return found


def _settings(kind: str, robot: Robot, dt: float, mode: str) -> Settings:
    """MuJoCo on one robot, by the title of its solver setting; each is made when called."""
    from benchmarks.peers.mujoco_bounded import SETTINGS, BoundedMuJoCo
    from benchmarks.peers.mujoco_driven import DrivenMuJoCo

    engine = DrivenMuJoCo if kind == "driven" else BoundedMuJoCo
    return {setting.title: partial(engine, robot, dt, mode, setting) for setting in SETTINGS}
