"""A robot's URDF with only what every engine computes alike: bodies, joints, dampers and couplings.

Taken off: meshes (engines would load them), Coulomb friction and limits (no engine's are another's; kept where a
comparison is about them), transmissions and extensions. Inertias that no body can have (MuJoCo refuses them) become
those of a sphere with the same trace. The same text goes to every contestant.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

NOT_COMPARED = ("visual", "collision", "gazebo", "transmission", "ros2_control", "safety_controller", "calibration")
UNLIMITED = {"lower": "-1e16", "upper": "1e16", "effort": "1e16", "velocity": "1e16"}
MASSLESS = (  # where a link says nothing, Bullet and DART take 1 kg
    '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
)
TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def plain(text: str | bytes, *, bounded: bool = False) -> str:
    """The reduced file; `bounded`: with stops and friction. The text is trusted: it is of a package or of this one."""
    robot = ElementTree.fromstring(text)
    for parent in list(robot.iter()):
        for element in [e for e in parent if e.tag in NOT_COMPARED or e.tag.startswith("{")]:
            parent.remove(element)
    for joint in robot.findall("joint"):
        _as_strong_as_needed(joint) if bounded else _unlimited(joint)
    for link in robot.findall("link"):
        if link.find("inertial") is None:
            link.append(ElementTree.fromstring(MASSLESS))
    for inertia in robot.iter("inertia"):
        _balanced(inertia)
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode")


def _unlimited(joint: ElementTree.Element) -> None:
    if joint.get("type") == "continuous":
        joint.set("type", "revolute")  # Pinocchio would store a turn as cosine and sine
    for limit in joint.findall("limit"):
        joint.remove(limit)
    if joint.get("type") in ("revolute", "prismatic"):
        joint.append(ElementTree.Element("limit", UNLIMITED))
    else:
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    for dynamics in joint.findall("dynamics"):
        dynamics.attrib.pop("friction", None)


def _as_strong_as_needed(joint: ElementTree.Element) -> None:
    """Stops stay; what a drive may do at most is not part of a comparison without drives."""
    for limit in joint.findall("limit"):
        limit.attrib |= {k: UNLIMITED[k] for k in ("effort", "velocity")}


def _balanced(inertia: ElementTree.Element) -> None:
    xx, xy, xz, yy, yz, zz = (float(inertia.get(k, "0")) for k in TENSOR)
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if moments[0] + moments[1] >= moments[2] * (1 - 1e-12) and moments[0] >= 0.0:
        return
    for k in TENSOR:
        inertia.set(k, repr(float(np.abs(moments).mean())) if k[1] == k[2] else "0")
