"""Random URDF texts: trees with the joint kinds that only Drake has besides us."""

from __future__ import annotations

import numpy as np

DRAKE_JOINTS = ("revolute", "continuous", "prismatic", "fixed", "planar", "ball", "universal", "screw")


def random_urdf(rng: np.random.Generator, links: int = 7) -> str:
    """A tree with Drake's own joint kinds, `<drake:joint>`; its planar joint is normal to z of the joint's frame."""
    text = ["<robot name='top' xmlns:drake='https://drake.mit.edu'><link name='link0'/>"]
    for i in range(1, links):
        kind = DRAKE_JOINTS[rng.integers(len(DRAKE_JOINTS))]
        tag = "drake:joint" if kind in ("ball", "universal", "screw") else "joint"
        xyz, rpy, axis = (" ".join(f"{x:.17g}" for x in rng.uniform(-1.4, 1.4, 3)) for _ in range(3))
        axis = "0 0 1" if kind == "planar" else axis
        text.append(
            f"<link name='link{i}'/><{tag} name='joint{i}' type='{kind}'><origin xyz='{xyz}' rpy='{rpy}'/>"
            f"<parent link='link{rng.integers(i)}'/><child link='link{i}'/><axis xyz='{axis}'/>"
            f"<drake:screw_thread_pitch value='{rng.uniform(-2, 2):.17g}'/></{tag}>"
        )
    return "".join([*text, "</robot>"])
