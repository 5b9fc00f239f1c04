"""URDF: <robot> with its links, joints, transmissions, <gazebo> blocks and <ros2_control> tags."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from gearwright.formats.draft import Draft
from gearwright.formats.parts.actuation import read_actuation, read_mimic
from gearwright.formats.parts.axes import unit
from gearwright.formats.parts.axis_names import Rename
from gearwright.formats.parts.geometry import read_shape
from gearwright.formats.parts.initial_positions import read_initial_position
from gearwright.formats.parts.limits import dynamics, limits, without_axes
from gearwright.formats.parts.surfaces import read_bullet_contact, read_contact, surface_of
from gearwright.formats.paths.includes import Library
from gearwright.formats.sdf.version import parsed_version
from gearwright.formats.transmissions.plugins import PluginPolicy
from gearwright.formats.urdf.gazebo import read_gazebo
from gearwright.formats.urdf.text import report_text
from gearwright.formats.xml.located_xml import Element, parse_number
from gearwright.given_numbers import FARTHEST
from gearwright.model import (
    JOINT_KINDS,
    MASSLESS,
    WORLD,
    Axis,
    AxisDynamics,
    AxisRef,
    Geometry,
    Inertia,
    Joint,
    Limits,
    Link,
    NamedFrame,
    Pose,
)
from gearwright.model.joints import SafetyController
from gearwright.model.poses import IDENTITY, Vector3
from gearwright.model.tree.topology import backward

MOMENTS = frozenset(("ixx", "iyy", "izz"))  # products are left out where they are zero
X: Vector3 = (1.0, 0.0, 0.0)  # URDF's default axis
ZERO: Vector3 = (0.0, 0.0, 0.0)
Rgba = tuple[float, float, float, float]
URDF_VERSIONS = ((1, 0), (1, 1), (1, 2))
CLOSING = ("loop", "loop_joint", "loop_closure", "constraint")  # elements of other programs' URDFs
URDF_KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
OTHER_NAMES = {"spherical": "ball"}  # types of Bullet, MuJoCo and RaiSim
QUATERNIONS = {"quat_xyzw": (3, 0, 1, 2), "quat_wxyz": (0, 1, 2, 3), "wxyz": (0, 1, 2, 3)}  # where w, x, y, z stand
SETTINGS = ("contact_coefficients", "verbose", "drake:proximity_properties", "drake:perception_properties")

IGNORED = {
    "gazebo": "settings for Gazebo",
    "sensor": "sensors other than encoders",
    "calibration": "calibration flags",
    "verbose": "the old verbose flag",
    "self_collision_checking": "collision settings",
    "mujoco": "settings for MuJoCo",
    "texture": "textures",
    "collision_checking": "collision settings",
    "linear_damping": "damping of free bodies",
    "angular_damping": "damping of free bodies",
    "map": "old map settings",
    "joint_properties": "the old joint_properties",
    "simulation_parameters": "settings for a simulator",
    "acceleration": "acceleration limits",
    "jerk": "jerk limits",
    "group": "semantic groups",
}


def read_robot(robot: Element, draft: Draft, plugins: PluginPolicy, library: Library, prefix: str = "") -> None:
    """Reads all of a URDF; `prefix` is what its names get in the mechanism, where it is a part of another model."""
    draft.name = robot.get("name") or ""
    if not draft.name:
        robot.warning("name-missing", "the robot has no name")
    version = robot.get("version")
    if version is not None and parsed_version(version) not in URDF_VERSIONS:
        robot.warning("version-unknown", f"URDF {version[:20]!r} is not known; read as 1.0")
    draft.several_roots = False
    rename = _prefixed(prefix)
    colours = {m.get("name") or "": _colour(m) for m in robot.all("material")}
    for e in robot.all("link"):
        _read_link(e, draft, colours, rename)
    for e in robot.all("joint", "drake:joint"):
        _read_joint(e, draft, rename)
    if not draft.links:
        robot.error("link-not-found", "the robot has no links")
    report_text(robot)
    read_gazebo(robot, draft, plugins, library, prefix)
    for e in robot.all("frame"):
        _read_frame(e, draft, rename)
    draft.gravity = robot.child_vector("gravity", draft.gravity)  # ours
    if any(c.tag.startswith("drake:") for c in robot.children):
        from gearwright.formats.drake.constraints import read_drake_constraints

        read_drake_constraints(robot, draft, rename)
    for e in robot.all(*CLOSING):
        e.warning(
            "not-simulated", f"<{e.tag}> closes a loop, which URDF has no element for: closures={e.file!r} reads it"
        )
        e.consume()
    draft.fixed.update(n for n in draft.links if n not in draft.apart)
    read_actuation(robot, draft, plugins, rename)
    if tags := robot.all("ros2_control"):
        from gearwright.formats.ros2_control.tags import (
            read_ros2_controls,  # with what it reads, only where there are tags
        )

        read_ros2_controls(tags, draft, plugins, rename)
    if sensors := robot.all("body_sensor"):
        from gearwright.formats.urdf.own_frames import read_body_sensors

        read_body_sensors(sensors, robot, draft, prefix)
    if draft.link_frames:
        from gearwright.formats.urdf.own_frames import in_own_frames

        in_own_frames(draft)


def _read_frame(e: Element, draft: Draft, rename: Rename) -> None:
    """Drake's frame on a link."""
    name, link = e.get("name") or "", e.get("link") or ""
    if not name or rename(link) not in draft.links:
        what = f"names no link that exists: {link!r}" if name else "has no name"
        e.recoverable("link-not-found" if name else "name-missing", f"a <frame> {what}; it is left out")
        e.consume()
        return
    frame = NamedFrame(name=rename(name), link=rename(link), X_LF=attached(e), source=e.source)
    draft.add(draft.frames, "frame", frame.name, frame, e)


