"""The proof of a migration: both files are simulated from one state under the same random efforts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np

from gearwright.errors import CompileError, ModelError, NotSimulatedWarning, SimulationError
from gearwright.model import Couplings, Mechanism
from gearwright.model.layout.layout import coordinate_of
from gearwright.sim import Simulation, compile
from gearwright.sim.programs.function_content import NoKeyError
from gearwright.sim.programs.keys import content_digest

DT = 1e-3  # [s]
DURATION = 0.5  # [s]
HELD = 50  # steps for which an effort is held
SPEED = 1.0  # of the start, standard deviation [rad/s, m/s]
ACCELERATION = 5.0  # that an effort would give its axis alone, standard deviation [rad/s², m/s²]
FAMILIES = ("links", "joints", "frames", "transmissions", "actuators", "sensors", "hardware", "bases", "initial")


def trajectory_difference(old: Mechanism, new: Mechanism, renamed: Mapping[str, str] = MappingProxyType({})) -> float:
    """The largest difference of any coordinate's position between both, over half a second [rad, m].

    `renamed` gives the new names of joints that are called otherwise now. Both start at the files' own positions with
    random velocities, under gravity and random efforts on every axis, followers included. Infinite where the two have
    not the same coordinates, or only the old one can be simulated.
    """
    rng = np.random.default_rng(0)
    try:
        first = _compiled(old)
        efforts = _efforts(first, rng)
        speeds = dict(zip(first.coordinates, rng.normal(0.0, SPEED, len(first.coordinates)), strict=True))
        _start(first, {} if old.tree.cuts else speeds)
        speeds = {name: float(first.velocity[name]) for name in first.coordinates}
        a = first.run(DURATION, effort=efforts).position
    except (CompileError, SimulationError) as error:
        message = (
            f"{old.name!r} cannot be simulated: {error}; without a proof it is written with verify=False (--no-verify)"
        )
        raise ModelError(message) from error
    try:
        second = _compiled(new)
        now = {name: _renamed(name, renamed) for name in (*first.coordinates, *a)}
        if set(second.coordinates) != {now[name] for name in first.coordinates}:
            return inf
        _start(second, {} if new.tree.cuts else {now[name]: v for name, v in speeds.items()})
        b = second.run(DURATION, effort={now[name]: values for name, values in efforts.items()}).position
    except (CompileError, SimulationError):
        return inf
    return max((float(np.abs(a[name] - b[now[name]]).max()) for name in a), default=0.0)


def _renamed(coordinate: str, renamed: Mapping[str, str]) -> str:
    """`joint` or `joint.axis2` of a joint that has another name now."""
    for joint, new in renamed.items():
        if coordinate == joint or coordinate.startswith(f"{joint}."):
            return new + coordinate.removeprefix(joint)
    return coordinate


def without_spelling(robot: Mechanism) -> Mechanism:
    """The same mechanism, whatever its couplings are written as: like ones share their machine code on disk."""
    couplings = (replace(c, spelling="mimic", alias=None) for c in robot.couplings.values())
    return replace(robot, couplings=Couplings(couplings))


def _compiled(robot: Mechanism) -> Simulation:
    robot = without_spelling(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)  # the same for both
        return compile(robot, dt=DT)


def _efforts(sim: Simulation, rng: np.random.Generator) -> dict[str, Any]:
    """By coordinate, held for a while and then another; in proportion to the inertia that each axis moves."""
    inertia = np.diagonal(np.asarray(sim.mass_matrix()))
    pieces = round(DURATION / DT / HELD)
    drawn = rng.normal(0.0, ACCELERATION, (pieces, len(inertia))) * inertia
    held = np.repeat(drawn, HELD, axis=0)
    return {name: held[:, i] for i, name in enumerate(sim.coordinates)}


def _start(sim: Simulation, speeds: dict[str, float]) -> None:
    """Velocities of what follows nothing; followers are aligned."""
    followers = set()
    for c in sim.robot.couplings.values():
        joint = sim.robot.joint(c.follower.joint)
        followers.add(coordinate_of(joint, c.follower))
    sim.reset(velocity={name: v for name, v in speeds.items() if name not in followers})


def changed_part(old: Mechanism, new: Mechanism, renamed: Mapping[str, str]) -> str | None:
    """The first part that the two have not alike, couplings apart; None if there is none."""
    for family in FAMILIES:
        before, after = dict(getattr(old, family)), dict(getattr(new, family))
        if family == "joints":
            before = {renamed.get(n, n): replace(j, name=renamed.get(n, n)) for n, j in before.items()}
        for name in dict.fromkeys([*before, *after]):
            if name not in before or name not in after or not _alike(before[name], after[name]):
                return f"{family.removesuffix('s')} {name!r}"
    return None if old.gravity == new.gravity else "gravity"


def _alike(old: Any, new: Any) -> bool:
    """Whether two parts are the same, users' functions included."""
    try:
        return content_digest(old) == content_digest(new)
    except NoKeyError:  # something in them cannot be compared by its content
        return bool(old == new)
