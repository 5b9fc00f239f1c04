"""Closed loops in space: a rod led round a cone, a delta, an RSSR linkage, a hexapod, and random loops of all joints.

All are drawn closed: each joint's frame is placed once, and seen from both of its links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.dynamics.algebra.spatial import Vector
from gearwright.dynamics.constraints.closures import conditions
from gearwright.dynamics.constraints.relative_pose import RelativePose
from gearwright.model import JOINT_KINDS, WORLD, Axis, Inertia, Joint, Link, Mechanism, Pose
from tests.dynamics.random_mechanisms import random_axis, random_inertia, random_pose

Array = Any
STILL = np.eye(3)
DOWN = (0.0, 0.0, -9.81)


class Drawing:
    """A mechanism in the making: links and joints by where they are in the world."""

    def __init__(self) -> None:
        self.X: dict[str, Pose] = {WORLD: Pose(STILL, np.zeros(3))}
        self.links: dict[str, Link] = {}
        self.joints: dict[str, Joint] = {}
        self.cut: list[str] = []

    def body(self, name: str, at: Sequence[float], mass: float, moments: tuple[float, float, float]) -> None:
        self.links[name] = Link(name=name, inertia=Inertia(mass=mass, moments=moments))
        self.X[name] = Pose(STILL, np.array(at, float))

    def rod(self, name: str, start: Array, end: Array, mass: float, diameter: float) -> None:
        """A round one; its link's origin is at the start, and x points to the end."""
        length = float(np.linalg.norm(np.subtract(end, start)))
        along = mass * diameter**2 / 8
        across = mass * length**2 / 12 + along / 2
        middle = Pose(STILL, np.array([length / 2, 0, 0]))
        self.links[name] = Link(name=name, inertia=Inertia(mass=mass, moments=(along, across, across), pose=middle))
        self.X[name] = Pose(axes_along(np.subtract(end, start)), np.array(start, float))

    def joint(
        self, name: str, kind: str, parent: str, child: str, at: Array, axes: Sequence[Array] = (), *, cut: bool = False
    ) -> None:
        """Axes of the world's directions; the frame is as the child's, so that a ball's rx is about its rod."""
        X = Pose(STILL if axes else self.X[child].R, np.array(at, float))
        self.place(Joint(name=name, kind=kind, parent=parent, child=child, axes=tuple(map(_axis, axes))), X)
        self.cut += [name] if cut else []

    def place(self, joint: Joint, X_WJ: Pose) -> None:
        X_PJ, X_CJ = (self.X[end].inverse() @ X_WJ for end in (joint.parent, joint.child))
        self.joints[joint.name] = replace(joint, X_PJ=X_PJ, X_CJ=X_CJ)

    def mechanism(self, name: str, gravity: Sequence[float]) -> Mechanism:
        g = tuple(float(x) for x in gravity)
        return Mechanism(name=name, links=self.links, joints=self.joints, gravity=g, cut=tuple(self.cut))


def _axis(xyz: Array) -> Axis:
    return Axis(xyz=tuple((np.array(xyz, float) / np.linalg.norm(xyz)).tolist()))


def axes_along(x: Array) -> Array:
    """A rotation whose x axis points there."""
    x = np.array(x, float) / np.linalg.norm(x)
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


# --- known robots ---------------------------------------------------------------------------------------------------

RADIUS, HEIGHT = 0.15, 0.2


def rod_round_a_cone() -> Mechanism:
    """A slender rod on a ball at the origin; a crank about z leads its other end, on a second ball, round a circle."""
    draw, tip = Drawing(), np.array([RADIUS, 0, HEIGHT])
    draw.rod("rod", np.zeros(3), tip, 0.3, 0.01)
    draw.body("crank", (0, 0, HEIGHT), 0.2, (1e-3, 1e-3, 1e-3))
    draw.joint("ball", "ball", WORLD, "rod", np.zeros(3))
    draw.joint("turn", "continuous", WORLD, "crank", (0, 0, HEIGHT), [(0, 0, 1)])
    draw.joint("tip", "ball", "crank", "rod", tip, cut=True)
    return draw.mechanism("cone", (0, 0, 0))


