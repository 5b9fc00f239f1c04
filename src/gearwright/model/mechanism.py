"""The mechanism: links, joints, and everything that couples, drives and senses them. Frozen and validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gearwright.diagnostics import Diagnostic, in_line_order
from gearwright.errors import ModelError, UnknownNameError
from gearwright.given_names import checked_instance, checked_name, checked_names
from gearwright.model.actuators import Actuator
from gearwright.model.by_name import ByName
from gearwright.model.checks.checks import advise, check
from gearwright.model.contacts.pair import ContactPair
from gearwright.model.couplings import Couplings
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.frictions.placing import with_friction
from gearwright.model.given_poses import pose_of
from gearwright.model.joints import AxisRef, Joint
from gearwright.model.keyframes import Keyframe
from gearwright.model.layout.layout import (
    CoordinateLayout,
    acting_transmissions,
    can_move,
    coordinate_of,
)
from gearwright.model.links import Link, NamedFrame
from gearwright.model.loops.mobility import Mobility, mobility
from gearwright.model.loops.second_descriptions import SecondDescription, second_descriptions
from gearwright.model.mass.reflected import reflected_inertia
from gearwright.model.parameters import Parameter, parameter_table
from gearwright.model.pickling import check_functions, fields_of
from gearwright.model.poses import Array, Pose, Vector3
from gearwright.model.sensors.sensors import Encoder, Sensor
from gearwright.model.transmissions import (
    Backlash,
    Losses,
    Transmission,
    TransmissionMap,
    type_name,
    with_own,
)
from gearwright.model.tree.configuration import configuration
from gearwright.model.tree.kinematics import link_poses
from gearwright.model.tree.references import spanned
from gearwright.model.tree.topology import Tree, forward, grow
from gearwright.notebooks import NotebookDisplay

if TYPE_CHECKING:
    import os

    from gearwright.model.actuators.supply import Supply
    from gearwright.model.hardware.hardware import Hardware
    from gearwright.model.parallel.jacobian import ActuationJacobian
    from gearwright.model.servos.servo_model import ServoModel

DEFAULT_GRAVITY: Vector3 = (0.0, 0.0, -9.81)  # [m/s²]; what MuJoCo, Drake and Pinocchio take too


@dataclass(frozen=True, kw_only=True, repr=False)
class Mechanism(NotebookDisplay):
    """A robot's whole actuation mechanism. Mappings are by name, in document order.

    In a URDF, a link named "world" is among the links, but it is the world itself and not part of the tree.
    """

    name: str
    links: Mapping[str, Link]  # rigid bodies
    joints: Mapping[str, Joint]  # of the file, also those that close loops
    couplings: Couplings = field(default_factory=Couplings)  # by follower, or by their own name
    transmissions: Mapping[str, Transmission] = field(default_factory=dict)  # gears, with `.map` and losses
    actuators: Mapping[str, Actuator] = field(default_factory=dict)  # motors
    sensors: Mapping[str, Sensor] = field(default_factory=dict)  # encoders among them
    hardware: Mapping[str, Hardware] = field(default_factory=dict)  # ros2_control's tags
    frames: Mapping[str, NamedFrame] = field(default_factory=dict)  # named frames on links
    bases: Mapping[str, Joint] = field(default_factory=dict)  # tie parts to the world if the file does not
    cut: tuple[str, ...] = ()  # joints at which loops are to be cut
    initial: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # joint → position, where it is not zero
    keyframes: Mapping[str, Keyframe] = field(default_factory=dict)  # named states; see `Simulation.reset`
    contradicted: tuple[str, ...] = ()  # couplings that `without_contradictions` has left out
    self_collide: tuple[str, ...] = ()  # links that touch other links of their own assembly
    no_contact: tuple[tuple[str, str], ...] = ()  # links that never touch each other
    contacts: tuple[ContactPair, ...] = ()  # shapes that touch in a simulation; `compile` finds them
    gravity: Vector3 = DEFAULT_GRAVITY  # in the world's axes [m/s²]
    search_path: tuple[str, ...] = field(default=(), compare=False, repr=False)  # where its files are looked for
    reported: tuple[Diagnostic, ...] = ()  # while the file was read and the mechanism was built; see `diagnostics`

    def __post_init__(self) -> None:
        families = ("link", "joint", "transmission", "actuator", "sensor", "hardware", "frame")
        for kind in families:
            attribute = kind if kind == "hardware" else kind + "s"
            items: Mapping[str, Any] = getattr(self, attribute)
            object.__setattr__(self, attribute, ByName(kind, items))
        object.__setattr__(self, "bases", ByName("base", self.bases))
        object.__setattr__(self, "initial", ByName("initial position", self.initial))
        object.__setattr__(self, "keyframes", ByName("keyframe", self.keyframes))
        found = check(self)
        if any(d.severity == "error" for d in found):
            raise ModelError("\n".join(str(d) for d in found if d.severity == "error"), found)
        object.__setattr__(self, "reported", _joined(self.reported, found))

    def __getstate__(self) -> dict[str, Any]:
        """Raises ModelError where a user's function cannot be pickled."""
        check_functions(
            {"transmission": self.transmissions, "actuator": self.actuators, "sensor": self.sensors}
        )  # fmt: skip
        return fields_of(self)

    def __deepcopy__(self, memo: object) -> Mechanism:
        return self  # nothing of it can change

    def __repr__(self) -> str:
        families = ("link", "joint", "coupling", "transmission", "actuator", "sensor")
        counts = ((kind, len(getattr(self, kind + "s"))) for kind in families)
        shown = ", ".join(f"{n} {kind}{'' if n == 1 else 's'}" for kind, n in counts if n)
        return f"<Mechanism {self.name!r}: {shown}>"

    @cached_property
    def touching_links(self) -> tuple[str, ...]:
        """Links that may touch another one in a simulation."""
        named = {link for pair in self.contacts for link in pair.links}
        return tuple(link for link in self.links if link in named)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and infos of the file and of all checks, in the order of lines. Checks run on first use."""
        return _joined(self.reported, advise(self))

    # --- structure ---------------------------------------------------------------------------------------------

    @property
    def encoders(self) -> Mapping[str, Encoder]:
        """The sensors that are encoders."""
        return ByName("encoder", {n: s for n, s in self.sensors.items() if isinstance(s, Encoder)})

    @cached_property
    def tree(self) -> Tree:
        """The spanning tree; joints with one axis are reversed if the tree passes them from child to parent."""
        kept, cuts = spanned(self)
        grown = grow(self.links, kept, cuts)
        return replace(grown, branches=tuple(forward(b) for b in grown.branches))

    @property
    def dof(self) -> int:
        """Number of degrees of freedom, with couplings and loops taken into account."""
        return self.mobility.dof

    @cached_property
    def mobility(self) -> Mobility:
        """Degrees of freedom, the constraints of loops that a simulation keeps, and loops that are rigid."""
        second = self.second_descriptions
        hold = [c for c in self.couplings.values() if c.mode != "compliant"]
        hold = [c for c in hold if not (c.name in second and second[c.name].contradicts)]
        pull = [c for c in self.couplings.values() if c.mode == "compliant" and c.name not in second]
        return mobility(self.tree, hold, pull, self.configuration())

    @cached_property
    def second_descriptions(self) -> Mapping[str, SecondDescription]:
        """Couplings that closed loops already imply or contradict, by name, with the difference between the two."""
        return second_descriptions(self.tree, self.couplings.values(), self.configuration())

    @property
    def rigid_loops(self) -> tuple[str, ...]:
        """Loop-closing joints of rigid loops, which move to first order only; they count as fixed."""
        return tuple(self.mobility.rigid)

    def without_contradictions(self) -> Mechanism:
        """A copy without the couplings that contradict loops and would lock them; its tree is the same."""
        contradict = {name for name, second in self.second_descriptions.items() if second.contradicts}
        if not contradict:
            return self
        left = Couplings(c for c in self.couplings.values() if c.name not in contradict)
        cut = tuple(j.name for j in self.tree.cuts)
        return replace(self, couplings=left, cut=cut, contradicted=(*self.contradicted, *sorted(contradict)))

    def joint(self, name: str) -> Joint:
        """A joint of the file, or a base."""
        return self.bases[name] if isinstance(name, str) and name in self.bases else self.joints[name]

    def axis(self, name: str) -> AxisRef:
        """The axis that is called `joint`, `joint.axis` or `joint.axis2`."""
        by_name = {}
        for j in self.joints.values():
            for ref in j.refs:
                by_name[coordinate_of(j, ref)] = by_name[str(ref)] = ref
        if not isinstance(name, str) or name not in by_name:
            raise UnknownNameError("joint axis", name, by_name)
        return by_name[name]

    def has_axis(self, axis: AxisRef) -> bool:
        """Whether something moves along it. Some real files drive joints that they fix later."""
        return can_move(self.joint(axis.joint), axis)

    def slides(self, axis: AxisRef) -> bool:
        """Whether the position along an axis is a length."""
        return self.joint(axis.joint).type.prismatic

    def pushes(self, actuator: str) -> bool:
        """Whether an actuator moves along a line: one that sits on a sliding joint itself; gears have shafts."""
        joint = self.actuators[actuator].joint
        geared = any(actuator in t.actuators for t in self.transmissions.values())
        return not geared and joint is not None and self.slides(joint)

    @cached_property
    def layout(self) -> CoordinateLayout:
        """Coordinates of the tree by name, axis and index."""
        return CoordinateLayout.of(self)

    @cached_property
    def acting(self) -> dict[str, Transmission]:
        """The transmission that each actuator acts through; see `acting_transmissions`."""
        return acting_transmissions(self.transmissions.values(), self.joints)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """Everything that can be a parameter: name → value, unit, description, range."""
        return ByName("parameter", parameter_table(self))

    def reflected_inertia(self) -> dict[AxisRef, float]:
        """Inertia of the rotors by axis, seen at the joint [kg·m², kg]: the diagonal of `BᵀIB`, `v_a = B·v_j`."""
        return dict(self._reflected)

    @cached_property
    def _reflected(self) -> dict[AxisRef, float]:
        return reflected_inertia(self)

    def actuation_jacobian(
        self, position: Mapping[str, float | Sequence[float]] | None = None, output: str | Sequence[str] | None = None
    ) -> ActuationJacobian:
        """Motors and outputs at one pose, in both directions: velocities, efforts, inertia and limits.

        Positions as in `configuration`; loops are assembled with them. Outputs are joint axes, or parts of a link's
        motion (`LINK.x` … `LINK.rz`, world axes). The default is the joints that motors drive. For closed loops it is
        the passive joints from the loops' mount to the link where most of them meet, or otherwise the motion of that
        link.
        """
        from gearwright.model.parallel.jacobian import actuation_jacobian

        return actuation_jacobian(self, position, output)

    # --- changed copies ----------------------------------------------------------------------------------------

    def with_parameters(self, values: Mapping[str, float]) -> Mechanism:
        """A copy with other numbers, by the names of `parameters`: `{"arm.mass": 2.1, "motor.resistance": 1.4}`."""
        from gearwright.model.changed_parameters import with_parameters

        return with_parameters(self, values)

    def with_coupling(self, name: str, **changes: Any) -> Mechanism:
        """A copy with one coupling changed, e.g. `mode="compliant", natural_frequency=200, damping_ratio=1.0`."""
        changed = self.couplings[checked_name("a coupling", name)]
        if {"natural_frequency", "damping_ratio"} & set(changes) and "mode" not in changes:
            ratio = 1.0 if changed.damping_ratio is None else changed.damping_ratio
            changes = {"mode": "compliant", "damping_ratio": ratio, **changes}  # the other modes have neither
        try:
            new = replace(changed, **changes)
        except TypeError:
            known = set(changed.__dataclass_fields__) - {"source"}
            wrong = next(k for k in changes if k not in known)
            raise UnknownNameError("coupling parameter", wrong, known) from None
        couplings = [new if c is changed else c for c in self.couplings.values()]
        return replace(self, couplings=Couplings(couplings))

    def with_actuator(self, actuator: Actuator) -> Mechanism:
        """A copy with an actuator added; it replaces an actuator of the same name."""
        checked_instance("an actuator", actuator, Actuator)
        return replace(self, actuators={**self.actuators, actuator.name: actuator})

    def with_friction(self, name: str, model: FrictionModel | None) -> Mechanism:
        """A copy with a friction model on a joint's axis, on an actuator or on a transmission, by its name.

        It acts in addition to their Coulomb and viscous friction, and replaces an existing model; None removes it. If
        several parts have the name, the joint is meant. The axis of a joint of two axes may be written `joint.axis2`.
        """
        return with_friction(self, checked_name("what the friction is on", name), model)

    def with_servo(
        self, name: str, model: str | os.PathLike[str] | ServoModel, *, supply: Supply | None = None, **changes: Any
    ) -> Mechanism:
        """A copy with a servo of `gw.servos` on a joint: `robot.with_servo("shoulder", "sts3215")`.

        It replaces the motor of the joint and keeps its transmission; if there is no motor, the servo gets the joint's
        name. An actuator may be named instead of its joint. The model may also be a file of identified parameters of
        the Better Actuator Models project. `supply`: a `gw.Supply` that servos share. `changes`: fields of the
        actuator, such as `delay=0.012`.
        """
        from gearwright.model.servos.placing import with_servo

        return with_servo(self, checked_name("what the servo moves", name), model, supply, **changes)

    def with_sensor(self, sensor: Sensor) -> Mechanism:
        """A copy with a sensor added; it replaces a sensor of the same name."""
        checked_instance("a sensor", sensor, Sensor)
        return replace(self, sensors={**self.sensors, sensor.name: sensor})

    def with_transmission(
        self, name: str, map: TransmissionMap, *, actuators: str | Sequence[str], joints: str | Sequence[str],
        losses: Losses | None = None, backlash: Backlash | None = None,
    ) -> Mechanism:  # fmt: skip
        """A copy with a transmission added; it replaces a transmission of the same name.

        Actuators and joints are named in the order of the map; an axis may be written `joint.axis2`. The map's own
        efficiency is kept, unless the losses have an efficiency or an efficiency map.
        """
        motors, axes = checked_names("actuators=", actuators), checked_names("joints=", joints)
        checked_name("a transmission", name)
        checked_instance("map", map, TransmissionMap)
        for given, kind in ((losses, Losses), (backlash, Backlash)):
            if given is not None:
                checked_instance(kind.__name__.lower(), given, kind)
        made = Transmission(
            name=name, type=type_name(map), map=map, actuators=motors,
            joints=tuple(self.axis(joint) for joint in axes), losses=with_own(losses, map), backlash=backlash,
        )  # fmt: skip
        return replace(self, transmissions={**self.transmissions, name: made})

    def with_joint(self, joint: Joint) -> Mechanism:
        """A copy with a joint added; it replaces a joint of the same name, and the base of its child link."""
        from gearwright.model.editing import with_joint

        checked_instance("a joint", joint, Joint)
        return with_joint(self, joint)

    def with_link(self, link: Link, joint: Joint | None = None) -> Mechanism:
        """A copy with a link added, and the joint that carries it; it replaces a link of the same name."""
        from gearwright.model.editing import with_link

        checked_instance("a link", link, Link)
        if joint is not None:
            checked_instance("a joint", joint, Joint)
        return with_link(self, link, joint)

    def without(self, *names: str, kind: str | None = None) -> Mechanism:
        """A copy without these parts, and without everything that depends on them.

        Removing a link or a joint also removes everything that it carries, with the couplings, transmissions, actuators
        and sensors of these parts. `kind` ("link", "joint", "actuator", …) says which part is meant if two have the
        same name.
        """
        from gearwright.model.editing import without

        return without(self, checked_names("without", names), kind)

    def attach(
        self, other: Mechanism, at: str, *, pose: Pose | Sequence[float] | None = None, prefix: str = "",
        joint: str | None = None,
    ) -> Mechanism:  # fmt: skip
        """A copy with another mechanism fixed to a link or frame of this one: a hand on an arm's flange.

        pose    of the other's root link there: a Pose, or x, y, z [m], or with roll, pitch, yaw [rad]
        prefix  what all names of the other get before them, so that both can have a link "base"
        joint   the name of the fixed joint between them
        """
        from gearwright.model.editing import attach

        checked_instance("attach", other, Mechanism)
        checked_name("at", at)
        return attach(self, other, at, pose_of("pose", pose), checked_name("prefix", prefix), joint)

    def with_rods_reduced(self, rods: Sequence[str] | None = None) -> Mechanism:
        """A copy in which rods between cranks and other links are exact couplings, not links: `crank = f(joints)`.

        It reduces all rods that can be reduced, or those that are named. Stops and passive forces at the ends of a
        named rod are left out. The mass of a rod goes to its two ends.
        """
        from gearwright.model.parallel.rods import with_rods_reduced

        return with_rods_reduced(self, rods)

    # --- kinematics --------------------------------------------------------------------------------------------

    def configuration(
        self, position: Mapping[str, float | Sequence[float]] | None = None
    ) -> dict[str, tuple[float, ...]]:
        """Position coordinates of every joint: as given, followers aligned with their leaders, others at their start.

        Keys are joints (a number, or a sequence for a joint of several coordinates) or single coordinates such as
        `joint.axis2` or `base.z`. A follower that is given keeps its value.
        """
        return configuration(self, position)

    def poses(self, position: Mapping[str, float | Sequence[float]] | None = None) -> dict[str, Pose]:
        """X_WL of every link, by the tree; loops are not assembled."""
        X_W = link_poses(self.tree, self.configuration(position))
        return {name: X_W[name] for name in self.links}

    def forward_kinematics(self, position: Mapping[str, float | Sequence[float]] | None = None) -> dict[str, Array]:
        """{link: 4x4 pose in the world}. Keys as in `configuration`; joints that are not given are at their start."""
        return {name: X.matrix for name, X in self.poses(position).items()}


def _joined(before: Sequence[Diagnostic], found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """In the order of lines; a changed copy finds some of them again."""
    if not found:
        return tuple(before)
    known = set(before)
    return tuple(in_line_order((*before, *(d for d in found if d not in known))))
