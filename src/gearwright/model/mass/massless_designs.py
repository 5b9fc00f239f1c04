"""Designs whose parameters remove the mass that a joint moves: it would have no equation of motion.

A file's zero is known while equations are made, and such a joint gets a small armature. A parameter's zero is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gearwright.model.joints import Joint
from gearwright.model.mass.inertia import Inertia
from gearwright.model.mass.moved_mass import massless_coordinates
from gearwright.model.mass.rotors import with_rotors
from gearwright.model.parameters import axes, device_key
from gearwright.model.poses import Pose

if TYPE_CHECKING:
    from gearwright.model.mechanism import Mechanism

Array = np.ndarray[Any, Any]
MOMENTS, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")
INERTIAL = (
    ".mass", ".armature", ".rotor_inertia", *(f".com.{c}" for c in "xyz"),
    *(f".inertia.{c}" for c in (*MOMENTS, *PRODUCTS)),
)  # fmt: skip


class MasslessDesigns(NamedTuple):
    """Designs that have zeros at the same places."""

    designs: Array  # (n,) of truths
    zeros: tuple[str, ...]  # parameters
    rule: str


def mass_givers(m: Mechanism, names: Collection[str]) -> dict[str, list[str]]:
    """By joint that moves no mass: those of these parameters that would give it some, each by itself."""
    inertial = [n for n in names if n.endswith(INERTIAL)]
    massless = _massless_joints(m) if inertial else []
    if not massless:
        return {}
    left = {n: set(_massless_joints(with_inertial_numbers(m, {n: 1.0}))) for n in inertial}
    return {joint: [n for n in inertial if joint not in left[n]] for joint in massless}


def _massless_joints(m: Mechanism) -> list[str]:
    return list(dict.fromkeys(name for u in massless_coordinates(m) for name in u.names))


def massless_designs(
    robot: Mechanism, values: Mapping[str, Any], count: int, changed: Collection[str]
) -> Iterator[MasslessDesigns]:
    """`values` are numbers or arrays (count,) by the names of parameters. Asks where one of `changed` has a zero."""
    names = [n for n in values if n.endswith(INERTIAL)]
    if all(np.all(values[n]) for n in names if n in changed):
        return
    whole = with_rotors(robot)
    assumed = (
        name
        for name in _massless_joints(whole)
        if all(f"{n}.armature" not in values for n, _ in axes(whole.joint(name)))
    )
    before = set(assumed)  # these have an armature
    table = np.stack([np.broadcast_to(np.asarray(values[n], dtype=float), (count,)) for n in names], axis=1)
    patterns, first, which = np.unique(table == 0, axis=0, return_index=True, return_inverse=True)
    for i, (pattern, design) in enumerate(zip(patterns, first, strict=True)):
        numbers = dict(zip(names, table[design].tolist(), strict=True))
        for zeros, rule in _broken(whole, numbers, before) if pattern.any() else ():
            yield MasslessDesigns(which.reshape(-1) == i, zeros, rule)


def _broken(
    whole: Mechanism, numbers: Mapping[str, float], before: Collection[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Parameters that are zero, and why they cannot be."""
    for name in whole.layout.rotors:
        key = f"{device_key(whole, name)}.rotor_inertia"
        if numbers.get(key) == 0:
            yield (key,), f"the rotor of {name!r} has a coordinate of its own, and needs an inertia"
            return
    zeros = tuple(n for n, x in numbers.items() if x == 0 and ".com." not in n)
    for name in _massless_joints(with_inertial_numbers(whole, numbers)):
        if name not in before:
            rule = f"joint {name!r} then moves no mass: give what it carries some, or the joint an armature"
            yield zeros or tuple(n for n, x in numbers.items() if x == 0), rule
            return


def with_inertial_numbers(m: Mechanism, numbers: Mapping[str, float]) -> Mechanism:
    """A copy with these masses and inertias."""
    links = {
        n: replace(link, inertia=_inertia(link.same_as or n, link.inertia, numbers)) for n, link in m.links.items()
    }
    actuators = {
        n: replace(a, rotor_inertia=numbers.get(f"{device_key(m, n)}.rotor_inertia", a.rotor_inertia))
        for n, a in m.actuators.items()
    }
    joints = {n: _joint(j, numbers) for n, j in m.joints.items()}
    return replace(m, links=links, joints=joints, actuators=actuators)


def _inertia(name: str, inertia: Inertia, numbers: Mapping[str, float]) -> Inertia:
    def now(names: Collection[str], usual: Collection[float]) -> Any:
        return tuple(numbers.get(f"{name}.{n}", x) for n, x in zip(names, usual, strict=True))

    return replace(
        inertia,
        mass=numbers.get(f"{name}.mass", inertia.mass),
        moments=now([f"inertia.{c}" for c in MOMENTS], inertia.moments),
        products=now([f"inertia.{c}" for c in PRODUCTS], inertia.products),
        pose=Pose(inertia.pose.R, np.array(now([f"com.{c}" for c in "xyz"], inertia.center.tolist()))),
    )


def _joint(joint: Joint, numbers: Mapping[str, float]) -> Joint:
    changed = [
        replace(axis, dynamics=replace(axis.dynamics, armature=numbers[f"{name}.armature"]))
        if f"{name}.armature" in numbers
        else axis
        for name, axis in axes(joint)
    ]
    return joint if changed == list(joint.axes) else replace(joint, axes=tuple(changed))
