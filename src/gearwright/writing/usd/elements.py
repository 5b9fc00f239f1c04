"""What USD has no schema for, as elements of ours in an attribute of the robot's prim."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from gearwright.model import Coupling, Couplings, Mechanism
from gearwright.writing.actuation import FormatDialect
from gearwright.writing.fields import OWN
from gearwright.writing.placing import Placing
from gearwright.writing.report import LossLog
from gearwright.writing.urdf.actuation import add_actuation
from gearwright.writing.usd.prims import own_element

UNWRITTEN = "its joint is not written"


def elements(placing: Placing, losses: LossLog, couplings: Iterable[Coupling], missing: Collection[str]) -> str | None:
    """A <robot> with its actuation, as in a URDF; None where there is nothing to say.

    couplings  those that no mimic says
    missing    joints that USD does not hold
    """
    robot = _without(placing.robot, missing, losses)
    root = own_element("robot")
    apart = [c for c in couplings if c.name in robot.couplings]
    for c in apart:
        losses.note(f"coupling {c.name!r}: no mimic of USD can express all of it; it is also in an attribute of ours")
    add_actuation(root, FormatDialect(robot=robot, losses=losses), apart)
    for link in robot.self_collide:
        root.add(f"{OWN}self_collide", link)
    free = {j.name for j in placing.joints if placing.is_free(j)}
    for name, q in robot.initial.items():
        if name in free or tuple(q) == robot.joint(name).type.zero:
            continue
        if name in missing:
            losses.lose(f"initial position {name!r}", "", UNWRITTEN)
        else:
            root.add(f"{OWN}initial_position", q, joint=name)
    if not root.children:
        return None
    if robot.actuators or robot.transmissions or robot.sensors or robot.hardware:
        losses.note("motors, transmissions and sensors are in an attribute of ours, which other programs do not read")
    return root.xml()


def _without(robot: Mechanism, missing: Collection[str], losses: LossLog) -> Mechanism:
    """Without the parts that refer to joints that are not written."""
    if not missing:
        return robot

    def lose(kind: str, name: str) -> None:
        losses.lose(f"{kind} {name!r}", "", UNWRITTEN)

    gone: set[str] = set()
    for t in robot.transmissions.values():
        if any(ref.joint in missing for ref in t.joints):
            gone |= {t.name, *t.actuators}
            lose("transmission", t.name)
    for a in robot.actuators.values():
        if a.name in gone or (a.joint is not None and a.joint.joint in missing):
            gone.add(a.name)
            lose("actuator", a.name)
    for t in robot.transmissions.values():
        if t.name not in gone and gone & set(t.actuators):
            gone.add(t.name)
            lose("transmission", t.name)
    for s in robot.sensors.values():
        read = {s.transmission, s.actuator} & gone
        joints = {None if s.joint is None else s.joint.joint, getattr(s, "reaction", None)} & set(missing)
        if read or joints:
            gone.add(s.name)
            lose("sensor", s.name)
    for h in robot.hardware.values():
        if any(c.name in missing for c in h.joints) or gone & set(h.transmissions):
            gone.add(h.name)
            lose("ros2_control tag", h.name)
    couplings = []
    for c in robot.couplings.values():
        if {c.follower.joint, *(t.axis.joint for t in c.leaders)} & set(missing):
            lose("coupling", c.name)
        else:
            couplings.append(c)
    for name in robot.keyframes:
        lose("keyframe", name)
    return replace(
        robot, couplings=Couplings(couplings), keyframes={}, cut=tuple(n for n in robot.cut if n not in missing),
        transmissions={n: t for n, t in robot.transmissions.items() if n not in gone},
        actuators={n: a for n, a in robot.actuators.items() if n not in gone},
        sensors={n: s for n, s in robot.sensors.items() if n not in gone},
        hardware={n: h for n, h in robot.hardware.items() if n not in gone},
    )  # fmt: skip
