"""A mechanism with closed loops as MJCF: its spanning tree as bodies, its loop-closing joints as equalities.

MuJoCo has `connect` (a ball) and `weld`. A hinge is two connects on its axis. Joints that have no such counterpart, and
couplings of several leaders, raise a ValueError.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np

from gearwright.model import WORLD, Axis, Joint, Mechanism, Pose
from gearwright.model.tree.topology import TreeBranch

mj: Any = mujoco
LEVER = 0.05  # [m] between the two connects of a hinge
HINGED = ("revolute", "continuous")
TWO_HINGES = ("universal", "revolute2")
STIFF = "0.999 0.999 0.001 0.5 2"  # impedance: an equality lets 1e-3 through


def mjcf(robot: Mechanism, dt: float) -> str:
    """The robot's rigid-body mechanism, with stops, friction, dampers and springs of its joints."""
    children: dict[str, list[TreeBranch]] = {}
    for branch in robot.tree.branches:
        children.setdefault(branch.parent, []).append(branch)
    bodies = "".join(_body(robot, branch, children) for branch in children.get(WORLD, []))
    equalities = "".join([*map(_closure, robot.tree.cuts), *_couplings(robot)])
    return f"""<mujoco><compiler angle="radian" boundmass="1e-6" boundinertia="1e-9" balanceinertia="true"/>
<option timestep="{dt}" gravity="{_numbers(robot.gravity)}"><flag contact="disable"/></option>
<default><equality solref="{2 * dt} 1" solimp="{STIFF}"/>
<joint solreflimit="{2 * dt} 1" solimplimit="{STIFF}"/></default>
<worldbody>{_sites(robot, WORLD)}{bodies}</worldbody><equality>{equalities}</equality></mujoco>"""


def started(model: Any, robot: Mechanism, position: dict[str, Sequence[float]]) -> Any:
    """Data at the given coordinates of the tree's joints."""
    data = mj.MjData(model)
    for branch in robot.tree.branches:
        for name, part in _mujoco_coordinates(branch, list(position[branch.joint.name])):
            at = model.joint(name).qposadr[0]
            data.qpos[at : at + len(part)] = part
    return data


def _mujoco_coordinates(branch: TreeBranch, own: list[float]) -> list[tuple[str, list[float]]]:
    """By MuJoCo's joint. Its ball turns in the axes of the body, ours in those of the joint's frame."""
    joint = branch.joint
    if joint.kind == "fixed":
        return []
    if joint.kind in TWO_HINGES:
        return [(f"{joint.name}.{i}", [x]) for i, x in enumerate(own)]
    if joint.kind == "ball":
        R = -joint.X_PJ.R if branch.backward else joint.X_CJ.R
        own = [own[0], *(R @ own[1:]).tolist()]
    return [(joint.name, own)]


def _body(robot: Mechanism, branch: TreeBranch, children: dict[str, list[TreeBranch]]) -> str:
    joint, link = branch.joint, robot.links[branch.link]
    zero = (1.0, 0.0, 0.0, 0.0) if joint.kind == "ball" else (0.0,) * len(joint.positions)
    if joint.kind == "floating":
        zero = robot.configuration()[joint.name]
    inside = _inertial(link.inertia) if link.inertia is not None else ""
    inside += _joint(branch) + _sites(robot, branch.link)
    inside += "".join(_body(robot, each, children) for each in children.get(branch.link, []))
    return f"<body name={quoteattr(branch.link)} {_pose(branch.X_PL(zero))}>{inside}</body>"


def _inertial(inertia: Any) -> str:
    if inertia.mass <= 0.0:
        return ""
    tensor = inertia.tensor
    full = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return f'<inertial mass="{inertia.mass!r}" pos="{_numbers(inertia.center)}" fullinertia="{_numbers(full)}"/>'


def _joint(branch: TreeBranch) -> str:
    joint, sign = branch.joint, -1.0 if branch.backward else 1.0
    X = joint.X_PJ if branch.backward else joint.X_CJ
    name = quoteattr(joint.name)
    match joint.kind:
        case "fixed":
            return ""
        case "floating":
            return f"<freejoint name={name}/>"
        case "ball":
            return f'<joint name={name} type="ball" pos="{_numbers(X.p)}"/>'
        case kind if kind in (*HINGED, "prismatic"):
            return _axis(joint.name, "slide" if kind == "prismatic" else "hinge", joint.axes[0], X, sign)
        case kind if kind in TWO_HINGES:
            each = enumerate(joint.axes)
            axes = [_axis(f"{joint.name}.{i}", "hinge", axis, X, sign) for i, axis in each]
            return "".join(reversed(axes) if branch.backward else axes)
    raise ValueError(f"{joint.name!r}: MuJoCo has no {joint.kind} joint")


def _axis(name: str, kind: str, axis: Axis, X: Pose, sign: float) -> str:
    limits, own = axis.limits, axis.dynamics
    attributes = {
        "pos": _numbers(X.p), "axis": _numbers(sign * X.R @ axis.xyz), "damping": own.damping,
        "frictionloss": own.friction, "armature": own.armature, "stiffness": own.spring_stiffness,
        "springref": own.spring_reference,
    }  # fmt: skip
    if isfinite(limits.upper) and isfinite(limits.lower):
        attributes["range"] = f"{limits.lower!r} {limits.upper!r}"
        attributes["limited"] = "true"
    rest = " ".join(f'{key}="{value}"' for key, value in attributes.items() if value not in (0.0, "0"))
    return f'<joint name={quoteattr(name)} type="{kind}" {rest}/>'


def _sites(robot: Mechanism, link: str) -> str:
    """One or two at each end of a loop-closing joint."""
    found = ""
    for joint in robot.tree.cuts:
        for side, end, X in (("parent", joint.parent, joint.X_PJ), ("child", joint.child, joint.X_CJ)):
            if end != link:
                continue
            for i, offset in enumerate(_offsets(joint)):
                at = Pose(X.R, X.p + X.R @ offset)
                found += f"<site name={quoteattr(f'{joint.name}.{side}.{i}')} {_pose(at)}/>"
    return found


def _offsets(joint: Joint) -> list[Any]:
    if joint.kind in HINGED:
        return [s * LEVER / 2 * np.array(joint.axes[0].xyz) for s in (-1.0, 1.0)]
    return [np.zeros(3)]


def _closure(joint: Joint) -> str:
    kinds = {"ball": "connect", "fixed": "weld"} | dict.fromkeys(HINGED, "connect")
    if joint.kind not in kinds:
        raise ValueError(f"{joint.name!r}: MuJoCo cannot close a loop at a {joint.kind} joint")
    pairs = ((f"{joint.name}.parent.{i}", f"{joint.name}.child.{i}") for i in range(len(_offsets(joint))))
    return "".join(f"<{kinds[joint.kind]} site1={quoteattr(a)} site2={quoteattr(b)}/>" for a, b in pairs)


def _couplings(robot: Mechanism) -> Iterable[str]:
    for coupling in robot.couplings.values():
        if len(coupling.leaders) != 1:
            raise ValueError(f"{coupling.follower}: MuJoCo couples two joints")
        (term,) = coupling.leaders
        yield (
            f"<joint joint1={quoteattr(str(coupling.follower))} joint2={quoteattr(str(term.axis))} "
            f'polycoef="{coupling.offset - term.multiplier * coupling.reference!r} {term.multiplier!r} 0 0 0"/>'
        )


def _pose(X: Pose) -> str:
    return f'pos="{_numbers(X.p)}" quat="{_numbers(X.quaternion)}"'


def _numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
