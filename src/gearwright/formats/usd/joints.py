"""Joints of UsdPhysics: frames, limits in degrees, drives, and the mimics of Newton and PhysX.

`NewtonMimicAPI` has `q = coef0 + coef1·q_leader`, coef0 in degrees for a turning joint. `PhysxMimicJointAPI` has
`q + gearing·q_leader + offset = 0`, so that both its numbers have the other sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite, radians
from typing import Any

import numpy as np

from gearwright.errors import ModelError
from gearwright.formats.parts.actuation import add_coupling
from gearwright.formats.parts.limits import dynamics, limits, positive_damping
from gearwright.formats.usd.places import framed
from gearwright.formats.usd.stage import OWN, UsdPrim, UsdStage
from gearwright.formats.xml.located_xml import Element
from gearwright.model import JOINT_KINDS, WORLD, Axis, AxisRef, Joint, Pose, SafetyController, Term
from gearwright.model.actuators import ElectricMotor
from gearwright.model.joints.closing import x_axis_to
from gearwright.model.poses import Array, Vector3
from gearwright.model.tree.topology import Components, backward

KINDS = {
    "PhysicsRevoluteJoint": "revolute", "PhysicsPrismaticJoint": "prismatic", "PhysicsFixedJoint": "fixed",
    "PhysicsSphericalJoint": "ball", "PhysicsJoint": "",
}  # fmt: skip
REFUSED = ("PhysicsDistanceJoint", "PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint")
AXES: dict[str, Vector3] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
FREEDOMS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
NEWTON, PHYSX = "NewtonMimicAPI", "PhysxMimicJointAPI"


def add_joints(stage: UsdStage) -> None:
    found = {p.path: p for p in stage.prims.values() if p.kind in KINDS or p.kind in REFUSED}
    for prim in found.values():
        _add_joint(prim, stage)
    for prim in found.values():
        if prim.name in stage.draft.joints:
            _add_mimics(prim, found, stage)
            _add_drive(prim, stage)
    _cut_loops(stage, [p.name for p in found.values() if p.truth("physics:excludeFromArticulation", False)])


def _cut_loops(stage: UsdStage, apart: list[str]) -> None:
    """Joints outside of the articulation close loops, where the others tie their links already."""
    draft = stage.draft
    if stage.ours:  # whose cuts are elements of ours
        return
    tied = Components()
    for j in draft.joints.values():
        if j.name not in apart:
            tied.join(j.parent, j.child)
    for name in apart:
        closing = draft.joints.get(name)
        if closing is not None and not tied.join(closing.parent, closing.child):
            draft.cut.append(name)


def _add_joint(prim: UsdPrim, stage: UsdStage) -> None:
    draft, e = stage.draft, prim.element
    written = e.get(f"{OWN}name") or e.get("name") or "joint"
    if not prim.truth("physics:jointEnabled", True):
        e.info("element-ignored", f"joint {written!r:.120} is switched off in the file")
        return
    kind, along = _kind(prim, written)
    ends = [_end(prim, i, stage) for i in (0, 1)]
    if not kind or None in ends:
        draft.refused.add(written)
        return
    (parent, X_PJ), (child, X_CJ) = ends  # type: ignore[misc]
    prim.name = name = draft.distinct(draft.joints, "joint", written, e)
    if kind == "fixed" and parent == WORLD and e.get(f"{OWN}base") is not None:
        draft.fixed.add(child)
        draft.X_WL[child], draft.base_names[child] = X_PJ @ X_CJ.inverse(), name
        return
    own = prim.own_element("joint")
    axes: tuple[Axis, ...] = ()
    if along:
        xyz = AXES[along]
        if any(before := prim.numbers(f"{OWN}axis", (0.0, 0.0, 0.0))):  # turned to x when it was written
            xyz = (before[0], before[1], before[2])
            back = Pose(x_axis_to(xyz).T, (0.0, 0.0, 0.0))
            X_PJ, X_CJ = X_PJ @ back, X_CJ @ back
        axes = (_axis(prim, kind, name, xyz, own, stage),)
        if kind == "revolute" and not axes[0].limits.bounded and prim.element.get(f"{OWN}kind") is None:
            kind = "continuous"
    joint = Joint(name=name, kind=kind, parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_CJ, axes=axes,
                  damping=_rotation_damping(prim, name, stage) if JOINT_KINDS[kind].damped else 0.0,
                  safety=None if own is None else _safety(own), source=e.source)  # fmt: skip
    joint = backward(joint) if child == WORLD else joint
    draft.add(draft.joints, "joint", name, joint, e)


def _kind(prim: UsdPrim, written: str) -> tuple[str, str]:
    """The type, and the axis's letter where there is one."""
    e = prim.element
    if prim.kind in REFUSED:
        e.error("element-refused", f"joint {written!r:.120}: a {prim.kind} has no counterpart here")
        return "", ""
    if prim.kind == "PhysicsJoint":
        return _by_freedoms(prim, written)
    kind = KINDS[prim.kind]
    if kind == "ball":
        if min(prim.real(f"physics:coneAngle{i}Limit", -1.0) for i in (0, 1)) >= 0:
            e.warning("not-simulated", f"joint {written!r:.120} is a ball: its cone limit is not simulated")
        return kind, ""
    along = e.get("physics:axis") or "X"
    if kind != "fixed" and along not in AXES:
        e.error("axis-missing", f"joint {written!r:.120}: its axis is X, Y or Z, not {along!r:.40}")
        return "", ""
    return kind, "" if kind == "fixed" else along


