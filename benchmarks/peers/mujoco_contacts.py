"""A mechanism with its contacts as MuJoCo's model: shapes as geoms, which meet only what they meet here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from benchmarks.peers.mujoco_loops import mjcf
from gearwright.model import WORLD, Mechanism
from gearwright.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere
from gearwright.model.poses import IDENTITY, Pose

mj: Any = mujoco


Drives = Mapping[str, tuple[float, float, float]]  # by joint: stiffness, damping, most effort


def model(
    robot: Mechanism,
    dt: float,
    integrator: str,
    settings: Mapping[str, Any] | None = None,
    drives: Drives | None = None,
) -> Any:
    """`robot` has its contacts, as that of a simulation. `settings` are fields of MuJoCo's options."""
    spec = mj.MjSpec.from_string(mjcf(robot, dt))
    spec.option.disableflags &= ~int(mj.mjtDisableBit.mjDSBL_CONTACT)
    spec.option.integrator = getattr(mj.mjtIntegrator, f"mjINT_{integrator.upper()}")
    spec.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    for name, value in (settings or {}).items():
        setattr(spec.option, name, value)
    for pair in robot.contacts:
        names = [_geom(spec, robot, side.link, side.name, side.shape, side.pose) for side in (pair.a, pair.b)]
        s = pair.surface
        friction = [s.friction, s.friction2, s.torsional_friction, s.rolling_friction, s.rolling_friction]
        spec.add_pair(geomname1=names[0], geomname2=names[1], condim=3, friction=friction)
    for joint, gains in (drives or {}).items():
        _drive(spec, joint, *gains, implicit=integrator != "Euler")
    return spec.compile()


def _drive(spec: Any, joint: str, stiffness: float, damping: float, effort: float, *, implicit: bool) -> None:
    """A position servo; where actuators are explicit, its damping is the joint's, which is not."""
    a = spec.add_actuator(name=joint, target=joint, trntype=mj.mjtTrn.mjTRN_JOINT)
    a.gaintype, a.biastype = mj.mjtGain.mjGAIN_FIXED, mj.mjtBias.mjBIAS_AFFINE
    a.gainprm[0], a.biasprm[1], a.biasprm[2] = stiffness, -stiffness, -damping if implicit else 0.0
    a.forcerange, a.forcelimited = [-effort, effort], True
    if not implicit:
        spec.joint(joint).damping = [damping, 0.0, 0.0]


def _geom(spec: Any, robot: Mechanism, link: str, name: str, shape: Any, X: Pose) -> str:
    full = f"{link}/{name}"
    if any(geom.name == full for geom in spec.geoms):
        return full
    bodies = {body.name: body for body in spec.bodies}
    still = [j for j in (*robot.bases.values(), *robot.joints.values()) if j.child == link and j.parent == WORLD]
    kind, size = _kind(shape)
    on = bodies.get(link, spec.worldbody)
    place = X if link in bodies else (still[0].X_PJ @ still[0].X_CJ.inverse() if still else IDENTITY) @ X
    on.add_geom(name=full, type=kind, size=size, pos=place.p, quat=place.quaternion, contype=0, conaffinity=0, mass=0.0)
    return full


def _kind(shape: Any) -> tuple[Any, list[float]]:
    match shape:
        case Sphere():
            return mj.mjtGeom.mjGEOM_SPHERE, [shape.radius, 0, 0]
        case Box():
            return mj.mjtGeom.mjGEOM_BOX, (0.5 * np.array(shape.size)).tolist()
        case Capsule():
            return mj.mjtGeom.mjGEOM_CAPSULE, [shape.radius, 0.5 * shape.length, 0]
        case Cylinder():
            return mj.mjtGeom.mjGEOM_CYLINDER, [shape.radius, 0.5 * shape.length, 0]
        case Ellipsoid():
            return mj.mjtGeom.mjGEOM_ELLIPSOID, list(shape.radii)
        case Plane():
            return mj.mjtGeom.mjGEOM_PLANE, [0, 0, 1]
    raise ValueError(f"{shape!r} has no counterpart in MuJoCo")
