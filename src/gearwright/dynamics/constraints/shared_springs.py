"""Which compliant couplings move the same mass: their springs add up, and a step must resolve them together."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.model import Coupling, Mechanism
from gearwright.model.joints import WORLD
from gearwright.model.tree.topology import Components


def coupled_springs(mechanism: Mechanism, compliant: Sequence[Coupling]) -> dict[str, list[str]]:
    """By name, the compliant couplings that share inertia with each, itself among them.

    Joints share inertia where they hang on the same moving joint next to the world, or exact couplings tie them.
    """
    parts = Components()
    above = {b.link: b for b in mechanism.tree.branches}
    part: dict[str, str] = {}
    for b in mechanism.tree.branches:  # parents first
        fixed = b.parent == WORLD or (b.parent in above and above[b.parent].joint.name not in part)
        if b.joint.dof:
            part[b.joint.name] = b.joint.name if fixed else part[above[b.parent].joint.name]
        elif not fixed:
            part[b.joint.name] = part[above[b.parent].joint.name]
    for c in mechanism.couplings.values():
        if c.mode == "exact":
            for t in c.leaders:
                parts.join(part.get(c.follower.joint, c.follower.joint), part.get(t.axis.joint, t.axis.joint))
    touched = {
        c.name: {parts.root(part.get(a.joint, a.joint)) for a in (c.follower, *(t.axis for t in c.leaders))}
        for c in compliant
    }
    return {a: [b for b in touched if touched[a] & touched[b]] for a in touched}
