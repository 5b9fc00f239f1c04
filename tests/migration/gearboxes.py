"""Random gearboxes as SDFormat text, and what each of them promises, without asking a reader.

Two links turn on a reference body about random axes. Each joint has the reference at either end, its axis either way
round, in the model's frame or its own, in the spelling of a random version.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi
import numpy as np
from numpy.typing import NDArray

from gearwright import Mechanism
from gearwright.dynamics import Equations
from tests.tolerances import ROUNDING

Array = NDArray[np.float64]
VERSIONS = ("1.4", "1.5", "1.6", "1.7", "1.9", "1.11", "1.12")
GRAVITY = (1.0, -2.0, -9.0)  # along no axis of a model
DT, STEPS = 2e-3, 100


def rotation(rpy: Array) -> Array:
    """Fixed-axis roll, pitch, yaw, as <pose> has them."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return z @ y @ x


def text(numbers: Array) -> str:
    return " ".join(repr(float(n)) for n in numbers)


@dataclass(frozen=True)
class Gearbox:
    """A file, and θ₂ = −ratio·θ₁ about two axes in the model's frame at zero."""

    file: str
    without: str  # the same file without the gearbox joint
    ratio: float
    axis: Array
    axis2: Array


def random_gearbox(rng: np.random.Generator) -> Gearbox:
    version = str(rng.choice(VERSIONS))
    poses = {name: (rng.normal(0, 0.3, 3), rng.uniform(-3, 3, 3)) for name in ("frame", "in", "out")}
    links = "\n".join(f"    {_link(name, *pose, rng)}" for name, pose in poses.items())
    axes = [v / np.linalg.norm(v) for v in rng.normal(size=(2, 3))]
    joints = "\n".join(
        _joint(name, _ends(link, rng), axis * rng.choice((-1, 1)), poses, version, rng)
        for name, link, axis in (("ji", "in", axes[0]), ("jo", "out", axes[1]))
    )
    ratio = float(rng.choice((-1, 1)) * rng.uniform(0.2, 4.0))
    R_out = rotation(poses["out"][1])
    gearbox = (
        '    <joint name="gears" type="gearbox">\n      <parent>in</parent><child>out</child>\n'
        f"      <gearbox_ratio>{ratio!r}</gearbox_ratio>\n"
        "      <gearbox_reference_body>frame</gearbox_reference_body>\n"
        f"      {_axis('axis', axes[0], R_out, version, rng)}\n      {_axis('axis2', axes[1], R_out, version, rng)}\n"
        "    </joint>\n"
    )
    head = f'<?xml version="1.0"?>\n<sdf version="{version}">\n  <model name="m">\n{links}\n'
    tail = "  </model>\n</sdf>\n"
    first, second = (gearbox, joints + "\n") if rng.random() < 0.5 else (joints + "\n", gearbox)
    return Gearbox(head + first + second + tail, head + joints + "\n" + tail, ratio, *axes)


def _link(name: str, xyz: Array, rpy: Array, rng: np.random.Generator) -> str:
    a, b, c = rng.uniform(0.01, 0.05, 3).tolist()  # of a body's second moments
    inertia = f"<ixx>{b + c!r}</ixx><iyy>{a + c!r}</iyy><izz>{a + b!r}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>"
    inertial = (
        f"<inertial><pose>{text(rng.normal(0, 0.1, 3))} 0 0 0</pose><mass>{rng.uniform(0.5, 2)!r}</mass>"
        f"<inertia>{inertia}</inertia></inertial>"
    )
    return f'<link name="{name}"><pose>{text(xyz)} {text(rpy)}</pose>{inertial}</link>'


def _ends(link: str, rng: np.random.Generator) -> tuple[str, str]:
    return ("frame", link) if rng.random() < 0.5 else (link, "frame")


