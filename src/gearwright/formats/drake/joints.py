"""Drake's own elements for joints that SDFormat does not have."""

from __future__ import annotations

from gearwright.formats.draft import Draft
from gearwright.formats.sdf.scope import MODEL, Fragment, PoseError, Scope
from gearwright.formats.xml.located_xml import Element
from gearwright.model import WORLD, Axis, AxisDynamics, Joint, Pose


def read_drake_joint(e: Element, scope: Scope, draft: Draft, fragment: Fragment) -> None:
    """<drake:joint type="planar"> with <drake:parent> and <drake:child>, which name frames that it makes coincide."""
    name, kind = e.get("name") or "", e.get("type") or ""
    if not name or kind != "planar":
        code, what = ("name-missing", "has no name") if not name else ("joint-type-unknown", f"has the type {kind!r}")
        e.error(code, f"a <drake:joint> {what}; Drake has planar ones only")
        return
    placed: list[tuple[str, Pose]] = []
    for end in ("drake:parent", "drake:child"):
        frame = e.child_text(end)
        frame = fragment.frame if frame == MODEL else frame
        link = scope.link(frame, e) if frame else None
        if link is None:
            near = e.report.near(frame, scope.parts) if frame else ""
            e.error("link-not-found", f"joint {name!r}: its <{end}> {frame!r} does not exist{near}")
            return
        try:
            placed.append((link, _in_link(scope, frame, e)))
        except PoseError:
            return
    (parent, X_PJ), (child, X_CJ) = placed
    axis = Axis(xyz=(0.0, 0.0, 1.0), dynamics=AxisDynamics(damping=_turning_damping(e, name)))
    joint = Joint(
        name=scope.full(name), kind="planar", parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_CJ, axes=(axis,),
        source=e.source,
    )  # fmt: skip
    draft.add(draft.joints, "joint", joint.name, joint, e)


def _in_link(scope: Scope, frame: str, e: Element) -> Pose:
    """The frame's pose in the link that carries it."""
    inner, link = scope.body(frame, e)
    carrier = WORLD if link == WORLD else inner.prefix.removeprefix(scope.prefix) + link
    return scope.resolve(carrier, e).inverse() @ scope.resolve(frame, e)


def _turning_damping(e: Element, joint: str) -> float:
    """Damping of the rotation, out of the file's x, y and rotation; the translations of a planar joint have none."""
    x, y, turn = e.child_vector("drake:damping", (0.0, 0.0, 0.0))
    if min(x, y, turn) < 0:
        e.error("dynamics-invalid", f"joint {joint!r}: damping cannot be negative")
        return 0.0
    if x or y:
        message = f"joint {joint!r}: damping along x and y ({x:g}, {y:g} N·s/m) is not simulated; that of the turn is"
        e.warning("element-ignored", message)
    return turn