def _by_freedoms(prim: UsdPrim, written: str) -> tuple[str, str]:
    """A joint of which each freedom is free, bounded or locked."""
    locked = {n for n in prim.instances("PhysicsLimitAPI") if _span(prim, n)[0] > _span(prim, n)[1]}
    free = [n for n in FREEDOMS if n not in locked]
    if not free:
        return "fixed", ""
    if len(free) == 1:
        return ("prismatic" if free[0].startswith("trans") else "revolute"), free[0][-1]
    if set(free) == set(FREEDOMS[3:]):
        return "ball", ""
    message = f"joint {written!r:.120}: a PhysicsJoint that is free along {', '.join(free)} has no counterpart here"
    prim.element.error("element-refused", message)
    return "", ""


def _span(prim: UsdPrim, freedom: str) -> tuple[float, float]:
    return prim.real(f"limit:{freedom}:physics:low", -inf), prim.real(f"limit:{freedom}:physics:high", inf)


def _end(prim: UsdPrim, i: int, stage: UsdStage) -> tuple[str, Pose] | None:
    """The link at one end, and the joint's frame on it; the world where there is none."""
    p = np.array(prim.numbers(f"physics:localPos{i}", (0.0, 0.0, 0.0)))
    q = prim.numbers(f"physics:localRot{i}", (1.0, 0.0, 0.0, 0.0))
    R = Pose.from_quaternion((0, 0, 0), q).R if any(q) else np.eye(3)
    path = prim.target(f"physics:body{i}")
    if path is None:
        return WORLD, Pose(R, stage.length * p)
    target = stage.prims.get(path)
    if target is None:
        near = prim.element.report.near(path, stage.prims, listed=False)
        prim.element.error("link-not-found", f"joint {prim.path!r:.120}: there is no prim {path!r:.120}{near}")
        return None
    frame = stage.in_link(target) if target.body is not target else None
    scale: Array = np.array(_scale_of(target)) * stage.length
    at = Pose(R, scale * p)
    link = WORLD if target.body is None else target.body.name
    return link, at if frame is None else frame.X @ at


def _scale_of(target: UsdPrim) -> Vector3:
    frame = framed(target.matrix)
    return (1.0, 1.0, 1.0) if frame is None else frame.scale


# --- axes -------------------------------------------------------------------------------------------------------------


