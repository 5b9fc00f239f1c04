"""Drake's constraints between two bodies: <drake:ball_constraint>, <drake:weld_constraint>, <drake:linear_bushing_rpy>.

In a URDF their values are attributes, in SDFormat they are text. A bushing is a spring and a damper in six directions.
Those that it holds are held rigidly here, the others are free: it becomes the joint that it stands for, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.formats.draft import Draft
from gearwright.formats.loops.closures import Closure, ClosureEnd
from gearwright.formats.parts.axis_names import Rename
from gearwright.formats.xml.located_xml import Element
from gearwright.model import IDENTITY, Axis, AxisDynamics, Pose
from gearwright.model.poses import Vector3

BALL, WELD, BUSHING = "drake:ball_constraint", "drake:weld_constraint", "drake:linear_bushing_rpy"
CONSTRAINTS = (BALL, WELD, BUSHING)
NOT_SIMULATED = ("drake:distance_constraint", "drake:tendon_constraint")
NONE: Vector3 = (0.0, 0.0, 0.0)
UNIT: tuple[Vector3, Vector3, Vector3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def read_drake_constraints(model: Element, draft: Draft, rename: Rename = str) -> None:
    """All of a <robot> or <model>."""
    for e in model.all(*CONSTRAINTS):
        closure = {BALL: _ball, WELD: _weld, BUSHING: _bushing}[e.tag](e, rename)
        if closure is not None:
            closure.add(draft, e.error, e.tag.partition(":")[2])
    for e in model.all(*NOT_SIMULATED):
        e.warning("not-simulated", f"<{e.tag}> is not simulated; the parts that it connects move freely")
        e.consume()


def _ball(e: Element, rename: Rename) -> Closure | None:
    a, b = _name(e, f"{BALL}_body_A"), _name(e, f"{BALL}_body_B")
    if not a or not b:
        return None
    P, Q = _vector(e, f"{BALL}_p_AP"), _vector(e, f"{BALL}_p_BQ")
    parent = ClosureEnd(name=rename(a), pose=Pose.from_rpy(P or NONE, NONE))
    child = ClosureEnd(name=rename(b), pose=None if Q is None else Pose.from_rpy(Q, NONE))
    return Closure(name="", kind="ball", parent=parent, child=child, source=e.source)


def _weld(e: Element, rename: Rename) -> Closure | None:
    """Two frames that coincide: <parent> and <child>, as of a joint, or bodies with poses, as of a ball constraint."""
    tags = [[f"{WELD}_body_{x}", f"drake:{end}", end] for x, end in (("A", "parent"), ("B", "child"))]
    names = [next((t for t in each if any(c.tag == t for c in e.children)), each[0]) for each in tags]
    a, b = (_name(e, tag) for tag in names)
    if not a or not b:
        return None
    X_AP, X_BQ = (_pose(e, f"{WELD}_X_{x}") for x in ("AP", "BQ"))
    parent, child = ClosureEnd(name=rename(a), pose=X_AP), ClosureEnd(name=rename(b), pose=X_BQ)
    return Closure(name="", kind="fixed", parent=parent, child=child, source=e.source)


def _bushing(e: Element, rename: Rename) -> Closure | None:
    a, c = _name(e, "drake:bushing_frameA"), _name(e, "drake:bushing_frameC")
    if not a or not c:
        return None
    values = {
        f"{what} {how}": _vector(e, f"drake:bushing_{what}_{how}") or NONE
        for what in ("force", "torque")
        for how in ("stiffness", "damping")
    }
    found = next(_joints(values["force stiffness"], values["torque stiffness"]), None)
    between = f"the bushing between {a!r} and {c!r}"
    if found is None:
        message = f"{between} holds what no joint holds: it is left out"
        e.warning("not-simulated", message)
        return None
    kind, free = found
    stiffest = max(*values["force stiffness"], *values["torque stiffness"])
    held = f"its stiffness, up to {stiffest:g} N/m or N·m/rad, is taken as rigid"
    e.warning("not-simulated", f"{between} is simulated as a {kind} joint: {held}")
    turning = kind != "prismatic"
    damping = values["torque damping" if turning else "force damping"]
    axes = tuple(Axis(xyz=UNIT[i], dynamics=AxisDynamics(damping=max(damping[i], 0.0))) for i in free)
    return Closure(
        name="",
        kind=kind,
        parent=ClosureEnd(name=rename(a)),
        child=ClosureEnd(name=rename(c)),
        axes=axes,
        source=e.source,
    )


def _joints(force: Vector3, torque: Vector3) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The joint that leaves free what has no stiffness, and its axes. Drake's angles turn about z, then y, then x."""
    slides = tuple(i for i in (2, 1, 0) if force[i] == 0)
    turns = tuple(i for i in (2, 1, 0) if torque[i] == 0)
    match len(slides), len(turns):
        case 0, 0:
            yield "fixed", ()
        case 0, 1:
            yield "continuous", turns
        case 0, 2:
            yield "universal", turns
        case 0, 3:
            yield "ball", ()
        case 1, 0:
            yield "prismatic", slides
        case 2, 1 if turns[0] not in slides:
            yield "planar", turns


# --- values -----------------------------------------------------------------------------------------------------------


def _name(e: Element, tag: str) -> str:
    """A name, as an attribute or as text; "" with an error where there is none."""
    c = e.child(tag)
    name = "" if c is None else (c.get("name") or c.get("link") or c.words)
    if not name:
        (c or e).error("element-missing", f"<{e.tag}> needs <{tag}>{e.misspelt(tag)}")
    return name


def _numbers(e: Element, tag: str, count: int) -> list[float] | None:
    c = e.child(tag)
    if c is None:
        return None
    values = c.numbers(c.get("value") if c.get("value") is not None else None, f"<{tag}>")
    if values is not None and len(values) != count:
        c.error("number-invalid", f"<{tag}>: expected {count} numbers, not {len(values)}")
        return None
    return values


def _vector(e: Element, tag: str) -> Vector3 | None:
    values = _numbers(e, tag, 3)
    return None if values is None else (values[0], values[1], values[2])


def _pose(e: Element, tag: str) -> Pose:
    values = _numbers(e, tag, 6)
    return IDENTITY if values is None else Pose.from_rpy(values[:3], values[3:])
