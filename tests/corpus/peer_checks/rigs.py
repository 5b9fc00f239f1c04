"""Robots of cases that come without a file, and how the moving ones are asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gearwright as gw
from gearwright.model import AxisRef, Coupling, Couplings, Limits, Term
from gearwright.sim import Simulation, compile


def body(name: str, mass: float = 1.0, moments: tuple[float, float, float] = (1.0, 1.0, 1.0), more: str = "") -> str:
    inertia = "".join(f"<{t}>{i!r}</{t}>" for t, i in zip(("ixx", "iyy", "izz"), moments, strict=True))
    return f"<link name='{name}'>{more}<inertial><mass>{mass}</mass><inertia>{inertia}</inertia></inertial></link>"


def hinge(
    name: str, child: str, parent: str = "world", kind: str = "continuous", axis: str = "0 0 1", more: str = ""
) -> str:
    return (
        f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>"
        f"<axis><xyz>{axis}</xyz>{more}</axis></joint>"
    )


def rig(*parts: str, gravity: str = "0 0 0") -> gw.Mechanism:
    return gw.loads(
        f"<sdf version='1.11'><world name='w'><gravity>{gravity}</gravity><model name='rig'>{''.join(parts)}"
        "</model></world></sdf>"
    )


def side_by_side(*inertias: float, kind: str = "continuous", axis: str = "0 0 1") -> gw.Mechanism:
    """Bodies of 1 kg and these moments, each on the world by a joint: j0, j1, …"""
    parts = [
        body(f"l{k}", 1.0, (i, i, i)) + hinge(f"j{k}", f"l{k}", kind=kind, axis=axis) for k, i in enumerate(inertias)
    ]
    return rig(*parts)


def in_series(*masses: float, kind: str = "prismatic", axis: str = "1 0 0") -> gw.Mechanism:
    """Bodies one on the other, the first on the world: j0, j1, …"""
    parts = [
        body(f"l{k}", m) + hinge(f"j{k}", f"l{k}", f"l{k - 1}" if k else "world", kind, axis)
        for k, m in enumerate(masses)
    ]
    return rig(*parts)


def coupled(robot: gw.Mechanism, *rows: tuple[str, str, float, float], **mode: Any) -> gw.Mechanism:
    """With mimics `(follower, leader, multiplier, offset)` beside those that it has."""
    new = [
        Coupling(name=f, follower=AxisRef(f), leaders=(Term(AxisRef(leader), m),), offset=o, **mode)
        for f, leader, m, o in rows
    ]
    return replace(robot, couplings=Couplings([*robot.couplings.values(), *new]))


def limited(robot: gw.Mechanism, joint: str, **limits: float) -> gw.Mechanism:
    """With these limits on the only axis of a joint."""
    j = robot.joints[joint]
    axis = replace(j.axes[0], limits=replace(Limits(), **limits))
    return replace(robot, joints={**robot.joints, joint: replace(j, axes=(axis,))})


def simulations(
    robot: gw.Mechanism, modes: tuple[str, ...] = ("exact", "hard"), **options: Any
) -> Iterator[Simulation]:
    """The robot with all of its couplings in each mode."""
    for mode in modes:
        yield compile(robot, coupling=mode, **options)
