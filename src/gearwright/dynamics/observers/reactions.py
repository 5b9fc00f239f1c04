"""Wrenches that joints transmit, by the balance of each link (Newton and Euler), from the leaves to the world.

    F_L = m·(a − g) − what acts on L from outside + Σ F of what it carries

F_L is what the joint that carries link L puts on it. Bodies will not do: they have masses that their joints cannot
tell apart regrouped, and links that are fixed to each other welded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gearwright.dynamics.algebra.rotation import Rows, composed, rotate, rotate_inverse
from gearwright.dynamics.algebra.scalar import Scalar
from gearwright.dynamics.algebra.spatial import NO_FORCE, UNIT, ZERO, Field, Force, Motion, Vector
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.loop_joint_axes import CutRow
from gearwright.dynamics.constraints.rows import ConstraintGroup
from gearwright.dynamics.observers.link_motion import LinkMotion
from gearwright.dynamics.tree.bodies import link_mass, placed
from gearwright.dynamics.tree.kinematics import Configuration
from gearwright.dynamics.tree.loads import Load
from gearwright.model import WORLD, Joint, Mechanism


@dataclass(frozen=True)
class Reactions:
    """The balance of links; masses come from the numbers of the mechanism."""

    mechanism: Mechanism
    values: Mapping[str, Scalar]

    def wrenches(
        self, gravity: Vector, moving: Mapping[str, LinkMotion], loads: Sequence[Load], cuts: Mapping[str, Force]
    ) -> dict[str, Force]:
        """By joint, what its parent puts on its child: about the joint's origin, in the joint's axes on the child.

        `cuts`: the same of joints that close loops, which comes from their rows.
        """
        F = {name: self._inertia_force(name, link, gravity) for name, link in moving.items()}
        for load in loads:
            F[load.link] = F[load.link] + Force(load.torque, load.force) * -1.0
        for name, wrench in cuts.items():
            self._take_off(F, moving, self.mechanism.joint(name), wrench)
        found: dict[str, Force] = {}
        for branch in reversed(self.mechanism.tree.branches):
            link, own = moving[branch.link], F[branch.link]
            joint = self.mechanism.joint(branch.joint.name)  # as the file has it; the tree may turn it round
            rows, origin = joint_frame(joint, moving)
            there = _shifted(own, link.origin, origin) * (1.0 if joint.child == branch.link else -1.0)
            found[joint.name] = Force(rotate_inverse(rows, there.moment), rotate_inverse(rows, there.linear))
            if branch.parent != WORLD:
                F[branch.parent] = F[branch.parent] + _shifted(own, link.origin, moving[branch.parent].origin)
        return found | dict(cuts)

    def _inertia_force(self, name: str, link: LinkMotion, gravity: Vector) -> Force:
        """Inertial force of a link less its weight; in the world's axes, about its origin."""
        model = self.mechanism.links[name]
        mass = link_mass(model.same_as or name, model.inertia, self.values).scaled(model.share)
        a = link.acceleration.linear - (gravity if model.gravity else ZERO)
        omega, alpha = (rotate_inverse(link.rows, x) for x in (link.velocity.angular, link.acceleration.angular))
        F = mass.force(rotate_inverse(link.rows, a), Field.of(omega, alpha))
        return Force(rotate(link.rows, F.moment), rotate(link.rows, F.linear))

    def _take_off(self, F: dict[str, Force], moving: Mapping[str, LinkMotion], joint: Joint, wrench: Force) -> None:
        """A joint that closes a loop acts on both of its links from outside the tree."""
        rows, origin = joint_frame(joint, moving)
        in_world = Force(rotate(rows, wrench.moment), rotate(rows, wrench.linear))
        for link, sign in ((joint.child, -1.0), (joint.parent, 1.0)):
            if link in F:
                F[link] = F[link] + _shifted(in_world, origin, moving[link].origin) * sign


def joint_frame(joint: Joint, moving: Mapping[str, LinkMotion]) -> tuple[Rows, Vector]:
    """Where a joint is on its child, in the world."""
    rows, p = (UNIT, ZERO) if joint.child == WORLD else (moving[joint.child].rows, moving[joint.child].origin)
    place = placed(joint.X_CJ)
    return composed(rows, p, place.rotation, place.p)


def _shifted(F: Force, old: Vector, new: Vector) -> Force:
    """The same force about another point."""
    return Force(F.moment + (old - new).cross(F.linear), F.linear)


def cut_wrenches(
    mechanism: Mechanism, groups: Sequence[ConstraintGroup], at: Configuration, impulses: Sequence[Scalar], dt: Scalar
) -> dict[str, Force]:
    """By joint that closes a loop, what its rows put on its child, in the joint's axes there."""
    found = {joint.name: NO_FORCE for joint in mechanism.tree.cuts}
    start = 0
    for group in groups:
        own = impulses[start : start + group.size]
        start += group.size
        if isinstance(group, ClosureRows | CutRow):
            apart, _ = group.closure.seen(at)
            for rate, impulse in zip(group.rates, own, strict=True):
                moment = Vector(*(rate(apart, Motion(e, ZERO)) for e in UNIT))
                force = Vector(*(rate(apart, Motion(ZERO, e)) for e in UNIT))
                wrench = Force(rotate_inverse(apart.R, moment), rotate_inverse(apart.R, force)) * (impulse / dt)
                found[group.joint_name] = found[group.joint_name] + wrench
    return found
