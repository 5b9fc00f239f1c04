"""The numbers of a mechanism by name: everything that can be a parameter, with unit, range and description.

Names are `link.mass`, `joint.damping`, `follower.multiplier`, `motor.stall_torque`, `gearbox.reduction`, `gravity.z`, …
Units and ranges are those of the fields; the equations read every number from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from gearwright.model.actuators import Actuator
from gearwright.model.actuators.supply import Supply
from gearwright.model.couplings import Coupling
from gearwright.model.fields import NOTHING, Quantity, meaning_of, meanings
from gearwright.model.frictions.kind import FrictionModel
from gearwright.model.joints import Axis, AxisDynamics, Joint
from gearwright.model.mass.inertia import Inertia
from gearwright.model.transmissions import Transmission, efficiency_only, parameter_quantities
from gearwright.model.transmissions.elastic import ElasticGear

if TYPE_CHECKING:
    from gearwright.model.links import Link
    from gearwright.model.mechanism import Mechanism

_XYZ = ("x", "y", "z")
_LENGTH = Quantity("m", doc="coordinate in the frame of its link")
_MOMENT = Quantity("kg·m²", doc="about the centre of mass, in the axes of the file's inertial frame", at_least=0)
_PRODUCT = Quantity("kg·m²", doc="about the centre of mass, in the axes of the file's inertial frame")
_RATIO = Quantity("", doc="follower's unit per leader's unit")
_POWER = Quantity("", doc="of the follower's polynomial")
_GRAVITY = Quantity("m/s²", doc="gravity in the world's axes")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of the mechanism that can be an input of the compiled step."""

    value: float  # of the mechanism as it is
    unit: str  # "" of a ratio
    doc: str  # its meaning
    quantity: Quantity  # unit, range and description of the field

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}".rstrip()


ParameterRow = tuple[str, float, Quantity, bool]  # name, value, meaning, whether it is of a sliding axis


def parameter_table(mechanism: Mechanism) -> dict[str, Parameter]:
    """Every number of the equations by its name, in the order of the mechanism."""
    return {
        name: Parameter(float(value), meaning.unit_on(slides=slides), meaning.doc, meaning)
        for name, value, meaning, slides in parameter_rows(mechanism)
    }


def parameter_rows(mechanism: Mechanism) -> Iterator[ParameterRow]:
    for link in mechanism.links.values():
        if link.same_as is None:
            yield from link_rows(link)
    for joint in (*mechanism.joints.values(), *mechanism.bases.values()):
        yield from joint_rows(joint)
    for coupling in mechanism.couplings.values():
        yield from coupling_rows(coupling, mechanism.joint(coupling.follower.joint).type.prismatic)
    yield from device_rows(mechanism)
    for c, g in zip(_XYZ, mechanism.gravity, strict=True):
        yield f"gravity.{c}", g, _GRAVITY, False


def link_rows(link: Link) -> Iterator[ParameterRow]:
    """Mass, centre of mass in the link's frame, inertia about it in the axes of the file's."""
    inertia, name = link.inertia, link.name
    yield f"{name}.mass", inertia.mass, meaning_of(Inertia, "mass"), False
    for c, value in zip(_XYZ, inertia.center.tolist(), strict=True):
        yield f"{name}.com.{c}", value, _LENGTH, False
    for c, value in zip(("ixx", "iyy", "izz"), inertia.moments, strict=True):
        yield f"{name}.inertia.{c}", value, _MOMENT, False
    for c, value in zip(("ixy", "ixz", "iyz"), inertia.products, strict=True):
        yield f"{name}.inertia.{c}", value, _PRODUCT, False


def joint_rows(joint: Joint) -> Iterator[ParameterRow]:
    """Where the joint sits on its parent link, and what acts along its axes."""
    for c, value in zip(_XYZ, joint.X_PJ.p.tolist(), strict=True):
        yield f"{joint.name}.origin.{c}", value, _LENGTH, False
    if joint.type.damped:
        yield f"{joint.name}.damping", joint.damping, meaning_of(Joint, "damping"), False
    for name, axis in axes(joint):
        for m in meanings(AxisDynamics):
            if m.is_parameter:
                yield f"{name}.{m.name}", getattr(axis.dynamics, m.name), m.quantity, joint.type.prismatic
        yield from friction_rows(name, axis.dynamics.friction_model, joint.type.prismatic)


def friction_rows(
    owner: str, model: FrictionModel | None, slides: bool, group: str = "friction_model"
) -> Iterator[ParameterRow]:
    """The numbers of a friction model; `owner` is the prefix of what it is along."""
    if model is not None:
        for field, (value, meaning) in parameter_quantities(model).items():
            yield f"{owner}.{group}.{field}", value, meaning, slides


def axes(joint: Joint) -> Iterator[tuple[str, Axis]]:
    """Each axis with the coordinate along or about it."""
    return zip(joint.axis_coordinates, joint.axes, strict=True)


def coupling_rows(coupling: Coupling, slides: bool = False) -> Iterator[ParameterRow]:
    if coupling.through is not None:
        return  # its numbers are the transmission's
    name = coupling.name
    for ratio, term in zip(multiplier_names(coupling), coupling.leaders, strict=True):
        yield ratio, term.multiplier, _RATIO, False
    for field in ("offset", "reference"):
        yield f"{name}.{field}", getattr(coupling, field), meaning_of(Coupling, field), slides
    for k, value in enumerate(coupling.powers, start=2):
        yield f"{name}.power{k}", value, _POWER, False
    own = {"hard": ("erp",), "compliant": ("natural_frequency", "damping_ratio")}
    for field in own.get(coupling.mode, ()):
        yield f"{name}.{field}", getattr(coupling, field) or 0.0, meaning_of(Coupling, field), False