def delta(gravity: Sequence[float] = DOWN) -> Mechanism:
    """Three arms, six rods, twelve balls; each rod may spin about itself."""
    draw, low = Drawing(), -0.45
    draw.body("plate", (0, 0, low), 0.3, (2e-4, 2e-4, 4e-4))
    for i in range(3):
        turn = 2 * np.pi * i / 3
        out, side = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
        hip = 0.2 * out
        elbow = hip + 0.2 * (np.cos(0.3) * out - np.sin(0.3) * np.array([0, 0, 1]))
        draw.rod(f"arm{i}", hip, elbow, 0.2, 0.03)
        draw.joint(f"hip{i}", "continuous", WORLD, f"arm{i}", hip, [side])
        for k, sign in (("a", -0.03), ("b", 0.03)):
            rod, top, bottom = f"rod{i}{k}", elbow + sign * side, 0.05 * out + sign * side + np.array([0, 0, low])
            draw.rod(rod, top, bottom, 0.05, 0.006)
            draw.joint(f"up{i}{k}", "ball", f"arm{i}", rod, top)
            draw.joint(f"down{i}{k}", "ball", rod, "plate", bottom, cut=rod != "rod0a")
    return draw.mechanism("delta", gravity)


def hinged_delta(rounding: float = 0.0, gravity: Sequence[float] = DOWN) -> Mechanism:
    """A delta of hinges alone, with parallelograms for forearms. Each axis is off by so much, as files round them."""
    draw, low, rng = Drawing(), -0.45, np.random.default_rng(0)

    def hinge(name: str, parent: str, child: str, at: Array, axis: Array, *, cut: bool = False) -> None:
        axis = axis / np.linalg.norm(axis) + rounding * rng.uniform(-1, 1, 3)
        draw.joint(name, "revolute", parent, child, at, [axis], cut=cut)

    draw.body("plate", (0, 0, low), 0.3, (2e-4, 2e-4, 4e-4))
    for i in range(3):
        turn = 2 * np.pi * i / 3
        out, side = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
        hip, ankle = 0.2 * out, 0.05 * out + np.array([0, 0, low])
        elbow = hip + 0.2 * (np.cos(0.3) * out - np.sin(0.3) * np.array([0, 0, 1]))
        shear = np.cross(side, ankle - elbow)
        draw.rod(f"arm{i}", hip, elbow, 0.2, 0.03)
        hinge(f"hip{i}", WORLD, f"arm{i}", hip, side)
        for name, middle in (("upper", elbow), ("lower", ankle)):
            draw.body(f"{name}{i}", middle, 0.02, (1e-5, 1e-5, 1e-5))
        hinge(f"elbow{i}", f"arm{i}", f"upper{i}", elbow, side)
        for k, sign in (("a", -0.03), ("b", 0.03)):
            rod, top, bottom = f"rod{i}{k}", elbow + sign * side, ankle + sign * side
            draw.rod(rod, top, bottom, 0.05, 0.006)
            hinge(f"top{i}{k}", f"upper{i}", rod, top, shear)
            hinge(f"bottom{i}{k}", rod, f"lower{i}", bottom, shear, cut=k == "b")
        hinge(f"wrist{i}", f"lower{i}", "plate", ankle, side, cut=i > 0)
    return draw.mechanism("hinged_delta", gravity)


def tilted_parallelogram(tilt: float = 0.1, offset: Sequence[float] = (0, 0, 0)) -> Mechanism:
    """Two cranks about z and a rod between them, on a hinge that is tilted along the rod and on a ball.

    Drawn where the tilt does nothing to first order: it moves the rod's end out of the plane by the angle's square.
    """
    draw, length = Drawing(), 0.4
    for name, x in (("near", 0.0), ("far", length)):
        draw.rod(name, (x, 0, 0), (x, 0.06, 0), 0.1, 0.02)
        draw.joint(name, "revolute", WORLD, name, (x, 0, 0), [(0, 0, 1)])
    draw.rod("rod", (0, 0.06, 0), (length, 0.06, 0), 0.1, 0.01)
    draw.joint("tilted", "revolute", "near", "rod", (0, 0.06, 0), [(np.sin(tilt), 0, np.cos(tilt))])
    draw.joint("ball", "ball", "rod", "far", np.add((length, 0.06, 0), offset), cut=True)
    return draw.mechanism("tilted_parallelogram", (3, 2, -9))


def rssr(gravity: Sequence[float] = DOWN) -> Mechanism:
    """Crank and rocker about skew axes, and a coupler between two balls."""
    draw, a, c = Drawing(), np.array([0.1, 0, 0]), np.array([0.3, 0.12, 0.15])
    draw.rod("crank", np.zeros(3), a, 0.2, 0.03)
    draw.rod("rocker", (0.3, 0.1, -0.05), c, 0.2, 0.03)
    draw.rod("coupler", a, c, 0.1, 0.01)
    draw.joint("crank", "continuous", WORLD, "crank", np.zeros(3), [(0, 0, 1)])
    draw.joint("rocker", "continuous", WORLD, "rocker", (0.3, 0.1, -0.05), [(0.2, 1, 0)])
    draw.joint("ball_a", "ball", "crank", "coupler", a)
    draw.joint("ball_c", "ball", "rocker", "coupler", c, cut=True)
    return draw.mechanism("rssr", gravity)