def _prefixed(prefix: str) -> Rename:
    return (lambda name: name if name == WORLD else prefix + name) if prefix else str


# --- links ----------------------------------------------------------------------------------------------------------


def _read_link(e: Element, draft: Draft, colours: dict[str, Rgba | None], rename: Rename) -> None:
    written = e.get("name") or ""
    if not written:
        e.error("name-missing", "a link without a name")
        return
    name = rename(written)
    e.get("type")
    link = Link(
        name=name,
        inertia=_inertia(e, name),
        visuals=_geometries(e, "visual", colours),
        collisions=_with_contact(e, _geometries(e, "collision", colours)),
        gravity=e.truth(e.get("gravity") or "true", "attribute gravity", True),  # ours, as is the frame
        source=e.source,
    )
    if draft.add(draft.links, "link", name, link, e) and (own := e.child("own_frame")) is not None:
        draft.link_frames[name] = attached(own)


def origin(e: Element) -> Pose:
    """<origin xyz rpy>, or a quaternion as newer URDF has it."""
    o = e.child("origin")
    return IDENTITY if o is None else attached(o)


def attached(o: Element) -> Pose:
    """Pose by attributes."""
    xyz = o.vector("xyz", ZERO)
    if any(abs(v) > FARTHEST for v in xyz):
        o.error("pose-invalid", f"attribute xyz: a coordinate exceeds the limit of {FARTHEST:g} m")
        return IDENTITY
    for attribute in o.attributes.keys() & QUATERNIONS:
        q = o.numbers(o.get(attribute), f"attribute {attribute}") or []
        if len(q) == 4 and any(q):
            return Pose.from_quaternion(xyz, [q[i] for i in QUATERNIONS[attribute]])
        o.error("pose-invalid", f"attribute {attribute}: expected four numbers that are not all zero")
    return Pose.from_rpy(xyz, o.vector("rpy", ZERO))


