"""`gw.build`: a robot from Python. Each call adds one part; `finish` checks all of them and makes the mechanism.

Every part remembers the line of Python that made it, so that errors have a place as those of a file do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gearwright.building.bodies import LinkDraft, Numbers, WeighedShape, given_inertia, vector
from gearwright.building.given import Colour, axis_of, axis_ref, made_of, rgba_of, row
from gearwright.diagnostics import Diagnostic, Source
from gearwright.errors import ModelError, nearest, users_frame
from gearwright.given_names import checked_flag, checked_instance, checked_name, checked_names
from gearwright.given_numbers import number
from gearwright.model import (
    ACTUATORS,
    JOINT_KINDS,
    SENSORS,
    WORLD,
    Actuator,
    Axis,
    AxisRef,
    Backlash,
    Coupling,
    Couplings,
    ForceTorque,
    Geometry,
    Imu,
    Inertia,
    Joint,
    Losses,
    Mechanism,
    NamedFrame,
    Pose,
    Sensor,
    Term,
    Transmission,
    TransmissionMap,
)
from gearwright.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from gearwright.model.given_poses import pose_of
from gearwright.model.mechanism import DEFAULT_GRAVITY
from gearwright.model.transmissions import type_name, with_own
from gearwright.model.tree.topology import roots, span

BODY_SENSORS: dict[str, type[Sensor]] = {"imu": Imu, "force_torque": ForceTorque}
SHAPES = (Box, Sphere, Cylinder, Capsule, Cone, Ellipsoid, Plane, Mesh)


def build(
    name: str, *, base: Literal["fixed", "floating"] = "fixed", gravity: Numbers = DEFAULT_GRAVITY
) -> RobotBuilder:
    """Begins a robot: add links, joints, couplings, actuators and sensors, then call `finish()`.

    base     how links without a parent joint are connected to the world
    gravity  in the world's axes [m/s²]
    """
    if base not in ("fixed", "floating"):
        raise ModelError(f"base must be 'fixed' or 'floating', not {base!r:.60}")
    return RobotBuilder(name=checked_name("a robot", name), base=base, gravity=vector("gravity", gravity))


@dataclass(kw_only=True, repr=False)
class RobotBuilder:
    """A robot under construction. Every method but `finish` returns the builder itself."""

    name: str
    base: Literal["fixed", "floating"] = "fixed"
    gravity: tuple[float, float, float] = DEFAULT_GRAVITY
    _bodies: dict[str, LinkDraft] = field(default_factory=dict)
    _joints: dict[str, Joint] = field(default_factory=dict)
    _frames: dict[str, NamedFrame] = field(default_factory=dict)
    _couplings: list[Coupling] = field(default_factory=list)
    _transmissions: dict[str, Transmission] = field(default_factory=dict)
    _actuators: dict[str, Actuator] = field(default_factory=dict)
    _sensors: dict[str, Sensor] = field(default_factory=dict)
    _initial: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<RobotBuilder {self.name!r}: {len(self._bodies)} links, {len(self._joints)} joints>"

    # --- bodies ----------------------------------------------------------------------------------------------------

    def link(
        self, name: str, *, mass: float | None = None, density: float | None = None,
        inertia: Inertia | Numbers | None = None, center: Pose | Numbers | None = None, gravity: bool = True,
    ) -> RobotBuilder:  # fmt: skip
        """A rigid body.

        mass     [kg]; with shapes, their inertia is scaled to it
        density  [kg/m³] of its shapes; by default 1000
        inertia  ixx, iyy, izz (and ixy, ixz, iyz) about the centre of mass [kg·m²], instead of one from shapes
        center   centre of mass in the link's frame [m]; with an inertia only
        gravity  whether gravity acts on it
        """
        self._new(self._bodies, "link", name)
        checked_flag("gravity", gravity)
        if mass is not None:
            mass = number(f"link {name!r}: mass", mass, low=0)
        if density is not None:
            density = number(f"link {name!r}: density", density, low=0)
        if inertia is not None and not isinstance(inertia, Inertia):
            inertia = given_inertia(name, mass, inertia, center)
        elif center is not None:
            raise ModelError(f"link {name!r}: give center with inertia; otherwise it follows from the shapes")
        self._bodies[name] = LinkDraft(
            name=name, source=_caller("link", name), mass=mass, density=density, inertia=inertia, gravity=gravity
        )  # fmt: skip
        return self

    def shape(
        self, link: str, shape: Shape, *, pose: Pose | Numbers | None = None, mass: float | None = None,
        density: float | None = None, color: Colour | None = None, visual: bool = True, collision: bool = True,
        name: str | None = None,
    ) -> RobotBuilder:  # fmt: skip
        """A shape on a link: a visual, a collision, and a part of the link's inertia.

        pose       in the link's frame: x, y, z [m], or with roll, pitch, yaw [rad]
        mass       [kg] of this shape, or `density` [kg/m³]; by default that of the link
        color      red, green, blue and perhaps opacity, 0 to 1
        visual, collision  whether it is seen, and whether it collides; without both it only has mass
        """
        body = self._body(link)
        if not isinstance(shape, SHAPES):
            kinds = ", ".join(kind.__name__ for kind in SHAPES)
            raise ModelError(f"link {link!r}: a shape is one of {kinds}, not {shape!r:.60}")
        what = f"link {link!r}, a {type(shape).__name__.lower()}"
        for flag, given in (("visual", visual), ("collision", collision)):
            checked_flag(flag, given)
        X = pose_of(f"{what}: pose", pose)
        for n, x in (("mass", mass), ("density", density)):
            if x is not None:
                number(f"{what}: {n}", x, low=0)
        rgba = None if color is None else rgba_of(what, color)
        for kept, family, wanted in (("visual", body.visuals, visual), ("collision", body.collisions, collision)):
            if wanted:
                own = name or f"{kept}{len(family) + 1}"
                family.append(Geometry(name=own, shape=shape, pose=X, rgba=rgba if kept == "visual" else None))
        if not isinstance(shape, Mesh) or mass is not None or density is not None:
            body.solids.append(WeighedShape(shape=shape, pose=X, mass=mass, density=density))
        return self

    def box(self, link: str, size: Numbers, **rest: Any) -> RobotBuilder:
        """A box with its centre at the pose; `size` along x, y, z [m]. The rest as in `shape`."""
        x, y, z = (number(f"link {link!r}: size", s, low=0) for s in vector(f"link {link!r}: size", size))
        return self.shape(link, Box(size=(x, y, z)), **rest)

    def sphere(self, link: str, radius: float, **rest: Any) -> RobotBuilder:
        """A sphere with its centre at the pose [m]. The rest as in `shape`."""
        return self.shape(link, Sphere(radius=number(f"link {link!r}: radius", radius, low=0)), **rest)

    def cylinder(self, link: str, radius: float, length: float, **rest: Any) -> RobotBuilder:
        """A cylinder along z with its centre at the pose [m]. The rest as in `shape`."""
        r, h = (number(f"link {link!r}: {n}", x, low=0) for n, x in (("radius", radius), ("length", length)))
        return self.shape(link, Cylinder(radius=r, length=h), **rest)

    def capsule(self, link: str, radius: float, length: float, **rest: Any) -> RobotBuilder:
        """A capsule along z with its centre at the pose; `length` without the caps [m]. The rest as in `shape`."""
        r, h = (number(f"link {link!r}: {n}", x, low=0) for n, x in (("radius", radius), ("length", length)))
        return self.shape(link, Capsule(radius=r, length=h), **rest)

    def mesh(self, link: str, uri: str, scale: Numbers = (1.0, 1.0, 1.0), **rest: Any) -> RobotBuilder:
        """A mesh file, which is not opened: the link needs an inertia or other shapes. The rest as in `shape`."""
        return self.shape(link, Mesh(uri=checked_name("a mesh", uri), scale=vector("scale", scale)), **rest)

    def frame(self, name: str, link: str, pose: Pose | Numbers | None = None) -> RobotBuilder:
        """A named frame on a link, or on "world"."""
        self._new(self._frames, "frame", name)
        if link != WORLD:
            self._body(link)
        X = pose_of(f"frame {name!r}: pose", pose)
        self._frames[name] = NamedFrame(name=name, link=link, X_LF=X, source=_caller("frame", name))
        return self

    # --- joints ----------------------------------------------------------------------------------------------------

    def joint(
        self, name: str, kind: str, parent: str, child: str, *, pose: Pose | Numbers | None = None,
        axis: Axis | Numbers = (0.0, 0.0, 1.0), axis2: Axis | Numbers = (0.0, 1.0, 0.0),
        child_pose: Pose | Numbers | None = None, thread_pitch: float = 0.0,
        initial: float | Numbers | None = None, **numbers_of_axis: Any,
    ) -> RobotBuilder:  # fmt: skip
        """A joint between two links, or between "world" and a link.

        kind        "revolute", "continuous", "prismatic", "fixed", "screw", "universal", "ball", …
        pose        its frame in the parent's frame: x, y, z [m], or with roll, pitch, yaw [rad]
        child_pose  its frame in the child's frame; by default the child's frame is where the joint is
        axis        in the joint's frame; of two axes, the second is `axis2`
        initial     where it starts, if not at zero [rad, m]

        Others are limits and passive forces of its axis: lower, upper, effort, velocity, damping, friction, armature,
        spring_stiffness, …; of a ball, which has no axis, its damping.
        """
        self._new(self._joints, "joint", name)
        if not isinstance(kind, str) or kind not in JOINT_KINDS:
            raise ModelError(f"joint {name!r}: there is no type {kind!r:.60}{nearest(str(kind), JOINT_KINDS)}")
        count = JOINT_KINDS[kind].axes
        damping = number("damping", numbers_of_axis.pop("damping", 0.0)) if JOINT_KINDS[kind].damped else 0.0
        made = [
            axis_of(name, given, numbers_of_axis if i == 0 else {}) for i, given in enumerate((axis, axis2)[:count])
        ]
        if numbers_of_axis and not count:
            raise ModelError(f"joint {name!r}: a {kind} joint has no axis for {next(iter(numbers_of_axis))!r}")
        self._joints[name] = Joint(
            name=name, kind=kind, parent=checked_name("parent", parent), child=checked_name("child", child),
            X_PJ=pose_of(f"joint {name!r}: pose", pose), X_CJ=pose_of(f"joint {name!r}: child_pose", child_pose),
            axes=tuple(made), thread_pitch=number("thread_pitch", thread_pitch), damping=damping,
            source=_caller("joint", name),
        )  # fmt: skip
        if initial is not None:
            values = initial if isinstance(initial, Sequence) else [initial]
            self._initial[name] = tuple(number(f"joint {name!r}: initial", x) for x in values)
        return self

    # --- actuation -------------------------------------------------------------------------------------------------

    def couple(
        self, follower: str, leader: str | Mapping[str, float], multiplier: float = 1.0, offset: float = 0.0,
        *, reference: float = 0.0, name: str | None = None, **fields_of_coupling: Any,
    ) -> RobotBuilder:  # fmt: skip
        """`follower = multiplier·(leader − reference) + offset`; several leaders as {joint: multiplier}.

        Others are fields of the coupling: powers, mode, natural_frequency, damping_ratio, erp.
        """
        shares = leader if isinstance(leader, Mapping) else {checked_name("leader", leader): multiplier}
        if isinstance(leader, Mapping) and multiplier != 1.0:
            raise ModelError("with several leaders, each has its multiplier: couple('a', {'b': 1.0, 'c': -0.5})")
        axis = AxisRef.of(checked_name("follower", follower))
        assert axis is not None
        leaders = tuple(Term(axis_ref(n), number(f"multiplier of {n!r}", m)) for n, m in shares.items())
        own = name if name is not None else str(axis)
        values = {**fields_of_coupling, "offset": number("offset", offset), "reference": number("reference", reference)}
        self._couplings.append(
            made_of(
                Coupling, f"coupling {own!r}", name=own, follower=axis, leaders=leaders,
                alias=None if name is None else str(axis), spelling="mimic" if name is None else "coupling",
                source=_caller("coupling", own), **values,
            )
        )  # fmt: skip
        return self

    def actuator(
        self, actuator: str | Actuator, joint: str | None = None, kind: str = "ideal", **numbers_of: Any
    ) -> RobotBuilder:
        """An actuator: an object, or a name with its kind's fields, e.g. `kind="electric_motor", stall_torque=2.0`.

        joint  the axis that it drives; without one, a transmission connects it
        """
        if isinstance(actuator, Actuator):
            if joint is not None or numbers_of:
                raise ModelError("an actuator object has its joint and its numbers already: give it alone")
            made = actuator
        else:
            cls = row(ACTUATORS, "actuator", kind)
            what = f"actuator {actuator!r}"
            made = made_of(
                cls, what, name=actuator, joint=joint, source=_caller("actuator", actuator), **numbers_of
            )  # fmt: skip
        self._new(self._actuators, "actuator", made.name)
        self._actuators[made.name] = made
        return self

    def transmission(
        self, name: str, map: TransmissionMap, *, actuators: str | Sequence[str], joints: str | Sequence[str],
        losses: Losses | None = None, backlash: Backlash | None = None,
    ) -> RobotBuilder:  # fmt: skip
        """A transmission, e.g. `gw.SimpleTransmission(reduction=50)`, and what it connects, in its order."""
        self._new(self._transmissions, "transmission", name)
        checked_instance("map", map, TransmissionMap)
        axes = tuple(axis_ref(j) for j in checked_names("joints=", joints))
        self._transmissions[name] = Transmission(
            name=name, type=type_name(map), map=map, actuators=checked_names("actuators=", actuators), joints=axes,
            losses=with_own(losses, map), backlash=backlash, source=_caller("transmission", name),
        )  # fmt: skip
        return self

    def sensor(self, sensor: str | Sensor, kind: str = "encoder", **fields_of: Any) -> RobotBuilder:
        """A sensor: an object, or a name with its kind's fields, e.g. `kind="encoder", joint="elbow"`."""
        if isinstance(sensor, Sensor):
            made = sensor
        else:
            cls = BODY_SENSORS[kind] if kind in BODY_SENSORS else row(SENSORS, "sensor", kind)
            made = made_of(
                cls, f"sensor {sensor!r}", name=sensor, source=_caller("sensor", sensor), **fields_of
            )  # fmt: skip
        self._new(self._sensors, "sensor", made.name)
        self._sensors[made.name] = made
        return self

    # --- the mechanism -----------------------------------------------------------------------------------------------

    def finish(self) -> Mechanism:
        """Returns the mechanism, or raises a ModelError with all errors, each with its line of Python."""
        if not self._bodies:
            raise ModelError(f"robot {self.name!r} has no links")
        found: list[Diagnostic] = []
        for j in self._joints.values():
            for end in (j.parent, j.child):
                if end not in self._bodies and end != WORLD:
                    message = f"joint {j.name!r}: there is no link {end!r}{nearest(end, [*self._bodies, WORLD])}"
                    found.append(_error("link-not-found", message, j.source))
        links = {}
        for body in self._bodies.values():
            try:
                links[body.name] = body.finish()
            except ModelError as error:
                found.append(_error("inertia-missing", str(error), body.source))
        if found:
            raise ModelError("\n".join(map(str, found)), found)
        return Mechanism(
            name=self.name, links=links, joints=self._joints, bases=self._bases(), frames=self._frames,
            couplings=Couplings(self._couplings), transmissions=self._transmissions, actuators=self._actuators,
            sensors=self._sensors, initial=self._initial, gravity=self.gravity,
        )  # fmt: skip

    def _bases(self) -> dict[str, Joint]:
        kept, _ = span(self._joints)
        kind = "fixed" if self.base == "fixed" else "floating"
        found: dict[str, Joint] = {}
        for link in roots(self._bodies, kept):
            name = "base" if not found else f"base_{link}"
            while name in self._joints:
                name += "_"
            found[name] = Joint(name=name, kind=kind, parent=WORLD, child=link, source=self._bodies[link].source)
        return found

    # --- checks of what is given -------------------------------------------------------------------------------------

    def _new(self, family: Mapping[str, Any], kind: str, name: Any) -> None:
        checked_name(f"a {kind}", name)
        if not name or (kind == "link" and name == WORLD):
            raise ModelError(f"{name!r} cannot be the name of a {kind}")
        if name in family:
            raise ModelError(f"there is a {kind} {name!r} already")

    def _body(self, link: str) -> LinkDraft:
        if checked_name("a link", link) not in self._bodies:
            raise ModelError(f"there is no link {link!r}{nearest(link, self._bodies)}; add it before its parts")
        return self._bodies[link]


def _error(code: str, message: str, source: Source | None) -> Diagnostic:
    s = source or Source(file="", line=0)
    return Diagnostic(severity="error", code=code, message=message, file=s.file, line=s.line, element=s.element)


def _caller(kind: str, name: str) -> Source:
    """The line of Python that asked for a part: the nearest that is not ours."""
    frame, _ = users_frame()
    return Source(file=frame.f_code.co_filename, line=frame.f_lineno, element=f"{kind}[{name}]")