def _joint(
    name: str, ends: tuple[str, str], axis: Array, poses: dict[str, tuple[Array, Array]], version: str,
    rng: np.random.Generator,
) -> str:  # fmt: skip
    turn = rng.uniform(-3, 3, 3)
    R_MJ = rotation(poses[ends[1]][1]) @ rotation(turn)
    return (
        f'    <joint name="{name}" type="revolute">\n      <parent>{ends[0]}</parent>\n      <child>{ends[1]}</child>\n'
        f"      <pose>{text(rng.normal(0, 0.1, 3))} {text(turn)}</pose>\n"
        f"      {_axis('axis', axis, R_MJ, version, rng)}\n    </joint>"
    )


def _axis(tag: str, axis_M: Array, R_MJ: Array, version: str, rng: np.random.Generator) -> str:
    """An axis element in the joint's own frame or the model's, as the version says it."""
    in_model = version == "1.4" or rng.random() < 0.5
    xyz = text(axis_M if in_model else R_MJ.T @ axis_M)
    if version == "1.4":
        return f"<{tag}><xyz>{xyz}</xyz></{tag}>"
    if version in ("1.5", "1.6"):
        said = f"<use_parent_model_frame>{'true' if in_model else '0'}</use_parent_model_frame>"
        return f"<{tag}>\n        <xyz>{xyz}</xyz>\n        {said}\n      </{tag}>"
    expressed_in = " expressed_in='__model__'" if in_model else ""
    return f"<{tag}><xyz{expressed_in}>{xyz}</xyz></{tag}>"


# --- trajectories ---------------------------------------------------------------------------------------------------


def angle_per_position(robot: Mechanism, joint: str, link: str, axis_M: Array) -> float:
    """How far `link` turns against the reference body about an axis of that body, per radian of the joint."""
    zero, moved = robot.forward_kinematics(), robot.forward_kinematics({joint: 0.5})
    axis_R = zero["frame"][:3, :3].T @ axis_M
    start = zero["frame"][:3, :3].T @ zero[link][:3, :3]
    R = moved["frame"][:3, :3].T @ moved[link][:3, :3] @ start.T
    np.testing.assert_allclose(R @ axis_R, axis_R, atol=ROUNDING, rtol=ROUNDING)  # it turns about this axis only
    sine = axis_R @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    return float(np.arctan2(sine, (np.trace(R) - 1) / 2) / 0.5)


def gearbox_trajectory(gearbox: Gearbox, free: Mechanism, speed: float, effort: Array) -> Array:
    """Positions of ji and jo, (STEPS, 2): two free joints, and the gearbox's own equation as a constraint of links."""
    equations = Equations(free, gravity=GRAVITY, integrator="euler")
    order = [equations.coordinates.index(n) for n in ("ji", "jo")]
    c1 = angle_per_position(free, "ji", "in", gearbox.axis)
    c2 = angle_per_position(free, "jo", "out", gearbox.axis2)
    J = np.zeros(2)
    J[order] = gearbox.ratio * c1, c2
    q, v, tau = np.zeros(2), np.zeros(2), np.zeros(2)
    v[order] = speed, -gearbox.ratio * c1 / c2 * speed
    tau[order] = effort
    found = []
    for _ in range(STEPS):
        M, h = (
            np.array(equations.observer("mass_matrix")(q, [])),
            np.array(equations.observer("bias")(q, v, [])).ravel(),
        )
        v = v + np.linalg.solve(M, DT * (tau - h))
        v = v - np.linalg.solve(M, J) * (J @ v) / (J @ np.linalg.solve(M, J))
        q = q + DT * v
        found.append(q[order])
    return np.array(found)


def mimic_trajectory(robot: Mechanism, speed: float, effort: Array) -> Array:
    """The same of a file with a <mimic>: the step as it is compiled, ji being independent."""
    equations = Equations(robot, gravity=GRAVITY, integrator="euler")
    assert equations.positions == ("ji",)
    coupling = robot.couplings["jo"]
    tau = np.zeros(2)
    tau[[equations.coordinates.index(n) for n in ("ji", "jo")]] = effort
    q, v = casadi.DM([0.0]), casadi.DM([speed])
    found = []
    for _ in range(STEPS):
        q, v = equations.step(q, v, tau, [], DT)
        found.append((float(q), coupling.position([float(q)])))
    return np.array(found)