def _inertia(e: Element, link: str) -> Inertia:
    inertial = e.child("inertial")
    if inertial is None:
        return MASSLESS
    mass, tensor = inertial.child("mass"), inertial.child("inertia")
    _report_missing(inertial, mass, tensor, link)
    m = mass.number("value", 0.0) if mass is not None else 0.0
    i = {k: tensor.number(k, 0.0) if tensor is not None else 0.0 for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
    pose = origin(inertial)
    if m < 0:
        (mass or inertial).error("inertia-invalid", f"link {link!r}: a mass cannot be negative ({m:g} kg)")
        return MASSLESS
    return Inertia(
        mass=m,
        moments=(i["ixx"], i["iyy"], i["izz"]),
        products=(i["ixy"], i["ixz"], i["iyz"]),
        pose=pose,
    )


def _report_missing(inertial: Element, mass: Element | None, tensor: Element | None, link: str) -> None:
    """Reports missing values of an <inertial>, which are zero in a URDF: urdfdom refuses them, others accept them."""
    if mass is None or ("value" not in mass.attributes and not mass.text):
        near = inertial.misspelt("mass") if mass is None else ""
        message = f"link {link!r}: <inertial> has no <mass value=…>; 0 kg is used{near}"
        (mass or inertial).warning("inertia-missing", message)
    if tensor is None:
        near = inertial.misspelt("inertia")
        inertial.warning("inertia-missing", f"link {link!r}: <inertial> has no <inertia>; 0 kg·m² is used{near}")
    elif not tensor.attributes.keys() >= MOMENTS and not tensor.text:
        missing = ", ".join(k for k in ("ixx", "iyy", "izz") if k not in tensor.attributes)
        message = f"link {link!r}: <inertia> has no {missing}; 0 is used{tensor.misspelt(missing[:3])}"
        tensor.warning("inertia-missing", message)


def _geometries(e: Element, tag: str, colours: dict[str, Rgba | None]) -> tuple[Geometry, ...]:
    """Shapes do not affect the mechanism: one that cannot be read is left out."""
    found = []
    for i, g in enumerate(e.all(tag)):
        with e.report.leaving_out(f"this {tag}") as reading:
            shape, pose = read_shape(g), origin(g)
        material = g.child("material")
        rgba = None
        if material is not None:
            rgba = _colour(material) or colours.get(material.attributes.get("name", ""))
        contact = read_contact(g) if tag == "collision" else {}
        for setting in g.all(*SETTINGS):
            setting.consume()
        name = g.get("name") or f"{tag}{i + 1}"
        g.get("group")
        if shape is not None and not reading.failed:
            found.append(Geometry(name=name, shape=shape, pose=pose, rgba=rgba, source=g.source, **contact))
    return tuple(found)


def _with_contact(e: Element, collisions: tuple[Geometry, ...]) -> tuple[Geometry, ...]:
    """With the surface that PyBullet's <contact> gives to a link."""
    contact = e.child("contact")
    if contact is None:
        return collisions
    with e.report.leaving_out("<contact>") as reading:
        values = read_bullet_contact(contact)
    if reading.failed:
        return collisions
    return tuple(replace(g, surface=surface_of(contact, values, g.surface)) for g in collisions)


def _colour(material: Element) -> Rgba | None:
    material.get("name")
    for texture in material.all("texture", "drake:diffuse_map"):
        texture.consume()
    c = material.child("color")
    text = c.get("rgba") if c is not None else None
    if c is None or text is None:
        return None
    with c.report.leaving_out("the colour"):
        v = c.numbers(text, "attribute rgba") or []
    if len(v) not in (3, 4):
        if v:
            c.recoverable("number-invalid", f"attribute rgba: a colour has four numbers, not {len(v)}; it is left out")
        return None
    return (v[0], v[1], v[2], v[3] if len(v) == 4 else 1.0)


# --- joints ---------------------------------------------------------------------------------------------------------


def _read_joint(e: Element, draft: Draft, rename: Rename) -> None:
    written, kind = e.get("name") or "", (e.get("type") or "").strip().lower()
    kind = OTHER_NAMES.get(kind, kind)
    if not written:
        e.error("name-missing", "a joint without a name")
        return
    name = rename(written)
    if kind not in JOINT_KINDS:
        draft.refused.add(name)
        near = draft.report.near(kind, URDF_KINDS)
        e.error("joint-type-unknown", f"joint {name!r}: there is no type {kind!r}{near}")
        return
    parent, child = (_end(e, name, end, draft, rename) for end in ("parent", "child"))
    if not parent or not child:
        draft.refused.add(name)
        e.consume()
        return
    if parent == WORLD and WORLD not in draft.links:
        e.warning("name-reserved", f"joint {name!r}: there is no link 'world'; the world itself is used")
    safety = e.child("safety_controller")
    axes = _axes(e, name, kind)
    joint = Joint(
        name=name, kind=kind, parent=parent, child=child, X_PJ=origin(e), axes=axes,
        thread_pitch=_pitch(e) if JOINT_KINDS[kind].travels else 0.0, safety=_safety(safety), source=e.source,
    )  # fmt: skip
    if child == WORLD and WORLD in draft.links:
        e.error("joint-world-child", f"joint {name!r}: the world cannot be a child")
    if e.get("reversed") is not None:  # ours: the model's joint leads from child to parent
        joint = backward(joint)
    if draft.add(draft.joints, "joint", name, joint, e):
        read_initial_position(e, joint, draft)
        mimic = e.child("mimic")
        if mimic is not None:
            read_mimic(mimic, draft, AxisRef(name), rename)


def _end(e: Element, joint: str, end: str, draft: Draft, rename: Rename) -> str:
    """The link at one end; "" with an error where there is none."""
    c = e.child(end)
    written = c.get("link") if c is not None else None
    if c is None or not written:
        near = c.misspelt("link") if c is not None else e.misspelt(end)
        (c or e).error("element-missing", f"joint {joint!r} names no {end} link{near}")
        return ""
    link = rename(written)
    if link not in draft.links and link != WORLD:
        near = draft.report.near(link, draft.links)
        c.error("link-not-found", f"joint {joint!r}: its {end} link {link!r} is not declared{near}")
        return ""
    return link


def _pitch(e: Element) -> float:
    pitch = e.child("drake:screw_thread_pitch")
    if pitch is None or "value" not in pitch.attributes:
        name = e.attributes.get("name", "")
        message = (
            f'screw {name!r} needs <drake:screw_thread_pitch value="…"/> [m/rev]{e.misspelt("screw_thread_pitch")}'
        )
        (pitch or e).error("element-missing", message)
        return 1.0
    return pitch.number("value", 1.0)


def _safety(e: Element | None) -> SafetyController | None:
    """For controllers; nothing in the mechanism depends on it."""
    if e is None:
        return None
    with e.report.leaving_out("the safety controller") as reading:
        safety = SafetyController(
            k_velocity=e.number("k_velocity", 0.0),
            k_position=e.number("k_position", 0.0),
            soft_lower_limit=e.number("soft_lower_limit", 0.0, infinite=True),
            soft_upper_limit=e.number("soft_upper_limit", 0.0, infinite=True),
        )
    return None if reading.failed else safety


def _axes(e: Element, name: str, kind: str) -> tuple[Axis, ...]:
    count = JOINT_KINDS[kind].axes
    own = e.child("axes")
    if own is not None and count == 2:  # ours: in the spelling of SDFormat
        from gearwright.formats.sdf.joints import own_axes

        return own_axes(own, name)
    a, lim, dyn = e.child("axis"), e.child("limit"), e.child("dynamics")
    if lim is not None and (not count or kind == "planar"):
        lim.consume()
    if not count:
        _leave_axis_settings(e, name, kind, lim, dyn)
        return ()
    if a is None and kind != "planar":
        e.info("axis-missing", f"joint {name!r} has no <axis>; URDF's default 1 0 0 is used")
    xyz = X if a is None else unit(a, name, a.vector("xyz", X), X)
    bounds = Limits() if kind == "planar" else _limits(e, name, kind, lim)
    passive = _dynamics(dyn, name)
    if count == 2:  # Drake's universal joint: about x, then y, of the joint frame
        return (Axis(xyz=(1.0, 0.0, 0.0), dynamics=passive), Axis(xyz=(0.0, 1.0, 0.0), dynamics=passive))
    return (Axis(xyz=xyz, limits=bounds, dynamics=passive),)


def _leave_axis_settings(e: Element, name: str, kind: str, lim: Element | None, dyn: Element | None) -> None:
    """A joint without axes has no limits and no passive forces here."""
    for unused in e.all("axis", "dynamics"):
        unused.consume()
    forces = [k for k in ("damping", "friction") if dyn is not None and parse_number(dyn.attributes.get(k, "0")) != 0]
    ends = ["range"] if lim is not None and kind == "ball" and not {"lower", "upper"}.isdisjoint(lim.attributes) else []
    without_axes(dyn if forces else lim, name, kind, [*forces, *ends])


def _dynamics(e: Element | None, joint: str) -> AxisDynamics:
    if e is None:
        return AxisDynamics()
    damping = (e.get("damping") or "").split()
    if len(damping) > 1 and len(set(damping)) == 1:  # Drake's planar joint writes one for each of its freedoms
        e.attributes["damping"] = damping[0]
    values = {k: e.number(k, 0.0) for k in ("damping", "friction")}
    values |= _beyond_urdf(e, "spring", "spring_stiffness", "spring_reference") | _beyond_urdf(
        e, "armature", "armature"
    )
    return dynamics(e, joint, values)


def _beyond_urdf(e: Element, what: str, *names: str) -> dict[str, float]:
    """Attributes that URDF does not have: other readers skip them, whatever they hold."""
    with e.report.leaving_out(f"the {what}, which URDF does not have,") as reading:
        values = {n: e.number(n, 0.0) for n in names}
    return dict.fromkeys(names, 0.0) if reading.failed else values


def _limits(e: Element, name: str, kind: str, lim: Element | None) -> Limits:
    bounded = JOINT_KINDS[kind].bounded
    if lim is None:
        if bounded:
            e.warning("limit-missing", f"joint {name!r} is {kind} and has no <limit>, so it is unlimited")
        return Limits()
    if len(lim.attributes) > 4:
        for known in ("drake:acceleration", "acceleration", "deceleration", "jerk"):
            lim.get(known)
    missing = [k for k in ("effort", "velocity") if k not in lim.attributes]
    if bounded and missing:
        lim.warning("limit-missing", f"joint {name!r}: <limit> has no {' and no '.join(missing)}, so it has none")
    default = 0.0 if bounded and ("lower" in lim.attributes or "upper" in lim.attributes) else inf
    lower, upper = lim.number("lower", -default, infinite=True), lim.number("upper", default, infinite=True)
    if not bounded:
        lower, upper = -inf, inf
    return limits(
        lim, name, lower=lower, upper=upper, effort=lim.number("effort", inf, infinite=True),
        velocity=lim.number("velocity", inf, infinite=True), **_stop(lim),
    )  # fmt: skip


def _stop(lim: Element) -> dict[str, float]:
    """Stiffness and dissipation of the stops, attributes of ours."""
    return {n: lim.number(n, 0.0) for n in ("stiffness", "dissipation") if n in lim.attributes}