class StageUnits:
    """Of a joint's numbers: degrees of one that turns, the stage's lengths of one that slides."""

    def __init__(self, stage: UsdStage, *, turns: bool) -> None:
        self.position = radians(1.0) if turns else stage.length
        self.effort = stage.mass * stage.length ** (2 if turns else 1)
        self.inertia = stage.mass * stage.length**2 if turns else stage.mass
        self.turns = turns

    def angle(self, x: float) -> float:
        return radians(x) if self.turns else x * self.position

    @property
    def per_position(self) -> float:
        """Of stiffness and damping."""
        return self.effort / self.position


def _safety(own: Element) -> SafetyController | None:
    e = own.child("safety_controller")
    if e is None:
        return None
    names = ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
    return SafetyController(**{n: e.number(n, 0.0, infinite=True) for n in names})


def _axis(prim: UsdPrim, kind: str, name: str, xyz: Vector3, own: Element | None, stage: UsdStage) -> Axis:
    """`own`: the element of ours that says the rest."""
    units = StageUnits(stage, turns=kind == "revolute")
    e = prim.element
    lower, upper = prim.real("physics:lowerLimit", -inf), prim.real("physics:upperLimit", inf)
    for freedom in prim.instances("PhysicsLimitAPI"):
        if prim.kind == "PhysicsJoint" and _span(prim, freedom)[0] <= _span(prim, freedom)[1]:
            lower, upper = _span(prim, freedom)
    speed = prim.real("newton:velocityLimit", prim.real("physxJoint:maxJointVelocity", inf))
    effort = prim.real("newton:effortLimit", inf)
    stop = None if own is None else own.child("stop")
    stops = {} if stop is None else {n: stop.number(n, 0.0) for n in stop.attributes}
    bounds = limits(
        e, name, lower=units.angle(lower), upper=units.angle(upper), velocity=units.angle(speed),
        effort=effort * units.effort, **stops,
    )  # fmt: skip
    spring = _spring(prim, units)
    armature = prim.real("newton:armature", prim.real("physxJoint:armature", 0.0))
    passive = {
        "damping": prim.real("newton:damping", 0.0) * units.per_position,
        "friction": prim.real("newton:friction", 0.0) * units.effort,
        "armature": armature * units.inertia,
        "spring_stiffness": spring[0], "spring_reference": spring[1],
    }  # fmt: skip
    return Axis(xyz=xyz, limits=bounds, dynamics=dynamics(e if own is None else own, name, passive))


def _rotation_damping(prim: UsdPrim, joint: str, stage: UsdStage) -> float:
    damping = prim.real("newton:damping", 0.0) * StageUnits(stage, turns=True).per_position
    return positive_damping(prim.element, joint, damping)


def _drives(prim: UsdPrim) -> Iterator[str]:
    return (f"drive:{n}:physics:" for n in prim.instances("PhysicsDriveAPI"))


def _spring(prim: UsdPrim, units: StageUnits) -> tuple[float, float]:
    """Stiffness and reference of a drive that we wrote for a joint's own spring."""
    for drive in _drives(prim):
        if prim.truth(f"{OWN}spring", False):
            stiffness = prim.real(f"{drive}stiffness", 0.0) * units.per_position
            return stiffness, units.angle(prim.real(f"{drive}targetPosition", 0.0))
    return 0.0, 0.0