def multiplier_names(coupling: Coupling) -> list[str]:
    """Parameters that are a coupling's ratios, one a leader."""
    only = len(coupling.leaders) == 1
    return [f"{coupling.name}.multiplier" + ("" if only else f".{t.axis}") for t in coupling.leaders]


def actuator_numbers(actuator: Actuator) -> dict[str, float]:
    """Its numbers by the names of its fields; limits that there are not, and tables, are not among them."""
    found: dict[str, Any] = {m.name: getattr(actuator, m.name) for m in meanings(type(actuator)) if m.is_parameter}
    return {n: x for n, x in found.items() if isinstance(x, float) and isfinite(x)}


def device_key(mechanism: Mechanism, name: str) -> str:
    """Prefix of an actuator's or transmission's numbers: its name, unless a link, joint or coupling has that."""
    taken = name in mechanism.links or name in mechanism.joints or name in mechanism.couplings
    return f"device.{name}" if taken else name


def supply_key(supply: Supply) -> str:
    """Prefix of the numbers of a supply that servos share."""
    return f"supply.{supply.name}"


def supplies(mechanism: Mechanism) -> dict[str, Supply]:
    """Those that servos share, by name."""
    each = (getattr(a, "supply", None) for a in mechanism.actuators.values())
    return {s.name: s for s in each if s is not None}


def losses_key(mechanism: Mechanism, t: Transmission) -> str:
    """Prefix of the numbers of a transmission's losses: its own, unless an actuator has that."""
    key = device_key(mechanism, t.name)
    return f"{key}.losses" if t.name in mechanism.actuators else key


def device_rows(mechanism: Mechanism) -> Iterator[ParameterRow]:
    for name, actuator in mechanism.actuators.items():
        key = device_key(mechanism, name)
        slides = actuator.joint is not None and mechanism.joint(actuator.joint.joint).type.prismatic
        for field, value in actuator_numbers(actuator).items():
            yield f"{key}.{field}", value, meaning_of(type(actuator), field), slides
        yield from friction_rows(key, actuator.friction_model, slides)
    for supply in supplies(mechanism).values():
        for field, (value, meaning) in parameter_quantities(supply).items():
            yield f"{supply_key(supply)}.{field}", value, meaning, False
    for name, t in mechanism.transmissions.items():
        key = device_key(mechanism, name)
        if t.map is not None and not (name in mechanism.actuators and key == name):
            slides = bool(t.joints) and mechanism.joint(t.joints[0].joint).type.prismatic
            unused = efficiency_only(t.map) if t.losses.own is None else set()
            for field, (value, meaning) in parameter_quantities(t.map).items():
                if field not in unused:
                    yield f"{key}.{field}", value, meaning, slides
        if t.map is not None:
            slides = bool(t.joints) and mechanism.joint(t.joints[0].joint).type.prismatic
            yield from _loss_rows(losses_key(mechanism, t), t, slides)


def _loss_rows(key: str, t: Transmission, slides: bool) -> Iterator[ParameterRow]:
    """What a transmission loses, and the play or twist before it."""
    assert t.map is not None
    taken = {*parameter_quantities(t.map), *(("efficiency",) if t.losses.varies else ())}
    for field, (value, meaning) in parameter_quantities(t.losses).items():
        if field not in taken:
            yield f"{key}.{field}", value, meaning, slides
    yield from friction_rows(key, t.losses.friction_model, slides)
    if isinstance(t.backlash, ElasticGear):
        yield from friction_rows(key, t.backlash.elasticity, slides, "elasticity")
        yield from friction_rows(key, t.backlash.hysteresis, slides, "hysteresis")
    elif t.backlash is not None:
        for field, (value, meaning) in parameter_quantities(t.backlash).items():
            yield f"{key}.backlash.{field}", value, meaning, slides


def map_unknowns(mechanism: Mechanism, t: Transmission, values: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a transmission's map that have no float among these: parameters, by the map's own names."""
    assert t.map is not None
    keys = {n: f"{device_key(mechanism, t.name)}.{n}" for n in parameter_quantities(t.map)}
    return {n: values[key] for n, key in keys.items() if not isinstance(values.get(key, 0.0), float)}


def quantity_of(mechanism: Mechanism, name: str) -> Quantity:
    """The meaning of a parameter, also where it goes by a coupling's alias; nothing of a controller's own."""
    known = mechanism.parameters
    name = name if name in known else canonical(mechanism, name)
    return known[name].quantity if name in known else NOTHING


def parameter_name(mechanism: Mechanism, name: str) -> str | None:
    """The name in the table of a number that may go by another one; None if it is no parameter."""
    own = name if name in mechanism.parameters else canonical(mechanism, name)
    return own if own in mechanism.parameters else None


def canonical(mechanism: Mechanism, name: str) -> str:
    """A coupling's numbers also go by its alias (`left_finger.multiplier` for a coupling with a name of its own)."""
    for coupling in mechanism.couplings.values():
        if coupling.alias is not None and name.startswith(coupling.alias + "."):
            rest = name[len(coupling.alias) :]
            if any(row[0] == coupling.name + rest for row in coupling_rows(coupling)):
                return coupling.name + rest
    return f"device.{name}" if f"device.{name}" in mechanism.parameters else name
