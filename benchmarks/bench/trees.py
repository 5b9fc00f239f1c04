"""Mechanisms of a given size, as URDF: random ones for cost against degrees of freedom, and long chains of mimics."""

from __future__ import annotations

import numpy as np

from benchmarks.bench.robots import Robot

LIMB = 7  # joints of an arm or a leg


def chain(dof: int) -> Robot:
    """Every link on the one before: the costliest tree of its size, M is dense."""
    return _robot("chain", [k - 1 for k in range(dof)])


def tree(dof: int) -> Robot:
    """Limbs of seven joints on a trunk of one joint a pair of limbs: what a humanoid looks like."""
    parents, trunk, tip, left = [-1], 0, 0, 0
    for k in range(1, dof):
        if left == 0 and (k - 1) % (2 * LIMB + 1) == 2 * LIMB:
            parents.append(trunk)
            trunk = k
            continue
        parents.append(trunk if left == 0 else tip)
        tip, left = k, (LIMB if left == 0 else left) - 1
    return _robot("tree", parents)


SHAPES = {"chain": chain, "tree": tree}


def gear_train(joints: int) -> Robot:
    """Wheels on one base, each turning against the one before: one degree of freedom."""
    return _following("gear train", ["base"] * joints, -1.01)


def curl(joints: int) -> Robot:
    """A finger of so many phalanges, each bending as far as the one before: one degree of freedom."""
    return _following("curling finger", ["base", *(f"l{k}" for k in range(joints - 1))], 0.95)


def _following(name: str, parents: list[str], multiplier: float) -> Robot:
    parts = [_follower(k, parent, multiplier) for k, parent in enumerate(parents)]
    body = "\n".join(['<link name="base"/>', *parts])
    return Robot(name=name, title=f"{name}, {len(parts)} joints", urdf=f'<robot name="chain">\n{body}\n</robot>')


def _follower(k: int, parent: str, multiplier: float) -> str:
    mimic = f'<mimic joint="j{k - 1}" multiplier="{multiplier}"/>' if k else ""
    return (
        f'<link name="l{k}"><inertial><origin xyz="0.004 0 0.01"/><mass value="0.1"/>'
        f'<inertia ixx="1e-4" iyy="2e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>\n'
        f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/><origin xyz="0 0 0.05"/>'
        f'<axis xyz="0 1 0"/><limit lower="-1e16" upper="1e16" effort="1e16" velocity="1e16"/>'
        f'<dynamics damping="0.001"/>{mimic}</joint>'
    )


def _robot(shape: str, parents: list[int]) -> Robot:
    rng = np.random.default_rng(len(parents))
    parts = [_joint(rng, k, parent) for k, parent in enumerate(parents)]
    name = f"{shape}{len(parents)}"
    body = "\n".join(['<link name="base"/>', *parts])
    return Robot(name=name, title=f"{shape}, {len(parents)} joints", urdf=f'<robot name="{name}">\n{body}\n</robot>')


def _joint(rng: np.random.Generator, k: int, parent: int) -> str:
    """A link of about 1 kg on a coordinate axis, turned by quarter turns, as the joints of most robots are."""
    x, y, z = rng.uniform(-0.05, 0.05, 3)
    moments = rng.uniform(0.008, 0.015, 3)
    roll = rng.choice([-1, 1]) * np.pi / 2
    xx, yy, zz = moments
    return (
        f'<link name="l{k}"><inertial><origin xyz="{x} {y} {z}"/><mass value="{rng.uniform(0.5, 1.5)}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0.001" ixz="-0.001" iyz="0.0005"/></inertial></link>\n'
        f'<joint name="j{k}" type="revolute"><parent link="{"base" if parent < 0 else f"l{parent}"}"/>'
        f'<child link="l{k}"/><origin xyz="0.05 0 {rng.uniform(0.1, 0.2)}" rpy="{roll} 0 0"/><axis xyz="0 0 1"/>'
        f'<limit lower="-1e16" upper="1e16" effort="1e16" velocity="1e16"/><dynamics damping="0.5"/></joint>'
    )