def _add_drive(prim: UsdPrim, stage: UsdStage) -> None:
    """A drive that somebody commands is an actuator with gains."""
    joint, e = stage.draft.joints[prim.name], prim.element
    for drive in _drives(prim):
        if prim.truth(f"{OWN}spring", False) or not joint.axes:
            continue
        units = StageUnits(stage, turns=not joint.type.prismatic)
        kp, kd = (prim.real(f"{drive}{n}", 0.0) * units.per_position for n in ("stiffness", "damping"))
        most = prim.real(f"{drive}maxForce", inf) * units.effort
        if (e.get(f"{drive}type") or "force") != "force":
            message = f"joint {prim.name!r}: a drive of type acceleration is not simulated; give one of type force"
            e.warning("not-simulated", message)
            continue
        command = "position" if kp else "velocity" if kd else "effort"
        target = prim.real(f"{drive}target{command.capitalize()}", 0.0) if command != "effort" else 0.0
        if target:
            e.info("not-simulated", f"joint {prim.name!r}: the drive's target is a command here, {target:g} at first")
        values: dict[str, Any] = {"stiffness": kp} if kp else {}
        values |= {"damping_gain": kd} if kd else {}
        values |= {"effort_limit": most} if isfinite(most) else {}
        name = stage.draft.distinct(stage.draft.actuators, "actuator", prim.name, e)
        made = stage.draft.build(
            e, "actuator-value", f"the drive of joint {prim.name!r}", ElectricMotor, name=name,
            joint=AxisRef(prim.name), command=command, **values,
        )  # fmt: skip
        if made is not None:
            stage.draft.add(stage.draft.actuators, "actuator", name, made, e)


# --- mimics -----------------------------------------------------------------------------------------------------------


def _add_mimics(prim: UsdPrim, joints: dict[str, UsdPrim], stage: UsdStage) -> None:
    """Newton's, or where there is none, PhysX's."""
    e, written = prim.element, prim.instances(PHYSX)
    if prim.truth(f"{OWN}coupling", False):  # in an element of ours
        for name in [n for n in e.attributes if n.startswith(("physxMimicJoint:", "newton:mimic"))]:
            e.get(name)
        return
    if prim.has(NEWTON):
        if prim.truth("newton:mimicEnabled", True):
            offset, ratio = prim.real("newton:mimicCoef0", 0.0), prim.real("newton:mimicCoef1", 1.0)
            _add_mimic(prim, "newton:mimicJoint", joints, stage, ratio, offset, {})
        if written:
            e.info("element-ignored", f"joint {prim.name!r}: PhysX's mimic is not used beside Newton's")
            for name in [n for n in e.attributes if n.startswith("physxMimicJoint:")]:
                e.get(name)
        return
    for axis in written:
        at = f"physxMimicJoint:{axis}:"
        ratio, offset = -prim.real(f"{at}gearing", 0.0), -prim.real(f"{at}offset", 0.0)
        e.get(f"{at}referenceJointAxis")
        soft: dict[str, Any] = {}
        if (frequency := prim.real(f"{at}naturalFrequency", 0.0)) > 0:
            ratio_of_damping = prim.real(f"{at}dampingRatio", 0.0)
            soft = {"mode": "compliant", "natural_frequency": frequency, "damping_ratio": ratio_of_damping}
        _add_mimic(prim, f"{at}referenceJoint", joints, stage, ratio, offset, soft)


def _add_mimic(
    prim: UsdPrim, relationship: str, joints: dict[str, UsdPrim], stage: UsdStage, ratio: float, offset: float,
    soft: dict[str, Any],
) -> None:  # fmt: skip
    e, draft = prim.element, stage.draft
    path = prim.target(relationship)
    leader = joints.get(path or "")
    if leader is None or leader.name not in draft.joints:
        near = e.report.near(path or "", joints, listed=False)
        e.error("mimic-leader-not-found", f"joint {prim.name!r} follows {path!r:.120}, which is not a joint{near}")
        return
    follower = draft.joints[prim.name]
    if leader is prim:
        e.error("mimic-self", f"joint {prim.name!r} cannot mimic itself")
        return
    if not follower.axes:
        e.error("mimic-axis-missing", f"joint {prim.name!r} is {follower.kind}, and cannot follow")
        return
    units = StageUnits(stage, turns=not follower.type.prismatic)
    ref = AxisRef(prim.name)
    try:
        add_coupling(
            draft, e, name=str(ref), follower=ref, leaders=(Term(AxisRef(leader.name), ratio),),
            offset=units.angle(offset), **soft,
        )  # fmt: skip
    except ModelError as error:
        e.error("coupling-value", str(error))
