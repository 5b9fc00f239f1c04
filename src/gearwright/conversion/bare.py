"""The part of a robot that every program simulates: a tree of bodies, with nothing that ties, bounds or drives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from gearwright.model import AxisDynamics, Couplings, Joint, Limits, Mechanism
from gearwright.model.tree.references import spanned

SPAN = 1.0  # [rad, m] how far joints are moved, where they have no limits


def without_shapes(robot: Mechanism) -> Mechanism:
    """A copy without shapes: other programs refuse a robot whose meshes are not there."""
    links = {n: replace(link, visuals=(), collisions=()) for n, link in robot.links.items()}
    return replace(robot, links=links, contacts=())


def bodies_alone(robot: Mechanism) -> Mechanism:
    """A copy without shapes and actuation, which other programs have in ways of their own."""
    return replace(without_shapes(robot), transmissions={}, actuators={}, sensors={}, hardware={})


def bare(robot: Mechanism, *, passive: bool, weightless: bool) -> Mechanism:
    """The tree alone, without loops, couplings, limits, friction and actuation.

    `passive`: with dampers, springs and armature; `weightless`: with links on which gravity does not act. URDF and
    SDFormat readers of other programs skip both.
    """
    kept, _ = spanned(robot)
    robot = without_shapes(robot)
    if not weightless:
        robot = replace(robot, links={n: replace(link, gravity=True) for n, link in robot.links.items()})
    names = {j.name for j in kept}
    joints = {n: _free(j, passive) for n, j in robot.joints.items() if n in names}
    bases = {n: j for n, j in robot.bases.items() if n in names}
    return replace(
        robot, joints=joints, bases=bases, couplings=Couplings(), transmissions={}, actuators={},
        sensors={}, hardware={}, cut=(), initial={n: q for n, q in robot.initial.items() if n in names},
        self_collide=(), no_contact=(), contradicted=(),
    )  # fmt: skip


def _free(j: Joint, passive: bool) -> Joint:
    axes = []
    for a in j.axes:
        d = replace(a.dynamics, friction=0.0, friction_model=None) if passive else AxisDynamics()
        axes.append(replace(a, limits=Limits(), dynamics=d))
    return replace(j, axes=tuple(axes), damping=j.damping if passive else 0.0, safety=None)


@dataclass(frozen=True)
class TreeSample:
    """A state of a bare tree: positions and velocities of its joints with one coordinate; others are at their start."""

    position: Mapping[str, float]
    velocity: Mapping[str, float]


def samples(robot: Mechanism, rng: np.random.Generator, count: int) -> list[TreeSample]:
    """Random states, within the joints' limits."""
    kept, _ = spanned(robot)
    movable = [j for j in kept if j.dof == 1]
    return [
        TreeSample({j.name: _position(j, rng) for j in movable}, {j.name: float(rng.normal()) for j in movable})
        for _ in range(count)
    ]


def _position(j: Joint, rng: np.random.Generator) -> float:
    limits = j.axes[0].limits
    middle = np.clip(0.0, limits.lower, limits.upper)
    low, high = max(limits.lower, middle - SPAN), min(limits.upper, middle + SPAN)
    return float(rng.uniform(max(low, -pi), min(high, pi))) if low < high else float(middle)