def hexapod(gravity: Sequence[float] = DOWN) -> Mechanism:
    """A Stewart platform: six legs of a universal, a prismatic and a ball joint."""
    draw, high = Drawing(), 0.4
    draw.body("plate", (0, 0, high), 1.0, (4e-3, 4e-3, 8e-3))
    for i in range(6):
        middle, side = 2 * np.pi * (i // 2) / 3, 1 if i % 2 else -1
        low, up = middle + 0.25 * side, middle + (np.pi / 3 - 0.2) * side
        foot = 0.3 * np.array([np.cos(low), np.sin(low), 0])
        head = 0.15 * np.array([np.cos(up), np.sin(up), 0]) + np.array([0, 0, high])
        draw.rod(f"cylinder{i}", foot, (foot + head) / 2, 0.2, 0.03)
        draw.rod(f"rod{i}", (foot + head) / 2, head, 0.1, 0.015)
        along, across, third = draw.X[f"rod{i}"].R.T
        draw.joint(f"foot{i}", "universal", WORLD, f"cylinder{i}", foot, [across, third])
        draw.joint(f"leg{i}", "prismatic", f"cylinder{i}", f"rod{i}", (foot + head) / 2, [along])
        draw.joint(f"head{i}", "ball", f"rod{i}", "plate", head, cut=i > 0)
    return draw.mechanism("hexapod", gravity)


def opening(sim: Any) -> float:
    """The largest error of any row of any joint that closes a loop, left out or not [m, rad]."""
    largest = 0.0
    for joint in sim.robot.tree.cuts:
        X_P, X_C = (np.eye(4) if end == WORLD else sim.pose[end] for end in (joint.parent, joint.child))
        X = np.linalg.inv(X_P @ joint.X_PJ.matrix) @ X_C @ joint.X_CJ.matrix
        apart = RelativePose(Vector(*X[:3, 3]), tuple(Vector(*row) for row in X[:3, :3]))  # type: ignore[arg-type]
        largest = max([largest, *(abs(float(row.error(apart))) for row in conditions(joint))])
    return largest


# --- at random ------------------------------------------------------------------------------------------------------

KINDS = tuple(kind for kind in JOINT_KINDS if kind not in ("fixed", "floating"))


def random_loop(seed: int) -> Mechanism:
    """One loop of three to seven links, of one to four freedoms, with joints of every kind either way round."""
    rng = np.random.default_rng(seed)
    kinds = _kinds(rng)
    while not 7 <= sum(map(_freedoms, kinds)) <= 10:
        kinds = _kinds(rng)
    draw, n = Drawing(), len(kinds)
    names = [WORLD, *(f"link{i}" for i in range(1, n))]
    for name in names[1:]:
        draw.links[name], draw.X[name] = Link(name=name, inertia=random_inertia(rng)), random_pose(rng)
    for i, kind in enumerate(kinds):
        ends = names[i], names[(i + 1) % n]
        ends = ends[::-1] if ends[1] == WORLD or (ends[0] != WORLD and rng.random() < 0.3) else ends
        axes = tuple(random_axis(rng, passive=False) for _ in range(JOINT_KINDS[kind].axes))
        joint = Joint(name=f"joint{i}", kind=kind, parent=ends[0], child=ends[1], axes=axes)
        joint = replace(joint, thread_pitch=0.3) if kind == "screw" else joint
        draw.place(_not_parallel(joint), random_pose(rng))
    draw.cut = [f"joint{n - 1}"]
    return draw.mechanism(f"loop{seed}", 5 * rng.normal(size=3))


def _kinds(rng: np.random.Generator) -> list[str]:
    kinds = [str(kind) for kind in rng.choice(KINDS, rng.integers(3, 8))]
    if rng.random() < 0.1:
        kinds[rng.integers(len(kinds) - 1)] = "floating"
    if rng.random() < 0.15:
        kinds[-1] = "fixed"
    return kinds


def _freedoms(kind: str) -> int:
    return len(JOINT_KINDS[kind].velocities)


def _not_parallel(joint: Joint) -> Joint:
    if not joint.axes_are_parallel:
        return joint
    x, y, z = joint.axes[0].xyz
    return replace(joint, axes=(joint.axes[0], replace(joint.axes[1], xyz=(y, z, x))))
