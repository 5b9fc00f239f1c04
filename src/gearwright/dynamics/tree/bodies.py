"""From a mechanism to bodies: each elementary freedom carries one, and fixed links are welded into what holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gearwright.dynamics.algebra.rotation import NEGLIGIBLE, Dense, Rotation, Transform, factored, snapped
from gearwright.dynamics.algebra.scalar import Scalar, is_number, is_zero
from gearwright.dynamics.algebra.spatial import ZERO, Mass, Symmetric, Vector
from gearwright.dynamics.parameters import axes
from gearwright.dynamics.tree.joints import Freedom, freedoms
from gearwright.given_numbers import Array
from gearwright.model import WORLD, Inertia, Mechanism, Pose, TreeBranch

GROUND = -1  # the parent of what stands on the world


class Place(NamedTuple):
    """A constant pose X_AB: a matrix of floats, and a translation with symbols where lengths are parameters."""

    R: Array  # (3, 3)
    p: Vector

    def __matmul__(self, other: Place) -> Place:
        return Place(snapped(self.R @ other.R), settled(matrix(self.R).apply(other.p) + self.p))

    @property
    def rotation(self) -> Rotation:
        return factored(self.R)

    def inverse(self) -> Place:
        return Place(self.R.T, -matrix(self.R).undo(self.p))


HERE = Place(np.eye(3), ZERO)


def matrix(R: Array) -> Dense:
    return Dense(tuple(Vector(*row) for row in R.tolist()))  # type: ignore[arg-type]


def settled(p: Vector) -> Vector:
    """A constant translation without the components that turns of not quite a right angle leave."""
    scale = max((abs(c) for c in p if is_number(c)), default=0.0)
    return Vector(*(0.0 if is_number(c) and abs(c) < NEGLIGIBLE * scale else c for c in p))


@dataclass
class Body:
    """The body that one freedom carries. `place` is where the freedom stands on the parent body.

    `mass` is everything welded into it, about its origin; `weightless` the part of that on which gravity does not act.
    """

    parent: int  # index of the parent body, or GROUND
    place: Place
    freedom: Freedom
    positions: tuple[int, ...]  # of the tree
    velocities: tuple[int, ...]  # of the tree
    mass: Mass = field(default_factory=Mass)
    weightless: Mass = field(default_factory=Mass)

    def transform(self, q: list[Scalar]) -> Transform:
        """X_PB(q): this body in its parent."""
        R_const = self.place.rotation
        T = self.freedom.transform([q[i] for i in self.positions])
        r = T.r if T.r.zero else R_const.apply(T.r)
        return Transform(Rotation((*R_const, *T.R)), self.place.p + r)


class Axes(NamedTuple):
    """Passive forces along each velocity coordinate of the tree."""

    damping: list[Scalar]
    stiffness: list[Scalar]
    reference: list[Scalar]
    armature: list[Scalar]


@dataclass
class Bodies:
    """A mechanism's tree as bodies, parents first."""

    bodies: list[Body]
    links: dict[str, tuple[int, Place]]  # the body that a link is part of, and where on it
    ground: Mass  # what stands still, about the world's origin
    axes: Axes
    spring_positions: list[int]  # of each velocity coordinate that has an axis, its position coordinate; else −1
    gravity: Vector
    positions: list[str]  # names of the tree's position coordinates
    velocities: list[str]

    @property
    def uneven(self) -> tuple[tuple[int, ...], ...]:
        """Velocities of the freedoms that turn what does not look the same from all sides; all masses are numbers."""
        parents = {b.parent for b in self.bodies}
        each = enumerate(self.bodies)
        return tuple(b.velocities for i, b in each if not b.freedom.even(b.mass, alone=i not in parents))


def joint_places(branch: TreeBranch, mechanism: Mechanism, values: Mapping[str, Scalar]) -> tuple[Place, Place]:
    """The joint's frame on the tree parent and on the link. `origin` is its place on the parent that the file names."""
    joint = branch.joint
    origin = Vector(*(values[f"{joint.name}.origin.{c}"] for c in "xyz"))
    turned_round = mechanism.joint(joint.name).parent != joint.parent
    X_PJ, X_CJ = placed(joint.X_PJ), placed(joint.X_CJ)
    X_PJ, X_CJ = (X_PJ, X_CJ._replace(p=origin)) if turned_round else (X_PJ._replace(p=origin), X_CJ)
    return (X_CJ, X_PJ) if branch.backward else (X_PJ, X_CJ)


def placed(X: Pose) -> Place:
    return Place(snapped(X.R), Vector(*X.p.tolist()))


def assembled(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Bodies:
    """Bodies in the joints' own frames, as the file has them."""
    bodies: list[Body] = []
    at: dict[str, tuple[int, Place]] = {WORLD: (GROUND, HERE)}
    nq = nv = 0
    for branch in mechanism.tree.branches:
        X_PJ, X_LJ = joint_places(branch, mechanism, values)
        body, X_BP = at[branch.parent]
        X = X_BP @ X_PJ
        for freedom, i, j in chain(branch, nq, nv):
            bodies.append(Body(parent=body, place=X, freedom=freedom, positions=i, velocities=j))
            body, X = len(bodies) - 1, HERE
        nq, nv = nq + len(branch.joint.positions), nv + branch.joint.dof
        at[branch.link] = (body, X @ X_LJ.inverse())
    ground = weld(mechanism, values, bodies, at)
    along, spring_positions = _along_axes(mechanism, values)
    return Bodies(
        bodies=bodies,
        links={name: at[name] for name in mechanism.links},
        ground=ground,
        axes=along,
        spring_positions=spring_positions,
        gravity=Vector(*(values[f"gravity.{c}"] for c in "xyz")),
        positions=[*mechanism.layout.positions],
        velocities=[*mechanism.layout.velocities],
    )


def chain(branch: TreeBranch, nq: int, nv: int) -> list[tuple[Freedom, tuple[int, ...], tuple[int, ...]]]:
    """The freedoms of a joint outwards from the world, with their coordinates, which start at nq and nv."""
    links = []
    for freedom in freedoms(branch.joint):
        q, v = nq + freedom.positions, nv + freedom.velocities
        links.append((freedom.backward() if branch.backward else freedom, tuple(range(nq, q)), tuple(range(nv, v))))
        nq, nv = q, v
    return links[::-1] if branch.backward else links


def weld(
    mechanism: Mechanism, values: Mapping[str, Scalar], bodies: list[Body], at: Mapping[str, tuple[int, Place]]
) -> Mass:
    """Adds every link's mass to its body; what is left stands on the ground."""
    ground = Mass()
    for link in mechanism.links.values():
        mass = link_mass(link.same_as or link.name, link.inertia, values).scaled(link.share)
        body, X_BL = at[link.name]
        moved = Transform(Rotation((matrix(X_BL.R),)), X_BL.p).mass(mass)
        if body == GROUND:
            ground += moved if link.gravity else Mass()
            continue
        bodies[body].mass += moved
        if not link.gravity:
            bodies[body].weightless += Mass(moved.m, moved.h)  # gravity knows no second moment
    return ground


def link_mass(name: str, inertia: Inertia, values: Mapping[str, Scalar]) -> Mass:
    """About the link's origin, from mass, centre of mass and the inertia tensor about it: `Σ = tr(I)/2·1 − I`."""
    xx, yy, zz, xy, xz, yz = (values[f"{name}.inertia.{c}"] for c in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    about_center = Symmetric(0.5 * (yy + zz - xx), 0.5 * (xx + zz - yy), 0.5 * (xx + yy - zz), -xy, -xz, -yz)
    S = Rotation((matrix(snapped(inertia.pose.R)),)).turn(about_center)
    center = Vector(*(values[f"{name}.com.{c}"] for c in "xyz"))
    return Mass(values[f"{name}.mass"], ZERO, S).shifted(center)


def _along_axes(mechanism: Mechanism, values: Mapping[str, Scalar]) -> tuple[Axes, list[int]]:
    """Passive forces of the coordinates, and the position of each, which has the same name where it has an axis."""
    names, slots = mechanism.layout.velocities, mechanism.layout.positions
    joints = mechanism.tree.joints
    owned = {name: name for j in joints for name, _ in axes(j)}
    damped = owned | {name: j.name for j in joints if j.type.damped for name in j.coordinates}

    def column(quantity: str, owners: Mapping[str, str] = owned) -> list[Scalar]:
        return [values[f"{owners[n]}.{quantity}"] if n in owners else 0.0 for n in names]

    stiffness, reference = column("spring_stiffness"), column("spring_reference")
    along = Axes(column("damping", damped), stiffness, reference, column("armature"))
    return along, [slots.index(n) if n in owned else -1 for n in names]


def any_weightless(bodies: Bodies) -> bool:
    return any(not (is_zero(b.weightless.m) and b.weightless.h.zero) for b in bodies.bodies)
